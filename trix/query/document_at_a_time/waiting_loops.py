"""The compiled loops over the documents that wait to be scored: those that can reach most go first.

Few of them are scored as a rule, so that only the first are put in order: a heap of what stands above the others. These
come in once it is empty.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import inner_kernel, kernel

STEPS = 256
"""Steps into which what documents can reach is cut."""


@kernel
def in_waiting(key: Any, found: Any, many: int) -> Any:
    """Return a queue of all documents, and how many of them are in its heap: the first ones, some more than so many."""
    n = key.size
    highest = 0.0
    for i in range(n):
        highest = max(highest, key[i])
    cut = 0
    if n > 2 * many and 0.0 < highest < np.inf:
        steps = np.zeros(STEPS, np.int64)
        by = (STEPS - 1) / highest
        for i in range(n):
            steps[int(max(key[i], 0.0) * by)] += 1
        cut, above = STEPS - 1, steps[STEPS - 1]
        while above < many:
            cut -= 1
            above += steps[cut]
    else:
        by = 0.0
    queue = np.empty(n, np.int32)
    size, end = np.int64(0), n
    for i in range(n):
        if not cut or int(max(key[i], 0.0) * by) >= cut:
            queue[size] = i
            size += 1
        else:
            end -= 1
            queue[end] = i
    heap_up(queue, size, key, found)
    return queue, size


@kernel
def refill(queue: Any, size: int, key: Any, found: Any, last_key: float) -> Any:
    """Put those documents into the empty heap, of the last `size` of a queue, that may reach a rank key.

    Returns how many there are.
    """
    taken = np.int64(0)
    for at in range(queue.size - size, queue.size):
        i = queue[at]
        if key[i] >= last_key:
            queue[taken] = i
            taken += 1
    heap_up(queue, taken, key, found)
    return taken


@kernel
def heap_up(queue: Any, size: Any, key: Any, found: Any) -> None:
    """Make a heap of the first documents of a queue."""
    for at in range(size // 2 - 1, -1, -1):
        sink(queue, size, at, key, found)


@inner_kernel
def sink(queue: Any, size: int, at: int, key: Any, found: Any) -> None:
    """Let a document sink in a heap to where none below it goes first: by key, equal ones in document order."""
    document = queue[at]
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        other = below + 1
        if other < size and _first(queue[other], queue[below], key, found):
            below = other
        if _first(document, queue[below], key, found):
            break
        queue[at] = queue[below]
        at = below
    queue[at] = document


@inner_kernel
def _first(one: int, other: int, key: Any, found: Any) -> Any:
    return key[one] > key[other] or (key[one] == key[other] and found[one] < found[other])
