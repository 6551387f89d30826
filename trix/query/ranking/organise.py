"""Result organisation: from scored candidates to the list a user reads [RETRIEVAL, section 6].

The *rank key* is the score rounded to 12 decimals, descending, then document order: of equal scores the ancestor
comes first, and rounding noise in the last bits decides nothing. It decides ranking and overlap everywhere.

Lists are short and candidates many, so nothing sorts all of them: the head of the ranking is selected, and grows only
while the overlap rule leaves too few.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError, did_you_mean
from trix.query.matching.candidates import Candidates
from trix.query.matching.joins import spread
from trix.query.ranking.overlap_filter import OverlapFilter
from trix.settings import names_of

STRATEGIES = {
    "thorough": "full",
    "focused": "none",
    "fetch-browse": "none",
    "relevant-in-context": "none",
    "best-in-context": "full",
}
"""Each strategy, with its overlap rule."""

OVERLAPS = names_of("overlap")
"""Rules of overlap [I]. *None* and *partial* look at what has been kept; *partial-scored* takes the
second rule by its letter and skips what ranks below its parent or a child of it, whether or not that one is kept."""

FETCHES = names_of("fetch")

LISTS = ("thorough", "focused")
"""Strategies with independent results, not grouped by document."""

GROUPED = ("fetch-browse", "relevant-in-context")
"""The strategies that keep the results of a document together."""

Places = NDArray[np.int32]


class CutDocument(NamedTuple):
    """The first document whose results do not fit into a list that groups by document.

    Attributes
    ----------
    root
        Index of its root among the candidates.
    results
        Number of its results.
    top
        Number of results of the list if it were included.
    """

    root: int
    results: int
    top: int


COARSE = 8192.0
"""From this size on, doubles are spaced by more than 1e-12: rounding to 12 decimals changes nothing."""


def organise(
    candidates: Candidates,
    scores: NDArray[np.float64],
    *,
    strategy: str,
    overlap: str | None = None,
    top: int | None,
    root_scores: NDArray[np.float64],
    fetch: str = "root",
    keep: NDArray[np.bool_] | None = None,
    unfit: Callable[[CutDocument], None] | None = None,
    per_document: int | None = None,
) -> Places:
    """Rank, remove overlap, group and cut.

    Parameters
    ----------
    candidates
        n elements.
    scores
        ``(n,)`` contextualised scores.
    strategy
        A key of `STRATEGIES`.
    overlap
        One of `OVERLAPS`; None takes the strategy's own.
    top
        Greatest number of results; None for no limit. Where documents are grouped, the first that does not fit whole
        ends the list; the first of all is cut to its best by rank key.
    root_scores
        ``(n,)`` scores before contextualisation; those of the roots rank documents with ``fetch="root"``.
    fetch
        What ranks documents in ``fetch-browse`` and ``relevant-in-context``: the uncontextualised score of the
        root, the best of the returned scores, or their sum.
    keep
        ``(n,)`` which candidates may be returned; the others hide nothing. None for all.
    unfit
        Called with the document that did not fit into a list of documents, or of which only the best results did.
    per_document
        Greatest number of results of one document, the best by rank key; None for no limit.

    Returns
    -------
    ndarray
        Places of the results in order, int32.

    Raises
    ------
    UsageError
        If strategy, overlap or fetch is unknown.
    """
    _check("strategy", strategy, STRATEGIES)
    rule = STRATEGIES[strategy] if overlap is None else overlap
    _check("overlap", rule, OVERLAPS)
    _check("fetch", fetch, FETCHES)
    # Excluded candidates rank below everything; they hide nothing, since the filter never sees them.
    key = rank_key(scores)
    if keep is not None:
        key = np.where(keep, key, -np.inf)
    if rule == "partial-scored":
        key, rule = np.where(outranked(key, candidates.parent), -np.inf, key), "full"
    returnable = int(np.count_nonzero(key > -np.inf))
    limit = returnable if top is None else min(max(top, 0), returnable)
    if limit == 0:
        return np.empty(0, dtype=np.int32)
    if strategy in LISTS:
        return _ranked(OverlapFilter(candidates, rule, per_document), key, limit, returnable)
    if strategy == "best-in-context":
        return _best_in_context(candidates, key, limit)
    places, left = _grouped(
        candidates, scores, key, lambda: OverlapFilter(candidates, rule, per_document), limit, root_scores, fetch,
        strategy == "relevant-in-context",
    )  # fmt: skip
    if left is not None and unfit is not None:
        unfit(left)
    return places


def rank_key(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers that sort as the scores rounded to 12 decimals.

    >>> rank_key(np.array([0.1 + 0.2, 0.3, 0.3 + 1e-12])).tolist()
    [300000000000.0, 300000000000.0, 300000000001.0]
    >>> rank_key(np.array([1e9, 1e9 + 1e-7, 0.5])).tolist()
    [1000000000.0, 1000000000.0000001, 0.5]
    """
    if not len(scores) or max(scores.max(), -scores.min()) < COARSE:
        return np.asarray(np.rint(scores * 1e12), dtype=np.float64)
    fine = np.abs(scores) < COARSE
    return np.where(fine, np.rint(np.where(fine, scores, 0.0) * 1e12) / 1e12, scores)


def outranked(key: NDArray[np.float64], parent: Places) -> NDArray[np.bool_]:
    """Return which elements rank below their parent or a child of theirs; of equal keys the parent ranks first.

    >>> outranked(np.array([1.0, 2.0, 2.0, 3.0, -np.inf]), np.array([-1, 0, 1, 2, 3])).tolist()
    [True, False, True, False, True]
    """
    child = np.flatnonzero(parent >= 0)
    above = parent[child]
    # One of the two loses, never both: at equal keys the parent comes first in document order.
    rises = key[child] > key[above]
    lost = np.zeros(len(key), dtype=np.bool_)
    lost[above[rises]] = True
    lost[child[~rises]] = True
    return lost


def best(key: NDArray[np.float64], count: int) -> Places:
    """Return the places of the ``count`` greatest keys, greatest first, equal ones in document order.

    >>> best(np.array([1.0, 3.0, 2.0, 3.0, 2.0]), 3).tolist()
    [1, 3, 2]
    >>> best(np.array([1.0]), 0).tolist()
    []
    """
    n = len(key)
    if count <= 0:
        return np.empty(0, dtype=np.int32)
    if count < n:
        # Select, then sort: O(n) for all and O(k log k) for the head. Keys equal to the k-th are all taken, so ties are
        # broken by document order and not by the partition.
        places = np.flatnonzero(key >= np.partition(key, n - count)[n - count])
        key = key[places]
    else:
        places = np.arange(n)
    return places[_descending(key)[:count]].astype(np.int32)


def _descending(key: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the stable descending order.

    Keys are whole numbers, almost always small enough that key and position fit into one integer. Sorting these takes
    a tenth of the time of a stable sort of floats.
    """
    bits = len(key).bit_length()
    if len(key) > 256 and max(key.max(), -key.min()) < 2.0 ** (62 - bits):
        whole = key.astype(np.int64)
        if np.array_equal(whole, key):
            # One integer sort: key in the upper bits, position in the lower ones, so equal keys stay in document order.
            packed = (-whole << bits) + np.arange(len(key))
            packed.sort()
            return np.asarray(packed & ((1 << bits) - 1), dtype=np.intp)
    return np.argsort(-key, kind="stable")


def _ranked(overlap_filter: OverlapFilter, key: NDArray[np.float64], limit: int, returnable: int) -> Places:
    if overlap_filter.everything:
        return best(key, limit)
    kept, done, head = list[Places](), 0, max(64, 4 * limit)
    # The filter drops some of the head. If too few are left, take a head four times as long and go on after the old
    # one.
    while limit and done < returnable:
        head = min(head, returnable)
        ranking = best(key, head)[done:]
        kept.append(overlap_filter.filter(ranking, limit))
        limit -= len(kept[-1])
        done, head = head, 4 * head
    return np.concatenate(kept)


def _best_in_context(candidates: Candidates, key: NDArray[np.float64], limit: int) -> Places:
    roots = np.flatnonzero(candidates.parent < 0)
    # Best element by document: all elements whose key equals the document's greatest; the first in document order wins.
    greatest = np.maximum.reduceat(key, roots)
    document = np.cumsum(candidates.parent < 0) - 1
    places = np.flatnonzero((key == greatest[document]) & (key > -np.inf))
    _, first = np.unique(document[places], return_index=True)
    winners = places[first]
    return winners[best(key[winners], min(limit, len(winners)))].astype(np.int32)


def _grouped(
    candidates: Candidates,
    scores: NDArray[np.float64],
    key: NDArray[np.float64],
    overlap_filter: Callable[[], OverlapFilter],
    limit: int,
    root_scores: NDArray[np.float64],
    fetch: str,
    document_order: bool,
) -> tuple[Places, CutDocument | None]:
    """Return the results by document, and the document that did not fit."""
    roots = np.flatnonzero(candidates.parent < 0)
    stops = np.append(roots[1:], len(key))
    greatest = np.maximum.reduceat(key, roots)
    documents = np.flatnonzero(greatest > -np.inf)
    if fetch == "sum":
        places, rank = _within(key, roots, stops, documents, overlap_filter())
        sums = np.bincount(rank, weights=scores[places], minlength=len(documents)).astype(np.float64)
        document_key = rank_key(sums)
    elif fetch == "best":
        document_key = greatest[documents]
    else:
        document_key = rank_key(root_scores[roots[documents]])
    # Every document gives a result at least, so that no more than `limit` of them are looked into.
    documents = documents[best(document_key, min(limit, len(documents)))]
    places, rank = _within(key, roots, stops, documents, overlap_filter())
    # Whole documents only: as many as fit into the limit, by the running sum of their results.
    total = np.cumsum(np.bincount(rank, minlength=len(documents)))
    fitting = int(np.searchsorted(total, limit, side="right"))
    length = int(total[fitting - 1]) if fitting else int(total[0])
    length = min(length, limit)  # by rank: the first document, alone too long, keeps its best
    left = None
    if fitting < len(total) and (length < limit or not fitting):
        results = int(total[fitting]) - (length if fitting else 0)
        left = CutDocument(int(roots[documents[fitting]]), results, int(total[fitting]))
    places, rank = places[:length], rank[:length]
    return places[np.lexsort((places, rank))] if document_order else places, left


def _within(
    key: NDArray[np.float64],
    roots: NDArray[np.intp],
    stops: NDArray[np.intp],
    documents: NDArray[np.intp],
    overlap_filter: OverlapFilter,
) -> tuple[Places, NDArray[np.intp]]:
    """Return the kept results of each document by rank key, and the position of the document of each."""
    rank, places = spread(roots[documents], stops[documents] - roots[documents])
    returnable = key[places] > -np.inf
    places, rank = places[returnable], rank[returnable]
    order = _descending(key[places])
    # Numpy sorts integers of 16 bits by radix, in linear time.
    # Sort by document, stably, so that each document keeps its order by key.
    order = order[np.argsort(rank[order].astype(np.uint16 if len(documents) <= 65536 else np.int64), kind="stable")]
    kept = overlap_filter.filter(places[order].astype(np.int32), len(key))
    position = np.zeros(len(key), dtype=np.intp)
    position[places] = rank
    return kept, position[kept]


def _check(option: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise UsageError(f"{option} '{value}' is unknown{did_you_mean(value, known)}; expected {', '.join(known)}")
