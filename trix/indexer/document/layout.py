"""Where the elements and the text nodes of a source document stand, under one way of counting its text.

The index knows the places of its own elements. A layout knows those of all elements of the source, also below content
elements, of the text nodes that XPointers name, and it counts as assessments do, which know nothing of profiles.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from trix.indexer.document.kinds import ENTITY, GONE, Kinds
from trix.indexer.document.outline import outline
from trix.indexer.profile.profile import Profile
from trix.support.element_path import read_step, steps, write_step

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
    kinds
        What tags mean: what is blank or dropped counts nothing. None: all counts.
    """

    size: Callable[[str], int] = len
    entity: int = 0
    kinds: Kinds | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The places in one document, in positions from 0. Columns, 40 bytes an element: many documents stay in memory.

    Attributes
    ----------
    elements : (n, 5) ndarray of int32
        For each element in document order its parent (-1 for the root), the number of its name, its place among
        siblings of that name, begin and end.
    texts : (m, 4) ndarray of int32
        For each text node the element it is a child of, place, positions, positions in the source. The two counts
        differ where the text is none of the document's.
    names : dict of str to int
        Local names by number, shared by the layouts of one collection.
    """

    elements: NDArray[np.int32]
    texts: NDArray[np.int32]
    names: dict[str, int]

    @property
    def length(self) -> int:
        """Positions of the document."""
        return int(self.elements[0, 4])

    def span(self, path: str) -> Span | None:
        """Return the place of an element, of a text node, or of a point in one (``PATH/text()[i].K``).

        None where the document has no such place.

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
        """Return the XPointer of a position, in the text node of the character there; of an end, of that before it.

        None where the document has no such character.

        >>> layout = lay_out(etree.fromstring("<a>one<b>two</b>three</a>"), Counting())
        >>> layout.pointer(3), layout.pointer(3, end=True), layout.pointer(11, end=True)
        ('/a[1]/b[1]/text()[1].0', '/a[1]/text()[1].3', '/a[1]/text()[2].5')
        >>> layout.pointer(11), layout.pointer(0, end=True)
        (None, None)
        """
        begins = self.texts[:, 1]
        held = np.flatnonzero((begins <= at - end) & (at - end < begins + self.texts[:, 2]))
        if not held.size:
            return None
        element = int(self.texts[held[0], 0])
        number = int((self.texts[: held[0] + 1, 0] == element).sum())
        path, names = f"/text()[{number}].{at - int(begins[held[0]])}", list(self.names)
        while element >= 0:
            element, name, same = self.elements[element, :3].tolist()
            path = f"/{write_step(names[name], same)}{path}"
        return path

    def places(self) -> list[tuple[str, Span]]:
        """Return the elements in document order with their places.

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
        """Return the place of an element in the columns; -1 if there is none at the path."""
        parents, names, numbers = self.elements[:, :3].T
        found = -1
        for name, position in map(read_step, steps(path)):
            if name not in self.names or position is None:
                return -1
            fits = (parents == found) & (names == self.names[name]) & (numbers == position)
            if not fits.any():
                return -1
            found = int(fits.argmax())
        return found

    def holding(self, start: int, end: int) -> list[tuple[Span, str]]:
        """Return the elements that hold some positions, with their places, from the root inwards.

        Without an end behind the start these are the elements that hold the position at the start.

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
        path, held = "", []
        inside = (self.elements[:, 3] <= start) & (end <= self.elements[:, 4])
        if end > start:
            inside &= self.elements[:, 4] > self.elements[:, 3]
        parent = -1
        for element in np.flatnonzero(inside).tolist():
            above, name, number, first, last = self.elements[element].tolist()
            if above == parent:  # in an empty document siblings hold the same nothing
                path += f"/{write_step(names[name], number)}"
                held.append(((first, last), path))
                parent = element
        return held


def carry(span: Span, own: Layout, other: Layout) -> Span | None:
    """Return the place of whole text nodes in another layout of the same document; None if they hold no text there.

    >>> root = etree.fromstring("<a>ö<b>ä</b>x</a>")
    >>> carry((1, 3), lay_out(root, Counting()), lay_out(root, Counting(lambda text: len(text.encode()))))
    (2, 5)
    """
    if len(own.texts) != len(other.texts):  # markup in an entity, which only one of them sees
        return None
    begins, ends = own.texts[:, 1], own.texts[:, 1] + own.texts[:, 2]
    inside = np.flatnonzero((span[0] <= begins) & (ends <= span[1]) & (begins < ends))
    if not inside.size:
        return None
    first, last = other.texts[inside[0]], other.texts[inside[-1]]
    return int(first[1]), int(last[1] + last[2])


def lay_out(root: Any, counting: Counting, names: dict[str, int] | None = None) -> Layout:
    """Return the places in a document.

    Parameters
    ----------
    root
        Its lxml element. Text nodes are those of XPath: cut by elements, comments and processing instructions, which
        must therefore be in the tree, and not by entity references.
    counting
        How its text is counted.
    names
        Numbers of local names, to which new ones are added.

    Examples
    --------
    >>> layout = lay_out(etree.fromstring("<a>ö<!-- no --><b>x</b></a>"), Counting(lambda text: len(text.encode())))
    >>> layout.span("/a[1]"), layout.span("/a[1]/b[1]"), layout.length
    ((0, 3), (2, 3), 3)
    """
    names = {} if names is None else names
    kinds = counting.kinds if counting.kinds is not None else Kinds(Profile(name="none"))
    walked = outline(root, kinds, whole=True)
    size, actions = counting.size, kinds.actions
    elements: list[list[int]] = []
    texts: list[tuple[int, int, int, int]] = []
    opened: list[int] = []
    gone = 0  # the element, from 1 for the root, in which text counts nothing; 0: there is none
    at = first = length = 0
    is_open = False  # whether a text node is being read: from `first` on, of `length` positions in the source
    for kind, same, text, node in zip(walked.kinds, walked.same, walked.texts, walked.nodes, strict=True):
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
            elif kind < 0 and isinstance(node.tag, str):
                closed = opened.pop()
                elements[closed][4] = at
                gone = 0 if gone == closed + 1 else gone
            first = at
        if text:
            is_open = True
            length += (counted := size(text))
            at += 0 if gone else counted
    return Layout(np.array(elements, np.int32).reshape(-1, 5), np.array(texts, np.int32).reshape(-1, 4), names)
