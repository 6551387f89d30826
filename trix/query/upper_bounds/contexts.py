"""What elements can score in their context, from what they can score by themselves.

A mean of scores lies between the least and the greatest of them. So a form that follows the path to the root has a
bound, and what is known of the root makes it tighter. Forms that add what words give are bounded by the compiled loop,
see `trix.query.topk.additions`. The context of the others lies in other documents, or in all that is around.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.query.context.ancestors import PathForm
from trix.query.context.form import Form
from trix.query.context.own_model import OwnModel
from trix.query.context.path_weights import PathWeights
from trix.query.upper_bounds.documents import Spans

OwnSpans = Callable[[OwnModel], Spans | None]
"""The spans of basic scores by the model of a form."""


def in_context(forms: tuple[Form, ...], spans: Spans, deepest: int, own: OwnSpans) -> Spans | None:
    """Return the spans of scores after some forms, one after another; None where there is no bound.

    Parameters
    ----------
    forms
        The forms.
    spans
        Those of the basic scores.
    deepest
        A depth that no element exceeds.
    own
        What tells the spans by a form's own model.
    """
    after: Spans | None = spans
    for form in forms:
        if after is None:
            break
        if isinstance(form, OwnModel):
            around = own(form) if isinstance(form.form, PathForm) else None
            after = None if around is None else _along_path(form.form, after, around, deepest)
        else:
            after = _along_path(form, after, after, deepest)
    return after


def _along_path(form: Form, spans: Spans, around: Spans, deepest: int) -> Spans | None:
    """Return the spans after a form of the path to the root; `around` are those that count for ancestors."""
    if not isinstance(form, PathForm):
        return None
    weights, factor = form.weights(), form.factor
    by_depth = shares_of_root(weights, deepest)
    if factor < 0 or by_depth is None:
        return None
    least, most, stays = (of[deepest] for of in by_depth)
    others = around.rest
    if weights.own and around is not spans:
        others = np.maximum(spans.rest, around.rest)
    rest, low = others, np.minimum(spans.low, around.low)
    if most:
        apart = around.root - others
        rest = others + np.maximum(least * apart, most * apart)
    if not weights.own:
        rest, low = spans.rest + factor * np.maximum(rest, 0.0), spans.low + factor * around.low
    elif stays:
        rest = np.maximum(rest, spans.rest)
    return Spans(spans.root, rest, low)


class Shares(NamedTuple):
    """Which shares of the mean the root can have, and whether there are elements that have none, so that they stay.

    Of elements from depth 1 to each depth: arrays with a place for each depth from 0 on.
    """

    least: NDArray[np.float64]
    most: NDArray[np.float64]
    stays: NDArray[np.bool_]


@lru_cache(maxsize=64)
def shares_of_root(weights: PathWeights, deepest: int) -> Shares | None:
    """Return the shares of the root by the depth of the deepest element; None where a weight is below 0.

    >>> [of.tolist() for of in shares_of_root(PathWeights((2.0,), 1.0, ()), 2)]
    [[0.0, 0.6666666666666666, 0.5], [0.0, 0.6666666666666666, 0.6666666666666666], [False, False, False]]
    """
    rows = [weights.row(depth) for depth in range(1, deepest + 1)]
    if any(weight < 0 for row in rows for weight in row):
        return None
    shares = np.array([row[0] / sum(row) if sum(row) else np.nan for row in rows])
    least, most, stays = np.zeros((3, deepest + 1))
    least[1:], most[1:] = np.fmin.accumulate(shares), np.fmax.accumulate(shares)
    stays[1:] = np.logical_or.accumulate(np.isnan(shares))
    return Shares(np.nan_to_num(least), np.nan_to_num(most), stays.astype(np.bool_))
