"""Words of a query as bits of a mask: the elements and sentences that hold them, and their weights.

Models weigh how often a term occurs. Some forms of context only need which query words occur: in one sentence, in
the titles above, in neighbours. For them phrases and proximity are split into words, and alternatives count as one
word. Each word has a bit of a mask, so that all words are looked up at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.core.match import (
    add_word,
    best_sentences,
    masks_by_range,
    masks_within,
    merged_masks,
    sentence_slots,
    word_sentences,
)
from trix.errors import UsageError
from trix.indexer.store.elements import distinct
from trix.indexer.store.files import IndexFiles
from trix.indexer.words.multi_key import joined, parts
from trix.query.language.terms import Query, plain
from trix.query.matching.matching import TermList
from trix.support.arrays import Floats, Ints
from trix.support.lru_cache import LruFunction

KEPT_SENTENCES = 1 << 22
"""Sentences of words that an index keeps in memory, of eight bytes each."""

Masks = NDArray[np.uint64]

WORDS = 64
"""Largest number of words with a bit of their own."""


class TermMasks(NamedTuple):
    """Content elements and the query words in each.

    Attributes
    ----------
    content_numbers
        Ascending.
    masks
        Bit w is set if the content element holds word w.
    """

    content_numbers: Ints
    masks: Masks

    def within(self, begin: Ints, end: Ints) -> Masks:
        """Return the union of masks in each range of content elements, ``(n,)``; ascending ranges are fastest."""
        return masks_within(self.content_numbers, self.masks, begin, end)

    def by_range(self, begin: Ints, end: Ints) -> tuple[Ints, Masks]:
        """Return the ranges that hold any word, and their masks; ranges are ascending and disjoint."""
        return masks_by_range(self.content_numbers, self.masks, begin, end)


def term_masks(lists: Sequence[TermList]) -> TermMasks:
    """Return the content elements that hold any of at most `WORDS` words."""
    contents = [np.zeros(0, np.int32), *(each.content_numbers for each in lists)]
    # Lists one after another; the kernel merges them and sets bit w for list w.
    together = np.concatenate(contents)
    return TermMasks(*merged_masks(together, np.cumsum([0, *(each.m for each in lists)])))


class Word(NamedTuple):
    """A word of a query.

    Attributes
    ----------
    text
        Printed form.
    keys
        Keys, any of which is this word.
    weight
        Number of occurrences in the query, weighted by the weights of its terms.
    """

    text: str
    keys: tuple[str, ...]
    weight: float


def words_of(query: Query) -> list[Word]:
    """Return the distinct words of the terms without minus, in written order, without words from feedback.

    >>> from trix.query.language.terms import Term
    >>> query = Query((Term(("tree", "edit")), Term(("tree",), weight=0.5), Term(("image",), "-")))
    >>> [(word.text, word.weight) for word in words_of(query)]
    [('tree', 1.5), ('edit', 1.0)]
    """
    found: dict[tuple[str, ...], tuple[str, float]] = {}
    for term in query.own_terms:
        if term.sign == "-":
            continue
        # One option: its words count one by one. Several options: all of them are one word with several keys.
        written = plain(term.keys)
        each = [(key,) for key in written[0]] if len(written) == 1 else [tuple(dict.fromkeys(sum(written, ())))]
        for keys in dict.fromkeys(each):
            text = keys[0] if len(keys) == 1 else str(term.keys[0])
            # A word in several terms is one word, with the sum of the weights.
            before = found.get(keys, (text, 0.0))[1]
            found[keys] = (text, before + term.weight)
    return [Word(text, keys, weight) for keys, (text, weight) in found.items()]


def word_weights(words: Sequence[Word], N: int, m: Ints, power: float) -> Floats:
    """Return the weight of each word, w·ln(N/m)^power, ``(n_words,)``; m of N texts hold the word.

    >>> word_weights([Word("tree", ("tree",), 2.0)], 8, np.array([4]), 1.0).round(3).tolist()
    [1.386]
    """
    found: Floats = np.array([word.weight for word in words]) * np.log(N / m) ** power
    return found


@dataclass(frozen=True)
class QueryWords:
    """The words of a query that an index has.

    Attributes
    ----------
    index
        The index.
    words
        In written order.
    lists
        Posting list of each.
    idf
        ``(n_words,)`` ln(N/m) of each, in the statistics scope of the search; 0 if m = 0.
    """

    index: IndexFiles
    words: Sequence[Word]
    lists: Sequence[TermList]
    N: int
    m: Ints
    starts: SentenceStarts

    def weights(self, power: float) -> Floats:
        """Return the weight of each word, w·ln(N/m)^power, ``(n_words,)``."""
        return word_weights(self.words, self.N, self.m, power)

    def term_masks(self, power: float) -> Iterator[tuple[TermMasks, Floats]]:
        """Yield masks and weights of the words, `WORDS` at a time."""
        weights = self.weights(power)
        for number, some in enumerate(self._term_masks):
            yield some, weights[number * WORDS : (number + 1) * WORDS]

    @cached_property
    def _term_masks(self) -> list[TermMasks]:
        return [term_masks(self.lists[at : at + WORDS]) for at in range(0, len(self.lists), WORDS)]

    @cached_property
    def sentences(self) -> SentencesOfWords:
        """The sentences that hold any of the words."""
        # Places of sentences are global numbers, so those of all words can be merged and shared.
        found = [self._found(word) for word in self.words]
        places = distinct(np.concatenate([np.zeros(0, np.int64), *found]))
        return SentencesOfWords(places >> 32, [np.searchsorted(places, at) for at in found])

    def best_sentences(self, weights: Floats) -> tuple[Ints, Floats]:
        """Return the ascending content elements that hold words, and the largest weight of a sentence of each.

        The words of a sentence are added in query order. Positions are read only if they matter: in content elements
        of several sentences that hold several words.
        """
        if len(self._term_masks) == 1:
            some = self._term_masks[0]
            contents, masks = some.content_numbers, some.masks
            # x & (x - 1) clears the lowest bit: only masks with two words or more stay. For one word any sentence will
            # do.
            self.starts.read(contents[(masks & (masks - np.uint64(1))) != 0])
            rows = self.starts.rows
            # A slot for each sentence that matters: content elements of one sentence, or one word, take none.
            slots, count = sentence_slots(contents, masks, rows)
            sums = np.zeros(count)
            for word, weight in zip(self.words, weights.tolist(), strict=True) if count else ():
                numbers, tf, positions = positions_of(self.index, word.keys)
                add_word(contents, slots, rows, self.starts.starts, numbers, tf, positions, weight, sums)
            return contents, best_sentences(contents, masks, weights, slots, rows, sums)
        # More than 64 words: one mask does not hold them, so sentences are listed for each word.
        contents, sums = self.sentences.content_numbers.astype(np.int32), self.sentences.sums(weights)
        # Sentences ascend, so those of a content element are a run, of which the maximum is taken.
        first = np.flatnonzero(np.diff(contents, prepend=-1))
        return contents[first], np.maximum.reduceat(sums, first) if first.size else sums

    def _found(self, word: Word) -> Ints:
        """Return the sentences that hold a word, ascending; see `sentences_with`."""
        found = [sentences_with(self.index, self.starts, key) for key in word.keys]
        return found[0] if len(found) == 1 else distinct(np.concatenate(found))


@dataclass(frozen=True)
class SentencesOfWords:
    """The sentences that hold words of a query, ascending.

    Attributes
    ----------
    content_numbers : (n_sentences,) ndarray
        The content elements they are in.
    places_of_words : (n_words,) list of ndarrays
        The places of the sentences that hold each word, ascending.
    """

    content_numbers: Ints
    places_of_words: list[Ints] = field(default_factory=list)

    def sums(self, weights: Floats) -> Floats:
        """Return the weight of each sentence, words added in query order."""
        places = np.concatenate([np.zeros(0, np.intp), *self.places_of_words])
        # bincount adds in the order of its input: words in query order, so that both ways give the same bits.
        each = np.repeat(weights, [each_places.size for each_places in self.places_of_words])
        return np.bincount(places, each, self.content_numbers.size).astype(np.float64)


def check_positions(index: IndexFiles, form: object) -> None:
    """Refuse a form of context that needs positions if the index has none."""
    if not index.has_positions:
        raise UsageError("the index has no positions; build it with `positions`", field="context", got=form)


class SentenceStarts:
    """Starts of sentences in an index, read block by block on demand and cached.

    Attributes
    ----------
    starts
        Starts in the blocks that were read, in reading order, see `trix.indexer.words.sentences.starts`.
    rows : (n_contents, 2) ndarray
        Range of each content element in `starts`; empty for one with a single sentence.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index, self._reading = index, Lock()
        self._firsts = np.array([block.content for block in index.blocks], np.int64)
        self._spans: dict[int, tuple[int, int]] = {}
        self.starts = np.zeros(0, np.int64)
        self.rows = np.empty((index.totals["content_elements"], 2), np.int64)
        self._count = 0

    def blocks(self, contents: Ints) -> Iterator[tuple[slice, Ints]]:
        """Yield, block by block, the indices of ascending content elements in a block, and the block's starts of
        sentences.
        """
        # Contents ascend: those of a block lie between two cuts.
        cuts = np.searchsorted(contents, self._firsts)
        for number in np.flatnonzero(np.diff(cuts)).tolist():
            begin, end = self._span(number)
            yield slice(cuts[number], cuts[number + 1]), self.starts[begin:end]

    def read(self, contents: Ints) -> None:
        """Read the blocks of some ascending content elements into `starts` and `rows`."""
        # No lock once all blocks are read: a span is entered after everything that belongs to it.
        if len(self._spans) + 1 < self._firsts.size:
            for number in np.flatnonzero(np.diff(np.searchsorted(contents, self._firsts))).tolist():
                self._span(number)

    def _span(self, number: int) -> tuple[int, int]:
        """Return the range of a block in `starts`, reading the block if needed."""
        with self._reading:
            if number not in self._spans:
                new = self._index.blocks[number].sentence_starts()
                count = self._count + new.size
                # Grow by a quarter into a new array; a reader that holds the old one finds all its ranges there.
                if count > self.starts.size:
                    self.starts = np.concatenate([self.starts[: self._count], new, np.zeros(count // 4, np.int64)])
                else:
                    self.starts[self._count : count] = new
                contents = np.arange(self._firsts[number], self._firsts[number + 1]) << 32
                # A start is packed: content element in the upper half, position in the lower. All starts of content
                # element c lie between c << 32 and (c + 1) << 32.
                self.rows[contents >> 32, 0] = self._count + np.searchsorted(new, contents)
                self.rows[contents >> 32, 1] = self._count + np.searchsorted(new, contents + (1 << 32))
                self._spans[number], self._count = (self._count, count), count
            return self._spans[number]


def positions_of(index: IndexFiles, keys: Sequence[str]) -> tuple[Ints, Ints, Ints]:
    """Return the postings of a word with positions; any of `keys` is this word."""
    return index.positions(joined(part for each in keys for part in parts(each)))


class SentenceLists:
    """LRU cache of the sentences that hold a word, in content elements with several.

    Parameters
    ----------
    index
        The index.
    starts
        Its starts of sentences.
    """

    def __init__(self, index: IndexFiles, starts: SentenceStarts) -> None:
        self._index, self._starts = index, starts
        self._kept: LruFunction[tuple[str, ...], Ints] = LruFunction(
            self._make, KEPT_SENTENCES, lambda found: found.size + 1
        )

    def __call__(self, keys: tuple[str, ...]) -> Ints:
        """Return the sentences of a word by its keys, see `trix.core.match.word_sentences`."""
        return self._kept(keys)

    def counts(self, contents: Ints) -> Ints:
        """Return the rows of `SentenceStarts`, read for some content elements."""
        self._starts.read(np.sort(contents))
        return self._starts.rows

    def _make(self, keys: tuple[str, ...]) -> Ints:
        contents, tf, positions = positions_of(self._index, keys)
        self._starts.read(contents)
        return word_sentences(contents, tf, positions, self._starts.rows, self._starts.starts)


def sentences_with(index: IndexFiles, starts: SentenceStarts, key: str) -> Ints:
    """Return the ascending starts of the sentences that hold a key: see `words.sentences.starts`.

    The single sentence of a content element starts at its beginning.
    """
    contents, tf, positions = index.positions(key)
    ends = np.cumsum(tf, dtype=np.int64)
    found = [np.zeros(0, np.int64)]
    for rows, begins in starts.blocks(contents):
        own = slice(ends[rows.start] - tf[rows.start], ends[rows.stop - 1])
        base = np.repeat(contents[rows].astype(np.int64) << 32, tf[rows])
        if begins.size:
            place = np.searchsorted(begins, base + positions[own], side="right") - 1
            # A start in an earlier content element is less than the base, so the maximum leaves the occurrence in the
            # first sentence.
            base = np.maximum(base, np.where(place >= 0, begins[place], 0))
        # Ascending: equal neighbours are occurrences in one sentence.
        found.append(base[np.flatnonzero(np.diff(base, prepend=-1))])
    return np.concatenate(found)
