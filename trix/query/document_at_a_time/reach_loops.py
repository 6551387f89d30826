"""The compiled loops that tell how much documents can reach, by how often each holds the words.

Twin: `trix.query.bounds`. How the postings of a document lie together says more, see `stretch_loops`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.query.document_at_a_time.weighing_loops import add_bounds
from trix.support.backend import kernel


@kernel
def holding(columns: Any, spans: Any, admitted: Any, slot: Any, impacts: Any, factors: Any) -> Any:
    """Return the admitted documents that hold any term, and what is known of each.

    Parameters
    ----------
    columns, spans
        Those of `OpenLists`.
    admitted
        Which documents are.
    slot
        Of each document 0 before; after, where each of those that are returned stands, counted from 1.
    impacts, factors
        The impacts of the lists, if any, and what they are multiplied by, see `impact_factors`.

    Returns
    -------
    found, postings, rows
        The documents; of each its postings, and its row in the list of each term, -1 where it does not hold the term.
    root, rest
        What its root, and any other element of it, can score at most by itself; 0 without impacts.
    """
    _, listed, _, _ = columns
    terms, most = len(spans), np.int64(0)
    for t in range(terms):
        most += spans[t, 1] - spans[t, 0]
    most = min(most, np.int64(slot.size))
    found, postings = np.empty(most, np.int32), np.empty(most, np.int64)
    rows = np.full((most, terms), np.int32(-1))
    root, rest = np.zeros(most), np.zeros(most)
    n = 0
    for t in range(terms):
        once, rooted = factors[t, 0], factors[t, 1]
        for row in range(spans[t, 0], spans[t, 1]):
            d = listed[row, 0]
            at = slot[d] - 1
            if at < 0:
                if not admitted[d]:
                    continue
                at = n
                n += 1
                slot[d] = n
                found[at], postings[at] = d, 0
            rows[at, t] = row
            postings[at] += listed[row, 1]
            if impacts.size:
                here, whole = float(impacts[row, 0]), float(impacts[row, 1])
                rest[at] += here * once
                root[at] += whole * once
                if rooted:
                    rest[at] += np.sqrt(here) * rooted
                    root[at] += np.sqrt(whole) * rooted
    return found[:n], postings[:n], rows[:n], root[:n], rest[:n]


@kernel
def bound_documents(
    lists: Any, held: Any, slot: Any, scoring: Any, index: Any, running: Any, is_there: Any, how: Any
) -> Any:
    """Return the rank keys that documents can reach, or their roots alone without context; and the parts of these.

    The parts are what the root can score, by itself and as context, and what others can score as context. Where the
    sums of keys are there, they say how many a root has. `how` says whether all was done that impacts can do, and
    whether roots are wanted alone.
    """
    (_, listed, _, _), spans = lists
    found, _, rows, root, rest = held
    _, first_contents, contents, deepest, block_of = index
    terms, model, around, (_, apart, roots_only, bound), (rounding, slack) = scoring
    least, most_of, stays, own, factor = bound
    by_impacts, roots_alone = how
    n = found.size
    key = np.empty(n)
    around_root, around_rest = root, rest
    if apart or not by_impacts:
        sizes, keys = np.empty(n, np.int64), np.zeros(n, np.int64)
        for i in range(n):
            d = found[i]
            sizes[i] = contents[d]
            if running.size and contents[d] and is_there[block_of[d]]:
                first = first_contents[d]
                keys[i] = running[first + contents[d] - 1, 1] - running[first, 0]
        if not by_impacts:
            add_bounds(model, terms, (listed, spans, slot, rows), (sizes, keys), root, rest)
        if apart:
            around_root, around_rest = np.zeros(n), np.zeros(n)
            add_bounds(around, terms, (listed, spans, slot, rows), (sizes, keys), around_root, around_rest)
    for i in range(n):
        to = min(np.int64(deepest[found[i]]), least.size - 1)
        highest = in_context(
            root[i], rest[i], around_root[i], rest[i] if roots_only and own else around_rest[i],
            (least[to], most_of[to], stays[to], own, factor),
        )  # fmt: skip
        key[i] = np.rint(((root[i] if roots_alone else highest) * (1.0 + rounding) + slack) * 1e12)
    return key, (root, around_root, around_rest)


@kernel
def in_context(root: float, rest: float, around_root: float, around_rest: float, bound: Any) -> float:
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
