"""Where in its document an element stands, for a reader: the titles of the sections above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from trix.indexer.read.headings import shortened
from trix.support.element_path import read_step, steps

Breadcrumb = tuple[str, ...]

SEPARATOR = " › "
"""Between the titles of a breadcrumb that is written on one line."""


def breadcrumb(titles: Sequence[str], path: str, title: str) -> Breadcrumb:
    """Return the titles of the sections that an element is in, the outermost first, its own as the last.

    The document's title is not repeated. Where no section has a title, tags say where the element is.

    Parameters
    ----------
    titles
        As `trix.indexer.read.headings.Headings.above` gives them.
    path, title
        The element's path, and the document's title.
    """
    found = tuple(each for each in titles if not _same(each, title))
    return found or tags_above(path)


def titles_alone(found: Breadcrumb, path: str) -> Breadcrumb:
    """Return a breadcrumb for people, who see the path as well: nothing where it has the tags of the path alone.

    >>> titles_alone(("body",), "/article[1]/body[1]/p[1]"), titles_alone(("Results",), "/article[1]/sec[1]/p[1]")
    ((), ('Results',))
    """
    return () if found == tags_above(path) else found


class Located(Protocol):
    """A result, as far as people are told where it is."""

    path: str

    @property
    def breadcrumb(self) -> Breadcrumb: ...
    @property
    def places(self) -> Mapping[str, str]: ...


def located(result: Located) -> Breadcrumb:
    """Return where a result is for people, who see the path as well: titles of sections, then pages or verses."""
    places = ", ".join(result.places.values())
    return (*titles_alone(result.breadcrumb, result.path), *([places] if places else ()))


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


def on_one_line(titles: Breadcrumb, longest: int) -> str:
    """Return a breadcrumb as one line: where it is too long, outer titles are cut, then left out, the last at the end.

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
