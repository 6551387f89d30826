"""Open document: its elements by number, the parts of its page, its images.

Large documents are not rendered at once. They are cut at the beginnings of indexed elements into parts of some
screens, and a part is rendered on demand.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from pyroaring import BitMap

from trix.api.index import Index
from trix.errors import UsageError
from trix.indexer.languages.labels import XML_LANG
from trix.indexer.read.texts import SourceDocument
from trix.query.naming.places import named_place
from trix.support.element_path import label_steps, node_with_id, path_of
from trix.web.reading.direction import direction_of
from trix.web.reading.roles import Roles

PART = 24_000
"""Approximate length of a part in characters; shorter elements are not cut."""


@dataclass(frozen=True)
class TextPart:
    """A stretch of a document.

    Attributes
    ----------
    number
        Number of the part, from 0.
    first, end
        Range of its elements.
    start, characters
        Its offset in the text of the document, and its length.
    """

    number: int
    first: int
    end: int
    start: int
    characters: int


class OpenDocument:
    """A document of an index.

    Parameters
    ----------
    index
        At one commit.
    doc
        The document's id.
    roles
        Of its tags.

    Raises
    ------
    UsageError
        There is no such document.
    """

    def __init__(self, index: Index, doc: str, roles: Roles) -> None:
        self.index, self.doc, self.roles, self.now = index, doc, roles, index.now
        files = self.now.files
        self.number = files.document(doc)
        if self.number < 0:
            raise UsageError("there is no such document", field="document", got=doc)
        self.low, self.high = files.document_range(self.number)
        self.length = files.document_length(self.number)
        self.title = " ".join(files.titles[self.number].split())
        files.elements.structure_of_elements(np.arange(self.low, self.high))
        files.elements.printed_of(np.arange(self.low, self.high))
        self._table = files.elements

    @property
    def is_empty(self) -> bool:
        """Whether the document has no text, and so no indexed elements."""
        return self.low == self.high

    @property
    def document(self) -> SourceDocument:
        """Tree and text of the document.

        The cache may drop it, so that two accesses return different trees. Keep one tree for nodes that are compared.

        Raises
        ------
        SourceError
            The source has moved or changed.
        """
        return self.now.viewer.texts.document(self.number)

    @cached_property
    def language(self) -> str:
        """Language tag of its root; empty if there is none."""
        return self.document.root.get(XML_LANG) or self.now.files.language_of(self.low)

    @cached_property
    def direction(self) -> str:
        """Its writing direction, see `trix.web.reading.direction`."""
        return direction_of(self.document.root.itertext(), self.language)

    # -- elements ---------------------------------------------------------------------------------------------------

    def tag(self, element: int) -> str:
        """Return the tag of an element; runs of text begin with ``#``, attributes with ``@``."""
        return self.now.files.step_tags[int(self._table.step[element])]

    def own(self, element: int) -> int:
        """Return the element itself, or the element of a run of text or an attribute."""
        while self.tag(element)[:1] in ("#", "@") and element > self.low:
            element = int(self._table.parent[element])
        return element

    def start(self, element: int) -> int:
        """Return the offset of an element in the text of the document."""
        return int(self._table.start[element])

    def size(self, element: int) -> int:
        """Return the number of characters of an element."""
        return int(self._table.length[element])

    def parent(self, element: int) -> int:
        """Return the parent of an element; -1 for the root."""
        return int(self._table.parent[element])

    def after(self, element: int) -> int:
        """Return the number after that of the last element inside an element."""
        table = self._table
        last = int(table.begin[element]) + int(table.contents[element]) - 1
        return int(table.of_content[last]) + 1 if last >= int(table.begin[element]) else element + 1

    def contents(self, first: int, end: int) -> tuple[int, int]:
        """Return the range of content elements in a range of elements."""
        low = int(self._table.begin[first])
        high = int(self._table.begin[end]) if end < self.high else self.after_contents
        return low, high

    @cached_property
    def after_contents(self) -> int:
        """The number after that of the document's last content element."""
        return int(self._table.begin[self.low]) + int(self._table.contents[self.low])

    def names(self, elements: list[int]) -> tuple[list[str], list[str]]:
        """Return the labels and the paths of elements."""
        numbers = np.array(elements, np.int32)
        return self.now.namer.names(numbers, np.full(numbers.size, self.number))

    def named(self, where: str) -> int:
        """Return the element with a label or a path.

        Raises
        ------
        UsageError
            There is none.
        """
        if where.startswith("/") and not self.is_empty:
            try:
                return self.now.viewer.element(self.doc + where)
            except UsageError:
                raise UsageError("there is no such element in the document", field="at", got=where) from None
        steps = label_steps(where)
        element = self.low
        if self.is_empty or not steps or steps[0] != self.number + 1:
            raise UsageError("there is no such element in the document", field="at", got=where)
        for step in steps[1:]:
            inside = np.arange(element + 1, self.after(element))
            found = inside[(self._table.parent[inside] == element) & (self._table.position[inside] == step)]
            if not found.size:
                raise UsageError("there is no such element in the document", field="at", got=where)
            element = int(found[0])
        return element

    @cached_property
    def quiet(self) -> frozenset[int]:
        """Elements that begin non-returnable parts, and contain no returnable ones."""
        files, inside = self.now.files, BitMap(range(self.low + 1, self.high))
        loud = list(files.marked("loud") & inside)
        begun = files.marked("quiet") & inside
        return frozenset(each for each in begun if bisect_right(loud, each) == bisect_left(loud, self.after(each)))

    # -- parts ------------------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> list[TextPart]:
        """The parts in order; at least one."""
        cuts = self._cuts()
        starts = [0, *(self.start(element) for element in cuts[1:]), self.length]
        return [
            TextPart(number, first, end, start, after - start)
            for number, ((first, end), (start, after)) in enumerate(
                zip(pairwise([*cuts, self.high]), pairwise(starts), strict=True)
            )
        ]

    def _cuts(self) -> list[int]:
        """Return the first elements of the parts, beginning with the root."""
        cuts, filled, heading = [self.low], 0, -1
        element = self.low
        while element < self.high:
            size, tag = self.size(element), self.tag(element)
            proper = tag[:1] not in ("#", "@")
            if size > PART and proper and self.after(element) > element + 1:
                if filled > PART // 3 and element != self.low and heading < 0:
                    cuts.append(element)
                    filled = 0
                element += 1
                continue
            if filled and filled + size > PART and proper and element != cuts[-1]:
                cuts.append(heading if heading > cuts[-1] else element)
                filled = 0
            filled += size
            is_heading = proper and size < 400 and self.roles.by_name(tag) in ("heading", "number")
            heading = (heading if heading >= 0 else element) if is_heading else -1
            element = self.after(element)
        return cuts

    def part_of(self, element: int) -> TextPart:
        """Return the part in which an element begins."""
        return self.parts[max(0, bisect_right(self.parts, element, key=lambda part: part.first) - 1)]

    def part_at(self, character: int) -> TextPart:
        """Return the part of a character offset."""
        return self.parts[max(0, bisect_right(self.parts, character, key=lambda part: part.start) - 1)]

    def place(self, wanted: str) -> tuple[int, int]:
        """Return the range of characters of a place, as ``page=214``; see `trix.query.naming.places`."""
        try:
            return named_place(self.now.files, self.number, wanted)
        except UsageError as error:
            raise UsageError(str(error), field="place", got=wanted) from None

    # -- the tree ---------------------------------------------------------------------------------------------------

    def chain(self, path: str, root: Any) -> list[Any]:
        """Return the lxml elements of a tree from its root down to a path."""
        found = [self.now.viewer.source_node(self.number, path, root)]
        while found[-1] is not root:
            found.append(found[-1].getparent())
        return found[::-1]

    def element_with_id(self, wanted: str) -> int:
        """Return the indexed element with an XML id, or the one around it.

        Raises
        ------
        UsageError
            There is none.
        """
        root = self.document.root
        node = node_with_id(root, wanted)
        if node is None:
            raise UsageError("there is no such element in the document", field="id", got=wanted)
        while node is not None:
            try:
                return self.now.viewer.element(self.doc + path_of(node, root))
            except UsageError:
                node = node.getparent() if node is not root else None
        return self.low


KINDS = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
    ".avif": "image/avif", ".svg": "image/svg+xml",
}  # fmt: skip
"""Endings of image files that browsers show."""

_LARGEST = 20_000_000


def found_image(opened: OpenDocument, name: str) -> tuple[Path, str] | None:
    """Return the file of an image and its type; None if it is missing or may not be shown.

    It is a file with the ending of an image, in the folder of the document's source or below it, whatever the name
    says; names without an ending are tried with each.
    """
    if not name or "\0" in name or ":" in name or name.startswith(("/", "\\")):
        return None
    source, _ = opened.now.files.document_source(opened.number)
    if source.member:
        return None
    folder = Path(source.location).parent
    for ending in KINDS if Path(name).suffix.lower() not in KINDS else [""]:
        try:
            path, root = (folder / f"{name}{ending}").resolve(strict=True), folder.resolve(strict=True)
            if path.is_relative_to(root) and path.is_file() and path.stat().st_size <= _LARGEST:
                kind = KINDS.get(path.suffix.lower())
                return (path, kind) if kind else None
        except (OSError, ValueError, RuntimeError):
            continue
    return None
