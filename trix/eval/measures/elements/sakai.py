"""Sakai's Q and R on extended gains: precision and cumulated gain in one ratio [INEX 5.4]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trix.eval.measures.core.parameters import Param, choice
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import View
from trix.eval.measures.elements.recall_base import recall_base, results
from trix.eval.measures.elements.xcg import PARAMS, cumulate, gain_vectors

Vector = NDArray[np.float64]


def blended_ratio(xG: Vector, xI: Vector, n: int) -> Vector:
    """Return cbg[i] / (xCI[i] + i), cbg the sum of gains with 1 more for each that is above 0.

    >>> blended_ratio(np.array([0.5, 0.0, 1.0]), np.array([1.0, 0.5]), 3).round(4).tolist()
    [0.75, 0.4286, 0.7778]
    """
    padded = np.zeros(n)
    padded[: min(n, len(xG))] = xG[:n]
    ratio: Vector = np.cumsum(padded + (padded > 0)) / (cumulate(xI, n) + np.arange(1, n + 1))
    return ratio


@measure(
    "Q",
    "Sakai's Q: mean blended ratio at the ranks that bring gain",
    groups=("xcg",),
    params=PARAMS,
    source="Kazai & Lalmas 2005; INEX 2005",
)
def q_measure(view: View, *, cutoff: None, **params: object) -> float | None:
    """Return Q = (1/R) Σ_{i: xG[i] > 0} cbg[i] / (xCI[i] + i), R the number of ideal entries.

    Near misses can make more gains than there are ideal entries, and Q exceed 1; ``cap=ancestors`` holds it at 1.
    """
    found = gain_vectors(view, **params)  # type: ignore[arg-type]
    if found is None:
        return None
    xG, xI = found
    value = float(blended_ratio(xG, xI, len(xG))[xG > 0].sum()) / len(xI) if len(xG) else 0.0
    return min(value, 1.0) if params["cap"] == "ancestors" else value


_BY = Param("by", "rank", choice("rank", "size"), "rank (R results) or size (as much text as the ideal entries have)")


def _cut(view: View, xI: Vector, by: str, params: dict[str, object]) -> int:
    """Return the rank to look at: R, or the first at which as much text was returned as the ideal entries hold."""
    if by == "rank":
        return len(xI)
    from trix.eval.measures.elements.ideal import ideal_base

    base = recall_base(view, params["quant"])  # type: ignore[arg-type]
    best = ideal_base(base, str(params["ideal"]), view.topic, params["ties"])  # type: ignore[arg-type]
    enough = sum(view.size(*node) for node in best)
    read = np.cumsum([view.size(*node) for node in results(view)])
    return int(np.searchsorted(read, enough - 1e-9)) + 1


@measure(
    "Rmeasure",
    "Sakai's R: blended ratio at rank R, the number of ideal entries",
    groups=("xcg",),
    params=(*PARAMS, _BY),
    source="Kazai & Lalmas 2005; INEX 2005",
)
def r_measure(view: View, *, cutoff: None, by: str, **params: object) -> float | None:
    """Return cbg[R] / (xCI[R] + R)."""
    found = gain_vectors(view, **params)  # type: ignore[arg-type]
    if found is None:
        return None
    R = _cut(view, found[1], by, params)
    return float(blended_ratio(*found, R)[R - 1])


@measure(
    "RWP",
    "R-weighted precision: share of the ideal's gain at rank R",
    params=(*PARAMS, _BY),
    source="Kazai & Lalmas 2005; INEX 2005",
)
def r_weighted_precision(view: View, *, cutoff: None, by: str, **params: object) -> float | None:
    """Return xCG[R] / xCI[R]."""
    found = gain_vectors(view, **params)  # type: ignore[arg-type]
    if found is None:
        return None
    R = _cut(view, found[1], by, params)
    return float(cumulate(found[0], R)[-1] / cumulate(found[1], R)[-1])
