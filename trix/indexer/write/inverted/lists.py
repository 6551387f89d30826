"""The posting lists of a range of keys, brought together from all parts of a segment: batches, or older segments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trix.core.postings import add_sizes, append_lists
from trix.indexer.store.inverted.postings import decode_lists, decode_positions
from trix.indexer.store.live import LiveSegment
from trix.indexer.store.numbering import Numbering
from trix.indexer.store.strings import ListedStrings
from trix.indexer.write.inverted.postings import Postings
from trix.indexer.write.inverted.spill import SpillFile, SpillFiles, Stretch
from trix.support.arrays import Ints


class Part(NamedTuple):
    """The posting lists that one part has for a range of keys.

    Attributes
    ----------
    ranks, sizes
        Of each key: its rank among all keys, ascending, and how many postings it has.
    contents, tf
        The postings, key after key; content elements by their number in the new segment.
    positions
        Those of the postings, where there are any.
    """

    ranks: Ints
    sizes: Ints
    contents: Ints
    tf: Ints
    positions: Ints | None


class Lists(Protocol):
    """What a part says of its keys.

    Attributes
    ----------
    ranks
        Of its keys among all keys, ascending.
    counts
        At most so many postings has each.
    """

    ranks: Ints

    @property
    def counts(self) -> Ints: ...
    def part(self, low: int, high: int) -> Part:
        """Return the lists of the keys whose ranks are ``[low, high)``."""


class PartKeys(NamedTuple):
    """The keys of a part's lists, in order.

    Attributes
    ----------
    strings
        Joined by newlines: the keys or, where there are `numbers`, those that the parts before did not bring.
    vocabulary, numbers
        The table that these strings are in, one part's behind the other's, and the numbers of the keys in it.
    """

    strings: bytes | Stretch = b""
    vocabulary: str = ""
    numbers: Stretch | None = None

    def text(self) -> str:
        """Return the strings."""
        return (self.strings if isinstance(self.strings, bytes) else self.strings.read().tobytes()).decode()


class SpilledLists(NamedTuple):
    """The posting lists of a batch that wait on disk, see `Postings`; what is read together stands side by side.

    Attributes
    ----------
    keys
        Of the lists.
    begins
        For each key, and for their end, where its postings begin, and where its positions do.
    postings
        For each its content element and tf.
    positions
        Those of all postings; None where there are none.
    """

    keys: PartKeys
    begins: Stretch
    postings: Stretch
    positions: Stretch | None


def write_postings(postings: Postings, spill: SpillFile) -> SpilledLists:
    """Let the posting lists of a batch wait."""
    p, put = postings, spill.put
    strings = put(np.frombuffer(p.strings, np.uint8))
    keys = PartKeys(strings, p.vocabulary, None if p.numbers is None else put(p.numbers.astype(np.int32)))
    begins, held = np.stack([p.starts, p.begins], axis=1), np.stack([p.contents, p.tf], axis=1)
    return SpilledLists(keys, put(begins), put(held), None if p.positions is None else put(p.positions))


class BatchLists:
    """A batch's posting lists, which wait on disk: a stretch of each column for any range of keys.

    Of a large collection there are many batches, so no more than four bytes a key are in memory.

    Parameters
    ----------
    lists, files
        Where they wait.
    ranks
        Of its keys, ascending.
    first
        The number of the batch's first content element in the segment.
    """

    def __init__(self, lists: SpilledLists, files: SpillFiles, ranks: Ints, *, first: int) -> None:
        self._lists, self._read, self.ranks, self._first = lists, files.read, ranks, first

    @property
    def counts(self) -> Ints:
        """How many postings each key has."""
        return np.diff(self._rows(self._lists.begins, 0, self.ranks.size + 1)[:, 0])

    def _rows(self, of: Stretch, low: int, high: int) -> Ints:
        return self._read(of, 2 * low, 2 * high).reshape(-1, 2)

    def part(self, low: int, high: int) -> Part:
        """Return the lists of the keys whose ranks are ``[low, high)``."""
        a, b = np.searchsorted(self.ranks, (low, high)).tolist()
        of = self._lists
        if a == b:
            nothing = np.zeros(0, np.int64)
            return Part(self.ranks[a:b], nothing, nothing, nothing, nothing if of.positions else None)
        begins = self._rows(of.begins, a, b + 1)
        (first, begin), (last, end) = begins[0].tolist(), begins[-1].tolist()
        postings = self._rows(of.postings, first, last)
        contents, tf = (column.astype(np.int64) for column in postings.T)
        contents += self._first
        positions = None if of.positions is None else self._read(of.positions, begin, end)
        return Part(self.ranks[a:b], begins[1:, 0] - begins[:-1, 0], contents, tf, positions)


class SegmentLists:
    """The posting lists of what lives of a segment, which is merged into a new one.

    Parameters
    ----------
    live
        The segment, numbered as it will be in the new one.
    ranks
        Of its keys, or of the strings.
    positions
        Whether there are positions.
    strings
        Whose lists these are if not the keys', and the numbering of what they hold.
    """

    def __init__(
        self,
        live: LiveSegment,
        ranks: Ints,
        positions: bool = False,
        strings: tuple[ListedStrings, Numbering] | None = None,
    ) -> None:
        segment = live.segment
        self.ranks, self._positions, self._segment = ranks, positions, segment
        self._coded: Callable[[int, int], NDArray[np.uint8]]
        self._coded, ends, self._numbering = segment.coded, segment.posting_ends, live.contents
        if strings is not None:
            self._coded, ends, self._numbering = strings[0].coded, strings[0].ends, strings[1]
        self.counts: Ints = np.diff(ends.astype(np.int64), prepend=0)  # a byte a posting at least

    def part(self, low: int, high: int) -> Part:
        """Return the lists of the keys whose ranks are ``[low, high)``."""
        a, b = np.searchsorted(self.ranks, (low, high)).tolist()
        sizes = self.counts[a:b]
        contents, tf, first = decode_lists(self._coded(a, b), np.cumsum(sizes) - sizes)
        positions = None
        if self._positions:
            positions = decode_positions(self._segment.coded(a, b, positions=True), tf)
        sizes = np.diff(first, append=contents.size)
        numbers, alive = self._numbering.any_order(contents)
        if not alive.all():
            if positions is not None:
                positions = positions[np.repeat(alive, tf)]
            key = np.repeat(np.arange(b - a), sizes)[alive]
            sizes = np.bincount(key, minlength=b - a)
            numbers, tf = numbers[alive], tf[alive]
        return Part(self.ranks[a:b], sizes, numbers, tf, positions)


def ranges(counts: Ints, limit: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of keys with about `limit` postings each."""
    ends = np.cumsum(counts)
    low = 0
    while low < counts.size:
        before = int(ends[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(ends, before + limit, side="right")))
        yield low, high
        low = high


def gather(lists: Sequence[Lists], low: int, high: int) -> tuple[Ints, Ints, Ints, Ints | None]:
    """Bring the posting lists of a range of keys together, in order of key and content element.

    Returns
    -------
    counts, contents, tf, positions
        How many postings each key has; the postings; the positions, where there are any.
    """
    parts = [part for of in lists if (part := of.part(low, high)).ranks.size]
    counts, tokens = np.zeros(high - low, np.int64), np.zeros(high - low, np.int64)
    for part in parts:
        add_sizes(part.ranks, low, part.sizes, part.tf, counts, tokens)
    total = int(counts.sum())
    contents, tf = np.empty(total, np.int64), np.empty(total, np.int64)
    ends, filled = np.cumsum(counts) - counts, np.cumsum(tokens) - tokens
    nothing = np.zeros(0, np.int32)
    held = bool(parts) and parts[0].positions is not None
    positions = np.empty(int(tokens.sum()) if held else 0, np.int64)
    for part in parts:
        own = nothing if part.positions is None else part.positions
        append_lists(part.ranks, low, part.sizes, part.contents, part.tf, own, ends, filled, (contents, tf, positions))
    return counts, contents, tf, positions if held else None
