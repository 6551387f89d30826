"""Compiled loops that sort the keys of a chunk's texts into lists, and bring the lists of chunks together.

Twins are in `trix.indexer.write.inverted.postings` and `trix.indexer.write.inverted.lists`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel

_ROW = 4
"""Columns of what is known of a key while lists are sorted: one more than needed, so that it is at one place."""


@kernel
def count_lists(ranks: Any, counts: Any, starts: Any, begins: Any) -> None:
    """Put into zeros where the postings, and the positions, of each key begin, and in the end how many there are."""
    known = np.zeros((starts.size, _ROW), np.int32)  # of each key: its last owner plus one, postings, positions
    at = 0
    for owner in range(counts.size):
        for _ in range(counts[owner]):
            key = ranks[at]
            at += 1
            known[key, 1] += known[key, 0] != owner + 1
            known[key, 0] = owner + 1
            known[key, 2] += 1
    for key in range(1, starts.size):
        starts[key] = starts[key - 1] + known[key - 1, 1]
        begins[key] = begins[key - 1] + known[key - 1, 2]


@kernel
def fill_lists(ranks: Any, counts: Any, starts: Any, begins: Any, contents: Any, tf: Any, places: Any) -> None:
    """Fill the postings and the positions; `starts` and `begins` tell where those of each key begin."""
    known = np.empty((starts.size, _ROW), np.int32)  # of each key: its last owner, where its lists end
    for key in range(starts.size):
        known[key, 0] = -1
        known[key, 1] = starts[key]
        known[key, 2] = begins[key]
    at = 0
    for owner in range(counts.size):
        for place in range(counts[owner]):
            key = ranks[at]
            at += 1
            end = known[key, 1]
            if known[key, 0] != owner:
                known[key, 0] = owner
                contents[end] = owner
                tf[end] = 1
                known[key, 1] = end + 1
            else:
                tf[end - 1] += 1
            end = known[key, 2]
            places[end] = place
            known[key, 2] = end + 1


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
