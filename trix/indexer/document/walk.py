"""The walk of one document's tree.

The walk is optimistic: an element's children become content elements until the element turns out to have own text;
then they are taken back and the element itself is the content element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from trix.indexer.document.below import Below
from trix.indexer.document.collector import Collector
from trix.indexer.document.record import ATTRIBUTE, JOIN, SEPARATOR, Steps, document_text, key_text
from trix.indexer.document.record import UNIT as UNIT_ATTRIBUTE
from trix.indexer.document.rule_table import (
    BLANK,
    CONTAINER,
    DROP,
    ENTITY,
    GONE,
    INLINE,
    JOINS,
    UNIT,
    UNWRAP,
    RuleTable,
)  # fmt: skip
from trix.indexer.words.analyzer import BOUNDARY, has_word


@dataclass(frozen=True, slots=True)
class Reading:
    """What a walk needs to know of the profile; the same for all documents of a reader.

    Attributes
    ----------
    steps
        Where path steps get their numbers.
    rules
        What tags mean, as a table.
    below
        Reads what is below content elements.
    attributes
        Name in the index and number of the step of each indexed attribute, as lxml names it.
    blank
        Tells whether a text is no own text in the sense of the profile.
    """

    steps: Steps
    rules: RuleTable
    below: Below
    attributes: dict[str, tuple[str, int]]
    blank: Callable[[str], bool]


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


class Walk(Collector):
    """One document's walk; the lists of the record are filled in document order."""

    def __init__(self, reading: Reading, root: Any) -> None:
        super().__init__(reading.rules)
        self.reading, self.blank = reading, reading.blank
        self.marks: list[int] = []  # the piece that marks each content element
        self.undo: list[str] = []  # what stands there if the content element is taken back
        step, flags, conditional, attributes, _ = self.rules[root.tag]
        if conditional is not None:
            flags = conditional(root)
        self.open_element(root, flags & (UNIT | CONTAINER), attributes, 0, step, 1, 1, SEPARATOR)
        self.record.annotated = "".join(self.pieces)
        self.record.length = self.at
        reading.below.count(self.below)

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
                self.reading.below.read(self, element, place)
        pieces.append(separator)

    def _read_unit(self, element: Any, owner: Owner) -> bool:
        """Read an element as a content element whatever its text; without any text it is none, and nothing is read."""
        at, entities = self.at, self.record.entities
        self._make_content(owner)
        self.collect(element)
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
            self.collect(element, text_too=False)
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
                step = self.reading.steps.below(prefix, step)
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
                        self.collect(child, text_too=False)
                        self.reading.below.read(self, child, len(record.depth) - 1)
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
                self.entity(child, flags)
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
            name, step = self.reading.attributes[attribute]
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


class Container:
    """A container's children: blocks are elements, the runs of text between them become ``#text`` elements."""

    def __init__(self, walk: Walk, owner: Owner, element: Any) -> None:
        self.walk, self.owner, self.element = walk, owner, element
        self._begin()

    def _begin(self) -> None:
        self.slot = len(self.walk.pieces)
        self.start = self.walk.at
        self.inline = 0  # element children in the run; they have labels of their own if the run is none
        self.members: list[Any] = []
        self.walk.pieces.append("")

    def _end(self) -> None:
        walk, owner, record = self.walk, self.owner, self.walk.record
        if not has_word(key_text("".join(walk.pieces[self.slot :]))):
            owner.position += self.inline
            return
        owner.position += 1
        owner.runs += 1
        if self.members:
            walk.reading.below.read_run(walk, self.element, self.members, len(record.depth))
        record.content.append(len(record.depth))
        record.depth.append(owner.depth + 1)
        record.step.append(walk.reading.steps.number(self.prefix + "text()"))
        record.position.append(owner.position)
        record.same.append(owner.runs)
        record.start.append(self.start)
        record.end.append(walk.at)
        walk.marks.append(self.slot)
        walk.undo.append("")
        walk.pieces[self.slot] = BOUNDARY

    def read(self, element: Any, prefix: str = "") -> None:
        """Read the container, or (by recursion, with its path as prefix) an unwrapped element inside it."""
        self.prefix = prefix if prefix else ""
        walk, owner = self.walk, self.owner
        if text := element.text:
            walk.pieces.append(text)
            walk.at += len(text)
        seen: dict[str, int] = {}
        for child in element:
            step, flags, conditional, attributes, name = walk.rules[child.tag]
            same = seen[name] = seen.get(name, 0) + 1
            if conditional is not None:
                flags = conditional(child)
            tail = child.tail
            in_run = flags & (ENTITY | DROP | INLINE | JOINS)
            if in_run and not flags & UNWRAP:
                self.inline += not flags & (ENTITY | DROP)
                if not flags & (ENTITY | DROP):
                    self.members.append(child)
                walk.collect_one(child)  # with its tail
                continue
            if flags & UNWRAP:
                separator = "" if flags & INLINE else SEPARATOR
                walk.pieces.append(separator)
                self.read(child, f"{prefix}{name}[{same}]/")
                self.prefix = prefix
                walk.pieces.append(separator)
            else:
                self._end()
                owner.position += 1
                if prefix:
                    step = walk.reading.steps.below(prefix, step)
                if not flags & BLANK:
                    walk.open_element(child, flags, attributes, owner.depth + 1, step, owner.position, same, SEPARATOR)
                self._begin()
            if tail:
                walk.pieces.append(tail)
                walk.at += len(tail)
        if not prefix:
            self._end()
