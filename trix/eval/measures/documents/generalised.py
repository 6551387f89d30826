"""Generalised precision and recall of rankings of graded units [Kekäläinen 2002]."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.errors import UsageError
from trix.eval.measures.core.parameters import Param, number_text, positive
from trix.eval.measures.core.ranks import cumulated, rank_measure, ranks
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.documents.cumulated_gain import GAIN, GainMap, gain_vectors
from trix.eval.measures.documents.flat import QUANT
from trix.support.arrays import Floats

_MAX = Param("max", 1.0, positive, "the highest gain there is, which counts 1 (3 for grades 0 to 3)", positional=True)
_COMMON: dict[str, Any] = {
    "groups": ("flat",),
    "params": (_MAX, GAIN, QUANT),
    "source": "Kekäläinen & Järvelin 2002, JASIST",
}


def generalised(view: TopicView, n: int, max: float, gain: GainMap, quant: str | None) -> tuple[Floats, Floats] | None:
    """Return gP and gR at ranks 1 to n; None if no unit has a gain.

    With gains r(d) in [0, 1], gP = Σ_{d retrieved} r(d) / i and gR = Σ_{d retrieved} r(d) / Σ_{d judged} r(d). Ranks
    after the end of the ranking gain nothing.

    Raises
    ------
    UsageError
        A gain is above `max`.
    """
    run, ideal = gain_vectors(view, gain, quant)
    if not len(ideal):
        return None
    if ideal[0] > max:
        top = number_text(float(ideal[0]))
        raise UsageError(
            f"topic {view.topic}: a gain of {top} is above max={number_text(max)}; give the highest grade, "
            f"as genP(max={top})@10, or map grades to shares, as gain=1:0.1,2:0.5,3:1"
        )
    found = cumulated(run, n)
    return found / max / np.arange(1, n + 1), found / ideal.sum()


@rank_measure("genP", "generalised precision: mean gain of the first k, gains in [0, 1]; a vector without k", **_COMMON)
def generalised_precision_at(view: TopicView, n: int, *, max: float, gain: GainMap, quant: str | None) -> Floats | None:
    """Return gP[i] = Σ_{j<=i} r(d_j) / i."""
    found = generalised(view, n, max, gain, quant)
    return None if found is None else found[0]


@rank_measure("genR", "generalised recall: share of all gain that the first k have; a vector without k", **_COMMON)
def generalised_recall_at(view: TopicView, n: int, *, max: float, gain: GainMap, quant: str | None) -> Floats | None:
    """Return gR[i] = Σ_{j<=i} r(d_j) / Σ_d r(d)."""
    found = generalised(view, n, max, gain, quant)
    return None if found is None else found[1]


@measure("igenP", "genP interpolated at generalised recall 0, .1, .. 1 (11 points)", cutoff="recall", **_COMMON)
def interpolated_generalised_precision(
    view: TopicView, *, cutoff: float | None, max: float, gain: GainMap, quant: str | None
) -> Floats | float | None:
    """Return the maximum of gP[i] over ranks with gR[i] >= x, 0 if there are none."""
    found = generalised(view, ranks(view, None), max, gain, quant)
    if found is None:
        return None
    precision, recall = found
    # Sums of fractions may miss a level of recall by their last digits.
    values = [
        float(precision[recall >= x - 1e-9].max(initial=0.0))
        for x in ([i / 10 for i in range(11)] if cutoff is None else [cutoff])
    ]
    return np.array(values) if cutoff is None else values[0]
