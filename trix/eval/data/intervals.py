"""Set arithmetic on character positions, stored as intervals.

A set of positions is an ``(n, 2)`` int64 array of half-open intervals ``[start, end)``. A *disjoint* array is sorted by
start, and its intervals are not empty and do not touch. `merge` makes any array disjoint. The cost is that of a sort of
the intervals and does not depend on their lengths.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Intervals = NDArray[np.int64]

EMPTY: Intervals = np.empty((0, 2), np.int64)
EMPTY.flags.writeable = False
FEW = 12
"""Largest number of intervals for which plain Python is faster than an array operation."""


def as_intervals(pairs: Iterable[tuple[int, int]] | ArrayLike) -> Intervals:
    """Return (start, end) pairs as an ``(n, 2)`` array, in the order given.

    >>> as_intervals([(4, 9), (1, 2)]).tolist()
    [[4, 9], [1, 2]]
    >>> as_intervals([]).shape
    (0, 2)
    """
    array = pairs if isinstance(pairs, np.ndarray) else list(pairs)  # type: ignore[arg-type]
    return np.asarray(array, np.int64).reshape(-1, 2) if len(array) else EMPTY


def merge(intervals: Intervals) -> Intervals:
    """Return the union as disjoint intervals; empty intervals are dropped, touching ones are joined.

    >>> merge(as_intervals([(5, 9), (1, 3), (3, 4), (7, 8), (6, 6)])).tolist()
    [[1, 4], [5, 9]]
    """
    if len(intervals) <= FEW and _disjoint(intervals.tolist()):
        return intervals
    intervals = intervals[intervals[:, 1] > intervals[:, 0]]
    if len(intervals) < 2:
        return intervals
    intervals = intervals[np.argsort(intervals[:, 0], kind="stable")]
    reach = np.maximum.accumulate(intervals[:, 1])
    first = np.concatenate(([True], intervals[1:, 0] > reach[:-1]))
    last = np.concatenate((first[1:], [True]))
    return np.column_stack((intervals[first, 0], reach[last]))


def _disjoint(pairs: list[list[int]]) -> bool:
    reach = None
    for start, end in pairs:
        if start >= end or (reach is not None and start <= reach):
            return False
        reach = end
    return True


def length(disjoint: Intervals) -> int:
    """Return the number of positions.

    >>> length(as_intervals([(1, 4), (5, 9)]))
    7
    """
    if len(disjoint) <= FEW:
        return sum([end - start for start, end in disjoint.tolist()])
    return int((disjoint[:, 1] - disjoint[:, 0]).sum())


def covered_before(disjoint: Intervals, positions: ArrayLike) -> NDArray[np.int64]:
    """Return the number of positions of the set before each given position.

    >>> covered_before(as_intervals([(1, 4), (5, 9)]), [0, 2, 4, 5, 6, 100]).tolist()
    [0, 1, 3, 3, 4, 7]
    """
    positions = np.asarray(positions, np.int64)
    if not len(disjoint):
        return np.zeros(positions.shape, np.int64)
    starts, ends = disjoint[:, 0], disjoint[:, 1]
    before = np.concatenate(([0], np.cumsum(ends - starts)))
    # Count all intervals that start at or before a position, then subtract the rest of the last one.
    place = np.searchsorted(starts, positions, side="right")
    inside = np.where(place > 0, ends[place - 1] - np.minimum(ends[place - 1], positions), 0)
    return before[place] - inside


def covered(disjoint: Intervals, spans: Intervals) -> NDArray[np.int64]:
    """Return the number of positions of the set within each span.

    >>> covered(as_intervals([(1, 4), (5, 9)]), as_intervals([(0, 6), (3, 3), (8, 20)])).tolist()
    [4, 0, 1]
    """
    return covered_before(disjoint, spans[:, 1]) - covered_before(disjoint, spans[:, 0])


def repeated(intervals: Intervals) -> Intervals:
    """Return the parts of intervals that an earlier interval already covers; the result may overlap itself.

    A position in k intervals is in k - 1 intervals of the result.

    >>> repeated(as_intervals([(0, 5), (3, 9), (4, 6), (20, 30)])).tolist()
    [[3, 5], [4, 6]]
    """
    reach, found = 0, []
    for start, end in sorted(intervals.tolist()):
        if start < min(end, reach):
            found.append((start, min(end, reach)))
        reach = max(reach, end)
    return as_intervals(found)


def total_overlap(intervals: Intervals, spans: Intervals) -> NDArray[np.int64]:
    """Return the summed overlap of all intervals with each span; a position in two intervals counts twice.

    >>> total_overlap(as_intervals([(1, 4), (2, 9)]), as_intervals([(0, 6), (3, 3), (8, 20)])).tolist()
    [7, 0, 1]
    """
    low = np.maximum(spans[:, :1], intervals[:, 0])
    high = np.minimum(spans[:, 1:], intervals[:, 1])
    found: NDArray[np.int64] = np.maximum(high - low, 0).sum(axis=1)
    return found


def clip(intervals: Intervals, end: int) -> Intervals:
    """Cut intervals off at ``end``; those that become empty are dropped.

    >>> clip(as_intervals([(1, 4), (5, 9), (12, 13)]), 7).tolist()
    [[1, 4], [5, 7]]
    """
    kept = intervals[intervals[:, 0] < end]
    return np.column_stack((kept[:, 0], np.minimum(kept[:, 1], end)))


def any_overlap(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> bool:
    """Return whether any two spans overlap. Empty spans overlap nothing.

    >>> any_overlap(np.array([0, 20, 5]), np.array([10, 30, 6])), any_overlap(np.array([0, 5]), np.array([5, 5]))
    (True, False)
    """
    rows = np.flatnonzero(ends > starts)
    order = rows[np.argsort(starts[rows], kind="stable")]
    return bool((starts[order[1:]] < np.maximum.accumulate(ends[order])[:-1]).any())
