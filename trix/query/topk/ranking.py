"""Pruned top-k search of a query of terms, in one compiled loop over documents.

The document with the highest bound is scored first, until no other can enter the results. So few documents are scored,
and only results become objects. Queries that this search does not support go to other strategies, see
`trix.query.plan`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.core import damage_in
from trix.core import topk as core
from trix.core.topk import Demands, DocumentColumns, Search
from trix.indexer.store.files import IndexFiles
from trix.query.language.terms import Keys, Query, Term, own_spelling
from trix.query.matching.matching import ListReader
from trix.query.matching.query_words import SentenceLists, SentenceStarts
from trix.query.ranking.organise import COARSE
from trix.query.term_cache.counting import ElementCounter
from trix.query.term_cache.lists import CountedPlaces, LargeCounts, QueryLists, TermCache
from trix.query.topk.additions import NO_ADDITIONS, AdditionWords, TitleDocuments
from trix.query.topk.columns import NO_LENGTHS, TableColumns
from trix.query.topk.prepared import Prepared
from trix.query.topk.wanted import NOTHING_WANTED, Wanted, no_demands
from trix.query.topk.weighing import query_numbers
from trix.support import deadline
from trix.support.arrays import Floats, Ints, Mask

TOGETHER = 256
"""Smallest number of postings scored in a batch."""

PER_RESULT = 1
"""Number of postings in a batch per wanted result, at least."""

FEW = 700
"""Largest number of postings for which all documents are scored at once, without bounds."""

LARGE_SCORES = "scores may be very large"
LARGE_COUNTS = "occurrences count for very much"
MANY_WORDS = "the context asks for many words"
NOTHING_FOUND = "words are found in parts alone that are not returned"
"""Reason why the pruned search is abandoned."""

ROUNDING = 2.0**-52
"""Upper bound of the relative error of an arithmetic operation."""

LARGEST = 1 << 13
"""Largest number of results for which a heap is faster than ranking all elements."""


TOGETHER_ADMITTED = 512
"""Smallest number of postings scored in a batch if a Python callback admits elements."""


class FirstResults(NamedTuple):
    """The first results.

    Attributes
    ----------
    elements, scores, own
        Element numbers in order, scores, and scores without context.
    matched
        Number of matching elements; None if not counted.
    by_document
        Number of matching elements by document, admitted or not; None if not requested.
    left_out
        Whether non-returnable parts hold more results.
    """

    elements: NDArray[np.int32]
    scores: Floats
    own: Floats
    matched: int | None
    by_document: Ints | None
    left_out: bool


_Inputs = tuple[tuple[Ints, Floats], Demands, AdditionWords | None, CountedPlaces | None]
"""Numbers of a query, Boolean demands, additive forms, and weights of occurrences."""


class PrunedSearcher:
    """Pruned top-k search over one index.

    Parameters
    ----------
    index
        The index.
    reader
        Source of the postings of phrases and alternatives.
    sentences
        Source of the sentences that hold a word; needed by forms on sentences.
    """

    def __init__(self, index: IndexFiles, reader: ListReader, sentences: SentenceLists | None = None) -> None:
        self._of_words = sentences or SentenceLists(index, SentenceStarts(index)), TitleDocuments(index, reader)
        self._index, self._columns, self._lists = index, TableColumns(index), TermCache(index, reader)
        self._damage = damage_in(f"{index.path}: a posting list or the element table")
        self._searches: list[Search] = []  # one for each thread that searches

    @cached_property
    def _counter(self) -> ElementCounter:
        return ElementCounter(self._index)

    @property
    def contents(self) -> Ints:
        """Number of content elements by document."""
        return self._lists.contents

    @cached_property
    def _documents(self) -> DocumentColumns:
        """Columns by document, for the kernels."""
        index = self._index
        columns = self.contents, index.elements.deepest, self._columns.block_of
        return DocumentColumns(index.first_elements, index.first_contents, *columns)

    def holding(self, terms: Collection[Keys], phrases: str) -> Mask:
        """Return which documents hold any of some terms, ``(n_documents,)``."""
        found = np.zeros(len(self._index), np.bool_)
        lists = self._lists.open(terms, phrases)
        for begin, end, *_ in (kept.spans for kept in lists.kept):
            found[lists.columns.rows[begin:end, 0]] = True  # column 0 is the document
        return found

    def first(
        self, query: Query, prepared: Prepared, admitted: Mask | None = None, wanted: Wanted = NOTHING_WANTED
    ) -> FirstResults | str:
        """Return the first results, or the reason why the search gives up.

        Parameters
        ----------
        query
            A query of terms with weights above 0.
        prepared
            Scoring and ranking.
        admitted
            ``(n_documents,)`` documents that may have results; None for all.
        wanted
            Boolean clauses and filters on elements.

        Raises
        ------
        IndexError_
            The index is damaged.
        """
        # Rows: one for each distinct key of the query, then exact spellings, then keys of Boolean clauses, then word
        # pairs.
        terms, rows = query.terms, dict[Keys, int]()
        for term in terms:
            rows.setdefault(term.keys, len(rows))
        spelt = {keys: own for keys in rows if (own := own_spelling(keys))}
        for own in spelt.values():
            rows.setdefault(own, len(rows))
        if wanted is not NOTHING_WANTED:
            for keys in wanted.keys:
                rows.setdefault(keys, len(rows))
        addition_words = None
        if prepared.additions:
            addition_words = AdditionWords(prepared.additions, query, rows, prepared.phrases)
            if addition_words.too_many:
                return MANY_WORDS
        # Of a word with several spellings impacts do not tell which of them a document has.
        letters = None if spelt else prepared.weighing.impact_letters
        places = None if prepared.places is None else prepared.places()
        try:
            lists = self._lists.open(*_sought(rows, prepared.phrases, addition_words), letters, places)
        except LargeCounts:
            return LARGE_COUNTS
        preferred = {keys: (rows[own], *prepared.r(keys)) for keys, own in spelt.items() if lists.counts.m[rows[own]]}
        # Scores are rounded to rank keys. Bound the largest score and its rounding error before the search, to give up
        # if 64-bit rank keys could not hold it.
        total = float(sum([term.weight for term in terms]))
        greatest = prepared.greatest(total, lists.counts)
        steps = 2 * len(terms) + 2 * (self._index.deepest + 1)
        if addition_words is not None:
            greatest += addition_words.greatest(lists.counts)
            steps += addition_words.steps
        if greatest >= COARSE / 2:  # rank keys are rounded in another way
            return LARGE_SCORES
        rounding = (16 + 4 * steps) * ROUNDING
        # Sums of logarithms with both signs cancel, so their rounding errors weigh more.
        roundings = rounding, rounding * greatest if prepared.reads_keys else 0.0
        numbers = query_numbers(terms, rows, lists, prepared.weighings, preferred)
        size = len(lists.kept)
        demands = no_demands(size) if wanted is NOTHING_WANTED else wanted.demands(rows, size)
        inputs = numbers, demands, addition_words, places
        elements, scores, own, matched, shown, is_all = self._search(
            lists, prepared, admitted, inputs, total, roundings
        )
        # Only non-returnable parts match: another strategy returns those.
        if matched and not elements.size:
            return NOTHING_FOUND
        by_document, left_out = None, is_all and shown < min(matched, prepared.top)
        if prepared.counts:
            by_document = self._counter.by_document(_without_minus(lists, terms, rows))
            matched = int(by_document.sum() if admitted is None else by_document[admitted].sum())
        counted = matched if is_all or prepared.counts else None
        return FirstResults(elements, scores, own, counted, by_document, left_out)

    def _search(
        self, lists: QueryLists, prepared: Prepared, admitted: Mask | None,
        inputs: _Inputs, total: float, roundings: tuple[float, float],
    ) -> tuple[Any, ...]:  # fmt: skip
        """Return elements, scores, own scores; the numbers scored and returnable; whether these are all."""
        keys, sizes = prepared.reads_keys, prepared.reads_sizes
        numbers, demands, words, places = inputs
        of_contents = (NO_LENGTHS, 1) if places is None else (places.values, places.heaviest)
        implied = [] if words is None else words.implied
        room = min(prepared.top, self._index.totals["elements"])
        rooms = room, min(prepared.showing.spread, room)
        together = max(TOGETHER if demands.admits is None else TOGETHER_ADMITTED, PER_RESULT * room)
        wanted = NO_LENGTHS
        # A pool of searchers, one for each concurrent thread: pop and append of a list are atomic.
        try:
            search = self._searches.pop()
        except IndexError:
            search = Search(self._documents)
        # Retry loop: the kernel stops at blocks that are not decompressed and names their documents. They are
        # decompressed here, and the search starts again with the same bounds. Each round adds blocks, so it ends.
        while True:
            table, longest = self._columns.ready(wanted, keys, sizes)
            models = prepared.models(total, lists.counts, longest)
            compiled = core.CompiledQuery(*numbers, models, implied, *of_contents)
            additions = NO_ADDITIONS
            if words is not None:
                additions = words.made(lists.counts, prepared.weighing, longest, *self._of_words)
            until = deadline.current()
            with self._damage:
                missing, results, counts = search.first_results(
                    lists.postings, lists.impacts, compiled, prepared.context, additions, table, prepared.selection,
                    demands, admitted, rooms, FEW, together, roundings, until,
                )  # fmt: skip
            if not missing.size:
                self._searches.append(search)
                return *results, *counts
            wanted = self._index.first_contents[np.sort(missing)]


def _sought(rows: Collection[Keys], phrases: str, words: AdditionWords | None) -> tuple[list[Keys], list[str]]:
    """Return the keys of the needed lists in row order, and the kind of phrase of each."""
    if words is None:
        return [*rows], [phrases] * len(rows)
    more = words.more
    return [*rows, *more], [phrases] * len(rows) + ["exact"] * len(more)


def _without_minus(lists: QueryLists, terms: Sequence[Term], rows: dict[Keys, int]) -> QueryLists:
    """Return the lists of the terms that make candidates."""
    plus = {rows[term.keys] for term in terms if term.sign != "-"}
    return lists if len(plus) == len(lists.kept) else lists._replace(kept=[lists.kept[row] for row in sorted(plus)])
