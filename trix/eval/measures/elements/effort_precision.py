"""Effort-precision and gain-recall: reading effort for the same gain, ideal list against run [INEX 5.4]."""

from __future__ import annotations

import numpy as np

from trix.eval.measures.core.ranks import cumulated
from trix.eval.measures.elements.xcg import TopicGains, gain_measure
from trix.support.arrays import Floats

_LEVELS = np.arange(1, 101) / 100


def rank_of_gain(g: Floats, xC: Floats) -> Floats:
    """Return the rank at which a cumulated gain curve reaches each g > 0, inf if never.

    Ranks are interpolated linearly from (0, 0). A plateau counts with its first rank.

    >>> rank_of_gain(np.array([2.0, 3.0, 9.5]), np.array([2.0, 4.0, 6.0, 7.0, 8.0, 9.0])).tolist()
    [1.0, 1.5, inf]
    """
    curve = np.concatenate(([0.0], xC))
    # Cumulated floats miss a gain that is equal on paper by rounding, so a gain counts as reached within this slack.
    slack = 1e-12 * max(1.0, float(curve[-1]))
    after = np.searchsorted(curve, g - slack, side="left")
    reached = after < len(curve)
    # Interpolate between the rank before g is reached and the rank where it is.
    at = np.clip(after, 1, len(curve) - 1)
    rise = curve[at] - curve[at - 1]
    part = np.divide(g - curve[at - 1], rise, out=np.ones(len(g)), where=rise > 0)
    return np.where(reached, at - 1 + np.clip(part, 0.0, 1.0), np.inf)


def effort_precision(g: Floats, xCG: Floats, xCI: Floats) -> Floats:
    """Return ep(g) = i_ideal(g) / i_run(g), 0 if the run never reaches g.

    >>> xG, xI = np.array([2., 1., 0., 0., 2., 1.]), np.array([2., 2., 2., 1., 1., 1.])
    >>> effort_precision(np.array([2., 3., 5., 6.]), np.cumsum(xG), np.cumsum(xI)).tolist()
    [1.0, 0.75, 0.5, 0.5]
    """
    ideal, run = rank_of_gain(g, xCI), rank_of_gain(g, xCG)
    capped = np.where(np.isinf(ideal), len(xCI), ideal)  # gains above the ideal total count at its last rank
    return np.where(np.isinf(run), 0.0, capped / np.where(np.isinf(run), 1.0, run))


def natural_points(xG: Floats, xI: Floats) -> Floats:
    """Return ep at every rank of the run with a gain [INEX 5.4].

    >>> natural_points(np.array([2., 1., 0., 0., 2., 1.]), np.array([2., 2., 2., 1., 1., 1.])).tolist()
    [1.0, 0.75, 0.5, 0.5]
    """
    xCG, gaining = np.cumsum(xG), np.flatnonzero(xG > 0)
    ideal = rank_of_gain(xCG[gaining], np.cumsum(xI))
    return np.where(np.isinf(ideal), len(xI), ideal) / (gaining + 1)


def _at_gain_recall(gains: TopicGains, levels: Floats) -> Floats:
    xCG, xCI = np.cumsum(gains.xG), np.cumsum(gains.xI)
    return effort_precision(levels * xCI[-1], xCG, xCI)


@gain_measure("ep", "effort-precision at gain-recall .01, .02, .. 1, or at one level", cutoff="recall")
def ep(gains: TopicGains, level: float | None) -> Floats | float:
    """Return ep at gain-recall levels: the ideal rank of the gain divided by the rank of the run."""
    return _at_gain_recall(gains, _LEVELS) if level is None else float(_at_gain_recall(gains, np.array([level]))[0])


@gain_measure("gr", "gain-recall at each rank, or at rank i", cutoff="rank")
def gr(gains: TopicGains, n: int) -> Floats:
    """Return gr[i] = xCG[i] / xCI[N], the proportion of the ideal's total gain."""
    return cumulated(gains.xG, n) / float(gains.xI.sum())


@gain_measure(
    "ep-ep",
    "effort-precision at each rank of the run (0 before the first gain), or at rank i",
    cutoff="rank",
    source="our reading of INEX 2005",
)
def ep_at_ranks(gains: TopicGains, n: int) -> Floats:
    """Return the ideal rank for the gain of the run at rank i, divided by i."""
    xCG = cumulated(gains.xG, n)
    ideal = rank_of_gain(np.maximum(xCG, 1e-300), np.cumsum(gains.xI))  # gains must be above 0
    return np.where(xCG > 0, np.where(np.isinf(ideal), len(gains.xI), ideal) / np.arange(1, n + 1), 0.0)


@gain_measure("MAep", "mean effort-precision at ranks with gain; ideal gains that are never reached count 0")
def maep(gains: TopicGains) -> float:
    """Return Σ ep over the natural points / the number of gains above 0 in the ideal list.

    Near misses can give more points than there are ideal gains, so that the mean exceeds 1. ``cap=ancestors`` limits it
    to 1.
    """
    return gains.mean(float(natural_points(gains.xG, gains.xI).sum()), int((gains.xI > 0).sum()))


@gain_measure("iMAep", "mean effort-precision at gain-recall .01, .02, .. 1")
def imaep(gains: TopicGains) -> float:
    """Return the mean of ep over 100 gain-recall levels."""
    return float(_at_gain_recall(gains, _LEVELS).mean())
