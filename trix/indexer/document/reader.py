"""One XML document in, its indexed elements and its annotated text out.

The tree is walked once under a profile [RETRIEVAL, sections 1-3]. The walk is optimistic: an element's children become
content elements until the element turns out to have own text; then they are taken back and the element itself is the
content element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from trix.indexer.document.below import Below, Counts
from trix.indexer.document.container import Container
from trix.indexer.document.record import ATTRIBUTE, JOIN, SEPARATOR, DocumentRecord, Steps, document_text
from trix.indexer.document.rule_table import CONTAINER, DROP, ENTITY, GONE, INLINE, JOINS, UNIT, UNWRAP, RuleTable
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import split_qname
from trix.indexer.store.attributes import UNIT as UNIT_ATTRIBUTE
from trix.indexer.words.analyzer import BOUNDARY, has_word


class Reader:
    """Reads documents under one profile.

    Parameters
    ----------
    profile
        What tags mean.
    steps
        Where path steps get their numbers.
    """

    def __init__(self, profile: Profile, steps: Steps | None = None) -> None:
        self.profile = profile
        self.steps = steps if steps is not None else Steps()
        self._rules = RuleTable(profile, self.steps)
        self._attributes = {name: self._attribute(name) for _, name in profile.attributes}
        self.below = Below(profile, self._rules, lambda qname: self._attributes[qname][0])
        self._keys_only = profile.own_text == "keys"
        # Without own text in the sense of the profile; str.isspace itself, since it is called for every text node.
        self._blank: Callable[[str], bool] = _wordless if self._keys_only else str.isspace

    def read_document(self, root: Any) -> DocumentRecord:
        """Walk one document element and return its record.

        Parameters
        ----------
        root
            An lxml element; nothing outside it is read.
        """
        return Walk(self, root).record

    def taken_below(self) -> Counts:
        """Return the elements below content elements that were read since the last time, counted."""
        return self.below.taken()

    def _attribute(self, qname: str) -> tuple[str, int]:
        """Return an attribute's name in the index (see `DocumentRecord`) and the number of its step."""
        namespace, local = self._rules.declared(qname), split_qname(qname)[1]
        return f"@{{{namespace}}}{local}" if namespace else f"@{local}", self.steps.number(f"@{local}", namespace)


def _wordless(text: str) -> bool:
    return not has_word(text)


@dataclass(slots=True)
class Owner:
    """An element while its children are read; unwrapped elements add theirs to the owner above them."""

    place: int
    slot: int
    depth: int
    marks: int
    separator: str
    attributes: int
    below: int
    position: int = 0
    runs: int = 0
    content: bool = False


class Walk:
    """One document's walk; the lists of the record are filled in document order."""

    def __init__(self, reader: Reader, root: Any) -> None:
        self.reader = reader
        self.rules = reader._rules
        self.blank = reader._blank
        self.record = record = DocumentRecord()
        self.pieces: list[str] = []
        self.marks: list[int] = []  # the piece that marks each content element
        self.undo: list[str] = []  # what stands there if the content element is taken back
        self.below: list[tuple[str, Counter[Any]]] = []  # what is below each content element, see `Below.read`
        self.at = 0
        step, flags, conditional, attributes, _ = self.rules[root.tag]
        if conditional is not None:
            flags = conditional(root)
        self.open_element(root, flags & (UNIT | CONTAINER), attributes, 0, step, 1, 1, SEPARATOR)
        record.annotated = "".join(self.pieces)
        record.length = self.at
        reader.below.count(self.below)

    # -- elements that may be, or hold, content elements ------------------------------------------------------------

    def open_element(
        self,
        element: Any,
        flags: int,
        attributes: tuple[str, ...],
        depth: int,
        step: int,
        position: int,
        same: int,
        separator: str,
    ) -> None:
        """Read one element outside content elements; its tail is left to the caller."""
        record, pieces = self.record, self.pieces
        place = len(record.depth)
        record.depth.append(depth)
        record.step.append(step)
        record.position.append(position)
        record.same.append(same)
        record.start.append(self.at)
        record.end.append(0)
        owner = Owner(place, len(pieces), depth, len(self.marks), separator, len(record.attributes), len(self.below))
        pieces.append(separator)
        if not (flags & UNIT and self._read_unit(element, owner)):
            if attributes:
                self._read_attributes(element, attributes, owner)
            if flags & CONTAINER:
                Container(self, owner, element).read(element)
            else:
                self._scan(element, owner, "")
        if not owner.content and len(self.marks) == owner.marks:  # no text below: not indexed
            for column in (record.depth, record.step, record.position, record.same, record.start, record.end):
                column.pop()
            del record.attributes[owner.attributes :]
        else:
            record.end[place] = self.at
            if owner.content:
                self.reader.below.read(self, element, place)
        pieces.append(separator)

    def _read_unit(self, element: Any, owner: Owner) -> bool:
        """Read an element as a content element whatever its text; without any text it is none, and nothing is read."""
        at, entities = self.at, self.record.entities
        self._make_content(owner)
        self._collect(element)
        if document_text("".join(self.pieces[owner.slot + 1 :])).strip():
            return True
        self._take_back(owner)
        del self.pieces[owner.slot + 1 :]
        self.at, self.record.entities = at, entities
        return False

    def _scan(self, element: Any, owner: Owner, prefix: str) -> None:
        """Read the text and the children of an element, or of an unwrapped one, for its owner."""
        pieces, record, rules, blank = self.pieces, self.record, self.rules, self.blank
        text = element.text
        if text:
            pieces.append(text)
            self.at += len(text)
            if not owner.content and not blank(text):
                self._make_content(owner)
        if owner.content:
            self._collect(element, text_too=False)
            return
        depth = owner.depth + 1
        seen: dict[str, int] = {}
        for child in element:
            if owner.content:
                self.collect_one(child)
                continue
            step, flags, conditional, attributes, name = rules[child.tag]
            same = seen[name] = seen.get(name, 0) + 1
            if conditional is not None:
                flags = conditional(child)
            if prefix:
                step = self.reader.steps.below(prefix, step)
            if not flags and not attributes:
                # The commonest cases by far, in place: a tag without any rule.
                owner.position += 1
                text = child.text
                if text and not blank(text):
                    record.content.append(len(record.depth))
                    record.depth.append(depth)
                    record.step.append(step)
                    record.position.append(owner.position)
                    record.same.append(same)
                    record.start.append(self.at)
                    self.marks.append(len(pieces))
                    self.undo.append(SEPARATOR)
                    pieces.append(BOUNDARY)
                    pieces.append(text)
                    self.at += len(text)
                    if len(child):
                        self._collect(child, text_too=False)
                        self.reader.below.read(self, child, len(record.depth) - 1)
                    record.end.append(self.at)
                    pieces.append(SEPARATOR)
                elif len(child):
                    self.open_element(child, 0, (), depth, step, owner.position, same, SEPARATOR)
                else:
                    if text:
                        pieces.append(text)
                        self.at += len(text)
                    pieces.append(SEPARATOR)
            elif flags & ENTITY:
                self._entity(child, flags)
            elif flags & GONE:
                owner.position += not flags & DROP
                pieces.append("" if flags & INLINE else SEPARATOR)
            elif flags & UNWRAP:
                separator = "" if flags & INLINE else SEPARATOR
                pieces.append(separator)
                self._scan(child, owner, f"{prefix}{name}[{same}]/")
                pieces.append(separator)
            else:
                owner.position += 1
                if flags & JOINS and not len(child) and not child.text:
                    pieces.append(JOIN)
                else:
                    separator = "" if flags & INLINE else SEPARATOR
                    self.open_element(child, flags, attributes, depth, step, owner.position, same, separator)
            tail = child.tail
            if tail:
                pieces.append(tail)
                self.at += len(tail)
                if not owner.content and not blank(tail):
                    self._make_content(owner)

    def _read_attributes(self, element: Any, attributes: tuple[str, ...], owner: Owner) -> None:
        record = self.record
        for attribute in attributes:
            value = element.get(attribute)
            if value is None:
                continue
            owner.position += 1
            if value.isspace() or not value:
                continue
            name, step = self.reader._attributes[attribute]
            record.attributes.append((len(record.depth), UNIT_ATTRIBUTE, name, value, 0))
            record.content.append(len(record.depth))
            record.depth.append(owner.depth + 1)
            record.step.append(step)
            record.position.append(owner.position)
            record.same.append(0)
            record.start.append(self.at)
            record.end.append(self.at)
            self.marks.append(len(self.pieces))
            self.undo.append("")
            self.pieces.append(f"{BOUNDARY}{ATTRIBUTE}{value}{ATTRIBUTE}")

    def _make_content(self, owner: Owner) -> None:
        """Turn the owner into a content element: what was read below it is no longer indexed."""
        record = self.record
        self._take_back(owner)
        owner.content = True
        record.content.append(owner.place)
        self.marks.append(owner.slot)
        self.undo.append(owner.separator)
        self.pieces[owner.slot] = BOUNDARY

    def _take_back(self, owner: Owner) -> None:
        """Forget every content element from the owner on, and every indexed element below it."""
        record, kept = self.record, owner.place + 1
        if len(record.depth) > kept:
            for column in (record.depth, record.step, record.position, record.same, record.start, record.end):
                del column[kept:]
        for mark in range(owner.marks, len(self.marks)):
            self.pieces[self.marks[mark]] = self.undo[mark]
        del self.marks[owner.marks :], self.undo[owner.marks :], record.content[owner.marks :]
        del record.attributes[owner.attributes :], self.below[owner.below :]
        owner.content = False

    # -- inside a content element -----------------------------------------------------------------------------------

    def _collect(self, element: Any, text_too: bool = True) -> None:
        """Append the text below an element, with the marks of its tag boundaries."""
        if text_too and (text := element.text):
            self.pieces.append(text)
            self.at += len(text)
        for child in element:
            self.collect_one(child)

    def collect_one(self, child: Any) -> None:
        """Append the text of an element inside a content element, and its tail."""
        pieces = self.pieces
        _, flags, conditional, _, _ = self.rules[child.tag]
        if conditional is not None:
            flags = conditional(child)
        if flags & (ENTITY | GONE):
            if flags & ENTITY:
                self._entity(child, flags)
            else:
                pieces.append("" if flags & INLINE else SEPARATOR)
        elif len(child):
            separator = "" if flags & INLINE else SEPARATOR
            pieces.append(separator)
            self._collect(child)
            pieces.append(separator)
        else:
            text = child.text
            if flags & INLINE:
                if text:
                    pieces.append(text)
                    self.at += len(text)
            elif flags & JOINS and not text:
                pieces.append(JOIN)
            else:
                pieces.append(SEPARATOR)
                if text:
                    pieces.append(text)
                    self.at += len(text)
                    pieces.append(SEPARATOR)
        tail = child.tail
        if tail:
            pieces.append(tail)
            self.at += len(tail)

    def annotated_below(self, element: Any) -> str:
        """Return the text below an element inside a content element with its marks, once more."""
        pieces, at, entities = self.pieces, self.at, self.record.entities
        self.pieces = []
        self._collect(element)
        annotated = "".join(self.pieces)
        self.pieces, self.at, self.record.entities = pieces, at, entities
        return annotated

    def _entity(self, node: Any, flags: int) -> None:
        """An unresolved entity reference separates and adds no character."""
        if not flags & INLINE:
            self.record.entities += 1
            self.pieces.append(SEPARATOR)
