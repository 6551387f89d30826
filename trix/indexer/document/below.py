"""What is below content elements: how many elements of each tag have no number.

Nothing below a content element is a unit [RETRIEVAL, section 3]. Its attributes, and the elements that the profile's
``values`` name, are kept all the same, see `DocumentRecord`. All are counted by tag and by the content element that
they are in, so that a query that asks for them can be told.
"""

from __future__ import annotations

Counts = dict[str, dict[str, int]]
"""Tag -> tag of the content elements that its elements are in -> how many are."""

KEPT = 4
"""Tags of content elements, those with the most, that an index keeps for each tag."""


def add_counts(all_counts: Counts, counts: Counts) -> None:
    """Add counts to others."""
    for tag, holders in counts.items():
        into = all_counts.setdefault(tag, {})
        for holder, count in holders.items():
            into[holder] = into.get(holder, 0) + count


def kept_counts(counts: Counts) -> dict[str, tuple[int, dict[str, int]]]:
    """Return, for each tag, how many of its elements are below content elements, and the content elements with most.

    >>> kept_counts({"NOTE": {"P": 7, "L": 2}, "HI": {"P": 1}})
    {'HI': (1, {'P': 1}), 'NOTE': (9, {'P': 7, 'L': 2})}
    """
    kept = {}
    for tag, holders in sorted(counts.items()):
        most = sorted(holders.items(), key=lambda item: (-item[1], item[0]))[:KEPT]
        kept[tag] = sum(holders.values()), dict(most)
    return kept
