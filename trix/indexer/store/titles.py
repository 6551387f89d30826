"""Titles of documents and sections, searchable by words [QUERY, section 17].

A segment stores its titles, sorted, each with its documents or elements. It also stores the words of titles, each with
the titles that contain it. A look-up therefore costs what it finds, at any size of the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from trix.indexer.store.elements import distinct
from trix.indexer.store.numbering import LiveNumbering, among
from trix.indexer.store.strings import (
    ListedStrings,
    StringTable,
    most_frequent,
)
from trix.indexer.words.analyzer import split_words
from trix.indexer.words.spelling import plain_spelling, plain_spellings
from trix.support.arrays import Int32s, Ints

_NONE = np.zeros(0, np.int64)

KINDS = ("documents", "sections")
"""Titles of documents, numbered by document, and of sections, numbered by element."""


def title_words(text: str) -> list[str]:
    """Split a title, or text that a user types, into folded words without accents.

    >>> title_words("Off-target  Effects: Müller, שָׁלוֹם")
    ['off', 'target', 'effects', 'muller', 'שלום']
    """
    return [plain_spelling(word) or word for word in split_words(text)]


def words_of_titles(titles: Iterable[str]) -> dict[str, list[int]]:
    """Map each word to the numbers of the titles with it; a word with two plain spellings counts under both.

    >>> words_of_titles(["Results", "Results and discussion"])
    {'results': [0, 1], 'and': [1], 'discussion': [1]}
    """
    found: dict[str, list[int]] = {}
    for number, title in enumerate(titles):
        # Each title once per word, even if the word occurs twice.
        for plain in dict.fromkeys(each or word for word in split_words(title) for each in plain_spellings(word)):
            found.setdefault(plain, []).append(number)
    return found


class SegmentTitles(NamedTuple):
    """Titles of one kind in a segment.

    Attributes
    ----------
    titles
        Titles, with the documents or elements that have them.
    words
        Words, with the titles that contain them.
    """

    titles: ListedStrings
    words: ListedStrings

    def holding(self, whole: Iterable[str], begun: str) -> Ints:
        """Return the titles with all `whole` words and a word that starts with `begun`, ascending.

        A word without titles ends the look-up. Lists are intersected from the shortest.
        """
        found = list[Ints]()
        # An unknown word proves that no title matches.
        for word in whole:
            found.append(self.words.of(word))
            if not found[-1].size:
                return found[-1]
        if begun:
            found.append(distinct(self.words.numbers_of(*self.words.table.beginning(begun))[0]))
        # Shortest list first: the intersection never grows.
        first, *others = sorted(found, key=len)
        for other in others:
            if not first.size:
                break
            first = first[among(first, other)]
        return first

    def called(self, words: Sequence[str], spellings: Sequence[str], fits: Callable[[str], bool]) -> list[int]:
        """Return the numbers of the titles that match; see `IndexTitles.called`."""
        table = self.titles.table
        if spellings:
            # Look up the exact titles: the words are in too many.
            numbers = [place for each in spellings if (place := table.find(each)) >= 0]
        else:
            numbers = self.holding(words, "").tolist()
        return [number for number in numbers if fits(table[number])]


def ordered_titles(titles: Sequence[str]) -> Int32s:
    """Return the documents with a title, by the bytes of the title.

    A document with the same title as the one before is stored as its complement, -1 - number.

    >>> ordered_titles(["On bees", "", "Apes", "On bees"]).tolist()
    [2, 0, -4]
    """
    # Equal titles become neighbours, their documents ascending.
    found = sorted((title.encode("utf-8", "surrogateescape"), at) for at, title in enumerate(titles) if title)
    rows = [~at if place and found[place - 1][0] == raw else at for place, (raw, at) in enumerate(found)]
    return np.array(rows, np.int32)


class DocumentTitles(ListedStrings):
    """Titles of a segment's documents, stored once, accessed through their sorted order.

    Parameters
    ----------
    titles
        Title of each document.
    order
        Output of `ordered_titles`.
    """

    def __init__(self, titles: StringTable, order: Int32s) -> None:
        # Complements mark documents with the same title as the one before.
        self._documents = np.where(order < 0, ~order, order)
        self.starts = np.flatnonzero(order >= 0)
        super().__init__(_SelectedStrings(titles, self._documents[self.starts]), b"", np.zeros(0, np.int64))
        # Distinct titles begin where the order is not negative.
        self._sizes = np.diff(self.starts, append=order.size)

    def numbers(self, string: int) -> Ints:
        """Return the documents with a title, ascending."""
        return self._documents[self.starts[string] : self.starts[string] + self._sizes[string]]

    def counts_of(self, strings: Ints) -> Ints:
        """Return the number of documents with each title, deleted ones included."""
        return self._sizes[strings]


class _SelectedStrings(StringTable):
    """Sorted selection of the strings of a table."""

    def __init__(self, table: StringTable, chosen: Ints) -> None:
        super().__init__(b"", np.zeros(0, np.int64))
        self._table, self._chosen = table, chosen

    def __len__(self) -> int:
        return int(self._chosen.size)

    def raw(self, number: int) -> bytes:
        return self._table.raw(int(self._chosen[number]))

    def all(self) -> list[bytes]:
        return [self.raw(number) for number in range(len(self))]


class Titled(NamedTuple):
    """Title with its frequency.

    Attributes
    ----------
    title
        The title.
    frequency
        Number of documents or elements with it.
    first
        The first of these by number.
    """

    title: str
    frequency: int
    first: int


class TitledSegment(Protocol):
    """Interface of `trix.indexer.store.live.LiveSegment` for titles."""

    documents: LiveNumbering
    elements: LiveNumbering

    @property
    def titled(self) -> Mapping[str, SegmentTitles]:
        """Titles of the segment, by kind."""


class IndexTitles:
    """Titles of one kind in all live documents.

    Parameters
    ----------
    live
        Segments in order.
    kind
        One of `KINDS`.
    """

    def __init__(self, live: Iterable[TitledSegment], kind: str) -> None:
        self._parts = [(of.documents if kind == "documents" else of.elements, of.titled[kind]) for of in live]

    def holding(self, whole: Sequence[str], begun: str, most: int) -> list[Titled]:
        """Return the `most` frequent titles with all `whole` words and a word that starts with `begun`.

        Parameters
        ----------
        whole, begun
            Words as from `title_words`, and the beginning of one; not both empty.
        most
            Largest number of titles.
        """
        parts = []
        for _, own in self._parts:
            numbers = own.holding(whole, begun)
            parts.append((own.titles.table, numbers, own.titles.counts_of(numbers)))
        # Counts of segments are upper bounds, as they include deleted documents.
        found = most_frequent(parts, lambda title: self._having(title).size, most)
        # A title with a count has a live document, so there is a first one.
        return [Titled(title, count, int(self._having(title)[0])) for title, count in found.items()]

    def called(self, words: Sequence[str], spellings: Sequence[str], fits: Callable[[str], bool]) -> Ints:
        """Return the documents or elements whose titles match and contain all words, ascending.

        Parameters
        ----------
        words
            Words as from `title_words`; at least one.
        spellings
            Exact titles to try, if too many titles contain the words; if empty, all with the words are tried.
        fits
            Predicate on titles.
        """
        found = [
            numbering.kept(own.titles.numbers(title))[1]
            for numbering, own in self._parts
            for title in own.called(words, spellings, fits)
        ]
        # Titles come by their letters: sort by number. A spelling that is tried twice counts once.
        return distinct(np.concatenate(found)) if found else _NONE

    def few(self, words: Sequence[str], most: int) -> list[tuple[str, Ints]]:
        """Return the titles with all words, each with its documents or elements, ascending.

        Parameters
        ----------
        words
            Words as from `title_words`; at least one.
        most
            Largest number of documents or elements; the result is empty if there are more.
        """
        found, count = list[tuple[str, Ints]](), 0
        for numbering, own in self._parts:
            for number in own.holding(words, "").tolist():
                those = numbering.kept(own.titles.numbers(number))[1]
                count += those.size
                # Stop early: a frequent title is no known item.
                if count > most:
                    return []
                found.append((own.titles.table[number], those))
        return found

    def _having(self, title: str) -> Ints:
        """Return the documents or elements with a title, ascending."""
        # In order of segments, so that the numbers ascend.
        found = [np.zeros(0, np.int64)]
        for numbering, own in self._parts:
            place = own.titles.table.find(title)
            if place >= 0:
                found.append(numbering.kept(own.titles.numbers(place))[1])
        return np.concatenate(found)
