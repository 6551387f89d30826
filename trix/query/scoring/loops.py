"""Compiled twins of `trix.query.scoring.units` and `many`; imported only where `backend.use_numba` says so."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel
from trix.support.seeking import seek


@kernel
def counts(content_numbers: Any, tf: Any, begin: Any, end: Any) -> Any:
    """Return how many texts hold a term, and how often; twin: `trix.query.scoring.units.Units.counts`."""
    texts, occurrences = np.int64(0), np.int64(0)
    place, last = 0, -1
    for i in range(content_numbers.size):
        place = seek(end, place, content_numbers[i] + 1)  # the first text that ends behind it
        if place == end.size:
            break
        if content_numbers[i] < begin[place]:
            continue
        occurrences += tf[i]
        if place != last:
            texts += 1
            last = place
    return texts, occurrences


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
