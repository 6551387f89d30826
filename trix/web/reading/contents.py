"""Table of contents of a document: titles of sections, each with the strength of its matching passages."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from trix.errors import UsageError
from trix.web.reading.chain import Link
from trix.web.reading.document import OpenDocument
from trix.web.reading.roles import names
from trix.web.reading.titles import in_prose

MOST = 240
"""Approximate number of entries of a table of contents; deeper sections are left out."""

_DEEPEST = 7
_NO_SECTIONS = names(
    """
    figure table table-wrap list ordered terms item note admonition speech stanza reference-item citation caption
    term-group details hide people person formula code row cell block paragraph line list-block quote
    """
)


@dataclass
class Entry:
    """Section in a table of contents, with the strength of its best passage (0 if none), and its subsections."""

    element: int
    title: str
    label: str
    part: int
    start: int
    end: int
    heat: int = 0
    passages: int = 0
    inside: list[Entry] = field(default_factory=list)


def contents(opened: OpenDocument) -> list[Entry]:
    """Return the outermost sections, with subsections unless there are too many."""
    headings, viewer = opened.now.viewer.texts.headings, opened.now.viewer
    root = Entry(opened.low, "", "", 0, 0, opened.length)
    table, tree = opened.now.files.elements, opened.document.root
    layer, total = [(opened.low, root)], 0
    for _ in range(_DEEPEST):
        found: list[tuple[int, Entry]] = []
        for element, entry in layer:
            inside = np.arange(element + 1, opened.after(element))
            children = inside[table.parent[inside] == element]
            children = children[table.length[children] > 0]
            if children.size > 40 * MOST:
                continue
            for child in children.tolist():
                role = opened.roles.by_name(opened.tag(child))
                if role in _NO_SECTIONS or opened.tag(child)[:1] in ("#", "@") or opened.after(child) == child + 1:
                    continue
                found.append((child, entry))
        if total + len(found) > MOST:  # headings that stand in a row with what they head, else the largest
            heads = [pair for pair in found if opened.roles.by_name(opened.tag(pair[0])) == "heading"]
            found = heads or found
            largest = sorted(found, key=lambda pair: -opened.size(pair[0]))[: max(0, MOST - total)]
            found = sorted(largest, key=lambda pair: pair[0])
        labels, paths = opened.names([child for child, _ in found])
        layer = []
        for (child, entry), label, path in zip(found, labels, paths, strict=True):
            try:
                titles = headings.of(viewer.source_node(opened.number, path, tree))
            except UsageError:
                titles = []
            title = in_prose(" – ".join(titles))
            if not title or title == entry.title or title.casefold() == opened.title.casefold():
                layer.append((child, entry))  # a wrapper: its children belong to its parent
                continue
            start = opened.start(child)
            made = Entry(child, title, label, opened.part_of(child).number, start, start + opened.size(child))
            entry.inside.append(made)
            total += 1
            layer.append((child, made))
        if not layer:
            break
    return _in_order(root).inside


def _in_order(entry: Entry) -> Entry:
    """Sort sections found level by level into document order."""
    entry.inside = sorted(map(_in_order, entry.inside), key=lambda each: each.element)
    return entry


def heat(entries: list[Entry], links: list[Link]) -> list[Entry]:
    """Return the entries with the strength of the best passage in each, and the number of passages."""
    made = []
    for entry in entries:
        own = [link for link in links if entry.start <= link.start < entry.end]
        made.append(
            Entry(
                entry.element, entry.title, entry.label, entry.part, entry.start, entry.end,
                max((link.strength for link in own), default=0), len(own), heat(entry.inside, own),
            )
        )  # fmt: skip
    return made
