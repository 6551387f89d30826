"""What is known of a ranking: counts of what is judged, and measures that mind what is not.

By their names in ir_measures; trec_eval's are translated by `field_names`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from trix.eval.measures.core.parameters import Rel
from trix.eval.measures.core.registry import Aggregate, measure
from trix.eval.measures.core.view import View
from trix.eval.measures.documents.flat import NOT_JUDGED, QUANT, REL, Binary, binary, flat, interpolated_precision

EPSILON = 1e-5
"""What trec_eval adds to counts so that nothing is divided by 0."""


@measure(
    "infAP",
    "AP inferred from a sample of the pool; grade -1 is pooled but not judged",
    groups=("flat",),
    params=(REL, QUANT),
    source="Yilmaz & Aslam 2006",
)
def inferred_average_precision(view: View, *, cutoff: None, rel: Rel | None, quant: str | None) -> float | None:
    """Return (1/R) Σ over relevant ranks k of 1/k + (k-1)/k · |pooled above|/(k-1) · (rel + ε)/(rel + nonrel + 2ε)."""
    b = binary(view, rel, quant)
    if b is None:
        return None
    grades = flat(view, quant).grades
    pooled = np.isfinite(grades)
    nonrelevant = pooled & (grades >= 0) & ~b.hits
    k = np.flatnonzero(b.hits) + 1.0
    above = (np.cumsum(pooled) - pooled)[b.hits]
    good, bad = np.arange(len(k)), np.cumsum(nonrelevant)[b.hits]
    inferred = above / k * (good + EPSILON) / (good + bad + 2 * EPSILON)
    return float((1 / k + np.where(k > 1, inferred, 0.0)).sum()) / b.R


@measure(
    "Judged",
    "share of the first k that are judged (without k: of all retrieved)",
    groups=("flat",),
    cutoff="rank",
    params=(QUANT,),
    source="ir_measures",
)
def judged(view: View, *, cutoff: int | None, quant: str | None) -> float:
    """Return judged(k) / min(k, length of the ranking); 0 for an empty one."""
    first = flat(view, quant).grades[:cutoff]
    return float((first != NOT_JUDGED).mean()) if len(first) else 0.0


def _set(name: str, summary: str, value: Callable[[Binary], float], aggregate: Aggregate = "mean") -> None:
    @measure(name, summary, groups=("flat",), params=(REL, QUANT), aggregate=aggregate, source="trec_eval")
    def compute(view: View, *, cutoff: None, rel: Rel | None, quant: str | None) -> float | None:
        b = binary(view, rel, quant)
        return None if b is None else float(value(b))

    compute.__doc__ = f"Return the {summary}."


def _found(b: Binary) -> int:
    return int(b.hits.sum())


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


_set(
    "SetAP",
    "precision times recall of all that was retrieved",
    lambda b: _share(_found(b) ** 2, len(b.hits) * b.R),
)
_set(
    "SetRelP",
    "precision of all that was retrieved, divided by the best that so many could have",
    lambda b: _share(_found(b), min(len(b.hits), b.R)),
)


@measure(
    "relP",
    "P@k divided by the best that it could be",
    groups=("flat",),
    cutoff="rank",
    cutoff_needed=True,
    params=(REL, QUANT),
    source="trec_eval",
)
def relative_precision(view: View, *, cutoff: int, rel: Rel | None, quant: str | None) -> float | None:
    """Return relevant(k) / min(k, R)."""
    b = binary(view, rel, quant)
    return None if b is None else float(b.hits[:cutoff].sum()) / min(cutoff, b.R)


@measure(
    "iPRmean",
    "mean of iPR over the 11 points",
    groups=("flat",),
    params=(REL, QUANT),
    source="trec_eval",
)
def mean_interpolated_precision(view: View, *, cutoff: None, rel: Rel | None, quant: str | None) -> float | None:
    """Return (1/11) Σ iPR[x], x = 0, .1, .., 1."""
    points = interpolated_precision(view, cutoff=None, rel=rel, quant=quant)
    return None if points is None else float(np.mean(points))


@measure("NumQ", "number of topics", groups=("flat",), aggregate="sum", source="trec_eval")
def topics(view: View, *, cutoff: None) -> float:
    """Return 1."""
    return 1.0


@measure(
    "NumRet",
    "units retrieved (with rel=G: of this grade or above), summed over topics",
    groups=("flat",),
    params=(REL, QUANT),
    aggregate="sum",
    source="trec_eval",
)
def retrieved(view: View, *, cutoff: None, rel: Rel | None, quant: str | None) -> float | None:
    """Return the length of the ranking, or the relevant units in it."""
    if rel is None:
        return float(len(flat(view, quant).grades))
    b = binary(view, rel, quant)
    return None if b is None else float(_found(b))


_set("NumRel", "relevant units, summed over topics", lambda b: b.R, "sum")
_set("NumRelRet", "relevant units retrieved, summed over topics", _found, "sum")
_set(
    "NumNonRelRet",
    "units retrieved that were judged not to be relevant, summed over topics",
    lambda b: int(b.nonrelevant.sum()),
    "sum",
)
