"""Compiled twins of `trix.query.naming.names`; lines of UTF-8 bytes, without a newline at the end."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel
from trix.support.seeking import seek


@kernel
def _write_number(out: Any, at: int, number: int) -> int:
    digits = 1
    rest = number
    while rest >= 10:
        rest //= 10
        digits += 1
    for place in range(at + digits - 1, at - 1, -1):
        out[place] = 48 + number % 10
        number //= 10
    return at + digits


@kernel
def _room(out: Any, at: int, wanted: Any) -> Any:
    if at + wanted <= out.size:
        return out
    more = np.empty(2 * (out.size + wanted), np.uint8)
    more[:at] = out[:at]
    return more


@kernel
def write_labels(elements: Any, documents: Any, parent: Any, position: Any) -> Any:
    """Write the Dewey label of each element."""
    out = np.empty(32 * elements.size + 64, np.uint8)
    path = np.empty(256, np.int32)
    at = 0
    for i in range(elements.size):
        if i:
            out[at] = 10
            at += 1
        steps = 0
        x = elements[i]
        while parent[x] >= 0:
            path[steps] = position[x]
            steps += 1
            x = parent[x]
        out = _room(out, at, 12 * steps + 24)
        at = _write_number(out, at, documents[i] + 1)
        for step in range(steps - 1, -1, -1):
            out[at] = 46
            at = _write_number(out, at + 1, path[step])
    return out[:at]


@kernel
def write_paths(elements: Any, parent: Any, step: Any, same: Any, names: Any, ends: Any) -> Any:
    """Write the XPath of each element; ``names[ends[k]:ends[k+1]]`` is step k with its slash."""
    out = np.empty(96 * elements.size + 64, np.uint8)
    path = np.empty(256, np.int32)
    at = 0
    for i in range(elements.size):
        if i:
            out[at] = 10
            at += 1
        steps = 0
        x = elements[i]
        length = np.int64(64)
        while x >= 0:
            path[steps] = x
            steps += 1
            length += ends[step[x] + 1] - ends[step[x]] + 16
            x = parent[x]
        out = _room(out, at, length)
        for place in range(steps - 1, -1, -1):
            x = path[place]
            for k in range(ends[step[x]], ends[step[x] + 1]):
                out[at] = names[k]
                at += 1
            if same[x]:
                out[at] = 91
                at = _write_number(out, at + 1, same[x])
                out[at] = 93
                at += 1
    return out[:at]


@kernel
def write_addresses(places: Any, path_steps: Any) -> Any:
    """Find the document of each element, and write its XPath.

    Parameters
    ----------
    places
        The elements; the first elements of all documents and of all blocks of the table, and which blocks are there.
    path_steps
        What `write_paths` wants to know of steps.

    Returns
    -------
    ready : bool
        Whether all blocks are there that were needed; else nothing is written.
    documents, paths
        Of each element.
    """
    elements, first_elements, first_of_blocks, is_there = places
    parent, step, same, names, ends = path_steps
    documents = np.empty(elements.size, np.int64)
    for i in range(elements.size):
        documents[i] = seek(first_elements, 0, elements[i] + 1) - 1
        if not is_there[seek(first_of_blocks, 0, elements[i] + 1) - 1]:
            return False, documents, names[:0]
    return True, documents, write_paths(elements, parent, step, same, names, ends)
