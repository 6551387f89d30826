"""The first results of plain words, in one compiled loop over documents.

The document that can reach most is scored first, and so on until no other can have a result among the first. So few
documents are scored, and nothing is made of the others; nor of these but the results. What is not answered so is left
to `trix.query.best_documents`, and by that to all documents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.files import IndexFiles
from trix.indexer.store.inverted.by_document import STEPS
from trix.query.bounds.documents import ROUNDING
from trix.query.document_at_a_time.columns import NO_LENGTHS, TableColumns
from trix.query.document_at_a_time.lists import FewPostings, OpenLists, open_lists
from trix.query.document_at_a_time.plan import Asked, Plan
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
    marks
        Gives the elements that begin (``quiet``) or end (``loud``) a quiet part, ascending.
    """

    def __init__(self, index: IndexFiles, marks: Callable[[str], NDArray[np.int32]]) -> None:
        self._index, self._marks = index, marks
        self._columns = TableColumns(index)
        ends = np.append(index.first_contents[1:], index.totals["content_elements"])
        self._contents = ends - index.first_contents

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
        lists = open_lists(self._index, keys, FEW)
        if lists is None:
            return None
        query = _Query(self._index, plan, asked, terms, rows, lists, self._showing(plan))
        if query.greatest >= COARSE / 2:  # rank keys are rounded in another way
            return None
        if isinstance(lists, FewPostings):
            self._score(lists, query)
        else:
            self._search(lists, query)
        found = query.results()
        if found is None or not asked.counts:
            return found
        by_document = self._counted(keys, lists)
        matched = int(by_document.sum() if asked.admitted is None else by_document[asked.admitted].sum())
        return found._replace(by_document=by_document, matched=matched)

    def _showing(self, plan: Plan) -> tuple[Any, ...]:
        """Return what the loops want to know of what is returned."""
        quiet, loud = (self._marks(mark) if plan.hushed else NO_LENGTHS for mark in ("quiet", "loud"))
        low, high = (None, None) if plan.size is None else plan.size
        window = float(low or 0), np.inf if high is None else float(high)
        return plan.overlap, plan.per_document, (plan.hushed, quiet, loud, *window)

    def _counted(self, keys: Sequence[str], lists: OpenLists | FewPostings) -> Ints:
        """Return how many elements of each document match."""
        from trix.query.document_at_a_time.counting_loops import count_elements

        index, table = self._index, self._index.elements
        every = lists if isinstance(lists, FewPostings) else open_lists(index, keys, None)
        assert isinstance(every, FewPostings)
        table.structure_of_contents(every.contents)
        found: Ints = count_elements(every.contents, every.starts, index.first_contents, table.content_rows, table.rows)
        return found

    def _score(self, lists: FewPostings, query: _Query) -> None:
        """Score all that is admitted."""
        from trix.query.document_at_a_time.lists_loops import of_documents
        from trix.query.document_at_a_time.ranking_loops import score

        postings, admitted = (lists.contents, lists.tf, lists.starts), query.asked.admitted
        if admitted is not None:
            postings = of_documents(postings, self._index.first_contents, admitted)
        table = self._columns.ready(postings[0], query.plan.reads_keys, query.plan.size is not None)
        scoring = query.scoring(self._columns.longest() if query.plan.reads_keys else 0)
        score(postings, scoring, tuple(table), query.showing, query.found, query.state)

    def _search(self, lists: OpenLists, query: _Query) -> None:
        """Score what may be among the first."""
        from trix.query.document_at_a_time.ranking_loops import CHOSEN, QUEUED, advance
        from trix.query.document_at_a_time.reach_loops import bound_documents

        index, plan, columns, state = self._index, query.plan, self._columns, query.state
        count, of_plan = len(index), (plan.reads_keys, plan.size is not None)
        admitted = self._all if query.asked.admitted is None else query.asked.admitted
        sums = np.zeros((3, count))  # of roots, and of both as context
        documents = (
            np.empty(count), *sums, np.zeros(count, np.int64), index.first_elements, index.elements.deepest,
            columns.block_of,
        )  # fmt: skip
        table, scoring = columns.ready(NO_LENGTHS, *of_plan), query.scoring(columns.longest() if plan.reads_keys else 0)
        queue, chosen = np.empty(count, np.int32), np.empty(count, np.int32)
        state[QUEUED] = bound_documents(
            lists.rows, lists.held, self._contents, admitted, scoring, STEPS, documents, queue
        )  # fmt: skip
        opened = lists.postings, lists.ends, lists.rows, lists.held, lists.entries, lists.entered, lists.every
        least = max(TOGETHER, PER_RESULT * query.found[0][0].size)
        while not advance(
            opened, scoring, documents, queue, chosen, tuple(table), query.showing, query.found, state, least
        ):  # fmt: skip
            table = columns.ready(np.sort(index.first_contents[chosen[: state[CHOSEN]]]), *of_plan)
            scoring = query.scoring(columns.longest() if plan.reads_keys else 0)


class _Query:
    """What the loops want to know of one query, and what they have found.

    Attributes
    ----------
    plan, asked, showing
        As they were given.
    all_scored
        Whether all that is admitted is scored.
    found
        Results, and those of the head: keys, elements, scores, scores without context.
    state
        See `trix.query.document_at_a_time.ranking_loops`.
    """

    def __init__(
        self, index: IndexFiles, plan: Plan, asked: Asked, terms: Sequence[Term], rows: dict[Any, int],
        lists: OpenLists | FewPostings, showing: tuple[Any, ...],
    ) -> None:  # fmt: skip
        self.plan, self.asked, self.showing = plan, asked, showing
        self._terms, self._held, self._numbers = terms, lists.counts, term_numbers(terms, rows)
        self._rounding = (16 + 8 * len(terms) + 8 * (index.deepest + 1)) * ROUNDING
        self.all_scored = isinstance(lists, FewPostings)
        room = min(asked.top, index.totals["elements"])
        head = min(plan.spread, room)
        self.found = tuple((np.empty(n), np.empty(n, np.int64), np.empty(n), np.empty(n)) for n in (room, head))
        self.state = np.zeros(6, np.int64)

    @cached_property
    def greatest(self) -> float:
        """No element scores more than this."""
        plan = self.plan
        models = [plan.weighing] if plan.around is None else [plan.weighing, plan.around]
        most = max(each.greatest(self._terms, self._held) for each in models)
        return most * (1.0 + float(plan.path.bound[-1]))

    def scoring(self, longest: int) -> tuple[Any, ...]:
        """Return how scores are made and bounded; no element that is looked at has more keys than `longest`."""
        plan, path = self.plan, self.plan.path
        model = around = plan.weighing.numbers(self._terms, self._held, longest)
        if plan.around is not None:
            around = plan.around.numbers(self._terms, self._held, longest)
        slack = 0.0
        if plan.reads_keys:  # logarithms of both signs may be added, so that what is left has more of their rounding
            slack = self._rounding * self.greatest
        context = path.numbers, plan.around is not None, path.roots_only, path.bound
        return self._numbers, model, around, context, (self._rounding, slack)

    def results(self) -> FirstResults | None:
        """Return what was found; None where all of it is quiet."""
        from trix.query.document_at_a_time.heap_loops import in_order
        from trix.query.document_at_a_time.ranking_loops import FOUND, HEAD, HEARD, MATCHED

        room, matched, heard = self.found[0][0].size, int(self.state[MATCHED]), int(self.state[HEARD])
        if matched and not heard:
            return None
        columns = in_order(self.found[1], self.state[HEAD])
        if not columns[0].size:
            columns = in_order(self.found[0], self.state[FOUND])
        elif columns[0].size < room:
            columns = _followed(columns, in_order(self.found[0], self.state[FOUND]), room)
        everything = self.all_scored or columns[0].size < room
        left_out = everything and heard < min(matched, self.asked.top)
        elements, scores, own = columns
        return FirstResults(elements, scores, own, matched if everything else None, None, left_out)


def _followed(head: tuple[Any, ...], every: tuple[Any, ...], room: int) -> tuple[Any, ...]:
    """Return the columns of the head, and behind it those of the other results, so many together."""
    put_off = ~np.isin(every[0], head[0])
    return tuple(np.concatenate([first, of[put_off]])[:room] for first, of in zip(head, every, strict=True))
