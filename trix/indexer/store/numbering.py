"""From the numbers of a segment to those of the index, which counts only what lives, and back.

Documents are deleted whole, so what lives of a segment is a row of runs of its numbers, of its documents as of its
elements and its content elements. In the index the runs of all segments stand one after another: the numbers are those
of an index that was built at once from the live documents, and everything that is computed from numbers is the same.
"""

from __future__ import annotations

import numpy as np
from pyroaring import BitMap

from trix.support.arrays import Int64s, Ints, Mask

Runs = Int64s
"""Rows of first and end."""


def ragged(starts: Ints, counts: Ints) -> Ints:
    """Return start, start + 1, .. for each start and count, one after another.

    >>> ragged(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if ends.size else 0
    found: Ints = np.arange(total) + np.repeat(starts - (ends - counts), counts)
    return found


def among(numbers: Ints, others: Ints) -> Mask:
    """Tell of each number whether it is in an ascending array.

    >>> among(np.array([1, 5, 9]), np.array([0, 5])).tolist()
    [False, True, False]
    """
    if not others.size:
        return np.zeros(numbers.size, np.bool_)
    found: Mask = others[np.minimum(np.searchsorted(others, numbers), others.size - 1)] == numbers
    return found


def live_runs(documents: int, deleted: BitMap) -> Runs:
    """Return the runs of the documents that are not deleted.

    >>> live_runs(6, BitMap([0, 3])).tolist(), live_runs(2, BitMap([0, 1])).tolist()
    ([[1, 3], [4, 6]], [])
    """
    gone = np.array([-1, *deleted, documents], np.int64)
    runs = np.stack([gone[:-1] + 1, gone[1:]], axis=1)
    return runs[runs[:, 0] < runs[:, 1]]


class Numbering:
    """Numbers of one kind: documents, elements or content elements.

    Parameters
    ----------
    runs : (n_runs, 2) ndarray
        What lives, in numbers of the segment.
    first
        The number in the index of the first that lives.

    Attributes
    ----------
    first, size
        Where they begin in the index, and how many live.

    Examples
    --------
    >>> of = Numbering(np.array([[0, 2], [5, 8]]), 100)
    >>> of.kept(np.array([1, 3, 5, 7])), of.size
    ((array([0, 2, 3]), array([101, 102, 104])), 5)
    >>> of.back(np.array([104, 100])).tolist()
    [7, 0]
    """

    def __init__(self, runs: Runs, first: int) -> None:
        self.runs, self.first = runs, first
        sizes = runs[:, 1] - runs[:, 0]
        self._begins = first + np.cumsum(sizes) - sizes
        self._shifts = self._begins - runs[:, 0]
        self.size = int(sizes.sum())

    def kept(self, numbers: Ints) -> tuple[Ints | slice, Ints]:
        """Return which of some ascending numbers of the segment live, and their numbers in the index."""
        if len(self.runs) == 1 and self.covers(numbers):
            return slice(None), numbers + numbers.dtype.type(self._shifts[0])
        cuts = np.searchsorted(numbers, self.runs)
        sizes = cuts[:, 1] - cuts[:, 0]
        places = ragged(cuts[:, 0], sizes)
        return places, numbers[places] + np.repeat(self._shifts, sizes).astype(numbers.dtype)

    def any_order(self, numbers: Ints) -> tuple[Ints, Mask]:
        """Return the numbers in the index of some numbers of the segment in any order, and which of them live."""
        run = np.searchsorted(self.runs[:, 0], numbers, side="right") - 1
        alive: Mask = (run >= 0) & (numbers < self.runs[run, 1])
        return numbers + self._shifts[run], alive

    def covers(self, numbers: Ints) -> bool:
        """Whether all of some ascending numbers are in the first run."""
        begin, end = self.runs[0]
        return not numbers.size or bool(begin <= numbers[0] and numbers[-1] < end)

    def alive(self) -> list[int]:
        """Return the numbers in the segment of all that lives."""
        return [number for begin, end in self.runs.tolist() for number in range(begin, end)]

    def back(self, numbers: Ints) -> Ints:
        """Return the numbers in the segment of some numbers of the index, in any order."""
        found: Ints = numbers - self._shifts[np.searchsorted(self._begins, numbers, side="right") - 1]
        return found

    def bitmap(self, numbers: BitMap) -> BitMap:
        """Return the numbers in the index of those of a set that live."""
        if len(self.runs) == 1 and (not numbers or self.runs[0, 0] <= numbers.min() <= numbers.max() < self.runs[0, 1]):
            return numbers.shift(int(self._shifts[0]))
        return BitMap(self.kept(np.array(numbers, np.int64))[1].astype(np.uint32))


def cut(values: Ints, runs: Runs) -> Ints:
    """Return some runs of a column, one after another.

    >>> cut(np.arange(9), np.array([[1, 3], [7, 8]])).tolist()
    [1, 2, 7]
    """
    return np.concatenate([values[:0], *(values[begin:end] for begin, end in runs.tolist())])
