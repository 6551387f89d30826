"""The compiled loops that keep the best results: heaps whose first is the worst of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel


@kernel
def worst_of(found: Any, size: int) -> Any:
    """Return rank key and element of the worst of some results; less than any where there is room for more."""
    if size < found[0].size:
        return -np.inf, np.int64(0)
    return found[0][0], found[1][0]


@kernel
def put(found: Any, size: int, key: float, element: int, score: float, own: float) -> int:
    """Put an element among the results, in place of the worst where there is no more room.

    Returns how many there are then.
    """
    keys, elements, scores, owns = found
    if size == keys.size:
        _sink_in(found, size, key, element, score, own)
        return size
    at = size
    while at > 0:
        above = (at - 1) // 2
        if keys[above] < key or (keys[above] == key and elements[above] > element):
            break
        keys[at], elements[at], scores[at], owns[at] = keys[above], elements[above], scores[above], owns[above]
        at = above
    keys[at], elements[at], scores[at], owns[at] = key, element, score, own
    return size + 1


@kernel
def _sink_in(found: Any, size: int, key: float, element: int, score: float, own: float) -> None:
    """Put an element in place of the first of a heap of results."""
    keys, elements, scores, owns = found
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        other = below + 1
        if other < size and (
            keys[other] < keys[below] or (keys[other] == keys[below] and elements[other] > elements[below])
        ):
            below = other
        if key < keys[below] or (key == keys[below] and element > elements[below]):
            break
        keys[at], elements[at], scores[at], owns[at] = keys[below], elements[below], scores[below], owns[below]
        at = below
    keys[at], elements[at], scores[at], owns[at] = key, element, score, own


@kernel
def in_order(found: Any, size: int) -> Any:
    """Return elements, scores and scores without context of a heap of results, the best first."""
    keys, elements, scores, owns = found
    for last in range(size - 1, 0, -1):
        key, element, score, own = keys[last], elements[last], scores[last], owns[last]
        keys[last], elements[last], scores[last], owns[last] = keys[0], elements[0], scores[0], owns[0]
        _sink_in(found, last, key, element, score, own)
    return elements[:size].astype(np.int32), scores[:size].copy(), owns[:size].copy()
