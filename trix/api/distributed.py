"""Answers from the workers of a cluster, each of which holds a part of the index open.

The process that asks has the index open, too: it reads queries, names and shows results, and answers by itself what
the parts cannot: feedback, facets, sort orders, grouped results, links, queries without words.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trix.api.answers import Answers, finished
from trix.api.batch import Failed, Outcome, TopicQuery, failed, outcome
from trix.cluster.searching.rounds import Merged, Question, Rounds
from trix.errors import QueryError
from trix.indexer.read.damage import or_damaged
from trix.indexer.store.files import IndexFiles
from trix.presets import Preset
from trix.query.display.results import Results
from trix.query.options import Options
from trix.query.plan import Plan, Strategy
from trix.query.readable import few_of_each, of_quiet_parts
from trix.query.structured.prepare import StructuredQuery

if TYPE_CHECKING:
    from trix.query.search import AnyQuery

AT_ONCE = 64
"""Topics that go to the workers together."""


class _Parsed(NamedTuple):
    """A parsed query for the shards."""

    typed: str
    parsed: AnyQuery
    options: Options
    fitted: Options
    notices: tuple[str, ...]
    began: float
    plan: Plan


class DistributedAnswers(Answers):
    """Answers queries from an index whose parts are open on a cluster; equal to those of the index opened here.

    Parameters
    ----------
    files, notices
        See `Answers`.
    client
        A `dask.distributed.Client`.
    """

    def __init__(self, files: IndexFiles, notices: list[str], client: Any) -> None:
        super().__init__(files, notices)
        self._client = client

    @cached_property
    def rounds(self) -> Rounds:
        """The shards, placed on workers at the first query."""
        return Rounds(self._client, self.files)

    def _search(
        self, query: str, options: Options, notices: tuple[str, ...] = (), *, lenient: bool = False,
        slash_descends: bool = False,
    ) -> Results:  # fmt: skip
        """Answer a query, see `Answers.search`; copies are kept."""
        parsed = self._parsed(query, options, notices, lenient=lenient, slash_descends=slash_descends)
        if parsed is not None:
            found = self.rounds.answers([Question(parsed.parsed, _settled(parsed.fitted))])[0]
            if found is not None:
                return self._of_parts(parsed, found)
        return super()._search(query, options, notices, lenient=lenient, slash_descends=slash_descends)

    def batch(self, topics: Sequence[TopicQuery], options: Options, jobs: int | None = None) -> Iterator[Outcome]:
        """Yield the outcome of each topic, in order; topics go to the workers in rounds of `AT_ONCE`."""
        for some in (topics[at : at + AT_ONCE] for at in range(0, len(topics), AT_ONCE)):
            parsed = [self._read(topic, options) for topic in some]
            questions = [Question(each.parsed, _settled(each.fitted)) for each in parsed if isinstance(each, _Parsed)]
            answers = iter(self.rounds.answers(questions) if questions else ())
            for topic, each in zip(some, parsed, strict=True):
                found = next(answers) if isinstance(each, _Parsed) else None
                if isinstance(each, Failed):
                    yield each
                elif found is not None and isinstance(each, _Parsed):
                    yield self._of_parts(each, found)
                else:
                    yield outcome(self._here(options), topic)

    def _read(self, topic: TopicQuery, options: Options) -> _Parsed | Failed | None:
        """Return a parsed topic for the shards, or its failure; None for a topic that this process answers."""
        try:
            return self._parsed(topic.query, options, (), lenient=True, slash_descends=topic.slash_descends)
        except Exception as error:
            return failed(error)

    def _here(self, options: Options) -> Callable[[str, bool], Results]:
        """Return the local searcher."""
        return partial(self.of_topic, options)

    @or_damaged
    def _parsed(self, query: str, options: Options, notices: tuple[str, ...], **reading: bool) -> _Parsed | None:
        """Return a query for the parts; None for one that is answered here."""
        began = time.perf_counter()
        if not isinstance(query, str) or options.like is not None:
            return None
        try:
            parsed, of_query = self.parse(query, options, **reading)
        except QueryError:
            if self.strategies.names(query, options):  # a title may look like a query that does not parse
                return None
            raise
        if self.strategies.known(parsed.corrected or query, parsed, options):
            return None
        plan = self.strategies.plan(parsed, options, on_cluster=True)
        if plan.strategy is not Strategy.CLUSTER:
            return None
        widened = options
        if options.top is not None and options.from_ > 1:
            widened = replace(options, top=options.top + options.from_ - 1)
        fitted = self.searcher.fitted(widened, parsed)
        return _Parsed(query, parsed, widened, fitted, (*notices, *of_query), began, plan)

    def _of_parts(self, question: _Parsed, found: Merged) -> Results:
        """Merge the answers of shards into results equal to those of `Answers.search`."""
        parsed, fitted = question.parsed, question.fitted
        if found.found:
            terms = parsed.query if isinstance(parsed, StructuredQuery) else parsed
            assert terms is not None, "a query without words is answered here"
            documents = self.files.documents_of(found.elements.astype(np.int32))
            of_ranking = (
                self._quiet(fitted, found),
                few_of_each(fitted, documents.size, lambda: np.unique_counts(documents).counts),
            )
            results = self.named(
                found.elements.astype(np.int32), found.scores, found.matched, query=str(parsed),
                notices=(*question.notices, *filter(None, of_ranking)), query_and_phrases=(terms, fitted.phrases),
            )  # fmt: skip
        else:
            results = Results(query=str(parsed), notices=question.notices)
        results.plan = question.plan
        has_quiet = bool(self.files.profile.quiet)
        return finished(results, question.typed, parsed, question.options, question.began, has_quiet=has_quiet)

    def _quiet(self, options: Options, found: Merged) -> str | None:
        """Return the notice for results in non-returnable parts, see `trix.query.readable`."""
        if options.quiet_parts or not self.files.profile.quiet:
            return None
        return of_quiet_parts(found.returnable, found.outside, options.top)


def _settled(options: Options) -> Options:
    """Mark options as fitted to the whole index, so that a shard does not fit them to its fewer documents."""
    return replace(options, preset=Preset(options.preset.name))
