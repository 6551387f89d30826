"""The texts that structured queries compare, kept in the index so that no source is opened [RETRIEVAL, section 7].

A document's text is a row of *segments*: what is before its first content element, the first content element, what is
between it and the second, and so on. Their lengths follow from the element table, so a segment of at most `SHORT`
characters is kept as its characters alone. Of a longer one are kept the white space at its edges as two numbers, and
what is between them: its characters if these are at most `SHORT`, else a checksum, which tells whether it is equal to
a given text. The text of any element is a run of segments.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trix.errors import IndexError_
from trix.indexer.columns import Block, Elements, unpack

if TYPE_CHECKING:
    from trix.indexer.index import IndexFiles

SHORT = 32
"""Characters that are kept of a segment."""

_KEPT = 256
"""Blocks kept decoded, some 200 kB each."""

STREAMS = ("short", "padded", "edges", "sums")
"""Short segments; long ones that are short without their edges; edges of long ones; checksums of the others."""

Ints = NDArray[Any]


def encode_values(text: str, start: Ints, length: Ints) -> dict[str, Ints]:
    """Return the streams of one document.

    Parameters
    ----------
    text
        The document's.
    start, length
        Characters of the content elements.
    """
    if not start.size:
        return {}
    borders = np.zeros(2 * start.size + 2, np.int64)
    borders[1:-1:2], borders[2:-1:2], borders[-1] = start, start + length, len(text)
    long = np.flatnonzero(np.diff(borders) > SHORT)
    short, padded, edges, sums = list[str](), list[str](), list[int](), list[int]()
    last = 0
    for begin, end in zip(borders[long].tolist(), borders[long + 1].tolist(), strict=True):
        short.append(text[last:begin])  # short segments, one behind the other
        last = end
        segment = text[begin:end]
        inner = segment.strip()
        lead = 0 if len(inner) == len(segment) else len(segment) - len(segment.lstrip())
        edges += (lead, len(segment) - lead - len(inner))
        if len(inner) <= SHORT:
            padded.append(inner)
        else:
            sums.append(checksum(inner))
    short.append(text[last:])
    return {
        "short": _bytes("".join(short)),
        "padded": _bytes("".join(padded)),
        "edges": np.array(edges, np.int64),
        "sums": np.array(sums, np.int64),
    }


def gather_values(documents: list[dict[str, Ints]]) -> dict[str, Ints]:
    """Return the streams of a block from those of its documents."""
    nothing = np.zeros(0, np.uint8)
    return {name: np.concatenate([nothing, *(of[name] for of in documents if of)]) for name in STREAMS}


def checksum(text: str) -> int:
    """Return what tells long texts apart."""
    return zlib.crc32(text.encode("utf-8", "surrogateescape"))


def _bytes(text: str) -> Ints:
    return np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8)


@dataclass(frozen=True)
class Opaque:
    """A text that is not known whole: strings, numbers of white space characters, (length, checksum) of long parts."""

    parts: tuple[str | int | tuple[int, int], ...] = field(default=())

    def equals(self, wanted: str) -> bool:
        """Tell whether the text is equal to another, as far as can be told.

        >>> opaque = Opaque(("ab", 2, (3, checksum("xyz"))))
        >>> opaque.equals("ab  xyz"), opaque.equals("ab--xyz"), opaque.equals("ab  xy"), opaque.equals("ab  xyy")
        (True, False, False, False)
        """
        at = 0
        for part in self.parts:
            size = len(part) if isinstance(part, str) else part if isinstance(part, int) else part[0]
            there = wanted[at : at + size]
            at += size
            if len(there) < size:
                return False
            if isinstance(part, str):
                same = there == part
            elif isinstance(part, int):
                same = there.isspace()
            else:
                same = checksum(there) == part[1]
            if not same:
                return False
        return at == len(wanted)


Value = str | Opaque


def trimmed(parts: list[str | int | tuple[int, int]]) -> Value:
    """Return a text of parts without the white space at its ends.

    >>> trimmed([3, " 12", "", "34\\n", 1]), trimmed(["a", 1, "b"]), trimmed([2, " "])
    ('1234', Opaque(parts=('a', 1, 'b')), '')
    """
    kept = [part for part in parts if part]
    for end, strip in ((0, str.lstrip), (-1, str.rstrip)):
        while kept and not isinstance(kept[end], tuple):
            part = kept[end]
            bare = strip(part) if isinstance(part, str) else ""
            if bare:
                kept[end] = bare
                break
            del kept[end]
    if all(isinstance(part, str) for part in kept):
        return "".join(map(str, kept))
    return Opaque(tuple(kept))


class Values:
    """Gives the trimmed texts of elements back.

    Parameters
    ----------
    index
        The index whose elements are asked for.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index = index
        self._blocks: dict[int, _BlockValues] = {}
        if not index.has_values:
            raise IndexError_(
                f"{index.path}: an older Trix built it without the values that comparisons need; build it anew"
            )

    def of(self, elements: Ints) -> list[Value]:
        """Return the trimmed text of each element, in order; they should ascend."""
        index = self._index
        index.elements.printed_of(elements)
        units = index.attributes.units
        first = np.array([block.element for block in index.blocks], np.int64)
        found = list[Value]()
        for number, element in zip(
            (np.searchsorted(first, elements, side="right") - 1).tolist(), elements.tolist(), strict=True
        ):
            unit = units.get(element)
            found.append(self._block(number).of(element) if unit is None else unit.strip())
        return found

    def faults(self) -> list[str]:
        """Return what is wrong with the streams, a line for each block that has a fault."""
        found = []
        blocks = self._index.blocks
        for number in range(len(blocks) - 1):
            if blocks[number].element == blocks[number + 1].element:
                continue  # documents without text
            try:
                part = self._index.elements.part(number, number + 1)
                part.everything()
                sound = _BlockValues(self._index, number, part).is_whole()
                self._index.release()
            except (ValueError, IndexError):
                sound = False
            if not sound:
                found.append(f"block {number}: the streams are not as long as the element table says")
        return found

    def _block(self, number: int) -> _BlockValues:
        if number not in self._blocks:
            if len(self._blocks) == _KEPT:
                self._blocks.clear()
            self._blocks[number] = _BlockValues(self._index, number)
        return self._blocks[number]


class _BlockValues:
    """The segments of one block.

    Gaps and content elements take turns; each document begins and ends with a gap.

    Parameters
    ----------
    index, number
        The index and the number of the block.
    part
        The block's part of the element table, where only `is_whole` is asked; else the whole table is read.
    """

    def __init__(self, index: IndexFiles, number: int, part: Elements | None = None) -> None:
        block, following = index.blocks[number], index.blocks[number + 1]
        self._table = table = part or index.elements
        low, high = block.content, following.content
        owners = table.of_content if part else table.of_content[low:high]
        start = table.start[owners].astype(np.int64)
        end = start + table.length[owners]
        first = np.unique(index.first_contents[block.document : following.document])
        first = first[(first >= low) & (first < high)] - low
        documents = np.searchsorted(index.first_contents, first + low, side="right") - 1
        opens = np.zeros(high - low, np.int64)
        opens[first] = 1
        self.first_content = low
        self.place = 2 * np.arange(high - low) + np.cumsum(opens)
        self.length = np.zeros(2 * (high - low) + first.size, np.int64)
        self.length[self.place] = end - start
        before = np.concatenate(([0], end[:-1]))
        before[first] = 0
        self.length[self.place - 1] = start - before
        last = np.append(first[1:], high - low) - 1
        totals = [index.document_length(int(document)) for document in documents]
        self.length[self.place[last] + 1] = np.array(totals, np.int64) - end[last]
        short = self.length <= SHORT
        self.short_at = np.cumsum(np.where(short, self.length, 0))
        self.long_at = np.cumsum(~short) - 1
        self.edges = self._stream(index, block, "edges").astype(np.int64).reshape(-1, 2)
        inner = self.length[~short] - self.edges.sum(axis=1)
        self.inner = inner
        self.padded_at = np.cumsum(np.where(inner <= SHORT, inner, 0))
        self.sum_at = np.cumsum(inner > SHORT) - 1
        self.sums = self._stream(index, block, "sums")
        self.short = self._text(index, block, "short")
        self.padded = self._text(index, block, "padded")

    def is_whole(self) -> bool:
        """Tell whether the streams are as long as the segments' lengths say."""
        sizes = [int(ends[-1]) if ends.size else 0 for ends in (self.short_at, self.padded_at)]
        return (
            sizes == [len(self.short), len(self.padded)]
            and self.edges.shape[0] == int(np.count_nonzero(self.length > SHORT))
            and self.sums.size == int(np.count_nonzero(self.inner > SHORT))
            and bool((self.inner >= 0).all())
        )

    @staticmethod
    def _stream(index: IndexFiles, block: Block, name: str) -> Ints:
        begin, end, dtype = block.spans[name]
        return unpack(index.value_bytes[begin:end], dtype)

    @classmethod
    def _text(cls, index: IndexFiles, block: Block, name: str) -> str:
        return cls._stream(index, block, name).tobytes().decode("utf-8", "surrogateescape")

    def of(self, element: int) -> Value:
        """Return the trimmed text of an element."""
        table = self._table
        low = int(table.begin[element]) - self.first_content
        high = low + int(table.contents[element]) - 1
        begin, end = int(self.place[low]), int(self.place[high])
        if low == high and self.length[begin] == table.length[element] <= SHORT:
            stop = int(self.short_at[begin])
            return self.short[stop - int(self.length[begin]) : stop].strip()
        start = int(table.start[element])
        owner = table.of_content[[low + self.first_content, high + self.first_content]]
        before = int(table.start[owner[0]]) - start
        after = start + int(table.length[element]) - int(table.start[owner[1]]) - int(table.length[owner[1]])
        parts: list[str | int | tuple[int, int]] = []
        for segment in range(begin - 1, end + 2):
            of = self._segment(segment)
            if segment == begin - 1:
                of = _tail(of, before)
            elif segment == end + 1:
                of = _head(of, after)
            parts += of
        return trimmed(parts)

    def _segment(self, segment: int) -> list[str | int | tuple[int, int]]:
        size = int(self.length[segment])
        if size <= SHORT:
            stop = int(self.short_at[segment])
            return [self.short[stop - size : stop]]
        place = int(self.long_at[segment])
        lead, trail = (int(edge) for edge in self.edges[place])
        inner = int(self.inner[place])
        if inner > SHORT:
            return [lead, (inner, int(self.sums[self.sum_at[place]])), trail]
        stop = int(self.padded_at[place])
        return [lead, self.padded[stop - inner : stop], trail]


def _head(parts: list[str | int | tuple[int, int]], size: int) -> list[str | int | tuple[int, int]]:
    """Return the first characters of a segment; of what is known by its checksum alone nothing can be told."""
    cut: list[str | int | tuple[int, int]] = []
    for part in parts:
        if isinstance(part, str):
            cut.append(part[:size])
            size -= len(cut[-1])  # type: ignore[arg-type]
        elif isinstance(part, int):
            cut.append(min(part, size))
            size -= min(part, size)
        elif size:
            whole = part[0] <= size
            cut.append(part if whole else (size, -1))
            size -= min(part[0], size)
    return cut


def _tail(parts: list[str | int | tuple[int, int]], size: int) -> list[str | int | tuple[int, int]]:
    """Return the last characters of a segment."""
    mirrored = [part[::-1] if isinstance(part, str) else part for part in reversed(parts)]
    return [part[::-1] if isinstance(part, str) else part for part in reversed(_head(mirrored, size))]
