"""The compiled loops of `trix.query.document_at_a_time.ranking`.

They call those that score all documents at once, so that a score has the same bits. Their twin is that way as a whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.query.context.loops import path_scores
from trix.query.document_at_a_time.heap_loops import followed, heap_for, in_order, put, worst_of
from trix.query.document_at_a_time.plan import BY_ROOT, ELEMENTS
from trix.query.document_at_a_time.reach_loops import bound_documents, holding
from trix.query.document_at_a_time.returned_loops import returned
from trix.query.document_at_a_time.stretch_loops import may_reach, scratch_for
from trix.query.document_at_a_time.waiting_loops import in_waiting, refill, sink
from trix.query.document_at_a_time.weighing_loops import basic, impact_factors, unpacked
from trix.query.matching.loops import lift_documents
from trix.query.open_lists.lists_loops import read_document
from trix.query.ranking.loops import apart
from trix.support.backend import inner_kernel, kernel

FOUND, HEAD, MATCHED, HEARD = 0, 1, 2, 3
"""What `state` counts: results, and those of the head; elements that were scored, and that are not quiet."""

MANY = 8
"""Postings of a document from which on it is worth while to look how they lie together before it is scored."""


@kernel
def first_results(
    columns: Any, impacts: Any, numbers: Any, scoring: Any, index: Any, admitted: Any, table: Any, showing: Any,
    rooms: Any, slot: Any, few: int, together: int,
) -> Any:  # fmt: skip
    """Score documents until no other can have a result among the first.

    Where columns of documents are not there that are to be scored, all is left undone.

    Parameters
    ----------
    columns, impacts
        Those of `OpenLists`.
    numbers
        See `trix.query.document_at_a_time.weighing.query_numbers`.
    scoring
        The models and the context, see `Plan`, and what rounding may add to scores.
    showing
        See `Plan.shown`.
    index
        Of each document its first element, first content element and number of these; its deepest element and block.
    admitted
        Which documents may have results.
    table
        Of content elements their rows and sums of keys, of elements their rows and lengths; which blocks are there.
    rooms
        How many results are wanted, and of the head.
    slot
        Of each document 0, before and after.
    few, together
        Postings up to which all documents are scored; and that are scored together in each turn, at the least.

    Returns
    -------
    missing : ndarray
        The documents whose columns have to be there; none where the results are.
    results : tuple of ndarrays
        Elements, scores, and scores without context, the best first.
    counts : tuple of ints
        How many elements were scored, and were not quiet; whether these are all.
    """
    models, context, rounding = scoring
    spans, terms, model, around = unpacked(numbers, models)
    weighing = terms, model, around, context, rounding
    first_elements, _, _, deepest, block_of = index
    _, running, _, _, is_there = table
    _, _, _, bound = context
    least, most_of, stays, own, factor = bound
    by_root = showing[2] == BY_ROOT
    no_sums = running[:0]
    found = heap_for(rooms[0]), heap_for(rooms[1])
    state = np.zeros(4, np.int64)
    by_impacts = impacts.size > 0
    factors = impact_factors(model, terms, len(spans)) if by_impacts else np.zeros((len(spans), 2))
    held = holding(columns, spans, admitted, slot, impacts, factors)
    documents, reached, rows, _, _ = held
    everything = reached.sum() <= few
    if everything:
        key = np.full(documents.size, np.inf)
        parts = key, key, key
        together = few + 1
    else:
        how = by_impacts, by_root
        key, parts = bound_documents((columns, spans), held, slot, weighing, index, running, is_there, how)
    for d in documents:
        slot[d] = 0
    queue, waiting = in_waiting(key, documents, 4 * rooms[0] + 64)
    behind = documents.size - waiting
    scratch, begins = scratch_for(len(spans)), np.empty((len(spans), 3), np.int64)
    contents, tf = np.empty(1024, np.int32), np.empty(1024, np.int32)
    chosen, starts = np.empty(64, np.int32), np.empty((64, len(spans) + 1), np.int64)
    while True:
        last_key, last_element = last_of(found, state)
        count, size = np.int64(0), np.int64(0)  # not 0, which is another type: what is called would be compiled twice
        while size < together:
            if not waiting:
                if not behind:
                    break
                waiting, behind = refill(queue, behind, key, documents, last_key), 0
                continue
            best = queue[0]
            d = documents[best]
            if key[best] < last_key or (key[best] == last_key and first_elements[d] > last_element):
                waiting = behind = 0  # in this order nothing that follows is better
                break
            waiting -= 1
            queue[0] = queue[waiting]
            sink(queue, waiting, 0, key, documents)
            if size + reached[best] > contents.size:
                room = 2 * (size + reached[best])
                contents, tf = _longer(contents, room), _longer(tf, room)
            if count == chosen.size:
                chosen = _longer(chosen, 2 * count)
                longer = np.empty((2 * count, starts.shape[1]), np.int64)
                longer[:count] = starts
                starts = longer
            end = read_document(columns, rows[best], contents, tf, starts[count], size, begins)
            if not everything and reached[best] >= MANY and last_key > 0.0 and not by_root:
                to = min(np.int64(deepest[d]), least.size - 1)
                if not may_reach(
                    (contents, tf, starts[count]), weighing, (parts[0][best], parts[1][best], parts[2][best]),
                    (least[to], most_of[to], stays[to], own, factor), scratch, last_key,
                    running if is_there[block_of[d]] else no_sums,
                ):  # fmt: skip
                    continue
            chosen[count], size = d, end
            count += 1
        if not count:
            break
        together = max(together // 4, min(together, 256))
        order = np.argsort(chosen[:count])
        for at in order:
            if not is_there[block_of[chosen[at]]]:
                return chosen[:count], in_order(found[0], np.int64(0)), (np.int64(0), np.int64(0), False)
        score((contents, tf, starts, order), weighing, table, showing, found, state)
    results = in_order(found[0], state[FOUND])
    is_all = everything or state[FOUND] < rooms[0]
    if rooms[1]:
        results = followed(in_order(found[1], state[HEAD]), results)
    return chosen[:0], results, (state[MATCHED], state[HEARD], is_all)


@kernel
def _longer(column: Any, size: Any) -> Any:
    """Return a column with room for more."""
    longer = np.empty(size, column.dtype)
    longer[: column.size] = column
    return longer


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


@inner_kernel
def score(postings: Any, scoring: Any, table: Any, showing: Any, found: Any, state: Any) -> None:
    """Score the elements of whole documents that hold some postings, and put the best of them among the results."""
    contents, tf, starts, order = postings
    content_rows, running, rows, length, _ = table
    terms, model, around, context, _ = scoring
    path, apart_model, roots_only, _ = context
    lifted = lift_documents(contents, tf, starts, order, content_rows, rows, running)
    element, parent, depth, xi_c, dl, counts = lifted
    n = element.size
    s = basic(model, terms, counts, (xi_c, dl), depth, np.int64(255))
    scores = s
    if path[0].size:
        other = s
        if apart_model:
            other = basic(around, terms, counts, (xi_c, dl), depth, np.int64(0 if roots_only else 255))
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


@inner_kernel
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


@inner_kernel
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
