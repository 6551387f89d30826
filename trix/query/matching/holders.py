"""Which words of a query are held where: a bit for each word, so that all are asked for at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.elements import distinct
from trix.query.matching.matching import TermList
from trix.support.arrays import Floats, Ints
from trix.support.backend import use_numba

Masks = NDArray[np.uint64]

WORDS = 64
"""So many words have a bit each."""


class Holders(NamedTuple):
    """The content elements that hold words.

    Attributes
    ----------
    content_numbers
        Ascending.
    masks
        Which words each holds: bit w for the w-th.
    """

    content_numbers: Ints
    masks: Masks

    def within(self, begin: Ints, end: Ints) -> Masks:
        """Return what ranges of content elements hold, ``(n,)``; it is quick where they begin in ascending order."""
        if use_numba():
            from trix.query.matching.holders_loops import within

            found: Masks = within(self.content_numbers, self.masks, begin, end)
            return found
        low, high = np.searchsorted(self.content_numbers, begin), np.searchsorted(self.content_numbers, end)
        return _reduced(np.bitwise_or, self.masks, low, high)

    def by_range(self, begin: Ints, end: Ints) -> tuple[Ints, Masks]:
        """Return those of many ranges, ascending and apart, that hold anything, and what they hold."""
        if use_numba():
            from trix.query.matching.holders_loops import by_range

            found: tuple[Ints, Masks] = by_range(self.content_numbers, self.masks, begin, end)
            return found
        place = np.searchsorted(begin, self.content_numbers, side="right") - 1
        inside = place >= 0
        inside[inside] = self.content_numbers[inside] < end[place[inside]]
        place, masks = place[inside], self.masks[inside]
        first = np.flatnonzero(np.diff(place, prepend=-1))
        return place[first], np.bitwise_or.reduceat(masks, first) if first.size else masks


def holders(lists: Sequence[TermList]) -> Holders:
    """Return the content elements that hold any of some words, `WORDS` at the most."""
    contents = [np.zeros(0, np.int32), *(each.content_numbers for each in lists)]
    together = np.concatenate(contents)
    if use_numba():
        from trix.query.matching.holders_loops import merged

        return Holders(*merged(together, np.cumsum([0, *(each.m for each in lists)])))
    numbers = distinct(together)
    masks = np.zeros(numbers.size, np.uint64)
    for word, each in enumerate(lists):
        masks[np.searchsorted(numbers, each.content_numbers)] |= np.uint64(1) << np.uint64(word)
    return Holders(numbers, masks)


def add_weights(sums: Floats, masks: Masks, weights: Floats) -> Floats:
    """Return sums to which the weights of the words that are held were added, in the order of the words."""
    if use_numba():
        from trix.query.matching.holders_loops import add_weights as compiled

        added: Floats = compiled(sums, masks, weights)
        return added
    sums = sums.copy()
    for word, weight in enumerate(weights.tolist()):
        sums[(masks >> np.uint64(word)) & np.uint64(1) == 1] += weight
    return sums


def largest_within(contents: Ints, values: Floats, begin: Ints, end: Ints) -> Floats:
    """Return the largest value in each range of content elements, 0 where none has one."""
    if use_numba():
        from trix.query.matching.holders_loops import largest_within as compiled

        largest: Floats = compiled(contents, values, begin, end)
        return largest
    return _reduced(np.maximum, values, np.searchsorted(contents, begin), np.searchsorted(contents, end))


def _reduced(how: np.ufunc, values: Ints, low: Ints, high: Ints) -> Ints:
    """Return what the values of each range come to, 0 where a range is empty."""
    nothing = values.dtype.type(0)
    if not low.size:
        return values[:0]
    found = how.reduceat(np.append(values, nothing), np.stack([low, high], 1).reshape(-1))[::2]
    return np.where(low < high, found, nothing)
