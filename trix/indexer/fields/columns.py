"""Columnar storage of document fields (doc values).

A field has four streams, compressed like the columns of a block: number of values per document; the values of all
documents, as numbers; the length in bytes of each distinct value; the bytes of all distinct values. Values are numbered
by their UTF-8 bytes, so columns depend on the documents alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from trix.errors import IndexError_
from trix.indexer.store.elements import pack, unpack
from trix.indexer.store.segment import Segment
from trix.support.arrays import Ints

if TYPE_CHECKING:
    from trix.indexer.fields.reading import DocumentFields

Spans = dict[str, list[tuple[int, int, str]]]

SECTION = "fields"


class ValueColumn(NamedTuple):
    """Values of one field in a segment.

    Attributes
    ----------
    values
        Distinct values, sorted by their bytes.
    counts
        Number of values per entry, that is, per document.
    numbers
        Values of all entries, as indices into `values`.
    """

    values: list[str]
    counts: Ints
    numbers: Ints


class ColumnWriter:
    """Collects the values of one field."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._counts, self._numbers = array("I"), array("I")

    def add(self, values: Iterable[str]) -> None:
        """Append the values of the next entry."""
        before, known = len(self._numbers), self._known
        self._numbers.extend([known.setdefault(value, len(known)) for value in values])
        self._counts.append(len(self._numbers) - before)

    def streams(self) -> tuple[Ints, ...]:
        """Return the four streams."""
        raw = [value.encode("utf-8", "surrogateescape") for value in self._known]
        order = sorted(range(len(raw)), key=raw.__getitem__)
        places = np.zeros(len(raw), np.int64)
        places[order] = np.arange(len(raw))
        return (
            np.array(self._counts, np.int64),
            places[np.array(self._numbers, np.int64)],
            np.array([len(raw[number]) for number in order], np.int64),
            np.frombuffer(b"".join(raw[number] for number in order), np.uint8),
        )


class ColumnsWriter:
    """Collects the fields of documents.

    Parameters
    ----------
    names
        Names of the fields.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._columns = {name: ColumnWriter() for name in names}

    def __bool__(self) -> bool:
        return bool(self._columns)

    def add(self, documents: Iterable[DocumentFields]) -> None:
        """Append the fields of the next documents."""
        for document in documents:
            for column, values in zip(self._columns.values(), document, strict=True):
                column.add(values)

    def write(self, file: BinaryIO) -> Spans:
        """Write all columns; return the range of each stream."""
        return {name: write_streams(file, column.streams()) for name, column in self._columns.items()}


def write_streams(file: BinaryIO, streams: Iterable[Ints]) -> list[tuple[int, int, str]]:
    """Write streams one after another; return the range of each."""
    spans = []
    for stream in streams:
        data, dtype = pack(stream)
        spans.append((file.tell(), file.tell() + len(data), dtype))
        file.write(data)
    return spans


def read_column(segment: Segment, name: str) -> ValueColumn:
    """Read a column of a segment.

    Raises
    ------
    IndexError_
        The segment lacks the column, or the column is damaged.
    """
    spans: Mapping[str, Any] = segment.facts.get(SECTION, {})
    if name not in spans:
        raise IndexError_(f"{segment.sections.path}: the index lacks the field {name}; rebuild it")
    column = column_of([*streams_of(segment, SECTION, spans[name])])
    if column is None or column.counts.size != len(segment):
        raise IndexError_(f"{segment.sections.path}: the fields of the documents are damaged")
    return column


def streams_of(segment: Segment, section: str, spans: Iterable[tuple[int, int, str]]) -> Iterator[Ints]:
    """Yield the streams at some ranges of a section."""
    data = segment.sections.section(section)
    return (unpack(data[begin:end], dtype) for begin, end, dtype in spans)


def column_of(streams: Sequence[Ints]) -> ValueColumn | None:
    """Build a column from four streams; None if they are inconsistent."""
    counts, numbers, sizes, raw = streams
    ends = np.cumsum(sizes, dtype=np.int64).tolist()
    damaged = (
        int(counts.sum(dtype=np.int64)) != numbers.size
        or (numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) < len(ends))
        or (ends[-1] if ends else 0) != raw.size
    )
    if damaged:
        return None
    data = raw.tobytes()
    values = [data[a:b].decode("utf-8", "surrogateescape") for a, b in zip([0, *ends], ends, strict=False)]
    return ValueColumn(values, counts.astype(np.int64), numbers.astype(np.int64))


class SegmentFields:
    """Field values of a segment's documents, for merges.

    Parameters
    ----------
    segment
        Segment to read.
    names
        Fields of its profile.
    """

    def __init__(self, segment: Segment, names: Iterable[str]) -> None:
        self._columns = [read_column(segment, name) for name in names]
        self._ends = [np.concatenate(([0], np.cumsum(column.counts))) for column in self._columns]

    def of(self, begin: int, end: int) -> list[DocumentFields]:
        """Return the values of the documents ``[begin, end)``."""
        columns = []
        for column, ends in zip(self._columns, self._ends, strict=True):
            own = (ends[begin : end + 1] - ends[begin]).tolist()
            values = [column.values[number] for number in column.numbers[ends[begin] : ends[end]].tolist()]
            columns.append([tuple(values[a:b]) for a, b in pairwise(own)])
        return list(zip(*columns, strict=True)) if columns else [()] * (end - begin)
