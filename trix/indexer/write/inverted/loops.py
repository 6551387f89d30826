"""Compiled loops that sort the keys of a chunk's texts into lists, and bring the lists of chunks together.

Twins are in `trix.indexer.write.inverted.postings` and `trix.indexer.write.inverted.lists`.
"""

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


@kernel
def add_sizes(ranks: Any, low: Any, sizes: Any, tf: Any, counts: Any, tokens: Any) -> None:
    """Add how many postings and positions a part has for each key, counted from `low`."""
    at = 0
    for own in range(ranks.size):
        key = ranks[own] - low
        counts[key] += sizes[own]
        for place in range(at, at + sizes[own]):
            tokens[key] += tf[place]
        at += sizes[own]


@kernel
def append_lists(
    ranks: Any,
    low: Any,
    sizes: Any,
    contents: Any,
    tf: Any,
    positions: Any,
    ends: Any,
    filled: Any,
    all_contents: Any,
    all_tf: Any,
    all_positions: Any,
) -> None:
    """Append the lists of a part; `ends` and `filled` tell where those of each key end so far, and are moved on."""
    at = 0
    token = 0
    for own in range(ranks.size):
        key = ranks[own] - low
        for _ in range(sizes[own]):
            end = ends[key]
            all_contents[end] = contents[at]
            all_tf[end] = tf[at]
            ends[key] = end + 1
            if positions.size:
                for _ in range(tf[at]):
                    all_positions[filled[key]] = positions[token]
                    filled[key] += 1
                    token += 1
            at += 1
