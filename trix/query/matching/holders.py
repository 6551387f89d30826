"""Which words of a query are held where: a bit for each word, so that all are asked for at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.core.match import masks_by_range, masks_within, merged_masks
from trix.query.matching.matching import TermList
from trix.support.arrays import Ints

Masks = NDArray[np.uint64]

WORDS = 64
"""So many words have a bit each."""


class Holders(NamedTuple):
    """The content elements that hold words.

    Attributes
    ----------
    content_numbers
        Ascending.
    masks
        Which words each holds: bit w for the w-th.
    """

    content_numbers: Ints
    masks: Masks

    def within(self, begin: Ints, end: Ints) -> Masks:
        """Return what ranges of content elements hold, ``(n,)``; it is quick where they begin in ascending order."""
        return masks_within(self.content_numbers, self.masks, begin, end)

    def by_range(self, begin: Ints, end: Ints) -> tuple[Ints, Masks]:
        """Return those of many ranges, ascending and apart, that hold anything, and what they hold."""
        return masks_by_range(self.content_numbers, self.masks, begin, end)


def holders(lists: Sequence[TermList]) -> Holders:
    """Return the content elements that hold any of some words, `WORDS` at the most."""
    contents = [np.zeros(0, np.int32), *(each.content_numbers for each in lists)]
    together = np.concatenate(contents)
    return Holders(*merged_masks(together, np.cumsum([0, *(each.m for each in lists)])))
