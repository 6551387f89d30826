"""Words of an index before stemming, with document counts, for wildcards, fuzzy words and suggestions [QUERY, section
7].

A segment stores its words, sorted, each with its documents, so words and counts always reflect live documents. Stop
words are not stored. The plain spellings of words with accents are stored too: computing them for a large vocabulary
takes seconds.
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
from trix.indexer.store.numbering import LiveNumbering
from trix.indexer.store.strings import ListedStrings, StringTable, most_frequent
from trix.indexer.words.edits import MOST
from trix.indexer.words.spelling import plain_spellings
from trix.support.arrays import Ints

WILD = re.compile(r"[*?]")
"""Wildcards: any letters, and one letter."""


def other_spellings(words: Iterable[str], accents: str) -> dict[str, list[int]]:
    """Map plain spellings to the numbers of the words that are spelt differently.

    A word with two plain spellings (see `plain_spellings`) is listed under both.

    >>> other_spellings(["muller", "müller", "œuvre"], "fold"), other_spellings(["müller", "œuvre"], "keep")
    ({'muller': [1], 'oeuvre': [2]}, {'oeuvre': [1]})
    """
    others = [(number, word) for number, word in enumerate(words) if not word.isascii()]
    found: dict[str, set[int]] = {}
    # Words have no line breaks, so all are converted in one call, which is ten times faster.
    for spelt in plain_spellings("\n".join([word for _, word in others]), accents):
        for (number, word), plain in zip(others, spelt.split("\n"), strict=False):
            if word != plain:
                found.setdefault(plain, set()).add(number)
    return {plain: sorted(found[plain]) for plain in sorted(found, key=lambda each: each.encode())}


class Spellings:
    """Searches a sorted table of spellings by pattern or by edit distance.

    Parameters
    ----------
    table
        Spellings without line breaks.
    """

    def __init__(self, table: StringTable) -> None:
        self._table = table

    @cached_property
    def _columns(self) -> tuple[NDArray[np.uint8], Ints]:
        """Concatenated bytes of all spellings, and the end of each."""
        return self._table.columns()

    @cached_property
    def _bytes(self) -> bytes:
        return self._columns[0].tobytes()

    def fitting(self, pattern: str) -> Ints:
        """Return the numbers of the spellings that match a pattern with ``*`` and ``?``, ascending."""
        literal = max(WILD.split(pattern), key=len)  # the longest literal run selects candidates
        begins = pattern.startswith(literal)
        # A literal prefix is a range of the sorted table; other literals need a substring search.
        numbers = np.arange(*self._table.beginning(literal)) if begins else self._with(literal)
        # The literal alone decides these patterns.
        if pattern in (f"{literal}*", f"*{literal}*"):
            return numbers
        fits = re.compile(as_expression(pattern)).fullmatch
        return numbers[[fits(self._table[number]) is not None for number in numbers.tolist()]]

    def _with(self, letters: str) -> Ints:
        """Return the numbers of the spellings with a substring, ascending."""
        sought, text, found = letters.encode("utf-8", "surrogateescape"), self._bytes, list[int]()
        at = text.find(sought)
        while at >= 0:
            found.append(at)
            at = text.find(sought, at + 1)
        places, ends = np.array(found, np.int64), self._columns[1]
        numbers = np.searchsorted(ends, places, side="right")
        return distinct(numbers[places + len(sought) <= ends[numbers]])  # drop matches across two words

    def near(self, word: str, edits: int, first_letter: bool) -> Ints:
        """Return the numbers of the spellings within some edits of a word, ascending."""
        return near_words(np.array([*map(ord, word)], np.uint32), *self._columns, edits, first_letter)[0]


class _PlainSpellings:
    """Plain spellings of the words that differ from theirs, such as *muller* of *müller*."""

    def __init__(self, listed: ListedStrings) -> None:
        self._listed, self.table = listed, listed.table
        self.spellings = Spellings(listed.table)

    @cached_property
    def words(self) -> Ints:
        """Numbers of the words that differ from their plain spelling, ascending."""
        return np.sort(self._listed.numbers_of(0, len(self._listed.table))[0]).astype(np.int64)

    def of(self, spelling: str) -> Ints:
        """Return the numbers of the words with a plain spelling."""
        return self._of([self._listed.table.find(spelling)])

    def _of(self, numbers: Iterable[int]) -> Ints:
        return np.concatenate([np.zeros(0, np.int64), *(self._listed.numbers(each) for each in numbers if each >= 0)])

    def with_others(self, words: Ints, spellings: Ints) -> Ints:
        """Return the numbers of words with some plain spellings, ascending.

        Of `words`, those that equal their plain spelling are included; others are looked up by `spellings`.
        """
        # A word with accents counts by its plain spelling alone: its written form may match by accident.
        return np.sort(np.concatenate([words[~np.isin(words, self.words)], self._of(spellings.tolist())]))


class SegmentWords(ListedStrings):
    """Words of a segment, with their documents.

    Parameters
    ----------
    table, data, ends
        As for `ListedStrings`.
    others
        Function from ``fold`` or ``keep`` to the stored result of `other_spellings`.
    """

    def __init__(self, table: StringTable, data: Any, ends: Ints, others: Callable[[str], ListedStrings]) -> None:
        super().__init__(table, data, ends)
        self._spellings = Spellings(table)
        self.others = others
        self._respelt = cache(lambda accents: _PlainSpellings(others(accents)))

    def alike(self, word: str, accents: str) -> Ints:
        """Return the numbers of the words that are equal without accents, ascending."""
        found, respelt = list[Ints](), self._respelt(accents)
        for plain in plain_spellings(word, accents):
            own = self.table.find(plain)
            found += [respelt.of(plain), np.arange(own, own + 1) if own >= 0 else _NONE]
        return distinct(np.concatenate(found))

    def beginning(self, text: str, accents: str | None = None) -> Ints:
        """Return the numbers of the words with a prefix, ascending; with `accents`, in plain spelling."""
        if not accents:
            return np.arange(*self.table.beginning(text))
        found, respelt = list[Ints](), self._respelt(accents)
        for plain in plain_spellings(text, accents):
            own, other = (np.arange(*of.beginning(plain or text)) for of in (self.table, respelt.table))
            found.append(respelt.with_others(own, other))
        return distinct(np.concatenate(found))

    def fitting(self, pattern: str, accents: str | None = None) -> Ints:
        """Return the numbers of the words that match a pattern with ``*`` and ``?``, ascending.

        With `accents`, words and pattern are compared in plain spelling (see `plain_spellings`).
        """
        if not accents:
            return self._spellings.fitting(pattern)
        found, respelt = list[Ints](), self._respelt(accents)
        for plain in plain_spellings(pattern, accents):
            wild = plain if WILD.sub("", plain) else pattern  # a lone accent must not match all words
            found.append(respelt.with_others(self._spellings.fitting(wild), respelt.spellings.fitting(wild)))
        return distinct(np.concatenate(found))

    def near(self, word: str, edits: int, first_letter: bool, accents: str | None = None) -> Ints:
        """Return the numbers of the words within some edits of a word, ascending.

        With `accents`, they are compared in plain spelling.
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
    """Translate a pattern into a regular expression that matches in linear time.

    Each part between two ``*`` matches at its first place, in an atomic group. A later place would only leave less for
    the rest, so backtracking is useless.

    >>> as_expression("colo?r*"), as_expression("*ab*c?*d")
    ('colo[^\\\\n]r[^\\\\n]*', '(?>[^\\\\n]*?ab)(?>[^\\\\n]*?c[^\\\\n])[^\\\\n]*d')
    """
    any_letter = r"[^\n]"
    first, *others = ("".join(any_letter if c == "?" else re.escape(c) for c in part) for part in pattern.split("*"))
    if not others:
        return first
    # An atomic group never gives back what it matched.
    middle = "".join(f"(?>{any_letter}*?{part})" for part in others[:-1] if part)
    return f"{first}{middle}{any_letter}*{others[-1]}"


class SegmentWithWords(Protocol):
    """Interface of `trix.indexer.store.live.LiveSegment` for words."""

    documents: LiveNumbering
    is_whole: bool

    @property
    def words(self) -> SegmentWords:
        """The words of the segment."""


class IndexWords:
    """Words of all live documents.

    Parameters
    ----------
    live
        Segments.
    """

    def __init__(self, live: Iterable[SegmentWithWords]) -> None:
        self._parts = [(of, of.words) for of in live]

    def count(self, word: str) -> int:
        """Count the documents with a word."""
        total = 0
        for live, words in self._parts:
            # A word may be in several segments.
            if (number := words.table.find(word)) >= 0:
                total += (
                    int(words.counts_of(np.array([number]))[0]) if live.is_whole else _living_in(live, words, number)
                )
        return total

    def alike(self, word: str, accents: str = "fold") -> list[str]:
        """Return the words that are equal without accents and ligatures, sorted; also the word itself."""
        found = set[str]()
        for live, words in self._parts:
            # Lists still hold deleted documents: a word without live ones does not count.
            numbers = words.alike(word, accents)
            if not live.is_whole:
                numbers = numbers[_living(words, numbers, live.documents) > 0]
            found.update(words.table[number] for number in numbers.tolist())
        return sorted(found)

    def fitting(self, pattern: str, accents: str | None = None) -> dict[str, int]:
        """Return the words that match a pattern, with document counts; ``*`` is any letters, ``?`` is one.

        Words in the most documents come first, ties in order of letters.
        """
        return self._counted(lambda words: words.fitting(pattern, accents))

    def beginning(self, text: str, most: int, accents: str | None = None) -> dict[str, int]:
        """Return the `most` frequent words with a prefix, with document counts, in the same order."""
        parts = [(words, words.beginning(text, accents)) for _, words in self._parts]
        return most_frequent([(words.table, own, words.counts_of(own)) for words, own in parts], self.count, most)

    def near(self, word: str, edits: int, *, first_letter: bool = False, accents: str | None = None) -> dict[str, int]:
        """Return the words within 1 or 2 edits of a word, with document counts, in the same order."""
        return self._counted(lambda words: words.near(word, min(edits, MOST), first_letter, accents))

    def _counted(self, chosen: Callable[[SegmentWords], Ints]) -> dict[str, int]:
        found: dict[str, int] = {}
        for live, words in self._parts:
            numbers = chosen(words)
            # Stored counts are exact without deletions; else the lists are filtered.
            counts = words.counts_of(numbers) if live.is_whole else _living(words, numbers, live.documents)
            for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
                if count:
                    # Several segments may have the word; their documents are different ones, so counts add up.
                    word = words.table[number]
                    found[word] = found.get(word, 0) + count
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def _living(words: SegmentWords, numbers: Ints, documents: LiveNumbering) -> Ints:
    """Count the live documents with each word."""
    return np.array([documents.kept(words.numbers(number))[1].size for number in numbers.tolist()], np.int64)


def _living_in(live: SegmentWithWords, words: SegmentWords, number: int) -> int:
    return int(_living(words, np.array([number]), live.documents)[0])
