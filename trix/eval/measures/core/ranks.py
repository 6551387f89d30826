"""Measures with a value at every rank: the vector where no rank is asked for, else the value at that rank."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import View

Vector = NDArray[np.float64]
Compute = Callable[..., Any]


def rank_measure(name: str, summary: str, **details: Any) -> Callable[[Compute], Compute]:
    """Register a function ``f(view, n, **params)`` that returns the values at ranks 1 to n, or None.

    The keywords are the fields of `trix.eval.measures.core.registry.Spec`. Without a cut-off n is the length of the
    run's longest ranking.
    """

    def register(values: Compute) -> Compute:
        @measure(name, summary, cutoff="rank", **details)
        @wraps(values)
        def compute(view: View, *, cutoff: int | None, **params: Any) -> Vector | float | None:
            found: Vector | None = values(view, cutoff or view.depth or len(view.ranking), **params)
            return found if found is None or cutoff is None else float(found[cutoff - 1])

        return values

    return register


def padded(values: NDArray[Any], n: int, rest: float = 0.0) -> Vector:
    """Return the first n values, followed by `rest` where there are fewer.

    >>> padded(np.array([2.0, 1.0]), 4).tolist(), padded(np.array([2.0, 1.0]), 1).tolist()
    ([2.0, 1.0, 0.0, 0.0], [2.0])
    """
    found = np.full(n, rest, np.float64)
    found[: min(n, len(values))] = values[:n]
    return found


def cumulated(values: NDArray[Any], n: int) -> Vector:
    """Return the running sum of the first n values, constant after the last [JK00, eq. 1].

    >>> cumulated(np.array([3., 2., 3., 0., 0., 1., 2., 2., 3., 0.]), 10).tolist()
    [3.0, 5.0, 8.0, 8.0, 8.0, 9.0, 11.0, 13.0, 16.0, 16.0]
    >>> cumulated(np.array([2., 1.]), 4).tolist()
    [2.0, 3.0, 3.0, 3.0]
    """
    return np.cumsum(padded(values, n))


def ratio(a: NDArray[Any], b: NDArray[Any]) -> Vector:
    """Return a / b, 0 where b is 0.

    >>> ratio(np.array([1.0, 1.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    return np.divide(a, b, out=np.zeros(len(a)), where=b > 0)
