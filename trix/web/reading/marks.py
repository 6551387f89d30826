"""Highlighting: the ranges of matching words, mapped to the text nodes of a part.

Words are looked for in the smallest elements that hold them; these are read alone, as reading all of a long document
takes longer than showing a part of it may.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from markupsafe import escape

from trix.indexer.document.text_nodes import text_nodes
from trix.indexer.read.texts import SourceDocument
from trix.query.display.highlight import Highlighter, ranges
from trix.web.reading.document import OpenDocument, TextPart

Marks = dict[tuple[Any, str], list[tuple[int, int]]]
"""(lxml element, ``text`` or ``tail``) -> ranges of characters of that text."""


def marks(opened: OpenDocument, document: SourceDocument, highlighter: Highlighter, first: int, end: int) -> Marks:
    """Return the ranges of matching words in the elements ``[first, end)``, by nodes of the given tree."""
    low, high = opened.contents(first, end)
    held = highlighter.contents
    begin, stop = np.searchsorted(held, (low, high))
    elements = opened.now.files.elements
    by_element: dict[int, None] = {}
    for content in held[begin:stop].tolist():
        by_element[opened.own(int(elements.of_content[content]))] = None
    found: Marks = defaultdict(list)
    whole: list[int] = []
    done_to = -1
    for element in by_element:
        if element < done_to:
            continue  # inside one that was read already
        if not _mark_alone(opened, document, highlighter, element, found):
            whole.append(element)
        done_to = opened.after(element)
    if whole:
        _mark_whole(opened, document, highlighter, whole, found)
    return found


def stretch_marks(opened: OpenDocument, document: SourceDocument, stretch: tuple[int, int], part: TextPart) -> Marks:
    """Return a range of characters of a document, clipped to a part, by nodes of the given tree."""
    low, high = max(stretch[0], part.start), min(stretch[1], part.start + part.characters)
    found: Marks = defaultdict(list)
    _put(document, [(low, high)] if low < high else [], found, opened.now.viewer.files.profile)
    return found


def _mark_alone(
    opened: OpenDocument, document: SourceDocument, highlighter: Highlighter, element: int, found: Marks
) -> bool:
    """Mark one element, parsed by itself; return False if its text then differs from that in the document."""
    viewer = opened.now.viewer
    path = opened.names([element])[1][0]
    node = viewer.source_node(opened.number, path, document.root)
    alone = SourceDocument(node, viewer.texts.reader)
    begin, end = viewer.contents(element)
    if len(alone.text) != opened.size(element) or alone.contents != end - begin:
        return False
    hits = highlighter.hits(alone, begin, begin, end)
    _put(alone, ranges(hit for hit in hits if not hit.in_attribute), found, viewer.files.profile)
    return True


def _mark_whole(
    opened: OpenDocument, document: SourceDocument, highlighter: Highlighter, elements: list[int], found: Marks
) -> None:
    """Mark elements in the tree of the whole document."""
    viewer = opened.now.viewer
    hits = [hit for element in elements for hit in viewer.hits(highlighter, opened.number, element)]
    _put(document, ranges(hit for hit in hits if not hit.in_attribute), found, viewer.files.profile)


def _put(document: SourceDocument, wanted: list[tuple[int, int]], found: Marks, profile: Any) -> None:
    """Map ranges of the text of a document to its text nodes, without white space at their borders."""
    if not wanted:
        return
    first = 0
    for node in text_nodes(document.root, profile):
        while first < len(wanted) and wanted[first][1] <= node.begin:
            first += 1
        if first == len(wanted):
            return
        inside, text = first, getattr(node.element, node.slot)
        while inside < len(wanted) and wanted[inside][0] < node.end:
            low = max(wanted[inside][0], node.begin) - node.begin
            high = min(wanted[inside][1], node.end) - node.begin
            piece = text[low:high]
            if stripped := piece.strip():
                low += piece.index(stripped)
                found[node.element, node.slot].append((low, low + len(stripped)))
            inside += 1


def marked(
    text: str, ranges: Sequence[tuple[int, int]], without: Iterable[str] = (), isolated: Sequence[tuple[int, int]] = ()
) -> str:
    """Escape a text, with marks around ranges, other ranges isolated, and some characters left out.

    >>> marked("a light-house", [(2, 13)], "-")
    'a <mark>lighthouse</mark>'
    >>> marked("a bc d", [(0, 3)], isolated=[(2, 4)])
    '<mark>a </mark><bdi><mark>b</mark>c</bdi> d'
    """
    if not ranges and not isolated:
        return _shown(text, without)
    pieces, at = list[str](), 0
    for low, high in [*isolated, (len(text), len(text))]:
        for begin, end, tag in ((at, low, ""), (low, high, "bdi")):
            made = _marked(text, ranges, begin, end, without) if begin < end else ""
            pieces.append(f"<{tag}>{made}</{tag}>" if made and tag else made)
        at = high
    return "".join(pieces)


def marked_piece(
    text: str, ranges: Sequence[tuple[int, int]], without: Iterable[str], isolated: Sequence[tuple[int, int]],
    low: int, high: int,
) -> str:  # fmt: skip
    """Return `marked` for the characters ``[low, high)`` of a text."""
    return marked(text[low:high], _within(ranges, low, high), without, _within(isolated, low, high))


def _within(ranges: Iterable[tuple[int, int]], low: int, high: int) -> list[tuple[int, int]]:
    return [(max(begin, low) - low, min(end, high) - low) for begin, end in ranges if begin < high and end > low]


def _marked(text: str, ranges: Iterable[tuple[int, int]], at: int, stop: int, without: Iterable[str]) -> str:
    """Return the characters ``[at, stop)`` of a text, with ranges clipped to them."""
    pieces = []
    for low, high in ranges:
        low, high = max(low, at), min(high, stop)
        if low < high:
            pieces += [_shown(text[at:low], without), "<mark>", _shown(text[low:high], without), "</mark>"]
            at = high
    return "".join([*pieces, _shown(text[at:stop], without)])


def _shown(text: str, without: Iterable[str]) -> str:
    for character in without:
        text = text.replace(character, "")
    return str(escape(text))
