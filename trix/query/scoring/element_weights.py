"""Weighted occurrences by place, applied before saturation as in BM25F [RETRIEVAL, section 4; Robertson 2004].

A content element has the weight of its nearest ancestor-or-self that a weighted place selects, 1 if there is none.
Only tf changes, and with it kf and cf; xi_k, m and the lengths stay. Weighted counts are integers in thousandths:
their sums are exact, so that elements with equal counts have equal scores.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.files import IndexFiles
from trix.query.language.element_weights import UNIT
from trix.query.matching.joins import spread
from trix.query.matching.matching import TermList
from trix.query.matching.part import content_ranges
from trix.support.arrays import Int32s

Places = Sequence[tuple[Int32s, int]]
"""Elements that a place selects, ascending, and its weight in thousandths, in written order."""


class WeightedContent:
    """Weight of every content element of an index.

    Parameters
    ----------
    index
        The index.
    places
        Selected elements and their weights.

    Attributes
    ----------
    values : (n_contents,) ndarray of int32
        The weights, in thousandths.
    heaviest
        The largest of them, at least 1.
    """

    def __init__(self, index: IndexFiles, places: Places) -> None:
        self.values = content_weights(index, places)
        self.heaviest = max(int(self.values.max(initial=1)), 1)

    def weighted(self, of: TermList) -> TermList:
        """Return a posting list with its occurrences in thousandths."""
        return of._replace(tf=of.tf.astype(np.int64) * self.values[of.content_numbers])


def content_weights(index: IndexFiles, places: Places) -> Int32s:
    """Return the weight of each content element in thousandths, ``(n_content_elements,)``."""
    weights = np.full(index.totals["content_elements"], UNIT, np.int32)
    if not places:
        return weights
    elements = np.concatenate([found for found, _ in places])
    g = np.repeat(np.array([weight for _, weight in places], np.int32), [found.size for found, _ in places])
    elements, first = np.unique(elements, return_index=True)  # of equal numbers the first, so the first place's
    g = g[first]
    begin, end, _ = content_ranges(index, elements)
    # A selected element overrides its selected ancestors, so the outermost come first. In document order an
    # element's selected ancestors are those before it whose range holds its own.
    depth = _nesting(begin, end)
    for level in range(int(depth.max(initial=-1)) + 1):
        own = np.flatnonzero(depth == level)
        place, content = spread(begin[own], end[own] - begin[own])
        weights[content] = g[own][place]
    return weights


def _nesting(begin: Int32s, end: Int32s) -> NDArray[np.intp]:
    """Return the nesting depth of each range, in document order: ranges begun before it less ranges ended."""
    # Ranges are nested or disjoint, so those begun and not ended are the ones around.
    ended = np.searchsorted(np.sort(end), begin, side="right")
    return np.arange(begin.size) - ended
