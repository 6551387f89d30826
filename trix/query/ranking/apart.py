"""Going down a ranking: what overlaps with what has been kept is left out, and so is too much of one document [I]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trix.core.match import apart, apart_partial
from trix.query.matching.candidates import Candidates

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
        candidates = self._candidates
        if self._rule == "none":
            return apart(ranking, candidates.parent, candidates.depth, self._marks, limit)
        return apart_partial(ranking, candidates.parent, self._marks, limit)


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
