"""Compiled twin of `trix.query.scoring.many`; imported only where :func:`trix.support.backend.use_numba` says so."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel


@kernel
def lift_each(place: Any, tf: Any, offsets: Any, parent: Any, room: int) -> Any:
    """Add the postings of each term to the elements above them.

    Postings ``offsets[t]`` to ``offsets[t+1]`` are those of term t; `room` is how many elements they have above them
    at most. Returns where each term's elements begin, their places, kf and ξ_k.
    """
    terms = offsets.size - 1
    cut = np.zeros(terms + 1, np.int64)
    places, kf, xi_k = np.empty(room, np.int32), np.empty(room, tf.dtype), np.empty(room, np.int32)
    at = np.full(parent.size, -1, np.int64)
    held = 0
    for t in range(terms):
        begin = held
        for i in range(offsets[t], offsets[t + 1]):
            x = place[i]
            while x >= 0:
                if at[x] < begin:
                    at[x] = held
                    places[held], kf[held], xi_k[held] = x, 0, 0
                    held += 1
                kf[at[x]] += tf[i]
                xi_k[at[x]] += 1
                x = parent[x]
        cut[t + 1] = held
    return cut, places[:held], kf[:held], xi_k[:held]
