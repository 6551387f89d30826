"""What a document is made of: the titles of its sections, in order and in depth, each with its address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from trix.query.display.viewer import Viewer
from trix.query.naming.names import Namer
from trix.support.element_path import write_step

MOST = 2_000
"""Sections that are told, at the most."""


class Section(NamedTuple):
    """A section that has a title.

    Attributes
    ----------
    depth
        Of how many other sections of the outline it is a part.
    title
        Its title.
    path, label
        Of its element; no label where the index has no number for it.
    offset, length
        Characters in the document's text.
    """

    depth: int
    title: str
    path: str
    label: str
    offset: int
    length: int


def outline(viewer: Viewer, namer: Namer, unit: str, depth: int) -> list[Section]:
    """Return the sections of a document or of an element, without its own title.

    Parameters
    ----------
    viewer, namer
        Of the index.
    unit
        As for `Viewer.unit`.
    depth
        How many levels of titles.

    Raises
    ------
    UsageError
        There is no such document or element.
    SourceError
        The source has moved or changed.
    """
    document, path = viewer.unit(unit)
    last = path.rpartition("/")[2]
    if last.startswith("@") or "(" in last:  # an attribute, or a run of text
        if viewer.number(document, path) < 0:
            viewer.source_node(document, path)  # an error where there is none
        return []
    root = viewer.texts.document(document).root
    node = viewer.source_node(document, path, root) if path else root
    files = viewer.files
    found = []
    for level, title, place in titled(viewer, node, path or f"/{write_step(_local(root), 1)}", depth):
        element = viewer.number(document, place)
        if element >= 0:
            elements = np.array([element], np.int32)
            label = namer.names(elements, np.array([document]))[0][0]
            begin, length = int(files.elements.start[element]), int(files.elements.length[element])
            found.append(Section(level, title, place, label, begin, length))
        if len(found) == MOST:
            break
    return found


def titled(viewer: Viewer, node: Any, path: str, depth: int, level: int = 0) -> Iterator[tuple[int, str, str]]:
    """Yield depth, title and path of what has a title below a node, down to so many levels of titles."""
    if level == depth:
        return
    places: Counter[str] = Counter()
    for child in node:
        name = _local(child)
        if not name:
            continue
        places[name] += 1
        below = f"{path}/{write_step(name, places[name])}"
        titles = viewer.texts.headings.of(child)
        if titles:
            yield level, titles[-1], below
        yield from titled(viewer, child, below, depth, level + bool(titles))


def _local(node: Any) -> str:
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""
