"""The first results of plain words, in one compiled loop over documents.

The document that can reach most is scored first, and so on until no other can have a result among the first. So few
documents are scored, and nothing is made of the others; nor of these but the results. What is not answered so is left
to `trix.query.best_documents`, and by that to all documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.files import IndexFiles
from trix.indexer.store.inverted.by_document import STEPS
from trix.query.bounds.documents import ROUNDING
from trix.query.document_at_a_time.columns import NO_LENGTHS, TableColumns
from trix.query.document_at_a_time.counting import ElementCounter
from trix.query.document_at_a_time.lists import FewPostings, OpenLists, open_lists
from trix.query.document_at_a_time.plan import BY_ROOT, Asked, Plan
from trix.query.document_at_a_time.weighing import term_numbers
from trix.query.language.terms import Term
from trix.query.ranking.organise import COARSE

Ints = NDArray[Any]
Floats = NDArray[np.float64]

TOGETHER = 256
"""Postings of the documents that are scored together, at the least."""

PER_RESULT = 1
"""Postings of those that are scored first, for each result."""

FEW = 1000
"""Bytes of postings up to which all documents are scored together, without bounds."""

LARGEST = 1 << 13
"""Results up to which they are gathered in a heap sooner than all elements are ranked."""


class FirstResults(NamedTuple):
    """The first results.

    Attributes
    ----------
    elements, scores, own
        Element numbers in order, scores, and scores without context.
    matched
        How many elements match; None where it was not counted.
    by_document
        How many elements of each document match, of whichever are admitted; None where that was not asked.
    left_out
        Whether there would be more results if quiet ones were returned.
    """

    elements: NDArray[np.int32]
    scores: Floats
    own: Floats
    matched: int | None
    by_document: Ints | None
    left_out: bool


class DocumentAtATime:
    """Answers plain queries over one index.

    Parameters
    ----------
    index
        The index.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index = index
        self._columns = TableColumns(index)
        ends = np.append(index.first_contents[1:], index.totals["content_elements"])
        self._contents = ends - index.first_contents

    @cached_property
    def _counter(self) -> ElementCounter:
        return ElementCounter(self._index)

    @cached_property
    def _all(self) -> NDArray[np.bool_]:
        return np.ones(len(self._index), np.bool_)

    def first(self, terms: Sequence[Term], plan: Plan, asked: Asked) -> FirstResults | None:
        """Return the first results.

        Parameters
        ----------
        terms
            Of the query, in written order: single keys with weights above 0, none with a minus.
        plan
            How they are scored and ranked.
        asked
            What else is asked.

        Returns
        -------
        FirstResults or None
            None where the index is not one whole segment with lists by document, where scores may be very large, or
            where nothing is found that is not quiet.

        Raises
        ------
        IndexError_
            The index is damaged.
        """
        rows = {keys: row for row, keys in enumerate(dict.fromkeys(term.keys for term in terms))}
        keys = [str(keys[0]) for keys in rows]
        lists = open_lists(self._index, keys, FEW, plan.reads_keys)
        if lists is None:
            return None
        query = _Query(self._index, plan, asked, terms, term_numbers(terms, rows), lists)
        if query.greatest >= COARSE / 2:  # rank keys are rounded in another way
            return None
        if isinstance(lists, FewPostings):
            self._score(lists, query)
        else:
            self._search(lists, query)
        found = query.results()
        if found is None or not asked.counts:
            return found
        by_document = self._counter.by_document(keys)
        matched = int(by_document.sum() if asked.admitted is None else by_document[asked.admitted].sum())
        return found._replace(by_document=by_document, matched=matched)

    def _score(self, lists: FewPostings, query: _Query) -> None:
        """Score all that is admitted."""
        from trix.query.document_at_a_time.lists_loops import of_documents
        from trix.query.document_at_a_time.ranking_loops import score

        postings, admitted = (lists.contents, lists.tf, lists.starts), query.asked.admitted
        if admitted is not None:
            postings = of_documents(postings, self._index.first_contents, admitted)
        table, scoring = self._ready(postings[0], query)
        score(postings, scoring, table, query.plan.shown, query.found, query.state)

    def _ready(self, contents: Ints, query: _Query) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the columns, ready for the documents of some content elements, and how these are scored."""
        keys = query.plan.reads_keys
        table = self._columns.ready(contents, keys, query.plan.reads_sizes)
        return table, query.scoring(self._columns.longest() if keys else 0)

    def _search(self, lists: OpenLists, query: _Query) -> None:
        """Score what may be among the first."""
        from trix.query.document_at_a_time.ranking_loops import CHOSEN, QUEUED, advance
        from trix.query.document_at_a_time.reach_loops import bound_documents

        index, state, count = self._index, query.state, len(self._index)
        admitted = self._all if query.asked.admitted is None else query.asked.admitted
        sums = np.zeros((3, count))  # of roots, and of both as context
        documents = (
            np.empty(count), *sums, np.zeros(count, np.int64), index.first_elements, index.elements.deepest,
            self._columns.block_of,
        )  # fmt: skip
        table, scoring = self._ready(NO_LENGTHS, query)
        queue, chosen = np.empty(count, np.int32), np.empty(count, np.int32)
        state[QUEUED] = bound_documents(
            lists.rows, lists.held, self._contents, admitted, scoring, STEPS, documents, queue,
            index.first_contents, table[1], table[4], query.plan.showing.documents == BY_ROOT,
        )  # fmt: skip
        opened = lists.postings, lists.ends, lists.rows, lists.held, lists.entries, lists.entered, lists.every
        least = max(TOGETHER, PER_RESULT * query.found[0][0].size)
        while not advance(
            opened, scoring, documents, queue, chosen, table, query.plan.shown, query.found, state, least
        ):  # fmt: skip
            table, scoring = self._ready(np.sort(index.first_contents[chosen[: state[CHOSEN]]]), query)


class _Query:
    """What the loops want to know of one query, and what they have found.

    Attributes
    ----------
    plan, asked
        As they were given.
    all_scored
        Whether all that is admitted is scored.
    greatest
        No element scores more than this.
    found
        Results, and those of the head: keys, elements, scores, scores without context.
    state
        See `trix.query.document_at_a_time.ranking_loops`.
    """

    def __init__(
        self, index: IndexFiles, plan: Plan, asked: Asked, terms: Sequence[Term], numbers: tuple[Any, ...],
        lists: OpenLists | FewPostings,
    ) -> None:  # fmt: skip
        self.plan, self.asked = plan, asked
        self._held, self._numbers = lists.counts, numbers
        self._total = float(sum(term.weight for term in terms))
        self._rounding = (16 + 8 * len(terms) + 8 * (index.deepest + 1)) * ROUNDING
        self.all_scored = isinstance(lists, FewPostings)
        room = min(asked.top, index.totals["elements"])
        spread = plan.showing.spread
        self.found = _heap(room), _heap(min(spread, room)) if spread else _NO_HEAP
        self.state = np.zeros(6, np.int64)
        models = (plan.weighing,) if plan.around is None else (plan.weighing, plan.around)
        factor = float(plan.path.bound[-1])
        self.greatest = max(each.greatest(self._total, self._held) for each in models) * (1.0 + factor)

    def scoring(self, longest: int) -> tuple[Any, ...]:
        """Return how scores are made and bounded; no element that is looked at has more keys than `longest`."""
        plan = self.plan
        model = around = plan.weighing.numbers(self._total, self._held, longest)
        if plan.around is not None:
            around = plan.around.numbers(self._total, self._held, longest)
        # Logarithms of both signs may be added, so that what is left has more of their rounding.
        slack = self._rounding * self.greatest if plan.reads_keys else 0.0
        return self._numbers, model, around, plan.context, (self._rounding, slack)

    def results(self) -> FirstResults | None:
        """Return what was found; None where all of it is quiet."""
        from trix.query.document_at_a_time.heap_loops import in_order
        from trix.query.document_at_a_time.ranking_loops import FOUND, HEAD, HEARD, MATCHED

        room, state = self.found[0][0].size, self.state.tolist()
        matched, heard = state[MATCHED], state[HEARD]
        if matched and not heard:
            return None
        columns = in_order(self.found[0], state[FOUND])
        if self.plan.showing.per_document:
            columns = _followed(in_order(self.found[1], state[HEAD]), columns, room)
        everything = self.all_scored or columns[0].size < room
        left_out = everything and heard < min(matched, self.asked.top)
        elements, scores, own = columns
        return FirstResults(elements, scores, own, matched if everything else None, None, left_out)


def _followed(head: tuple[Any, ...], every: tuple[Any, ...], room: int) -> tuple[Any, ...]:
    """Return the columns of the head, and behind it those of the other results, so many together."""
    if head[0].size == room:
        return head
    put_off = ~np.isin(every[0], head[0])
    return tuple(np.concatenate([first, of[put_off]])[:room] for first, of in zip(head, every, strict=True))


def _heap(room: int) -> tuple[Floats, Ints, Floats, Floats]:
    """Return room for the columns of some results."""
    return np.empty(room), np.empty(room, np.int64), np.empty(room), np.empty(room)


_NO_HEAP = _heap(0)
