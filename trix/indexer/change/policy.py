"""Which segments are merged: tiers by size, so that their number grows with the logarithm of the index."""

from __future__ import annotations

from collections.abc import Sequence

FANOUT = 10
"""Segments of a tier before they are merged; a tier holds segments up to so many times as large as the one below."""

SMALLEST = 1000
"""Keys of a segment of the lowest tier: below, all count as small."""

DEAD = 0.5
"""Part of the documents of a segment that is deleted when it is written anew."""

_NONE = 1 << 30
"""Above every tier."""


def tier(tokens: int) -> int:
    """Return the tier of a segment by its number of keys.

    >>> [tier(tokens) for tokens in (3, 9_999, 10_000, 123_456)]
    [0, 0, 1, 2]
    """
    found = 0
    while tokens >= SMALLEST * FANOUT ** (found + 1):
        found += 1
    return found


def to_merge(sizes: Sequence[tuple[int, float]]) -> tuple[int, int] | None:
    """Return a range of neighbours to be merged, as first and end; None where all is well.

    Only neighbours are merged, since documents stay in order: those between two segments of larger tiers, up to the
    last of the tier. What is smaller and comes after it waits until it is many itself, or a large segment would be
    written again with every few small ones.

    Parameters
    ----------
    sizes
        Of each segment: its keys that live, and the part of its documents that is deleted.

    Examples
    --------
    >>> to_merge([(50_000, 0.0)] + 9 * [(100, 0.0)]), to_merge([(50_000, 0.0)] + 10 * [(100, 0.0)])
    (None, (1, 11))
    >>> to_merge(9 * [(50_000, 0.0)] + 9 * [(100, 0.0)]), to_merge(10 * [(50_000, 0.0)] + 9 * [(100, 0.0)])
    (None, (0, 10))
    >>> to_merge([(50_000, 0.0), (700_000, 0.6)])
    (1, 2)
    """
    tiers = [tier(tokens) for tokens, _ in sizes]
    for level in range(max(tiers, default=-1) + 1):
        begin = end = 0
        for number, own in enumerate([*tiers, _NONE]):
            if own == level:
                end = number + 1
            elif own > level:
                if end - begin >= FANOUT:
                    return begin, end
                begin = end = number + 1
    return next(((number, number + 1) for number, (_, dead) in enumerate(sizes) if dead >= DEAD), None)
