"""Answers from one commit of an index: queries in, results out, with all that is open for it."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trix.api.batch import Failed, Loose, Outcome, Run, TopicQuery
from trix.errors import QueryError, UsageError
from trix.indexer.read.damage import iterated_or_damaged, or_damaged
from trix.indexer.read.locate import locate_keys
from trix.indexer.store.files import IndexFiles
from trix.query.candidate_scores import CandidateScores
from trix.query.display.highlight import Highlighter
from trix.query.display.results import NextDocument, Results
from trix.query.display.source_view import SourceView
from trix.query.display.viewer import Viewer
from trix.query.language.terms import Query, Term
from trix.query.matching.forms import REORDERED, WordForms
from trix.query.naming.names import Namer
from trix.query.options import Options
from trix.query.plan import Plan, Strategy
from trix.query.ranking.organise import GROUPED, LISTS
from trix.query.readable import reasons
from trix.query.restrict import mentioned
from trix.query.search import Searcher
from trix.query.strategies.answer import Answer
from trix.query.strategies.execute import Strategies
from trix.query.strategies.first_pass import extended
from trix.settings import SearchSettings
from trix.support.lru_cache import LruFunction
from trix.support.setting_types import SettingType, Switch, Whole

if TYPE_CHECKING:
    from trix.api.registers import Registers
    from trix.query.display.concordance import Lines
    from trix.query.display.passages import Passages
    from trix.query.feedback import Expansion, Offer
    from trix.query.relevance_model import ModelExpansion
    from trix.query.search import AnyQuery
    from trix.query.suggest import Suggester

_NO_QUERY = (Query(), "content")
_LONE_SIGN = re.compile(r"\s[-+]\s")

_SPARE, _MORE = 2, 10
"""Number of extra results fetched to replace copies: at first, and at least if these do not suffice."""

_UNITS = "150:6000"
"""Bounds of the size of results, in characters, from which passages are made."""

_ENOUGH = 400
"""Smallest number of results from which passages are made; enough for short answers."""


class Answers:
    """Search engine over one commit of an index, with readers of its names and texts.

    Parameters
    ----------
    files
        The files.
    notices
        List to which notices on unreadable texts are added, each once.

    Attributes
    ----------
    searcher, namer, viewer
        Components that find, name and show elements.
    """

    def __init__(self, files: IndexFiles, notices: list[str]) -> None:
        self.files, self._notices = files, notices
        self.searcher, self.namer = Searcher(files), Namer(files)
        self.strategies = Strategies(self.searcher, self.scored)
        self.viewer = Viewer(files, self.namer)
        self._forms = cache(partial(WordForms, files))
        self._like: LruFunction[str, tuple[int, int, list[Offer]]] = LruFunction(self._find_like)

    @cached_property
    def suggester(self) -> Suggester:
        """Completion of words and titles."""
        from trix.query.suggest import Suggester

        return Suggester(self.files, self.namer)

    @cached_property
    def registers(self) -> Registers:
        """The registers that the profile names."""
        from trix.api.registers import Registers

        return Registers(self.viewer, self.namer, self._notices)

    def name(self, element: int, home: int) -> str:
        """Return the label and the path of an element, and its document unless that is number `home`."""
        elements = np.array([element], np.int32)
        documents = self.files.documents_of(elements)
        labels, paths = self.namer.names(elements, documents)
        where = "" if documents[0] == home else f" in {self.files.ids[int(documents[0])]}"
        return f"{labels[0]} {paths[0]}{where}"

    def search(
        self, query: str, options: Options, notices: tuple[str, ...] = (), *, lenient: bool = False,
        slash_descends: bool = False,
    ) -> Results:  # fmt: skip
        """Answer a query, see `trix.api.index.Index.search`; with the notices that are known already."""
        reading = {"lenient": lenient, "slash_descends": slash_descends}
        forms, words = self._forms_for(options), frozenset[str]()
        if forms is not None and isinstance(query, str):
            words = forms.several(query)
        if options.copies != "fold" and not words:
            return self._search(query, options, notices, **reading)
        last, wider = _with_spare_results(options)
        while True:
            if words and wider.top is not None:
                wider = replace(wider, top=max(wider.top, REORDERED))
            results = self._search(query, wider, notices, **reading)
            if forms is not None and results.corrected and not words and (words := forms.several(results.corrected)):
                continue
            found = self._typed_first(results, wider, forms) if forms is not None and words else results
            if options.copies == "fold":
                from trix.query.display.copies import without_copies

                found = without_copies(found)
            if last is None or wider.top is None or len(found) >= last or len(results) < wider.top or results.grouped:
                break
            wider = replace(wider, top=wider.top + max(last - len(found), _MORE))
        if options.from_ == 1 and (last is None or len(found) <= last):
            return found
        return found.from_rank(options.from_, last)

    def _forms_for(self, options: Options) -> WordForms | None:
        """Return the word forms of the index if elements with the typed forms rank first, else None."""
        ordered = options.sort or options.like is not None or options.strategy in GROUPED
        return self._forms(options.accents) if options.forms == "typed" and not ordered else None

    @or_damaged
    def _typed_first(self, results: Results, options: Options, forms: WordForms) -> Results:
        """Return results with the typed forms of words first, see `trix.api.typed_forms`."""
        from trix.api.typed_forms import typed_first

        query = results.view.query_and_phrases[0] if results.view else None
        words = forms.typed_words(results.corrected or results.typed, query) if query else frozenset()
        spread = options.spread if options.puts_off and options.spread else len(results)
        return typed_first(results, words, self.files.analyzer, forms.accents, spread) if words else results

    def _search(
        self, query: str, options: Options, notices: tuple[str, ...] = (), *, lenient: bool = False,
        slash_descends: bool = False,
    ) -> Results:  # fmt: skip
        """Answer a query, and keep copies."""
        began = time.perf_counter()
        if not isinstance(query, str):
            raise UsageError(f"query: expected text, found {type(query).__name__}")
        try:
            parsed, of_query = self.parse(query, options, lenient=lenient, slash_descends=slash_descends)
        except QueryError:
            if lenient or not _LONE_SIGN.search(query) or not self.strategies.names(query, options):
                raise
            parsed, of_query = self.parse(query, options, lenient=True)[0], ()  # a title may have a dash between blanks
        notices, first = (*notices, *of_query), options.from_
        if options.top is not None and first > 1:
            options = replace(options, top=options.top + first - 1)
        known = self.strategies.known(parsed.corrected or query, parsed, options)
        results = self._results(self.strategies.execute(parsed, options, known), notices, options)
        return finished(results, query, parsed, options, began, has_quiet=bool(self.files.profile.quiet))

    def _results(self, found: Answer, notices: tuple[str, ...] = (), options: Options | None = None) -> Results:
        """Return the results of an answer."""
        matched = partial(self._count, found.matched) if callable(found.matched) else found.matched
        results = Results(
            query=found.query, notices=(*notices, *found.notices), matched=matched, elements=found.elements,
            scores=found.scores, own=found.own, namer=self.namer, view=self.view(found.weighed, options),
            plan=found.plan,
        )  # fmt: skip
        results.facets, results.expansion = {**found.facets}, found.expansion
        results.known = {item.element: item.kind for item in found.known}
        for root, many, top in found.unfit:
            document = int(self.files.documents_of(np.array([root]))[0])
            results.next = NextDocument(self.files.ids[document], many, top, cut=len(results) if many == top else 0)
        return results

    def ranked(self, query: str, scored: CandidateScores) -> Results:
        """Return the results of candidates that are scored already."""
        return self._results(self.strategies.of_scores(Plan(Strategy.ALL), query, scored))

    @or_damaged
    def _count(self, count: Callable[[], int]) -> int:
        """Count the elements that match."""
        return count()

    def batch(self, topics: Sequence[TopicQuery], options: Options, jobs: int | None = None) -> Iterator[Outcome]:
        """Yield what each topic of a batch gives, in order, see `trix.api.jobs.outcomes`."""
        from trix.api.jobs import outcomes

        return outcomes(topics, partial(self.of_topic, options), self.tied, jobs)

    def search_many(
        self, queries: Sequence[str], options: Options, notices: tuple[str, ...], jobs: int | None
    ) -> Iterator[Results]:
        """Yield the results of each query, see `trix.api.index.Index.search_many`."""
        from trix.api.jobs import outcomes

        def answer(query: str, _: bool) -> Results:
            return self.search(query, options, notices)

        topics = [TopicQuery(str(number), query) for number, query in enumerate(queries)]
        for query, found in zip(queries, outcomes(topics, answer, self.tied, jobs), strict=True):
            # What failed fails here again, so that its error is raised as it is.
            yield answer(query, False) if isinstance(found, Failed) else found

    @or_damaged  # a topic that fails over a damaged file must not count as a faulty topic
    def of_topic(self, options: Options, query: str, slash_descends: bool) -> Results:
        """Answer a topic of a batch in this process."""
        return Answers._search(self, query, options, lenient=True, slash_descends=slash_descends)

    def parse(self, text: str, options: Options, **reading: bool) -> tuple[AnyQuery, tuple[str, ...]]:
        """Parse a text, or make the query of the option `like`; also return notices."""
        if options.like is None:
            return self.searcher.parse(text, options, **reading)
        if text.strip():
            raise UsageError("it takes the place of a query; ask one or the other", field="like", got=options.like)
        offers = self._like(options.like)[2]
        if not offers:
            return Query(), (f"{options.like} has no words that occur elsewhere, too",)
        query = Query(tuple(Term((offer.key,)) for offer in offers))
        return query, (f"more like {options.like}: {', '.join(offer.key for offer in offers)}",)

    def _find_like(self, unit: str) -> tuple[int, int, list[Offer]]:
        """Return the range of content elements of a unit, and the keys that set it apart."""
        from trix.query.feedback import distinctive

        document, _ = self.viewer.unit(unit)
        low, high = self.files.document_range(document)
        if low == high:
            return 0, 0, []  # a document without any text
        begin, end = self.viewer.contents(self.viewer.element(unit))
        read, first = self.viewer.texts.document(document), int(self.files.first_contents[document])
        located = (locate_keys(*read.stretch(content - first), self.files.analyzer) for content in range(begin, end))
        return (
            begin,
            end,
            distinctive(self.files, document, [Counter(each.key for each in keys) for keys in located]),
        )

    def scored(
        self, query: AnyQuery, options: Options, *, everywhere: bool = False
    ) -> tuple[CandidateScores | None, Expansion | ModelExpansion | None]:
        """Score a query, with feedback if the options ask for it; with `everywhere`, also elements that are not
        returned.
        """
        expansion = self.strategies.expansion(query, options)
        if expansion is not None:
            query = extended(query, expansion)
        scored = self.searcher.score(query, options, everywhere=everywhere)
        if scored is not None and options.like is not None:
            from trix.query.feedback import elsewhere

            scored = elsewhere(scored, *self._like(options.like)[:2])
        return scored, expansion

    def concordance(self, query: str, options: Options, sort: str) -> Lines:
        """Return the lines of a concordance, see `trix.api.index.Index.concordance`."""
        from trix.query.display.concordance import Concordance, Lines, in_order

        parsed, notices = self.parse(query, options)
        scored, _ = self.scored(parsed, options)
        if scored is None or not scored.query:
            return Lines((), notices, parsed.corrected)
        scored = self.searcher.restriction.of(scored)
        highlighter = Highlighter(self.files, scored.query, options.phrases)
        lines = in_order(Concordance(self.viewer, self.namer, highlighter, self._notices).lines(scored), sort)
        first = options.from_ - 1
        wanted = islice(lines, first, None if options.top is None else first + options.top)
        return Lines(iterated_or_damaged(wanted, self), notices, parsed.corrected)

    def passages(self, query: str, characters: int, around: int, sentences: bool, options: SearchSettings) -> Passages:
        """Return passages, see `trix.api.index.Index.passages`."""
        from trix.query.display.gather import Bounds, Gatherer, longest
        from trix.query.display.passages import Passages

        characters = checked("characters", characters, Whole())
        around = 0 if around == 0 else checked("around", around, Whole())
        sentences = checked("sentences", sentences, Switch())
        given: Any = {name: value for name, value in options.items() if value is not None or name == "size"}
        limits = Options.of(**given)
        if not given.keys() & {"strategy", "overlap", "group"}:
            given["strategy"] = "thorough"  # the surroundings of a unit count, too
        given |= {"size": given.get("size") or _UNITS, "top": _ENOUGH + characters // 10, "per_document": "all"}
        given["copies"] = "keep"  # passages tell a text once by themselves
        chosen = Options.of(**given)
        bounds = Bounds(
            characters, limits.size.high if limits.size and "size" in options else longest(characters), around,
            sentences, limits.top if "top" in options else None,
            limits.per_document if "per_document" in options else None,
            by_rank=bool(chosen.sort) or chosen.strategy not in (None, *LISTS),
        )  # fmt: skip
        results = self.search(query, chosen, self.searcher.notices(chosen))
        if not isinstance(results.view, SourceView):
            return Passages([], results)  # nothing matches
        return Gatherer(self.viewer, results.view.highlighter, bounds, self._notices).gather(results)

    def rescored(self, run: Any, options: Options, run_id: str, run_format: str | None, lenient: bool) -> Run:
        """Contextualise the scores of a run's elements, see `trix.api.index.Index.rescore`."""
        from trix.eval.inputs import to_run
        from trix.query.rescore import RunReader, rescore

        notices = self.searcher.notices(options)
        options = replace(options, context=self.searcher.bound(options.context))
        given = to_run(run, format=run_format, lenient=lenient)
        reader = RunReader(self.files, given)
        made = Run(run_id or given.name)
        for topic, scores in reader.topics():
            found = rescore(self.files, scores, options, self.searcher.restriction)
            made[topic] = Results()
            if found is not None:
                shown = found.candidates.element[found.places]
                made[topic] = self.named(shown, found.scores[found.places], found.returned)
        made.notices = [*given.notices, *notices, *reader.notices]
        made.dropped = reader.dropped
        return made

    def named(
        self,
        elements: NDArray[np.int32],
        scores: NDArray[np.float64],
        matched: int | Callable[[], int],
        *,
        own: NDArray[np.float64] | None = None,
        query: object = "",
        notices: tuple[str, ...] = (),
        query_and_phrases: tuple[Query, str] = _NO_QUERY,
    ) -> Results:
        """Return ranked elements as results, which are named on access."""
        return Results(
            query=query, notices=notices, matched=matched, elements=elements, scores=scores, own=own,
            namer=self.namer, view=self.view(query_and_phrases),
        )  # fmt: skip

    def tied(self, loose: Loose) -> Results:
        """Return results that are shown from this index."""
        results, query_and_phrases, options = loose
        if query_and_phrases is not None:
            results.view = self.view(query_and_phrases, options)
            results.names_from(self.namer)
        return results

    def view(self, query_and_phrases: tuple[Query, str], options: Options | None = None) -> SourceView:
        """Return the reader of the texts of a query's results, see `SourceView`."""
        restriction = self.searcher.restriction
        view = SourceView(self.viewer, *query_and_phrases, self._notices, restriction.fields)
        if options is not None and options.where is not None:
            view.filtered_by(options, restriction.chosen(options))
        return view


@lru_cache(maxsize=256)
def _with_spare_results(options: Options) -> tuple[int | None, Options]:
    """Return the last wanted rank, and options for all ranks up to it, plus some spare ones to replace copies."""
    if options.top is None:
        return None, replace(options, from_=1)
    last = options.top + options.from_ - 1
    return last, replace(options, from_=1, top=last if options.strategy in GROUPED else last + _SPARE)


def finished(
    results: Results, typed: str, query: AnyQuery, options: Options, began: float, *, has_quiet: bool
) -> Results:
    """Cut results to the requested ranks and attach the query and the time of the search."""
    if options.top is None or len(results) < options.top:
        results.left_out = reasons(options, has_quiet=has_quiet, is_structured=not isinstance(query, Query))
    if options.where or options.sort:
        results.mentioned = mentioned(options)
    results.grouped = options.strategy in GROUPED
    if options.from_ > 1:
        results = results.from_rank(options.from_)
    results.typed, results.corrected, results.asked = typed or f"like {options.like}", query.corrected, bool(query)
    results.seconds = time.perf_counter() - began
    return results


def checked(name: str, value: Any, kind: SettingType) -> Any:
    """Return the value of an argument that is no setting of a search, or raise the error that names it."""
    try:
        return kind.take(value)
    except ValueError as error:
        raise UsageError(str(error), field=name, got=value) from None
