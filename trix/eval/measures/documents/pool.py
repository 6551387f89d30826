"""Counts over a ranking, and measures that account for unjudged units.

They have their names in ir_measures; `aliases` translates those of trec_eval.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trix.eval.measures.core.parameters import Rel
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.documents.flat import (
    NOT_JUDGED,
    QUANT,
    REL,
    BinaryRanking,
    binary,
    flat,
    hit_measure,
    interpolated_precision,
)

EPSILON = 1e-5
"""Constant that trec_eval adds to counts to avoid division by 0."""


@hit_measure(
    "infAP", "AP inferred from a sample of the pool; grade -1 is pooled but not judged", source="Yilmaz & Aslam 2006"
)
def inferred_average_precision(b: BinaryRanking) -> float:
    """Return (1/R) Σ over relevant ranks k of 1/k + (k-1)/k · |pooled above|/(k-1) · (rel + ε)/(rel + nonrel + 2ε)."""
    k = np.flatnonzero(b.hits) + 1.0
    # Above rank k, the precision is estimated from the judged part of the pooled units.
    above: NDArray[np.int64] = (np.cumsum(b.pooled) - b.pooled)[b.hits]
    good, bad = np.arange(len(k)), np.cumsum(b.pooled & b.nonrelevant)[b.hits]
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
def judged(view: TopicView, *, cutoff: int | None, quant: str | None) -> float:
    """Return judged(k) / min(k, length of the ranking); 0 for an empty ranking."""
    first = flat(view, quant).grades[:cutoff]
    return float((first != NOT_JUDGED).mean()) if len(first) else 0.0


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


@hit_measure("SetAP", "precision times recall of all that was retrieved")
def set_average_precision(b: BinaryRanking) -> float:
    """Return relevant retrieved² / (retrieved R)."""
    return _share(b.found**2, len(b.hits) * b.R)


@hit_measure("SetRelP", "precision of all that was retrieved, divided by the best possible for its length")
def set_relative_precision(b: BinaryRanking) -> float:
    """Return relevant retrieved / min(retrieved, R)."""
    return _share(b.found, min(len(b.hits), b.R))


@hit_measure("relP", "P@k divided by the best possible P@k", cutoff="rank", cutoff_needed=True)
def relative_precision(b: BinaryRanking, k: int) -> float:
    """Return relevant(k) / min(k, R)."""
    return float(b.hits[:k].sum()) / min(k, b.R)


@hit_measure("iPRmean", "mean of iPR over the 11 points")
def mean_interpolated_precision(b: BinaryRanking) -> float:
    """Return (1/11) Σ iPR[x], x = 0, .1, .., 1."""
    return float(np.mean(interpolated_precision(b, None)))


@measure("NumQ", "number of topics", groups=("flat",), aggregate="sum", source="trec_eval")
def topics(view: TopicView, *, cutoff: None) -> float:
    """Return 1 for each topic."""
    return 1.0


@measure(
    "NumRet",
    "units retrieved (with rel=G: of this grade or above), summed over topics",
    groups=("flat",),
    params=(REL, QUANT),
    aggregate="sum",
    source="trec_eval",
)
def retrieved(view: TopicView, *, cutoff: None, rel: Rel | None, quant: str | None) -> float | None:
    """Return the length of the ranking, or with ``rel`` the number of relevant units in it."""
    if rel is None:
        return float(len(flat(view, quant).grades))
    b = binary(view, rel, quant)
    return None if b is None else float(b.found)


@hit_measure("NumRel", "relevant units, summed over topics", aggregate="sum")
def relevant(b: BinaryRanking) -> float:
    """Return R."""
    return float(b.R)


@hit_measure("NumRelRet", "relevant units retrieved, summed over topics", aggregate="sum")
def relevant_retrieved(b: BinaryRanking) -> float:
    """Return the number of relevant units in the ranking."""
    return float(b.found)


@hit_measure("NumNonRelRet", "units retrieved that are judged non-relevant, summed over topics", aggregate="sum")
def nonrelevant_retrieved(b: BinaryRanking) -> float:
    """Return the number of units in the ranking that are judged non-relevant."""
    return float(b.nonrelevant.sum())
