"""The words of an index before stemming, and in how many documents each is: what wildcards, fuzzy words and
suggestions look up [QUERY, section 7].

A segment keeps its words, sorted, and for each the documents that hold it. So the words of an index, and their counts,
are those of the documents that live. Words on the stop list are not kept.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.elements import distinct
from trix.indexer.store.numbering import Numbering
from trix.indexer.store.strings import ListedStrings, StringTable, most_frequent
from trix.indexer.words.edits import MOST, edits_to_each
from trix.indexer.words.spelling import plain_spellings
from trix.support.arrays import Ints

WILD = re.compile(r"[*?]")
"""What stands for any letters, and for one."""


class SegmentWords(ListedStrings):
    """The words of a segment, with the documents that hold them.

    Parameters
    ----------
    table, data, ends
        See `ListedStrings`.
    """

    def __init__(self, table: StringTable, data: Any, ends: Ints) -> None:
        super().__init__(table, data, ends)
        self._plain: dict[str, tuple[Ints, list[str]]] = {}
        self._alike: dict[str, dict[str, list[int]]] = {}
        self._ordered: dict[str, list[str]] = {}
        self._others: dict[str | None, _Letters] = {}

    @cached_property
    def _columns(self) -> tuple[NDArray[np.uint8], Ints]:
        """The bytes of all words one behind the other, and where each ends."""
        return self.table.columns()

    @cached_property
    def _bytes(self) -> bytes:
        return self._columns[0].tobytes()

    @cached_property
    def _marked(self) -> Ints:
        """The numbers of the words that are not all ASCII, ascending; no other has an accent or a ligature."""
        data, ends = self._columns
        return distinct(np.searchsorted(ends, np.flatnonzero(data > 127), side="right"))

    @cached_property
    def _marked_words(self) -> list[str]:
        """These words; no word has a line break, so all are decoded at once, which is ten times as fast."""
        data, ends = self._columns
        numbers = self._marked
        begins = np.where(numbers > 0, ends[numbers - 1], 0)
        raw = data.data
        each = (raw[begin:end] for begin, end in zip(begins.tolist(), ends[numbers].tolist(), strict=True))
        return b"\n".join(each).decode("utf-8", "surrogateescape").split("\n") if numbers.size else []

    def _plainly(self, accents: str) -> tuple[Ints, list[str]]:
        """Return the plain spellings of these words, and the number of the word that each is of.

        They are worked out for all words at once. A word with a second plain spelling stands twice.
        """
        if accents not in self._plain:
            numbers, words = self._marked, self._marked_words
            first, *others = plain_spellings("\n".join(words), accents)
            found = first.split("\n") if words else []
            for other in others:
                rest = other.split("\n")
                two = [at for at, (one, another) in enumerate(zip(found, rest, strict=True)) if one != another]
                numbers, found = np.concatenate([numbers, numbers[two]]), [*found, *(rest[at] for at in two)]
            self._plain[accents] = numbers, found
        return self._plain[accents]

    def alike(self, word: str, accents: str) -> Ints:
        """Return the numbers of the words that are spelt alike where accents do not count, ascending."""
        changed, found = self._changed(accents), set[int]()
        for plain in plain_spellings(word, accents):
            found.update(changed.get(plain, ()), [self.table.find(plain)])
        return np.array(sorted(found - {-1}), np.int64)

    def beginning(self, text: str, accents: str | None = None) -> Ints:
        """Return the numbers of the words that begin with a text, ascending; with `accents` in plain spelling."""
        spellings = [plain or text for plain in plain_spellings(text, accents)] if accents else [text]
        found = [np.arange(*self.table.beginning(begun), dtype=np.int64) for begun in spellings]
        if accents:
            changed = self._changed(accents)
            if accents not in self._ordered:
                self._ordered[accents] = sorted(changed)
            every = self._ordered[accents]
            for begun in spellings:
                low, high = bisect_left(every, begun), bisect_left(every, f"{begun}\U0010ffff")
                found.append(np.array([number for plain in every[low:high] for number in changed[plain]], np.int64))
        return distinct(np.concatenate(found))

    def _changed(self, accents: str) -> dict[str, list[int]]:
        """Return the numbers of the words that are not written plainly, by their plain spelling."""
        if accents not in self._alike:
            found: dict[str, list[int]] = {}
            written = dict(zip(self._marked.tolist(), self._marked_words, strict=True))
            numbers, plainly = self._plainly(accents)
            for number, plain in zip(numbers.tolist(), plainly, strict=True):
                if written[number] != plain:
                    found.setdefault(plain, []).append(number)
            self._alike[accents] = found
        return self._alike[accents]

    def fitting(self, pattern: str, accents: str | None = None) -> Ints:
        """Return the numbers of the words that fit a pattern with ``*`` and ``?``, ascending.

        With `accents` words and pattern are compared in their plain spelling, see `plain_spellings`.
        """
        if not accents:
            return self._fitting(pattern)
        found = [np.zeros(0, np.int64)]
        marked, plainly = self._plainly(accents)
        for plain in plain_spellings(pattern, accents):
            asked = plain if WILD.sub("", plain) else pattern  # not all words, where only a sign was asked for
            numbers, (literal, fits) = self._fitting(asked), _sought(asked)
            found.append(numbers[~np.isin(numbers, self._marked)])
            found.append(marked[[literal in each and fits(each) is not None for each in plainly]])
        return distinct(np.concatenate(found))

    def _fitting(self, pattern: str) -> Ints:
        """Return the same of words as they are written."""
        literal, fits = _sought(pattern)
        begins = pattern.startswith(literal)
        numbers = np.arange(*self.table.beginning(literal)) if begins else self._with(literal)
        if pattern != f"{literal}*":
            numbers = numbers[[fits(self.table[number]) is not None for number in numbers.tolist()]]
        return numbers

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

    def near(self, word: str, edits: int, first_letter: bool, accents: str | None = None) -> Ints:
        """Return the numbers of the words within some edits of a word, ascending.

        With `accents` they are compared in their plain spelling.
        """
        found: list[Ints] = [np.zeros(0, np.int64)]
        for plain in plain_spellings(word, accents) if accents else (word,):
            asked = plain or word
            for codes, numbers, begins, lengths in (self._ascii, self._spelt(accents)):
                for length in range(max(1, len(asked) - edits), len(asked) + edits + 1):
                    own = np.flatnonzero(lengths == length)
                    if first_letter:
                        own = own[codes[begins[own]] == ord(asked[0])]
                    away = edits_to_each(asked, codes[begins[own] + np.arange(length)[:, None]], edits)
                    found.append(numbers[own[away <= edits]])
        return distinct(np.concatenate(found))

    @cached_property
    def _ascii(self) -> _Letters:
        """The words in ASCII, whose bytes are their code points."""
        data, ends = self._columns
        sizes = np.diff(ends, prepend=0)
        plain = np.ones(ends.size, np.bool_)
        plain[self._marked] = False
        numbers = np.flatnonzero(plain)
        return _Letters(data, numbers, (ends - sizes)[numbers], sizes[numbers])

    def _spelt(self, accents: str | None) -> _Letters:
        """Return the other words, in their plain spelling where accents do not count."""
        if accents not in self._others:
            numbers, words = self._plainly(accents) if accents else (self._marked, self._marked_words)
            codes = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
            lengths = np.array(list(map(len, words)), np.int64)
            self._others[accents] = _Letters(codes, numbers, np.cumsum(lengths) - lengths, lengths)
        return self._others[accents]


def as_expression(pattern: str) -> str:
    """Return the regular expression of a pattern.

    >>> as_expression("colo?r*")
    'colo[^\\\\n]r[^\\\\n]*'
    """
    return "".join("[^\n]*" if c == "*" else "[^\n]" if c == "?" else re.escape(c) for c in pattern).replace(
        "\n", "\\n"
    )


def _sought(pattern: str) -> tuple[str, Callable[[str], re.Match[str] | None]]:
    """Return the longest run of letters of a pattern, which leads to the words that are looked at, and what fits."""
    return max(WILD.split(pattern), key=len), re.compile(as_expression(pattern)).fullmatch


class _Letters(NamedTuple):
    """Code points, and of some words the numbers, where each begins among these, and how long it is."""

    codes: Ints
    numbers: Ints
    begins: Ints
    lengths: Ints


class Living(Protocol):
    """What is asked of `trix.indexer.store.live.LiveSegment`."""

    documents: Numbering
    is_whole: bool

    @property
    def words(self) -> SegmentWords:
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

    def count(self, word: str) -> int:
        """Return how many documents hold a word."""
        held = 0
        for live, words in self._parts:
            if (number := words.table.find(word)) >= 0:
                held += (
                    int(words.counts_of(np.array([number]))[0]) if live.is_whole else _living_in(live, words, number)
                )
        return held

    def alike(self, word: str, accents: str = "fold") -> list[str]:
        """Return the words that differ from a word in accents and ligatures alone, sorted; also the word itself."""
        found = set[str]()
        for live, words in self._parts:
            numbers = words.alike(word, accents)
            if not live.is_whole:
                numbers = numbers[_living(words, numbers, live.documents) > 0]
            found.update(words.table[number] for number in numbers.tolist())
        return sorted(found)

    def fitting(self, pattern: str, accents: str | None = None) -> dict[str, int]:
        """Return the words that fit a pattern, in which ``*`` is any letters and ``?`` one, and their counts.

        The words in the most documents come first, then by their letters.
        """
        return self._counted(lambda words: words.fitting(pattern, accents))

    def beginning(self, text: str, most: int, accents: str | None = None) -> dict[str, int]:
        """Return the `most` words in the most documents that begin with a text, in the same order."""
        parts = [(words, words.beginning(text, accents)) for _, words in self._parts]
        return most_frequent([(words.table, own, words.counts_of(own)) for words, own in parts], self.count, most)

    def near(self, word: str, edits: int, *, first_letter: bool = False, accents: str | None = None) -> dict[str, int]:
        """Return the words within 1 or 2 edits of a word, and their counts, in the same order."""
        return self._counted(lambda words: words.near(word, min(edits, MOST), first_letter, accents))

    def _counted(self, chosen: Callable[[SegmentWords], Ints]) -> dict[str, int]:
        found: dict[str, int] = {}
        for live, words in self._parts:
            numbers = chosen(words)
            counts = words.counts_of(numbers) if live.is_whole else _living(words, numbers, live.documents)
            for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
                if count:
                    word = words.table[number]
                    found[word] = found.get(word, 0) + count
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def _living(words: SegmentWords, numbers: Ints, documents: Numbering) -> Ints:
    """Return how many documents that live hold each word."""
    return np.array([documents.kept(words.numbers(number))[1].size for number in numbers.tolist()], np.int64)


def _living_in(live: Living, words: SegmentWords, number: int) -> int:
    return int(_living(words, np.array([number]), live.documents)[0])
