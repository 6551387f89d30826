"""Overlap filter of a ranking [I], and field collapsing: limited results per document [QUERY, section 13]."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trix.core.match import filter_nesting, filter_overlap
from trix.query.matching.candidates import Candidates

Places = NDArray[np.int32]


class OverlapFilter:
    """Greedy filter: going down a ranking, keep elements that do not overlap kept ones, up to a number per document.

    The filter has state, so a ranking can be passed in pieces.

    Parameters
    ----------
    candidates
        n elements.
    rule
        ``none``, ``partial`` or ``full``.
    per_document
        Largest number of results per document; None for all.
    """

    def __init__(self, candidates: Candidates, rule: str, per_document: int | None = None) -> None:
        self._candidates, self._rule, self._most = candidates, rule, per_document
        self._marks = np.zeros(len(candidates), dtype=np.uint8)
        self._taken = np.zeros(len(candidates) if per_document else 0, dtype=np.int32)
        """Number of kept elements of each document, at the index of its root."""

    @property
    def everything(self) -> bool:
        """Whether the filter keeps everything."""
        return self._rule == "full" and self._most is None

    def filter(self, ranking: Places, limit: int) -> Places:
        """Return the first ``limit`` elements of the ranking that are kept."""
        if self._most is None:
            return self._without_overlap(ranking, limit)
        # Overlap first: an element that overlaps a kept one must not use up the number of its document. So the whole
        # ranking is looked at, whatever the limit.
        kept = self._without_overlap(ranking, len(ranking))
        root = self._candidates.root[kept]
        # Counted on from earlier pieces of the ranking.
        nth = self._taken[root] + running_count(root)
        places = np.flatnonzero(nth < self._most)[:limit]
        np.add.at(self._taken, root[places], 1)
        return kept[places]

    def _without_overlap(self, ranking: Places, limit: int) -> Places:
        if self._rule == "full":
            return ranking[:limit]
        candidates = self._candidates
        if self._rule == "none":
            return filter_overlap(ranking, candidates.parent, candidates.depth, self._marks, limit)
        return filter_nesting(ranking, candidates.parent, self._marks, limit)


def running_count(values: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return, for each value, the number of equal values before it.

    >>> running_count(np.array([7, 3, 7, 7, 3], np.int32)).tolist()
    [0, 0, 1, 2, 1]
    """
    # Equal values become neighbours; stable, so that they are counted in their order in the array.
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    count = np.empty(values.size, dtype=np.intp)
    count[order] = np.arange(values.size) - np.repeat(first, np.diff(first, append=values.size))
    return count


def collapsed(
    rank: Callable[[int | None, int | None], Places], most: int | None, first: int | None, top: int | None
) -> Places:
    """Collapse a ranking by document: a head with limited results per document, then the others in order.

    Parameters
    ----------
    rank
        Gives the ranking cut to a number of results, and to a number per document; None for no limit.
    most
        Largest number of results per document; None for no limit.
    first
        Length of the head. If there are fewer results, the others follow sooner; None for all, so that nothing
        follows.
    top
        Largest number of results; None for no limit.

    Examples
    --------
    >>> documents = np.array([7, 7, 7, 8, 7])
    >>> def rank(top, of_each):
    ...     kept = [p for p in range(5) if of_each is None or sum(documents[:p] == documents[p]) < of_each]
    ...     return np.array(kept[:top], np.int32)
    >>> collapsed(rank, 1, 2, None).tolist(), collapsed(rank, 2, 10, 4).tolist()
    ([0, 3, 1, 2, 4], [0, 1, 3, 2])
    """
    if most is None or first is None:
        return rank(top, most)
    # The head under the limit, then the ranking without a limit, less those in the head.
    head = rank(first if top is None else min(first, top), most)
    if head.size == top:
        return head
    rest = rank(top, None)
    rest = rest[~np.isin(rest, head)]
    return np.concatenate([head, rest if top is None else rest[: top - head.size]])
