"""Columns of the element table: narrow, compressed by block, decoded at first use.

A *block* is a run of documents with at least `BLOCK_ELEMENTS` elements in total, except for the last one. The file of a
column has its blocks one after another. Each is an array of the narrowest sufficient integer type, compressed with
Zstandard.

In memory a column is one array over all elements, in which only requested blocks are filled. The operating system never
allocates the pages of other blocks, so an index of any size opens at once. A scan of a large index goes part by part: a
part is a table of a few blocks, with its own numbers, dropped before the next.

Concurrent threads may read a table. One of them fills a block, and sets its flag only afterwards.
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
"""Blocks in a part; some 12 MB of columns."""

DEEPEST = 255
"""Largest depth of an element."""

_FEW = 64
"""Up to this number, a set of blocks is built faster than a bitmap of all blocks."""

_AT_A_TIME = 1 << 18
"""Numbers whose blocks are looked up at a time."""


def distinct(numbers: Ints) -> Ints:
    """Return distinct numbers, ascending.

    Like ``np.unique``, whose newer versions hash, which is many times slower than sorting, and import masked arrays.

    >>> distinct(np.array([3, 1, 3])).tolist(), distinct(np.zeros(0, np.int32)).size
    ([1, 3], 0)
    """
    numbers = np.sort(numbers)
    new = np.ones(numbers.size, bool)
    new[1:] = numbers[1:] != numbers[:-1]
    return numbers[new]


def narrow(values: Ints) -> Ints:
    """Convert values to the narrowest integer type that holds them all.

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
    """Compress a block; return its bytes and its type (``u1`` .. ``i8``, little-endian)."""
    # Narrow types compress better and decode faster.
    small = narrow(values)
    data = small.astype(small.dtype.newbyteorder("<")).tobytes()
    return _COMPRESSOR.compress(data), small.dtype.str[1:]


class _Compressor(local):
    """Compressor per thread; creating one for each small block would cost ten times as much."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=6, write_checksum=True).compress


_COMPRESSOR = _Compressor()


def unpack(data: Any, dtype: str) -> Ints:
    """Decompress a block.

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
    """Location of one block.

    Attributes
    ----------
    element, content, document
        Numbers of its first element, content element and document.
    spans
        Column -> (first byte, end, type).
    sections
        File with its columns.
    elements, contents
        Runs of its live elements and content elements, counted in the block; None if all are live.
    steps
        Number in the table of each of its path steps; None for the same numbers.
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
        """Read one of its columns as written, deleted documents included."""
        assert self.sections is not None
        begin, end, dtype = self.spans[name]
        return unpack(self.sections.section(section)[begin:end], dtype)

    def sentence_starts(self) -> Ints:
        """Return the starts of sentences in live content elements (see `trix.indexer.words.sentences.starts`)."""
        of = DocumentSentences(*(self.stream(SECTION, name) for name in COLUMNS))
        if self.contents is None:
            return starts(of, np.arange(self.content, self.content + of.more.size))
        lives = np.zeros(of.more.size, np.bool_)
        for low, high in self.contents.tolist():
            lives[low:high] = True
        of = DocumentSentences(of.more[lives], of.keys[np.repeat(lives, of.more)])
        return starts(of, np.arange(self.content, self.content + of.more.size))


class Elements:
    """Element table of a segment or an index. Columns are indexed by element number unless noted.

    Parameters
    ----------
    blocks
        Blocks in order, with an empty one at the end for the totals.

    Attributes
    ----------
    parent : (n_elements,) ndarray of int32
        Element number of the parent; -1 for roots.
    depth : (n_elements,) ndarray of int32
    contents : (n_elements,) ndarray of int32
        ξ_c: content elements in the subtree; 1 for a content element.
    begin : (n_elements,) ndarray of int32
        First content element in the subtree.
    is_content : (n_elements,) ndarray of bool
    of_content : (n_content_elements,) ndarray of int32
        Element number of each content element.
    rows : (n_elements, 4) ndarray of int32
        Parent, depth, begin and contents side by side: one element is one cache line. The four columns are views of it.
    content_rows : (n_content_elements, 3) ndarray of int32
        Element number, parent and depth of each content element.
    step, position, same : (n_elements,) ndarrays
        Number of the path step, child position, position among source siblings of the same name (0: not printed).
    start, length : (n_elements,) ndarrays of int32
        Characters in the document's text.

    deepest : (n_documents,) ndarray of uint8
        Upper bound of the depth in each document; exact once the structure columns are ready.
    first_element : (n_blocks + 1,) ndarray
        First element of each block, then the total.
    structured, printable, summed : (n_blocks,) ndarrays of bool
        Blocks whose structure columns, all columns, or sums of keys are ready.

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
        self._running: Int32s | None = None  # allocated at first use: most models read no sums
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
        """Yield the table in parts of `blocks` blocks (`PART_BLOCKS`): the first block of each, and its table.

        A part is filled on demand, like the whole table, and numbered from 0. Documents never cross parts, so parents
        and content elements do not either.
        """
        step = PART_BLOCKS if blocks is None else blocks
        for low in range(0, len(self._blocks) - 1, step):
            yield self._blocks[low], self.part(low, min(low + step, len(self._blocks) - 1))

    def part(self, low: int, high: int) -> Elements:
        """Return the table of the blocks ``[low, high)``, numbered from 0."""
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
        """Yield the blocks of some elements as parts, with the indices of the elements in each, ascending."""
        block = np.searchsorted(self.first_element, elements, side="right") - 1
        # Stable: within a block the elements keep their order.
        order = np.argsort(block.astype(np.uint16 if len(self._blocks) < 1 << 16 else np.int64), kind="stable")
        block = block[order]
        for places in np.split(order, np.flatnonzero(np.diff(block)) + 1) if order.size else ():
            low = int(np.searchsorted(self.first_element, elements[places[0]], side="right")) - 1
            yield self._blocks[low], self.part(low, low + 1), places

    def structure_of_contents(self, contents: Ints) -> None:
        """Load the structure columns for the documents of some content elements, given in ascending order."""
        if not self._all_structured:  # a field, not `all()`: asked in each search
            self._fill_structure(self._blocks_of(self._first_content, contents))

    def structure_of_elements(self, elements: Ints) -> None:
        """Load the structure columns for the documents of some elements."""
        if not self._all_structured:
            self._fill_structure(self._blocks_of(self.first_element, elements))

    def printed_of(self, elements: Ints) -> None:
        """Load all columns for the documents of some elements."""
        if not self._all_printable:
            blocks = self._blocks_of(self.first_element, elements)
            self._fill_structure(blocks)
            self._fill_printed(blocks)

    def everything(self) -> None:
        """Load all columns."""
        blocks = range(len(self._blocks) - 1)
        self._fill_structure(blocks)
        self._fill_printed(blocks)

    def tokens(self, begin: Ints, end: Ints) -> Int64s:
        """Return dl, the number of keys in elements with the content elements ``[begin, end)``.

        dl is a difference of running sums. An element lies in one block, so the sums run within blocks.
        """
        running = self.sums_of_contents(begin)
        found: Int64s = (running[end - 1, 1] - running[begin, 0]).astype(np.int64)
        return found

    def sums_of_contents(self, contents: Ints) -> Int32s:
        """Load the running sums of keys for the documents of some content elements; return the whole array.

        A row per content element: keys of its block before it, and up to its end.
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
                counts = self._column("tokens", self._blocks[number]).astype(np.int32)  # sums begin anew in each block
                ends = np.cumsum(counts, dtype=np.int32)
                rows = running[self._blocks[number].content : self._blocks[number + 1].content]
                rows[:, 0], rows[:, 1] = ends - counts, ends
                # Set last: other threads read the rows without the lock once the flag is set.
                self.summed[number] = True
        return running

    @staticmethod
    def _blocks_of(first: Int64s, numbers: Ints) -> Iterable[int]:
        # Few numbers: a set of blocks. Many: a bitmap, filled in slices to bound memory.
        if numbers.size <= _FEW:
            return sorted(set((first.searchsorted(numbers, "right") - 1).tolist()))
        wanted = np.zeros(first.size, bool)
        for at in range(0, numbers.size, _AT_A_TIME):
            wanted[np.searchsorted(first, numbers[at : at + _AT_A_TIME], side="right") - 1] = True
        return np.flatnonzero(wanted).tolist()

    def column(self, name: str) -> Ints:
        """Read one column of all blocks without caching it; for parts."""
        blocks = [self._column(name, block) for block in self._blocks[:-1]]
        return np.concatenate([np.zeros(0, np.uint8), *blocks])

    def _column(self, name: str, block: Block) -> Ints:
        values = block.stream(f"elements.{name}", name)
        if name == "start":  # stored as differences within the block
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
        # Check again under the lock: another thread may have filled the blocks.
        with self._filling:
            self._fill_structure_of(self._missing(self.structured, blocks))
            self._all_structured = bool(self.structured.all())

    def _fill_structure_of(self, blocks: Iterable[int]) -> None:
        for number in blocks:
            block, following = self._blocks[number], self._blocks[number + 1]
            span = slice(block.element, following.element)
            up, depth, contents = (self._column(name, block).astype(np.int64) for name in self.STRUCTURE)
            content = np.ones(up.size, bool)
            content[:-1] = up[1:] != 1  # followed by no child of its own
            _check_structure(up, depth, contents, content, following.content - block.content)
            own = np.arange(block.element, following.element, dtype=np.int32)
            self.parent[span] = np.where(up == 0, -1, own - up)
            self.depth[span] = depth
            self.contents[span] = contents
            self.is_content[span] = content
            # Elements are in document order: the next content element is the first in the subtree.
            self.begin[span] = block.content + np.cumsum(content) - content
            rows = self.content_rows[block.content : following.content]
            rows[:, 0], rows[:, 1], rows[:, 2] = own[content], self.parent[span][content], self.depth[span][content]
            roots = np.flatnonzero(up == 0)
            # Lowers the bound from 255. A search that runs meanwhile may read either; both are upper bounds.
            if roots.size == following.document - block.document:  # unless some documents have no elements
                self.deepest[block.document : following.document] = np.maximum.reduceat(self.depth[span], roots)
            self.structured[number] = True  # last: readers without the lock trust it

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
            self.printable[number] = True  # last, as above


def _check_structure(up: Int64s, depth: Int64s, contents: Int64s, content: Mask, total: int) -> None:
    """Raise if the columns of a block do not form trees, even if its checksums are right.

    Afterwards loops over parents terminate, since a parent comes before its children, one level up. Ranges of content
    elements lie within those of their parents, and within the block.
    """
    own = np.arange(up.size)
    sound = up.size == depth.size == contents.size and int(content.sum()) == total
    sound = sound and bool(((up >= 0) & (up <= own) & (depth <= DEEPEST) & (contents >= 1)).all())
    if sound:
        above = own - up  # for a root, itself
        # Each element is one level below its parent, and its content elements end within those of its parent.
        level = np.where(up == 0, 0, depth[above] + 1)
        ends = np.cumsum(content) - content + contents
        sound = bool(((depth == level) & (ends <= np.where(up == 0, total, ends[above]))).all())
        sound = sound and bool((contents[content] == 1).all())
    if not sound:
        raise IndexError_("the element table is damaged (it is no tree)")
