"""The support of a structured query as context: the soft reading of structure.

What stands before the target in ``//article[about(., trees)]//sec[about(., labels)]`` is a filter as it is written. As
context it is a preference: every element that satisfies a support step raises the targets of its document by its own
score, and a target without any keeps its score and its place among the results.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from trix.query.context.adhoc import extents
from trix.query.context.form import ContextTerm, Floats, MeanForm, Surroundings, form_text
from trix.query.context.sums import DocumentSums
from trix.query.matching.candidates import Candidates
from trix.query.matching.joins import below


@dataclass(frozen=True, eq=False, slots=True)
class Support:
    """What satisfies the support of a query.

    Attributes
    ----------
    elements : (m,) ndarray of int32
        Ascending.
    scores : (m,) ndarray of float64
        By the words of the step that the element satisfies; of several the outermost.
    """

    elements: NDArray[np.int32]
    scores: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class NexiSupport(MeanForm):
    """RS(x) = s(x) + f·mean of the own scores of the support in x's document, without x and what is below it.

    Parameters
    ----------
    f
        Factor of the context.
    surroundings, support
        The index and the query's support; without support, as with a content-only query, scores stay.
    """

    f: float = 1.0
    surroundings: Surroundings | None = field(default=None, compare=False, repr=False)
    support: Support | None = field(default=None, compare=False, repr=False)

    @property
    def all(self) -> bool:
        """Targets match."""
        return False

    def bind(self, surroundings: Surroundings) -> NexiSupport:
        """Return the form over one index."""
        return replace(self, surroundings=surroundings)

    def context(self, candidates: Candidates, s: Floats, place: int) -> tuple[ContextTerm, ...]:
        """Return the terms of one candidate's sums: the support in document order."""
        if self.support is None or self.surroundings is None:
            return ()
        elements, scores = self.support.elements, self.support.scores
        documents = self.surroundings.documents(elements)
        own = self.surroundings.documents(candidates.element[place : place + 1])[0]
        here, behind = candidates.element[place], self.surroundings.ends(candidates)[place]
        chosen = np.flatnonzero((documents == own) & ((elements < here) | (elements >= behind)))
        return tuple(ContextTerm(None, 1.0, float(scores[i]), element=int(elements[i])) for i in chosen)

    def sums(self, candidates: Candidates, s: Floats) -> tuple[Floats, Floats]:
        """Return the sum of the scores and the number of the support of every candidate."""
        if self.support is None or self.surroundings is None:
            return np.zeros(len(candidates)), np.zeros(len(candidates))
        documents = self.surroundings.documents(self.support.elements)
        own, ends = extents(self.surroundings, candidates)
        low, high = below(self.support.elements, candidates.element, ends)
        count = DocumentSums(np.ones(documents.size), documents)
        return DocumentSums(self.support.scores, documents).outside(low, high, own), count.outside(low, high, own)

    def __str__(self) -> str:
        return form_text("nexi", self, f=1.0)
