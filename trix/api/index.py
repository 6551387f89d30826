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
from trix.support.kinds import OneOf

if TYPE_CHECKING:
    from trix.api.rerank import Reranker, Reranking
    from trix.query.display.concordance import Lines
    from trix.query.display.passages import Passages
    from trix.query.explain import Explanation
    from trix.query.suggest import Suggestion


class Index(Opened):
    """An index, open for reading; several threads may ask it at a time.

    Parameters
    ----------
    path
        Its folder. Several, in a list or a text with commas, are read as one collection with common statistics, as if
        they had been built together; ids that more than one of them has get the name of their index in front.
    answers
        Makes what answers from a commit.

    Attributes
    ----------
    now : Answers
        What answers from the commit that is shown, see `refresh`.
    notices : list of str
        What came to light while texts were read: that sources have moved or changed, said once, and what is to be
        known of a query to be highlighted.

    Raises
    ------
    IndexError_
        No index is there, or it is of another format, or damaged, or the settings of several differ.
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
            A callable that ranks the first results. It gets a list of `trix.api.rerank.RerankCandidate` and returns a
            number for each. Ties stay in the order of the search.
        rerank_top
            How many first results it gets; those after them follow as they are.
        options
            Those of `trix.settings.SearchSettings`; `top` is 10, None returns everything. What is not said, the preset
            `reading` says; ``preset="study"`` has the papers' defaults.

        Raises
        ------
        QueryError, UsageError
            The query does not parse, an option is wrong, or the callable fails.
        """
        asked = Options.of(**options)
        notices = self.now.searcher.notices(asked)
        if rerank is not None:
            return _reranking(rerank, rerank_top, asked).search(self.now, query, notices)
        return _with_next(self.now.search(query, asked, notices))

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
        asked = Options.of(**options)
        notices = self.now.searcher.notices(asked)
        return [_with_next(found) for found in self.now.search_many([*queries], asked, notices, jobs)]

    def like(self, unit: str, **options: Unpack[SearchSettings]) -> Results:
        """Return results like a document or an element, without itself: those that hold the words that tell it apart.

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
        """Return what a text that is being typed can become: words of the index, titles of documents and of sections.

        Parameters
        ----------
        text
            What is typed so far; case does not matter. Its last word is completed, unless white space follows it.
        top
            How many suggestions at the most.

        Returns
        -------
        list of Suggestion
            Each has a `text`, a `kind`, which is ``word``, ``title`` or ``section``, a `frequency`, and of a title the
            `doc` and `path` of the first that has it.
        """
        return self.now.suggester.suggest(text, top)

    @or_damaged
    def concordance(self, query: str, *, kwic_sort: str = "document", **options: Unpack[SearchSettings]) -> Lines:
        """Return every occurrence of a query's words in all elements that match, with the words around it.

        Parameters
        ----------
        query
            As for `search`.
        kwic_sort
            ``document``, in which order documents are opened as lines are taken; or ``left`` or ``right``, for which
            all are read first: by the words before or behind.
        options
            As for `search`; `top` is the number of lines, None returns all.

        Returns
        -------
        Lines
            An iterator; its `notices` and its `corrected` are those of `Results`.

        Raises
        ------
        QueryError, UsageError
            The query does not parse, or an option is wrong.
        """
        from trix.query.display.concordance import SORTS

        asked = Options.of(**options)
        self.now.searcher.notices(asked)
        try:
            sort = OneOf(*SORTS).take(kwic_sort)
        except ValueError as error:
            raise UsageError(str(error), field="kwic_sort", got=kwic_sort) from None
        return self.now.concordance(query, asked, sort)

    @or_damaged
    def passages(
        self, query: str, characters: int = 6000, *, around: int = 0, sentences: bool = True,
        **options: Unpack[SearchSettings],
    ) -> Passages:  # fmt: skip
        """Return the best passages that fit into so much text, in reading order, for programs that read.

        Parameters
        ----------
        query
            As for `search`.
        characters
            Of all passages together, at the most; headings and addresses are not counted.
        around
            Characters of the paragraphs before and behind each passage that are told with it, at the most.
        sentences
            Where a passage is cut, whole sentences are left; else whole words.
        options
            As for `search`; `top` is the greatest number of passages, and `per_document` of those of one document, any
            unless it is given. `size` is from 150 to 6,000 characters, and what is longer than a third of `characters`,
            between 1,200 and 3,000, is cut, unless said otherwise.

        Raises
        ------
        QueryError, UsageError
            The query does not parse, or an option is wrong.
        """
        return self.now.passages(query, characters, around, sentences, options)

    @or_damaged
    def check_options(self, **options: Unpack[SearchSettings]) -> tuple[str, ...]:
        """Check `options` of `search` without a query; return what is to be known of them, or raise a UsageError."""
        asked = Options.of(**options)
        check_phrases(self.files, self.now.searcher.fitted(asked).phrases)
        return self.now.searcher.notices(asked)

    @or_damaged
    def run(
        self, topics: Any, *, field: str = "title", run_id: str = "trix", jobs: int | None = None,
        rerank: Reranker | None = None, rerank_top: int = 100, **options: Unpack[SearchSettings],
    ) -> Run:  # fmt: skip
        """Answer a batch of topics.

        Parameters
        ----------
        topics
            A file of topics, what `trix.read_topics` returns, a mapping topic id -> query, or pairs of them.
        field
            The field of a topic that is its query.
        run_id
            The run's name.
        jobs
            Worker processes; the run is the same for any number. All cores by default, if the batch is long.
        rerank, rerank_top
            As for `search`; the callable is called in this process, once a topic.
        options
            As for `search`; the preset is ``standard``, `top` is 1500 and phrases are opened, unless said otherwise.

        Returns
        -------
        Run
            Whatever is wrong with one topic, the others are answered: its `skipped` says which were not, and why.

        Raises
        ------
        UsageError
            An option is wrong, or wrong for this index.
        """
        asked, run, now = Options.of("run", **options), Run(run_id), self.now
        run.notices += now.searcher.notices(asked)
        reranking = None if rerank is None else _reranking(rerank, rerank_top, asked)
        todo = queries(topics, field)
        run.take(todo, now.batch(todo, asked, jobs) if reranking is None else reranking.batch(now, todo, jobs))
        return run

    @or_damaged
    def rescore(
        self, run: Any, *, run_id: str = "", run_format: str | None = None, lenient: bool = False,
        **options: Unpack[RescoreSettings],
    ) -> Run:  # fmt: skip
        """Contextualise a run of elements that any system has made.

        Parameters
        ----------
        run
            A file in any format of `trix.eval`, what `Index.run` returned, a dict topic -> unit -> score (a unit is a
            document id followed by a path), or a frame. A result without a path is the root of its document.
        run_id
            The new run's name; the old one's if empty.
        run_format, lenient
            How a file is read, see `trix.eval.formats.read.read_run`.
        options
            Those of `trix.settings.RescoreSettings`; the strategy is thorough and `top` is 1500, unless said otherwise.
            Elements that are not in the run have s = 0.

        Returns
        -------
        Run
            Its notices tell what was dropped because it is no element of the index; `dropped` counts it.

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
        """Return every number behind an element's score.

        Parameters
        ----------
        query, options
            As for `search`.
        element
            A result, a label, or a document id followed by a path.
        lenient
            Read the query as `run` reads those of topic files.
        slash_descends
            Read ``/`` in a structured query as ``//``, as `run` does in topics of 2003 and before.

        Raises
        ------
        UsageError
            There is no such element, or it does not match the query.
        """
        from trix.query.explain import explain, matched

        asked = Options.of(**options)
        now = self.now
        number = element.element if isinstance(element, Result) else now.viewer.element(element)
        parsed, _ = now.parse(query, asked, lenient=lenient, slash_descends=slash_descends)
        scored, expansion = now.scored(parsed, asked, everywhere=True)
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
