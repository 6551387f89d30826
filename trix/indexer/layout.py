"""Where the elements and the text nodes of a source document stand, under one way of counting its text.

The index knows the places of its own elements. A layout knows those of all elements of the source, also below content
elements, of the text nodes that XPointers name, and it counts as assessments do, which know nothing of profiles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

Span = tuple[int, int]

_POINTER = re.compile(r"(.*)/text\(\)(?:\[(\d+)\])?(?:\.(\d+))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Counting:
    """How text is counted.

    Attributes
    ----------
    size
        Text -> its positions.
    entity
        Positions of an entity reference that is left in the tree.
    gone
        Tells of an element whether its text counts nothing.
    """

    size: Callable[[str], int] = len
    entity: int = 0
    gone: Callable[[Any], bool] | None = None


@dataclass(slots=True)
class Layout:
    """The places in one document, in positions from 0.

    Attributes
    ----------
    spans
        Path -> half-open range, for every element in document order.
    texts
        Path -> (place, positions, positions in the source) of each of its text nodes. The two counts differ where the
        text is none of the document's.
    length
        Positions of the document.
    """

    spans: dict[str, Span] = field(default_factory=dict)
    texts: dict[str, list[tuple[int, int, int]]] = field(default_factory=dict)
    length: int = 0

    def span(self, path: str) -> Span | None:
        """Return the place of an element, of a text node, or of a point in one (``PATH/text()[i].K``).

        None where the document has no such place.

        >>> layout = lay_out(etree.fromstring("<a>one<b>two</b>three</a>"), Counting())
        >>> layout.span("/a[1]/b[1]"), layout.span("/a[1]/text()[2]"), layout.span("/a[1]/text()[2].4")
        ((3, 6), (6, 11), (10, 10))
        >>> layout.span("/a[1]/text()[2].6")
        """
        found = self.spans.get(path)
        if found is not None or "text()" not in path:
            return found
        pointer = _POINTER.fullmatch(path)
        nodes = [] if pointer is None else self.texts.get(pointer[1], [])
        number = int(pointer[2] or 1) if pointer is not None else 0
        if pointer is None or not 1 <= number <= len(nodes):
            return None
        start, counted, length = nodes[number - 1]
        if pointer[3] is None:
            return start, start + counted
        at = int(pointer[3])
        return None if at > length else (start + min(at, counted), start + min(at, counted))

    def smallest(self, start: int, end: int, preferred: Collection[str] = ()) -> str | None:
        """Return the path of the smallest element that holds the positions; None if none does.

        Of elements with the same text the innermost preferred one is taken, or the innermost. Without an end behind
        the start it is the element that holds the position at the start.

        >>> layout = lay_out(etree.fromstring("<a>one<b><c>two</c></b></a>"), Counting())
        >>> layout.smallest(3, 5), layout.smallest(3, 5, {"/a[1]/b[1]"}), layout.smallest(2, 4), layout.smallest(3, 3)
        ('/a[1]/b[1]/c[1]', '/a[1]/b[1]', '/a[1]', '/a[1]/b[1]/c[1]')
        >>> layout.smallest(5, 7)
        """
        if end <= start:
            end = min(start + 1, self.length)
        best: tuple[int, bool, int] | None = None
        found = None
        for order, (path, (first, last)) in enumerate(self.spans.items()):
            if first <= start and end <= last:
                rank = (last - first, path not in preferred, -order)
                if best is None or rank < best:
                    best, found = rank, path
        return found


def lay_out(root: Any, counting: Counting) -> Layout:
    """Return the places in a document.

    Parameters
    ----------
    root
        Its lxml element. Text nodes are those of XPath: cut by elements, comments and processing instructions, which
        must therefore be in the tree, and not by entity references.
    counting
        How its text is counted.

    Examples
    --------
    >>> layout = lay_out(etree.fromstring("<a>ö<!-- no --><b>x</b></a>"), Counting(lambda text: len(text.encode())))
    >>> layout.spans, layout.length
    ({'/a[1]': (0, 3), '/a[1]/b[1]': (2, 3)}, 3)
    """
    layout = Layout()
    layout.length = _Walk(layout, counting).element(root, f"/{_local(root.tag)}[1]", 0, False)
    return layout


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


class _Walk:
    """Fills a layout; trees are 256 deep at most, see `trix.indexer.parse`."""

    def __init__(self, layout: Layout, counting: Counting) -> None:
        self.layout, self.counting = layout, counting

    def element(self, element: Any, path: str, at: int, gone: bool) -> int:
        """Take an element that begins at a position, and return where it ends."""
        begin, counting, spans = at, self.counting, self.layout.spans
        spans[path] = (begin, begin)
        nodes: list[tuple[int, int, int]] = []
        seen: dict[str, int] = {}
        length = 0  # of the text node that is open
        first = at

        def close() -> None:
            if length:
                nodes.append((first, at - first, length))

        if element.text:
            length = counting.size(element.text)
            at += 0 if gone else length
        for child in element:
            if child.tag is etree.Entity:
                length += counting.entity
                at += 0 if gone else counting.entity
            else:
                close()
                length = 0
                if isinstance(child.tag, str):
                    name = _local(child.tag)
                    number = seen[name] = seen.get(name, 0) + 1
                    below = gone or (counting.gone is not None and counting.gone(child))
                    at = self.element(child, f"{path}/{name}[{number}]", at, below)
                first = at
            if child.tail:
                size = counting.size(child.tail)
                length += size
                at += 0 if gone else size
        close()
        spans[path] = (begin, at)
        if nodes:
            self.layout.texts[path] = nodes
        return at
