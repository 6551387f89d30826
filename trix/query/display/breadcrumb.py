"""Breadcrumbs: the titles of the sections above an element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from trix.indexer.read.headings import shortened
from trix.support.element_path import read_step, steps

Breadcrumb = tuple[str, ...]

SEPARATOR = " › "
"""Between the titles of a breadcrumb that is written on one line."""


def breadcrumb(titles: Sequence[str], path: str, title: str) -> Breadcrumb:
    """Return the titles of the enclosing sections, outermost first, ending with the element's own.

    The document's title is not repeated. If no section has a title, tags tell the position.

    Parameters
    ----------
    titles
        As `trix.indexer.read.headings.Headings.above` returns them.
    path, title
        The element's path, and the document's title.
    """
    found = tuple(each for each in titles if not _same(each, title))
    return found or tags_above(path)


def titles_alone(found: Breadcrumb, path: str) -> Breadcrumb:
    """Return a breadcrumb for display beside the path: empty if it only has the tags of the path.

    >>> titles_alone(("body",), "/article[1]/body[1]/p[1]"), titles_alone(("Results",), "/article[1]/sec[1]/p[1]")
    ((), ('Results',))
    """
    return () if found == tags_above(path) else found


class Located(Protocol):
    """Protocol of a result with a position to display."""

    path: str

    @property
    def breadcrumb(self) -> Breadcrumb: ...
    @property
    def places(self) -> Mapping[str, str]: ...


def located(result: Located) -> Breadcrumb:
    """Return a result's position for display beside the path: titles of sections, then pages or verses."""
    places = ", ".join(result.places.values())
    return (*titles_alone(result.breadcrumb, result.path), *([places] if places else ()))


def tags_above(path: str) -> Breadcrumb:
    """Return the steps of a path between the root and the last step; position 1 is omitted.

    >>> tags_above("/article[1]/body[1]/sec[2]/p[1]"), tags_above("/article[1]")
    (('body', 'sec[2]'), ())
    """
    read = [read_step(step) for step in steps(path)[1:-1]]
    return tuple(name if place in (None, 1) else f"{name}[{place}]" for name, place in read)


def _same(one: str, other: str) -> bool:
    """Whether two titles are equal, or one is the truncated beginning of the other."""
    one, other = one.removesuffix("…").strip().casefold(), other.casefold().rstrip(" .,:;")
    return one == other or (len(one) > 60 and other.startswith(one))


def on_one_line(titles: Breadcrumb, longest: int) -> str:
    """Format a breadcrumb as one line: if it is too long, shorten outer titles, then drop them, the last title at the
    end.

    >>> on_one_line(("Results", "Cells"), 40), on_one_line(("A very long title of a part", "Fees", "Section 3"), 32)
    ('Results › Cells', 'A very long … › Fees › Section 3')
    >>> on_one_line(("Part", "Chapter", "Section", "Paragraph"), 25)
    '… › Section › Paragraph'
    >>> on_one_line(("Prescribed investigative bodies", "7 Investigative bodies"), 40)
    'Prescribed … › 7 Investigative bodies'
    """
    if not titles:
        return ""
    *outer, own = titles
    for most in (longest, 60, 48, 36, 25, 20, 15):
        line = SEPARATOR.join([*(shortened(title, most) for title in outer), own])
        if len(line) <= longest:
            return line
    own = shortened(own, max(15, 2 * longest // 3 if outer else longest))
    shown = [*(shortened(title, 15) for title in outer), own]
    while len(shown) > 1 and len(SEPARATOR.join(["…", *shown])) > longest:
        shown.pop(0)
    return shortened(SEPARATOR.join(["…", *shown] if len(shown) < len(titles) else shown), longest)
