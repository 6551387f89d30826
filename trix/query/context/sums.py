"""Compensated running sums within documents, from the front and from the back.

Two elements with the same context must get the same score, whatever the order of the terms. So each running sum
carries its rounding error, and only the last addition rounds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trix.support.arrays import Floats, Ints


class DocumentSums:
    """Sums over a document's values without a range of indices.

    Parameters
    ----------
    values
        ``(m,)`` values, document by document.
    document
        ``(m,)`` ascending number of each value's document.

    Examples
    --------
    >>> sums = DocumentSums(np.array([1.0, 2.0, 4.0, 8.0]), np.array([0, 0, 0, 1]))
    >>> sums.outside(np.array([0, 1, 3]), np.array([0, 2, 4]), np.array([0, 0, 1])).tolist()
    [7.0, 5.0, 0.0]
    """

    def __init__(self, values: Floats, document: Ints) -> None:
        self._document = document
        self._front = running_sums(values, document)
        self._back = tuple(part[::-1] for part in running_sums(values[::-1], document[::-1]))

    def outside(self, low: Ints, high: Ints, own: Ints) -> Floats:
        """Return the sums of whole documents without the indices [low, high).

        Parameters
        ----------
        low, high
            ``(n,)`` indices into the values, 0 to m, low <= high.
        own
            ``(n,)`` number of the summed document.

        Returns
        -------
        ndarray
            ``(n,)`` sums.
        """
        if not len(self._document) or not len(low):
            return np.zeros(len(low))
        # Neighbours without a value between them leave out the same places: one sum serves them all.
        new = (low[1:] != low[:-1]) | (high[1:] != high[:-1]) | (own[1:] != own[:-1])
        first = np.concatenate(([0], np.flatnonzero(new) + 1))
        sums = self._outside(low[first], high[first], own[first])
        return np.repeat(sums, np.diff(first, append=len(low)))

    def _outside(self, low: Ints, high: Ints, own: Ints) -> Floats:
        m = len(self._document)
        before, behind = np.maximum(low - 1, 0), np.minimum(high, m - 1)
        front = (low > 0) & (self._document[before] == own)
        back = (high < m) & (self._document[behind] == own)
        # What lies before the range, from the front, and what lies after it, from the back: nothing is subtracted, so
        # nothing cancels.
        a, lost_a = (np.where(front, part[before], 0.0) for part in self._front)
        b, lost_b = (np.where(back, part[behind], 0.0) for part in self._back)
        total = a + b
        return np.asarray(total + (_lost(a, b, total) + (lost_a + lost_b)), dtype=np.float64)


def window_sums(values: Floats, group: Ints, windows: Sequence[Ints]) -> Floats:
    """Return, for each of n pairs of windows, the sum of the values in both.

    Parameters
    ----------
    values
        ``(m,)`` values, group by group.
    group
        ``(m,)`` number of each value's group; those of a group are neighbours.
    windows
        Four arrays ``(n,)`` of places: [a, b) and [c, d), each within one group or empty.

    Examples
    --------
    >>> windows = [np.array([0, 0]), np.array([1, 0]), np.array([2, 3]), np.array([3, 3])]
    >>> window_sums(np.array([0.5, 2.0, 0.25]), np.zeros(3), windows).tolist()
    [0.75, 0.0]
    """
    if not len(values):
        return np.zeros(len(windows[0]))
    front = running_sums(values, group)
    a, lost_a = _window(front, group, windows[0], windows[1])
    b, lost_b = _window(front, group, windows[2], windows[3])
    total = a + b
    return np.asarray(total + (_lost(a, b, total) + (lost_a + lost_b)), dtype=np.float64)


def _window(front: tuple[Floats, Floats], group: Ints, low: Ints, high: Ints) -> tuple[Floats, Floats]:
    """Return the sums of windows as doubles, and their rounding errors."""
    last, before = np.maximum(high - 1, 0), np.maximum(low - 1, 0)
    some = high > low
    inner = some & (low > 0) & (group[before] == group[last])  # the group began before the window
    (a, lost_a), (b, lost_b) = (
        [np.where(mask, part[at], 0.0) for part in front] for mask, at in ((some, last), (inner, before))
    )
    total = a - b
    return total, _lost(a, -b, total) + (lost_a - lost_b)


def running_sums(values: Floats, group: Ints) -> tuple[Floats, Floats]:
    """Return the running sums within groups of neighbours, as doubles, and their rounding errors.

    Every group begins at zero: the negative of its sum, added in the same order to the same bits, is inserted after
    it.

    >>> high, low = running_sums(np.array([1e16, 1.0, 1.0, 5.0]), np.array([0, 0, 0, 1]))
    >>> high.tolist(), low.tolist()
    ([1e+16, 1e+16, 1e+16, 5.0], [0.0, 1.0, 2.0, 0.0])
    """
    change = np.flatnonzero(np.diff(group)) + 1
    number = np.zeros(len(values), np.intp)
    number[change] = 1
    number = np.cumsum(number)
    places = np.arange(len(values)) + number  # one place is left free after each group but the last
    spaced = np.zeros(len(values) + len(change))
    spaced[places] = values
    free = change + np.arange(len(change))
    # The place that was left free takes the group's sum away again.
    spaced[free] = -np.bincount(number, weights=values)[:-1]
    high = np.cumsum(spaced)
    taken = _lost(np.append(0.0, high[:-1]), spaced, high)
    # Errors are reset in the same way.
    taken[free] = -np.bincount(number, weights=taken[places])[:-1]
    return high[places], np.cumsum(taken)[places]


def _lost(a: Floats, b: Floats, total: Floats) -> Floats:
    """Return a + b - total exactly, with total the rounded a + b [Knuth, two-sum]."""
    other = total - a
    return (a - (total - other)) + (b - other)
