"""Documents and elements by name: address, text for reading, outline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from trix.indexer.fields.table import Fields
from trix.indexer.read.texts import SourceDocument
from trix.query.display.prose import prose, tidy
from trix.query.display.viewer import Viewer
from trix.query.naming.names import Namer
from trix.support.element_path import local, read_step, steps, write_step


class Unit(NamedTuple):
    """A document or an element.

    Attributes
    ----------
    doc, title
        Id and title of the document.
    path, tag
        Of the element; for a document those of its root.
    label
        Its label, or that of the nearest ancestor with one.
    offset, length
        Characters in the document's text of the element with that label.
    fields
        Field values of the document.
    places
        Pages, verses and lines where the element, or the named place, begins and ends, by name.
    """

    doc: str
    title: str
    path: str
    tag: str
    label: str
    offset: int
    length: int
    fields: Mapping[str, Any]
    places: Mapping[str, str] = MappingProxyType({})


def unit_of(viewer: Viewer, namer: Namer, fields: Fields, name: str) -> Unit:
    """Return a document, or an element of a source.

    Raises
    ------
    UsageError
        There is no such document or element.
    SourceError
        The element is not indexed, so the source is needed, and it has moved or changed.
    """
    files = viewer.files
    document, path = viewer.unit(name)
    above = path
    while (number := viewer.number(document, above)) < 0 and above:
        above = above.rpartition("/")[0]
    doc, title = files.ids[document], " ".join(files.titles[document].split())
    if above != path:
        viewer.source_node(document, path)  # an error where the source has no such place
    if number < 0:  # a document without any text
        return Unit(doc, title, path, "", str(document + 1), 0, 0, fields.of(document))
    names = namer.all_names(np.array([number], np.int32))
    tag = names.tags[0] if above == path else read_step(steps(path)[-1])[0]
    return Unit(
        doc, title, path or names.paths[0], tag, names.labels[0], names.offsets[0], names.lengths[0],
        fields.of(document), viewer.places(document, *(viewer.place(name) or viewer.stretch(document, above))),
    )  # fmt: skip


def prose_of(viewer: Viewer, name: str) -> str:
    """Return the text of a document or an element, without the indentation of its source."""
    document, path = viewer.unit(name)
    read = viewer.texts.document(document)
    number = viewer.number(document, path)
    if "/@" in path:
        return tidy(viewer.shown_value(document, path).text)
    if number < 0 and path:
        read = SourceDocument(viewer.source_node(document, path), read.reader)
    begin, end = 0, len(read.text)
    if number >= 0 and path:
        begin, end = viewer.place(name) or viewer.stretch(document, path)
    return prose(read, begin, end)


MOST = 2_000
"""Largest number of sections in an outline."""


class TitledSection(NamedTuple):
    """A section that has a title.

    Attributes
    ----------
    depth
        Number of enclosing sections in the outline.
    title
        Its title.
    path, label
        Of its element; no label if it is not indexed.
    offset, length
        Characters in the document's text.
    """

    depth: int
    title: str
    path: str
    label: str
    offset: int
    length: int


def outline(viewer: Viewer, namer: Namer, unit: str, depth: int) -> list[TitledSection]:
    """Return the sections of a document or of an element, without its own title.

    Parameters
    ----------
    viewer, namer
        Of the index.
    unit
        As for `Viewer.unit`.
    depth
        Number of levels of titles.

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
    for level, title, place in titled(viewer, node, path or f"/{write_step(local(root), 1)}", depth):
        element = viewer.number(document, place)
        if element >= 0:
            elements = np.array([element], np.int32)
            label = namer.names(elements, np.array([document]))[0][0]
            begin, length = int(files.elements.start[element]), int(files.elements.length[element])
            found.append(TitledSection(level, title, place, label, begin, length))
        if len(found) == MOST:
            break
    return found


def titled(viewer: Viewer, node: Any, path: str, depth: int, level: int = 0) -> Iterator[tuple[int, str, str]]:
    """Yield depth, title and path of titled descendants of a node, down to a number of levels of titles."""
    if level == depth:
        return
    places: Counter[str] = Counter()
    for child in node:
        name = local(child)
        if not name:
            continue
        places[name] += 1
        below = f"{path}/{write_step(name, places[name])}"
        titles = viewer.texts.headings.of(child)
        if titles:
            yield level, titles[-1], below
        yield from titled(viewer, child, below, depth, level + bool(titles))
