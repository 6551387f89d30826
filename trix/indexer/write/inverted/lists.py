"""Merge of posting lists over all parts of a segment, for one range of keys at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trix.core.postings import add_sizes, append_lists
from trix.indexer.store.inverted.postings import decode_lists, decode_positions
from trix.indexer.store.live import LiveSegment
from trix.indexer.store.numbering import LiveNumbering
from trix.indexer.store.strings import ListedStrings
from trix.indexer.write.inverted.postings import Postings
from trix.indexer.write.inverted.spill import SpilledColumn, SpillFile, SpillFiles
from trix.support.arrays import Ints


class MergePart(NamedTuple):
    """Posting lists of one part for a range of keys.

    Attributes
    ----------
    ranks, sizes
        Rank of each key among all keys, ascending, and its number of postings.
    contents, tf
        Postings, key by key; content elements are numbered in the new segment.
    positions
        Positions of the postings, if any.
    """

    ranks: Ints
    sizes: Ints
    contents: Ints
    tf: Ints
    positions: Ints | None


class PartLists(Protocol):
    """Posting lists of a part.

    Attributes
    ----------
    ranks
        Ranks of its keys among all keys, ascending.
    counts
        Upper bound of each key's number of postings.
    """

    ranks: Ints

    @property
    def counts(self) -> Ints: ...
    def part(self, low: int, high: int) -> MergePart:
        """Return the lists of the keys with ranks ``[low, high)``."""


class PartKeys(NamedTuple):
    """Keys of a part, in order.

    Attributes
    ----------
    strings
        Keys joined by newlines; with `numbers`, only those that are new since the parts before.
    vocabulary, numbers
        Table of the worker that these strings extend, and the numbers of the keys in it.
    """

    strings: bytes | SpilledColumn = b""
    vocabulary: str = ""
    numbers: SpilledColumn | None = None

    def text(self) -> str:
        """Return the strings, joined by newlines."""
        return (self.strings if isinstance(self.strings, bytes) else self.strings.read().tobytes()).decode()


class SpilledLists(NamedTuple):
    """Posting lists of a batch on disk (see `Postings`); columns that are read together are interleaved.

    Attributes
    ----------
    keys
        Keys of the lists.
    begins
        For each key, and for the end: begin of its postings, and of its positions.
    postings
        Content element and tf of each.
    positions
        Positions of all postings; None without positions.
    """

    keys: PartKeys
    begins: SpilledColumn
    postings: SpilledColumn
    positions: SpilledColumn | None


def write_postings(postings: Postings, spill: SpillFile) -> SpilledLists:
    """Spill the posting lists of a batch to disk."""
    p, put = postings, spill.put
    strings = put(np.frombuffer(p.strings, np.uint8))
    keys = PartKeys(strings, p.vocabulary, None if p.numbers is None else put(p.numbers.astype(np.int32)))
    # Interleaved, so that a range of keys needs one read per pair of columns.
    begins, pairs = np.stack([p.starts, p.begins], axis=1), np.stack([p.contents, p.tf], axis=1)
    return SpilledLists(keys, put(begins), put(pairs), None if p.positions is None else put(p.positions))


class BatchLists:
    """Posting lists of a batch on disk; a range of keys is one range of each column.

    A large collection has many batches, so only four bytes per key are in memory.

    Parameters
    ----------
    lists, files
        Location of the lists.
    ranks
        Ranks of its keys, ascending.
    first
        First content element of the batch in the segment.
    """

    def __init__(self, lists: SpilledLists, files: SpillFiles, ranks: Ints, *, first: int) -> None:
        self._lists, self._read, self.ranks, self._first = lists, files.read, ranks, first

    @property
    def counts(self) -> Ints:
        """Number of postings of each key."""
        return np.diff(self._rows(self._lists.begins, 0, self.ranks.size + 1)[:, 0])

    def _rows(self, of: SpilledColumn, low: int, high: int) -> Ints:
        return self._read(of, 2 * low, 2 * high).reshape(-1, 2)

    def part(self, low: int, high: int) -> MergePart:
        a, b = np.searchsorted(self.ranks, (low, high)).tolist()
        of = self._lists
        if a == b:
            nothing = np.zeros(0, np.int64)
            return MergePart(self.ranks[a:b], nothing, nothing, nothing, nothing if of.positions else None)
        begins = self._rows(of.begins, a, b + 1)
        # The begins of the range, and the begin of the next key, bound both columns.
        (first, begin), (last, end) = begins[0].tolist(), begins[-1].tolist()
        postings = self._rows(of.postings, first, last)
        contents, tf = (column.astype(np.int64) for column in postings.T)
        # Numbers in the batch become numbers in the segment.
        contents += self._first
        positions = None if of.positions is None else self._read(of.positions, begin, end)
        return MergePart(self.ranks[a:b], begins[1:, 0] - begins[:-1, 0], contents, tf, positions)


class SegmentLists:
    """Posting lists of an older segment for a merge, live documents only.

    Parameters
    ----------
    live
        Segment, numbered as in the new one.
    ranks
        Ranks of its keys, or of `strings`.
    positions
        Whether to read positions.
    strings
        Strings with lists of other numbers, and their numbering, in place of keys.
    """

    def __init__(
        self,
        live: LiveSegment,
        ranks: Ints,
        positions: bool = False,
        strings: tuple[ListedStrings, LiveNumbering] | None = None,
    ) -> None:
        segment = live.segment
        self.ranks, self._positions, self._segment = ranks, positions, segment
        self._coded: Callable[[int, int], NDArray[np.uint8]]
        self._coded, ends, self._numbering = segment.coded, segment.posting_ends, live.contents
        if strings is not None:
            self._coded, ends, self._numbering = strings[0].coded, strings[0].ends, strings[1]
        self.counts: Ints = np.diff(ends.astype(np.int64), prepend=0)  # a posting takes at least one byte

    def part(self, low: int, high: int) -> MergePart:
        a, b = np.searchsorted(self.ranks, (low, high)).tolist()
        sizes = self.counts[a:b]
        contents, tf, first = decode_lists(self._coded(a, b), np.cumsum(sizes) - sizes)
        positions = None
        if self._positions:
            positions = decode_positions(self._segment.coded(a, b, positions=True), tf)
        sizes = np.diff(first, append=contents.size)
        numbers, alive = self._numbering.any_order(contents)
        # Drop the postings of deleted documents, and shrink the lists of their keys.
        if not alive.all():
            if positions is not None:
                positions = positions[np.repeat(alive, tf)]
            key = np.repeat(np.arange(b - a), sizes)[alive]
            sizes = np.bincount(key, minlength=b - a)
            numbers, tf = numbers[alive], tf[alive]
        return MergePart(self.ranks[a:b], sizes, numbers, tf, positions)


def ranges(counts: Ints, limit: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of keys with about `limit` postings each, at least one key."""
    ends = np.cumsum(counts)
    low = 0
    while low < counts.size:
        before = int(ends[low - 1]) if low else 0
        # A key with more postings than the limit forms a range of its own.
        high = max(low + 1, int(np.searchsorted(ends, before + limit, side="right")))
        yield low, high
        low = high


def gather(lists: Sequence[PartLists], low: int, high: int) -> tuple[Ints, Ints, Ints, Ints | None]:
    """Merge the posting lists of all parts for a range of keys, by key and content element.

    Parts are in document order, so appending the lists of each part in turn keeps every list sorted. No comparison is
    needed.

    Returns
    -------
    counts, contents, tf, positions
        Number of postings per key; the postings; the positions, if any.
    """
    parts = [part for of in lists if (part := of.part(low, high)).ranks.size]
    # First pass: the size of each key's list over all parts, which gives its place in the output.
    counts, tokens = np.zeros(high - low, np.int64), np.zeros(high - low, np.int64)
    for part in parts:
        add_sizes(part.ranks, low, part.sizes, part.tf, counts, tokens)
    total = int(counts.sum())
    contents, tf = np.empty(total, np.int64), np.empty(total, np.int64)
    # Write cursors of each key: for postings and for positions.
    ends, filled = np.cumsum(counts) - counts, np.cumsum(tokens) - tokens
    nothing = np.zeros(0, np.int32)
    has_positions = bool(parts) and parts[0].positions is not None  # all parts have them, or none
    positions = np.empty(int(tokens.sum()) if has_positions else 0, np.int64)
    # Second pass: append each part's lists at the cursors, which the kernel advances.
    for part in parts:
        own = nothing if part.positions is None else part.positions
        append_lists(part.ranks, low, part.sizes, part.contents, part.tf, own, ends, filled, (contents, tf, positions))
    return counts, contents, tf, positions if has_positions else None
