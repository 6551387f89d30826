"""The words of an index before stemming, and in how many documents each is: what wildcards, fuzzy words and
suggestions look up [QUERY, section 7].

A segment keeps its words, sorted, and for each the documents that hold it. So the words of an index, and their counts,
are those of the documents that live. Words on the stop list are not kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from trix.indexer.commit.sections import Bytes
from trix.indexer.store.elements import distinct
from trix.indexer.store.inverted.postings import decode_postings
from trix.indexer.store.numbering import Numbering, ragged
from trix.indexer.store.strings import StringTable
from trix.indexer.words.edits import MOST, edits_to_each
from trix.indexer.words.spelling import plain_spelling

Ints = NDArray[Any]

WILD = re.compile(r"[*?]")
"""What stands for any letters, and for one."""


class SegmentWords:
    """The words of a segment.

    Parameters
    ----------
    table
        The words, sorted by their UTF-8 bytes.
    data, ends
        For each the coded numbers of its documents, and where they end.
    """

    def __init__(self, table: StringTable, data: Bytes, ends: Ints) -> None:
        self.table, self._data, self.ends = table, data, ends
        self._alike: dict[str, dict[str, list[int]]] = {}

    def coded(self, low: int, high: int) -> NDArray[np.uint8]:
        """Return the coded documents of the words ``[low, high)`` one after another."""
        begin, end = int(self.ends[low - 1]) if low else 0, int(self.ends[high - 1]) if high else 0
        return np.frombuffer(self._data[begin:end], np.uint8)

    def documents(self, number: int) -> Ints:
        """Return the documents that hold a word, ascending, in numbers of the segment."""
        return decode_postings(self.coded(number, number + 1))[0]

    def counts_of(self, numbers: Ints) -> Ints:
        """In how many documents each of some words (ascending numbers) is, also deleted ones."""
        if not numbers.size:
            return np.zeros(0, np.int64)
        low, high = int(numbers[0]), int(numbers[-1]) + 1
        coded, ends = self.coded(low, high), self.ends[low:high].astype(np.int64)
        ends -= int(self.ends[low - 1]) if low else 0
        sizes = np.diff(ends, prepend=0)[numbers - low]
        if numbers.size < high - low:
            coded = coded[ragged(ends[numbers - low] - sizes, sizes)]
        last = coded < 128  # a document is a number, of which this is the last byte
        return np.add.reduceat(last, np.cumsum(sizes) - sizes, dtype=np.int64)

    @cached_property
    def _columns(self) -> tuple[NDArray[np.uint8], Ints]:
        """The bytes of all words one behind the other, and where each ends."""
        return self.table.columns()

    @cached_property
    def _bytes(self) -> bytes:
        return self._columns[0].tobytes()

    @cached_property
    def _marked(self) -> Ints:
        """The numbers of the words that are not all ASCII, ascending."""
        data, ends = self._columns
        return distinct(np.searchsorted(ends, np.flatnonzero(data > 127), side="right"))

    @cached_property
    def _letters(self) -> list[tuple[Ints, Ints, Ints, Ints]]:
        """Code points, and the numbers of words, where each begins among these, and how long it is.

        First the words in ASCII, whose bytes these are, then the others.
        """
        data, ends = self._columns
        sizes = np.diff(ends, prepend=0)
        begins, marked = ends - sizes, self._marked
        plain = np.ones(ends.size, np.bool_)
        plain[marked] = False
        ascii_ = np.flatnonzero(plain)
        coded = data[ragged(begins[marked], sizes[marked])]
        text = coded.tobytes().decode("utf-8", "surrogateescape")
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        first = (coded & 0xC0) != 0x80  # the first byte of each letter
        lengths = np.diff(np.cumsum(first)[np.cumsum(sizes[marked]) - 1], prepend=0)
        return [
            (data, ascii_, begins[ascii_], sizes[ascii_]),
            (codes, marked, np.cumsum(lengths) - lengths, lengths),
        ]

    def alike(self, word: str, accents: str) -> Ints:
        """Return the numbers of the words that are spelt alike where accents do not count, ascending."""
        plain = plain_spelling(word, accents)
        found = [*self._changed(accents).get(plain, ()), self.table.find(plain)]
        return np.array(sorted({number for number in found if number >= 0}), np.int64)

    def _changed(self, accents: str) -> dict[str, list[int]]:
        """Return the numbers of the words that are not written plainly, by their plain spelling."""
        if accents not in self._alike:
            numbers = self._marked
            words = [self.table[number] for number in numbers.tolist()]
            found: dict[str, list[int]] = {}
            folded = (
                plain_spelling("\n".join(words), accents).split("\n") if words else []
            )  # at once: that is ten times as fast
            for number, word, plain in zip(numbers.tolist(), words, folded, strict=True):
                if word != plain:
                    found.setdefault(plain, []).append(number)
            self._alike[accents] = found
        return self._alike[accents]

    def fitting(self, pattern: str) -> Ints:
        """Return the numbers of the words that fit a pattern with ``*`` and ``?``, ascending."""
        literal = max(WILD.split(pattern), key=len)  # the longest run of letters leads to the words that are looked at
        if pattern.startswith(literal):
            numbers = np.arange(*self.table.beginning(literal))
            if pattern == f"{literal}*":
                return numbers
        else:
            numbers = self._with(literal)
        fits = re.compile(as_expression(pattern)).fullmatch
        return numbers[[fits(self.table[number]) is not None for number in numbers.tolist()]]

    def _with(self, letters: str) -> Ints:
        """Return the numbers of the words in which some letters stand in a row, ascending."""
        sought, text, found = letters.encode("utf-8", "surrogateescape"), self._bytes, list[int]()
        at = text.find(sought)
        while at >= 0:
            found.append(at)
            at = text.find(sought, at + 1)
        places, ends = np.array(found, np.int64), self._columns[1]
        numbers = np.searchsorted(ends, places, side="right")
        return distinct(numbers[places + len(sought) <= ends[numbers]])  # others begin in one word and end in the next

    def near(self, word: str, edits: int, first_letter: bool) -> Ints:
        """Return the numbers of the words within some edits of a word, ascending."""
        found: list[Ints] = [np.zeros(0, np.int64)]
        for codes, numbers, begins, lengths in self._letters:
            for length in range(max(1, len(word) - edits), len(word) + edits + 1):
                own = np.flatnonzero(lengths == length)
                if first_letter:
                    own = own[codes[begins[own]] == ord(word[0])]
                away = edits_to_each(word, codes[begins[own] + np.arange(length)[:, None]], edits)
                found.append(numbers[own[away <= edits]])
        return np.sort(np.concatenate(found))


def as_expression(pattern: str) -> str:
    """Return the regular expression of a pattern.

    >>> as_expression("colo?r*")
    'colo[^\\\\n]r[^\\\\n]*'
    """
    return "".join("[^\n]*" if c == "*" else "[^\n]" if c == "?" else re.escape(c) for c in pattern).replace(
        "\n", "\\n"
    )


class Living(Protocol):
    """What is asked of `trix.indexer.store.live.LiveSegment`."""

    documents: Numbering
    is_whole: bool

    @property
    def words(self) -> SegmentWords | None:
        """The words of the segment."""


class Words:
    """The words of the documents that live.

    Parameters
    ----------
    live
        The segments.
    """

    def __init__(self, live: Iterable[Living]) -> None:
        self._parts = [(of, of.words) for of in live]

    @property
    def known(self) -> bool:
        """Whether they were kept; an earlier build kept none."""
        return all(words is not None for _, words in self._parts)

    def count(self, word: str) -> int:
        """Return how many documents hold a word."""
        return self._counted(lambda words: np.array([n for n in [words.table.find(word)] if n >= 0], np.int64)).get(
            word, 0
        )

    def alike(self, word: str, accents: str = "fold") -> list[str]:
        """Return the words that differ from a word in accents and ligatures alone, sorted; also the word itself."""
        found = set[str]()
        for live, words in self._parts:
            if words is not None:
                numbers = words.alike(word, accents)
                if not live.is_whole:
                    numbers = numbers[_living(words, numbers, live.documents) > 0]
                found.update(words.table[number] for number in numbers.tolist())
        return sorted(found)

    def fitting(self, pattern: str) -> dict[str, int]:
        """Return the words that fit a pattern, in which ``*`` is any letters and ``?`` one, and their counts.

        The words in the most documents come first, then by their letters.
        """
        return self._counted(lambda words: words.fitting(pattern))

    def beginning(self, text: str, most: int) -> dict[str, int]:
        """Return the `most` words in the most documents that begin with a text, in the same order.

        Of each segment the most frequent are looked at, more of them until no other word can be among the first.
        """
        ranges = [(live, words, *words.table.beginning(text)) for live, words in self._parts if words is not None]
        size = most
        while True:
            found: set[str] = set()
            rest, whole = 0, True
            for _, words, low, high in ranges:
                counts = words.counts_of(np.arange(low, high))
                chosen = np.argsort(-counts, kind="stable")[:size]
                found.update(words.table[low + int(number)] for number in chosen)
                if chosen.size < counts.size:
                    whole, rest = False, rest + int(counts[chosen[-1]])
            counted = {word: count for word in found if (count := self.count(word))}
            best = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:most]
            if whole or (len(best) == most and best[-1][1] > rest):
                return dict(best)
            size *= 4

    def near(self, word: str, edits: int, *, first_letter: bool = False) -> dict[str, int]:
        """Return the words within 1 or 2 edits of a word, and their counts, in the same order."""
        return self._counted(lambda words: words.near(word, min(edits, MOST), first_letter))

    def _counted(self, chosen: Callable[[SegmentWords], Ints]) -> dict[str, int]:
        found: dict[str, int] = {}
        for live, words in self._parts:
            if words is None:
                continue
            numbers = chosen(words)
            counts = words.counts_of(numbers) if live.is_whole else _living(words, numbers, live.documents)
            for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
                if count:
                    word = words.table[number]
                    found[word] = found.get(word, 0) + count
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def _living(words: SegmentWords, numbers: Ints, documents: Numbering) -> Ints:
    """Return how many documents that live hold each word."""
    return np.array([documents.kept(words.documents(number))[1].size for number in numbers.tolist()], np.int64)
