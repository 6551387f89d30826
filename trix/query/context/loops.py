"""Compiled twins of the context formulas; imported only where :func:`trix.support.backend.use_numba` says so."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trix.support.backend import kernel


@kernel
def path_scores(
    depth: NDArray[np.int32],
    s: NDArray[np.float64],
    around: NDArray[np.float64],
    head: NDArray[np.float64],
    tail: NDArray[np.float64],
    sums: NDArray[np.float64],
    middle: float,
    shared: bool,
    tail_wins: bool,
    own: bool,
    f: float,
) -> NDArray[np.float64]:
    """Contextualise by the path, in one pass in document order.

    ``path[k]`` is the score of the open ancestor of depth k, ``prefix[k]`` the weighted sum above depth k: the part
    of the sum that does not depend on where the path ends is carried down instead of being summed again. An element
    counts with its own score in its own sum, and as an ancestor with that `around`.
    """
    n, heads, tails = len(s), len(head), len(tail)
    path = np.zeros(len(sums))
    prefix = np.zeros(len(sums) + 1)
    out = np.empty(n)
    for i in range(n):
        d, score = depth[i], s[i]
        path[d] = score
        prefix[d + 1] = prefix[d] + (head[d] if d < heads else middle) * score
        if sums[d] == 0.0:
            out[i] = score
            path[d] = around[i]
            prefix[d + 1] = prefix[d] + (head[d] if d < heads else middle) * around[i]
            continue
        stop = d + 1 if own else d
        turn = d + 1 - tails
        if not tail_wins:
            turn = max(turn, min(heads, stop))
        turn = min(max(turn, 0), stop)
        if shared and turn > heads:
            total = prefix[heads]
            share = middle / (d - 2) if d > 2 else middle
            for k in range(heads, turn):
                total += share * path[k]
        else:
            total = prefix[turn]
        for k in range(turn, stop):
            total += tail[d - k] * path[k]
        mean = total / sums[d] + 0.0  # negative weights would make -0 of 0
        out[i] = mean if own else score + f * mean
        path[d] = around[i]
        prefix[d + 1] = prefix[d] + (head[d] if d < heads else middle) * around[i]
    return out


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
