"""The first results of plain words under trix2005, in one compiled loop over documents.

The document that can reach most is scored first, and so on until no other can have a result among the first. So few
documents are scored, and nothing is made of the others; nor of these but the results. What is not answered so is left
to `trix.query.best_documents`, and by that to all documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.files import IndexFiles
from trix.indexer.store.inverted.by_document import STEPS, share_for
from trix.query.bounds.contexts import shares_of_root
from trix.query.bounds.documents import ROUNDING, SIGNS
from trix.query.context.ancestors import PathForm
from trix.query.context.chain import Chain
from trix.query.context.path_weights import weight_arrays
from trix.query.document_at_a_time.lists import FewPostings, OpenLists, open_lists
from trix.query.language.terms import Term
from trix.query.ranking.organise import COARSE
from trix.query.scoring.weights import idf_of_one

Ints = NDArray[Any]
Floats = NDArray[np.float64]

TOGETHER = 256
"""Postings of the documents that are scored together, at the least."""

PER_RESULT = 1
"""Postings of those that are scored first, for each result."""

FEW = 1000
"""Bytes of postings up to which all documents are scored together, without bounds."""

Bound = tuple[Floats, Floats, NDArray[np.bool_], bool, float]

LARGEST = 1 << 13
"""Results up to which they are gathered in a heap sooner than all elements are ranked."""

NO_PATH = (np.zeros(0), np.zeros(0), np.zeros(0), 0.0, False, False, True, 0.0)


class FirstResults(NamedTuple):
    """The first results in order: element numbers, scores, and scores without context; and how many elements match.

    The latter is None where it was not counted.
    """

    elements: NDArray[np.int32]
    scores: Floats
    own: Floats
    matched: int | None


@dataclass(frozen=True)
class Plan:
    """How a search scores and ranks, made once for many queries.

    Attributes
    ----------
    v, b, idf_power
        The letters of trix2005.
    average
        Whether a score is the mean of the weights, else their sum.
    overlap
        Whether results may overlap.
    path
        What `trix.query.context.loops.path_scores` wants to know of the context.
    bound
        The shares of the root in it, see `shares_of_root`; whether the element is in the mean; the factor of the mean.
    """

    v: float
    b: float
    idf_power: float
    average: bool
    overlap: bool
    path: tuple[Any, ...]
    bound: Bound


class DocumentAtATime:
    """Answers plain queries over one index.

    Parameters
    ----------
    index
        The index.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index = index
        ends = np.append(index.first_contents[1:], index.totals["content_elements"])
        self._contents = ends - index.first_contents
        self.path_of = lru_cache(maxsize=64)(self._path_of)

    @cached_property
    def _block_of(self) -> Ints:
        """The block of the element table that each document is in."""
        firsts = [block.document for block in self._index.blocks[1:-1]]
        return np.searchsorted(firsts, np.arange(len(self._index)), side="right")

    def _path_of(self, context: Chain) -> tuple[tuple[Any, ...], Bound] | None:
        """Return `path` and `bound` of a plan; None of a context that is no single form along the path."""
        if not context.forms:
            return NO_PATH, (np.zeros(1), np.zeros(1), np.zeros(1, np.bool_), True, 0.0)
        form = context.forms[0]
        if len(context.forms) > 1 or form.all or not isinstance(form, PathForm) or form.factor < 0:
            return None
        weights, deepest = form.weights(), self._index.deepest
        shares = shares_of_root(weights, deepest)
        if shares is None:
            return None
        path = (*weight_arrays(weights, deepest), weights.middle, weights.shared, weights.tail_wins, weights.own)
        return (*path, form.factor), (*shares, weights.own, form.factor)

    def first(self, terms: Sequence[Term], plan: Plan, top: int) -> FirstResults | None:
        """Return the first results.

        Parameters
        ----------
        terms
            Of the query, in written order: single keys with weights above 0, none with a minus.
        plan
            How they are scored and ranked.
        top
            How many results are wanted, 1 or more.

        Returns
        -------
        FirstResults or None
            None where the index is not one whole segment with lists by document, or scores have no fine bound.

        Raises
        ------
        IndexError_
            The index is damaged.
        """
        from trix.query.document_at_a_time.ranking_loops import in_order, score

        rows = {keys: row for row, keys in enumerate(dict.fromkeys(term.keys for term in terms))}
        lists = open_lists(self._index, [str(keys[0]) for keys in rows], FEW)
        if lists is None:
            return None
        numbers, table = self._numbers(terms, rows, lists.m, plan), self._index.elements
        letters = plan.v, plan.b, share_for(plan.b), STEPS, self._rounding(len(terms))
        room = min(top, self._index.totals["elements"])
        found = np.empty(room), np.empty(room, np.int64), np.empty(room), np.empty(room)
        if isinstance(lists, FewPostings):
            table.structure_of_contents(lists.contents)
            postings = lists.contents, lists.tf, lists.starts
            places = table.content_rows, table.rows
            size, matched = score(postings, numbers, letters, plan.path, *places, found, 0, room, plan.overlap)
        else:
            size, matched = self._search(lists, numbers, letters, plan, found), None
        if size < 0:
            return None
        elements, scores, own = in_order(found, size)
        if size and scores[0] >= COARSE / 2:  # rank keys are rounded in another way
            return None
        return FirstResults(elements, scores, own, matched)

    def _search(self, lists: OpenLists, numbers: Any, letters: Any, plan: Plan, found: Any) -> int:
        """Fill in what is found, and return how many results that is; -1 where there is no fine bound."""
        from trix.query.document_at_a_time.ranking_loops import CHOSEN, FOUND, QUEUED, advance
        from trix.query.document_at_a_time.reach_loops import bound_documents

        index, table, room = self._index, self._index.elements, found[0].size
        count = len(index)
        reached, root, key = np.zeros(count, np.int64), np.zeros(count), np.empty(count)
        queue, chosen, state = np.empty(count, np.int32), np.empty(count, np.int32), np.zeros(3, np.int64)
        state[QUEUED] = size = bound_documents(
            lists.rows,
            lists.held,
            self._contents,
            numbers,
            letters,
            plan.bound,
            table.deepest,
            reached,
            root,
            key,
            queue,
        )
        if size < 0:
            return -1
        while not advance(
            (lists.postings, lists.ends, lists.rows, lists.held, lists.entries, lists.entered, lists.every),
            numbers, letters, plan.path, plan.bound,
            (key, root, reached, index.first_elements, table.deepest, self._block_of), queue, chosen,
            (table.content_rows, table.rows, table.structured), found, state, room, plan.overlap,
            max(TOGETHER, PER_RESULT * room),
        ):  # fmt: skip
            table.structure_of_elements(index.first_elements[chosen[: state[CHOSEN]]])
        return int(state[FOUND])

    def _rounding(self, terms: int) -> float:
        """Return by how much of itself a bound is raised for the rounding of all steps to a score."""
        return (16 + 8 * terms + 8 * (self._index.deepest + 1)) * ROUNDING

    def _numbers(
        self, terms: Sequence[Term], rows: dict[Any, int], m: Sequence[int], plan: Plan
    ) -> tuple[Floats, Ints, Ints, Floats, float]:
        """Return idf by key; of each term its key, sign and weight; and what the sum of weights is divided by."""
        N = self._index.totals["content_elements"]
        idf = np.array([idf_of_one(each, N, plan.idf_power) for each in m])
        key_of, sign = (np.array(of) for of in zip(*((rows[t.keys], SIGNS[t.sign]) for t in terms), strict=True))
        weights = [term.weight for term in terms]
        return idf, key_of, sign, np.array(weights), float(sum(weights)) if plan.average else 1.0
