"""Sakai's Q and R on extended gains: precision and cumulated gain combined in one ratio [INEX 5.4]."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.eval.measures.core.parameters import Param, choice
from trix.eval.measures.core.ranks import cumulated, padded
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.elements.ideal import ideal_base
from trix.eval.measures.elements.recall_base import recall_base, results
from trix.eval.measures.elements.xcg import PARAMS, TopicGains, gain_measure, gains
from trix.support.arrays import Floats


def blended_ratio(xG: Floats, xI: Floats, n: int) -> Floats:
    """Return cbg[i] / (xCI[i] + i), cbg the sum of gains plus 1 for each gain above 0.

    >>> blended_ratio(np.array([0.5, 0.0, 1.0]), np.array([1.0, 0.5]), 3).round(4).tolist()
    [0.75, 0.4286, 0.7778]
    """
    # Counting 1 per gain combines precision at i with the gain, and keeps the ratio below 1 for late gains.
    gained = padded(xG, n)
    return np.cumsum(gained + (gained > 0)) / (cumulated(xI, n) + np.arange(1, n + 1))


@gain_measure("Q", "Sakai's Q: mean blended ratio at the ranks with gain")
def q_measure(gains: TopicGains) -> float:
    """Return Q = (1/R) Σ_{i: xG[i] > 0} cbg[i] / (xCI[i] + i), R the number of ideal entries.

    Near misses can give more gains than there are ideal entries, so that Q exceeds 1. ``cap=ancestors`` limits it to 1.
    """
    xG, xI = gains.xG, gains.xI
    # Divided by the ideal entries, not by the gains found, so that missing ones count 0.
    return gains.mean(float(blended_ratio(xG, xI, len(xG))[xG > 0].sum()), len(xI))


_BY = Param("by", "rank", choice("rank", "size"), "rank (R results) or size (as much text as the ideal entries have)")


def _at_size(view: TopicView, by: str, params: dict[str, Any]) -> tuple[TopicGains, int] | None:
    """Return the gains and the rank to evaluate at.

    The rank is R, or with ``by=size`` the first at which the returned text is as long as the ideal entries.
    """
    found = gains(view, **params)
    if found is None:
        return None
    if by == "rank":
        return found, len(found.xI)
    best = ideal_base(recall_base(view, params["quant"]), params["ideal"], view.topic, params["ties"])
    # R counts elements, which may be small: compare equal amounts of text instead.
    enough = sum(view.size(*node) for node in best)
    read = np.cumsum([view.size(*node) for node in results(view)])
    return found, int(np.searchsorted(read, enough - 1e-9)) + 1


@measure(
    "Rmeasure",
    "Sakai's R: blended ratio at rank R, the number of ideal entries",
    groups=("xcg",),
    params=(*PARAMS, _BY),
    source="Kazai & Lalmas 2005; INEX 2005",
)
def r_measure(view: TopicView, *, cutoff: None, by: str, **params: Any) -> float | None:
    """Return cbg[R] / (xCI[R] + R)."""
    found = _at_size(view, by, params)
    return found and float(blended_ratio(found[0].xG, found[0].xI, found[1])[-1])


@measure(
    "RWP",
    "R-weighted precision: share of the ideal's gain at rank R",
    params=(*PARAMS, _BY),
    source="Kazai & Lalmas 2005; INEX 2005",
)
def r_weighted_precision(view: TopicView, *, cutoff: None, by: str, **params: Any) -> float | None:
    """Return xCG[R] / xCI[R]."""
    found = _at_size(view, by, params)
    return found and float(found[0].normalised(found[1])[-1])
