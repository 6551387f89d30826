"""The compiled loops that keep the best results: heaps whose first is the worst of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import inner_kernel, kernel


@kernel
def heap_for(room: int) -> Any:
    """Return room for some results: rank keys, elements, scores, scores without context."""
    return np.empty(room), np.empty(room, np.int64), np.empty(room), np.empty(room)


@inner_kernel
def worst_of(found: Any, size: int) -> Any:
    """Return rank key and element of the worst of some results; less than any where there is room for more."""
    if size < found[0].size:
        return -np.inf, np.int64(0)
    return found[0][0], found[1][0]


@inner_kernel
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


@inner_kernel
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
def in_order(found: Any, size: Any) -> Any:
    """Return elements, scores and scores without context of a heap of results, the best first."""
    keys, elements, scores, owns = found
    for last in range(size - 1, 0, -1):
        key, element, score, own = keys[last], elements[last], scores[last], owns[last]
        keys[last], elements[last], scores[last], owns[last] = keys[0], elements[0], scores[0], owns[0]
        _sink_in(found, last, key, element, score, own)
    return elements[:size].astype(np.int32), scores[:size].copy(), owns[:size].copy()


@kernel
def followed(head: Any, every: Any) -> Any:
    """Return the columns of the head, and behind it those of the other results; as many as the latter are.

    Twin: `trix.query.ranking.spread.spread_out`.
    """
    first, n = head[0].size, every[0].size
    elements, scores, own = np.empty(n, np.int32), np.empty(n), np.empty(n)
    elements[:first], scores[:first], own[:first] = head
    in_head = np.sort(head[0])
    size = first
    for i in range(n):
        if size == n:
            break
        at = np.searchsorted(in_head, every[0][i])
        if at == first or in_head[at] != every[0][i]:
            elements[size], scores[size], own[size] = every[0][i], every[1][i], every[2][i]
            size += 1
    return elements[:size], scores[:size], own[:size]
