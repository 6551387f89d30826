"""The compiled loops of `trix.query.open_lists.lists`, and what reads the postings of one document there."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.inverted.by_document import EVERY, GROUPS, STEPS, B
from trix.indexer.store.inverted.loops import by_document, decode_by_document, encode_lists, read_varint
from trix.support.backend import inner_kernel, kernel
from trix.support.seeking import seek


@kernel
def keep_coded(postings: Any, listed: Any, columns: Any, row: int, at: int) -> Any:
    """Write a coded posting list, and the list by document that stands beside it, to a place.

    Returns whether it is sound, its rows, and m, cf and the greatest kf.
    """
    coded, _, entries, _ = columns
    sound, some, kf_here, xi_k_here, reach_here, byte_here, before_here = decode_by_document(listed, EVERY, STEPS)
    n = some.size
    coded[at : at + postings.size] = postings
    _write_rows(columns, row, some, xi_k_here, reach_here, kf_here)
    for group in range(byte_here.size):
        entries[row // EVERY + group, 0], entries[row // EVERY + group, 1] = byte_here[group] + at, before_here[group]
    return sound, n, xi_k_here.sum(), kf_here.sum(), kf_here.max() if n else 0


@kernel
def keep_postings(contents: Any, tf: Any, first_contents: Any, size: int, columns: Any, row: int, at: int) -> Any:
    """Code postings, sum them up by document, and write both to a place.

    Returns whether they are sound, rows, bytes, and m, cf and the greatest kf.
    """
    coded, _, entries, _ = columns
    if contents.size and not 0 <= contents[0] <= contents[-1] < size:
        return False, 0, 0, 0, 0, 0
    document_of = np.empty(contents.size, np.int32)
    place = 0
    for i in range(contents.size):
        place = seek(first_contents, place, contents[i] + 1)
        document_of[i] = place - 1
    some, kf_here, xi_k_here, reach_here = by_document(contents, tf, document_of, GROUPS, B, STEPS)
    n = some.size
    _write_rows(columns, row, some, xi_k_here, reach_here, kf_here)
    starts = np.zeros(n, np.int64)
    for d in range(1, n):
        starts[d] = starts[d - 1] + xi_k_here[d - 1]
    data, _ = encode_lists(contents, tf, np.zeros(1, np.int64))
    coded[at : at + data.size] = data
    group = row // EVERY
    if n:
        entries[group, 0], entries[group, 1] = at, 0
    here, last, done = np.int64(at), np.int64(0), 0
    for d in range(EVERY, n, EVERY):
        for _ in range(done, starts[d]):
            value, here = read_varint(coded, here)
            last += value >> 1
            if value & 1:
                _, here = read_varint(coded, here)
        done = starts[d]
        entries[group + d // EVERY, 0], entries[group + d // EVERY, 1] = here, last
    return True, n, data.size, contents.size, kf_here.sum(), kf_here.max() if n else 0


@kernel
def _write_rows(columns: Any, row: int, documents: Any, xi_k: Any, reach: Any, kf: Any) -> None:
    _, rows, _, _ = columns
    for i in range(documents.size):
        rows[row + i, 0], rows[row + i, 1], rows[row + i, 2], rows[row + i, 3] = documents[i], xi_k[i], reach[i], kf[i]


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
