"""Topics matched once: which elements hold which words, and how often, serves all models, statistics and contexts.

Where paragraphs are ranked, and contexts are ancestors, nothing else is looked at: the other candidates are left out,
and no score changes for it. What is left is small enough to be kept for the next round of a search for parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.lab.run.parts import DEFAULTS, Matched, Parts, basic_options, reads_ancestors_only, unweighted
from trix.lab.run.shelf import Arrays, Shelf
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
from trix.support.recent import Recent

MATCHING = ("phrases", "open_phrases", "match", "weights")
"""The settings that decide which elements match, and what is counted in them."""

DEPTH = 1000
"""Of each probe so many results are in a pool."""

POOLS = 2000
"""Pools that a process keeps."""


@dataclass(frozen=True)
class Asked:
    """A topic's query of words."""

    key: str
    query: Query


@dataclass(frozen=True)
class Pool:
    """Which elements of a topic are ranked where parameters are searched: those that may come early.

    Parameters
    ----------
    name
        Of the probes.
    probes
        Options; the first elements by each are in the pool.
    elements
        Numbers of others: those that are judged.
    """

    name: str
    probes: tuple[Options, ...]
    elements: NDArray[Any]


class LazyLists(Mapping[Keys, TermList]):
    """The lists of a query's terms, looked up when they are asked for."""

    def __init__(self, scorer: BasicScorer, options: Options, terms: Sequence[Keys]) -> None:
        self._scorer, self._options, self._terms = scorer, options, terms
        self.read_as = (options.phrases, options.weights)

    def __getitem__(self, keys: Keys) -> TermList:
        return self._scorer.list_of(keys, self._options)

    def __iter__(self) -> Iterator[Keys]:
        return iter(self._terms)

    def __len__(self) -> int:
        return len(self._terms)


class Statistician(BasicScorer):
    """A scorer that remembers the statistics of terms."""

    def __init__(self, scorer: BasicScorer) -> None:
        super().__init__(scorer.index, scorer.levels)
        self._held: dict[Any, tuple[int, Any]] = {}

    def held(self, keys: Keys, lists: Mapping[Keys, TermList], options: Options) -> tuple[int, Any]:
        """Return in how many of the texts that count a term is, and how often; of lazy lists it is remembered."""
        if not isinstance(lists, LazyLists):
            return super().held(keys, lists, options)
        key = (keys, lists.read_as, self.units_text(options))
        if key not in self._held:
            self._held[key] = super().held(keys, lists, options)
        return self._held[key]


class Matcher:
    """Scores topics by many options, which share what they can.

    Parameters
    ----------
    searcher
        Of the index.
    shelf
        Where topics that are cut down are kept; None if they will not be asked again.
    """

    def __init__(self, searcher: Searcher, shelf: Shelf | None = None) -> None:
        self._searcher, self._shelf = searcher, shelf
        searcher.scorer = self._scorer = Statistician(searcher.scorer)
        self._pools: dict[tuple[str, Options], Parts] = {}
        self._whole: Recent[tuple[Asked, Options], CandidateScores | None] = Recent(self._basic, size=1)

    def scored(self, topic: Asked, asked: Sequence[Options], pool: Pool | None = None) -> list[CandidateScores | None]:
        """Return what each of some options makes of a topic: candidates of which `Searcher.rank` gives the results.

        None where nothing matches. A candidate that cannot be a result may be missing; with a pool those that are not
        in it are, too.
        """
        found: list[CandidateScores | None] = [None] * len(asked)
        for wanted, places in _grouped({place: matching_options(each) for place, each in enumerate(asked)}):
            parts = self._parts(topic, wanted) if pool is None else self._pool(topic, wanted, pool)
            if parts is not None:
                for _, those in _grouped({place: basic_options(asked[place]) for place in places}):
                    for place in those:  # together, since what they share is not remembered for ever
                        found[place] = parts.scored(asked[place])
        return found

    def _basic(self, asked: tuple[Asked, Options]) -> CandidateScores | None:
        topic, options = asked
        found = self._scorer.basic(topic.query, options)
        if found is None or found.crowded:
            return found
        lists = LazyLists(self._scorer, options, list(found.lists))
        return replace(found, lists=lists, statistics={})  # each option counts texts of its own

    def _parts(self, topic: Asked, options: Options) -> Parts | None:
        key = _name(topic, options)
        kept = self._shelf.get(key) if self._shelf is not None and options.level else None
        if kept is not None:
            return self._made(topic, options, self._unpacked(topic, options, kept), key)
        basic = self._whole((topic, options))
        if basic is None:
            return None
        if options.level is None or basic.crowded:
            return self._made(topic, options, Matched(basic), key)
        matched = cut_down(basic, self._searcher.levels.apart(options.level).among(basic.candidates))
        if self._shelf is not None:
            self._shelf.put(key, _packed(matched))
        return self._made(topic, options, matched, key)

    def _made(self, topic: Asked, options: Options, matched: Matched, name: str) -> Parts:
        def whole() -> CandidateScores:
            return self._whole((topic, options)) or matched.basic

        def kept(column: str, make: Callable[[], Floats]) -> Floats:
            if self._shelf is None:
                return make()
            key = f"{name}\n{column}"
            found = self._shelf.get(key)
            if found is None:
                found = [make()]
                self._shelf.put(key, found)
            return found[0]

        return Parts(self._searcher, matched, whole, kept)

    def _pool(self, topic: Asked, options: Options, pool: Pool) -> Parts | None:
        """Return the parts of the elements in a pool; they are kept in this process."""
        known = self._pools.get((topic.key, options))
        if known is not None:
            return known
        key = f"{_name(topic, options)}\n{pool.name}"
        kept = self._shelf.get(key) if self._shelf is not None and options.level else None
        if kept is not None:
            parts = self._made(topic, options, self._unpacked(topic, options, kept), key)
        else:
            whole = self._parts(topic, options)
            if whole is None or whole.matched.members is None:
                return whole
            probes = [each for each in pool.probes if matching_options(each) == options]
            parts = self._made(topic, options, self._pooled(whole, probes, pool.elements), key)
            if self._shelf is not None:
                self._shelf.put(key, _packed(parts.matched))
        if len(self._pools) >= POOLS:
            del self._pools[next(iter(self._pools))]
        self._pools[topic.key, options] = parts
        return parts

    def _pooled(self, whole: Parts, probes: Sequence[Options], elements: NDArray[Any]) -> Matched:
        """Return the first elements by each probe, and some others, with what is above them."""
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
        return cut_down(matched.basic, mask)

    def _unpacked(self, topic: Asked, options: Options, arrays: Arrays) -> Matched:
        members, *rest = arrays
        columns, counts = rest[: len(fields(Candidates))], rest[len(fields(Candidates)) :]
        candidates = Candidates(*columns)
        terms = list(dict.fromkeys(term.keys for term in topic.query.terms))
        by_term = {keys: Counts(counts[2 * t], counts[2 * t + 1]) for t, keys in enumerate(terms)}
        lists = LazyLists(self._scorer, options, terms)
        zero = np.zeros(len(candidates))
        extent = self._scorer.extent(candidates, options)
        basic = CandidateScores(
            topic.query, options, candidates, {}, extent, np.zeros((0, zero.size)), zero, zero, None, None,
            lists=lists, counts=by_term,
        )  # fmt: skip
        return Matched(basic, members, candidates.at(members))


def _name(topic: Asked, options: Options) -> str:
    return f"{topic.key}\n{[str(getattr(options, name)) for name in (*MATCHING, 'level')]}"


def cut_down(basic: CandidateScores, members: Mask) -> Matched:
    """Return candidates without those that are neither members nor above one; all match."""
    candidates = basic.candidates
    keep, below = members.copy(), np.flatnonzero(members).astype(np.int32)
    while below.size:
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
    return Matched(left, ranked, part.at(ranked))


def _packed(matched: Matched) -> Arrays:
    candidates, basic = matched.basic.candidates, matched.basic
    terms = dict.fromkeys(term.keys for term in basic.query.terms)
    columns = [getattr(candidates, each.name) for each in fields(Candidates)]
    members = np.zeros(0, np.intp) if matched.members is None else matched.members
    return [members, *columns, *(column for keys in terms for column in basic.counts[keys])]


@lru_cache(maxsize=4096)
def matching_options(options: Options) -> Options:
    """Return options with all at its default that does not decide what matches and is counted.

    The level stays where candidates may be cut down to it: ranked by score, in contexts that are ancestors' scores.
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
