"""The text of a document while it is read, and what is inside its content elements: text with marks, no elements."""

from __future__ import annotations

from collections import Counter
from typing import Any

from trix.indexer.document.record import JOIN, SEPARATOR, DocumentRecord
from trix.indexer.document.rule_table import ENTITY, GONE, INLINE, JOINS, RuleTable


class Collector:
    """Collects the annotated text of one document.

    Parameters
    ----------
    rules
        What tags mean.

    Attributes
    ----------
    record
        Of the document.
    pieces
        Of its annotated text.
    at
        Characters of the document's text so far.
    below
        The tag of each content element, and the tags below it counted.
    """

    def __init__(self, rules: RuleTable) -> None:
        self.rules = rules
        self.record = DocumentRecord()
        self.pieces: list[str] = []
        self.at = 0
        self.below: list[tuple[str, Counter[Any]]] = []

    def collect(self, element: Any, text_too: bool = True) -> None:
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
                self.entity(child, flags)
            else:
                pieces.append("" if flags & INLINE else SEPARATOR)
        elif len(child):
            separator = "" if flags & INLINE else SEPARATOR
            pieces.append(separator)
            self.collect(child)
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
        self.collect(element)
        annotated = "".join(self.pieces)
        self.pieces, self.at, self.record.entities = pieces, at, entities
        return annotated

    def entity(self, node: Any, flags: int) -> None:
        """Read an unresolved entity reference: it separates and adds no character."""
        if not flags & INLINE:
            self.record.entities += 1
            self.pieces.append(SEPARATOR)
