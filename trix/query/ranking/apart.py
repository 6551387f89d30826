"""Going down a ranking: what overlaps with what has been kept is left out, and so is too much of one document [I]."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from trix.query.matching.candidates import Candidates
from trix.support import backend

Places = NDArray[np.int32]


class Apart:
    """The filter: going down a ranking, keep what does not overlap with what has been kept, and so many of a document.

    It remembers, so that a ranking can be given in pieces.

    Parameters
    ----------
    candidates
        n elements.
    rule
        ``none``, ``partial`` or ``full``.
    per_document
        How many are kept of one document; None for all.
    """

    def __init__(self, candidates: Candidates, rule: str, per_document: int | None = None) -> None:
        self._candidates, self._rule, self._most = candidates, rule, per_document
        self._marks = np.zeros(len(candidates), dtype=np.uint8)
        self._taken = np.zeros(len(candidates) if per_document else 0, dtype=np.int32)
        """Of each document, at the place of its root, how many have been kept."""

    @property
    def everything(self) -> bool:
        """Whether nothing is ever left out."""
        return self._rule == "full" and self._most is None

    def filter(self, ranking: Places, limit: int) -> Places:
        """Return the first ``limit`` elements of the ranking that are kept."""
        if self._most is None:
            return self._without_overlap(ranking, limit)
        kept = self._without_overlap(ranking, len(ranking))
        root = self._candidates.root[kept]
        nth = self._taken[root] + running_count(root)
        places = np.flatnonzero(nth < self._most)[:limit]
        np.add.at(self._taken, root[places], 1)
        return kept[places]

    def _without_overlap(self, ranking: Places, limit: int) -> Places:
        if self._rule == "full":
            return ranking[:limit]
        if backend.use_numba():
            from trix.query.ranking.loops import apart, apart_partial

            candidates = self._candidates
            if self._rule == "none":
                return apart(ranking, candidates.parent, candidates.depth, self._marks, limit)
            return apart_partial(ranking, candidates.parent, self._marks, limit)
        kept = self._none(ranking, limit) if self._rule == "none" else self._partial(ranking, limit)
        return np.array(kept, dtype=np.int32)

    def _none(self, ranking: Places, limit: int) -> list[int]:
        """Mark the ancestors and the descendants of what is kept; the marked are skipped."""
        marks, parent, kept = self._marks.data, self._candidates.parent.data, list[int]()
        begin, end = self._candidates.begin.data, self._candidates.end.data
        for x in ranking.tolist():
            if len(kept) == limit:
                break
            if marks[x]:
                continue
            kept.append(x)
            above = x
            while above >= 0 and not marks[above]:
                marks[above] = 1
                above = parent[above]
            # In document order the descendants follow, up to the first element that begins behind this one.
            below = bisect_left(begin, end[x], x + 1)
            self._marks[x:below] = 1
        return kept

    def _partial(self, ranking: Places, limit: int) -> list[int]:
        """Mark 1 what is kept and 2 its parent."""
        marks, parent, kept = self._marks.data, self._candidates.parent.data, list[int]()
        for x in ranking.tolist():
            if len(kept) == limit:
                break
            above = parent[x]
            if marks[x] & 2 or (above >= 0 and marks[above] & 1):
                continue
            kept.append(x)
            marks[x] |= 1
            if above >= 0:
                marks[above] |= 2
        return kept


def running_count(values: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return of each value how many equal ones stand before it.

    >>> running_count(np.array([7, 3, 7, 7, 3], np.int32)).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    count = np.empty(values.size, dtype=np.intp)
    count[order] = np.arange(values.size) - np.repeat(first, np.diff(first, append=values.size))
    return count
