"""Occurrences that count by where they are, before saturation as in BM25F [RETRIEVAL, section 4; Robertson 2004].

A content element has the weight of the nearest of itself and its ancestors that a place selects, 1 where none does.
Only tf changes, and with it kf and cf; xi_k, m and the lengths are those of the text as it stands. Weighted counts are
whole numbers of thousandths: their sums are exact, so that elements with equal counts have equal scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError, did_you_mean
from trix.indexer.store.files import IndexFiles
from trix.query.language.element_weights import UNIT, ElementWeights
from trix.query.matching import joins
from trix.query.matching.joins import spread
from trix.query.matching.matching import TermList
from trix.query.matching.part import content_ranges
from trix.query.structured.levels import Levels
from trix.support.arrays import Int32s
from trix.support.recent import Recent

if TYPE_CHECKING:
    from trix.query.language.path_tree import Path

Places = Sequence[tuple[Int32s, int]]
"""Elements that a place selects, ascending, and its weight in thousandths, in written order."""


class WeightedContent:
    """The weight of every content element of an index.

    Parameters
    ----------
    index
        The index.
    places
        What the places select.
    """

    def __init__(self, index: IndexFiles, places: Places) -> None:
        self._weight = content_weights(index, places)

    def weighted(self, of: TermList) -> TermList:
        """Return a term's list with its occurrences in thousandths."""
        return TermList(of.content_numbers, of.tf.astype(np.int64) * self._weight[of.content_numbers])


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
    # What is selected inside something selected paints over it, so the outermost come first. In document order an
    # element's selected ancestors are those before it whose range holds its own.
    depth = _nesting(begin, end)
    for level in range(int(depth.max(initial=-1)) + 1):
        own = np.flatnonzero(depth == level)
        place, content = spread(begin[own], end[own] - begin[own])
        weights[content] = g[own][place]
    return weights


def _nesting(begin: Int32s, end: Int32s) -> NDArray[np.intp]:
    """Return how many ranges, in document order, hold each one: all that began before it less those that have ended."""
    ended = np.searchsorted(np.sort(end), begin, side="right")
    return np.arange(begin.size) - ended


class WeightedPlaces:
    """Finds the places of one index.

    Parameters
    ----------
    index
        The files of the index.
    levels
        Its levels, which know what a path selects.
    """

    def __init__(self, index: IndexFiles, levels: Levels) -> None:
        self._index, self._levels = index, levels
        self._content: Recent[ElementWeights, WeightedContent] = Recent(self._content_of, 4)

    def content(self, weights: ElementWeights) -> WeightedContent:
        """Return what occurrences count for in each content element.

        Raises
        ------
        UsageError
            The places are those of the profile, and it names none.
        """
        return self._content(weights)

    def notices(self, weights: ElementWeights) -> tuple[str, ...]:
        """Return which places select nothing, one line each.

        Raises
        ------
        UsageError
            See `content`.
        """
        empty = [str(place) for place, _ in self._resolved(weights).places if not self._selected(place).size]
        return tuple(f"weights: no element is at {each}{did_you_mean(each, self._index.tags)}" for each in empty)

    def _resolved(self, weights: ElementWeights) -> ElementWeights:
        """Return weights with places, which the profile may name."""
        if weights.places:
            return weights
        profile = self._index.profile
        if not profile.weights:
            why = f"the profile {profile.name} of the index has no weights; expected places, as title=3"
            raise UsageError(why, field="weights", got=weights)
        return ElementWeights.of_table(profile.weights)

    def _selected(self, place: str | Path) -> NDArray[np.int32]:
        if not isinstance(place, str):
            return self._levels.selected(place)
        return joins.numbers(joins.passing(self._index, place))

    def _content_of(self, weights: ElementWeights) -> WeightedContent:
        places = [(self._selected(place), weight) for place, weight in self._resolved(weights).places]
        return WeightedContent(self._index, places)
