"""The fields of a segment's documents as columns: written and read.

Of each field there are four streams, compressed as the columns of a block: how many values each document has; the
values of one document after another, by number; how many bytes each distinct value has; and these bytes. Values are
numbered in the order of their UTF-8 bytes, so that the columns depend on the documents alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
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


class Column(NamedTuple):
    """What the documents of a segment say in one field.

    Attributes
    ----------
    values
        The distinct values, sorted by their bytes.
    counts
        How many values each document has.
    numbers
        The values of one document after another, by their places in `values`.
    """

    values: list[str]
    counts: Ints
    numbers: Ints


class ColumnsWriter:
    """Gathers the fields of documents as they come.

    Parameters
    ----------
    names
        The fields.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._known: dict[str, dict[str, int]] = {name: {} for name in names}
        self._counts = [array("I") for _ in self._known]
        self._numbers = [array("I") for _ in self._known]

    def __bool__(self) -> bool:
        return bool(self._known)

    def add(self, documents: Iterable[DocumentFields]) -> None:
        """Take the fields of the next documents."""
        for document in documents:
            for known, counts, numbers, values in zip(
                self._known.values(), self._counts, self._numbers, document, strict=True
            ):
                counts.append(len(values))
                for value in values:
                    numbers.append(known.setdefault(value, len(known)))

    def write(self, file: BinaryIO) -> Spans:
        """Write all columns; return where each of their streams lies."""
        spans: Spans = {}
        for (name, known), counts, numbers in zip(self._known.items(), self._counts, self._numbers, strict=True):
            raw = [value.encode("utf-8", "surrogateescape") for value in known]
            order = sorted(range(len(raw)), key=raw.__getitem__)
            places = np.zeros(len(raw), np.int64)
            places[order] = np.arange(len(raw))
            streams = (
                np.array(counts, np.int64),
                places[np.array(numbers, np.int64)],
                np.array([len(raw[number]) for number in order], np.int64),
                np.frombuffer(b"".join(raw[number] for number in order), np.uint8),
            )
            spans[name] = []
            for stream in streams:
                data, dtype = pack(stream)
                spans[name].append((file.tell(), file.tell() + len(data), dtype))
                file.write(data)
        return spans


def read_column(segment: Segment, name: str) -> Column:
    """Return a column of a segment.

    Raises
    ------
    IndexError_
        The segment has no such column, or it is damaged.
    """
    held: Mapping[str, Any] = segment.facts.get(SECTION, {})
    if name not in held:
        raise IndexError_(f"{segment.sections.path}: the field {name} is not there; build the index anew")
    section = segment.sections.section(SECTION)
    counts, numbers, sizes, raw = (unpack(section[begin:end], dtype) for begin, end, dtype in held[name])
    ends = np.cumsum(sizes, dtype=np.int64).tolist()
    damaged = (
        counts.size != len(segment)
        or int(counts.sum(dtype=np.int64)) != numbers.size
        or (numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) < len(ends))
        or (ends[-1] if ends else 0) != raw.size
    )
    if damaged:
        raise IndexError_(f"{segment.sections.path}: the fields of the documents are damaged")
    data = raw.tobytes()
    values = [data[a:b].decode("utf-8", "surrogateescape") for a, b in zip([0, *ends], ends, strict=False)]
    return Column(values, counts.astype(np.int64), numbers.astype(np.int64))


class SegmentFields:
    """The values of the documents of a segment, for a merger; made of some documents at a time.

    Parameters
    ----------
    segment
        The segment.
    names
        The fields of its profile.
    """

    def __init__(self, segment: Segment, names: Iterable[str]) -> None:
        self._columns = [read_column(segment, name) for name in names]
        self._ends = [np.concatenate(([0], np.cumsum(column.counts))) for column in self._columns]

    def of(self, begin: int, end: int) -> list[DocumentFields]:
        """Return the values of the documents ``[begin, end)``."""
        said = []
        for column, ends in zip(self._columns, self._ends, strict=True):
            own = (ends[begin : end + 1] - ends[begin]).tolist()
            values = [column.values[number] for number in column.numbers[ends[begin] : ends[end]].tolist()]
            said.append([tuple(values[a:b]) for a, b in pairwise(own)])
        return list(zip(*said, strict=True)) if said else [()] * (end - begin)
