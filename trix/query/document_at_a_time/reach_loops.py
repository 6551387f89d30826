"""The compiled loops that tell how much documents of `trix.query.document_at_a_time.ranking` can reach.

First by how often each holds the words, as `trix.query.bounds` does, which is the twin; and before one is scored by how
its postings lie together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.inverted.loops import read_varint
from trix.query.document_at_a_time.weighing_loops import BM25, TRIX2005, add_bounds
from trix.query.scoring.weights_loops import bm25_of_one
from trix.support.backend import kernel
from trix.support.seeking import seek

GROUPS = 16
"""Groups that they are cut into."""


@kernel
def bound_documents(
    rows: Any, held: Any, contents: Any, admitted: Any, scoring: Any, steps: int, documents: Any, queue: Any,
    first_contents: Any, running: Any, is_there: Any, roots_alone: bool,
) -> int:  # fmt: skip
    """Fill in what documents can reach, or their roots alone without context; and a queue of those that are admitted.

    Where the sums of keys are there, they say how many a root has. Twin: `trix.query.bounds`; returns the size of the
    queue.
    """
    terms, model, around, (_, apart, roots_only, bound), (rounding, slack) = scoring
    key, root, around_root, around_rest, reached, _, deepest, block_of = documents
    least, most_of, stays, own, factor = bound
    keys = np.zeros(contents.size, np.int64)
    for d in range(contents.size if running.size else 0):
        if contents[d] and is_there[block_of[d]]:
            first = first_contents[d]
            keys[d] = running[first + contents[d] - 1, 1] - running[first, 0]
    holding, _, xi_k, _ = held
    for i in range(rows[-1]):
        reached[holding[i]] += xi_k[i]
    n = contents.size
    rest = np.zeros(n)
    add_bounds(model, terms, rows, held, (contents, keys), steps, root, rest)
    if apart:
        add_bounds(around, terms, rows, held, (contents, keys), steps, around_root, around_rest)
    size = 0
    for d in range(n):
        if not reached[d] or not admitted[d]:
            continue
        if not apart:
            around_root[d], around_rest[d] = root[d], rest[d]
        to = min(np.int64(deepest[d]), least.size - 1)
        highest = _in_context(
            root[d], rest[d], around_root[d], rest[d] if roots_only and own else around_rest[d],
            (least[to], most_of[to], stays[to], own, factor),
        )  # fmt: skip
        key[d] = np.rint(((root[d] if roots_alone else highest) * (1.0 + rounding) + slack) * 1e12)
        queue[size] = d
        size += 1
    for at in range(size // 2 - 1, -1, -1):
        sink(queue, size, at, key)
    return size


@kernel
def _in_context(root: float, rest: float, around_root: float, around_rest: float, bound: Any) -> float:
    """Return what a document can reach.

    Its root and any other element have at most so much by themselves, and as context for others.
    """
    least, most_of, stays, own, factor = bound
    others = max(rest, around_rest) if own else around_rest
    highest = others
    if most_of > 0.0:
        highest = others + max(least * (around_root - others), most_of * (around_root - others))
    if not own:
        highest = rest + factor * max(highest, 0.0)
    elif stays:
        highest = max(highest, rest)
    return max(root, highest)


@kernel
def scratch_for(postings: int, keys: int) -> Any:
    """Return room for `may_reach`: contents, tf, where those of each key begin; groups."""
    read = np.empty(postings, np.int32), np.empty(postings, np.int32)
    ends = np.empty(GROUPS, np.int64), np.empty(GROUPS, np.int64), np.empty(GROUPS, np.int64)
    groups = np.empty((GROUPS, keys)), np.empty((GROUPS, keys)), ends
    return (*read, np.empty(keys + 1, np.int64), np.empty(keys, np.int64), *groups)


@kernel
def may_reach(
    lists: Any, scoring: Any, documents: Any, document: int, scratch: Any, last_key: float, running: Any, is_there: Any
) -> bool:
    """Return whether a document may have an element whose rank key is not below the last one, as its postings lie.

    They are cut into some groups in their order. The postings of an element are in a range of groups; so it has no more
    of each term than these, and no less text than lies between the first of the range and the last.
    """
    (key_of, plus, weight), model, _, (_, apart, roots_only, bound), (rounding, slack) = scoring
    kind, idf, (v, b, _, k1, B, avgdl), (logs, begins, lengths), divisor = model
    _, root, around_root, around_rest, _, _, deepest, block_of = documents
    least, most_of, stays, own, factor = bound
    to = min(np.int64(deepest[document]), least.size - 1)
    of_depth = least[to], most_of[to], stays[to], own, factor
    contents, counted, starts, at, kf, xi_k, (first, last, shortest) = scratch
    size, keys = _read(lists, document, contents, counted, starts), starts.size - 1
    groups = min(size, GROUPS)
    kf[:groups] = 0.0
    xi_k[:groups] = 0.0
    for t in range(keys):
        at[t] = starts[t]
    has_lengths = running.size > 0 and is_there[block_of[document]]
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
            shortest[group] = 2147483647 if has_lengths else 0
        kf[group, t] += counted[at[t]]
        xi_k[group, t] += 1.0
        last[group] = content
        if has_lengths:
            shortest[group] = min(shortest[group], running[content, 1] - running[content, 0])
        at[t] += 1
    highest = -1.0  # so much is not enough
    for p in range(groups):
        for q in range(p, groups):
            apart_by, between = 1.0, shortest[p]
            if q > p:  # the sums of a range stand in the rows of its first group
                apart_by = float(first[q] - last[p] + 1)
                for t in range(keys):
                    kf[p, t] += kf[q, t]
                    xi_k[p, t] += xi_k[q, t]
                if has_lengths:
                    between = np.int64(running[first[q], 1] - running[last[p], 0])
            total = 0.0
            for term in range(key_of.size):
                t = key_of[term]
                n, held_by = kf[p, t], xi_k[p, t]
                if kind == TRIX2005:
                    one = n * held_by
                    one = one / (one + v * ((1.0 - b) * held_by + b * max(apart_by, held_by)) + 1e-300) * idf[t]
                    total += (np.sqrt(one) if plus[term] else one) * weight[term]
                elif n > 0.0:
                    dl = max(np.int64(n), between)
                    if kind == BM25:
                        one = bm25_of_one(n, dl, avgdl, idf[t], k1, B)
                    else:
                        one = max(logs[begins[t] + np.int64(n)] + lengths[min(dl, lengths.size - 1)], 0.0)
                    total += (one * 2.0 if plus[term] else one) * weight[term]
            total /= divisor
            if total > highest:
                highest = total
                others = total if (roots_only and own) or not apart else around_rest[document]
                high = _in_context(root[document], total, around_root[document], others, of_depth)
                if np.rint((high * (1.0 + rounding) + slack) * 1e12) >= last_key:
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
