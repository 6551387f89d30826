"""The compiled loops of `trix.query.document_at_a_time.ranking`.

They call those that score all documents at once, so that a score has the same bits. Their twin is that way as a whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.inverted.loops import postings_of, read_varint
from trix.query.bounds.documents_loops import add_trix2005
from trix.query.context.loops import path_scores
from trix.query.matching.loops import count_upwards, lift
from trix.query.ranking.loops import apart
from trix.query.scoring.weights_loops import trix2005
from trix.support.backend import kernel

QUEUED, FOUND, CHOSEN = 0, 1, 2
"""What `state` counts: documents in the queue, results in `found`, documents chosen to be scored next."""

MANY = 8
"""Postings of a document from which on it is worth while to look how they lie together before it is scored."""

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
        if not highest < 4096.0:
            return -1
        key[d] = np.rint(highest * 1e12)
        queue[size] = d
        size += 1
    for at in range(size // 2 - 1, -1, -1):
        _sink(queue, size, at, key)
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
def _sink(queue: Any, size: int, at: int, key: Any) -> None:
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
    scratch = _scratch(1024, terms[0].size)
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
                _sink(queue, state[QUEUED], 0, key)
                if reached[best] >= MANY and last_key > 0.0:
                    if reached[best] > scratch[0].size:
                        scratch = _scratch(2 * reached[best], terms[0].size)
                    to = min(np.int64(deepest[best]), least_of.size - 1)
                    if not _may_reach(
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
        state[FOUND] = score(postings, terms, letters, path, content_rows, rows, found, state[FOUND], top, overlap)


@kernel
def _scratch(postings: int, keys: int) -> Any:
    """Return room for `_may_reach`: contents, tf, where those of each key begin; groups."""
    groups = np.empty(GROUPS * keys), np.empty(GROUPS * keys), np.empty(GROUPS, np.int64), np.empty(GROUPS, np.int64)
    read = np.empty(postings, np.int32), np.empty(postings, np.int32)
    return (*read, np.empty(keys + 1, np.int64), np.empty(keys, np.int64), *groups)


@kernel
def _may_reach(
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
        begin, place, above = rows_of[t], rows_of[t], rows_of[t + 1]
        while place < above:
            middle = (place + above) // 2
            if documents[middle] < document:
                place = middle + 1
            else:
                above = middle
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
) -> int:  # fmt: skip
    """Score the elements of whole documents that hold some postings, and put the best of them among the results.

    Returns how many results there are then.
    """
    contents, tf, offsets = postings
    columns, _, place, _ = lift(contents, offsets, content_rows, rows)
    n = columns.shape[1]
    element, parent, depth = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    xi_c = np.empty(n)
    for i in range(n):  # one array each: loops over rows of one array are slower
        element[i], parent[i], depth[i] = columns[0, i], columns[1, i], columns[3, i]
        xi_c[i] = columns[5, i] - columns[4, i]
    kf, xi_k_of = count_upwards(place, tf, offsets, parent)
    v, b = letters[0], letters[1]
    idf, key_of, plus, counts, weight = terms
    s = np.zeros(n)
    for term in range(key_of.size):
        t = key_of[term]
        made = trix2005(kf[t], xi_c, xi_k_of[t], idf[t], v, b)
        if plus[term]:
            made = np.sqrt(made)
        for i in range(n):
            s[i] += made[i] * counts[term]
    for i in range(n):
        s[i] /= weight
    scores = s
    if path[0].size:
        sums, head, tail, middle, shared, tail_wins, own, factor = path
        scores = path_scores(depth, s, s, head, tail, sums, middle, shared, tail_wins, own, factor)
    return _keep(found, size, top, overlap, (element, parent, depth), scores, s)


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
    keys, elements, scores, owns = found
    if size < top:
        at = size
        size += 1
        while at > 0:
            above = (at - 1) // 2
            if keys[above] < key or (keys[above] == key and elements[above] > element):
                break
            keys[at], elements[at], scores[at], owns[at] = keys[above], elements[above], scores[above], owns[above]
            at = above
    else:
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
    return size
