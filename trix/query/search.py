"""Searcher: parses a query, scores the elements that match, and ranks them [RETRIEVAL, sections 3 to 6]."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from trix.indexer.store.files import IndexFiles
from trix.query.basic_scores import BasicScorer, Groups, TermLists
from trix.query.candidate_scores import CandidateScores
from trix.query.context.chain import Chain
from trix.query.context.form import Support
from trix.query.language.keywords import PlainWords, is_structured, parse
from trix.query.language.terms import Query
from trix.query.matching.candidates import Candidates
from trix.query.matching.joins import member
from trix.query.matching.matching import (
    candidates_of,
    satisfied,
)
from trix.query.matching.vocabulary import IndexVocabulary, QueryChain, QueryVocabulary
from trix.query.options import NO_CONTEXT, Options
from trix.query.ranking.organise import CutDocument
from trix.query.readable import PostFilter
from trix.query.restrict import Restriction
from trix.query.scoring.statistics import GlobalStatistics
from trix.query.structured.levels import Levels
from trix.support.arrays import Floats, Int32s, Mask
from trix.support.lru_cache import LruFunction

if TYPE_CHECKING:
    from trix.query.context.own_model import OwnModel
    from trix.query.structured.evaluate import Evaluation
    from trix.query.structured.prepare import StructuredQuery

    AnyQuery = Query | StructuredQuery

WILD_OR_FUZZY = re.compile(r"[*?~]")
"""Matches the signs of patterns and fuzzy words."""

KEPT_LENGTH = 1000
"""Largest length of a query whose parsed form is cached, in characters."""


def groups_of(query: AnyQuery) -> Groups:
    """Return the terms that are required together: all without minus, or those of each about()."""
    return (query.required,) if isinstance(query, Query) else query.groups


def _levels_of(options: Options) -> list[str]:
    """Return the searched level and those of forms of context, each once."""
    named = [options.level, *(getattr(form, "level", None) for form in options.context.forms)]
    return [*dict.fromkeys(level for level in named if level)]


class Searcher:
    """Searcher of one index.

    Parameters
    ----------
    index
        The files of the index.
    """

    def __init__(self, index: IndexFiles) -> None:
        self.index = index
        self.levels, self.restriction = Levels(index), Restriction(index)
        self.scorer = BasicScorer(index, self.levels)
        self.readable = PostFilter(index, self.restriction)
        self._vocabularies: LruFunction[str, IndexVocabulary] = LruFunction(
            lambda accents: IndexVocabulary(index, accents)
        )
        self._chains: LruFunction[tuple[str, str], QueryChain] = LruFunction(lambda how: QueryChain(index, *how))
        self._bound: LruFunction[Chain, Chain] = LruFunction(lambda chain: chain.bind(self.levels))
        self._plain_words: LruFunction[tuple[str, str], PlainWords] = LruFunction(
            lambda how: PlainWords(self._chains(how), self._vocabularies(how[0]))
        )
        self._fitted = lru_cache(maxsize=64)(self.fitting)
        # Explanations, further pages and facets ask the same query again.
        self._parsed = lru_cache(maxsize=256)(self._parse)
        self._notices_of = lru_cache(maxsize=64)(self._notices)

    def as_part(self, sums: GlobalStatistics) -> Searcher:
        """A searcher for this shard that uses global statistics."""
        # Shallow: caches and levels are shared with the whole, and only the statistics differ.
        found = copy(self)
        found.scorer = copy(self.scorer)
        found.scorer.sums = sums
        return found

    def notices(self, options: Options) -> tuple[str, ...]:
        """Return notices on the levels and fields that options name, one line each.

        Raises
        ------
        UsageError, QueryError
            There is no such level or field, or a value does not have its type.
        """
        return self._notices_of(self.fitted(options))

    def _notices(self, options: Options) -> tuple[str, ...]:
        forms = self.bound(options.context).forms
        levels = [self.levels.apart(level) for level in _levels_of(options)]
        of_scores = self.scorer.notices(options)
        of_levels = [
            *options.notices(),
            *(notice for level in levels for notice in level.notices()),
            *self.overlap_notices(options),
            *filter(None, (getattr(form, "notice", None) for form in forms)),
        ]
        if options.language is not None:
            self.index.check_language(options.language)
        return (*dict.fromkeys(of_levels), *of_scores, *self.restriction.notices(options))

    def overlap_notices(self, options: Options) -> list[str]:
        """Return the levels of a search, of its contexts and statistics, that leave out nested elements."""
        # Models of contexts count statistics, too, perhaps over other levels.
        models = [options, *map(options.of_form, options.context.own_models)]
        levels = dict.fromkeys([*_levels_of(options), *map(self.scorer.units_text, models)])
        return [notice for level in levels for notice in self.levels.apart(level).overlap_notices()]

    def fitted(self, options: Options, query: AnyQuery | None = None) -> Options:
        """Drop preset defaults that this index or query cannot support."""
        return self._fitted(options, query is not None and not isinstance(query, Query) and query.names_target)

    def fitting(self, options: Options, named: bool) -> Options:
        """Drop preset defaults that the index, or a query that names its target, cannot support."""
        if not self.index.has_positions:
            options = options.yielding("phrases")
            if "context" in options.preset.decides:
                options = replace(options, context=options.context.without_positions)
        if options.level is not None:
            # Members of a level have their own sizes, which a window of sizes would cut.
            options = options.yielding("size")
        if "per_document" not in options.preset.decides:  # who gives a number means the whole list
            options = options.yielding("spread")
        # A limit under which the list cannot be filled would only shorten it.
        few = options.per_document and options.top and options.per_document * len(self.index.ids) < options.top
        if few and not options.puts_off:
            options = options.yielding("per_document")
        return options.yielding("size", "per_document", "quiet_parts") if named else options

    def bound(self, chain: Chain) -> Chain:
        """Bind the forms of a chain to this index."""
        return chain if chain.bound else self._bound(chain)

    def parse(
        self, text: str, options: Options, *, lenient: bool = False, slash_descends: bool = False
    ) -> tuple[AnyQuery, tuple[str, ...]]:
        """Parse a query, content-only or structured; return it with notices.

        Raises
        ------
        QueryError
            The query does not parse.
        """
        how = options.open_phrases, options.operators, options.cas or "SSCAS", options.spelling == "correct"
        # Long texts would fill the cache, and are seldom searched twice.
        reads = self._parsed if len(text) <= KEPT_LENGTH else self._parse
        query, notices = reads(text, options.accents, *how, lenient, slash_descends)
        if options.phrases == "words" and isinstance(query, Query):
            query = query.loosened()
        return query, notices

    def _language(self, text: str) -> str:
        """Return the language of a query, if the index needs it."""
        if len(self.index.analyzers) == 1:
            return ""
        from trix.query.matching.language import language_of_query

        return language_of_query(self.index.analyzer.words(text), self.index)

    def _parse(
        self, text: str, accents: str, open_phrases: bool, operators: str, cas: str, corrects: bool, lenient: bool,
        slash_descends: bool,
    ) -> tuple[AnyQuery, tuple[str, ...]]:  # fmt: skip
        how = accents, self._language(text)
        # The usual query, some known words, needs no parser.
        plain = self._plain_words(how).query(text)
        if plain is not None:
            return plain, ()
        reading: dict[str, Any] = {"open_phrases": open_phrases, "operators": operators, "lenient": lenient}
        chain = self._chains(how)
        read: Callable[..., tuple[AnyQuery, tuple[str, ...]]] = partial(parse, text, chain, **reading)
        if is_structured(text):
            from trix.query.structured.prepare import AttributesOfIndex, prepare

            reading |= {"slash_descends": slash_descends, "attributes": AttributesOfIndex.of(self.index)}
            read = partial(prepare, text, chain, cas, **reading)
        if not lenient and WILD_OR_FUZZY.search(text):  # what asks for too much is refused before any look-up
            read(vocabulary=QueryVocabulary(None))
        # Bounds on patterns hold for one query, so the counter of look-ups is new for each.
        query, notices = read(vocabulary=QueryVocabulary(self._vocabularies(accents), corrects))
        if not isinstance(query, Query):
            from trix.query.structured import diagnostics

            return query, (*notices, *diagnostics.notices(self.index, query.steps))
        if query and all(term.sign == "-" for term in query.terms):
            notices = (*notices, "the query has only minus terms, which by themselves find nothing")
        return query, notices

    def score(
        self,
        query: AnyQuery,
        options: Options,
        lists: TermLists | None = None,
        *,
        everywhere: bool = False,
    ) -> CandidateScores | None:
        """Score all matching elements; None if there are none.

        Parameters
        ----------
        query
            The query.
        options
            Options of the search.
        lists
            Posting lists of the terms, to score some documents alone; None for those of the index.
        everywhere
            See `contextualise`.

        Raises
        ------
        UsageError
            There is no such level.
        """
        options = self.fitted(options, query)
        if not isinstance(query, Query):
            return self._score_structured(query, options, lists, everywhere)
        scored = self.score_terms(query, options, None, lists, everywhere=everywhere)
        demanded = query.demands(options.signs)
        if scored is None or demanded is None:
            return scored
        # Scores are those of all candidates; demands only say which may be returned.
        holding = satisfied(self.index, scored.candidates, demanded, options.phrases, scored.lists)
        return replace(scored, returned=holding if scored.returned is None else scored.returned & holding, chosen=True)

    def _score_structured(
        self, structured: StructuredQuery, options: Options, lists: TermLists | None, everywhere: bool
    ) -> CandidateScores | None:
        """Score a structured query: all matching elements, of which its answers may be returned."""
        from trix.query.structured.evaluate import Evaluation, unweighed

        evaluation = Evaluation(self.index, structured.words, options.phrases, options.match, options.signs)
        if structured.query is None:
            found = unweighed(self.index, structured, options.phrases, options.match, options.signs)
            return self.unscored(candidates_of(self.index, found), found, options) if found.size else None
        steps = structured.steps
        if options.context.wants_support and len(steps) > 1:
            context = self.bound(options.context).with_support(self._support(evaluation, structured, options))
            options = replace(options, context=context)
            # The support is context now, and no longer a condition: only the target is left.
            steps = (replace(steps[-1], test=replace(steps[-1].test, axis="//")),)
        scored = self.score_terms(structured.query, options, structured.groups, lists, everywhere=everywhere)
        if scored is None or not steps:
            return scored and replace(scored, structured=True)
        elements = scored.candidates.element
        # Structure is tested for candidates that may be returned, not for all elements of the index.
        among = elements if scored.returned is None else elements[scored.returned]
        found = evaluation.answers(steps, among)
        return replace(scored, returned=member(elements, found), structured=True)

    def _support(self, evaluation: Evaluation, structured: StructuredQuery, options: Options) -> Support:
        """Score the elements of support steps with an about() by its words, as context of the targets.

        A step's axis, node test and condition hold as written, and so do those of the steps before it. An element that
        satisfies several steps has the score of the first.
        """
        from trix.query.language.nexi_tree import abouts

        plain = replace(options, context=NO_CONTEXT, level=None)
        found, scores = [np.zeros(0, np.int32)], [np.zeros(0)]
        for place, step in enumerate(structured.steps[:-1]):
            # Each step is a query of its own, answered with the steps before it; it has no context and no level.
            queries = [structured.words[about] for about in abouts(step.condition) if about not in structured.filters]
            words = [term for query in queries for term in query.terms]
            if not words:
                continue
            elements = evaluation.answers(structured.steps[: place + 1], None)
            scored = self.score_terms(Query(tuple(words)), plain, [query.required for query in queries])
            own = np.zeros(elements.size)
            if scored is not None:
                matching = member(elements, scored.candidates.element)
                own[matching] = scored.s[np.searchsorted(scored.candidates.element, elements[matching])]
            found.append(elements)
            scores.append(own)
        # Steps in written order, so the first of equal elements is the outermost step's.
        together, first = np.unique(np.concatenate(found), return_index=True)
        return Support(together, np.concatenate(scores)[first])

    def score_terms(
        self, query: Query, options: Options, groups: Groups | None = None, lists: TermLists | None = None, *,
        everywhere: bool = False,
    ) -> CandidateScores | None:  # fmt: skip
        """Score all elements that match some terms; None if there are none."""
        basic = self.scorer.basic(query, options, groups, lists)
        return None if basic is None else self.contextualise(basic, options, everywhere=everywhere)

    def contextualise(self, basic: CandidateScores, options: Options, *, everywhere: bool = False) -> CandidateScores:
        """Contextualise basic scores and select a level. Many contexts can share the same basic scores.

        Parameters
        ----------
        basic
            A result of `basic`. The options may differ in settings that follow the basic scores.
        options
            The new options.
        everywhere
            Whether scores of elements outside the level are needed, too.

        Raises
        ------
        UsageError
            There is no such level.
        """
        context, candidates, matching = self.bound(options.context), basic.candidates, basic.matching
        # None throughout means all: masks are made only where something is left out.
        returned = None if matching is None else context.scored(candidates, matching)
        returned = self._at_level(candidates, returned, options)
        wanted = None if everywhere or returned is None else np.flatnonzero(returned)
        # Bound to the query only now: basic scores serve many contexts.
        if context.own_models:

            def scores(form: OwnModel, alone: bool) -> Floats:
                return self.scorer.by_own_model(basic, form, options, wanted if alone else None)

            context = context.with_scores(scores)
        if context.asks_words:
            context = context.with_words(self.scorer.words(basic.query, options, basic))
        if context is not options.context:
            options = replace(options, context=context)
        return replace(
            basic, options=options, scores=context.apply(candidates, basic.s, matching, wanted), returned=returned
        )

    def unscored(self, candidates: Candidates, found: Int32s, options: Options) -> CandidateScores:
        """Return candidates of a query without words: only `found` may be returned, all with a score of 0."""
        zero = np.zeros(len(candidates))
        context = self.bound(options.context).with_scores(lambda *_: zero)
        options = replace(options, context=context.with_words(self.scorer.words(Query(), options)))
        returned = self._at_level(candidates, np.isin(candidates.element, found, assume_unique=True), options)
        extent, weights = self.scorer.extent(candidates, options), np.zeros((0, zero.size))
        return CandidateScores(Query(), options, candidates, {}, extent, weights, zero, zero, None, returned, True)

    def _at_level(self, candidates: Candidates, returned: Mask | None, options: Options) -> Mask | None:
        """Return the returnable candidates of the searched level and language."""
        if options.level is not None:
            members = self.levels.apart(options.level).among(candidates)
            returned = members if returned is None else returned & members
        if options.language is not None:
            in_language = self.index.in_language(candidates.element, options.language)
            returned = in_language if returned is None else returned & in_language
        return returned

    def rank(self, scored: CandidateScores, unfit: Callable[[CutDocument], None] | None = None) -> Int32s:
        """Return the indices of the results, in order; `unfit` receives the document that did not fit."""
        return self.readable.rank(scored, unfit)
