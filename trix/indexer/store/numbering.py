"""Renumbering between a segment and the index, which counts only live documents.

Whole documents are deleted, so the live part of a segment is a list of runs: of documents, elements and content
elements. The index concatenates the runs of all segments. Its numbers equal those of an index built at once from the
live documents, and so do all results computed from them.
"""

from __future__ import annotations

import numpy as np
from pyroaring import BitMap

from trix.support.arrays import Int64s, Ints, Mask

Runs = Int64s
"""Rows of (first, end)."""


def ragged(starts: Ints, counts: Ints) -> Ints:
    """Concatenate the ranges start, start + 1, .. of each start and count.

    >>> ragged(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    # Position in the output, plus the offset of its range.
    ends = np.cumsum(counts)
    total = int(ends[-1]) if ends.size else 0
    found: Ints = np.arange(total) + np.repeat(starts - (ends - counts), counts)
    return found


def among(numbers: Ints, others: Ints) -> Mask:
    """Flag the numbers that are in an ascending array.

    >>> among(np.array([1, 5, 9]), np.array([0, 5])).tolist()
    [False, True, False]
    """
    if not others.size:
        return np.zeros(numbers.size, np.bool_)
    found: Mask = others[np.minimum(np.searchsorted(others, numbers), others.size - 1)] == numbers
    return found


def live_runs(documents: int, deleted: BitMap) -> Runs:
    """Return the runs of documents that are not deleted.

    >>> live_runs(6, BitMap([0, 3])).tolist(), live_runs(2, BitMap([0, 1])).tolist()
    ([[1, 3], [4, 6]], [])
    """
    # Live runs lie between neighbouring deleted numbers.
    gone = np.array([-1, *deleted, documents], np.int64)
    runs = np.stack([gone[:-1] + 1, gone[1:]], axis=1)
    return runs[runs[:, 0] < runs[:, 1]]


class LiveNumbering:
    """Numbering of one kind: documents, elements or content elements.

    Parameters
    ----------
    runs : (n_runs, 2) ndarray
        ``(n_runs, 2)`` live runs, in numbers of the segment.
    first
        Number in the index of the first live one.

    Attributes
    ----------
    first, size
        First number in the index, and how many are live.

    Examples
    --------
    >>> of = LiveNumbering(np.array([[0, 2], [5, 8]]), 100)
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
        """Select the live ones of ascending segment numbers; return their indices, and their numbers in the index."""
        # Fast path without deletions: a constant shift.
        if len(self.runs) == 1 and self.covers(numbers):
            return slice(None), numbers + numbers.dtype.type(self._shifts[0])
        # Ascending numbers: each run selects a contiguous range of them.
        cuts = np.searchsorted(numbers, self.runs)
        sizes = cuts[:, 1] - cuts[:, 0]
        places = ragged(cuts[:, 0], sizes)
        return places, numbers[places] + np.repeat(self._shifts, sizes).astype(numbers.dtype)

    def any_order(self, numbers: Ints) -> tuple[Ints, Mask]:
        """Return the index numbers of segment numbers in any order, and a flag for those that are live."""
        # The last run that begins at or before the number. Deleted numbers get some number, too; the flag tells them.
        run = np.searchsorted(self.runs[:, 0], numbers, side="right") - 1
        alive: Mask = (run >= 0) & (numbers < self.runs[run, 1])
        return numbers + self._shifts[run], alive

    def covers(self, numbers: Ints) -> bool:
        """Whether all ascending numbers are in the first run."""
        begin, end = self.runs[0]
        return not numbers.size or bool(begin <= numbers[0] and numbers[-1] < end)

    def alive(self) -> list[int]:
        """Return the live numbers of the segment."""
        return [number for begin, end in self.runs.tolist() for number in range(begin, end)]

    def back(self, numbers: Ints) -> Ints:
        """Return the segment numbers of index numbers, in any order."""
        # Index numbers have no gaps: the last run that begins there holds the number.
        found: Ints = numbers - self._shifts[np.searchsorted(self._begins, numbers, side="right") - 1]
        return found

    def bitmap(self, numbers: BitMap) -> BitMap:
        """Renumber the live members of a set."""
        # Inside of one run all members move by the same distance, which bitmaps do without a list of numbers.
        if len(self.runs) == 1 and (not numbers or self.runs[0, 0] <= numbers.min() <= numbers.max() < self.runs[0, 1]):
            return numbers.shift(int(self._shifts[0]))
        return BitMap(self.kept(np.array(numbers, np.int64))[1].astype(np.uint32))


def cut(values: Ints, runs: Runs) -> Ints:
    """Concatenate some runs of a column.

    >>> cut(np.arange(9), np.array([[1, 3], [7, 8]])).tolist()
    [1, 2, 7]
    """
    return np.concatenate([values[:0], *(values[begin:end] for begin, end in runs.tolist())])
