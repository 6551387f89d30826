"""Strictly descending scores for runs, since other programs sort a run by its scores [RETRIEVAL, section 6]."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.query.ranking.organise import rank_key
from trix.support.arrays import Floats, Int64s

_SIGN = np.int64(-(1 << 31))
"""Sign bit of a 32-bit float, as an integer."""

_GREATEST = int(np.array(np.finfo(np.float32).max).view(np.int32))
"""Ordinal of the largest finite number of single precision."""


def falling(scores: Floats, elements: NDArray[Any]) -> Floats:
    """Return scores that sort in the order of the ranks.

    Results ordered by rank key keep their scores; differences lost in rounding to 12 decimals are lowered to the score
    before. In any other order each score must be less than the one before, also in single precision, which evaluators
    use. A score that is not is lowered to the next smaller single-precision number.

    Parameters
    ----------
    scores
        ``(k,)`` in rank order.
    elements
        ``(k,)`` element numbers, which break ties.

    Examples
    --------
    >>> falling(np.array([0.75, 0.5, 0.5]), np.array([4, 1, 2])).tolist()
    [0.75, 0.5, 0.5]
    >>> falling(np.array([0.5, 0.75, 0.25]), np.array([1, 4, 2])).tolist()
    [0.5, 0.4999999701976776, 0.25]
    """
    rises = np.diff(rank_key(scores))
    if not ((rises > 0) | ((rises == 0) & (np.diff(elements) < 0))).any():
        return np.minimum.accumulate(scores) if scores.size else scores
    with np.errstate(over="ignore"):
        order = _order_of_singles(scores)
    # Falls by at least one step: adding `steps` turns this into a running minimum.
    steps = np.arange(scores.size)
    # The running minimum keeps a score that is low enough already, and lowers the others as little as they need.
    lowered = np.minimum.accumulate(order + steps) - steps
    # Below the least of all singles nothing is left but to be equal.
    return np.minimum.accumulate(np.where(lowered == order, scores, _single_at(lowered)))


def _order_of_singles(numbers: Floats) -> Int64s:
    """Map single-precision numbers to integers, so that neighbours differ by 1."""
    bits = numbers.astype(np.float32).view(np.int32).astype(np.int64)
    return np.where(bits < 0, _SIGN - bits, bits)


def _single_at(order: Int64s) -> Floats:
    """Map integers of `_order_of_singles` back to finite numbers, or to the least one."""
    order = np.maximum(order, -_GREATEST)
    bits = np.where(order < 0, _SIGN - order, order)
    return bits.astype(np.int32).view(np.float32).astype(np.float64)
