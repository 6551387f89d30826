"""The words of a query by themselves: what each counts for, which elements hold it, and which sentences.

Models weigh how often a term occurs. Some contexts ask only which words of the query are there: all in one sentence, in
the titles above, in what stands beside. For them phrases and nearness are taken apart, and alternatives count as one
word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError
from trix.indexer.store.files import IndexFiles
from trix.query.language.terms import Query, plain
from trix.query.matching import joins
from trix.query.matching.matching import TermList
from trix.query.matching.part import by_part, content_ranges

Ints = NDArray[Any]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Word:
    """A word of a query.

    Attributes
    ----------
    text
        As it is printed.
    keys
        Any of which is this word.
    weight
        As often as it is written, where terms have weights so many times.
    """

    text: str
    keys: tuple[str, ...]
    weight: float


def words_of(query: Query) -> list[Word]:
    """Return the words of the terms without minus, in written order, each once.

    >>> from trix.query.language.terms import Term
    >>> query = Query((Term(("tree", "edit")), Term(("tree",), weight=0.5), Term(("image",), "-")))
    >>> [(word.text, word.weight) for word in words_of(query)]
    [('tree', 1.5), ('edit', 1.0)]
    """
    found: dict[tuple[str, ...], tuple[str, float]] = {}
    for term in query.terms:
        if term.sign == "-":
            continue
        written = plain(term.keys)
        each = [(key,) for key in written[0]] if len(written) == 1 else [tuple(dict.fromkeys(sum(written, ())))]
        for keys in dict.fromkeys(each):
            text = keys[0] if len(keys) == 1 else str(term.keys[0])
            before = found.get(keys, (text, 0.0))[1]
            found[keys] = (text, before + term.weight)
    return [Word(text, keys, weight) for keys, (text, weight) in found.items()]


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
        The content elements that hold each.
    idf
        ``(n_words,)`` ln(N/m) of each, by the statistics of the search; 0 where m = 0.
    """

    index: IndexFiles
    words: Sequence[Word]
    lists: Sequence[TermList]
    N: int
    m: Ints

    def weights(self, power: float) -> Floats:
        """Return what each word counts for, w·ln(N/m)^power, ``(n_words,)``."""
        weights: Floats = np.array([word.weight for word in self.words]) * np.log(self.N / self.m) ** power
        return weights

    def held(self, begin: Ints, end: Ints) -> Iterator[NDArray[np.bool_]]:
        """Yield for each word which of some elements hold it, given as ranges of content elements."""
        for each in self.lists:
            low, high = joins.below(each.content_numbers, begin, end)
            yield high > low

    @cached_property
    def sentences(self) -> SentencesOfWords:
        """The sentences that hold any of the words."""
        return sentences_of(self)


@dataclass(frozen=True)
class SentencesOfWords:
    """The sentences that hold words of a query, ascending.

    Attributes
    ----------
    content_numbers : (n_sentences,) ndarray
        The content elements they are in.
    held : (n_words,) list of ndarrays
        The places of the sentences that hold each word, ascending.
    """

    content_numbers: Ints
    held: list[Ints] = field(default_factory=list)

    def sums(self, weights: Floats) -> Floats:
        """Return of each sentence the sum of the weights of the words in it, added up in their order."""
        places = np.concatenate([np.zeros(0, np.intp), *self.held])
        each = np.repeat(weights, [held.size for held in self.held])
        sums: Floats = np.bincount(places, each, self.content_numbers.size).astype(np.float64)
        return sums


def check_positions(index: IndexFiles, form: object, *, sentences: bool) -> None:
    """Refuse an index without what a form of context needs: positions, and where sentences begin."""
    if not index.has_positions:
        raise UsageError("the index has no positions; build it with `positions`", field="context", got=form)
    if sentences and not all(live.segment.has_sentences for live in index.live):
        why = "the index does not say where sentences begin, as it was built before; build it anew"
        raise UsageError(why, field="context", got=form)


def sentences_of(of: QueryWords) -> SentencesOfWords:
    """Return the sentences that hold any of the words.

    Where a content element holds one word alone, nobody asks which sentence of it that is: it stands for all.
    """
    numbers = [each.content_numbers.astype(np.int64) for each in of.lists]
    every = np.sort(np.concatenate([np.zeros(0, np.int64), *numbers]))
    several = every[1:][every[1:] == every[:-1]].astype(np.int32)  # content elements that hold two words or more
    found = []
    for word, own in zip(of.words, numbers, strict=True):
        at = own[~joins.member(own, several)] << 32
        if several.size:
            inside = [_in_sentences(of.index, key, several) for key in word.keys]
            at = np.concatenate([at, *inside])
        at.sort(kind="stable")
        found.append(at[np.flatnonzero(np.diff(at, prepend=-1))])
    places = np.concatenate([np.zeros(0, np.int64), *found])
    places.sort(kind="stable")
    places = places[np.flatnonzero(np.diff(places, prepend=-1))]
    return SentencesOfWords(places >> 32, [np.searchsorted(places, at) for at in found])


def _in_sentences(index: IndexFiles, key: str, contents: Ints) -> Ints:
    """Return the sentences of some content elements that hold a key, each as the number of its first key."""
    numbers, tf, positions = index.positions(key)
    chosen = joins.member(numbers, contents)
    numbers = numbers[chosen].astype(np.int64) << 32
    at = np.repeat(numbers, tf[chosen]) + positions[np.repeat(chosen, tf)]
    return np.maximum(index_starts(index, at), np.repeat(numbers, tf[chosen]))


def index_starts(index: IndexFiles, at: Ints) -> Ints:
    """Return the last beginning of a sentence that is not behind each of some ascending places; 0 where none is."""
    found = np.zeros(at.size, np.int64)
    firsts = np.array([block.content for block in index.blocks], np.int64) << 32
    cuts = np.searchsorted(at, firsts)
    for number in np.flatnonzero(np.diff(cuts)).tolist():
        own = slice(cuts[number], cuts[number + 1])
        begins = index.blocks[number].sentence_starts()
        if begins.size:
            place = np.searchsorted(begins, at[own], side="right") - 1
            found[own] = np.where(place >= 0, begins[place], 0)
    return found


class Headings(NamedTuple):
    """The outermost titles of an index, ascending: their elements, these elements' parents, and what they hold."""

    element: NDArray[np.int32]
    parent: NDArray[np.int32]
    begin: NDArray[np.int32]
    end: NDArray[np.int32]


def headings(index: IndexFiles, tags: tuple[str, ...]) -> Headings:
    """Return the outermost elements with some tags; roots are none."""
    named = by_part(index, lambda part: joins.named(part, tags))
    table = index.elements
    table.structure_of_elements(named)
    named = named[table.parent[named] >= 0]
    begin, end, _ = content_ranges(index, named)
    outermost = np.ones(named.size, np.bool_)
    if named.size:  # an element in a title begins before the title's last descendant has ended
        outermost[1:] = named[1:] >= np.maximum.accumulate(joins.ends(table, named))[:-1]
    return Headings(named[outermost], table.parent[named][outermost], begin[outermost], end[outermost])
