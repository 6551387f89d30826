"""Per-options state of the pruned top-k search, made once for many queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.core.topk import PathContext, Selection
from trix.query.context.ancestors import PathForm
from trix.query.context.chain import Chain
from trix.query.context.form import Form
from trix.query.context.own_model import OwnModel
from trix.query.context.path_weights import shares_of_root, weight_arrays
from trix.query.language.element_weights import ElementWeights
from trix.query.language.terms import Keys
from trix.query.ranking.returnable import Window
from trix.query.scoring.element_weights import WeightedContent
from trix.query.term_cache.lists import KeyCounts, Places
from trix.query.topk.additions import Addition, adds
from trix.query.topk.weighing import Weighing

ELEMENTS, BY_ROOT, BY_BEST = 0, 1, 2
"""What is ranked: elements; documents by the score of their root without context, or by their best result."""

NO_PATH = (np.zeros(0), np.zeros(0), np.zeros(0), 0.0, False, False, True, 0.0)
_NO_MARKS = np.zeros(0, np.int32)
NO_SHARES = (np.zeros(1), np.zeros(1), np.zeros(1, np.bool_), True, 0.0)


class Path(NamedTuple):
    """A context of which bounds are known: a form along the path to the root, and forms that add what words give.

    Attributes
    ----------
    numbers
        What `trix.core.topk.path_scores` wants to know of it.
    bound
        The shares of the root, see `shares_of_root`; whether the element is in the mean; the factor of the mean.
    roots_only
        Whether of all ancestors only roots count.
    own_model
        The form, where its context is scored by a model of its own.
    additions
        The forms that follow it.
    """

    numbers: tuple[Any, ...] = NO_PATH
    bound: tuple[Any, ...] = NO_SHARES
    roots_only: bool = False
    own_model: OwnModel | None = None
    additions: tuple[Form, ...] = ()

    @classmethod
    def of(cls, context: Chain, deepest: int) -> Path | None:
        """Return the path of a context in an index of some depth; None of one with other forms or another order."""
        first = 0 if not context.forms or adds(context.forms[0]) else 1
        additions = context.forms[first:]
        if not all(map(adds, additions)):
            return None
        if not first:
            return cls(additions=additions)
        given = context.forms[0]
        form = given.form if isinstance(given, OwnModel) else given
        if form.all or not isinstance(form, PathForm) or form.factor < 0:
            return None
        weights = form.weights()
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


def places_of(weights: ElementWeights, content: WeightedContent) -> Places:
    """Return places where occurrences count by weights, as they are written and as the index has them."""
    return Places(weights, content.weighted, content.values, content.heaviest)


@dataclass(frozen=True)
class Showing:
    """Which of the scored elements are returned.

    Attributes
    ----------
    overlap
        Whether results may overlap.
    size
        Of which size they are, None for any.
    hushed
        Whether what stands in quiet parts is left out.
    per_document, spread
        Of one document, how many results are among how many first ones; 0 for all.
    limit
        How many results a document has at all; 0 for any number.
    documents
        Whether documents are ranked, by what is returned of them: `BY_ROOT`, `BY_BEST`; `ELEMENTS` where elements are.
    """

    overlap: bool
    size: Window | None = None
    hushed: bool = False
    per_document: int = 0
    spread: int = 0
    limit: int = 0
    documents: int = ELEMENTS


@dataclass(frozen=True)
class Prepared:
    """How a search scores and ranks.

    Attributes
    ----------
    weighing
        The model.
    path
        The context.
    around
        The model of the context, where that is another.
    showing
        What is returned.
    marks
        Gives the elements that begin (``quiet``) or end (``loud``) a quiet part, ascending.
    top
        How many results are wanted, 1 or more.
    counts
        Whether the matching elements of each document are to be counted.
    phrases
        What phrases are, as in the options of a search.
    r
        Gives r of a word, see `trix.query.term_weights`; under the model and that of the context.
    additions
        The forms of the path that add what words give.
    places
        Gives the places where occurrences count by weights, which are too large to be kept here; None for nowhere.
    """

    weighing: Weighing
    path: Path
    around: Weighing | None
    showing: Showing
    marks: Callable[[str], NDArray[np.int32]]
    top: int = 10
    counts: bool = False
    phrases: str = "content"
    r: Callable[[Keys], tuple[float, float]] = lambda _: (0.0, 0.0)
    additions: tuple[Addition, ...] = ()
    places: Callable[[], Places] | None = None

    @cached_property
    def weighings(self) -> tuple[Weighing, Weighing]:
        """The model, and that of the context."""
        return self.weighing, self.around or self.weighing

    @cached_property
    def reads_keys(self) -> bool:
        """Whether a weight depends on how many keys an element has."""
        more = (each.weighing for each in self.additions if each.weighing is not None)
        return any(each.reads_keys for each in (*self.weighings, *more))

    def greatest(self, total: float, held: KeyCounts) -> float:
        """Return more than any element scores; the parameters are those of `Weighing.greatest`."""
        model, around = self.weighings
        most = model.greatest(total, held)
        if around is not model:
            most = max(most, around.greatest(total, held))
        return most * self._most_around

    @cached_property
    def _most_around(self) -> float:
        return 1.0 + float(self.path.bound[-1])

    def models(self, total: float, held: KeyCounts, longest: int) -> tuple[Any, Any]:
        """Return what the loops want to know of the model, and of that of the context, see `Weighing.numbers`."""
        model, around = self.weighings
        numbers = model.numbers(total, held, longest)
        return numbers, numbers if around is model else around.numbers(total, held, longest)

    @cached_property
    def reads_sizes(self) -> bool:
        """Whether it matters how many characters an element has."""
        return self.showing.size is not None

    @cached_property
    def selection(self) -> Selection:
        """What the kernels want to know of what is returned."""
        showing = self.showing
        quiet, loud = (self.marks(mark) if showing.hushed else _NO_MARKS for mark in ("quiet", "loud"))
        low, high = (None, None) if showing.size is None else showing.size
        window = float(low or 0), np.inf if high is None else float(high)
        returnable = showing.hushed, quiet, loud, *window
        return Selection(showing.overlap, showing.per_document, showing.limit, showing.documents, returnable)

    @cached_property
    def context(self) -> PathContext:
        """What the kernels want to know of the context."""
        return PathContext(self.path.numbers, self.around is not None, self.path.roots_only, self.path.bound)
