"""Layout of a source document: character ranges of all elements and text nodes.

The index has the ranges of its own elements only. A layout also has elements below content elements, and the text nodes
that XPointers name. It counts characters like assessments do, without a profile.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from trix.indexer.document.kinds import ENTITY, GONE, ElementKinds
from trix.indexer.document.outline import outline
from trix.indexer.profile.profile import Profile
from trix.support.element_path import read_step, steps, write_step

Span = tuple[int, int]

_POINTER = re.compile(r"(.*)/text\(\)(?:\[(\d+)\])?(?:\.(\d+))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Counting:
    """Way to count text.

    Attributes
    ----------
    size
        Function from a text to its number of positions.
    entity
        Positions of an entity reference that is left in the tree.
    kinds
        Kinds of elements; blank and dropped ones have no positions. None counts all text.
    """

    size: Callable[[str], int] = len
    entity: int = 0
    kinds: ElementKinds | None = None


@dataclass(frozen=True, slots=True)
class TextLayout:
    """Ranges in one document, in positions from 0.

    Columns take 40 bytes per element, which keeps many documents in memory.

    Attributes
    ----------
    elements : (n, 5) ndarray of int32
        ``(n, 5)`` int32, in document order: parent (-1 for the root), number of the name, position among siblings of
        that name, begin, end.
    texts : (m, 4) ndarray of int32
        ``(m, 4)`` int32 for each text node: parent element, begin, counted positions, positions in the source. The two
        counts differ in blank and dropped elements.
    names : dict of str to int
        Numbers of local names, shared by the layouts of a collection.
    """

    elements: NDArray[np.int32]
    texts: NDArray[np.int32]
    names: dict[str, int]

    @property
    def length(self) -> int:
        """Number of positions in the document."""
        return int(self.elements[0, 4])

    def span(self, path: str) -> Span | None:
        """Return the range of an element, of a text node, or of a point in one (``PATH/text()[i].K``).

        None if the document has no such node or point.

        >>> layout = lay_out(etree.fromstring("<a>one<b>two</b>three</a>"), Counting())
        >>> layout.span("/a[1]/b[1]"), layout.span("/a[1]/text()[2]"), layout.span("/a[1]/text()[2].4")
        ((3, 6), (6, 11), (10, 10))
        >>> layout.span("/a[1]/text()[2].6"), layout.span("/a[1]/c[1]"), layout.span("/a[1]/b[2]")
        (None, None, None)
        """
        if "text()" not in path:
            element = self._find(path)
            return None if element < 0 else (int(self.elements[element, 3]), int(self.elements[element, 4]))
        pointer = _POINTER.fullmatch(path)
        element = -1 if pointer is None else self._find(pointer[1])
        if pointer is None or element < 0:
            return None
        nodes = self.texts[self.texts[:, 0] == element]
        number = int(pointer[2] or 1)
        if not 1 <= number <= len(nodes):
            return None
        _, start, counted, length = nodes[number - 1].tolist()
        if pointer[3] is None:
            return start, start + counted
        at = int(pointer[3])
        return None if at > length else (start + min(at, counted), start + min(at, counted))

    def pointer(self, at: int, *, end: bool = False) -> str | None:
        """Return the XPointer of a position, in the text node with that character; for an `end`, with the one before.

        None if the document has no such character.

        >>> layout = lay_out(etree.fromstring("<a>one<b>two</b>three</a>"), Counting())
        >>> layout.pointer(3), layout.pointer(3, end=True), layout.pointer(11, end=True)
        ('/a[1]/b[1]/text()[1].0', '/a[1]/text()[1].3', '/a[1]/text()[2].5')
        >>> layout.pointer(11), layout.pointer(0, end=True)
        (None, None)
        """
        begins = self.texts[:, 1]
        rows = np.flatnonzero((begins <= at - end) & (at - end < begins + self.texts[:, 2]))
        if not rows.size:
            return None
        element = int(self.texts[rows[0], 0])
        number = int((self.texts[: rows[0] + 1, 0] == element).sum())
        path, names = f"/text()[{number}].{at - int(begins[rows[0]])}", list(self.names)
        while element >= 0:
            element, name, same = self.elements[element, :3].tolist()
            path = f"/{write_step(names[name], same)}{path}"
        return path

    def places(self) -> list[tuple[str, Span]]:
        """Return the paths and ranges of all elements, in document order.

        >>> lay_out(etree.fromstring("<a>one<b/><b>two</b></a>"), Counting()).places()
        [('/a[1]', (0, 6)), ('/a[1]/b[1]', (3, 3)), ('/a[1]/b[2]', (3, 6))]
        """
        names = list(self.names)
        found: list[tuple[str, Span]] = []
        for above, name, number, first, last in self.elements.tolist():
            path = found[above][0] if above >= 0 else ""
            found.append((f"{path}/{write_step(names[name], number)}", (first, last)))
        return found

    def _find(self, path: str) -> int:
        """Return the row of the element at a path, or -1."""
        parents, names, numbers = self.elements[:, :3].T
        found = -1
        # One level per step: the child of the last match with this name and position.
        for name, position in map(read_step, steps(path)):
            if name not in self.names or position is None:
                return -1
            fits = (parents == found) & (names == self.names[name]) & (numbers == position)
            if not fits.any():
                return -1
            found = int(fits.argmax())
        return found

    def holding(self, start: int, end: int) -> list[tuple[Span, str]]:
        """Return the elements that enclose a range, from the root inwards, with their ranges.

        An empty range stands for the character at `start`.

        >>> layout = lay_out(etree.fromstring("<a>one<b><c>two</c></b></a>"), Counting())
        >>> layout.holding(3, 5), layout.holding(2, 4)
        ([((0, 6), '/a[1]'), ((3, 6), '/a[1]/b[1]'), ((3, 6), '/a[1]/b[1]/c[1]')], [((0, 6), '/a[1]')])
        >>> layout.holding(3, 3) == layout.holding(3, 4), layout.holding(5, 7), layout.holding(7, 7)
        (True, [], [])
        """
        if end <= start <= self.length:
            end = min(start + 1, self.length)
        elif not 0 <= start < end <= self.length:
            return []
        names = list(self.names)
        path, enclosing = "", []
        # Candidates enclose the range; the chain of parents orders them.
        inside = (self.elements[:, 3] <= start) & (end <= self.elements[:, 4])
        if end > start:
            inside &= self.elements[:, 4] > self.elements[:, 3]
        parent = -1
        for element in np.flatnonzero(inside).tolist():
            above, name, number, first, last = self.elements[element].tolist()
            if above == parent:  # in an empty document, siblings have equal ranges
                path += f"/{write_step(names[name], number)}"
                enclosing.append(((first, last), path))
                parent = element
        return enclosing


def carry(span: Span, own: TextLayout, other: TextLayout) -> Span | None:
    """Convert a range of whole text nodes to another layout of the same document; None if they have no text there.

    >>> root = etree.fromstring("<a>ö<b>ä</b>x</a>")
    >>> carry((1, 3), lay_out(root, Counting()), lay_out(root, Counting(lambda text: len(text.encode()))))
    (2, 5)
    """
    if len(own.texts) != len(other.texts):  # an entity with markup is expanded in one of the trees only
        return None
    begins, ends = own.texts[:, 1], own.texts[:, 1] + own.texts[:, 2]
    # Text nodes with counted positions inside the range.
    inside = np.flatnonzero((span[0] <= begins) & (ends <= span[1]) & (begins < ends))
    if not inside.size:
        return None
    first, last = other.texts[inside[0]], other.texts[inside[-1]]
    return int(first[1]), int(last[1] + last[2])


def lay_out(root: Any, counting: Counting, names: dict[str, int] | None = None) -> TextLayout:
    """Compute the layout of a document.

    Parameters
    ----------
    root
        Root element (lxml). Text nodes are those of XPath: elements, comments and processing instructions end them, so
        these must be in the tree. Entity references do not.
    counting
        Way to count text.
    names
        Numbers of local names; new names are added.

    Examples
    --------
    >>> layout = lay_out(etree.fromstring("<a>ö<!-- no --><b>x</b></a>"), Counting(lambda text: len(text.encode())))
    >>> layout.span("/a[1]"), layout.span("/a[1]/b[1]"), layout.length
    ((0, 3), (2, 3), 3)
    """
    names = {} if names is None else names
    kinds = counting.kinds if counting.kinds is not None else ElementKinds(Profile(name="none"))
    walked = outline(root, kinds, whole=True)
    size, actions = counting.size, kinds.actions
    elements: list[list[int]] = []
    texts: list[tuple[int, int, int, int]] = []
    opened: list[int] = []
    gone = 0  # number, from 1, of the outermost open element whose text does not count; 0 for none
    at = first = length = 0
    is_open = False  # whether a text node is open: it begins at `first` and has `length` source positions
    for kind, same, text, node in zip(walked.kinds, walked.same, walked.texts, walked.nodes, strict=True):
        # An entity reference continues the text node around it; any other tag ends it.
        if node.tag is etree.Entity:
            if kind >= 0:
                is_open = True
                length += counting.entity
                at += 0 if gone else counting.entity
        else:
            if is_open:
                texts.append((opened[-1], first, at - first, length))
                length, is_open = 0, False
            if kind >= 0 and not actions[kind] & ENTITY:
                name = names.setdefault(kinds.all[kind].name, len(names))
                opened.append(len(elements))
                elements.append([opened[-2] if len(opened) > 1 else -1, name, same, at, at])
                gone = gone or (len(elements) if actions[kind] & GONE else 0)
            # An end tag sets the end of the element that was opened last.
            elif kind < 0 and isinstance(node.tag, str):
                closed = opened.pop()
                elements[closed][4] = at
                gone = 0 if gone == closed + 1 else gone
            first = at
        if text:
            is_open = True
            length += (counted := size(text))
            at += 0 if gone else counted
    return TextLayout(np.array(elements, np.int32).reshape(-1, 5), np.array(texts, np.int32).reshape(-1, 4), names)
