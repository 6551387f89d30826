"""What the elements of documents can score by themselves, from how often each document holds the terms.

The formula itself says it, of the most favourable numbers that an element of the document could have. The root is known
better, where the model reads no lengths: what a document holds is what its root holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trix.indexer.store.held import Held
from trix.indexer.store.inverted.by_document import reach_for
from trix.query.language.terms import Keys, Term
from trix.query.scoring.models import Extent, Letters, Model, Statistics
from trix.query.scoring.statistics import Units
from trix.query.scoring.weights import einstein, times
from trix.support.arrays import Floats, Ints

BY_STRETCH = ("trix2005", "trix2004")
"""Models whose weight falls with ξ_c/ξ_k, or faster, so that the reach of a term bounds it."""

BOUNDED = (*BY_STRETCH, "bm25", "bm25-2011", "lm-dirichlet")
"""Models whose weight grows with kf in an element that holds nothing else; of the others a short element with a word or
two has as much as any."""

SIGNS = {"": 0, "+": 1, "-": -1}
"""How the compiled loops tell signs apart: numbers, since they compare texts slowly."""

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

    def high(self, steps: int) -> Floats:
        """Return the most that any element has, with room for the rounding of so many steps of arithmetic."""
        highest = np.maximum(self.root, self.rest)
        found: Floats = highest + (np.abs(highest) - self.low) * (steps * ROUNDING)
        return found


def basic_spans(
    terms: Sequence[Term],
    held: Mapping[Keys, Held],
    contents: Ints,
    model: tuple[str, Model],
    letters: Letters,
    combine: str,
    units: Units,
) -> Spans | None:
    """Return the spans of basic scores in all documents; None where there is no bound.

    Parameters
    ----------
    terms
        Those of the query, in written order.
    held
        The documents that hold each.
    contents
        How many content elements each document of the index has.
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
    root, rest, low = np.zeros((3, contents.size))
    for term in terms:
        of = held[term.keys]
        if not of.documents.size:
            continue
        most, whole = _term_bounds(of, contents, name, formula, letters, units)
        for total, weights, kind in ((rest, most, max), (low, most, min), (root, whole, None)):
            signed = formula.signed(weights, term.sign)
            if kind is not None:  # an element may lack the term, and then has 0
                signed = np.maximum(signed, 0.0) if kind is max else np.minimum(signed, 0.0)
                if not signed.any():
                    continue
            signed = times(signed, term.weight, how)
            before = total[of.documents]
            total[of.documents] = einstein(before, signed) if how == "einstein" else before + signed
    if not formula.bounded:
        root = rest
    root = np.maximum(root, 0.0)  # which it has where only elements that hold all terms are weighed
    if how == "average":
        root, rest, low = root / total_weight, rest / total_weight, low / total_weight
    return Spans(root, rest, low)


def _term_bounds(
    of: Held, contents: Ints, name: str, formula: Model, letters: Letters, units: Units
) -> tuple[Floats, Floats]:
    """Return the most that a term weighs in the documents that hold it, and what it weighs in their roots."""
    m, cf = units.counts_of_whole(of)
    one = np.ones(of.kf.size, np.int32)
    counted = reach_for(letters.b, of.kf, of.reach) if name in BY_STRETCH else of.kf
    alone = Extent(one, one.astype(np.bool_), of.kf, units.N, units.C)  # an element that holds nothing else
    most = formula.weigh(Statistics(counted, one, m, cf), alone, letters)
    if not formula.bounded:
        return most, most
    size = contents[of.documents].astype(np.float64)
    whole = Extent(size, size == 1, None, units.N, units.C)
    return most, formula.weigh(Statistics(of.kf, of.xi_k, m, cf), whole, letters)
