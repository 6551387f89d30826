"""The compiled loop that tells how much a document can reach, by how its postings lie together.

Twin: what its elements score; none scores more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.query.document_at_a_time.reach_loops import in_context
from trix.query.document_at_a_time.weighing_loops import BM25, TRIX2005, preferred
from trix.query.scoring.weights_loops import bm25_of_one
from trix.support.backend import inner_kernel, kernel

GROUPS = 16
"""Groups that the postings are cut into."""

_LAST = np.int32(2147483647)


@kernel
def scratch_for(terms: int) -> Any:
    """Return room for `may_reach`: sums over the groups, their ends; where it is in the list of each term; ranges."""
    sums = np.zeros((GROUPS + 1, terms), np.int64), np.zeros((GROUPS + 1, terms), np.int64)
    ends = np.empty(GROUPS, np.int64), np.empty(GROUPS, np.int64), np.empty(GROUPS, np.int64)
    return sums, ends, np.empty(terms, np.int64), np.empty((8 * GROUPS, 4), np.int64)


@inner_kernel
def may_reach(
    postings: Any, scoring: Any, parts: Any, of_depth: Any, scratch: Any, last_key: float, running: Any
) -> bool:
    """Return whether a document may have an element whose rank key is not below the last one, as its postings lie.

    They are cut into some groups in their order. The postings of an element are in a range of groups; so it has no more
    of each term than these, and no less text than lies between the first of the range and the last. Ranges are looked
    at together: those that begin in a range of groups and end in another.

    Parameters
    ----------
    postings
        Contents, tf, and where those of each term begin.
    scoring
        See `trix.query.document_at_a_time.ranking`.
    parts
        Of `bound_documents`, those of the document.
    of_depth
        What the context can add in a document of its depth.
    scratch
        See `scratch_for`.
    last_key
        The rank key that has to be reached.
    running
        Sums of keys; empty where they are not wanted, or not there.
    """
    (key_of, plus, weight, own_of), model, _, (_, apart, roots_only, _), (rounding, slack) = scoring
    kind, idf, (v, b, _, k1, B, avgdl), (logs, begins, lengths), divisor, r = model
    root, around_root, around_rest = parts
    _, _, _, own, _ = of_depth
    (kf, xi_k), (first, last, shortest), _, ranges = scratch
    groups = _group(postings, scratch, running)
    ranges[0, 0], ranges[0, 1], ranges[0, 2], ranges[0, 3] = 0, groups - 1, 0, groups - 1
    waiting = 1
    while waiting:
        waiting -= 1
        p, p_last, q, q_last = ranges[waiting, 0], ranges[waiting, 1], ranges[waiting, 2], ranges[waiting, 3]
        apart_by, between = 1.0, np.int64(0)
        if q > p_last:
            apart_by = float(first[q] - last[p_last] + 1)
            if running.size:
                between = np.int64(running[first[q], 1] - running[last[p_last], 0])
        elif running.size:
            between = shortest[p]
            for group in range(p + 1, q_last + 1):
                between = min(between, shortest[group])
        total = 0.0
        for term in range(key_of.size):
            t = key_of[term]
            held_by, n = float(xi_k[q_last + 1, t] - xi_k[p, t]), float(kf[q_last + 1, t] - kf[p, t])
            if n == 0.0:
                continue
            if kind == TRIX2005:
                one = n * held_by
                one = one / (one + v * ((1.0 - b) * held_by + b * max(apart_by, held_by))) * idf[t]
            else:
                dl = max(np.int64(n), between)
                if kind == BM25:
                    one = bm25_of_one(n, dl, avgdl, idf[t], k1, B)
                else:
                    one = max(logs[begins[t] + np.int64(n)] + lengths[min(dl, lengths.size - 1)], 0.0)
            if r[term] > 0.0:
                one = preferred(one, kf[q_last + 1, own_of[term]] > kf[p, own_of[term]], r[term])
            if plus[term]:
                one = np.sqrt(one) if kind == TRIX2005 else one * 2.0
            total += one * weight[term]
        total /= divisor
        others = total if (roots_only and own) or not apart else around_rest
        high = in_context(root, total, around_root, others, of_depth)
        if np.rint((high * (1.0 + rounding) + slack) * 1e12) < last_key:
            continue
        if p == p_last and q == q_last:
            return True
        low, high_q = (p + p_last) // 2, (q + q_last) // 2
        if p == q and p_last == q_last:
            halves = ((p, low, p, low), (low + 1, p_last, low + 1, p_last), (p, low, low + 1, p_last))
            for half in halves:
                for side in range(4):
                    ranges[waiting, side] = half[side]
                waiting += 1
        elif p_last - p >= q_last - q:
            for side in range(2):
                ranges[waiting + side, 2], ranges[waiting + side, 3] = q, q_last
            ranges[waiting, 0], ranges[waiting, 1] = p, low
            ranges[waiting + 1, 0], ranges[waiting + 1, 1] = low + 1, p_last
            waiting += 2
        else:
            for side in range(2):
                ranges[waiting + side, 0], ranges[waiting + side, 1] = p, p_last
            ranges[waiting, 2], ranges[waiting, 3] = q, high_q
            ranges[waiting + 1, 2], ranges[waiting + 1, 3] = high_q + 1, q_last
            waiting += 2
    return False


@inner_kernel
def _group(postings: Any, scratch: Any, running: Any) -> int:
    """Cut the postings of a document into groups, and sum them up to the end of each; return how many there are."""
    contents, tf, starts = postings
    (kf, xi_k), (first, last, shortest), at, _ = scratch
    terms = starts.size - 1
    size = starts[terms] - starts[0]
    groups = min(size, GROUPS)
    for t in range(terms):
        at[t] = starts[t]
    done, group = 0, -1
    for i in range(size):
        here, content = 0, _LAST
        for t in range(terms):
            if at[t] < starts[t + 1] and contents[at[t]] < content:
                here, content = t, contents[at[t]]
        if i == done:
            group += 1
            for t in range(terms):
                kf[group + 1, t], xi_k[group + 1, t] = kf[group, t], xi_k[group, t]
            first[group], shortest[group] = content, np.int64(_LAST)
            done = (group + 1) * size // groups
        kf[group + 1, here] += tf[at[here]]
        xi_k[group + 1, here] += 1
        last[group] = content
        if running.size:
            shortest[group] = min(shortest[group], np.int64(running[content, 1] - running[content, 0]))
        at[here] += 1
    return int(groups)
