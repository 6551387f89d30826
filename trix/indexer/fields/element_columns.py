"""Storage of element fields, and their split by document for merges.

A field is a column whose entries are runs of elements with equal values (see `trix.indexer.fields.columns`). A fifth
stream has the begin of each run. Each document starts a new run, so runs never cross documents, and columns depend on
the documents alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from trix.errors import IndexError_
from trix.indexer.document.record import FieldRuns
from trix.indexer.fields.columns import ColumnWriter, Spans, ValueColumn, column_of, streams_of, write_streams
from trix.indexer.store.segment import Segment
from trix.support.arrays import Ints

SECTION = "said"

_NOTHING = ValueColumn([], np.zeros(0, np.int64), np.zeros(0, np.int64))


class SegmentFieldRuns(NamedTuple):
    """Values of one element field in a segment.

    Attributes
    ----------
    firsts
        First element of each run, ascending.
    column
        Values of each run.
    """

    firsts: Ints
    column: ValueColumn


class ElementFieldWriter:
    """Collects the element fields of documents."""

    def __init__(self) -> None:
        self._columns: dict[str, tuple[array[int], ColumnWriter]] = {}

    def add(self, first: int, fields: Mapping[str, FieldRuns]) -> None:
        """Append the element fields of the next document; `first` is the number of its first element."""
        for name, (places, values) in fields.items():
            firsts, column = self._columns.setdefault(name, (array("q"), ColumnWriter()))
            firsts.extend((places + first).tolist())
            for each in values:
                column.add(each)

    def write(self, file: BinaryIO) -> Spans:
        """Write all columns; return the range of each stream."""
        spans: Spans = {}
        for name, (firsts, column) in sorted(self._columns.items()):
            spans[name] = write_streams(file, [*column.streams(), np.diff(np.array(firsts, np.int64), prepend=0)])
        return spans

    def __bool__(self) -> bool:
        return bool(self._columns)


def names_of_runs(segment: Segment) -> list[str]:
    """Return the names of a segment's element fields."""
    return [*segment.facts.get(SECTION, ())]


def read_runs(segment: Segment, name: str) -> SegmentFieldRuns:
    """Read an element field of a segment; empty if it lacks the field.

    Raises
    ------
    IndexError_
        The column is damaged.
    """
    spans: Mapping[str, Any] = segment.facts.get(SECTION, {})
    if name not in spans:
        return SegmentFieldRuns(np.zeros(0, np.int64), _NOTHING)
    *streams, steps = streams_of(segment, SECTION, spans[name])
    column, firsts = column_of(streams), np.cumsum(steps, dtype=np.int64)
    if (
        column is None
        or firsts.size != column.counts.size
        or (firsts.size and not 0 <= firsts[0] <= firsts[-1] < segment.totals["elements"])
        or (np.diff(firsts) <= 0).any()
    ):
        raise IndexError_(f"{segment.sections.path}: the fields of elements are damaged")
    return SegmentFieldRuns(firsts, column)


class SegmentElementFields:
    """Element fields of a segment, for merges.

    Parameters
    ----------
    segment
        Segment to read.
    """

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._runs = {name: read_runs(segment, name) for name in names_of_runs(segment)}
        self._ends = {name: np.append(0, np.cumsum(runs.column.counts)) for name, runs in self._runs.items()}

    def of(self, documents: Iterable[int]) -> list[dict[str, FieldRuns]]:
        """Return the element fields of some documents; elements are counted within each."""
        firsts, ends = self._segment.first_elements, self._segment.ends(0)
        return [self._of(int(firsts[each]), int(ends[each])) for each in documents]

    def _of(self, first: int, end: int) -> dict[str, FieldRuns]:
        found: dict[str, FieldRuns] = {}
        for name, (begins, column) in self._runs.items():
            low, high = np.searchsorted(begins, [first, end]).tolist()
            if low == high:
                continue
            cuts = self._ends[name][low : high + 1].tolist()
            values = [column.values[number] for number in column.numbers[cuts[0] : cuts[-1]].tolist()]
            found[name] = FieldRuns(
                begins[low:high] - first, [tuple(values[a - cuts[0] : b - cuts[0]]) for a, b in pairwise(cuts)]
            )
        return found
