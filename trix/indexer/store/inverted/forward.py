"""Which keys content elements hold, and how often: the inverted file turned round for a few of them.

The inverted file is by key, so a pass over all of it tells. A caller with many questions, as a batch of topics with
feedback, has the postings of each content element listed once; then only those in question are read.
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
"""Postings, eight bytes each, that are listed at the most; beyond, every question is a pass, of .2 s for 40 million."""


class PostingsByContent:
    """Answers which postings some content elements have.

    Parameters
    ----------
    data, ends
        The coded posting lists one after the other, and where each ends.
    contents, postings
        How many content elements and postings there are.
    """

    def __init__(self, data: NDArray[np.uint8], ends: NDArray[Any], contents: int, postings: int) -> None:
        self._lists, self._contents, self._few = (data, ends), contents, postings <= LISTED
        self._asked = False
        self._listed: tuple[Int64s, Int32s, Int32s] | None = None
        self._listing = Lock()

    def __call__(self, contents: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the postings of some content elements, ascending: key numbers, content elements and tf, by key."""
        if not self._asked or not self._few:
            self._asked = True
            chosen = np.zeros(self._contents, np.bool_)
            chosen[contents] = True
            with damage_in("a posting list"):
                return held_by(*self._lists, chosen)
        with self._listing:
            if self._listed is None:
                with damage_in("a posting list"):
                    self._listed = postings_by_content(*self._lists, self._contents)
        begins, keys, tf = self._listed
        counts = begins[contents + 1] - begins[contents]
        owners = np.repeat(contents, counts)
        places = np.arange(owners.size) + np.repeat(begins[contents] - (np.cumsum(counts) - counts), counts)
        order = np.argsort(keys[places], kind="stable")
        places = places[order]
        return keys[places], owners[order], tf[places]
