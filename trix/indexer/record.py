"""What one document becomes: its indexed elements in columns, its text with marks.

The *annotated text* is the document's text with four control characters that XML cannot contain:

====== ============================================================================================
mark   meaning
====== ============================================================================================
\\x01  a content element begins (it separates words)
\\x02  a tag boundary that separates words
\\x03  begins and ends an attribute's value, which is no part of the document's text
\\x04  a joining element: the word goes on, across white space too
====== ============================================================================================

Everything else follows from it: the document's text by leaving the marks out, the keys by cutting it, and the place of
a key in the document by counting.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trix.indexer.analysis import BOUNDARY

SEPARATOR = "\x02"
ATTRIBUTE = "\x03"
JOIN = "\x04"

_MARKS = re.compile(f"{ATTRIBUTE}[^{ATTRIBUTE}]*{ATTRIBUTE}|[{BOUNDARY}{SEPARATOR}{JOIN}]")
_JOINED = re.compile(rf"\s*{JOIN}\s*")


def document_text(annotated: str) -> str:
    """Return the document's text: the annotated text without its marks."""
    return _MARKS.sub("", annotated)


def separations(annotated: str) -> list[int]:
    """Return where in the document's text a tag separates words, as ascending offsets.

    >>> separations(f"{BOUNDARY}Title{SEPARATOR}{BOUNDARY}text{ATTRIBUTE}value{ATTRIBUTE}{JOIN}s{SEPARATOR}")
    [0, 5, 5, 10]
    """
    found, removed = [], 0
    for mark in _MARKS.finditer(annotated):
        if mark.group() in (BOUNDARY, SEPARATOR):
            found.append(mark.start() - removed)
        removed += len(mark.group())
    return found


def stretches(annotated: str) -> list[tuple[int, int]]:
    """Return, of each content element in order, where its annotated text begins, and where in the document's text.

    >>> stretches(f"{SEPARATOR}{BOUNDARY}Title{SEPARATOR}{BOUNDARY}{ATTRIBUTE}value{ATTRIBUTE}{BOUNDARY}text")
    [(2, 0), (9, 5), (17, 5)]
    """
    found, removed = [], 0
    for mark in _MARKS.finditer(annotated):
        if mark.group() == BOUNDARY:
            found.append((mark.end(), mark.start() - removed))
        removed += len(mark.group())
    return found


def key_text(annotated: str) -> str:
    """Return the text that keys are cut from: joins carried out, all other marks kept."""
    return _JOINED.sub("", annotated) if JOIN in annotated else annotated


class Steps:
    """Numbers the distinct path steps of a collection (``sec``, ``@id``, ``text()``, ``hi[1]/p``).

    A step is everything of an element's path below its parent in the index but the last position: below an unwrapped
    element it carries that element's own step in front.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self.names)
            self.names.append(name)
        return number


@dataclass(slots=True)
class DocumentRecord:
    """The indexed elements of one document in document order, one entry each in the parallel lists.

    Attributes
    ----------
    depth : list of int
        0 for the root.
    step : list of int
        Number in `Steps`.
    position : list of int
        Child position, the last integer of the Dewey label (1 for the root).
    same : list of int
        Position among the source siblings of the same local name; 0 for an attribute, which has none.
    start, end : list of int
        Character range in the document's text.
    content : list of int
        Places of the content elements, ascending.
    annotated : str
        The annotated text.
    """

    depth: list[int] = field(default_factory=list)
    step: list[int] = field(default_factory=list)
    position: list[int] = field(default_factory=list)
    same: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    content: list[int] = field(default_factory=list)
    annotated: str = ""
    length: int = 0
    entities: int = 0
    id: str = ""
    title: str = ""
