"""Compiled loops that sort the keys of a chunk's texts into lists; see `trix.indexer.write.postings`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel


@kernel
def count_lists(ranks: Any, counts: Any, starts: Any, begins: Any) -> None:
    """Put into zeros where the postings, and the positions, of each key begin, and in the end how many there are."""
    last = np.full(starts.size, -1, np.int64)
    at = 0
    for owner in range(counts.size):
        for _ in range(counts[owner]):
            key = ranks[at]
            at += 1
            begins[key + 1] += 1
            if last[key] != owner:
                last[key] = owner
                starts[key + 1] += 1
    for key in range(1, starts.size):
        starts[key] += starts[key - 1]
        begins[key] += begins[key - 1]


@kernel
def fill_lists(ranks: Any, counts: Any, ends: Any, filled: Any, contents: Any, tf: Any, places: Any) -> None:
    """Fill the postings and the positions; `ends` and `filled` tell where those of each key begin, and are moved on."""
    last = np.full(ends.size, -1, np.int64)
    at = 0
    for owner in range(counts.size):
        for place in range(counts[owner]):
            key = ranks[at]
            at += 1
            if last[key] != owner:
                last[key] = owner
                contents[ends[key]] = owner
                tf[ends[key]] = 0
                ends[key] += 1
            tf[ends[key] - 1] += 1
            places[filled[key]] = place
            filled[key] += 1
