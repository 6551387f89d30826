"""A document or an element by its name: where it stands, and its text to be read on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from trix.indexer.fields.table import Fields
from trix.indexer.read.texts import Document
from trix.query.display.prose import prose, tidy
from trix.query.display.viewer import Viewer
from trix.query.naming.names import Namer
from trix.support.element_path import read_step, steps


class Unit(NamedTuple):
    """A document or an element.

    Attributes
    ----------
    doc, title
        Id and title of the document.
    path, tag
        Of the element; of a document those of its root.
    label
        Its label; that of the nearest element above it that has one, where it has none itself.
    offset, length
        Characters in the document's text, of the element with that label.
    fields
        What the document says of itself.
    """

    doc: str
    title: str
    path: str
    tag: str
    label: str
    offset: int
    length: int
    fields: Mapping[str, Any]


def unit_of(viewer: Viewer, namer: Namer, fields: Fields, name: str) -> Unit:
    """Return a document, or an element that is in the source.

    Raises
    ------
    UsageError
        There is no such document or element.
    SourceError
        An element has no number, so that the source has to be asked, and that has moved or changed.
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
        fields.of(document),
    )  # fmt: skip


def prose_of(viewer: Viewer, name: str) -> str:
    """Return the text of a document or an element, without the indentation of its source."""
    document, path = viewer.unit(name)
    read = viewer.texts.document(document)
    number = viewer.number(document, path)
    if "/@" in path:
        return tidy(viewer.shown_value(document, path).text)
    if number < 0 and path:
        read = Document(viewer.source_node(document, path), read.reader)
    begin, end = 0, len(read.text)
    if number >= 0 and path:
        begin = int(viewer.files.elements.start[number])
        end = begin + int(viewer.files.elements.length[number])
    return prose(read, begin, end)
