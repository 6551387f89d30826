"""Compiled twins of the overlap rules; imported only where :func:`trix.support.backend.use_numba` says so."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trix.support.backend import kernel


@kernel
def apart(
    ranking: NDArray[np.int32],
    parent: NDArray[np.int32],
    depth: NDArray[np.int32],
    marks: NDArray[np.uint8],
    limit: int,
) -> NDArray[np.int32]:
    """Keep what has no kept ancestor or descendant; ``marks`` are set on these.

    Marks are closed upwards, and the subtrees of kept elements are disjoint: the work is linear over all calls.
    """
    kept = np.empty(min(limit, len(ranking)), dtype=np.int32)
    count = 0
    for x in ranking:
        if count == limit:
            break
        if marks[x]:
            continue
        kept[count] = x
        count += 1
        above = x
        while above >= 0 and not marks[above]:
            marks[above] = 1
            above = parent[above]
        below = x + 1
        while below < len(depth) and depth[below] > depth[x]:
            marks[below] = 1
            below += 1
    return kept[:count]


@kernel
def apart_partial(
    ranking: NDArray[np.int32], parent: NDArray[np.int32], marks: NDArray[np.uint8], limit: int
) -> NDArray[np.int32]:
    """Keep what has no kept parent or child; ``marks`` hold 1 for the kept and 2 for their parents."""
    kept = np.empty(min(limit, len(ranking)), dtype=np.int32)
    count = 0
    for x in ranking:
        if count == limit:
            break
        above = parent[x]
        if marks[x] & 2 or (above >= 0 and marks[above] & 1):
            continue
        kept[count] = x
        count += 1
        marks[x] |= 1
        if above >= 0:
            marks[above] |= 2
    return kept[:count]
