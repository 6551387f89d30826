"""How many screens a reader needs on a small screen: following the chain, or from the top [VI, section 2]."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import NamedTuple

PHONE = 900
"""Characters on the screen of a phone, about: 24 lines of 38."""


class Screens(NamedTuple):
    """Screens that are looked at until all passages are read.

    Attributes
    ----------
    following
        Led from passage to passage, with the first screen of the document.
    reading
        From the top to the end of the last passage.
    whole
        Of the document.
    """

    following: int
    reading: int
    whole: int


def screens(length: int, passages: Iterable[tuple[int, int]], size: int = PHONE) -> Screens:
    """Return the screens of a document of some characters, whose passages are pairs of start and length.

    A reader who follows the chain sees the first screen, and of each passage the screens from its beginning to its end;
    a screen that was just looked at counts once.

    >>> screens(9000, [(1800, 900), (6000, 1000)], 900)
    Screens(following=4, reading=8, whole=10)
    """
    ordered: Sequence[tuple[int, int]] = sorted(passages)
    seen, shown_to, last = 1, size, 0
    for start, count in ordered:
        end = start + max(1, count)
        last = max(last, end)
        if start >= shown_to or start < shown_to - size:
            seen, shown_to = seen + 1, start + size  # an arrow puts the beginning of the passage on top
        while shown_to < end:
            seen, shown_to = seen + 1, shown_to + size
    return Screens(seen, max(1, ceil(last / size)), max(1, ceil(length / size)))
