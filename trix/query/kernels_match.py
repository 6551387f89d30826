"""Compiled twins of `trix.query.matching`; imported only where :func:`trix.kernels.use_numba` says so."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.kernels import kernel


@kernel
def lift(contents: Any, offsets: Any, of_content: Any, parent: Any, depth: Any) -> Any:
    """Merge posting lists in content order and open each element on the way down from its root once.

    ``contents[offsets[t]:offsets[t+1]]`` is list t. Returns the candidates' elements, the places of their parents,
    and for each posting the place of its content element. Linear in postings plus candidates.
    """
    lists = offsets.size - 1
    place = np.empty(contents.size, np.int32)
    elements = np.empty(4 * contents.size + 64, np.int32)
    above = np.empty(4 * contents.size + 64, np.int32)
    open_element = np.full(256, -1, np.int32)
    open_place = np.empty(256, np.int32)
    path = np.empty(256, np.int32)
    head = offsets[:-1].copy()
    n = 0
    largest = np.int32(2147483647)
    while True:
        content = largest
        for t in range(lists):
            if head[t] < offsets[t + 1] and contents[head[t]] < content:
                content = contents[head[t]]
        if content == largest:
            break
        x = of_content[content]
        level = np.int64(depth[x])
        steps = 0
        while x >= 0 and open_element[level] != x:
            path[steps] = x
            steps += 1
            x = parent[x]
            level -= 1
        up = open_place[level] if x >= 0 else np.int32(-1)
        if n + steps > elements.size:
            more = np.empty(2 * elements.size, np.int32)
            more[:n] = elements[:n]
            elements = more
            more = np.empty(2 * above.size, np.int32)
            more[:n] = above[:n]
            above = more
        for step in range(steps - 1, -1, -1):
            level += 1
            elements[n] = path[step]
            above[n] = up
            open_element[level] = path[step]
            open_place[level] = n
            up = np.int32(n)
            n += 1
        for t in range(lists):
            if head[t] < offsets[t + 1] and contents[head[t]] == content:
                place[head[t]] = n - 1
                head[t] += 1
    return elements[:n].copy(), above[:n].copy(), place


@kernel
def count_upwards(place: Any, tf: Any, offsets: Any, above: Any) -> Any:
    """Return kf and ξ_k, (T, n) each: what the postings say of content elements, summed over their ancestors."""
    lists, n = offsets.size - 1, above.size
    kf = np.zeros((lists, n), np.int32)
    xi_k = np.zeros((lists, n), np.int32)
    for t in range(lists):
        for i in range(offsets[t], offsets[t + 1]):
            kf[t, place[i]] += tf[i]
            xi_k[t, place[i]] += 1
        for i in range(n - 1, 0, -1):
            if above[i] >= 0:
                kf[t, above[i]] += kf[t, i]
                xi_k[t, above[i]] += xi_k[t, i]
    return kf, xi_k
