"""Matching of topics, done once for all models, statistics and contexts.

A matched topic has the matching elements and their term counts. If paragraphs are ranked with contexts of ancestors,
all other candidates are left out without any change of scores. The rest is small enough to be cached for the next round
of a parameter search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.lab.run.array_cache import ArrayCache, Arrays
from trix.lab.run.parts import DEFAULTS, MatchedTopic, ScoreParts, basic_options, reads_ancestors_only, unweighted
from trix.query.basic_scores import BasicScorer
from trix.query.candidate_scores import CandidateScores, Counts
from trix.query.context.chain import Chain
from trix.query.context.form import Form
from trix.query.language.terms import Keys, Query
from trix.query.matching.candidates import Candidates
from trix.query.matching.matching import TermList
from trix.query.options import Options
from trix.query.ranking.organise import best, rank_key
from trix.query.search import Searcher
from trix.support.arrays import Floats, Mask
from trix.support.lru_cache import LruFunction

MATCHING = ("phrases", "open_phrases", "match", "weights")
"""Settings that affect which elements match, and their counts."""

DEPTH = 1000
"""Number of results of each probe in a pool."""

POOLS = 2000
"""Number of pools that a process caches."""


@dataclass(frozen=True)
class KeywordTopic:
    """A topic with a query of words."""

    key: str
    query: Query


@dataclass(frozen=True)
class ElementPool:
    """Elements of a topic that a parameter search ranks: those with a chance of an early rank.

    Parameters
    ----------
    name
        Name of the probes, for cache keys.
    probes
        Options; the first elements by each are in the pool.
    elements
        Numbers of further elements, the judged ones.
    """

    name: str
    probes: tuple[Options, ...]
    elements: NDArray[Any]


class LazyTermLists(Mapping[Keys, TermList]):
    """Posting lists of a query's terms, read on first access."""

    def __init__(self, scorer: BasicScorer, options: Options, terms: Sequence[Keys]) -> None:
        self._scorer, self._options, self._terms = scorer, options, terms
        self.read_as = (options.phrases, options.weights)

    def __getitem__(self, keys: Keys) -> TermList:
        return self._scorer.list_of(keys, self._options)

    def __iter__(self) -> Iterator[Keys]:
        return iter(self._terms)

    def __len__(self) -> int:
        return len(self._terms)


class CachingScorer(BasicScorer):
    """Basic scorer that caches the statistics of terms."""

    def __init__(self, scorer: BasicScorer) -> None:
        super().__init__(scorer.index, scorer.levels)
        self._held: dict[Any, tuple[int, Any]] = {}

    def frequencies(self, keys: Keys, lists: Mapping[Keys, TermList], options: Options) -> tuple[int, Any]:
        """Return the document frequency and collection frequency of a term; cached for lazy lists."""
        if not isinstance(lists, LazyTermLists):
            return super().frequencies(keys, lists, options)
        key = (keys, lists.read_as, self.units_text(options))
        if key not in self._held:
            self._held[key] = super().frequencies(keys, lists, options)
        return self._held[key]


class TopicMatcher:
    """Scorer of topics under many options, with shared intermediate results.

    Parameters
    ----------
    searcher
        Searcher of the index.
    cache
        Cache of reduced topics; None if topics are scored only once.
    """

    def __init__(self, searcher: Searcher, cache: ArrayCache | None = None) -> None:
        self._searcher, self._cache = searcher, cache
        searcher.scorer = self._scorer = CachingScorer(searcher.scorer)
        self._pools: dict[tuple[str, Options], ScoreParts] = {}
        self._whole: LruFunction[tuple[KeywordTopic, Options], CandidateScores | None] = LruFunction(
            self._basic, size=1
        )

    def scored(
        self, topic: KeywordTopic, requested: Sequence[Options], pool: ElementPool | None = None
    ) -> list[CandidateScores | None]:
        """Return the candidates of a topic with their scores, for each of several options; None without matches.

        `Searcher.rank` returns the results among them. Candidates that cannot be results may be missing. With a pool,
        so are all candidates outside it.
        """
        found: list[CandidateScores | None] = [None] * len(requested)
        for wanted, places in _grouped({place: matching_options(each) for place, each in enumerate(requested)}):
            parts = self._parts(topic, wanted) if pool is None else self._pool(topic, wanted, pool)
            if parts is not None:
                for _, those in _grouped({place: basic_options(requested[place]) for place in places}):
                    for place in those:  # adjacent, since the cache of shared scores is bounded
                        found[place] = parts.scored(requested[place])
        return found

    def _basic(self, requested: tuple[KeywordTopic, Options]) -> CandidateScores | None:
        topic, options = requested
        found = self._scorer.basic(topic.query, options)
        if found is None or found.crowded:
            return found
        lists = LazyTermLists(self._scorer, options, list(found.lists))
        return replace(found, lists=lists, statistics={})  # statistics depend on the options

    def _parts(self, topic: KeywordTopic, options: Options) -> ScoreParts | None:
        key = _name(topic, options)
        kept = self._cache.get(key) if self._cache is not None and options.level else None
        if kept is not None:
            return self._score_parts(topic, options, self._unpacked(topic, options, kept), key)
        basic = self._whole((topic, options))
        if basic is None:
            return None
        if options.level is None or basic.crowded:
            return self._score_parts(topic, options, MatchedTopic(basic), key)
        matched = reduce_to(basic, self._searcher.levels.apart(options.level).among(basic.candidates))
        if self._cache is not None:
            self._cache.put(key, _packed(matched))
        return self._score_parts(topic, options, matched, key)

    def _score_parts(self, topic: KeywordTopic, options: Options, matched: MatchedTopic, name: str) -> ScoreParts:
        def whole() -> CandidateScores:
            return self._whole((topic, options)) or matched.basic

        def kept(column: str, make: Callable[[], Floats]) -> Floats:
            if self._cache is None:
                return make()
            key = f"{name}\n{column}"
            found = self._cache.get(key)
            if found is None:
                found = [make()]
                self._cache.put(key, found)
            return found[0]

        return ScoreParts(self._searcher, matched, whole, kept)

    def _pool(self, topic: KeywordTopic, options: Options, pool: ElementPool) -> ScoreParts | None:
        """Return the scores of the elements in a pool; cached in this process."""
        known = self._pools.get((topic.key, options))
        if known is not None:
            return known
        key = f"{_name(topic, options)}\n{pool.name}"
        kept = self._cache.get(key) if self._cache is not None and options.level else None
        if kept is not None:
            parts = self._score_parts(topic, options, self._unpacked(topic, options, kept), key)
        else:
            whole = self._parts(topic, options)
            if whole is None or whole.matched.members is None:
                return whole
            probes = [each for each in pool.probes if matching_options(each) == options]
            parts = self._score_parts(topic, options, self._pooled(whole, probes, pool.elements), key)
            if self._cache is not None:
                self._cache.put(key, _packed(parts.matched))
        if len(self._pools) >= POOLS:
            del self._pools[next(iter(self._pools))]
        self._pools[topic.key, options] = parts
        return parts

    def _pooled(self, whole: ScoreParts, probes: Sequence[Options], elements: NDArray[Any]) -> MatchedTopic:
        """Reduce a topic to the first elements by each probe and the given elements, with their ancestors."""
        matched = whole.matched
        members = np.zeros(0, np.intp) if matched.members is None else matched.members
        of_level = matched.basic.candidates.element[members]
        wanted = np.isin(of_level, elements)
        for probe in probes:
            scored = whole.scored(probe)
            if scored is not None:
                wanted[best(rank_key(scored.scores), min(DEPTH, len(wanted)))] = True
        mask = np.zeros(len(matched.basic.candidates), np.bool_)
        mask[members[wanted]] = True
        return reduce_to(matched.basic, mask)

    def _unpacked(self, topic: KeywordTopic, options: Options, arrays: Arrays) -> MatchedTopic:
        members, *rest = arrays
        columns, counts = rest[: len(fields(Candidates))], rest[len(fields(Candidates)) :]
        candidates = Candidates(*columns)
        terms = list(dict.fromkeys(term.keys for term in topic.query.terms))
        by_term = {keys: Counts(counts[2 * t], counts[2 * t + 1]) for t, keys in enumerate(terms)}
        lists = LazyTermLists(self._scorer, options, terms)
        zero = np.zeros(len(candidates))
        extent = self._scorer.extent(candidates, options)
        basic = CandidateScores(
            topic.query, options, candidates, {}, extent, np.zeros((0, zero.size)), zero, zero, None, None,
            lists=lists, counts=by_term,
        )  # fmt: skip
        return MatchedTopic(basic, members, candidates.at(members))


def _name(topic: KeywordTopic, options: Options) -> str:
    return f"{topic.key}\n{[str(getattr(options, name)) for name in (*MATCHING, 'level')]}"


def reduce_to(basic: CandidateScores, members: Mask) -> MatchedTopic:
    """Reduce candidates to the given members and their ancestors; all of them match."""
    candidates = basic.candidates
    keep, below = members.copy(), np.flatnonzero(members).astype(np.int32)
    while below.size:  # mark ancestors level by level, until all are marked or roots are reached
        above = np.unique(candidates.parent[below])
        below = above[(above >= 0) & ~keep[above]]
        keep[below] = True
    places = np.flatnonzero(keep)
    number = np.full(len(keep) + 1, -1, np.int32)  # the last one is the parent of roots
    number[places] = np.arange(places.size, dtype=np.int32)
    part = candidates.at(places)
    part = replace(part, parent=number[part.parent], root=number[part.root])
    counts = {keys: Counts(each.kf[places], each.xi_k[places]) for keys, each in basic.counts.items()}
    left = replace(
        basic, candidates=part, counts=counts, statistics={}, extent=basic.extent.at(places), matching=None,
        returned=None,
        weights=np.zeros((0, places.size)), s=basic.s[places], scores=basic.s[places],
    )  # fmt: skip
    ranked = np.flatnonzero(members[places])
    return MatchedTopic(left, ranked, part.at(ranked))


def _packed(matched: MatchedTopic) -> Arrays:
    candidates, basic = matched.basic.candidates, matched.basic
    terms = dict.fromkeys(term.keys for term in basic.query.terms)
    columns = [getattr(candidates, each.name) for each in fields(Candidates)]
    members = np.zeros(0, np.intp) if matched.members is None else matched.members
    return [members, *columns, *(column for keys in terms for column in basic.counts[keys])]


@lru_cache(maxsize=4096)
def matching_options(options: Options) -> Options:
    """Reset all options that do not affect matching and counts to their defaults.

    The level is kept if candidates can be reduced to it: for ranking by score, with contexts that read only ancestors.
    """
    everywhere = tuple(form for form in options.context.forms if form.all)[:1]
    ranked = options.strategy in (None, "thorough") and options.overlap in (None, "full") and options.where is None
    local = ranked and all(map(_is_local, options.context.forms)) and not everywhere
    kept = {name: getattr(options, name) for name in MATCHING}
    return replace(DEFAULTS, **kept, context=Chain(everywhere), level=options.level if local else None)


def _is_local(form: Form) -> bool:
    return reads_ancestors_only(form) or unweighted(form) is not None


def _grouped(of: Mapping[int, Options]) -> list[tuple[Options, list[int]]]:
    groups: dict[Options, list[int]] = {}
    for place, options in of.items():
        groups.setdefault(options, []).append(place)
    return list(groups.items())
