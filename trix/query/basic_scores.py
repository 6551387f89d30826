"""Basic scores: from the terms of a query to candidates and term weights, without context."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError
from trix.indexer.store.elements import distinct
from trix.indexer.store.files import IndexFiles
from trix.presets import SEARCHED, SHORTEST_MEAN
from trix.query.candidate_scores import CandidateScores, Counts, TermWeights
from trix.query.context.own_model import OwnModel
from trix.query.language.element_weights import UNIT
from trix.query.language.terms import Alternatives, Keys, Query, Term
from trix.query.matching.candidates import Candidates
from trix.query.matching.matching import ListReader, Match, TermList, candidates_of, frequencies, match, whole_documents
from trix.query.matching.query_words import QueryWords, SentenceLists, SentenceStarts, Word, check_positions, words_of
from trix.query.options import Options
from trix.query.scoring import many
from trix.query.scoring.models import MODELS, Extent, Statistics, extent_of
from trix.query.scoring.statistics import GlobalStatistics, StatisticsScope, content_units, document_units, member_units
from trix.query.scoring.weights import combine
from trix.query.structured.levels import Levels
from trix.query.term_weights import own_spellings, signed_weights, span_of
from trix.query.weighted_places import WeightedPlaces
from trix.support.arrays import Floats, Int32s, Int64s, Mask
from trix.support.lru_cache import LruFunction

TermLists = Mapping[Keys, TermList]
Groups = Sequence[tuple[Keys, ...]]
"""Groups of terms that are required together; an element matches if it has all terms of any group."""


class BasicScorer:
    """Scorer of the elements of one index, without context.

    Parameters
    ----------
    index
        The files of the index.
    levels
        The levels of the index.

    Attributes
    ----------
    sums : Sums or None
        Global statistics, if the index is one part of a collection.
    """

    def __init__(self, index: IndexFiles, levels: Levels) -> None:
        self.index, self.levels = index, levels
        self.sums: GlobalStatistics | None = None
        self.lists = ListReader(index)
        self._starts = SentenceStarts(index)
        self.sentences = SentenceLists(index, self._starts)
        self._r_alone = lru_cache(maxsize=1024)(self._r_in_index)
        self._units: LruFunction[str, StatisticsScope] = LruFunction(self._units_of)
        self.places = WeightedPlaces(index, levels)

    def notices(self, options: Options) -> tuple[str, ...]:
        """Return notices on the statistics scope and on weighted places, one line each.

        Raises
        ------
        UsageError
            There is no such level, the profile has no weights, or the index lacks what the forms need.
        """
        for form in options.context.forms:
            if getattr(form, "asks_positions", False):
                check_positions(self.index, form)
        variants = [options, *map(options.of_form, options.context.own_models)]
        idle = dict.fromkeys(each.statistics for each in variants if not self.units(each).N)
        of_places = () if options.weights is None else self.places.notices(options.weights)
        return (*(f"statistics {level}: no element is a member, so nothing has a weight" for level in idle), *of_places)

    # -- counted texts and occurrences -----------------------------------------------------------------------------

    def units(self, options: Options) -> StatisticsScope:
        """Return the texts over which statistics are counted.

        Raises
        ------
        UsageError
            There is no such level.
        """
        text = self.units_text(options)
        units = self._units(text) if self.sums is None else self.sums.units(text)
        return replace(units, least=SHORTEST_MEAN) if options.statistics == SEARCHED else units

    @staticmethod
    def units_text(options: Options) -> str:
        """Return the level whose members are the statistics scope.

        Raises
        ------
        UsageError
            The scope is the searched level, and no level is searched.
        """
        text = options.statistics or MODELS[options.model].statistics
        if text == SEARCHED:
            return options.level or "content"
        if text != "level":
            return text
        if options.level is None:
            why = "there is no level whose statistics could count; give `level` or name one"
            raise UsageError(why, field="statistics", got=text)
        return options.level

    def _units_of(self, text: str) -> StatisticsScope:
        try:
            level = self.levels.apart(text)
        except UsageError as error:
            if error.field != "level":
                raise
            raise UsageError(error.reason, field="statistics", got=text) from None
        if level.definition.kind == "content":
            return content_units(self.index)
        if level.definition.kind == "document":
            return document_units(self.index)
        return member_units(self.index, level.members)

    def list_of(self, keys: Keys, options: Options, phrases: str | None = None) -> TermList:
        """Return a term's posting list; with weighted places, occurrences are counted in fractions.

        `phrases` defaults to the setting of the options.
        """
        phrases = phrases or options.phrases
        found = self.lists(keys, phrases)
        found = found if options.weights is None else self.places.content(options.weights).weighted(found)
        return found._replace(name=(keys, phrases, options.weights))

    def list_of_word(self, word: Word) -> TermList:
        """Return the content elements that hold a single word."""
        found = self.lists((Alternatives(word.text, tuple((key,) for key in word.keys)),))
        return found._replace(name=word.keys)

    # -- scores ----------------------------------------------------------------------------------------------------

    def basic(
        self, query: Query, options: Options, groups: Groups | None = None, lists: TermLists | None = None
    ) -> CandidateScores | None:
        """Score all matching elements without context; None if there are none.

        Of the context only `Chain.all` matters: such a form needs more candidates. `lists` replace the lists of the
        index.
        """
        if lists is None:
            distinct_terms = dict.fromkeys(term.keys for term in query.terms)
            lists = {keys: self.list_of(keys, options) for keys in distinct_terms}
            given: TermLists = {}
        else:
            given = lists
        positive = list(dict.fromkeys(term.keys for term in query.terms if term.sign != "-" and lists[term.keys].m))
        if not positive:
            return None
        crowded = len(lists) > many.MANY  # then a term at a time
        found: Match | None = None
        if options.match == "all":
            required = self._required((query.required,) if groups is None else groups, options, given)  # rarest first
            if not required.size:
                return None
            candidates = candidates_of(self.index, required)
        elif crowded:
            candidates = many.candidates(self.index, [lists[keys] for keys in positive])
        else:
            found = match(self.index, [lists[keys] for keys in positive])  # candidates and counts in one pass
            candidates = found.candidates
        matching: Mask | None = None
        if options.context.all:
            matched, found = candidates.element, None
            candidates = whole_documents(self.index, candidates)
            matching = np.isin(candidates.element, matched, assume_unique=True)  # the others come for context alone
        extent = self.extent(candidates, options)
        counts: dict[Keys, Counts] = {}
        if crowded:
            statistics, weights = {}, np.zeros((0, len(candidates)))
            s = self._crowded(query, options, lists, candidates, extent)
        else:
            counts = self._counts(lists, candidates, found, positive)
            statistics = self._statistics(lists, counts, candidates, options)
            spelt = own_spellings(self.index, lists, candidates, partial(self.r_of, options) if given else None)
            weights = signed_weights(query, options, statistics, extent, spelt)
            s = _combined(query, options, weights)
        if matching is not None:
            s = np.where(matching, s, 0.0)  # context may still give them a score
        columns = query, options, candidates, statistics, extent, weights, s, s, matching, matching
        return CandidateScores(*columns, lists=lists, counts=counts)

    def r_of(self, options: Options, keys: Keys, scored: CandidateScores | None = None) -> float | None:
        """Return r of a word with several spellings, see `term_weights`; over all scored candidates, or over the index.

        None if none of them has the exact spelling.
        """
        if scored is None or scored.lists[keys].whole is not None:
            return self._r_alone(options, keys)
        if not own_spellings(self.index, {keys: scored.lists[keys]}, scored.candidates)[keys][0].any():
            return None
        lists, counts, candidates = {keys: scored.lists[keys]}, {keys: scored.counts[keys]}, scored.candidates
        own = self._statistics(lists, counts, candidates, options)[keys]
        return span_of(MODELS[options.model].weigh(own, self.extent(candidates, options), options))

    def _r_in_index(self, options: Options, keys: Keys) -> float | None:
        scored = self.basic(Query((Term(keys),)), options)
        return None if scored is None else self.r_of(options, keys, scored)

    def again(self, basic: CandidateScores, options: Options) -> CandidateScores:
        """Rescore the same candidates under another model, reusing the counts.

        Parameters
        ----------
        basic
            A result of `basic` with its counts. The options may differ in model, parameters and statistics only.
        options
            The new options.
        """
        candidates = basic.candidates
        extent = self.extent(candidates, options)
        statistics = self._statistics(basic.lists, basic.counts, candidates, options)
        spelt = own_spellings(self.index, basic.lists, candidates)
        weights = signed_weights(basic.query, options, statistics, extent, spelt)
        s = _combined(basic.query, options, weights)
        if basic.matching is not None:
            s = np.where(basic.matching, s, 0.0)
        return replace(basic, options=options, statistics=statistics, extent=extent, weights=weights, s=s, scores=s)

    def by_own_model(
        self, basic: CandidateScores, form: OwnModel, options: Options, wanted: NDArray[np.intp] | None = None
    ) -> Floats:
        """Return basic scores by a form's own model, ``(n,)``; 0 for candidates that the form ignores.

        The counts of `basic` are reused. For a form's own query, such as word pairs, only the `wanted` places are
        counted.
        """
        own = options.of_form(form)
        whole, places = basic, form.read(basic.candidates)
        basic = self.with_form_query(form, basic, wanted)
        candidates, counts = whole.candidates, basic.counts
        if not basic.query.terms:
            return np.zeros(len(candidates))
        if basic.crowded:
            s = self._crowded(basic.query, own, basic.lists, candidates, self.extent(candidates, own))
        else:
            places = places if basic is whole else wanted
            if basic is whole and places is not None:
                counts = {keys: Counts(each.kf[places], each.xi_k[places]) for keys, each in counts.items()}
            candidates = candidates if places is None else candidates.at(places)
            statistics = self._statistics(basic.lists, counts, candidates, own)
            r = partial(self.r_of, own, scored=basic)
            spelt = own_spellings(self.index, basic.lists, candidates, r)
            extent = self._extent_at(places, whole, candidates, own)
            weights = signed_weights(basic.query, own, statistics, extent, spelt)
            read = _combined(basic.query, own, weights)
            s = np.zeros(len(whole.candidates))  # 0 where the form does not look
            s[slice(None) if places is None else places] = read
        return s if basic.matching is None else np.where(basic.matching, s, 0.0)

    def with_form_query(
        self, form: OwnModel, scored: CandidateScores, wanted: NDArray[np.intp] | None = None
    ) -> CandidateScores:
        """Return counts for the form's own query; scores still belong to the main query.

        New counts are made for the `wanted` places; None for all.
        """
        query = form.query(scored.query)
        if query is scored.query:
            return scored
        options = replace(scored.options, phrases="exact")
        lists = {term.keys: self.list_of(term.keys, options) for term in query.terms}
        few = len(lists) <= many.MANY
        candidates = scored.candidates if wanted is None else scored.candidates.at(wanted)
        counts = self._counts(lists, candidates) if few else {}
        return replace(scored, query=query, lists=lists, counts=counts)

    def words(self, query: Query, options: Options, known: CandidateScores | None = None) -> QueryWords:
        """Return the query words that the index has; statistics come from the scores `known`, if given."""
        known = None if known is None or options.weights is not None else known
        units = self.units(options)
        words, lists, counts = list[Word](), list[TermList](), list[int]()
        for word in words_of(query):
            if known is not None and word.keys in known.statistics and len(word.keys) == 1:
                each, m = known.lists[word.keys], known.statistics[word.keys].m  # the word is a term
            else:
                each = self.list_of_word(word)
                m = units.counts(each)[0]
            if each.m_of_all if self.sums is None else self.sums.m_of_all[each.name]:
                words.append(word)
                lists.append(each)
                counts.append(max(m, 1))
        return QueryWords(self.index, words, lists, max(units.N, 1), np.array(counts, np.int64), self._starts)

    def weighed(self, scored: CandidateScores, place: int, options: Options | None = None) -> TermWeights:
        """Return the term weights of one candidate, optionally under other options."""
        if options is None and not scored.crowded:
            column = scored.weights[:, place : place + 1]
            statistics = {keys: each.at(slice(place, place + 1)) for keys, each in scored.statistics.items()}
            return TermWeights(statistics, scored.extent.at(slice(place, place + 1)), column)
        options = scored.options if options is None else options
        one = scored.candidates.at(np.array([place]))
        statistics = self._statistics(scored.lists, self._counts(scored.lists, one), one, options)
        extent = self.extent(one, options)
        r = partial(self.r_of, options, scored=scored)
        spelt = {} if scored.crowded else own_spellings(self.index, scored.lists, one, r)
        return TermWeights(statistics, extent, signed_weights(scored.query, options, statistics, extent, spelt))

    def extent(self, candidates: Candidates, options: Options) -> Extent:
        """Return the sizes of candidates and of the collection."""
        return extent_of(self.index, candidates, self.units(options), MODELS[options.model].bounded)

    def _extent_at(
        self, places: NDArray[np.intp] | None, whole: CandidateScores, candidates: Candidates, own: Options
    ) -> Extent:
        """Return the sizes of some candidates under a form's model, reusing those of all candidates."""
        if whole.extent.dl is None and not MODELS[own.model].bounded:
            return self.extent(candidates, own)
        units, known = self.units(own), whole.extent if places is None else whole.extent.at(places)
        return replace(known, N=units.N, C=units.C, avgdl=units.mean_length)

    def _counts(
        self, lists: TermLists, candidates: Candidates, found: Match | None = None, positive: Sequence[Keys] = (),
    ) -> dict[Keys, Counts]:  # fmt: skip
        """Return kf and xi_k of terms in some candidates, reusing counts of positive terms."""
        counts = {} if found is None else {keys: Counts(found.kf[t], found.xi_k[t]) for t, keys in enumerate(positive)}
        for keys, each in lists.items():
            if keys not in counts:
                kf, xi_k = frequencies(candidates, [each])  # terms with a minus made no candidates
                counts[keys] = Counts(kf[0], xi_k[0])
        return counts

    def _statistics(
        self, lists: Mapping[Keys, TermList], counts: dict[Keys, Counts], candidates: Candidates, options: Options
    ) -> dict[Keys, Statistics]:
        """Return the statistics of terms in some candidates, in list order."""
        return {keys: self._numbers(keys, lists, counts[keys], candidates, options) for keys in lists}

    def frequencies(self, keys: Keys, lists: Mapping[Keys, TermList], options: Options) -> tuple[int, Any]:
        """Return the document frequency of a term in the statistics scope, and its occurrences."""
        of = lists[keys]
        if of.whole is not None and options.weights is not None and MODELS[options.model].needs == "cf":
            of = self.list_of(keys, options)  # a list of all documents by document has no weights
        return self.units(options).counts(of)

    def _numbers(
        self, keys: Keys, lists: Mapping[Keys, TermList], counts: Counts, candidates: Candidates, options: Options
    ) -> Statistics:
        """Return the statistics of one term in the form that the model expects."""
        kf, xi_k = counts
        if options.model == "trix2004" and len(keys) > 1:
            kf = self._least(keys, counts, candidates, options)  # its phrases are counted otherwise
        m, cf = self.frequencies(keys, lists, options)
        if options.weights is not None:
            kf, cf = kf / UNIT, cf / UNIT
        return Statistics(kf, xi_k, m, cf)

    def _crowded(
        self, query: Query, options: Options, lists: Mapping[Keys, TermList], candidates: Candidates, extent: Extent
    ) -> Floats:
        """Return the combined weights of a query with many terms, term at a time."""
        model = MODELS[options.model]

        def weighed(terms: Sequence[Keys]) -> Iterator[tuple[Int32s, Floats]]:
            counted = many.holders(self.index, candidates, [lists[keys] for keys in terms])
            for keys, (places, kf, xi_k) in zip(terms, counted, strict=True):
                phrase = options.model == "trix2004" and len(keys) > 1
                those = candidates.at(places) if phrase else candidates  # only phrases read them
                numbers = self._numbers(keys, lists, Counts(kf, xi_k), those, options)
                yield places, model.weigh(numbers, extent.at(places), options)

        return many.score(query, model, model.combination(options.combine), len(candidates), weighed)

    def _required(self, groups: Groups, options: Options, known: TermLists) -> Int32s:
        """Return the ascending elements that hold all terms of at least one group."""
        found = [np.zeros(0, np.int32)]
        for group in dict.fromkeys(groups):
            if group:
                lists = [known.get(keys) or self.lists(keys, options.phrases) for keys in group]
                found.append(many.holding_all(self.index, lists))  # all terms of one group
        return distinct(np.concatenate(found))

    def _least(self, keys: Keys, counts: Counts, candidates: Candidates, options: Options) -> Int64s:
        """Return min(p, ξ) of a phrase: the smallest kf of its keys, 0 if no element holds all [I, eq. 3, 4]."""
        lists = [self.list_of((key,), options, "content") for key in dict.fromkeys(keys)]
        least: Int64s = frequencies(candidates, lists)[0].min(axis=0)  # over the keys
        return np.where(counts.xi_k > 0, least, least.dtype.type(0))


def _combined(query: Query, options: Options, weights: Floats) -> Floats:
    how = MODELS[options.model].combination(options.combine)
    return combine(weights, how, [term.weight for term in query.terms])
