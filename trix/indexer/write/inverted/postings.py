"""Inversion of a batch: from the keys of its texts to posting lists, sorted by key.

The segment has the same order, so any range of keys is a contiguous range of each column.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.core.postings import inverted
from trix.indexer.store.numbering import ragged
from trix.support.arrays import Ints


@dataclass(frozen=True)
class Postings:
    """Posting lists of a batch, sorted by key.

    Attributes
    ----------
    vocabulary, numbers
        Table of strings with the keys, and their numbers in it; None if the keys are `strings` themselves.
    strings
        Keys, or the strings of the table that are new since the batches before; joined by newlines.
    starts, begins
        Begin of each key's postings and of its positions; the last entry is the total.
    contents, tf
        Postings, key by key.
    positions
        Positions of all postings; None without positions.
    """

    vocabulary: str = ""
    numbers: Ints | None = None
    strings: bytes = b""
    starts: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    begins: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    contents: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    tf: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    positions: Ints | None = None


class KeyOrder(NamedTuple):
    """Sorted keys of some texts.

    Attributes
    ----------
    vocabulary, numbers, strings
        As in `Postings`.
    ranks
        For each number of the vocabulary, its index in `numbers`; undefined if it is not among them.
    """

    vocabulary: str
    numbers: Ints
    strings: bytes
    ranks: Ints


class SortedVocabulary:
    """Sorted order of a growing table of strings.

    Only new strings are sorted and inserted, since most batches repeat the strings of earlier ones.

    Parameters
    ----------
    strings
        Strings by number.

    Examples
    --------
    >>> strings = ["tree", "node"]
    >>> vocabulary = SortedVocabulary(strings)
    >>> order = vocabulary.order_of(np.array([0, 1, 0]))
    >>> order.numbers.tolist(), order.strings
    ([1, 0], b'tree\\nnode')
    >>> strings.append("root")
    >>> order = vocabulary.order_of(np.array([2, 0]))
    >>> order.numbers.tolist(), order.strings
    ([2, 0], b'root')
    """

    def __init__(self, strings: Sequence[str]) -> None:
        self._strings = strings
        self._order: Ints = np.zeros(0, np.int64)
        self._firsts = np.zeros(0, np.uint64)  # first eight bytes of each string, in sorted order
        self._name = ""

    def order_of(self, numbers: Ints) -> KeyOrder:
        """Return the sorted order of some keys, given by number, and all new strings."""
        self._name = self._name or secrets.token_hex(8)  # set late, so that each forked process has its own name
        new = "\n".join(self._strings[self._order.size :]).encode()
        self._sort_new()
        occurs = np.zeros(self._order.size, np.bool_)
        occurs[numbers] = True
        present = self._order[occurs[self._order]]
        ranks = np.zeros(self._order.size, np.int32)
        ranks[present] = np.arange(present.size, dtype=np.int32)
        return KeyOrder(self._name, present, new, ranks)

    def _sort_new(self) -> None:
        known = self._order.size
        if known == len(self._strings):
            return
        new, order = in_order(self._strings[known:])
        firsts = _first_eights(new)
        # Insertion points by the first eight bytes, which decide almost always.
        places = np.searchsorted(self._firsts, firsts)
        ends = np.searchsorted(self._firsts, firsts, side="right")
        if alike := np.flatnonzero(ends > places).tolist():  # ties after eight bytes: sort them with the old strings
            once = np.diff(places[alike], prepend=-1) > 0
            others = ragged(places[alike][once], (ends - places)[alike][once])
            strings = [self._strings[number] for number in self._order[others].tolist()]
            _, together = in_order([*strings, *(new[at] for at in alike)])
            # In the joint order, a new string goes after the last old string before it.
            is_new = together >= others.size
            before = np.append(0, np.cumsum(~is_new))[:-1][is_new]
            behind = np.append(0, others + 1)[before]
            places[alike] = np.maximum(places[alike], behind)
        self._order = np.insert(self._order, places, order + known)
        self._firsts = np.insert(self._firsts, places, firsts)


def invert(numbers: Ints, counts: Ints, order: KeyOrder, *, positions: bool = False) -> Postings:
    """Invert the keys of content elements into posting lists.

    Parameters
    ----------
    numbers
        Keys of all content elements in order, by number.
    counts
        Number of keys of each content element.
    order
        Sorted order of the keys.
    positions
        Also record the positions of keys in content elements.

    Examples
    --------
    >>> numbers = np.array([1, 0, 1, 0])
    >>> made = invert(numbers, np.array([3, 1]), SortedVocabulary(["tree", "node"]).order_of(numbers), positions=True)
    >>> made.numbers.tolist(), made.starts.tolist(), made.contents.tolist(), made.tf.tolist()
    ([1, 0], [0, 1, 3], [0, 0, 1], [2, 1, 1])
    >>> made.begins.tolist(), made.positions.tolist()
    ([0, 2, 4], [0, 2, 1, 0])
    """
    starts, begins, contents, tf, places = inverted(order.ranks[numbers], counts, order.numbers.size)
    kept = places if positions else None
    return Postings(order.vocabulary, order.numbers, order.strings, starts, begins, contents, tf, kept)


def in_order(strings: Sequence[str]) -> tuple[list[str], Ints]:
    """Sort distinct strings without newlines or NUL; return them, and their old indices.

    >>> in_order(["é", "b", "a"])
    (['a', 'b', 'é'], array([2, 1, 0]))
    """
    if not strings:
        return [], np.zeros(0, np.int64)
    # Compare eight bytes of UTF-8 at a time as a big-endian integer: integers sort three times faster than strings.
    eights, begins, ends = _eights(strings)
    parts = eights[begins].astype(np.uint64) & _FIRST[np.minimum(ends - begins, 8)]
    order = np.argsort(parts)
    parts = parts[order]
    places, groups = np.arange(order.size), np.zeros(order.size, np.int64)
    while True:  # sort ties by the next eight bytes
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


def _eights(strings: Sequence[str]) -> tuple[NDArray[np.uint64], Ints, Ints]:
    """Join strings; return, for every byte, the eight bytes that begin there, and the begin and end of each string."""
    data = np.frombuffer("\n".join(strings).encode("utf-8", "surrogatepass") + bytes(8), np.uint8)
    ends = np.append(np.flatnonzero(data[:-8] == ord("\n")), data.size - 8)
    # A view with stride 1: overlapping big-endian integers, without a copy.
    return np.ndarray(data.size - 7, ">u8", data, strides=(1,)), np.append(0, ends[:-1] + 1), ends


def _first_eights(strings: Sequence[str]) -> NDArray[np.uint64]:
    """Return the first eight bytes of each string as integers, which sort like the strings."""
    eights, begins, ends = _eights(strings)
    found: NDArray[np.uint64] = eights[begins].astype(np.uint64) & _FIRST[np.minimum(ends - begins, 8)]
    return found


_FIRST = np.array([(1 << 64) - (1 << (64 - 8 * size)) for size in range(9)], np.uint64)
"""Masks for the first n of eight bytes."""


def listed(rows: Iterable[tuple[str, int]]) -> Postings:
    """Make posting lists of rows (string, number), whose numbers ascend.

    >>> made = listed([("b", 0), ("a", 3), ("b", 4)])
    >>> made.strings, made.starts.tolist(), made.contents.tolist()
    (b'a\\nb', [0, 1, 3], [3, 0, 4])
    """
    numbers: dict[str, list[int]] = {}
    for string, number in rows:
        numbers.setdefault(string, []).append(number)
    strings = sorted(numbers, key=lambda string: string.encode("utf-8", "surrogateescape"))
    starts = np.cumsum([0, *(len(numbers[string]) for string in strings)])
    contents = np.array([number for string in strings for number in numbers[string]], np.int32)
    keys = "\n".join(strings).encode("utf-8", "surrogateescape")
    return Postings("", None, keys, starts, starts, contents, np.ones_like(contents))
