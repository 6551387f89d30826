"""Compiled twins of the context formulas; imported only where :func:`trix.support.backend.use_numba` says so."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trix.support.backend import kernel


@kernel
def window_sums(
    ordinal: NDArray[np.int32],
    first: NDArray[np.int32],
    last: NDArray[np.int32],
    s: NDArray[np.float64],
    g: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Add g(distance)·s over the other members in the window, each side from near to far."""
    n, width = len(s), len(g) - 1
    out = np.empty(n)
    for i in range(n):
        here = ordinal[i]
        low, high = max(first[i], here - width), min(last[i], here + width)
        left = 0.0
        j = i - 1
        while j >= 0 and ordinal[j] >= low:
            left += g[here - ordinal[j]] * s[j]
            j -= 1
        right = 0.0
        j = i + 1
        while j < n and ordinal[j] <= high:
            right += g[ordinal[j] - here] * s[j]
            j += 1
        out[i] = left + right
    return out
