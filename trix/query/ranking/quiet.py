"""Which candidates are quiet: parts that are searched but not returned by themselves [QUERY, section 13]."""

from __future__ import annotations

import numpy as np

from trix.query.matching.candidates import Candidates
from trix.support.arrays import Mask


def quiet_candidates(candidates: Candidates, quiet: Mask, loud: Mask) -> Mask:
    """Return which candidates are quiet: they stand in a quiet part, or all that matches in them does.

    Whether an element stands in a quiet part, the nearest mark above it decides, or its own.

    Parameters
    ----------
    candidates
        n elements.
    quiet, loud
        ``(n,)`` what begins a quiet part, and what ends one; an element of both is quiet.

    Examples
    --------
    An article with a header and a section; in the header a title and an abstract, which is loud:

    >>> article = Candidates.of_tree(parent=[-1, 0, 1, 1, 0], number=[-1, -1, 0, 1, 2])
    >>> quiet_candidates(article, np.arange(5) == 1, np.arange(5) == 3).tolist()
    [False, True, True, False, False]

    Of another the words are in the header alone:

    >>> other = Candidates.of_tree(parent=[-1, 0, 1], number=[-1, -1, 0])
    >>> quiet_candidates(other, np.arange(3) == 1, np.zeros(3, bool)).tolist()
    [True, True, True]
    """
    within = _in_quiet_parts(candidates, quiet, loud)
    heard = ~within
    heard[candidates.parent[candidates.parent >= 0]] = False  # what has candidates below it matches by these
    begins = candidates.begin[heard]
    holds: Mask = np.searchsorted(begins, candidates.end) > np.searchsorted(begins, candidates.begin)
    return within | ~holds


def _in_quiet_parts(candidates: Candidates, quiet: Mask, loud: Mask) -> Mask:
    own = np.arange(len(candidates), dtype=np.int32)
    decides = np.where(quiet | loud | (candidates.parent < 0), own, candidates.parent)
    while True:
        further = decides[decides]  # of what decides, what decides of that: twice as far up each time
        if np.array_equal(further, decides):
            return quiet[decides]
        decides = further
