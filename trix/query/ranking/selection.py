"""Order of the units of passages: the smallest results, by their own score and the best score around them.

A paragraph has few words, so its own score says little. The best result around it tells whether the question is
answered nearby. So a unit is worth a mean of both. The number of units per document follows from the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

LARGEST = 4000
"""Largest size of a counted result around a unit, in characters: a section or an abstract, not a chapter."""

SHARE = 0.75
"""Share of the best enclosing result in the value of a unit."""


class Ranked(NamedTuple):
    """One result of a ranking, as the order of units needs it.

    Attributes
    ----------
    document, element
        Their numbers.
    begin, end
        The result's characters in the document's text.
    score
        Its score.
    """

    document: int
    element: int
    begin: int
    end: int
    score: float


class UnitOrder(NamedTuple):
    """Ordered units and the results around them.

    Attributes
    ----------
    units
        Indices of results that contain no other, best first.
    around
        By document, indices of results of at most `LARGEST` characters that contain others, shortest first.
    """

    units: list[int]
    around: dict[int, list[int]]


def order_of_units(results: Sequence[Ranked], *, by_rank: bool = False) -> UnitOrder:
    """Return the units of a ranking, best first.

    Parameters
    ----------
    results
        The results in rank order; they may overlap.
    by_rank
        Keep the order of the results, which is not that of their scores.

    Examples
    --------
    A section of 900 characters has a score of 3. Two of its paragraphs are units, worth .25 * 1 + .75 * 3 = 2.5 and
    .25 * 2 + .75 * 3 = 2.75. A paragraph of another document is worth 2.6.

    >>> section, document = Ranked(0, 1, 0, 900, 3.0), 1
    >>> rest = [Ranked(document, 9, 0, 500, 2.6), Ranked(0, 4, 500, 900, 2.0), Ranked(0, 2, 0, 400, 1.0)]
    >>> order_of_units([section, *rest])
    UnitOrder(units=[2, 1, 3], around={0: [0]})
    """
    worth: list[tuple[float, int]] = []
    around: dict[int, list[int]] = {}
    for document, nested in _nested(results):
        # A unit contains no other result.
        containers = {above for _, path in nested for above in path}
        small = [place for place in containers if results[place].end - results[place].begin <= LARGEST]
        if small:
            around[document] = sorted(small, key=lambda place: _size_then_depth(results[place]))
        for place, path in nested:
            if place in containers:
                continue
            own = results[place].score
            # Large results say nothing about one paragraph, so only small ones around it count.
            best = max([own, *(results[above].score for above in path if above in small)])
            worth.append((0.0 if by_rank else (1 - SHARE) * own + SHARE * best, place))
    # Ties keep the order of the ranking.
    return UnitOrder([place for _, place in sorted(worth, key=lambda each: (-each[0], each[1]))], around)


def _nested(results: Sequence[Ranked]) -> list[tuple[int, list[tuple[int, list[int]]]]]:
    """Return, by document, its results with the results that contain each, outermost first."""
    found: dict[int, list[tuple[int, list[int]]]] = {}
    stack: list[int] = []
    # In document order a container comes before the results in it. The stack has the containers of the current place.
    for place in sorted(range(len(results)), key=lambda at: (results[at].document, results[at].element)):
        each = results[place]
        # What does not contain this one contains none of the later ones.
        while stack and not _contains(results[stack[-1]], each):
            stack.pop()
        found.setdefault(each.document, []).append((place, stack.copy()))
        stack.append(place)
    return list(found.items())


def _contains(outer: Ranked, inner: Ranked) -> bool:
    """Whether an earlier element contains a later one: elements are numbered in document order."""
    return outer.document == inner.document and inner.begin < outer.end and inner.end <= outer.end


def _size_then_depth(result: Ranked) -> tuple[int, int]:
    return result.end - result.begin, -result.element
