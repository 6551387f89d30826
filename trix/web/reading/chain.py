"""Chain of matching passages in reading order, and its reading effort in screens [VI, section 2]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple

from trix.query.display.highlight import Highlighter
from trix.web.reading.document import OpenDocument

STEPS = 9


@dataclass(frozen=True)
class Link:
    """A passage of the chain: an element, or runs of text of an element that holds other passages as well.

    Attributes
    ----------
    element, last
        The first and the last element of the passage in the index. They differ where it is several runs of text.
    score, strength
        Its score, and how strong that is beside the best of the document, from 1 to 9.
    label
        Its address in the document.
    start, size
        Where it begins in the document's text, and how long it is.
    part
        The part in which it begins.
    """

    element: int
    last: int
    score: float
    strength: int
    label: str
    start: int
    size: int
    part: int


def chain(opened: OpenDocument, query: str, options: dict[str, Any]) -> tuple[list[Link], Highlighter | None]:
    """Return the matching passages of a document in reading order, and a highlighter.

    They are those that a search returns with its own settings, all of this document's: none inside another.

    Raises
    ------
    TrixError
        The query or a setting is wrong.
    """
    asked = {name: value for name, value in options.items() if name not in _OF_LISTS}
    asked |= {"strategy": "relevant-in-context", "top": None, "per_document": "all", "spread": "all", "copies": "keep"}
    results = opened.index.search(query, **asked)
    mine = (results.elements >= opened.low) & (results.elements < opened.high)
    scores = dict(zip(results.elements[mine].tolist(), results.scores[mine].tolist(), strict=True))
    view = results.view
    highlighter = getattr(view, "highlighter", None) if view is not None and len(results) else None
    return links_of(opened, scores), highlighter


def links_of(opened: OpenDocument, scores: Mapping[int, float]) -> list[Link]:
    """Return the passages of a chain, in reading order.

    Parameters
    ----------
    opened
        The document.
    scores
        Matching element -> its score; no element is inside another.
    """
    best = max(scores.values(), default=0.0)
    passages = _passages(opened, sorted(scores))
    labels = opened.names([element for element, _, _ in passages])[0] if passages else []
    links = []
    for (element, last, hits), label in zip(passages, labels, strict=True):
        score, start = max(scores[each] for each in hits), opened.start(element)
        links.append(
            Link(
                element, last, score, max(1, min(STEPS, round(score / best * STEPS))) if best > 0 else 1,
                label, start, opened.start(last) + opened.size(last) - start, opened.part_of(element).number,
            )
        )  # fmt: skip
    return links


def _passages(opened: OpenDocument, hits: list[int]) -> list[tuple[int, int, list[int]]]:
    """Return the first and the last element of each passage, and its hits.

    Runs of text of one element are one passage, and so is the whole element, unless another passage stands in it. Then
    the passage is no more than the runs that follow each other, so that passages come in the order of the page.
    """
    groups: list[list[int]] = []
    for hit in hits:  # in document order, which is that of the numbers
        if groups and opened.own(hit) == opened.own(groups[-1][0]) != hit:
            groups[-1].append(hit)
        else:
            groups.append([hit])
    made = []
    for before, group, after in zip([[-1], *groups], groups, [*groups[1:], [opened.high]], strict=False):
        own = opened.own(group[0])
        alone = before[-1] < own and opened.after(own) <= after[0]
        made.append((own, own, group) if alone else (group[0], group[-1], group))
    return made


_OF_LISTS = ("top", "from_", "facet", "group", "sort", "strategy", "per_document", "spread", "overlap")
"""Settings that only apply to lists of results."""


def outermost(links: list[Link], opened: OpenDocument) -> set[int]:
    """Return the elements that hold a link, and the links themselves."""
    found: set[int] = set()
    for link in links:
        element = link.element
        while element >= 0 and element not in found:
            found.add(element)
            element = opened.parent(element)
    return found


PHONE = 900
"""Characters on the screen of a phone, about: 24 lines of 38."""


class Screens(NamedTuple):
    """Number of screens until all passages are read.

    Attributes
    ----------
    following
        Following the chain, including the first screen of the document.
    reading
        From the top to the end of the last passage.
    whole
        Of the document.
    """

    following: int
    reading: int
    whole: int


def screens(length: int, passages: Iterable[tuple[int, int]], size: int = PHONE) -> Screens:
    """Count the screens of a document with `length` characters, whose passages are pairs of start and length.

    A reader who follows the chain sees the first screen, and each passage from its beginning to its end. A screen that
    was just seen is not counted again.

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
