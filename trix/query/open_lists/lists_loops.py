"""The compiled loops of `trix.query.open_lists.lists`, and what reads the postings of one document there."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.inverted.by_document import EVERY
from trix.support.backend import inner_kernel, kernel


@inner_kernel
def read_varint(data: Any, at: Any) -> Any:
    """Return the variable-byte integer at a place, and the place behind it."""
    value = np.int64(0)
    shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= np.int64(byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


@inner_kernel
def read_document(columns: Any, places: Any, contents: Any, tf: Any, starts: Any, size: Any, begins: Any) -> Any:
    """Decode the postings of one document, list after list, behind others; return how many there are then.

    ``places[t]`` is the row of the document in list t, -1 where it is not there; ``starts[t]`` becomes where its
    postings begin. In `begins`, (T, 3), it is noted where they are read: for all lists before any is, since they lie
    far apart, and what is fetched from memory comes sooner together than one after the other.
    """
    coded, rows, entries, inside = columns
    for t in range(places.size):
        row = places[t]
        if row >= 0:
            entered = row - row % EVERY
            first, above = entries[entered // EVERY, 0], entries[entered // EVERY, 1]
            if row > entered and not inside[row]:
                _look_inside(coded, rows, inside, entered, row, first)
            at = first + (inside[row] >> 32)
            begins[t, 0], begins[t, 1], begins[t, 2] = at, above + (inside[row] & 0xFFFFFFFF), coded[at]
    starts[0] = size
    for t in range(places.size):
        if places[t] >= 0:
            at, last = begins[t, 0], begins[t, 1]
            for _ in range(rows[places[t], 1]):
                value, at, count = np.int64(coded[at]), at + 1, np.int64(1)
                if value > 127:
                    more, at = read_varint(coded, at)
                    value = (value & 127) | (more << 7)
                if value & 1:  # the count follows
                    more, at = read_varint(coded, at)
                    count = more + 2
                last += value >> 1
                contents[size], tf[size] = last, count
                size += 1
        starts[t + 1] = size
    return size


@kernel
def _look_inside(coded: Any, rows: Any, inside: Any, entered: Any, row: Any, first: Any) -> None:
    """Fill in where the postings of the rows behind the first of a group begin, up to one of them."""
    at, passed = first, np.int64(0)
    for other in range(entered, row):
        for _ in range(rows[other, 1]):
            value, at = read_varint(coded, at)
            if value & 1:
                _, at = read_varint(coded, at)
            passed += value >> 1
        inside[other + 1] = ((at - first) << 32) | passed
