"""Per-options state of the pruned top-k search, cached across queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.core.topk import CompiledSelection, PathContext
from trix.query.context.ancestors import PathForm
from trix.query.context.chain import Chain
from trix.query.context.form import Form
from trix.query.context.own_model import OwnModel
from trix.query.context.path_weights import shares_of_root, weight_arrays
from trix.query.language.element_weights import ElementWeights
from trix.query.language.terms import Keys
from trix.query.ranking.returnable import SizeWindow
from trix.query.scoring.element_weights import WeightedContent
from trix.query.term_cache.lists import CountedPlaces, KeyCounts
from trix.query.topk.additions import AdditiveForm, adds
from trix.query.topk.weighing import Weighing

ELEMENTS, BY_ROOT, BY_BEST = 0, 1, 2
"""Ranked units: elements; documents by the score of their root without context, or by their best result."""

NO_PATH = (np.zeros(0), np.zeros(0), np.zeros(0), 0.0, False, False, True, 0.0)
_NO_MARKS = np.zeros(0, np.int32)
NO_SHARES = (np.zeros(1), np.zeros(1), np.zeros(1, np.bool_), True, 0.0)


class ContextPath(NamedTuple):
    """A context with known bounds: a form along the path to the root, then additive forms.

    Attributes
    ----------
    numbers
        Parameters of `trix.core.topk.path_scores`.
    bound
        Shares of the root, see `shares_of_root`; whether the element is in the mean; the factor of the mean.
    roots_only
        Whether the root is the only ancestor that counts.
    own_model
        The form, if its context has a scoring model of its own.
    additions
        The additive forms.
    """

    numbers: tuple[Any, ...] = NO_PATH
    bound: tuple[Any, ...] = NO_SHARES
    roots_only: bool = False
    own_model: OwnModel | None = None
    additions: tuple[Form, ...] = ()

    @classmethod
    def of(cls, context: Chain, deepest: int) -> ContextPath | None:
        """Return the path of a context for a maximum depth; None for other forms or another order."""
        # Bounds are known for one order alone: at most one form along the path, then forms that add 0 or more.
        first = 0 if not context.forms or adds(context.forms[0]) else 1
        additions = context.forms[first:]
        if not all(map(adds, additions)):
            return None
        if not first:
            return cls(additions=additions)
        # A model of its own scores the context; the path itself is the same.
        given = context.forms[0]
        form = given.form if isinstance(given, OwnModel) else given
        # `all` needs candidates without any term. With a negative factor more context lowers a score, so upper bounds
        # of the context would be on the wrong side.
        if form.all or not isinstance(form, PathForm) or form.factor < 0:
            return None
        weights = form.weights()
        # None: with a negative weight, a mean may lie outside of its scores.
        shares = shares_of_root(weights, deepest)
        if shares is None:
            return None
        numbers = (*weight_arrays(weights, deepest), weights.middle, weights.shared, weights.tail_wins, weights.own)
        return cls(
            (*numbers, form.factor),
            (*shares, weights.own, form.factor),
            weights.roots_only,
            given if isinstance(given, OwnModel) else None,
            additions,
        )


def places_of(weights: ElementWeights, content: WeightedContent) -> CountedPlaces:
    """Return weighted places, as written and as resolved in the index."""
    return CountedPlaces(weights, content.weighted, content.values, content.heaviest)


@dataclass(frozen=True)
class Showing:
    """Which scored elements are returned.

    Attributes
    ----------
    overlap
        Whether results may overlap.
    size
        Bounds of sizes; None for none.
    hushed
        Whether non-returnable parts are left out.
    per_document, spread
        Results per document among the first `spread`; 0 for all.
    limit
        Results per document in all; 0 for no limit.
    documents
        Ranked units: `ELEMENTS`, or documents `BY_ROOT` or `BY_BEST`.
    """

    overlap: bool
    size: SizeWindow | None = None
    hushed: bool = False
    per_document: int = 0
    spread: int = 0
    limit: int = 0
    documents: int = ELEMENTS


@dataclass(frozen=True)
class Prepared:
    """Settings of a search in the form of the compiled loops.

    Attributes
    ----------
    weighing
        The model.
    path
        The context.
    around
        The model of the context, if it differs.
    showing
        Selection of results.
    marks
        Ascending elements that begin (``quiet``) or end (``loud``) a non-returnable part.
    top
        Number of results, 1 or more.
    counts
        Whether matching elements are counted by document.
    phrases
        Kind of phrases, as in the options of a search.
    r
        Source of r by word, see `trix.query.term_weights`; under the model and that of the context.
    additions
        The additive forms.
    places
        Source of weighted places, which are too large to be cached here; None for none.
    """

    weighing: Weighing
    path: ContextPath
    around: Weighing | None
    showing: Showing
    marks: Callable[[str], NDArray[np.int32]]
    top: int = 10
    counts: bool = False
    phrases: str = "content"
    r: Callable[[Keys], tuple[float, float]] = lambda _: (0.0, 0.0)
    additions: tuple[AdditiveForm, ...] = ()
    places: Callable[[], CountedPlaces] | None = None

    @cached_property
    def weighings(self) -> tuple[Weighing, Weighing]:
        """The model, and the model of the context."""
        return self.weighing, self.around or self.weighing

    @cached_property
    def reads_keys(self) -> bool:
        """Whether weights depend on the number of keys of an element."""
        more = (each.weighing for each in self.additions if each.weighing is not None)
        return any(each.reads_keys for each in (*self.weighings, *more))

    def greatest(self, total: float, key_counts: KeyCounts) -> float:
        """Upper bound of any score; the parameters are those of `Weighing.greatest`."""
        model, around = self.weighings
        # An element's score and that of its context may come from either model: the greater bound holds for both.
        most = model.greatest(total, key_counts)
        if around is not model:
            most = max(most, around.greatest(total, key_counts))
        # Context adds at most its factor times another score.
        return most * self._most_around

    @cached_property
    def _most_around(self) -> float:
        return 1.0 + float(self.path.bound[-1])

    def models(self, total: float, key_counts: KeyCounts, longest: int) -> tuple[Any, Any]:
        """Return the compiled model and that of the context, see `Weighing.numbers`."""
        model, around = self.weighings
        # The kernel compares by identity to see whether the context has a model of its own.
        numbers = model.numbers(total, key_counts, longest)
        return numbers, numbers if around is model else around.numbers(total, key_counts, longest)

    @cached_property
    def reads_sizes(self) -> bool:
        """Whether sizes in characters are needed."""
        return self.showing.size is not None

    @cached_property
    def selection(self) -> CompiledSelection:
        """The compiled selection of results."""
        showing = self.showing
        quiet, loud = (self.marks(mark) if showing.hushed else _NO_MARKS for mark in ("quiet", "loud"))
        # An open bound is 0 or infinity, so that the kernel compares without asking.
        low, high = (None, None) if showing.size is None else showing.size
        window = float(low or 0), np.inf if high is None else float(high)
        returnable = showing.hushed, quiet, loud, *window
        return CompiledSelection(showing.overlap, showing.per_document, showing.limit, showing.documents, returnable)

    @cached_property
    def context(self) -> PathContext:
        """The compiled context."""
        return PathContext(self.path.numbers, self.around is not None, self.path.roots_only, self.path.bound)
