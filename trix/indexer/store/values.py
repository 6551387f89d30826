"""Texts that structured queries compare, stored so that no source must be opened [RETRIEVAL, section 7].

Compared text is the document's text, with a blank wherever a tag separates words (`blank_places`). A date of day, month
and year is ``1 10 2015``, not one number.

The document's text is a sequence of *text segments*: before the first content element, the first content element,
between it and the second, and so on. Their lengths follow from the element table. Up to `SHORT` characters are stored
as they are. Of a longer one the white space at its ends is stored as two numbers. The text between is stored if it has
at most `SHORT` characters. Otherwise its checksum, which suffices to test equality, and its number of blanks are
stored.

Blanks in stored characters are marks; the blank at the begin of a content element is implicit. The text of any element
is a run of text segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from trix.indexer.document.partial_text import BLANK, Part, TextWithBlanks, Value, head, tail, trimmed
from trix.indexer.store.elements import Block, Elements
from trix.support.arrays import Ints
from trix.support.lru_cache import LruFunction

VALUES = "values"
"""Section of the streams."""

SHORT = 32
"""Characters stored of a text segment."""

_KEPT = 256
"""Blocks cached in decoded form, some 200 kB each."""

STREAMS = ("short", "padded", "edges", "sums", "blanks")
"""Short text segments; long ones that are short without white space at the ends; the white space at the ends of long
ones; checksums and numbers of blanks of the others.
"""


def gather_values(documents: Sequence[Mapping[str, Ints]]) -> dict[str, Ints]:
    """Concatenate the streams of documents into those of a block."""
    nothing = np.zeros(0, np.uint8)
    return {name: np.concatenate([nothing, *(of[name] for of in documents if of)]) for name in STREAMS}


def encoded(text: str) -> bytes:
    """Encode a text, even if it is invalid."""
    return text.encode("utf-8", "surrogateescape")


def decoded(data: Ints) -> str:
    return data.tobytes().decode("utf-8", "surrogateescape")


class TextIndex(Protocol):
    """Interface of an index for stored texts.

    Attributes
    ----------
    blocks, elements
        Blocks, and element table.
    units
        Values of attributes that are units, by element number.
    first_contents
        First content element of each document.
    """

    blocks: list[Block]
    first_contents: Ints

    @property
    def elements(self) -> Elements: ...
    @property
    def units(self) -> dict[int, str]: ...
    def document_length(self, document: int) -> int: ...
    def release(self) -> None: ...


class Values:
    """Reads the trimmed texts of elements.

    Parameters
    ----------
    index
        Index with the elements.
    """

    def __init__(self, index: TextIndex) -> None:
        self._index = index
        self._block: LruFunction[int, BlockValues] = LruFunction(lambda number: BlockValues(index, number), _KEPT)

    def of(self, elements: Ints) -> list[Value]:
        """Return the trimmed text of each element, in order; ascending numbers are fastest."""
        index = self._index
        index.elements.printed_of(elements)
        units = index.units
        # Block of each element: blocks are decoded once and cached.
        first = np.array([block.element for block in index.blocks], np.int64)
        found = list[Value]()
        for number, element in zip(
            (np.searchsorted(first, elements, side="right") - 1).tolist(), elements.tolist(), strict=True
        ):
            unit = units.get(element)
            found.append(self._block(number).of(element) if unit is None else unit.strip())
        return found

    def faults(self) -> list[str]:
        """List inconsistent streams, a line per block."""
        found = []
        blocks = self._index.blocks
        for number in range(len(blocks) - 1):
            if blocks[number].element == blocks[number + 1].element:
                continue  # documents without text
            try:
                part = self._index.elements.part(number, number + 1)
                part.everything()
                sound = BlockValues(self._index, number, part).is_whole()
                self._index.release()
            except (ValueError, IndexError):
                sound = False
            if not sound:
                found.append(f"block {number}: the streams are not as long as the element table says")
        return found


class BlockValues:
    """Text segments of one block.

    Gaps and content elements alternate; each document begins and ends with a gap.

    Parameters
    ----------
    index, number
        Index, and number of the block.
    part
        Part of the element table with the block, for `is_whole`; else the whole table is used.
    """

    def __init__(self, index: TextIndex, number: int, part: Elements | None = None) -> None:
        block, following = index.blocks[number], index.blocks[number + 1]
        self._table = table = part or index.elements
        low, high = block.content, following.content
        owners = table.of_content if part else table.of_content[low:high]
        start = table.start[owners].astype(np.int64)
        end = start + table.length[owners]
        first = np.unique(index.first_contents[block.document : following.document])
        first = first[(first >= low) & (first < high)] - low
        documents = np.searchsorted(index.first_contents, first + low, side="right") - 1
        # Each content element takes two places, its gap and itself; a document has one more gap at its end.
        opens = np.zeros(high - low, np.int64)
        opens[first] = 1
        self.first_content = low
        self.opens = 2 * first + np.arange(first.size)
        self.place = 2 * np.arange(high - low) + np.cumsum(opens)
        self.length = np.zeros(2 * (high - low) + first.size, np.int64)
        self.length[self.place] = end - start
        before = np.concatenate(([0], end[:-1]))
        # The first gap of a document begins with its text.
        before[first] = 0
        self.length[self.place - 1] = start - before
        # The last gap of a document reaches to the end of its text.
        last = np.append(first[1:], high - low) - 1
        totals = [index.document_length(int(document)) for document in documents]
        self.length[self.place[last] + 1] = np.array(totals, np.int64) - end[last]
        # Running sums locate a text segment in its stream: characters of short ones, rows of long ones.
        short = self.length <= SHORT
        self.short_at = np.cumsum(np.where(short, self.length, 0))
        self.long_at = np.cumsum(~short) - 1
        self.edges = block.stream(VALUES, "edges").astype(np.int64).reshape(-1, 2)
        inner = self.length[~short] - self.edges.sum(axis=1)
        # Of white space at the ends only the length is stored, so the inner text may be short again.
        self.inner = inner
        self.padded_at = np.cumsum(np.where(inner <= SHORT, inner, 0))
        self.sum_at = np.cumsum(inner > SHORT) - 1
        self.sums = block.stream(VALUES, "sums")
        self.blanks = block.stream(VALUES, "blanks")
        self.short = TextWithBlanks(decoded(block.stream(VALUES, "short")))
        self.padded = TextWithBlanks(decoded(block.stream(VALUES, "padded")))

    def is_whole(self) -> bool:
        """Whether the streams have the lengths that follow from the element table."""
        sizes = [int(ends[-1]) if ends.size else 0 for ends in (self.short_at, self.padded_at)]
        return (
            sizes == [len(self.short), len(self.padded)]
            and self.edges.shape[0] == int(np.count_nonzero(self.length > SHORT))
            and self.sums.size == self.blanks.size == int(np.count_nonzero(self.inner > SHORT))
            and bool((self.inner >= 0).all())
        )

    def documents(self) -> list[dict[str, Ints]]:
        """Split the streams by document, as `trix.indexer.write.columns` made them."""
        # Each document ends with its last gap.
        ends = np.append(self.opens[1:], self.length.size)
        long = np.cumsum(self.length > SHORT)
        inner = np.cumsum(self.inner > SHORT)
        summed = np.append(0, inner)[long]  # checksums among the first text segments
        padded = np.append(0, self.padded_at)[long]
        short_ends = self.short.bytes_before(np.append(0, self.short_at[ends - 1]))
        padded_ends = self.padded.bytes_before(np.append(0, padded[ends - 1]))
        short, wide = (np.frombuffer(encoded(of.text), np.uint8) for of in (self.short, self.padded))
        found = list[dict[str, Ints]]()
        edge = total = 0
        for number, end in enumerate(ends.tolist()):
            edges, sums = int(long[end - 1]), int(summed[end - 1])
            found.append(
                {
                    "short": short[short_ends[number] : short_ends[number + 1]],
                    "padded": wide[padded_ends[number] : padded_ends[number + 1]],
                    "edges": self.edges[edge:edges].reshape(-1),
                    "sums": self.sums[total:sums],
                    "blanks": self.blanks[total:sums],
                }
            )
            edge, total = edges, sums
        return found

    def of(self, element: int) -> Value:
        """Return the trimmed text of an element."""
        table = self._table
        low = int(table.begin[element]) - self.first_content
        high = low + int(table.contents[element]) - 1
        begin, end = int(self.place[low]), int(self.place[high])
        if low == high and self.length[begin] == table.length[element] <= SHORT:
            stop = int(self.short_at[begin])
            return self.short.cut(stop - int(self.length[begin]), stop).replace(BLANK, " ").strip()
        start = int(table.start[element])
        owner = table.of_content[[low + self.first_content, high + self.first_content]]
        before = int(table.start[owner[0]]) - start
        after = start + int(table.length[element]) - int(table.start[owner[1]]) - int(table.length[owner[1]])
        # The gap before the first content element may begin outside the element: take its tail only. Likewise the gap
        # after the last one: take its head.
        parts = tail(self._segment(begin - 1), before)
        last = begin - 1
        for segment in self.place[low : high + 1].tolist():
            for gap in range(last + 1, segment):
                parts += self._segment(gap)
            parts.append(None)
            parts += self._segment(segment)
            last = segment
        return trimmed(parts + head(self._segment(end + 1), after))

    def _segment(self, segment: int) -> list[Part]:
        size = int(self.length[segment])
        if size <= SHORT:
            stop = int(self.short_at[segment])
            return [self.short.cut(stop - size, stop)]
        place = int(self.long_at[segment])
        lead, trail = (int(edge) for edge in self.edges[place])
        inner = int(self.inner[place])
        # Too long even without white space: only length, checksum and blanks are known.
        if inner > SHORT:
            number = int(self.sum_at[place])
            return [lead, (inner, int(self.sums[number]), int(self.blanks[number])), trail]
        stop = int(self.padded_at[place])
        return [lead, self.padded.cut(stop - inner, stop), trail]
