"""Compiled twins of `trix.query.scoring.units`; imported only where :func:`trix.support.backend.use_numba` says so."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.query.matching.holders_loops import seek
from trix.support.backend import kernel


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
