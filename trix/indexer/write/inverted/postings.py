"""From the keys of a batch's texts to its posting lists, in order of the keys.

In that order, which is the order of the segment, any range of keys is a stretch of each column.
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
    """The posting lists of a batch, in order of their keys.

    Attributes
    ----------
    vocabulary, numbers
        Which table of strings the keys are in, and their numbers there; None where they are `strings`.
    strings
        The keys, or those of the table that no batch before has brought; joined by newlines.
    starts, begins
        Of each key: where its postings begin, and where its positions do; in the end, how many there are.
    contents, tf
        The postings, key after key.
    positions
        Those of all postings; None where there are none.
    """

    vocabulary: str = ""
    numbers: Ints | None = None
    strings: bytes = b""
    starts: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    begins: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    contents: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    tf: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    positions: Ints | None = None


class Order(NamedTuple):
    """The keys of some texts in order.

    Attributes
    ----------
    vocabulary, numbers, strings
        As those of `Postings`.
    ranks
        Of each number of the vocabulary its place among `numbers`; of no meaning where it is not there.
    """

    vocabulary: str
    numbers: Ints
    strings: bytes
    ranks: Ints


class Vocabulary:
    """The order of strings that become more: only new ones are sorted, since most batches hold what those before held.

    Parameters
    ----------
    strings
        By number.

    Examples
    --------
    >>> strings = ["tree", "node"]
    >>> vocabulary = Vocabulary(strings)
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
        self._firsts = np.zeros(0, np.uint64)  # of each string in order its first eight bytes
        self._name = ""

    def order_of(self, numbers: Ints) -> Order:
        """Return the order of keys that are given by their numbers, with all strings that are new."""
        self._name = self._name or secrets.token_hex(8)  # not before: processes that are started later have their own
        new = "\n".join(self._strings[self._order.size :]).encode()
        self._sort_new()
        held = np.zeros(self._order.size, np.bool_)
        held[numbers] = True
        present = self._order[held[self._order]]
        ranks = np.zeros(self._order.size, np.int32)
        ranks[present] = np.arange(present.size, dtype=np.int32)
        return Order(self._name, present, new, ranks)

    def _sort_new(self) -> None:
        known = self._order.size
        if known == len(self._strings):
            return
        new, order = in_order(self._strings[known:])
        firsts = _first_eights(new)
        places = np.searchsorted(self._firsts, firsts)
        ends = np.searchsorted(self._firsts, firsts, side="right")
        if alike := np.flatnonzero(ends > places).tolist():  # as far as eight bytes tell: sorted with those that are
            once = np.diff(places[alike], prepend=-1) > 0
            others = ragged(places[alike][once], (ends - places)[alike][once])
            strings = [self._strings[number] for number in self._order[others].tolist()]
            _, together = in_order([*strings, *(new[at] for at in alike)])
            is_new = together >= others.size
            before = np.append(0, np.cumsum(~is_new))[:-1][is_new]
            behind = np.append(0, others + 1)[before]
            places[alike] = np.maximum(places[alike], behind)
        self._order = np.insert(self._order, places, order + known)
        self._firsts = np.insert(self._firsts, places, firsts)


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
    >>> made = invert(numbers, np.array([3, 1]), Vocabulary(["tree", "node"]).order_of(numbers), positions=True)
    >>> made.numbers.tolist(), made.starts.tolist(), made.contents.tolist(), made.tf.tolist()
    ([1, 0], [0, 1, 3], [0, 0, 1], [2, 1, 1])
    >>> made.begins.tolist(), made.positions.tolist()
    ([0, 2, 4], [0, 2, 1, 0])
    """
    starts, begins, contents, tf, places = inverted(order.ranks[numbers], counts, order.numbers.size)
    kept = places if positions else None
    return Postings(order.vocabulary, order.numbers, order.strings, starts, begins, contents, tf, kept)


def in_order(strings: Sequence[str]) -> tuple[list[str], Ints]:
    """Return strings, none of which is there twice nor has a line end or a zero in it, in order, and where each was.

    >>> in_order(["é", "b", "a"])
    (['a', 'b', 'é'], array([2, 1, 0]))
    """
    if not strings:
        return [], np.zeros(0, np.int64)
    # Eight bytes of UTF-8 at a time as one integer: numbers are sorted in a third of the time that strings take.
    eights, begins, ends = _eights(strings)
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


def _eights(strings: Sequence[str]) -> tuple[NDArray[np.uint64], Ints, Ints]:
    """Return the eight bytes from each byte of some strings on, and where each string begins and ends."""
    data = np.frombuffer("\n".join(strings).encode("utf-8", "surrogatepass") + bytes(8), np.uint8)
    ends = np.append(np.flatnonzero(data[:-8] == ord("\n")), data.size - 8)
    return np.ndarray(data.size - 7, ">u8", data, strides=(1,)), np.append(0, ends[:-1] + 1), ends


def _first_eights(strings: Sequence[str]) -> NDArray[np.uint64]:
    """Return the first eight bytes of each of some strings as integers, which are in the order of the strings."""
    eights, begins, ends = _eights(strings)
    found: NDArray[np.uint64] = eights[begins].astype(np.uint64) & _FIRST[np.minimum(ends - begins, 8)]
    return found


_FIRST = np.array([(1 << 64) - (1 << (64 - 8 * size)) for size in range(9)], np.uint64)
"""Of eight bytes as one integer the first so many."""


def listed(rows: Iterable[tuple[str, int]]) -> Postings:
    """Return the lists of strings of rows, whose numbers ascend.

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
