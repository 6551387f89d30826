"""Text file of a document: title, fields, places of its units, and what they say, for results [SITE, section 3]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from trix.publish.pack import SearchFiles, cut, json_bytes
from trix.publish.units import Units
from trix.support.arrays import Ints, Mask
from trix.web.pages.found import told
from trix.web.reading.contents import Entry
from trix.web.reading.document import OpenDocument

BLOCK = 20_000
"""Characters of a file of texts, about; a longer content element has a file of its own."""

_WHOLE = 1000
"""Parts of a document in which places are told."""


class Section(NamedTuple):
    """A title in a table of contents: its first element, that after its last, and the number of the one around."""

    title: str
    first: int
    end: int
    around: int


def sections(opened: OpenDocument, entries: Sequence[Entry], around: int = -1) -> list[Section]:
    """Return the sections of a table of contents in document order."""
    found: list[Section] = []

    def add(inside: Sequence[Entry], around: int) -> None:
        for entry in inside:
            found.append(Section(entry.title, entry.element, opened.after(entry.element), around))
            add(entry.inside, len(found) - 1)

    add(entries, around)
    return found


def document_file(
    opened: OpenDocument,
    units: Units,
    quiet: Mask,
    entries: Sequence[Entry],
    labels: Sequence[str],
    kind: Callable[[str], str],
    out: SearchFiles,
) -> bytes:
    """Return the file of a document, and write its texts.

    Parameters
    ----------
    opened
        The document.
    units
        The units of the index.
    quiet
        ``(n_elements,)`` whether each element is in a quiet part.
    entries
        Its table of contents.
    labels
        Anchor of each of its rows on the page; empty for a quiet row.
    kind
        Returns the words for a tag.
    out
        Takes the files of texts.
    """
    first, end = rows_of(opened, units)
    named = sections(opened, entries)
    table = opened.now.files.elements
    pieces, place = _pieces(opened, quiet)
    rows: list[Any] = []
    for row, label in zip(range(first, end), labels, strict=True):
        element = int(units.element[row])
        if not units.is_returned[row]:
            rows.append(0)
            continue
        low = int(table.begin[element])
        begin, stop = (
            int(place[at - int(table.begin[opened.low])]) for at in (low, low + int(table.contents[element]))
        )
        section = _innermost(named, element, opened.after(element))
        at, width = opened.start(element), opened.size(element)
        rows.append(
            [
                label, begin, stop - begin, _WHOLE * at // max(opened.length, 1),
                max(1, _WHOLE * width // max(opened.length, 1)), section if section >= 0 else kind(opened.tag(element)),
            ]
        )  # fmt: skip
    return json_bytes(
        {
            "title": opened.title or opened.doc,
            "direction": opened.direction,
            "fields": told(opened.index.fields.of(opened.number)),
            "sections": [[section.title, section.around] for section in named],
            "units": rows,
            "blocks": list(_blocks(pieces, out)),
        }
    )


def rows_of(opened: OpenDocument, units: Units) -> tuple[int, int]:
    """Return the range of a document's rows."""
    low, high = np.searchsorted(units.element, (opened.low, opened.high))
    return int(low), int(high)


def _pieces(opened: OpenDocument, quiet: Mask) -> tuple[list[str], Ints]:
    """Return the shown texts of content elements outside quiet parts, and the first piece from each of them on."""
    pieces, place = list[str](), [0]
    for element in _contents(opened):
        if not quiet[element] and opened.size(element):
            start = opened.start(element)
            pieces.append(" ".join(opened.document.shown(start, start + opened.size(element)).text.split()))
        place.append(len(pieces))
    return pieces, np.array(place)


def _blocks(pieces: Sequence[str], out: SearchFiles) -> Iterator[tuple[int, str]]:
    """Write pieces by line into files, and yield the first piece and the name of each."""
    for first, block in cut(pieces, len, BLOCK):
        yield first, out.put("\n".join(block).encode("utf-8", "replace"))


def _contents(opened: OpenDocument) -> Iterator[int]:
    if not opened.is_empty:
        low = int(opened.now.files.elements.begin[opened.low])
        yield from opened.now.files.elements.of_content[low : opened.after_contents].tolist()


def _innermost(named: Sequence[Section], element: int, end: int) -> int:
    """Return the number of the last section that holds a range of elements; -1 if none does."""
    for number in range(len(named) - 1, -1, -1):
        if named[number].first <= element and end <= named[number].end:
            return number
    return -1
