"""The chain of matching passages through a document, in the order of the author [VI, section 2]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from trix.query.display.highlight import Highlighter
from trix.web.reading.opened import Opened

STEPS = 9


@dataclass(frozen=True)
class Link:
    """A passage of the chain.

    Attributes
    ----------
    element
        Its number in the index.
    score, strength
        Its score, and how strong that is beside the best of the document, from 1 to 9.
    label
        Its address in the document.
    """

    element: int
    score: float
    strength: int
    label: str
    start: int
    size: int
    part: int


def chain(opened: Opened, query: str, options: dict[str, Any]) -> tuple[list[Link], Highlighter | None]:
    """Return the passages of a document that match, in reading order, and what finds the query's words in it.

    They are those that a search returns with its own settings, all of this document's: none inside another.

    Raises
    ------
    TrixError
        The query or a setting is wrong.
    """
    asked = {name: value for name, value in options.items() if name not in _OF_LISTS}
    results = opened.index.search(
        query, **{**asked, "strategy": "relevant-in-context", "top": None, "per_document": "all", "spread": "all"}
    )
    mine = (results.elements >= opened.low) & (results.elements < opened.high)
    elements, scores = results.elements[mine], results.scores[mine]
    best = float(scores.max()) if scores.size else 0.0
    known: dict[int, float] = {}
    for element, score in zip(elements.tolist(), scores.tolist(), strict=True):
        own = opened.own(element)  # several runs of text of one element are one passage
        known[own] = max(score, known.get(own, score))
    order = sorted(known)
    labels = opened.names(order)[0] if order else []
    links = [
        Link(
            element, known[element],
            max(1, min(STEPS, round(known[element] / best * STEPS))) if best > 0 else 1,
            label, opened.start(element), opened.size(element), opened.part_of(element).number,
        )
        for element, label in zip(order, labels, strict=True)
    ]  # fmt: skip
    view = results.view
    return links, getattr(view, "highlighter", None) if view is not None and len(results) else None


_OF_LISTS = ("top", "from_", "facet", "group", "sort", "strategy", "per_document", "spread", "overlap")
"""Settings of a list of results, which a document is not."""


def outermost(links: list[Link], opened: Opened) -> set[int]:
    """Return the elements that hold a link, and the links themselves."""
    found: set[int] = set()
    for link in links:
        element = link.element
        while element >= 0 and element not in found:
            found.add(element)
            element = opened.parent(element)
    return found


def numbers(links: list[Link]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the elements of links as an array."""
    return np.array([link.element for link in links], np.int64)
