"""What the elements of a segment say in fields of elements: written, read, and taken apart for a merger.

A field is a column whose entries are runs of elements that say the same, see `trix.indexer.fields.columns`. A fifth
stream tells where each run begins. A run begins at the first element of each document, so that no run has elements of
two, and the columns depend on the documents alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from trix.errors import IndexError_
from trix.indexer.document.record import Said
from trix.indexer.fields.columns import Column, ColumnWriter, Spans, column_of, streams_of, write_streams
from trix.indexer.store.segment import Segment
from trix.support.arrays import Ints

SECTION = "said"

_NOTHING = Column([], np.zeros(0, np.int64), np.zeros(0, np.int64))


class Runs(NamedTuple):
    """What the elements of a segment say in one field.

    Attributes
    ----------
    firsts
        The element at which each run begins, ascending.
    column
        The values of each.
    """

    firsts: Ints
    column: Column


class SaidWriter:
    """Gathers what the elements of documents say as they come."""

    def __init__(self) -> None:
        self._columns: dict[str, tuple[array[int], ColumnWriter]] = {}

    def add(self, first: int, said: Mapping[str, Said]) -> None:
        """Take what the elements of the next document say, whose first element has a number."""
        for name, (places, values) in said.items():
            firsts, column = self._columns.setdefault(name, (array("q"), ColumnWriter()))
            firsts.extend((places + first).tolist())
            for each in values:
                column.add(each)

    def write(self, file: BinaryIO) -> Spans:
        """Write all columns; return where each of their streams lies."""
        spans: Spans = {}
        for name, (firsts, column) in sorted(self._columns.items()):
            spans[name] = write_streams(file, [*column.streams(), np.diff(np.array(firsts, np.int64), prepend=0)])
        return spans

    def __bool__(self) -> bool:
        return bool(self._columns)


def said_names(segment: Segment) -> list[str]:
    """Return the names under which elements of a segment say something."""
    return [*segment.facts.get(SECTION, ())]


def read_said(segment: Segment, name: str) -> Runs:
    """Return what the elements of a segment say under a name; nothing where none does.

    Raises
    ------
    IndexError_
        The column is damaged.
    """
    held: Mapping[str, Any] = segment.facts.get(SECTION, {})
    if name not in held:
        return Runs(np.zeros(0, np.int64), _NOTHING)
    *streams, steps = streams_of(segment, SECTION, held[name])
    column, firsts = column_of(streams), np.cumsum(steps, dtype=np.int64)
    if (
        column is None
        or firsts.size != column.counts.size
        or (firsts.size and not 0 <= firsts[0] <= firsts[-1] < segment.totals["elements"])
        or (np.diff(firsts) <= 0).any()
    ):
        raise IndexError_(f"{segment.sections.path}: the fields of elements are damaged")
    return Runs(firsts, column)


class SegmentSaid:
    """What the elements of a segment say, for a merger; made of some documents at a time.

    Parameters
    ----------
    segment
        The segment.
    """

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._runs = {name: read_said(segment, name) for name in said_names(segment)}
        self._ends = {name: np.append(0, np.cumsum(runs.column.counts)) for name, runs in self._runs.items()}

    def of(self, documents: Iterable[int]) -> list[dict[str, Said]]:
        """Return what the elements of some documents say, counted from the first of each."""
        firsts, ends = self._segment.first_elements, self._segment.ends(0)
        return [self._of(int(firsts[each]), int(ends[each])) for each in documents]

    def _of(self, first: int, end: int) -> dict[str, Said]:
        found: dict[str, Said] = {}
        for name, (begins, column) in self._runs.items():
            low, high = np.searchsorted(begins, [first, end]).tolist()
            if low == high:
                continue
            cuts = self._ends[name][low : high + 1].tolist()
            values = [column.values[number] for number in column.numbers[cuts[0] : cuts[-1]].tolist()]
            found[name] = Said(
                begins[low:high] - first, [tuple(values[a - cuts[0] : b - cuts[0]]) for a, b in pairwise(cuts)]
            )
        return found
