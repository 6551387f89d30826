"""The element table's columns: narrow, compressed in blocks of whole documents, decoded where they are touched.

A *block* is a run of documents with at least `BLOCK_ELEMENTS` elements together (or the last ones). A column's file
is its blocks one behind the other, each an array of the narrowest integer type that holds it, compressed with
Zstandard. In memory a column is one array of all elements, of which only the blocks that were asked for are filled:
the pages of the others are never touched, so that an index of any size opens at once. Who needs most of a large index
goes over it in parts, tables of some blocks each with numbers of their own, and lets go of one before the next.

Several threads may read one table: a block is filled by one of them, and is said to be filled when it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import Lock, local
from typing import Any, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from trix.errors import IndexError_
from trix.indexer.commit.sections import SectionFile
from trix.indexer.store.numbering import Runs, cut
from trix.indexer.words.sentences import COLUMNS, SECTION, DocumentSentences, starts
from trix.support.arrays import Int32s, Int64s, Ints, Mask

BLOCK_ELEMENTS = 1 << 15

PART_BLOCKS = 8
"""Blocks of a part, some 12 MB of columns."""

DEEPEST = 255
"""The greatest depth of an element."""

_FEW = 64
"""Numbers up to which a set of their blocks is made sooner than an array of all blocks."""

_ASKED = 1 << 18
"""Numbers whose blocks are looked up at a time."""


def distinct(numbers: Ints) -> Ints:
    """Return the distinct ones of some numbers, ascending.

    What ``np.unique`` gives; newer versions of it hash, which takes many times as long as sorting, and begin by
    importing masked arrays.

    >>> distinct(np.array([3, 1, 3])).tolist(), distinct(np.zeros(0, np.int32)).size
    ([1, 3], 0)
    """
    numbers = np.sort(numbers)
    new = np.ones(numbers.size, bool)
    new[1:] = numbers[1:] != numbers[:-1]
    return numbers[new]


def narrow(values: Ints) -> Ints:
    """Return the values in the narrowest integer type that holds them all.

    >>> narrow(np.array([0, 255])).dtype, narrow(np.array([-1, 255])).dtype
    (dtype('uint8'), dtype('int16'))
    """
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    names = ("u1", "u2", "u4") if low >= 0 else ("i1", "i2", "i4")
    for name in names:
        if np.iinfo(name).min <= low and high <= np.iinfo(name).max:
            return values.astype(name)
    return values.astype("i8")


def pack(values: Ints) -> tuple[bytes, str]:
    """Return a block's compressed bytes and its type (``u1`` .. ``i8``, little-endian)."""
    small = narrow(values)
    data = small.astype(small.dtype.newbyteorder("<")).tobytes()
    return _COMPRESSOR.compress(data), small.dtype.str[1:]


class _Compressor(local):
    """A compressor, of each thread its own; blocks are small, and making one takes a tenth of the time."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=6, write_checksum=True).compress


_COMPRESSOR = _Compressor()


def unpack(data: Any, dtype: str) -> Ints:
    """Return a block's values.

    Raises
    ------
    IndexError_
        The bytes are damaged.
    """
    try:
        return np.frombuffer(zstandard.ZstdDecompressor().decompress(data), "<" + dtype)
    except (zstandard.ZstdError, ValueError) as error:
        raise IndexError_(f"the element table is damaged ({error})") from None


class Block(NamedTuple):
    """Where one block lies.

    Attributes
    ----------
    element, content, document
        Numbers of its first element, content element and document.
    spans
        Column -> (first byte, end, type).
    sections
        What they are read from.
    elements, contents
        The runs of its elements and content elements that live, counted in the block; None where all do.
    steps
        The number of each of its path steps in the table; None where they are the same.
    """

    element: int
    content: int
    document: int
    spans: dict[str, Any]
    sections: SectionFile | None = None
    elements: Runs | None = None
    contents: Runs | None = None
    steps: Ints | None = None

    def stream(self, section: str, name: str) -> Ints:
        """Return one of its columns as it is written, with what is deleted."""
        assert self.sections is not None
        begin, end, dtype = self.spans[name]
        return unpack(self.sections.section(section)[begin:end], dtype)

    def sentence_starts(self) -> Ints:
        """Return where sentences begin in the content elements that live, see `trix.indexer.words.sentences.starts`."""
        of = DocumentSentences(*(self.stream(SECTION, name) for name in COLUMNS))
        if self.contents is None:
            return starts(of, np.arange(self.content, self.content + of.more.size))
        lives = np.zeros(of.more.size, np.bool_)
        for low, high in self.contents.tolist():
            lives[low:high] = True
        of = DocumentSentences(of.more[lives], of.keys[np.repeat(lives, of.more)])
        return starts(of, np.arange(self.content, self.content + of.more.size))


class Elements:
    """An element table, of a segment or of an index, by element number unless said otherwise.

    Parameters
    ----------
    blocks
        In order, with an empty one at the end that tells the totals.

    Attributes
    ----------
    parent : (n_elements,) ndarray of int32
        Element number of the parent; -1 for roots.
    depth : (n_elements,) ndarray of int32
    contents : (n_elements,) ndarray of int32
        ξ_c: content elements in the subtree, 1 for a content element.
    begin : (n_elements,) ndarray of int32
        Number of the first content element in the subtree.
    is_content : (n_elements,) ndarray of bool
    of_content : (n_content_elements,) ndarray of int32
        Element number of each content element.
    rows : (n_elements, 4) ndarray of int32
        Parent, depth, begin and contents side by side, of which those four are views: one element, one cache line.
    content_rows : (n_content_elements, 3) ndarray of int32
        Element number, its parent and its depth.
    step, position, same : (n_elements,) ndarrays
        Number of the path step, child position, position among same-named source siblings (0: none is printed).
    start, length : (n_elements,) ndarrays of int32
        Characters in the document's text.

    deepest : (n_documents,) ndarray of uint8
        A depth that no element of each document exceeds: the greatest, where the structure columns are ready.
    first_element : (n_blocks + 1,) ndarray
        Of each block, and all elements.
    structured, printable, summed : (n_blocks,) ndarrays of bool
        Of which blocks the structure columns, all columns, and the sums of keys are ready.

    The column ``tokens`` has an entry for each content element, its keys; it is read by `tokens`.
    """

    STRUCTURE = ("up", "depth", "contents")
    PRINTED = ("step", "position", "same", "start", "length")
    OF_CONTENT = ("tokens",)
    COLUMNS = STRUCTURE + PRINTED + OF_CONTENT

    def __init__(self, blocks: list[Block]) -> None:
        self._blocks = blocks
        self._filling = Lock()
        elements, contents = blocks[-1].element, blocks[-1].content
        self.first_element = np.array([block.element for block in blocks], np.int64)
        self._first_content = np.array([block.content for block in blocks], np.int64)
        self.structured = np.zeros(len(blocks) - 1, bool)
        self.printable = np.zeros(len(blocks) - 1, bool)
        self.summed = np.zeros(len(blocks) - 1, bool)
        self._all_structured = self._all_printable = False
        self._running: Int32s | None = None
        self.deepest = np.full(blocks[-1].document, 255, np.uint8)
        self.rows = np.empty((elements, 4), np.int32)
        self.parent, self.depth, self.begin, self.contents = self.rows.T
        self.is_content = np.empty(elements, bool)
        self.content_rows = np.empty((contents, 3), np.int32)
        self.of_content = self.content_rows[:, 0]
        self.step = np.empty(elements, np.int32)
        self.position = np.empty(elements, np.int32)
        self.same = np.empty(elements, np.int32)
        self.start = np.empty(elements, np.int32)
        self.length = np.empty(elements, np.int32)

    def parts(self, blocks: int | None = None) -> Iterator[tuple[Block, Elements]]:
        """Yield the table in parts of so many blocks (`PART_BLOCKS`): the first block of each, and its table.

        A part is filled only where it is asked, as the whole is, and its numbers begin at 0: documents lie whole in a
        part, so parents and content elements do too. What is filled in it goes with it.
        """
        step = PART_BLOCKS if blocks is None else blocks
        for low in range(0, len(self._blocks) - 1, step):
            yield self._blocks[low], self.part(low, min(low + step, len(self._blocks) - 1))

    def part(self, low: int, high: int) -> Elements:
        """Return the table of the blocks ``[low, high)`` alone, numbered from 0."""
        of = self._blocks[low]
        blocks = [
            block._replace(
                element=block.element - of.element,
                content=block.content - of.content,
                document=block.document - of.document,
            )
            for block in self._blocks[low : high + 1]
        ]
        return Elements(blocks)

    def parts_of(self, elements: Ints) -> Iterator[tuple[Block, Elements, NDArray[np.intp]]]:
        """Yield the blocks of some elements as parts, with the places of the elements that are in each, ascending."""
        block = np.searchsorted(self.first_element, elements, side="right") - 1
        order = np.argsort(block.astype(np.uint16 if len(self._blocks) < 1 << 16 else np.int64), kind="stable")
        block = block[order]
        for places in np.split(order, np.flatnonzero(np.diff(block)) + 1) if order.size else ():
            low = int(np.searchsorted(self.first_element, elements[places[0]], side="right")) - 1
            yield self._blocks[low], self.part(low, low + 1), places

    def structure_of_contents(self, contents: Ints) -> None:
        """Make the structure columns ready for the documents of some content elements (ascending numbers)."""
        if not self._all_structured:
            self._fill_structure(self._blocks_of(self._first_content, contents))

    def structure_of_elements(self, elements: Ints) -> None:
        """Make the structure columns ready for the documents of some elements."""
        if not self._all_structured:
            self._fill_structure(self._blocks_of(self.first_element, elements))

    def printed_of(self, elements: Ints) -> None:
        """Make all columns ready for the documents of some elements."""
        if not self._all_printable:
            blocks = self._blocks_of(self.first_element, elements)
            self._fill_structure(blocks)
            self._fill_printed(blocks)

    def everything(self) -> None:
        """Make all columns ready."""
        blocks = range(len(self._blocks) - 1)
        self._fill_structure(blocks)
        self._fill_printed(blocks)

    def tokens(self, begin: Ints, end: Ints) -> Int64s:
        """Return dl, the keys in elements whose content elements are ``[begin, end)``: differences of running sums.

        An element lies in one block, so the sums run over a block alone.
        """
        running = self.sums_of_contents(begin)
        found: Int64s = (running[end - 1, 1] - running[begin, 0]).astype(np.int64)
        return found

    def sums_of_contents(self, contents: Ints) -> Int32s:
        """Make the sums of keys ready for the documents of some content elements, and return those of all.

        A row for each content element: the keys of its block before it, and up to it.
        """
        running = self._running
        if running is None or not self.summed.all():
            running = self._sum_tokens(self._blocks_of(self._first_content, contents))
        return running

    def _sum_tokens(self, blocks: Iterable[int]) -> Int32s:
        with self._filling:
            running = self._running
            if running is None:
                running = np.empty((self._blocks[-1].content, 2), np.int32)
                self._running = running
            for number in self._missing(self.summed, blocks):
                counts = self._column("tokens", self._blocks[number]).astype(np.int32)
                ends = np.cumsum(counts, dtype=np.int32)
                rows = running[self._blocks[number].content : self._blocks[number + 1].content]
                rows[:, 0], rows[:, 1] = ends - counts, ends
                self.summed[number] = True
        return running

    @staticmethod
    def _blocks_of(first: Int64s, numbers: Ints) -> Iterable[int]:
        if numbers.size <= _FEW:
            return sorted(set((first.searchsorted(numbers, "right") - 1).tolist()))
        asked = np.zeros(first.size, bool)
        for at in range(0, numbers.size, _ASKED):
            asked[np.searchsorted(first, numbers[at : at + _ASKED], side="right") - 1] = True
        return np.flatnonzero(asked).tolist()

    def column(self, name: str) -> Ints:
        """Return one column of all blocks, without keeping it; for parts."""
        blocks = [self._column(name, block) for block in self._blocks[:-1]]
        return np.concatenate([np.zeros(0, np.uint8), *blocks])

    def _column(self, name: str, block: Block) -> Ints:
        values = block.stream(f"elements.{name}", name)
        if name == "start":  # differences, which begin anew with each block
            values = np.cumsum(values, dtype=np.int64)
        runs = block.contents if name in self.OF_CONTENT else block.elements
        if runs is not None:
            values = cut(values, runs)
        return values if name != "step" or block.steps is None else block.steps[values]

    @staticmethod
    def _missing(ready: Mask, blocks: Iterable[int]) -> list[int]:
        return [number for number in blocks if not ready[number]]

    def _fill_structure(self, blocks: Iterable[int]) -> None:
        if not self._missing(self.structured, blocks):
            return
        with self._filling:
            self._fill_structure_of(self._missing(self.structured, blocks))
            self._all_structured = bool(self.structured.all())

    def _fill_structure_of(self, blocks: Iterable[int]) -> None:
        for number in blocks:
            block, following = self._blocks[number], self._blocks[number + 1]
            span = slice(block.element, following.element)
            up, depth, contents = (self._column(name, block).astype(np.int64) for name in self.STRUCTURE)
            content = np.ones(up.size, bool)
            content[:-1] = up[1:] != 1  # an element with indexed descendants is followed by its first child
            _check_structure(up, depth, contents, content, following.content - block.content)
            own = np.arange(block.element, following.element, dtype=np.int32)
            self.parent[span] = np.where(up == 0, -1, own - up)
            self.depth[span] = depth
            self.contents[span] = contents
            self.is_content[span] = content
            self.begin[span] = block.content + np.cumsum(content) - content
            rows = self.content_rows[block.content : following.content]
            rows[:, 0], rows[:, 1], rows[:, 2] = own[content], self.parent[span][content], self.depth[span][content]
            roots = np.flatnonzero(up == 0)
            if roots.size == following.document - block.document:  # else some have no elements
                self.deepest[block.document : following.document] = np.maximum.reduceat(self.depth[span], roots)
            self.structured[number] = True

    def _fill_printed(self, blocks: Iterable[int]) -> None:
        if not self._missing(self.printable, blocks):
            return
        with self._filling:
            self._fill_printed_of(self._missing(self.printable, blocks))
            self._all_printable = bool(self.printable.all())

    def _fill_printed_of(self, blocks: Iterable[int]) -> None:
        for number in blocks:
            block, following = self._blocks[number], self._blocks[number + 1]
            span = slice(block.element, following.element)
            for name in self.PRINTED:
                getattr(self, name)[span] = self._column(name, block)
            self.printable[number] = True


def _check_structure(up: Int64s, depth: Int64s, contents: Int64s, content: Mask, total: int) -> None:
    """Refuse the columns of a block that are no trees, whatever its checksums say.

    After it every loop over parents ends, as a parent lies before its children and one level above them; and ranges of
    content elements are inside those of parents, and inside the block.
    """
    own = np.arange(up.size)
    sound = up.size == depth.size == contents.size and int(content.sum()) == total
    sound = sound and bool(((up >= 0) & (up <= own) & (depth <= DEEPEST) & (contents >= 1)).all())
    if sound:
        above = own - up  # of a root itself
        level = np.where(up == 0, 0, depth[above] + 1)
        ends = np.cumsum(content) - content + contents
        sound = bool(((depth == level) & (ends <= np.where(up == 0, total, ends[above]))).all())
        sound = sound and bool((contents[content] == 1).all())
    if not sound:
        raise IndexError_("the element table is damaged (it is no tree)")
