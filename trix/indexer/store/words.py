"""The words of an index before stemming, and in how many documents each is: what wildcards, fuzzy words and
suggestions look up [QUERY, section 7].

A segment keeps its words, sorted, and for each the documents that hold it. So the words of an index, and their counts,
are those of the documents that live. Words on the stop list are not kept. Beside them stand the plain spellings of the
words that are not written plainly: to spell a large vocabulary takes seconds, which a search does not have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from trix.core.words import near_words
from trix.indexer.store.elements import distinct
from trix.indexer.store.numbering import Numbering
from trix.indexer.store.strings import ListedStrings, StringTable, most_frequent
from trix.indexer.words.edits import MOST
from trix.indexer.words.spelling import plain_spellings
from trix.support.arrays import Ints

WILD = re.compile(r"[*?]")
"""What stands for any letters, and for one."""


def other_spellings(words: Iterable[str], accents: str) -> dict[str, list[int]]:
    """Return the plain spellings of the words that are not written plainly, and the numbers of these words.

    A word with two plain spellings, see `plain_spellings`, stands under both.

    >>> other_spellings(["muller", "müller", "œuvre"], "fold"), other_spellings(["müller", "œuvre"], "keep")
    ({'muller': [1], 'oeuvre': [2]}, {'oeuvre': [1]})
    """
    others = [(number, word) for number, word in enumerate(words) if not word.isascii()]
    found: dict[str, set[int]] = {}
    # No word has a line break, so all are spelt at once, which is ten times as fast.
    for spelt in plain_spellings("\n".join([word for _, word in others]), accents):
        for (number, word), plain in zip(others, spelt.split("\n"), strict=False):
            if word != plain:
                found.setdefault(plain, set()).add(number)
    return {plain: sorted(found[plain]) for plain in sorted(found, key=lambda each: each.encode())}


class Spellings:
    """Searches a sorted table of spellings for patterns, and for those within some edits of a word.

    Parameters
    ----------
    table
        The spellings; none has a line break.
    """

    def __init__(self, table: StringTable) -> None:
        self._table = table

    @cached_property
    def _columns(self) -> tuple[NDArray[np.uint8], Ints]:
        """The bytes of all spellings one behind the other, and where each ends."""
        return self._table.columns()

    @cached_property
    def _bytes(self) -> bytes:
        return self._columns[0].tobytes()

    def fitting(self, pattern: str) -> Ints:
        """Return the numbers of the spellings that fit a pattern with ``*`` and ``?``, ascending."""
        literal = max(WILD.split(pattern), key=len)  # the longest run of letters leads to the words that are looked at
        begins = pattern.startswith(literal)
        numbers = np.arange(*self._table.beginning(literal)) if begins else self._with(literal)
        if pattern in (f"{literal}*", f"*{literal}*"):
            return numbers
        fits = re.compile(as_expression(pattern)).fullmatch
        return numbers[[fits(self._table[number]) is not None for number in numbers.tolist()]]

    def _with(self, letters: str) -> Ints:
        """Return the numbers of the spellings in which some letters stand in a row, ascending."""
        sought, text, found = letters.encode("utf-8", "surrogateescape"), self._bytes, list[int]()
        at = text.find(sought)
        while at >= 0:
            found.append(at)
            at = text.find(sought, at + 1)
        places, ends = np.array(found, np.int64), self._columns[1]
        numbers = np.searchsorted(ends, places, side="right")
        return distinct(numbers[places + len(sought) <= ends[numbers]])  # others begin in one word and end in the next

    def near(self, word: str, edits: int, first_letter: bool) -> Ints:
        """Return the numbers of the spellings within some edits of a word, ascending."""
        return near_words(np.array([*map(ord, word)], np.uint32), *self._columns, edits, first_letter)[0]


class _Respelt:
    """The plain spellings of the words that are not written plainly."""

    def __init__(self, listed: ListedStrings) -> None:
        self._listed, self.table = listed, listed.table
        self.spellings = Spellings(listed.table)

    @cached_property
    def words(self) -> Ints:
        """The numbers of these words, ascending."""
        return np.sort(self._listed.numbers_of(0, len(self._listed.table))[0]).astype(np.int64)

    def of(self, spelling: str) -> Ints:
        """Return the numbers of the words with a spelling."""
        return self._of([self._listed.table.find(spelling)])

    def _of(self, numbers: Iterable[int]) -> Ints:
        return np.concatenate([np.zeros(0, np.int64), *(self._listed.numbers(each) for each in numbers if each >= 0)])

    def with_others(self, words: Ints, spellings: Ints) -> Ints:
        """Return words that are written plainly, of some, with those that have some spellings, ascending."""
        return np.sort(np.concatenate([words[~np.isin(words, self.words)], self._of(spellings.tolist())]))


class SegmentWords(ListedStrings):
    """The words of a segment, with the documents that hold them.

    Parameters
    ----------
    table, data, ends
        See `ListedStrings`.
    others
        Returns, for ``fold`` or ``keep``, what `other_spellings` does, as it was written with the segment.
    """

    def __init__(self, table: StringTable, data: Any, ends: Ints, others: Callable[[str], ListedStrings]) -> None:
        super().__init__(table, data, ends)
        self._spellings = Spellings(table)
        self.others = others
        self._respelt = cache(lambda accents: _Respelt(others(accents)))

    def alike(self, word: str, accents: str) -> Ints:
        """Return the numbers of the words that are spelt alike where accents do not count, ascending."""
        found, respelt = list[Ints](), self._respelt(accents)
        for plain in plain_spellings(word, accents):
            own = self.table.find(plain)
            found += [respelt.of(plain), np.arange(own, own + 1) if own >= 0 else _NONE]
        return distinct(np.concatenate(found))

    def beginning(self, text: str, accents: str | None = None) -> Ints:
        """Return the numbers of the words that begin with a text, ascending; with `accents` in plain spelling."""
        if not accents:
            return np.arange(*self.table.beginning(text))
        found, respelt = list[Ints](), self._respelt(accents)
        for plain in plain_spellings(text, accents):
            own, other = (np.arange(*of.beginning(plain or text)) for of in (self.table, respelt.table))
            found.append(respelt.with_others(own, other))
        return distinct(np.concatenate(found))

    def fitting(self, pattern: str, accents: str | None = None) -> Ints:
        """Return the numbers of the words that fit a pattern with ``*`` and ``?``, ascending.

        With `accents` words and pattern are compared in their plain spelling, see `plain_spellings`.
        """
        if not accents:
            return self._spellings.fitting(pattern)
        found, respelt = list[Ints](), self._respelt(accents)
        for plain in plain_spellings(pattern, accents):
            asked = plain if WILD.sub("", plain) else pattern  # not all words, where only a sign was asked for
            found.append(respelt.with_others(self._spellings.fitting(asked), respelt.spellings.fitting(asked)))
        return distinct(np.concatenate(found))

    def near(self, word: str, edits: int, first_letter: bool, accents: str | None = None) -> Ints:
        """Return the numbers of the words within some edits of a word, ascending.

        With `accents` they are compared in their plain spelling.
        """
        if not accents:
            return self._spellings.near(word, edits, first_letter)
        found, respelt = list[Ints](), self._respelt(accents)
        for plain in plain_spellings(word, accents):
            own, other = (of.near(plain or word, edits, first_letter) for of in (self._spellings, respelt.spellings))
            found.append(respelt.with_others(own, other))
        return distinct(np.concatenate(found))


_NONE = np.zeros(0, np.int64)


def as_expression(pattern: str) -> str:
    """Return the regular expression of a pattern.

    What follows a ``*`` and ends before the next is taken where it stands first, and for good: any later place would
    leave less for the rest. So the time is linear in the word, where many ``*`` would be tried in all ways.

    >>> as_expression("colo?r*"), as_expression("*ab*c?*d")
    ('colo[^\\\\n]r[^\\\\n]*', '(?>[^\\\\n]*?ab)(?>[^\\\\n]*?c[^\\\\n])[^\\\\n]*d')
    """
    any_letter = r"[^\n]"
    first, *others = ("".join(any_letter if c == "?" else re.escape(c) for c in part) for part in pattern.split("*"))
    if not others:
        return first
    middle = "".join(f"(?>{any_letter}*?{part})" for part in others[:-1] if part)
    return f"{first}{middle}{any_letter}*{others[-1]}"


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
