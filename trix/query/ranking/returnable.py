"""Returnable candidates: elements of readable size, outside of headers, references and the like [QUERY, section 13].

A candidate that is not returnable excludes no other: its ancestors and descendants may be results. Sizes grow from a
content element to the root, so the chain leads through the window of sizes, or past it: a title of 40 characters in a
book of chapters. A document with too small and too large candidates alone is not lost: those nearest to the window, by
ratio, are returned. Non-returnable parts, such as headers and references, are searched but not returned by themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trix.query.matching.candidates import Candidates
from trix.support.arrays import Floats, Int32s, Mask


class SizeWindow(NamedTuple):
    """Bounds of sizes in characters, inclusive; None for no bound.

    >>> print(SizeWindow.of("0150:6000"), SizeWindow.of("150:"), SizeWindow.of(":6000"))
    150:6000 150: :6000
    """

    low: int | None
    high: int | None

    @classmethod
    def of(cls, text: str) -> SizeWindow:
        """Read ``LOW:HIGH``; either may be missing."""
        low, high = text.split(":")
        return cls(int(low) if low else None, int(high) if high else None)

    def __str__(self) -> str:
        return ":".join("" if bound is None else str(bound) for bound in self)

    def missing(self, length: Int32s) -> Floats:
        """Return the ratio by which each length misses the window; at most 1 inside of it.

        >>> SizeWindow(100, 200).missing(np.array([50, 100, 150, 200, 300])).tolist()[::2]
        [2.0, 0.75, 1.5]
        """
        characters = np.maximum(length, 1).astype(np.float64)
        small = np.zeros(characters.size) if self.low is None else self.low / characters
        large = np.zeros(characters.size) if self.high is None else characters / self.high
        return np.maximum(small, large)


def fitting(candidates: Candidates, length: Int32s, window: SizeWindow, keep: Mask | None = None) -> Mask:
    """Select candidates by size.

    Parameters
    ----------
    candidates
        n elements.
    length
        ``(n,)`` characters of each.
    window
        Bounds of sizes.
    keep
        ``(n,)`` candidates that may be returned so far; None for all.

    Examples
    --------
    In the first document the section fits; in the second nothing does, and its only paragraph is nearest.

    >>> two = Candidates.of_tree(parent=[-1, 0, 1, -1, 3], number=[-1, -1, 0, -1, 1])
    >>> fitting(two, np.array([9000, 800, 40, 90000, 70]), SizeWindow(150, 6000)).tolist()
    [False, True, False, False, True]
    """
    # Excluded candidates miss the window by infinity, so that they are never the nearest.
    missing = window.missing(length)
    if keep is not None:
        missing = np.where(keep, missing, np.inf)
    root = candidates.parent < 0
    nearest = np.minimum.reduceat(missing, np.flatnonzero(root))
    # Inside the window the ratio is at most 1. Where a document has nothing inside, its nearest candidates set the
    # bound.
    enough = np.maximum(nearest, 1.0)[np.cumsum(root) - 1]
    found: Mask = (missing <= enough) & (missing < np.inf)
    return found


def quiet_candidates(candidates: Candidates, quiet: Mask, loud: Mask) -> Mask:
    """Select non-returnable candidates: inside a non-returnable part, or with all their matches in one.

    The nearest mark on the path, the element included, decides whether an element is inside.

    Parameters
    ----------
    candidates
        n elements.
    quiet, loud
        ``(n,)`` elements that begin a non-returnable part, and that end one; an element with both begins one.

    Examples
    --------
    An article with a header and a section; in the header a title and an abstract, which ends the non-returnable part:

    >>> article = Candidates.of_tree(parent=[-1, 0, 1, 1, 0], number=[-1, -1, 0, 1, 2])
    >>> quiet_candidates(article, np.arange(5) == 1, np.arange(5) == 3).tolist()
    [False, True, True, False, False]

    Another matches in its header alone:

    >>> other = Candidates.of_tree(parent=[-1, 0, 1], number=[-1, -1, 0])
    >>> quiet_candidates(other, np.arange(3) == 1, np.zeros(3, bool)).tolist()
    [True, True, True]
    """
    within = _in_quiet_parts(candidates, quiet, loud)
    lowest = ~within
    lowest[candidates.parent[candidates.parent >= 0]] = False  # what has candidates below it matches by these
    # What remains are the lowest candidates outside of the parts. A candidate without one of them matches in such parts
    # alone.
    begins = candidates.begin[lowest]
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
