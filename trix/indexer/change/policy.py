"""Merge policy: tiers by size, so that the number of segments is logarithmic in the size of the index."""

from __future__ import annotations

from collections.abc import Sequence

FANOUT = 10
"""Segments of a tier before they are merged; also the size ratio between tiers."""

SMALLEST = 1000
"""Scale of the tiers, in tokens: segments of tier t have fewer than SMALLEST * FANOUT^(t + 1)."""

DEAD = 0.5
"""Share of deleted documents from which a segment is rewritten."""

_NONE = 1 << 30
"""Above every tier."""


def tier(tokens: int) -> int:
    """Return the tier of a segment by its number of tokens.

    >>> [tier(tokens) for tokens in (3, 9_999, 10_000, 123_456)]
    [0, 0, 1, 2]
    """
    found = 0
    # Each tier is FANOUT times as large as the one below.
    while tokens >= SMALLEST * FANOUT ** (found + 1):
        found += 1
    return found


def to_merge(sizes: Sequence[tuple[int, float]]) -> tuple[int, int] | None:
    """Choose a range of neighbouring segments to merge, as (first, end); None if there is nothing to do.

    Only neighbours are merged, since documents keep their order. A range lies between two segments of larger tiers and
    ends with the last segment of its tier. Smaller segments after it wait until they are many themselves. Otherwise a
    large segment would be rewritten with every few small ones.

    Parameters
    ----------
    sizes
        Of each segment: live tokens, and share of deleted documents.

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
    # From the lowest tier up: begin restarts after every segment of a larger tier, smaller ones stay inside.
    for level in range(max(tiers, default=-1) + 1):
        begin = end = 0
        for number, own in enumerate([*tiers, _NONE]):
            if own == level:
                end = number + 1
            elif own > level:
                if end - begin >= FANOUT:
                    return begin, end
                begin = end = number + 1
    # No tier is full: rewrite a segment that is mostly deleted.
    return next(((number, number + 1) for number, (_, dead) in enumerate(sizes) if dead >= DEAD), None)
