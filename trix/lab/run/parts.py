"""Parts of a topic's scores, each computed once: basic scores by model, and contexts with their own models.

Forms combine the parts in the order of a search, with bit-identical results.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from trix.query.candidate_scores import CandidateScores
from trix.query.context.ancestors import PathForm
from trix.query.context.chain import Chain
from trix.query.context.form import Form, FormExplanation, OfWords
from trix.query.context.own_model import OwnModel
from trix.query.matching.candidates import Candidates
from trix.query.options import Options
from trix.query.search import Searcher
from trix.support.arrays import Floats, Mask

MOST = 64
"""Number of columns that are cached per topic."""

MODEL = (
    "model", "b", "v", "combine", "phrases", "open_phrases", "match", "weights", "statistics", "idf_power",
    "a", "k1", "B", "lambda_", "mu",
)  # fmt: skip
"""Settings that affect basic scores, besides the level of the statistics."""

DEFAULTS = Options.of("experiment")


@lru_cache(maxsize=4096)
def basic_options(options: Options) -> Options:
    """Reset all options that do not affect basic scores to their defaults.

    Of the context only forms that score non-matching elements remain, and of the level only its statistics.
    """
    everywhere = tuple(form for form in options.context.forms if form.all)[:1]
    return replace(
        DEFAULTS,
        **{name: getattr(options, name) for name in MODEL},
        context=Chain(everywhere),
        level=options.counted_level,
    )


def reads_ancestors_only(form: Form) -> bool:
    """Return whether a form reads only an element and its ancestors."""
    return isinstance(form.form if isinstance(form, OwnModel) else form, PathForm)


def unweighted(form: Any) -> Any:
    """Return a form with f = 1 if it adds f times a term independent of earlier scores; None for others.

    >>> from trix.query.context.parse import parse_form
    >>> str(unweighted(parse_form("siblings(bm25,k1=0.3):f=2"))), unweighted(parse_form("siblings:f=2"))
    ('siblings(bm25,k1=0.3)', None)
    """
    if isinstance(form, OwnModel) and not isinstance(form.form, PathForm) and hasattr(form.form, "f"):
        return replace(form, form=replace(cast(Any, form.form), f=1.0))
    return replace(cast(Any, form), f=1.0) if isinstance(form, OfWords) and hasattr(form, "f") else None


@dataclass(frozen=True)
class ColumnForm:
    """A form computed as a column of values: RS(x) = s(x) + f · column."""

    f: float
    column: Floats = field(compare=False)

    @property
    def all(self) -> bool:
        """Whether the form also scores non-matching elements: never."""
        return False

    def apply(self, candidates: Candidates, s: Floats, around: Floats | None = None) -> Floats:
        """Return the new scores, ``(n,)``."""
        return s + self.f * self.column

    def terms(self, candidates: Candidates, s: Floats, place: int, around: Floats | None = None) -> FormExplanation:
        """Return the explanation of the new score of one candidate."""
        return FormExplanation((), float(self.column[place]), 1.0, self.f, float(s[place]))

    def members(self, candidates: Candidates) -> Mask:
        """Return a mask of the candidates that the form applies to: all, ``(n,)``."""
        return np.ones(len(candidates), dtype=np.bool_)


@lru_cache(maxsize=4096)
def _own_options(options: Options, settings: tuple[tuple[str, Any], ...]) -> Options:
    """Return the options that affect scores by a form's own model."""
    return basic_options(replace(options, **dict(settings)))


def _counting(options: Options) -> Options:
    """Return the options that affect forms without scores: the scope of the statistics."""
    return replace(DEFAULTS, statistics=options.statistics, level=options.counted_level)


@dataclass(frozen=True)
class MatchedTopic:
    """Matched topic: candidates with term counts.

    Parameters
    ----------
    basic
        Candidates with counts; their scores are not used.
    members
        Positions of the ranked candidates, if the others are only their ancestors; None if all are ranked.
    """

    basic: CandidateScores
    members: NDArray[np.intp] | None = None
    ranked: Candidates | None = field(default=None, compare=False)


class ScoreParts:
    """Scores of one topic under all options with equal matching.

    Parameters
    ----------
    searcher
        Searcher of the index.
    matched
        Matched topic.
    whole
        Returns the topic with all candidates, for contexts that read more than ancestors.
    kept
        Cache of expensive columns, called with a name and a function that computes the column.
    """

    def __init__(
        self,
        searcher: Searcher,
        matched: MatchedTopic,
        whole: Callable[[], CandidateScores],
        kept: Callable[[str, Callable[[], Floats]], Floats] = lambda _, make: make(),
    ) -> None:
        self._searcher, self.matched, self._whole, self._kept = searcher, matched, whole, kept
        self._columns: dict[Hashable, Floats] = {}

    def scored(self, options: Options) -> CandidateScores | None:
        """Return candidates with scores under the given options; None without matches.

        `Searcher.rank` returns the results among them. Candidates that cannot be results may be missing.
        """
        basic, members, ranked = self.matched.basic, self.matched.members, self.matched.ranked
        weighing = basic_options(options)
        if basic.crowded:  # term-at-a-time queries keep no counts per term
            found = self._searcher.scorer.basic(basic.query, weighing)
            return None if found is None else self._searcher.contextualise(found, options)
        s = self._column(weighing, lambda: self._searcher.scorer.again(basic, weighing).s)
        if members is None or ranked is None:
            return self._searcher.contextualise(replace(basic, options=weighing, s=s, scores=s), options)
        context = self._searcher.bound(options.context)
        context = Chain(tuple(self._precomputed(form, options) for form in context.forms), bound=True)
        if context.own_models:
            context = context.with_scores(lambda form, _: self._by_own_model(form, options))
        scores = context.apply(basic.candidates, s)[members]
        return CandidateScores(
            basic.query, replace(options, level=None), ranked, {}, basic.extent, basic.weights, s[members], scores,
            None, None,
        )  # fmt: skip

    def _precomputed(self, form: Form, options: Options) -> Form:
        """Return a form as a column, if its values do not depend on earlier scores."""
        plain = unweighted(form)
        if plain is None:
            return form
        weighing = _own_options(options, form.settings) if isinstance(form, OwnModel) else _counting(options)
        weighed: Any = form.form if isinstance(form, OwnModel) else form

        def make() -> Floats:
            whole = self._whole()
            zero = np.zeros(len(whole.candidates))
            alone = replace(options, context=Chain((plain,)), level=options.level)
            scored = self._searcher.contextualise(replace(whole, s=zero, scores=zero), alone, everywhere=True)
            return scored.scores[np.searchsorted(whole.candidates.element, self.matched.basic.candidates.element)]

        column = self._column((plain, weighing), lambda: self._kept(f"{plain}\n{weighing}", make))
        return ColumnForm(weighed.f, column)

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
