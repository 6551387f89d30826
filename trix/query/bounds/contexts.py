"""What elements can score in their context, from what they can score by themselves.

A mean of scores lies between the least and the greatest of them. So a form that follows the path to the root has a
bound, and what is known of the root makes it tighter. Of the others either the context lies in other documents, or it
is made of the words around and of all their occurrences, so that nothing would be won.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trix.query.bounds.documents import Spans
from trix.query.context.ancestors import PathForm
from trix.query.context.form import Form
from trix.query.context.own_model import OwnModel

OwnSpans = Callable[[OwnModel], Spans | None]
"""The spans of basic scores by the model of a form."""

STEPS = 8
"""Steps of arithmetic for each ancestor."""


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
    rows = [weights.row(depth) for depth in range(1, deepest + 1)]
    if factor < 0 or any(weight < 0 for row in rows for weight in row):
        return None
    shares = [row[0] / sum(row) if sum(row) else None for row in rows]
    some = [share for share in shares if share is not None]
    low = np.minimum(spans.low, around.low)
    rest = spans.rest  # where all weights are 0 the score stays
    if some:
        others = np.maximum(spans.rest, around.rest) if weights.own else around.rest
        ends = [others + share * (around.root - others) for share in (min(some), max(some))]
        mean = np.maximum(*ends)
        if not weights.own:
            rest, low = spans.rest + factor * np.maximum(mean, 0.0), spans.low + factor * around.low
        else:
            rest = mean if len(some) == len(rows) else np.maximum(rest, mean)
    return Spans(spans.root, rest, low).widened(STEPS * (deepest + 1))
