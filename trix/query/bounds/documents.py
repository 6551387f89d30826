"""What the elements of documents can score by themselves, from how often each document holds the terms.

The formula itself says it, of the most favourable numbers that an element of the document could have. The root is known
better, where the model reads no lengths: what a document holds is what its root holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.held import Held
from trix.indexer.store.inverted.by_document import reach_for
from trix.query.language.terms import Keys, Term
from trix.query.scoring.models import Extent, Letters, Model, Statistics
from trix.query.scoring.units import Units
from trix.query.scoring.weights import einstein, times

Ints = NDArray[Any]
Floats = NDArray[np.float64]

BY_STRETCH = ("trix2005", "trix2004")
"""Models whose weight falls with ξ_c/ξ_k, or faster, so that the reach of a term bounds it."""

BOUNDED = (*BY_STRETCH, "bm25", "bm25-2011", "lm-dirichlet")
"""Models whose weight grows with kf in an element that holds nothing else; of the others a short element with a word or
two has as much as any."""

ROUNDING = 2.0**-52
"""Relative error of a step of arithmetic, generously."""


@dataclass(frozen=True)
class Spans:
    """Between what the scores of documents' elements lie.

    Attributes
    ----------
    root, rest : (n,) ndarrays
        At most so much have the root, and any other element.
    low : (n,) ndarray
        At least so much has any element, 0 or less.
    """

    root: Floats
    rest: Floats
    low: Floats

    @property
    def high(self) -> Floats:
        """The most that any element has."""
        return np.maximum(self.root, self.rest)

    def widened(self, steps: float) -> Spans:
        """Return spans that allow for the rounding of so many steps."""
        room = (np.abs(self.root) + np.abs(self.rest) + np.abs(self.low)) * (steps * ROUNDING)
        return Spans(self.root + room, self.rest + room, self.low - room)


def basic_spans(
    terms: Sequence[Term],
    held: Mapping[Keys, Held],
    documents: Ints,
    contents: Ints,
    model: tuple[str, Model],
    letters: Letters,
    combine: str,
    units: Units,
) -> Spans | None:
    """Return the spans of basic scores in some documents; None where there is no bound.

    Parameters
    ----------
    terms
        Those of the query, in written order.
    held
        The documents that hold each.
    documents, contents
        Ascending numbers of documents, and how many content elements each has.
    model
        The model, with its name.
    letters, combine, units
        As for the scores themselves.
    """
    name, formula = model
    phrases = name == "trix2004" and any(term.is_phrase for term in terms)  # their kf is that of their rarest word
    total_weight = sum(term.weight for term in terms)
    if name not in BOUNDED or phrases or total_weight <= 0 or any(term.weight < 0 for term in terms):
        return None
    how = formula.combination(combine)
    root, rest, low = np.zeros((3, documents.size))

    def add(total: Floats, rows: Ints, weights: Floats) -> None:
        total[rows] = einstein(total[rows], weights) if how == "einstein" else total[rows] + weights

    known: dict[Keys, tuple[Ints, Floats, Floats]] = {}
    for term in terms:
        of = held[term.keys]
        if not of.documents.size:
            continue
        if term.keys not in known:
            known[term.keys] = _term_bounds(of, documents, contents, name, formula, letters, units)
        rows, most, whole = known[term.keys]
        for total, weights, sign in ((rest, most, 1.0), (low, most, -1.0), (root, whole, 0.0)):
            signed = formula.signed(weights, term.sign)
            if sign:  # an element may lack the term, and then has 0
                signed = np.maximum(signed, 0.0) if sign > 0 else np.minimum(signed, 0.0)
                if not signed.any():
                    continue
            add(total, rows, times(signed, term.weight, how))
    if not formula.bounded:
        root = rest
    if how == "average":
        root, rest, low = root / total_weight, rest / total_weight, low / total_weight
    root = np.maximum(root, 0.0)  # which it has where only elements that hold all terms are weighed
    return Spans(root, rest, low).widened(16 + 8 * len(terms))


def _term_bounds(
    of: Held, documents: Ints, contents: Ints, name: str, formula: Model, letters: Letters, units: Units
) -> tuple[Ints, Floats, Floats]:
    """Return which of the documents hold a term, the most that it weighs there, and what it weighs in their roots."""
    rows = np.searchsorted(documents, of.documents)
    rows[rows == documents.size] = 0
    here = documents[rows] == of.documents
    inside: Any = slice(None) if here.all() else here
    rows, kf = rows[inside], of.kf[inside]
    m, cf = units.counts_of_whole(of)
    one = np.ones(rows.size)
    counted = reach_for(letters.b, kf, of.reach[inside]) if name in BY_STRETCH else kf
    alone = Extent(one, one.astype(np.bool_), kf, units.N, units.C)  # an element that holds nothing else
    most = formula.weigh(Statistics(counted, one, m, cf), alone, letters)
    if not formula.bounded:
        return rows, most, most
    size = contents[rows].astype(np.float64)
    whole = Extent(size, size == 1, None, units.N, units.C)
    return rows, most, formula.weigh(Statistics(kf, of.xi_k[inside], m, cf), whole, letters)
