"""The compiled loops of `trix.query.document_at_a_time.ranking`.

They call those that score all documents at once, so that a score has the same bits. Their twin is that way as a whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.inverted.loops import postings_of
from trix.query.context.loops import path_scores
from trix.query.document_at_a_time.reach_loops import may_reach, scratch_for, sink
from trix.query.matching.loops import count_upwards, lift
from trix.query.ranking.loops import apart
from trix.query.scoring.weights_loops import trix2005_of_one
from trix.support.backend import kernel

QUEUED, FOUND, CHOSEN = 0, 1, 2
"""What `state` counts: documents in the queue, results in `found`, documents chosen to be scored next."""

MANY = 8
"""Postings of a document from which on it is worth while to look how they lie together before it is scored."""


@kernel
def advance(
    lists: Any, terms: Any, letters: Any, path: Any, bound: Any, documents: Any, queue: Any, chosen: Any, table: Any,
    found: Any, state: Any, top: int, overlap: bool, least: int,
) -> bool:  # fmt: skip
    """Score documents until no other can have a result among the first; return whether that is done.

    Where the structure of the chosen documents is not there yet, it returns before they are scored.

    Parameters
    ----------
    lists
        The columns of `OpenLists`.
    terms, letters, path, bound
        As `ranking` makes them.
    documents
        Of each its rank key, score of the root, postings, first element, deepest element and block.
    queue, chosen
        Documents that may have a result, a heap; and those that are scored next.
    table
        Rows of content elements and of elements, and which blocks of them are there.
    found
        Of the results until now: rank key, element, score and score without context; a heap, the worst of them first.
    state
        See `QUEUED`, `FOUND` and `CHOSEN`.
    top, overlap
        How many results are wanted, and whether they may overlap.
    least
        Postings from which on chosen documents are scored together.
    """
    key, root, reached, first_elements, deepest, block_of = documents
    content_rows, rows, is_there = table
    least_of, most, stays, own, factor = bound
    scratch = scratch_for(1024, terms[0].size)
    while True:
        if not state[CHOSEN]:
            last_key, last_element = -np.inf, np.int64(0)
            if state[FOUND] == top:
                last_key, last_element = found[0][0], found[1][0]
            waiting = np.int64(0)
            while state[QUEUED] and waiting < least:
                best = queue[0]
                if key[best] < last_key or (key[best] == last_key and first_elements[best] > last_element):
                    state[QUEUED] = 0  # in this order nothing that follows is better
                    break
                state[QUEUED] -= 1
                queue[0] = queue[state[QUEUED]]
                sink(queue, state[QUEUED], 0, key)
                if reached[best] >= MANY and last_key > 0.0:
                    if reached[best] > scratch[0].size:
                        scratch = scratch_for(2 * reached[best], terms[0].size)
                    to = min(np.int64(deepest[best]), least_of.size - 1)
                    if not may_reach(
                        lists, terms, letters, best, scratch, last_key, root[best], least_of[to], most[to], stays[to],
                        own, factor,
                    ):  # fmt: skip
                        continue
                chosen[state[CHOSEN]] = best
                state[CHOSEN] += 1
                waiting += reached[best]
            if not state[CHOSEN]:
                return True
            least = max(least // 4, min(least, 256))
        batch = np.sort(chosen[: state[CHOSEN]])
        for d in batch:
            if not is_there[block_of[d]]:
                return False
        state[CHOSEN] = 0
        postings = _postings_in(lists, batch)
        state[FOUND], _ = score(postings, terms, letters, path, content_rows, rows, found, state[FOUND], top, overlap)


@kernel
def _postings_in(lists: Any, batch: Any) -> Any:
    """Return the postings in some documents, and where those of each key begin."""
    coded, ends, rows_of, held, entries, entered, every = lists
    documents, _, xi_k, _ = held
    byte, before = entered
    keys = ends.size
    starts = np.zeros(keys + 1, np.int64)
    read = []
    for t in range(keys):
        some, places = slice(rows_of[t], rows_of[t + 1]), slice(entries[t], entries[t + 1])
        postings = postings_of(
            coded[: ends[t]], documents[some], xi_k[some], byte[places], before[places], batch, every[t]
        )
        starts[t + 1] = starts[t] + postings[0].size
        read.append(postings)
    contents, tf = np.empty(starts[keys], np.int32), np.empty(starts[keys], np.int32)
    for t in range(keys):
        contents[starts[t] : starts[t + 1]], tf[starts[t] : starts[t + 1]] = read[t]
    return contents, tf, starts


@kernel
def score(
    postings: Any, terms: Any, letters: Any, path: Any, content_rows: Any, rows: Any, found: Any, size: int, top: int,
    overlap: bool,
) -> Any:  # fmt: skip
    """Score the elements of whole documents that hold some postings, and put the best of them among the results.

    Returns how many results there are then, and how many elements were scored.
    """
    contents, tf, starts = postings
    columns, _, place, _ = lift(contents, starts, content_rows, rows)
    n = columns.shape[1]
    element, parent, depth = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    for i in range(n):  # arrays of their own, since loops over rows of one array are slower
        element[i], parent[i], depth[i] = columns[0, i], columns[1, i], columns[3, i]
    kf, xi_k = count_upwards(place, tf, starts, parent)
    v, b = letters[0], letters[1]
    idf, key_of, plus, counts, weight = terms
    s = np.empty(n)
    for i in range(n):
        total, xi_c = 0.0, float(columns[5, i] - columns[4, i])
        for term in range(key_of.size):
            t = key_of[term]
            if kf[t, i] > 0:
                one = trix2005_of_one(kf[t, i], xi_c, xi_k[t, i], idf[t], v, b)
                total += (np.sqrt(one) if plus[term] else one) * counts[term]
        s[i] = total / weight
    scores = s
    if path[0].size:
        sums, head, tail, middle, shared, tail_wins, own, factor = path
        scores = path_scores(depth, s, s, head, tail, sums, middle, shared, tail_wins, own, factor)
    return _keep(found, size, top, overlap, (element, parent, depth), scores, s), n


@kernel
def _keep(found: Any, size: int, top: int, overlap: bool, columns: Any, scores: Any, s: Any) -> int:
    """Put those elements among the results that are better than the last of them; return how many there are."""
    element, parent, depth = columns
    n = scores.size
    key = np.empty(n)
    for i in range(n):
        key[i] = np.rint(scores[i] * 1e12)
    worst, last = -np.inf, np.int64(0)
    if size == top:
        worst, last = found[0][0], found[1][0]
    order = np.empty(n, np.int32)
    count = 0
    for i in range(n):
        order[count] = i
        count += key[i] > worst or (key[i] == worst and element[i] < last)
    order = order[:count]
    if not overlap:
        # Elements hide each other within a document alone, and all that could hide one of these is among them.
        order = order[np.argsort(-key[order], kind="mergesort")]
        order = apart(order, parent, depth, np.zeros(n, np.uint8), count)
    for i in order:
        if size < top or key[i] > worst or (key[i] == worst and element[i] < last):
            size = _put(found, size, top, key[i], element[i], scores[i], s[i])
            if size == top:
                worst, last = found[0][0], found[1][0]
    return size


@kernel
def _put(found: Any, size: int, top: int, key: float, element: int, score: float, own: float) -> int:
    """Put an element among the results, a heap whose first is the worst; in place of that where there are enough.

    Returns how many there are then.
    """
    if size == top:
        _sink_in(found, size, key, element, score, own)
        return size
    keys, elements, scores, owns = found
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
