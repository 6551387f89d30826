"""Effort-precision and gain-recall: how much further than the ideal list one reads for the same gain [INEX 5.4]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import View
from trix.eval.measures.elements.xcg import PARAMS, cumulate, gain_vectors

Vector = NDArray[np.float64]
_LEVELS = np.arange(1, 101) / 100


def rank_of_gain(g: Vector, xC: Vector) -> Vector:
    """Return the rank at which a cumulated gain curve reaches each g > 0, inf if it never does.

    Ranks lie on the polyline through (0, 0); a flat stretch counts with its first rank.

    >>> rank_of_gain(np.array([2.0, 3.0, 9.5]), np.array([2.0, 4.0, 6.0, 7.0, 8.0, 9.0])).tolist()
    [1.0, 1.5, inf]
    """
    curve = np.concatenate(([0.0], xC))
    slack = 1e-12 * max(1.0, float(curve[-1]))
    after = np.searchsorted(curve, g - slack, side="left")
    reached = after < len(curve)
    at = np.clip(after, 1, len(curve) - 1)
    rise = curve[at] - curve[at - 1]
    part = np.divide(g - curve[at - 1], rise, out=np.ones(len(g)), where=rise > 0)
    return np.where(reached, at - 1 + np.clip(part, 0.0, 1.0), np.inf)


def effort_precision(g: Vector, xCG: Vector, xCI: Vector) -> Vector:
    """Return ep(g) = i_ideal(g) / i_run(g), 0 where the run never reaches g.

    >>> xG, xI = np.array([2., 1., 0., 0., 2., 1.]), np.array([2., 2., 2., 1., 1., 1.])
    >>> effort_precision(np.array([2., 3., 5., 6.]), np.cumsum(xG), np.cumsum(xI)).tolist()
    [1.0, 0.75, 0.5, 0.5]
    """
    ideal, run = rank_of_gain(g, xCI), rank_of_gain(g, xCG)
    capped = np.where(np.isinf(ideal), len(xCI), ideal)  # gains above the ideal's total count with its end
    return np.where(np.isinf(run), 0.0, capped / np.where(np.isinf(run), 1.0, run))


def natural_points(xG: Vector, xI: Vector) -> Vector:
    """Return ep at every rank of the run that has a gain [INEX 5.4].

    >>> natural_points(np.array([2., 1., 0., 0., 2., 1.]), np.array([2., 2., 2., 1., 1., 1.])).tolist()
    [1.0, 0.75, 0.5, 0.5]
    """
    xCG, gaining = np.cumsum(xG), np.flatnonzero(xG > 0)
    ideal = rank_of_gain(xCG[gaining], np.cumsum(xI))
    return np.where(np.isinf(ideal), len(xI), ideal) / (gaining + 1)


@measure(
    "ep",
    "effort-precision at gain-recall .01, .02, .. 1, or at one level",
    groups=("xcg",),
    cutoff="recall",
    params=PARAMS,
    source="Kazai & Lalmas 2005; INEX 2005",
)
def ep(view: View, *, cutoff: float | None, **params: object) -> Vector | float | None:
    """Return ep at gr levels: the ideal rank that gives the gain, divided by the run's rank that does."""
    found = gain_vectors(view, **params)  # type: ignore[arg-type]
    if found is None:
        return None
    xCG, xCI = np.cumsum(found[0]), np.cumsum(found[1])
    levels = _LEVELS if cutoff is None else np.array([cutoff])
    values = effort_precision(levels * xCI[-1], xCG, xCI)
    return values if cutoff is None else float(values[0])


@measure(
    "gr",
    "gain-recall at each rank, or at rank i",
    groups=("xcg",),
    cutoff="rank",
    params=PARAMS,
    source="Kazai & Lalmas 2005; INEX 2005",
)
def gr(view: View, *, cutoff: int | None, **params: object) -> Vector | float | None:
    """Return gr[i] = xCG[i] / xCI[N], the share of the ideal's whole gain."""
    found = gain_vectors(view, **params)  # type: ignore[arg-type]
    if found is None:
        return None
    n = cutoff or view.depth or len(view.ranking)
    values = cumulate(found[0], n) / float(found[1].sum())
    return values if cutoff is None else float(values[cutoff - 1])


@measure(
    "ep-ep",
    "effort-precision at each rank of the run (0 before the first gain), or at rank i",
    groups=("xcg",),
    cutoff="rank",
    params=PARAMS,
    source="our reading of INEX 2005",
)
def ep_at_ranks(view: View, *, cutoff: int | None, **params: object) -> Vector | float | None:
    """Return the ideal rank that gives the gain of the run at rank i, divided by i."""
    found = gain_vectors(view, **params)  # type: ignore[arg-type]
    if found is None:
        return None
    n = cutoff or view.depth or len(view.ranking)
    xCG = cumulate(found[0], n)
    ideal = rank_of_gain(np.maximum(xCG, 1e-300), np.cumsum(found[1]))
    values = np.where(xCG > 0, np.where(np.isinf(ideal), len(found[1]), ideal) / np.arange(1, n + 1), 0.0)
    return values if cutoff is None else float(values[cutoff - 1])


@measure(
    "MAep",
    "mean effort-precision at the ranks that bring gain, missing ones counting 0",
    groups=("xcg",),
    params=PARAMS,
    source="Kazai & Lalmas 2005; INEX 2005",
)
def maep(view: View, *, cutoff: None, **params: object) -> float | None:
    """Return Σ ep over the natural points / the number of gains above 0 in the ideal list.

    Near misses can make more points than there are ideal gains, and the mean exceed 1; ``cap=ancestors`` holds it at 1.
    """
    found = gain_vectors(view, **params)  # type: ignore[arg-type]
    if found is None:
        return None
    value = float(natural_points(*found).sum()) / int((found[1] > 0).sum())
    return min(value, 1.0) if params["cap"] == "ancestors" else value


@measure(
    "iMAep",
    "mean effort-precision at gain-recall .01, .02, .. 1",
    groups=("xcg",),
    params=PARAMS,
    source="Kazai & Lalmas 2005; INEX 2005",
)
def imaep(view: View, *, cutoff: None, **params: object) -> float | None:
    """Return the mean of ep over 100 gain-recall levels."""
    found = gain_vectors(view, **params)  # type: ignore[arg-type]
    if found is None:
        return None
    xCG, xCI = np.cumsum(found[0]), np.cumsum(found[1])
    return float(effort_precision(_LEVELS * xCI[-1], xCG, xCI).mean())
