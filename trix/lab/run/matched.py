"""Topics matched once: which elements hold which words, and how often, serves all models, statistics and contexts.

Where paragraphs are ranked, and contexts are ancestors, nothing else is looked at: the other candidates are left out,
and no score changes for it. What is left is small enough to be kept for the next round of a search for parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.lab.run.shelf import Arrays, Shelf
from trix.query.basic_scores import BasicScorer
from trix.query.candidate_scores import CandidateScores, Counts
from trix.query.context.ancestors import PathForm
from trix.query.context.chain import Chain
from trix.query.context.form import Floats, Form
from trix.query.context.own_model import OwnModel
from trix.query.language.terms import Keys, Query
from trix.query.matching.candidates import Candidates
from trix.query.matching.matching import TermList
from trix.query.options import Options
from trix.query.search import Searcher

MATCHING = ("phrases", "open_phrases", "match", "weights")
"""The settings that decide which elements match, and what is counted in them."""

MODEL = (
    "model", "b", "v", "combine", "phrases", "open_phrases", "match", "weights", "statistics", "idf_power",
    "a", "k1", "B", "lambda_", "mu",
)  # fmt: skip
"""The settings that basic scores depend on, beside the level whose statistics count."""


@dataclass(frozen=True)
class Matched:
    """A topic's candidates and counts.

    Parameters
    ----------
    basic
        With scores that do not matter.
    members
        Places of the candidates that are ranked, where it has been cut down to a level; None where it has not.
    """

    basic: CandidateScores
    members: NDArray[np.intp] | None = None
    ranked: Candidates | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Asked:
    """A topic's query of words."""

    key: str
    query: Query


class LazyLists(Mapping[Keys, TermList]):
    """The lists of a query's terms, looked up when they are asked for."""

    def __init__(self, scorer: BasicScorer, options: Options, terms: Sequence[Keys]) -> None:
        self._scorer, self._options, self._terms = scorer, options, terms

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
        """Return in how many of the texts that count a term is, and how often."""
        key = (keys, options.phrases, options.weights, self.units_text(options))
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

    def scored(self, topic: Asked, asked: Sequence[Options]) -> list[CandidateScores | None]:
        """Return what each of some options makes of a topic: candidates of which `Searcher.rank` gives the results.

        None where nothing matches. A candidate that cannot be a result may be missing.
        """
        found: list[CandidateScores | None] = [None] * len(asked)
        for wanted, places in _grouped({place: matching_options(each) for place, each in enumerate(asked)}):
            matched = self._matched(topic, wanted)
            if matched is None:
                continue
            for weighing, those in _grouped({place: basic_options(asked[place]) for place in places}):
                basic = self._weighed(topic, matched, weighing)
                if basic is not None:
                    context = _Contexts(self._searcher, matched, basic)
                    for place in those:
                        found[place] = context.scored(asked[place])
        return found

    def _weighed(self, topic: Asked, matched: Matched, options: Options) -> CandidateScores | None:
        if matched.basic.crowded:  # the numbers of so many terms are not kept
            return self._scorer.basic(topic.query, options)
        return self._scorer.again(matched.basic, options)

    def _matched(self, topic: Asked, options: Options) -> Matched | None:
        key = f"{topic.key}\n{[str(getattr(options, name)) for name in (*MATCHING, 'level')]}"
        kept = self._shelf.get(key) if self._shelf is not None and options.level else None
        if kept is not None:
            return self._unpacked(topic, options, kept)
        basic = self._scorer.basic(topic.query, options)
        if basic is None or options.level is None or basic.crowded:
            return None if basic is None else Matched(basic)
        matched = cut_down(basic, self._searcher.levels.apart(options.level).among(basic.candidates))
        if self._shelf is not None:
            self._shelf.put(key, _packed(matched))
        return matched

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


class _Contexts:
    """The contexts of one topic's basic scores."""

    def __init__(self, searcher: Searcher, matched: Matched, basic: CandidateScores) -> None:
        self._searcher, self._matched, self._basic = searcher, matched, basic
        self._own: dict[Any, Floats] = {}

    def scored(self, options: Options) -> CandidateScores:
        basic, members = self._basic, self._matched.members
        if members is None or self._matched.ranked is None:
            return self._searcher.contextualise(basic, options)
        context = self._searcher.bound(options.context)
        if context.own_models:
            context = context.with_scores(lambda form: self._by_own_model(form, options))
        scores = context.apply(basic.candidates, basic.s)[members]
        return CandidateScores(
            basic.query, replace(options, level=None), self._matched.ranked, {}, basic.extent, basic.weights,
            basic.s[members], scores, None, None,
        )  # fmt: skip

    def _by_own_model(self, form: OwnModel, options: Options) -> Floats:
        own = options.of_form(form)
        key = (basic_options(own), isinstance(form.form, PathForm) and form.form.weights().roots_only)
        if key not in self._own:
            self._own[key] = self._searcher.scorer.by_own_model(self._basic, form, options)
        return self._own[key]


def cut_down(basic: CandidateScores, members: NDArray[np.bool_]) -> Matched:
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
        basic, candidates=part, counts=counts, statistics={}, extent=basic.extent.at(places),
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


def matching_options(options: Options) -> Options:
    """Return options with all at its default that does not decide what matches and is counted.

    The level stays where candidates may be cut down to it: ranked by score, in contexts that are ancestors' scores.
    """
    everywhere = tuple(form for form in options.context.forms if form.all)[:1]
    ranked = options.strategy in (None, "thorough") and options.overlap in (None, "full") and options.where is None
    local = ranked and all(reads_ancestors_only(form) for form in options.context.forms) and not everywhere
    kept = {name: getattr(options, name) for name in MATCHING}
    return replace(DEFAULTS, **kept, context=Chain(everywhere), level=options.level if local else None)


def basic_options(options: Options) -> Options:
    """Return options with all at its default that basic scores do not depend on.

    Only that a form scores elements which do not match remains of the context, and of the level its statistics.
    """
    level = options.level if options.statistics == "level" else None
    everywhere = tuple(form for form in options.context.forms if form.all)[:1]
    return replace(DEFAULTS, **{name: getattr(options, name) for name in MODEL}, context=Chain(everywhere), level=level)


DEFAULTS = Options.of("experiment")


def reads_ancestors_only(form: Form) -> bool:
    """Tell whether a form needs no other candidates than an element and those above it."""
    return isinstance(form.form if isinstance(form, OwnModel) else form, PathForm)


def _grouped(of: Mapping[int, Options]) -> list[tuple[Options, list[int]]]:
    groups: dict[Options, list[int]] = {}
    for place, options in of.items():
        groups.setdefault(options, []).append(place)
    return list(groups.items())
