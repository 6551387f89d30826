"""The compiled loops that tell how much documents of `trix.query.document_at_a_time.ranking` can reach.

First by how often each holds the words, as `trix.query.bounds` does, which is the twin; and before one is scored by how
its postings lie together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.inverted.loops import read_varint
from trix.query.bounds.documents_loops import add_trix2005
from trix.query.ranking.organise import COARSE
from trix.support.backend import kernel
from trix.support.seeking import seek

GROUPS = 16
"""Groups that they are cut into."""


@kernel
def bound_documents(
    rows: Any, held: Any, contents: Any, terms: Any, letters: Any, bound: Any, deepest: Any, reached: Any, root: Any,
    key: Any, queue: Any,
) -> int:  # fmt: skip
    """Fill in each document's postings, its root's score, the rank key of the most that it can reach; and a queue.

    ``deepest`` is a depth that no element of a document exceeds. Twin: `trix.query.bounds`; returns the size of the
    queue, -1 where keys would not fit.
    """
    documents, kf, xi_k, reach = held
    for i in range(rows[-1]):
        reached[documents[i]] += xi_k[i]
    v, b, share, steps, rounding = letters
    least, most, stays, own, factor = bound
    n = contents.size
    rest, low = np.zeros(n), np.zeros(n)
    idf, key_of, plus, counts, weight = terms
    for term in range(key_of.size):
        t = key_of[term]
        some = slice(rows[t], rows[t + 1])
        add_trix2005(
            documents[some], kf[some], xi_k[some], reach[some], contents, idf[t], v, b, share, steps, counts[term],
            plus[term], root, rest, low,
        )  # fmt: skip
    size = 0
    for d in range(n):
        if not reached[d]:
            continue
        root[d] /= weight
        to = min(np.int64(deepest[d]), least.size - 1)
        highest = _in_context(root[d], rest[d] / weight, least[to], most[to], stays[to], own, factor) * (1.0 + rounding)
        if not highest < COARSE / 2:
            return -1
        key[d] = np.rint(highest * 1e12)
        queue[size] = d
        size += 1
    for at in range(size // 2 - 1, -1, -1):
        sink(queue, size, at, key)
    return size


@kernel
def _in_context(root: float, rest: float, least: float, most: float, stays: bool, own: bool, factor: float) -> float:
    """Return what a document can reach whose root scores so much, and any other element by itself at most so much."""
    highest = rest
    if most > 0.0:
        highest = rest + max(least * (root - rest), most * (root - rest))
    if not own:
        highest = rest + factor * max(highest, 0.0)
    elif stays:
        highest = max(highest, rest)
    return max(root, highest)


@kernel
def scratch_for(postings: int, keys: int) -> Any:
    """Return room for `may_reach`: contents, tf, where those of each key begin; groups."""
    groups = np.empty(GROUPS * keys), np.empty(GROUPS * keys), np.empty(GROUPS, np.int64), np.empty(GROUPS, np.int64)
    read = np.empty(postings, np.int32), np.empty(postings, np.int32)
    return (*read, np.empty(keys + 1, np.int64), np.empty(keys, np.int64), *groups)


@kernel
def may_reach(
    lists: Any, terms: Any, letters: Any, document: int, scratch: Any, last_key: float, root: float, least: float,
    most: float, stays: bool, own: bool, factor: float,
) -> bool:  # fmt: skip
    """Return whether a document may have an element whose rank key is not below the last one, as its postings lie.

    They are cut into some groups in their order. The postings of an element are in a range of groups; so it has no more
    of each term than these, and no fewer content elements than lie between the first of the range and the last.
    """
    v, b = letters[0], letters[1]
    idf, key_of, plus, counts, weight = terms
    contents, counted, starts, at, kf, xi_k, first, last = scratch
    size, keys = _read(lists, document, contents, counted, starts), idf.size
    groups = min(size, GROUPS)
    kf[: groups * keys] = 0.0
    xi_k[: groups * keys] = 0.0
    for t in range(keys):
        at[t] = starts[t]
    group, done = -1, 0
    for i in range(size):
        t, content = -1, np.int32(2147483647)
        for other in range(keys):
            if at[other] < starts[other + 1] and contents[at[other]] < content:
                t, content = other, contents[at[other]]
        if i == done:
            group += 1
            first[group] = content
            done = (group + 1) * size // groups
        kf[group * keys + t] += counted[at[t]]
        xi_k[group * keys + t] += 1.0
        last[group] = content
        at[t] += 1
    highest = -1.0
    for p in range(groups):
        for q in range(p, groups):
            apart_by = float(first[q] - last[p] + 1) if q > p else 1.0
            if q > p:  # the sums of a range stand in the rows of its first group
                for t in range(keys):
                    kf[p * keys + t] += kf[q * keys + t]
                    xi_k[p * keys + t] += xi_k[q * keys + t]
            total = 0.0
            for term in range(key_of.size):
                t = key_of[term]
                n, held_by = kf[p * keys + t], xi_k[p * keys + t]
                one = n * held_by
                one = one / (one + v * ((1.0 - b) * held_by + b * max(apart_by, held_by)) + 1e-300) * idf[t]
                total += (np.sqrt(one) if plus[term] else one) * counts[term]
            if total > highest:
                highest = total
                high = _in_context(root, highest / weight, least, most, stays, own, factor) * (1.0 + letters[4])
                if np.rint(high * 1e12) >= last_key:
                    return True
    return False


@kernel
def _read(lists: Any, document: int, contents: Any, tf: Any, starts: Any) -> int:
    """Decode the postings of one document, list after list; return how many there are."""
    coded, ends, rows_of, (documents, _, xi_k, _), entries, (byte, before), every = lists
    size = np.int64(0)
    starts[0] = 0
    for t in range(ends.size):
        begin = rows_of[t]
        place = begin + seek(documents[begin : rows_of[t + 1]], 0, document)
        if place < rows_of[t + 1] and documents[place] == document:
            entry = (place - begin) // every[t]
            at, last = byte[entries[t] + entry], before[entries[t] + entry]
            passed = np.int64(0)
            for here in range(begin + entry * every[t], place):
                passed += xi_k[here]
            size -= passed
            for _ in range(passed + xi_k[place]):
                value, count = np.int64(coded[at]), np.int64(1)
                at += 1
                if value > 127:
                    more, at = read_varint(coded, at)
                    value = (value & 127) | (more << 7)
                if value & 1:  # the count follows
                    more, at = read_varint(coded, at)
                    count = more + 2
                last += value >> 1
                if passed > 0:
                    passed -= 1
                else:
                    contents[size + passed], tf[size + passed] = last, count
                size += 1
        starts[t + 1] = size
    return int(size)


@kernel
def sink(queue: Any, size: int, at: int, key: Any) -> None:
    """Let a document sink in a heap to where none below it goes first: by key, equal ones in document order."""
    document = queue[at]
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        other = below + 1
        if other < size and _first(queue[other], queue[below], key):
            below = other
        if _first(document, queue[below], key):
            break
        queue[at] = queue[below]
        at = below
    queue[at] = document


@kernel
def _first(one: int, other: int, key: Any) -> bool:
    return key[one] > key[other] or (key[one] == key[other] and one < other)
