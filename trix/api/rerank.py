"""Re-ranking of the first results by a callable, such as a cross-encoder.

The search returns the first results, the callable scores them in one call, and the results after them keep their
order. A batch is searched by several processes, and re-ranked in the process of the caller, which holds the model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from trix.api.answers import Answers, checked
from trix.api.batch import Failed, Outcome, TopicQuery, failed
from trix.errors import UsageError
from trix.query.display.result import Result, ResultView
from trix.query.display.results import Results
from trix.query.options import Options
from trix.query.ranking.organise import GROUPED
from trix.support.arrays import Floats
from trix.support.setting_types import Whole


class RerankCandidate(NamedTuple):
    """A result as input of a re-ranking model.

    Attributes
    ----------
    query
        The query as typed; for results like a document, its words.
    title
        The title of the document, empty if it has none.
    breadcrumb
        The titles of the enclosing sections, outermost first.
    text
        The text of the result.
    score
        Its score in the search.
    """

    query: str
    title: str
    breadcrumb: tuple[str, ...]
    text: str
    score: float


Reranker = Callable[[list[RerankCandidate]], Iterable[float]]
"""Function that returns a new score for each of the first results of a query, in their order."""


class Reranking:
    """A search whose first results a callable ranks.

    Parameters
    ----------
    rerank
        The callable.
    top
        Number of first results to rank.
    options
        Options of the search.

    Raises
    ------
    UsageError
        The number is wrong, the callable is missing, or the results have a sort order of their own.
    """

    def __init__(self, rerank: Reranker, top: int, options: Options) -> None:
        if not callable(rerank):
            raise UsageError("expected a callable that scores a list of results", field="rerank", got=rerank)
        self._top: int = checked("rerank_top", top, Whole())
        if options.sort or options.strategy in GROUPED:
            order = "`sort`" if options.sort else f"`strategy` {options.strategy}, which keeps documents together"
            raise UsageError(f"expected results in the order of their scores; got {order}", field="rerank")
        self._rerank, self._options = rerank, options

    @property
    def retrieved(self) -> Options:
        """Options of the first-stage search: from the first rank, and enough results."""
        options = self._options
        top = options.top if options.top is None else max(options.from_ - 1 + options.top, self._top)
        return replace(options, from_=1, top=top)

    def search(self, answers: Answers, query: str, notices: tuple[str, ...]) -> Results:
        """Answer a query and re-rank its first results."""
        return self._ranked(answers.search(query, self.retrieved, notices))

    def batch(self, answers: Answers, topics: Sequence[TopicQuery], jobs: int | None) -> Iterator[Outcome]:
        """Yield the re-ranked results of each topic in order, or why it has none."""
        for found in answers.batch(topics, self.retrieved, jobs):
            if isinstance(found, Failed):
                yield found
                continue
            try:
                ranked = self._ranked(found)
            except Exception as error:
                yield failed(error)
            else:
                yield ranked

    def _ranked(self, results: Results) -> Results:
        began = time.perf_counter()
        if candidates := self._candidates(results):
            results = results.reranked_by(self._scores(candidates))
        options, first = self._options, self._options.from_
        results = results.from_rank(first, None if options.top is None else first - 1 + options.top)
        results.seconds += time.perf_counter() - began
        return results

    def _candidates(self, results: Results) -> list[RerankCandidate]:
        """Return the first results with their texts, for which each document is opened once."""
        first, view = results[: self._top], results.view
        if view is None:
            return []
        query = results.typed if self._options.like is None else results.query
        found: dict[int, RerankCandidate] = {}
        in_order = sorted(first, key=lambda each: (each.document, each.element))
        for _, some in groupby(in_order, key=lambda each: each.document):
            together = list(some)
            view.expect(together)
            found |= {each.rank: _candidate(query, each, view) for each in together}
        return [found[each.rank] for each in first]

    def _scores(self, candidates: list[RerankCandidate]) -> Floats:
        """Call the callable and check what it returns.

        Raises
        ------
        UsageError
            It fails, or returns anything but a finite number for each result.
        """
        many = len(candidates)
        try:
            given: Any = self._rerank(candidates)
        except Exception as error:
            raise _fault(f"the callable failed over {many} results: {type(error).__name__}: {error}") from error
        expected = f"expected {many} numbers, one for each result, in order"
        try:
            scores = np.array([*given], np.float64)
        except Exception:
            raise _fault(f"{expected}; the callable returned {type(given).__name__}") from None
        if scores.shape != (many,):
            shape = " x ".join(map(str, scores.shape))
            raise _fault(f"{expected}; the callable returned {shape if scores.ndim > 1 else scores.size}")
        if not np.isfinite(scores).all():
            place = int(np.flatnonzero(~np.isfinite(scores))[0])
            raise _fault(f"expected finite numbers; the callable returned {scores[place]} for result {place + 1}")
        return scores


def _candidate(query: str, result: Result, view: ResultView) -> RerankCandidate:
    return RerankCandidate(query, view.title(result), view.breadcrumb(result), view.text(result), result.score)


def _fault(reason: str) -> UsageError:
    return UsageError(reason, field="rerank")
