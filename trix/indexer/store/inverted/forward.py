"""Forward lists: keys of selected content elements, derived from the inverted file.

The inverted file is sorted by key, so a request scans all of it. For many requests, such as topics with feedback, the
postings of each content element are listed once, from the second request on.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.core import damage_in
from trix.core.postings import held_by, postings_by_content
from trix.support.arrays import Int32s, Int64s, Ints

LISTED = 1 << 26
"""Upper bound of the postings in memory, eight bytes each; above it, each request is a scan of .2 s per 40 million."""


class PostingsByContent:
    """Postings by content element.

    Parameters
    ----------
    data, ends
        Encoded posting lists, concatenated, and the end of each.
    contents, postings
        Number of content elements and of postings.
    """

    def __init__(self, data: NDArray[np.uint8], ends: NDArray[Any], contents: int, postings: int) -> None:
        self._lists, self._contents, self._few = (data, ends), contents, postings <= LISTED
        self._was_scanned = False
        self._listed: tuple[Int64s, Int32s, Int32s] | None = None
        self._listing = Lock()

    def __call__(self, contents: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the postings of some content elements, given in ascending order: key numbers, content elements and tf,
        by key.
        """
        # The first request scans; a second one shows that listing pays.
        if not self._was_scanned or not self._few:
            self._was_scanned = True
            chosen = np.zeros(self._contents, np.bool_)
            chosen[contents] = True
            with damage_in("a posting list"):
                return held_by(*self._lists, chosen)
        with self._listing:
            if self._listed is None:
                with damage_in("a posting list"):
                    self._listed = postings_by_content(*self._lists, self._contents)
        # Set once and never replaced, so it can be read without the lock.
        begins, keys, tf = self._listed
        counts = begins[contents + 1] - begins[contents]
        owners = np.repeat(contents, counts)
        places = np.arange(owners.size) + np.repeat(begins[contents] - (np.cumsum(counts) - counts), counts)
        # Stable: content elements stay ascending within a key.
        order = np.argsort(keys[places], kind="stable")
        places = places[order]
        return keys[places], owners[order], tf[places]
