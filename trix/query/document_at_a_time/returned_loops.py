"""The compiled loop that tells which elements a reader gets: of a size to be read, and not in quiet parts.

Twins: `trix.query.ranking.quiet` and `trix.query.ranking.sizes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel
from trix.support.seeking import seek


@kernel
def returned(element: Any, parent: Any, length: Any, readable: Any) -> Any:
    """Return which candidates may be returned, and how many are not quiet.

    Parameters
    ----------
    element, parent
        Of candidates that are whole documents, in document order.
    length
        Characters of all elements of the index; empty where any size will do.
    readable
        Whether quiet parts are left out; the elements that begin one, and those that end one; the window's bounds.
    """
    hushed, quiet, loud, low, high = readable
    n = element.size
    keep = np.ones(n, np.bool_)
    if hushed:
        _hush(element, parent, quiet, loud, keep)
    heard = 0
    for i in range(n):
        heard += keep[i]
    if not length.size:
        return keep, heard
    missing = np.empty(n)
    begin = 0
    while begin < n:
        end, enough = begin, np.inf
        while end < n and (end == begin or parent[end] >= 0):
            characters = max(float(length[element[end]]), 1.0)
            missing[end] = max(low / characters, characters / high) if keep[end] else np.inf
            enough = min(enough, missing[end])
            end += 1
        enough = max(enough, 1.0)
        for i in range(begin, end):
            keep[i] = missing[i] <= enough and missing[i] < np.inf
        begin = end
    return keep, heard


@kernel
def _hush(element: Any, parent: Any, quiet: Any, loud: Any, keep: Any) -> None:
    """Mark the candidates that stand in a quiet part, or match by nothing but what does."""
    n = element.size
    holds = np.ones(n, np.bool_)  # at first: that no candidate is below
    at_quiet, at_loud = 0, 0
    for i in range(n):
        at_quiet, at_loud = seek(quiet, at_quiet, element[i]), seek(loud, at_loud, element[i])
        if at_quiet < quiet.size and quiet[at_quiet] == element[i]:
            keep[i] = False
        elif parent[i] >= 0 and not (at_loud < loud.size and loud[at_loud] == element[i]):
            keep[i] = keep[parent[i]]
        if parent[i] >= 0:
            holds[parent[i]] = False
    for i in range(n):
        holds[i] = holds[i] and keep[i]
    for i in range(n - 1, -1, -1):
        if holds[i] and parent[i] >= 0:
            holds[parent[i]] = True
        keep[i] = keep[i] and holds[i]
