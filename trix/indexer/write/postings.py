"""From the keys of a chunk's texts to its posting lists, in order of the keys.

In that order, which is the order of the segment, any range of keys is a stretch of each column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from trix.support.arrays import Ints
from trix.support.backend import use_numba


@dataclass
class Postings:
    """The posting lists of a chunk.

    Attributes
    ----------
    keys
        The keys in order, joined by newlines.
    starts, begins
        Of each key: where its postings begin, and where its positions do; in the end, how many there are.
    contents, tf
        The postings, key after key.
    positions
        Those of all postings; None where there are none.
    """

    keys: bytes = b""
    starts: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    begins: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    contents: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    tf: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    positions: Ints | None = None


class Order(NamedTuple):
    """The keys of some texts in order.

    Attributes
    ----------
    keys
        As those of `Postings`.
    size
        How many there are.
    ranks
        Of each number of a vocabulary its place among them; of no meaning where it is none of theirs.
    """

    keys: bytes
    size: int
    ranks: Ints


def order_of(numbers: Ints, vocabulary: Sequence[str]) -> Order:
    """Return the order of keys that are given by their numbers in a vocabulary."""
    held = np.zeros(len(vocabulary), np.bool_)
    held[numbers] = True
    present = np.flatnonzero(held)
    keys, order = in_order([vocabulary[number] for number in present.tolist()])
    ranks = np.zeros(len(vocabulary), np.int32)
    ranks[present[order]] = np.arange(len(order), dtype=np.int32)
    return Order("\n".join(keys).encode(), len(keys), ranks)


def invert(numbers: Ints, counts: Ints, order: Order, *, positions: bool = False) -> Postings:
    """Return the posting lists of some content elements.

    Parameters
    ----------
    numbers
        The keys of all content elements in order, by number.
    counts
        How many each has.
    order
        Of the keys.
    positions
        Also note the place of each key in its content element.

    Examples
    --------
    >>> numbers = np.array([1, 0, 1, 0])
    >>> made = invert(numbers, np.array([3, 1]), order_of(numbers, ["tree", "node"]), positions=True)
    >>> made.keys, made.starts.tolist(), made.contents.tolist(), made.tf.tolist()
    (b'node\\ntree', [0, 1, 3], [0, 0, 1], [2, 1, 1])
    >>> made.begins.tolist(), made.positions.tolist()
    ([0, 2, 4], [0, 2, 1, 0])
    """
    make = _compiled if use_numba() else _sorted
    starts, begins, contents, tf, places = make(order.ranks[numbers], counts, order.size)
    return Postings(order.keys, starts, begins, contents, tf, places if positions else None)


def in_order(strings: Sequence[str]) -> tuple[list[str], Ints]:
    """Return strings, none of which is there twice nor has a line end or a zero in it, in order, and where each was.

    >>> in_order(["é", "b", "a"])
    (['a', 'b', 'é'], array([2, 1, 0]))
    """
    if not strings:
        return [], np.zeros(0, np.int64)
    # Eight bytes of UTF-8 at a time as one integer: numbers are sorted in a third of the time that strings take.
    data = np.frombuffer("\n".join(strings).encode("utf-8", "surrogatepass") + bytes(8), np.uint8)
    ends = np.append(np.flatnonzero(data[:-8] == ord("\n")), data.size - 8)
    eights = np.ndarray(data.size - 7, ">u8", data, strides=(1,))  # those from each byte on
    begins = np.append(0, ends[:-1] + 1)
    parts = eights[begins].astype(np.uint64) & _FIRST[np.minimum(ends - begins, 8)]
    order = np.argsort(parts)
    parts = parts[order]
    places, groups = np.arange(order.size), np.zeros(order.size, np.int64)
    while True:  # sort those that are equal so far by the bytes that follow
        equal = (parts[1:] == parts[:-1]) & (groups[1:] == groups[:-1])
        tied = np.append(equal, False) | np.append(False, equal)
        if not tied.any():
            return [strings[number] for number in order.tolist()], order
        places, groups = places[tied], np.cumsum(np.append(True, ~equal))[tied]
        own = order[places]
        begins[own] = np.minimum(begins[own] + 8, ends[own])
        parts = eights[begins[own]].astype(np.uint64) & _FIRST[np.minimum(ends[own] - begins[own], 8)]
        by = np.lexsort((parts, groups))
        order[places], parts = own[by], parts[by]


_FIRST = np.array([(1 << 64) - (1 << (64 - 8 * size)) for size in range(9)], np.uint64)
"""Of eight bytes as one integer the first so many."""


def listed(rows: Iterable[tuple[str, int]]) -> Postings:
    """Return the lists of strings of rows, whose numbers ascend.

    >>> made = listed([("b", 0), ("a", 3), ("b", 4)])
    >>> made.keys, made.starts.tolist(), made.contents.tolist()
    (b'a\\nb', [0, 1, 3], [3, 0, 4])
    """
    numbers: dict[str, list[int]] = {}
    for string, number in rows:
        numbers.setdefault(string, []).append(number)
    strings = sorted(numbers, key=lambda string: string.encode("utf-8", "surrogateescape"))
    starts = np.cumsum([0, *(len(numbers[string]) for string in strings)])
    contents = np.array([number for string in strings for number in numbers[string]], np.int32)
    keys = "\n".join(strings).encode("utf-8", "surrogateescape")
    return Postings(keys, starts, starts, contents, np.ones_like(contents))


def _sorted(ranks: Ints, counts: Ints, keys: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the columns of the lists of keys that are numbered in order."""
    owner = np.repeat(np.arange(counts.size), counts)
    order = np.argsort(ranks, kind="stable")
    ranks, owner = ranks[order], owner[order]
    first = np.ones(ranks.size, np.bool_)
    first[1:] = (ranks[1:] != ranks[:-1]) | (owner[1:] != owner[:-1])
    at = np.flatnonzero(first)
    starts = np.searchsorted(ranks[at], np.arange(keys + 1))
    begins = np.searchsorted(ranks, np.arange(keys + 1))
    places = np.arange(ranks.size) - np.repeat(np.cumsum(counts) - counts, counts)
    tf = np.diff(at, append=ranks.size)
    return starts, begins, owner[at].astype(np.int32), tf.astype(np.int32), places[order].astype(np.int32)


def _compiled(ranks: Ints, counts: Ints, keys: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Do it in a loop."""
    from trix.indexer.write.postings_loops import count_lists, fill_lists

    starts, begins = np.zeros(keys + 1, np.int64), np.zeros(keys + 1, np.int64)
    count_lists(ranks, counts, starts, begins)
    contents, tf, places = (np.empty(size, np.int32) for size in (starts[-1], starts[-1], ranks.size))
    fill_lists(ranks, counts, starts[:-1], begins[:-1], contents, tf, places)
    return starts, begins, contents, tf, places
