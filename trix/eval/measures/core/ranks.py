"""Measures with a value at every rank: a vector, or the value at a cut-off."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.support.arrays import Floats

Compute = Callable[..., Any]


def rank_measure(name: str, summary: str, **details: Any) -> Callable[[Compute], Compute]:
    """Register a function ``f(view, n, **params)`` that returns the values at ranks 1 to n, or None.

    The keywords are the fields of `trix.eval.measures.core.registry.Spec`. Without a cut-off, n is the length of the
    run's longest ranking.
    """

    def register(values: Compute) -> Compute:
        @measure(name, summary, cutoff="rank", **details)
        @wraps(values)
        def compute(view: TopicView, *, cutoff: int | None, **params: Any) -> Floats | float | None:
            return at_rank(values(view, ranks(view, cutoff), **params), cutoff)

        return values

    return register


def ranks(view: TopicView, cutoff: int | None) -> int:
    """Return the number of ranks to compute: the cut-off, else the length of the run's longest ranking."""
    return cutoff or view.depth or len(view.ranking)


def at_rank(values: Floats | None, cutoff: int | None) -> Floats | float | None:
    """Return the value at the cut-off, or all values without one."""
    return values if values is None or cutoff is None else float(values[cutoff - 1])


def padded(values: NDArray[Any], n: int, rest: float = 0.0) -> Floats:
    """Return the first n values, padded with `rest`.

    >>> padded(np.array([2.0, 1.0]), 4).tolist(), padded(np.array([2.0, 1.0]), 1).tolist()
    ([2.0, 1.0, 0.0, 0.0], [2.0])
    """
    found = np.full(n, rest, np.float64)
    found[: min(n, len(values))] = values[:n]
    return found


def continued(values: Floats, n: int) -> Floats:
    """Return the first n values, padded with the last value.

    >>> continued(np.array([1.0, 0.5]), 4).tolist()
    [1.0, 0.5, 0.5, 0.5]
    """
    return padded(values, n, values[-1] if len(values) else 0.0)


def cumulated(values: NDArray[Any], n: int) -> Floats:
    """Return the running sum of the first n values, constant after the last [JK00, eq. 1].

    >>> cumulated(np.array([3., 2., 3., 0., 0., 1., 2., 2., 3., 0.]), 10).tolist()
    [3.0, 5.0, 8.0, 8.0, 8.0, 9.0, 11.0, 13.0, 16.0, 16.0]
    >>> cumulated(np.array([2., 1.]), 4).tolist()
    [2.0, 3.0, 3.0, 3.0]
    """
    return np.cumsum(padded(values, n))


def ratio(a: NDArray[Any], b: NDArray[Any]) -> Floats:
    """Return a / b, 0 where b is 0.

    >>> ratio(np.array([1.0, 1.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    found: Floats = np.divide(a, b, out=np.zeros(len(a)), where=b > 0)
    return found
