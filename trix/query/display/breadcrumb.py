"""Where in its document an element stands, for a reader: the titles of the sections above it."""

from __future__ import annotations

from typing import Any

from trix.indexer.read.headings import Headings
from trix.indexer.read.texts import Document
from trix.support.element_path import read_step, steps

Breadcrumb = tuple[str, ...]

SEPARATOR = " › "
"""Between the titles of a breadcrumb that is written on one line."""


def breadcrumb(headings: Headings, document: Document, node: Any, path: str, title: str) -> Breadcrumb:
    """Return the titles of the sections that an element is in, the outermost first, its own as the last.

    The document's title is not repeated. Where no section has a title, tags say where the element is.

    Parameters
    ----------
    headings
        Gives titles.
    document
        The element's document.
    node
        The element.
    path, title
        The element's path, and the document's title.
    """
    found = tuple(each for each in headings.above(node, document.root) if not _same(each, title))
    return found or tags_above(path)


def tags_above(path: str) -> Breadcrumb:
    """Return the steps of a path between the document's element and its last one; first places are not told.

    >>> tags_above("/article[1]/body[1]/sec[2]/p[1]"), tags_above("/article[1]")
    (('body', 'sec[2]'), ())
    """
    read = [read_step(step) for step in steps(path)[1:-1]]
    return tuple(name if place in (None, 1) else f"{name}[{place}]" for name, place in read)


def _same(one: str, other: str) -> bool:
    """Whether two titles say the same, or one is the beginning of the other that was cut."""
    one, other = one.removesuffix("…").strip().casefold(), other.casefold().rstrip(" .,:;")
    return one == other or (len(one) > 60 and other.startswith(one))
