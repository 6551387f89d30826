"""The posting lists of a range of keys, brought together from all chunks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[Any]


class ChunkLists:
    """A chunk's posting lists by rank of the key among all keys."""

    def __init__(self, path: Path, ranks: Ints, starts: Ints, first_content: int) -> None:
        self.path, self.first_content = path, first_content
        order = np.argsort(ranks)
        self.ranks = ranks[order]
        size = np.load(f"{path}.tf.npy", mmap_mode="r").size
        self.starts = starts[order]
        self.counts = np.diff(starts, append=size)[order]

    def load(self, name: str) -> Ints:
        array: Ints = np.load(f"{self.path}.{name}.npy", mmap_mode="r")
        return array


def ranges(counts: Ints, limit: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of keys with about `limit` postings each."""
    ends = np.cumsum(counts)
    low = 0
    while low < counts.size:
        before = int(ends[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(ends, before + limit, side="right")))
        yield low, high
        low = high


def _ragged(starts: Ints, counts: Ints) -> Ints:
    """Return start, start + 1, .. for each (start, count), one behind the other.

    >>> _ragged(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if ends.size else 0
    ragged: Ints = np.arange(total) + np.repeat(starts - (ends - counts), counts)
    return ragged


def gather(
    lists: list[ChunkLists], low: int, high: int, counts: Ints, with_positions: bool
) -> tuple[Ints, Ints, Ints | None]:
    """Bring the posting lists of a range of keys together, in order of key and content element."""
    total = int(counts.sum())
    contents, tf = np.empty(total, np.int64), np.empty(total, np.int64)
    fill = np.cumsum(counts) - counts
    moves: list[tuple[ChunkLists, Ints, Ints]] = []
    for chunk in lists:
        a, b = np.searchsorted(chunk.ranks, (low, high))
        if a == b:
            continue
        own, sizes = chunk.ranks[a:b] - low, chunk.counts[a:b]
        source, target = _ragged(chunk.starts[a:b], sizes), _ragged(fill[own], sizes)
        contents[target] = chunk.load("contents")[source].astype(np.int64) + chunk.first_content
        tf[target] = chunk.load("tf")[source]
        fill[own] += sizes
        if with_positions:
            moves.append((chunk, source, target))
    if not with_positions:
        return contents, tf, None
    positions = np.empty(int(tf.sum()), np.int64)
    begin = np.cumsum(tf) - tf
    for chunk, source, target in moves:
        all_tf = chunk.load("tf")
        chunk_begin = np.cumsum(all_tf, dtype=np.int64) - all_tf
        sizes = all_tf[source].astype(np.int64)
        positions[_ragged(begin[target], sizes)] = chunk.load("positions")[_ragged(chunk_begin[source], sizes)]
    return contents, tf, positions
