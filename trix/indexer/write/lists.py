"""The posting lists of a range of keys, brought together from all parts of a segment: chunks, or older segments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.inverted.postings import decode_lists, decode_positions
from trix.indexer.store.live import LiveSegment
from trix.indexer.store.numbering import Numbering, ragged
from trix.indexer.store.strings import ListedStrings

Ints = NDArray[Any]


@dataclass
class Listed:
    """Strings that have numbers, as a chunk hands them on.

    Attributes
    ----------
    lines
        The strings, joined by newlines, in order of their numbers: a list of strings takes ten times the memory.
    starts
        Where the numbers of each begin.
    numbers
        Ascending for each string, from 0 in the chunk.
    """

    lines: bytes = b""
    starts: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    numbers: Ints = field(default_factory=lambda: np.zeros(0, np.int32))

    @classmethod
    def of(cls, rows: Iterable[tuple[str, int]]) -> Listed:
        """Return the strings of rows, whose numbers ascend.

        >>> Listed.of([("b", 0), ("a", 3), ("b", 4)])
        Listed(lines=b'b\\na', starts=array([0, 2]), numbers=array([0, 4, 3], dtype=int32))
        """
        numbers: dict[str, list[int]] = {}
        for string, number in rows:
            numbers.setdefault(string, []).append(number)
        sizes = np.array([len(own) for own in numbers.values()], np.int64)
        every = [number for own in numbers.values() for number in own]
        lines = "\n".join(numbers).encode("utf-8", "surrogateescape")
        return cls(lines, np.cumsum(sizes) - sizes, np.array(every, np.int32))


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
    counts: Ints

    def part(self, low: int, high: int) -> Part:
        """Return the lists of the keys whose ranks are ``[low, high)``."""


class ChunkLists:
    """A chunk's posting lists, which lie in scratch files.

    Parameters
    ----------
    path
        Without the endings ``.contents.npy``, ``.tf.npy`` and ``.positions.npy``.
    ranks, starts
        Of each key, and where its postings begin.
    first_content
        The number of the chunk's first content element in the segment.
    positions
        Whether there are positions.
    """

    def __init__(self, path: Path, ranks: Ints, starts: Ints, first_content: int, positions: bool) -> None:
        self.path, self.first_content, self._positions = path, first_content, positions
        order = np.argsort(ranks)
        self.ranks = ranks[order]
        size = np.load(f"{path}.tf.npy", mmap_mode="r").size
        self.starts = starts[order]
        self.counts = np.diff(starts, append=size)[order]

    def _load(self, name: str) -> Ints:
        array: Ints = np.load(f"{self.path}.{name}.npy", mmap_mode="r")
        return array

    def part(self, low: int, high: int) -> Part:
        """Return the lists of the keys whose ranks are ``[low, high)``."""
        a, b = np.searchsorted(self.ranks, (low, high))
        sizes = self.counts[a:b]
        source = ragged(self.starts[a:b], sizes)
        contents = self._load("contents")[source].astype(np.int64) + self.first_content
        all_tf = self._load("tf")
        tf = all_tf[source].astype(np.int64)
        positions = None
        if self._positions:
            begin = np.cumsum(all_tf, dtype=np.int64) - all_tf
            positions = self._load("positions")[ragged(begin[source], tf)]
        return Part(self.ranks[a:b], sizes, contents, tf, positions)


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
    counts = np.zeros(high - low, np.int64)
    for part in parts:
        counts[part.ranks - low] += part.sizes
    total = int(counts.sum())
    contents, tf = np.empty(total, np.int64), np.empty(total, np.int64)
    fill = np.cumsum(counts) - counts
    targets: list[Ints] = []
    for part in parts:
        own = part.ranks - low
        target = ragged(fill[own], part.sizes)
        contents[target], tf[target] = part.contents, part.tf
        fill[own] += part.sizes
        targets.append(target)
    if not parts or parts[0].positions is None:
        return counts, contents, tf, None
    positions: Ints = np.empty(int(tf.sum()), np.int64)
    begin = np.cumsum(tf) - tf
    for part, target in zip(parts, targets, strict=True):
        assert part.positions is not None
        positions[ragged(begin[target], part.tf)] = part.positions
    return counts, contents, tf, positions
