"""An open index, which answers queries, runs topics, explains scores and shows texts.

trix.build("collection/", "my.index", profile="jats")
with trix.open("my.index") as index:
    results = index.search('+"tree edit distance" +xml -image', context="vertical:f=0.25", top=20)
    results[0].path, results[0].score, results[0].text
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from trix.api.batch import Run, queries
from trix.api.opened import Opened
from trix.errors import UsageError
from trix.indexer.read.damage import or_damaged
from trix.query.display.results import Result, Results
from trix.query.matching.matching import check_phrases
from trix.query.options import Options
from trix.settings import RescoreSettings, SearchSettings
from trix.support.setting_types import Choice

if TYPE_CHECKING:
    from trix.api.rerank import Reranker, Reranking
    from trix.query.display.concordance import Lines
    from trix.query.display.passages import Passages
    from trix.query.explain import Explanation
    from trix.query.suggest import Suggestion


class Index(Opened):
    """An index, open for reading; safe for several threads.

    Parameters
    ----------
    path
        Its folder. Several, as a list or a comma-separated text, are read as one collection with common statistics,
        as if built together. Ids that occur in several of them are prefixed with the name of their index.
    answers
        Factory of the searcher of a commit.

    Attributes
    ----------
    now : Answers
        Searcher of the current commit, see `refresh`.
    notices : list of str
        Notices from reading texts, each once: sources that have moved or changed, and notices on highlighted
        queries.

    Raises
    ------
    IndexError_
        There is no index, it has another format, it is damaged, or the settings of several differ.
    """

    @or_damaged
    def search(
        self, query: str, *, rerank: Reranker | None = None, rerank_top: int = 100,
        **options: Unpack[SearchSettings],
    ) -> Results:  # fmt: skip
        """Answer one query.

        Parameters
        ----------
        query
            A content-only query, or one in NEXI, which begins with ``/``.
        rerank
            A callable that ranks the first results. It receives a list of `trix.api.rerank.RerankCandidate` and
            returns a number for each. Ties keep the order of the search.
        rerank_top
            Number of first results to rank; those after them keep their order.
        options
            Settings of `trix.settings.SearchSettings`. `top` defaults to 10; None returns everything. Other defaults
            come from the preset `reading`; ``preset="study"`` has the papers' defaults.

        Raises
        ------
        QueryError, UsageError
            The query does not parse, an option is wrong, or the callable fails.
        """
        chosen = Options.of(**options)
        notices = self.now.searcher.notices(chosen)
        if rerank is not None:
            return _reranking(rerank, rerank_top, chosen).search(self.now, query, notices)
        return _with_next(self.now.search(query, chosen, notices))

    @or_damaged
    def search_many(
        self, queries: Iterable[str], *, jobs: int | None = None, **options: Unpack[SearchSettings]
    ) -> list[Results]:
        """Answer many queries, each as `search` does.

        Parameters
        ----------
        queries
            The queries.
        jobs
            Worker processes; the results are the same for any number. All cores by default, if there are many queries.
        options
            As for `search`.

        Returns
        -------
        list of Results
            In the order of the queries.

        Raises
        ------
        QueryError, UsageError
            A query does not parse, or an option is wrong.
        """
        chosen = Options.of(**options)
        notices = self.now.searcher.notices(chosen)
        return [_with_next(found) for found in self.now.search_many([*queries], chosen, notices, jobs)]

    def like(self, unit: str, **options: Unpack[SearchSettings]) -> Results:
        """Return results similar to a document or an element, without itself, by the words that set it apart.

        Parameters
        ----------
        unit
            A document id, a document id followed by a path, or a label.
        options
            As for `search`.

        Raises
        ------
        UsageError
            There is no such document or element, or an option is wrong.
        SourceError
            Its source has moved or changed.
        """
        options["like"] = unit
        return self.search("", **options)

    @or_damaged
    def suggest(self, text: str, top: int = 10) -> list[Suggestion]:
        """Complete a text that is being typed: words of the index, titles of documents and of sections.

        Parameters
        ----------
        text
            The typed text, in any case. Its last word is completed, unless white space follows it.
        top
            Largest number of suggestions.

        Returns
        -------
        list of Suggestion
            Each has a `text`, a `kind` (``word``, ``title`` or ``section``), and a `frequency`. A title also has the
            `doc` and `path` of its first occurrence.
        """
        return self.now.suggester.suggest(text, top)

    @or_damaged
    def concordance(self, query: str, *, kwic_sort: str = "document", **options: Unpack[SearchSettings]) -> Lines:
        """Return every occurrence of a query's words in all matching elements, in context.

        Parameters
        ----------
        query
            As for `search`.
        kwic_sort
            ``document``: documents are opened as lines are taken. ``left`` or ``right``: all lines are read first
            and sorted by the words before or after.
        options
            As for `search`; `top` is the number of lines, None returns all.

        Returns
        -------
        Lines
            An iterator; its `notices` and `corrected` are those of `Results`.

        Raises
        ------
        QueryError, UsageError
            The query does not parse, or an option is wrong.
        """
        from trix.query.display.concordance import SORTS

        chosen = Options.of(**options)
        self.now.searcher.notices(chosen)
        try:
            sort = Choice(*SORTS).take(kwic_sort)
        except ValueError as error:
            raise UsageError(str(error), field="kwic_sort", got=kwic_sort) from None
        return self.now.concordance(query, chosen, sort)

    @or_damaged
    def passages(
        self, query: str, characters: int = 6000, *, around: int = 0, sentences: bool = True,
        **options: Unpack[SearchSettings],
    ) -> Passages:  # fmt: skip
        """Return the best passages within a budget of characters, in reading order, for language models and other
        programs.

        Parameters
        ----------
        query
            As for `search`.
        characters
            Largest total of all passages, without headings and addresses.
        around
            Largest number of characters from the paragraphs before and after each passage.
        sentences
            Whether a cut passage ends with a whole sentence; else with a whole word.
        options
            As for `search`. `top` and `per_document` limit the number of passages, in all and per document. By
            default `size` is 150 to 6,000 characters, and a passage over a third of `characters` (at least 1,200, at
            most 3,000) is cut.

        Raises
        ------
        QueryError, UsageError
            The query does not parse, or an option is wrong.
        """
        return self.now.passages(query, characters, around, sentences, options)

    @or_damaged
    def check_options(self, **options: Unpack[SearchSettings]) -> tuple[str, ...]:
        """Check `options` of `search` without a query; return notices, or raise a UsageError."""
        chosen = Options.of(**options)
        check_phrases(self.files, self.now.searcher.fitted(chosen).phrases)
        return self.now.searcher.notices(chosen)

    @or_damaged
    def run(
        self, topics: Any, *, field: str = "title", run_id: str = "trix", jobs: int | None = None,
        rerank: Reranker | None = None, rerank_top: int = 100, **options: Unpack[SearchSettings],
    ) -> Run:  # fmt: skip
        """Answer a batch of topics.

        Parameters
        ----------
        topics
            A file of topics, the result of `trix.read_topics`, a mapping topic id -> query, or pairs of these.
        field
            The topic field to use as the query.
        run_id
            The run's name.
        jobs
            Worker processes; the run is the same for any number. All cores by default, if the batch is long.
        rerank, rerank_top
            As for `search`; the callable runs in this process, once a topic.
        options
            As for `search`. By default the preset is ``standard``, `top` is 1500 and phrases are opened.

        Returns
        -------
        Run
            A faulty topic does not stop the others: `skipped` lists the topics without an answer, and why.

        Raises
        ------
        UsageError
            An option is wrong, or wrong for this index.
        """
        chosen, run, now = Options.of("run", **options), Run(run_id), self.now
        run.notices += now.searcher.notices(chosen)
        reranking = None if rerank is None else _reranking(rerank, rerank_top, chosen)
        todo = queries(topics, field)
        run.take(todo, now.batch(todo, chosen, jobs) if reranking is None else reranking.batch(now, todo, jobs))
        return run

    @or_damaged
    def rescore(
        self, run: Any, *, run_id: str = "", run_format: str | None = None, lenient: bool = False,
        **options: Unpack[RescoreSettings],
    ) -> Run:  # fmt: skip
        """Contextualise a run of elements made by any system.

        Parameters
        ----------
        run
            A file in any format of `trix.eval`, a result of `Index.run`, a dict topic -> unit -> score, or a frame. A
            unit is a document id followed by a path. A result without a path is the root of its document.
        run_id
            The new run's name; by default the old one's.
        run_format, lenient
            How to read a file, see `trix.eval.formats.read.read_run`.
        options
            Settings of `trix.settings.RescoreSettings`. By default the strategy is thorough and `top` is 1500.
            Elements that are not in the run have s = 0.

        Returns
        -------
        Run
            Its notices list results that are no elements of the index; `dropped` counts them.

        Raises
        ------
        FormatError, UsageError
            The run cannot be read, or an option is wrong.
        """
        return self.now.rescored(run, Options.of("rescore", **options), run_id, run_format, lenient)

    @or_damaged
    def explain(
        self, query: str, element: Result | str, *, lenient: bool = False, slash_descends: bool = False,
        **options: Unpack[SearchSettings],
    ) -> Explanation:  # fmt: skip
        """Explain an element's score: return every number in it.

        Parameters
        ----------
        query, options
            As for `search`.
        element
            A result, a label, or a document id followed by a path.
        lenient
            Read the query as `run` reads those of topic files.
        slash_descends
            Read ``/`` in a structured query as ``//``, as `run` does for topics of 2003 and before.

        Raises
        ------
        UsageError
            There is no such element, or it does not match the query.
        """
        from trix.query.explain import explain, matched

        chosen = Options.of(**options)
        now = self.now
        number = element.element if isinstance(element, Result) else now.viewer.element(element)
        parsed, _ = now.parse(query, chosen, lenient=lenient, slash_descends=slash_descends)
        scored, expansion = now.scored(parsed, chosen, everywhere=True)
        scored, place = matched(now.files, scored, number, f"{element}", query)
        home = int(now.files.documents_of(scored.candidates.element[place : place + 1])[0])
        return explain(scored, now.searcher.scorer, place, lambda each: now.name(each, home), expansion)


def _with_next(results: Results) -> Results:
    """Add the notice on the document that did not fit, if there is one."""
    if results.next is not None:
        results.notices = (*results.notices, results.next.notice(f"-n {results.next.top}"))
    return results


def _reranking(rerank: Reranker, top: int, options: Options) -> Reranking:
    from trix.api.rerank import Reranking

    return Reranking(rerank, top, options)


def open_index(path: str | PathLike[str] | Sequence[str | PathLike[str]], client: Any = None) -> Index:
    """Open an index.

    Parameters
    ----------
    path
        The folder, or several as one collection; see `Index`.
    client
        A `dask.distributed.Client`: its workers, which see the folder too, hold parts of the index open and search
        them. Answers are those of one machine.

    Raises
    ------
    IndexError_
        No index is there, or it is of another format, or damaged, or the settings of several differ.
    """
    if client is None:
        return Index(path)
    from trix.api.distributed import DistributedAnswers

    return Index(path, partial(DistributedAnswers, client=client))
