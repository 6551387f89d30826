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

from trix.indexer.store.numbering import Numbering
from trix.indexer.store.strings import ListedStrings, StringTable, most_frequent
from trix.indexer.words.edits import MOST, edits_to_each
from trix.indexer.words.spelling import plain_spelling

Ints = NDArray[Any]

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
        self._texts: dict[str | None, _Spelt] = {}
        self._alike: dict[str, dict[str, list[int]]] = {}

    def _spelt(self, accents: str | None) -> _Spelt:
        if accents not in self._texts:
            data, ends = self.table.columns()
            lines = np.insert(data, np.concatenate([[0], ends]), ord("\n")).tobytes().decode("utf-8", "surrogateescape")
            self._texts[accents] = _Spelt(lines if accents is None else plain_spelling(lines, accents))
        return self._texts[accents]

    def alike(self, word: str, accents: str) -> Ints:
        """Return the numbers of the words that are spelt alike where accents do not count, ascending."""
        plain = plain_spelling(word, accents)
        found = [*self._changed(accents).get(plain, ()), self.table.find(plain)]
        return np.array(sorted({number for number in found if number >= 0}), np.int64)

    def _changed(self, accents: str) -> dict[str, list[int]]:
        """Return the numbers of the words that are not written plainly, by their plain spelling."""
        if accents not in self._alike:
            data, ends = self.table.columns()
            numbers = np.unique(np.searchsorted(ends, np.flatnonzero(data > 127), side="right"))
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

    def fitting(self, pattern: str, accents: str | None = None) -> Ints:
        """Return the numbers of the words that fit a pattern with ``*`` and ``?``, ascending.

        With `accents` words and pattern are compared in their plain spelling, see `plain_spelling`.
        """
        spelt = self._spelt(accents)
        pattern = plain_spelling(pattern, accents) if accents else pattern
        literal = max(WILD.split(pattern), key=len)
        begins = pattern.startswith(literal)
        ends = not begins and pattern.endswith(literal)
        text, fits = spelt.text, re.compile(as_expression(pattern)).fullmatch
        found: list[int] = []
        sought = "\n" * begins + literal + "\n" * ends
        at = text.find(sought)
        while 0 <= at < len(text) - 1:  # the longest run of letters leads to the lines that are looked at
            begin = at + 1 if begins else text.rfind("\n", 0, at) + 1
            end = text.index("\n", begin)
            if fits(text, begin, end):
                found.append(begin)
            at = text.find(sought, end)
        return np.searchsorted(spelt.letters[1], np.array(found, np.int64))

    def near(self, word: str, edits: int, first_letter: bool, accents: str | None = None) -> tuple[Ints, Ints]:
        """Return the numbers of the words within some edits of a word, and how many edits each is away.

        With `accents` they are compared in their plain spelling.
        """
        codes, begins, lengths = self._spelt(accents).letters
        word = plain_spelling(word, accents) if accents else word
        close = np.abs(lengths - len(word)) <= edits
        if first_letter:
            close &= codes[begins] == ord(word[0])
        numbers: list[Ints] = [np.zeros(0, np.int64)]
        distances: list[Ints] = [np.zeros(0, np.int64)]
        for length in range(max(1, len(word) - edits), len(word) + edits + 1):
            own = np.flatnonzero(close & (lengths == length))
            away = edits_to_each(word, codes[begins[own] + np.arange(length)[:, None]], edits)
            numbers.append(own[away <= edits])
            distances.append(away[away <= edits].astype(np.int64))
        return np.concatenate(numbers), np.concatenate(distances)


def as_expression(pattern: str) -> str:
    """Return the regular expression of a pattern.

    >>> as_expression("colo?r*")
    'colo[^\\\\n]r[^\\\\n]*'
    """
    return "".join("[^\n]*" if c == "*" else "[^\n]" if c == "?" else re.escape(c) for c in pattern).replace(
        "\n", "\\n"
    )


class _Spelt:
    """All words of a segment as they are compared, each behind a line break, and one more at the end."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def letters(self) -> tuple[Ints, Ints, Ints]:
        """The code points of the text, and of each word where it begins and how long it is."""
        codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        breaks = np.flatnonzero(codes == ord("\n"))
        return codes, breaks[:-1] + 1, np.diff(breaks) - 1


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
        held = 0
        for live, words in self._parts:
            if words is not None and (number := words.table.find(word)) >= 0:
                held += (
                    int(words.counts_of(number, number + 1)[0]) if live.is_whole else _living_in(live, words, number)
                )
        return held

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

    def fitting(self, pattern: str, accents: str | None = None) -> dict[str, int]:
        """Return the words that fit a pattern, in which ``*`` is any letters and ``?`` one, and their counts.

        The words in the most documents come first, then by their letters.
        """
        return self._counted(lambda words: words.fitting(pattern, accents))

    def beginning(self, text: str, most: int) -> dict[str, int]:
        """Return the `most` words in the most documents that begin with a text, in the same order."""
        parts = [words for _, words in self._parts if words is not None]
        ranges = [(words, *words.table.beginning(text)) for words in parts]
        begun = [(words.table, np.arange(low, high), words.counts_of(low, high)) for words, low, high in ranges]
        return most_frequent(begun, self.count, most)

    def near(self, word: str, edits: int, *, first_letter: bool = False, accents: str | None = None) -> dict[str, int]:
        """Return the words within 1 or 2 edits of a word, and their counts, in the same order."""
        return self._counted(lambda words: words.near(word, min(edits, MOST), first_letter, accents)[0])

    def _counted(self, chosen: Callable[[SegmentWords], Ints]) -> dict[str, int]:
        found: dict[str, int] = {}
        for live, words in self._parts:
            if words is None:
                continue
            numbers = chosen(words)
            counts = words.counts[numbers] if live.is_whole else _living(words, numbers, live.documents)
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
