"""A container's children: blocks are elements, the runs of text between them become ``#text`` elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trix.indexer.document.record import SEPARATOR, key_text
from trix.indexer.document.rule_table import BLANK, DROP, ENTITY, INLINE, JOINS, UNWRAP
from trix.indexer.words.analyzer import BOUNDARY, has_word

if TYPE_CHECKING:
    from trix.indexer.document.reader import Owner, Walk


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
            walk.reader.below.read_run(walk, self.element, self.members, len(record.depth))
        record.content.append(len(record.depth))
        record.depth.append(owner.depth + 1)
        record.step.append(walk.reader.steps.number(self.prefix + "text()"))
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
                    step = walk.reader.steps.below(prefix, step)
                if not flags & BLANK:
                    walk.open_element(child, flags, attributes, owner.depth + 1, step, owner.position, same, SEPARATOR)
                self._begin()
            if tail:
                walk.pieces.append(tail)
                walk.at += len(tail)
        if not prefix:
            self._end()
