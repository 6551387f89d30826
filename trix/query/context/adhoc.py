"""Ad hoc context: the elements that path expressions select [IV, section 2.1; RETRIEVAL, section 5].

The context of x is every selected element of its document except x and its descendants. In document order these are a
prefix and a suffix of the document's selection. So each sum adds one running sum from the front and one from the back:
nothing is subtracted, and no digits are lost.

The support of a structured query is such a context, too: a soft reading of structure. In ``//article[about(.,
trees)]//sec[about(., labels)]``, the step before the target is a filter in the strict reading. As context it is a
preference: each element that satisfies a support step raises the targets of its document by its own score. A target
without support keeps its score and remains a result.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.query.context.form import (
    ContextTerm,
    MeanForm,
    Support,
    Surroundings,
    form_text,
    format_number,
    of_index,
    parameters,
)
from trix.query.context.sums import DocumentSums
from trix.query.language.path_tree import Path
from trix.query.matching.candidates import Candidates
from trix.query.matching.joins import below, member
from trix.support.arrays import Floats, Int32s


def extents(surroundings: Surroundings, candidates: Candidates) -> tuple[NDArray[np.intp], Int32s]:
    """Return the document number of each candidate, and the element number after its last descendant."""
    # Documents are looked up for roots alone, and repeated for the candidates below.
    roots = np.flatnonzero(candidates.depth == 0)
    documents = surroundings.documents(candidates.element[roots])
    return np.repeat(documents, np.diff(np.append(roots, len(candidates)))), surroundings.ends(candidates)


def matched_terms(
    candidates: Candidates, s: Floats, elements: NDArray[Any], weights: Floats
) -> tuple[ContextTerm, ...]:
    """Return the matching members of a context, in order, and one term for all others."""
    terms, silent = list[ContextTerm](), list[float]()
    # A member without a candidate does not match: its score is 0, but its weight counts in the mean.
    places = np.searchsorted(candidates.element, elements)
    for element, g, y in zip(elements, weights, places, strict=True):
        if y < len(candidates) and candidates.element[y] == element:
            terms.append(ContextTerm(int(y), float(g), float(s[y])))
        else:
            silent.append(float(g))
    if silent:
        terms.append(ContextTerm(None, math.fsum(silent), 0.0, len(silent)))
    return tuple(terms)


class PathSelection(NamedTuple):
    """Elements that the paths of a form select in an index.

    Attributes
    ----------
    elements : (m,) ndarray of int32
        Ascending.
    weights : (m,) ndarray of float64
        Weight of the first path that selects the element.
    documents : (m,) ndarray of int64
        Document numbers.
    sums
        Sums of the weights.
    """

    elements: Int32s
    weights: Floats
    documents: NDArray[np.intp]
    sums: DocumentSums


@dataclass(frozen=True, slots=True)
class AdHoc(MeanForm):
    """RS(x) = s(x) + f·Σ g s / Σ g over the elements of x's document that a path selects, except x and its descendants.

    Parameters
    ----------
    paths
        Paths and their weights g; an element selected by several has the weight of the first.
    f
        Factor of the context.
    all
        Score elements that do not match, too.
    surroundings, selection
        The index, and the selected elements in it; see `bind`.
    """

    paths: tuple[tuple[Path, float], ...]
    f: float = 1.0
    all: bool = False
    surroundings: Surroundings | None = field(default=None, compare=False, repr=False)
    selection: PathSelection | None = field(default=None, compare=False, repr=False)

    def bind(self, surroundings: Surroundings) -> AdHoc:
        """Bind the form to an index: resolve its paths."""
        found = [surroundings.selected(path) for path, _ in self.paths]
        # Paths in written order, so that the first of equal elements is that of the first path.
        every = np.concatenate(found)
        g = np.repeat([weight for _, weight in self.paths], [each.size for each in found])
        elements, first = np.unique(every, return_index=True)  # of equal numbers the first, so the first path's
        weights, documents = g[first], surroundings.documents(elements)
        selection = PathSelection(elements, weights, documents, DocumentSums(weights, documents))
        return replace(self, surroundings=surroundings, selection=selection)

    def context(self, candidates: Candidates, s: Floats, place: int) -> tuple[ContextTerm, ...]:
        """Return the terms of one candidate's sums: matching members, then one term for the others."""
        surroundings, selection = of_index(self.surroundings), self._selected
        here, behind = candidates.element[place], surroundings.ends(candidates)[place]
        document = surroundings.documents(candidates.element[place : place + 1])[0]
        # The element and its descendants are a range of numbers, which its own context leaves out.
        inside = (selection.elements >= here) & (selection.elements < behind)
        chosen = (selection.documents == document) & ~inside
        return matched_terms(candidates, s, selection.elements[chosen], selection.weights[chosen])

    def sums(self, candidates: Candidates, s: Floats) -> tuple[Floats, Floats]:
        """Return Σ g s and Σ g of every candidate."""
        surroundings, selection = of_index(self.surroundings), self._selected
        # The context is the document's selection without that range: the members before it, and those after it.
        own, ends = extents(surroundings, candidates)
        low, high = below(selection.elements, candidates.element, ends)
        # Σ g over all selected elements; Σ g s only over those that are candidates, as the others have no score.
        denominator = selection.sums.outside(low, high, own)
        chosen = np.flatnonzero(member(candidates.element, selection.elements, low))
        numerator = DocumentSums(selection.weights[low[chosen]] * s[chosen], own[chosen])
        # The same ranges, in the numbering of the chosen candidates.
        low, high = below(candidates.element[chosen], candidates.element, ends)
        return numerator.outside(low, high, own), denominator

    @property
    def _selected(self) -> PathSelection:
        assert self.selection is not None, f"{self}: bound with the index"
        return self.selection

    def __str__(self) -> str:
        return adhoc_text(self.paths, self)


def adhoc_text(parts: Iterable[tuple[object, float]], form: MeanForm) -> str:
    """Write the form as ``adhoc:`` text: paths, weights and non-default parameters."""
    paths = [str(path) + ("" if g == 1.0 else f"={format_number(g)}") for path, g in parts]
    return f"adhoc:{','.join([*paths, *parameters(form, f=1.0)])}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NexiSupport(MeanForm):
    """RS(x) = s(x) + f·mean of the own scores of the support in x's document, except x and its descendants.

    Parameters
    ----------
    f
        Factor of the context.
    surroundings, support
        The index and the query's support; without support, as in a content-only query, scores stay.
    """

    f: float = 1.0
    surroundings: Surroundings | None = field(default=None, compare=False, repr=False)
    support: Support | None = field(default=None, compare=False, repr=False)

    @property
    def all(self) -> bool:
        """Targets match."""
        return False

    def bind(self, surroundings: Surroundings) -> NexiSupport:
        """Bind the form to an index."""
        return replace(self, surroundings=surroundings)

    def of_support(self, support: Support) -> NexiSupport:
        """Return the form for one query's support."""
        return replace(self, support=support)

    def context(self, candidates: Candidates, s: Floats, place: int) -> tuple[ContextTerm, ...]:
        """Return the terms of one candidate's sums: the support in document order."""
        if self.support is None or self.surroundings is None:
            return ()
        elements, scores = self.support.elements, self.support.scores
        documents = self.surroundings.documents(elements)
        own = self.surroundings.documents(candidates.element[place : place + 1])[0]
        here, behind = candidates.element[place], self.surroundings.ends(candidates)[place]
        # As in `sums`, one document without a range.
        chosen = np.flatnonzero((documents == own) & ((elements < here) | (elements >= behind)))
        return tuple(ContextTerm(None, 1.0, float(scores[i]), element=int(elements[i])) for i in chosen)

    def sums(self, candidates: Candidates, s: Floats) -> tuple[Floats, Floats]:
        """Return, for every candidate, the sum of the support's scores and its size."""
        if self.support is None or self.surroundings is None:
            return np.zeros(len(candidates)), np.zeros(len(candidates))
        documents = self.surroundings.documents(self.support.elements)
        own, ends = extents(self.surroundings, candidates)
        low, high = below(self.support.elements, candidates.element, ends)
        count = DocumentSums(np.ones(documents.size), documents)
        return DocumentSums(self.support.scores, documents).outside(low, high, own), count.outside(low, high, own)

    def __str__(self) -> str:
        return form_text("nexi", self, f=1.0)
