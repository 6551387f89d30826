"""Two rounds of a batch of queries: statistics of all parts are added up, then their best results are merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from trix.cluster.clusters import await_workers, workers
from trix.cluster.searching.part import Elements, PartResults, Scores, best_of, statistics_of
from trix.cluster.searching.parts import IndexPart, open_part, parts_of
from trix.cluster.tasks import results
from trix.errors import UsageError
from trix.indexer.store.files import IndexFiles
from trix.query.options import Options
from trix.query.ranking.organise import rank_key
from trix.query.scoring.statistics import GlobalStatistics, Uncounted, added

if TYPE_CHECKING:
    from trix.query.search import AnyQuery


@dataclass(frozen=True)
class Question:
    """A query with its effective options."""

    query: AnyQuery
    options: Options


@dataclass(frozen=True)
class _Round:
    """Task: questions to a part; in the second round with global statistics."""

    part: IndexPart
    questions: tuple[Question, ...]
    sums: tuple[GlobalStatistics | None, ...] = ()


Answer = tuple[Elements, Scores]


@dataclass
class Merged:
    """Merged results of all parts for a question.

    Attributes
    ----------
    elements, scores
        The results in rank order.
    matched
        Number of matching elements.
    found
        Whether any element matches.
    returnable, outside
        As in `PartResults`, summed over all parts.
    """

    elements: Elements
    scores: Scores
    matched: int
    found: bool
    returnable: int
    outside: int


class Rounds:
    """Distributed search of the parts of an index, which the workers of a cluster keep open.

    Parameters
    ----------
    client
        Client of the cluster.
    files
        The index.
    """

    def __init__(self, client: Any, files: IndexFiles) -> None:
        await_workers(client)
        self._client = client
        old = any(opened.commit.number == 0 for opened in files.opened)  # a format without segments
        self.parts = [] if old else parts_of(files, len(workers(client)))
        self._homes: list[str] = []

    def _placed(self) -> list[list[str]]:
        """Return the worker of each part: its earlier one, unless that has gone."""
        await_workers(self._client)
        there = workers(self._client)
        if len(self._homes) != len(self.parts) or not {*self._homes} <= {*there}:
            free = cycle([each for each in there if each not in self._homes] or there)
            before = self._homes or [""] * len(self.parts)
            self._homes = [home if home in there else next(free) for home in before]
        return [[home] for home in self._homes]

    def answers(self, questions: Sequence[Question]) -> list[Merged | None]:
        """Answer questions; None for a question that the parts cannot answer separately.

        Raises
        ------
        UsageError
            The cluster is gone, or all workers died.
        """
        in_order = tuple(questions)
        if not self.parts:
            return [None] * len(in_order)
        counted = self._round(count_round, [_Round(part, in_order) for part in self.parts])
        sums = [
            added(each for each in those if each is not None) if None not in those else None
            for those in (list(of) for of in zip(*counted, strict=True))
        ]
        replies = self._round(best_round, [_Round(part, in_order, tuple(sums)) for part in self.parts])
        return [
            None if None in of else merged([each for each in of if each is not None], question.options)
            for question, of in zip(in_order, zip(*replies, strict=True), strict=True)
        ]

    def _round(self, work: Any, tasks: Sequence[_Round]) -> list[list[Any]]:
        found: dict[int, list[Any]] = dict(results(self._client, work, tasks, self._placed()))
        return [found[number] for number in range(len(tasks))]


def count_round(task: _Round) -> list[GlobalStatistics | None]:
    """Return the statistics of a part for each question, None if it cannot count them; runs on a worker."""
    return [_answer(task, question, None) for question in task.questions]


def best_round(task: _Round) -> list[PartResults | None]:
    """Return the best results of a part for each question, None if it cannot answer; runs on a worker."""
    return [
        None if sums is None else _answer(task, question, sums)
        for question, sums in zip(task.questions, task.sums, strict=True)
    ]


def _answer(task: _Round, question: Question, sums: GlobalStatistics | None) -> Any:
    try:
        searcher = open_part(task.part)
    except FileNotFoundError as error:
        why = "a worker does not find it: workers see an index under the same path, or it has changed since: refresh"
        raise UsageError(f"{error.filename}: {why}") from None
    try:
        if sums is None:
            return statistics_of(searcher, question.query, question.options)
        return best_of(searcher, task.part.first_element, question.query, question.options, sums)
    except (Uncounted, UsageError):
        return None  # the part lacks something of the whole index, such as a tag


def merged(parts: Sequence[PartResults], options: Options) -> Merged:
    """Merge the results of all parts into one ranking.

    Parameters
    ----------
    parts
        Results of the parts, in order.
    options
        Options of the question.
    """
    outside = sum(part.outside for part in parts)
    quiet = not options.quiet_parts and outside > 0
    of = [part for part in parts if part.outside or not quiet]  # non-returnable parts count if nothing else is found
    most, top = options.spread, options.top
    if options.puts_off:
        limit = most if top is None else min(most or 0, top)
        elements, scores = _best([part.first for part in of], limit)
        if elements.size != top:
            others, theirs = _best([part.rest for part in of], top)
            left = ~np.isin(others, elements)
            room = None if top is None else top - elements.size
            elements = np.concatenate([elements, others[left][:room]])
            scores = np.concatenate([scores, theirs[left][:room]])
    else:
        elements, scores = _best([part.first for part in of], top)
    return Merged(
        elements,
        scores,
        sum(part.matched for part in parts),
        any(part.found for part in parts),
        sum(part.returnable for part in parts),
        outside,
    )


def _best(lists: Sequence[Answer], top: int | None) -> Answer:
    """Merge rankings by rank key, then in document order, and return the first `top`."""
    elements = np.concatenate([np.zeros(0, np.int64), *(each for each, _ in lists)])
    scores = np.concatenate([np.zeros(0), *(each for _, each in lists)])
    order = np.lexsort((elements, -rank_key(scores)))[:top]
    return elements[order], scores[order]
