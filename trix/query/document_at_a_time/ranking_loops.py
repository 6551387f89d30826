"""The compiled loops of `trix.query.document_at_a_time.ranking`.

They call those that score all documents at once, so that a score has the same bits. Their twin is that way as a whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.inverted.loops import postings_of
from trix.query.context.loops import path_scores
from trix.query.document_at_a_time.heap_loops import put, worst_of
from trix.query.document_at_a_time.plan import BY_ROOT, ELEMENTS
from trix.query.document_at_a_time.reach_loops import may_reach, scratch_for, sink
from trix.query.document_at_a_time.returned_loops import returned
from trix.query.document_at_a_time.weighing_loops import basic
from trix.query.matching.loops import count_upwards, lift
from trix.query.ranking.loops import apart
from trix.support.backend import kernel

QUEUED, CHOSEN, FOUND, HEAD, MATCHED, HEARD = 0, 1, 2, 3, 4, 5
"""What `state` counts: documents in the queue, and chosen to be scored next; results, and those of the head; elements
that were scored, and that are not quiet."""

MANY = 8
"""Postings of a document from which on it is worth while to look how they lie together before it is scored."""


@kernel
def advance(
    lists: Any, scoring: Any, documents: Any, queue: Any, chosen: Any, table: Any, showing: Any, found: Any, state: Any,
    least: int,
) -> bool:  # fmt: skip
    """Score documents until no other can have a result among the first; return whether that is done.

    Where the columns of the chosen documents are not there yet, it returns before they are scored.

    Parameters
    ----------
    lists
        The columns of `OpenLists`.
    scoring, showing
        As `ranking` makes them.
    documents
        Of each its rank key; the scores of its root, by itself and as context, and of its other elements as context;
        postings, first element, deepest element and block.
    queue, chosen
        Documents that may have a result, a heap; and those that are scored next.
    table
        Of content elements their rows and sums of keys, of elements their rows and lengths; which blocks are there.
    found
        The results until now, and those of the head: rank key, element, score and score without context; heaps, the
        worst of them first.
    state
        See `QUEUED` and what stands beside it.
    least
        Postings from which on chosen documents are scored together.
    """
    key, _, _, _, reached, first_elements, _, block_of = documents
    is_there = table[4]
    by_root = showing[2] == BY_ROOT
    scratch = scratch_for(1024, lists[1].size)
    while True:
        if not state[CHOSEN]:
            last_key, last_element = last_of(found, state)
            waiting = np.int64(0)
            while state[QUEUED] and waiting < least:
                best = queue[0]
                if key[best] < last_key or (key[best] == last_key and first_elements[best] > last_element):
                    state[QUEUED] = 0  # in this order nothing that follows is better
                    break
                state[QUEUED] -= 1
                queue[0] = queue[state[QUEUED]]
                sink(queue, state[QUEUED], 0, key)
                if reached[best] >= MANY and last_key > 0.0 and not by_root:
                    if reached[best] > scratch[0].size:
                        scratch = scratch_for(2 * reached[best], lists[1].size)
                    if not may_reach(lists, scoring, documents, best, scratch, last_key, table[1], is_there):
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
        score(_postings_in(lists, batch), scoring, table, showing, found, state)


@kernel
def last_of(found: Any, state: Any) -> Any:
    """Return rank key and element that a result must be better than: the last of the head, or of all results.

    Where the head is all that is wanted, its last is no better than that of the results.
    """
    results, head = found
    last_key, last_element = worst_of(results, state[FOUND])
    if not head[0].size:
        return last_key, last_element
    head_key, head_element = worst_of(head, state[HEAD])
    if head_key < last_key or (head_key == last_key and head_element > last_element):
        return head_key, head_element
    return last_key, last_element


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
def score(postings: Any, scoring: Any, table: Any, showing: Any, found: Any, state: Any) -> None:
    """Score the elements of whole documents that hold some postings, and put the best of them among the results."""
    contents, tf, starts = postings
    content_rows, running, rows, length, _ = table
    terms, model, around, context, _ = scoring
    path, apart_model, roots_only, _ = context
    columns, _, place, _ = lift(contents, starts, content_rows, rows)
    n = columns.shape[1]
    element, parent, depth = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    xi_c, dl = np.empty(n), np.empty(n if running.size else 0, np.int64)
    for i in range(n):  # arrays of their own, since loops over rows of one array are slower
        element[i], parent[i], depth[i] = columns[0, i], columns[1, i], columns[3, i]
        begin, end = columns[4, i], columns[5, i]
        xi_c[i] = end - begin
        if running.size:
            dl[i] = running[end - 1, 1] - running[begin, 0]
    counts = count_upwards(place, tf, starts, parent)
    s = basic(model, terms, counts, (xi_c, dl), depth, 255)
    scores = s
    if path[0].size:
        other = s
        if apart_model:
            other = basic(around, terms, counts, (xi_c, dl), depth, 0 if roots_only else 255)
        sums, head, tail, middle, shared, tail_wins, own, factor = path
        scores = path_scores(depth, s, other, head, tail, sums, middle, shared, tail_wins, own, factor)
    overlap, most, documents, readable = showing
    keep, heard = returned(element, parent, length, readable)
    state[MATCHED] += n
    state[HEARD] += heard
    if documents == ELEMENTS:
        _keep(found, state, (overlap, most), (element, parent, depth), keep, scores, s)
    else:
        _keep_documents(found[0], state, documents == BY_ROOT, (element, parent), keep, scores, s)


@kernel
def _keep_documents(
    results: Any, state: Any, by_root: bool, columns: Any, keep: Any, scores: Any, s: Any
) -> None:  # fmt: skip
    """Put the roots of documents of which anything is returned among the results.

    Their keys are those of their own scores, or of the best that is returned of them.
    """
    element, parent = columns
    n = scores.size
    begin = 0
    while begin < n:
        end, best, heard = begin, -np.inf, False
        while end < n and (end == begin or parent[end] >= 0):
            if keep[end]:
                heard, best = True, max(best, scores[end])
            end += 1
        if heard:
            key = np.rint((s[begin] if by_root else best) * 1e12)
            worst, last = worst_of(results, state[FOUND])
            if key > worst or (key == worst and element[begin] < last):
                state[FOUND] = put(results, state[FOUND], key, element[begin], scores[begin], s[begin])
        begin = end


@kernel
def _keep(found: Any, state: Any, showing: Any, columns: Any, keep: Any, scores: Any, s: Any) -> None:
    """Put those elements among the results, and those of the head, that are better than the last of them."""
    element, parent, depth = columns
    overlap, most = showing
    n = scores.size
    key = np.empty(n)
    worst, last = last_of(found, state)
    order = np.empty(n, np.int32)
    count = 0
    for i in range(n):
        key[i] = np.rint(scores[i] * 1e12)
        order[count] = i
        count += keep[i] and (key[i] > worst or (key[i] == worst and element[i] < last))
    order = order[:count]
    if not overlap or most:
        # Elements hide each other within a document alone, and all that could hide one of these is among them.
        order = order[np.argsort(-key[order], kind="mergesort")]
    if not overlap:
        order = apart(order, parent, depth, np.zeros(n, np.uint8), count)
    results, head = found
    size, room = state[FOUND], results[0].size
    worst, last = worst_of(results, size)
    for i in order:  # a comparison here costs a tenth of a call
        if key[i] > worst or (key[i] == worst and element[i] < last):
            size = put(results, size, key[i], element[i], scores[i], s[i])
            if size == room:
                worst, last = results[0][0], results[1][0]
    state[FOUND] = size
    if not most:
        return
    root, taken = np.empty(n, np.int32), np.zeros(n, np.int32)
    for i in range(n):
        root[i] = i if parent[i] < 0 else root[parent[i]]
    size, room = state[HEAD], head[0].size
    worst, last = worst_of(head, size)
    for i in order:
        if taken[root[i]] < most:
            taken[root[i]] += 1
            if key[i] > worst or (key[i] == worst and element[i] < last):
                size = put(head, size, key[i], element[i], scores[i], s[i])
                if size == room:
                    worst, last = head[0][0], head[1][0]
    state[HEAD] = size
