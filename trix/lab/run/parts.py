"""The parts of a topic's scores: basic scores by each model, contexts by models of their own, each worked out once.

What is made of them, a form after a form, is what a search makes, bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.query.candidate_scores import CandidateScores
from trix.query.context.ancestors import PathForm
from trix.query.context.chain import Chain
from trix.query.context.form import Floats, Form
from trix.query.context.own_model import OwnModel
from trix.query.matching.candidates import Candidates
from trix.query.options import Options
from trix.query.search import Searcher

MOST = 32
"""Columns that are remembered of a topic."""

MODEL = (
    "model", "b", "v", "combine", "phrases", "open_phrases", "match", "weights", "statistics", "idf_power",
    "a", "k1", "B", "lambda_", "mu",
)  # fmt: skip
"""The settings that basic scores depend on, beside the level whose statistics count."""

DEFAULTS = Options.of("experiment")


@lru_cache(maxsize=4096)
def basic_options(options: Options) -> Options:
    """Return options with all at its default that basic scores do not depend on.

    Only that a form scores elements which do not match remains of the context, and of the level its statistics.
    """
    level = options.level if options.statistics == "level" else None
    everywhere = tuple(form for form in options.context.forms if form.all)[:1]
    return replace(DEFAULTS, **{name: getattr(options, name) for name in MODEL}, context=Chain(everywhere), level=level)


def reads_ancestors_only(form: Form) -> bool:
    """Tell whether a form needs no other candidates than an element and those above it."""
    return isinstance(form.form if isinstance(form, OwnModel) else form, PathForm)


@lru_cache(maxsize=4096)
def _own_options(options: Options, settings: tuple[tuple[str, Any], ...]) -> Options:
    """Return what scores by a model of its own depend on."""
    return basic_options(replace(options, **dict(settings)))


@dataclass(frozen=True)
class Matched:
    """A topic's candidates and counts.

    Parameters
    ----------
    basic
        With counts, and scores that do not matter.
    members
        Places of the candidates that are ranked, where the others are there for their sake only; None where all are.
    """

    basic: CandidateScores
    members: NDArray[np.intp] | None = None
    ranked: Candidates | None = field(default=None, compare=False)


class Parts:
    """Scores of one topic by any options that match alike.

    Parameters
    ----------
    searcher
        Of the index.
    matched
        The topic.
    """

    def __init__(self, searcher: Searcher, matched: Matched) -> None:
        self._searcher, self.matched = searcher, matched
        self._columns: dict[Hashable, Floats] = {}

    def scored(self, options: Options) -> CandidateScores | None:
        """Return candidates with scores, of which `Searcher.rank` gives the results; None where nothing matches.

        A candidate that cannot be a result may be missing.
        """
        basic, members, ranked = self.matched.basic, self.matched.members, self.matched.ranked
        weighing = basic_options(options)
        if basic.crowded:  # the numbers of so many terms are not kept
            found = self._searcher.scorer.basic(basic.query, weighing)
            return None if found is None else self._searcher.contextualise(found, options)
        s = self._column(weighing, lambda: self._searcher.scorer.again(basic, weighing).s)
        if members is None or ranked is None:
            return self._searcher.contextualise(replace(basic, options=weighing, s=s, scores=s), options)
        context = self._searcher.bound(options.context)
        if context.own_models:
            context = context.with_scores(lambda form: self._by_own_model(form, options))
        scores = context.apply(basic.candidates, s)[members]
        return CandidateScores(
            basic.query, replace(options, level=None), ranked, {}, basic.extent, basic.weights, s[members], scores,
            None, None,
        )  # fmt: skip

    def _by_own_model(self, form: OwnModel, options: Options) -> Floats:
        roots = isinstance(form.form, PathForm) and form.form.weights().roots_only
        key = (_own_options(options, form.settings), roots)
        return self._column(key, lambda: self._searcher.scorer.by_own_model(self.matched.basic, form, options))

    def _column(self, key: Hashable, make: Callable[[], Floats]) -> Floats:
        if key not in self._columns:
            while len(self._columns) >= MOST:
                del self._columns[next(iter(self._columns))]
            self._columns[key] = make()
        return self._columns[key]
