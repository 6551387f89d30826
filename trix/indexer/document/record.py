"""Record of a document: its indexed elements as columns, and its annotated text.

The *annotated text* is the document's text with four control characters that XML cannot contain:

====== ============================================================================================
mark   meaning
====== ============================================================================================
\\x01  A content element begins. It separates words.
\\x02  A tag boundary that separates words.
\\x03  Begins and ends an attribute's value, which is no part of the document's text.
\\x04  A joining element: the word goes on, across white space too.
====== ============================================================================================

Everything else follows from it: the document's text by leaving the marks out, the keys by cutting it, and the place of
a key in the document by counting.

Nothing below a content element is a unit [RETRIEVAL, section 3]. Its attributes, and the elements that the profile's
``values`` name, are kept all the same. All are counted by tag and by the content element that they are in, for the
notices about queries that ask for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.indexer.document.anchors import Anchors
from trix.indexer.languages.labels import TEXT, ElementLanguages
from trix.indexer.words.analyzer import BOUNDARY
from trix.indexer.words.interner import Text, text_string

Counts = dict[str, dict[str, int]]
"""Tag -> tag of the enclosing content element -> number of elements."""

KEPT = 4
"""Number of content-element tags, the most frequent ones, that an index stores per tag."""

Row = tuple[int, int, str, str, int]
"""An indexed attribute or a compared element: place of the unit or content element; kind (`UNIT`, `OWN`, `BELOW`);
name (``@id``, ``year``, with ``{namespace}`` if the profile declares it); value; number of rows back to the compared
element around it.
"""

UNIT, OWN, BELOW = 0, 1, 2
"""`UNIT`: an attribute that is a unit. `OWN`: an attribute of a content element, or a child element. `BELOW`:
anything further below. Inside a compared element, that one takes the place of the content element. `BELOW` plus n:
an attribute of the element n levels above the content element, which is the first in it.
"""

MENTION = "."
"""Name of the row with the text of an indexed element that a register counts; no query can name it."""

SEPARATOR = "\x02"
ATTRIBUTE = "\x03"
JOIN = "\x04"

_ATTRIBUTES = re.compile(f"{ATTRIBUTE}[^{ATTRIBUTE}]*{ATTRIBUTE}")
JOINED = re.compile(rf"\s*{JOIN}\s*")
"""White space and marks that vanish where an element joins."""


def document_text(annotated: str) -> str:
    """Return the document's text, or a part of it: the annotated text without its marks.

    >>> document_text(f"{BOUNDARY}Title{SEPARATOR}{BOUNDARY}text{ATTRIBUTE}value{ATTRIBUTE}{JOIN}s{SEPARATOR}")
    'Titletexts'
    """
    if ATTRIBUTE in annotated:
        annotated = _ATTRIBUTES.sub("", annotated)
    return annotated.replace(BOUNDARY, "").replace(SEPARATOR, "").replace(JOIN, "")


def blank_places(annotated: str) -> NDArray[np.int64]:
    """Return the offsets at which a tag separates two characters that are not white space, ascending.

    A blank there keeps words apart: ``<day>1</day><year>2015</year>`` is ``1 2015``.

    >>> blank_places(f"{BOUNDARY}{SEPARATOR}1{SEPARATOR}{SEPARATOR}2015{JOIN}a {BOUNDARY}b{BOUNDARY}").tolist()
    [1]
    >>> blank_places("text").tolist()
    []
    """
    if ATTRIBUTE in annotated:
        annotated = _ATTRIBUTES.sub("", annotated)
    codes = np.frombuffer(annotated.encode("utf-32-le", "surrogatepass"), "<u4")
    marks = np.flatnonzero(codes <= ord(JOIN))
    if JOIN in annotated:  # a joining mark alone does not separate; next to separating marks it changes nothing
        joins = codes[marks] == ord(JOIN)
        codes, marks = np.delete(codes, marks[joins]), (marks - np.cumsum(joins))[~joins]
    if not marks.size:
        return np.zeros(0, np.int64)
    # Offsets in the text without marks.
    places = marks - np.arange(marks.size)
    first = np.flatnonzero(np.diff(places, prepend=-1))  # first mark of each run of adjacent marks
    last = np.append(first[1:], marks.size) - 1
    # Marks at the very ends separate nothing.
    inside = (places[first] > 0) & (marks[last] + 1 < codes.size)
    first, last = first[inside], last[inside]
    space = white_space()
    # No blank is needed beside white space.
    white = space[np.minimum(codes[marks[first] - 1], space.size - 1)]
    white |= space[np.minimum(codes[marks[last] + 1], space.size - 1)]
    found: NDArray[np.int64] = places[first[~white]]
    return found


@cache
def white_space() -> NDArray[np.bool_]:
    """Return a table of white space: a flag for each code point up to the last white space."""
    places = [place.start() for place in re.finditer(r"\s", "".join(map(chr, range(0x3002))))]
    return np.isin(np.arange(0x3002), places)


def with_marks(text: str, places: NDArray[np.int64], mark: str) -> str:
    """Insert a mark before some characters of a text.

    >>> with_marks("1Oct2015", np.array([1, 4]), " ")
    '1 Oct 2015'
    """
    # Join the pieces between the offsets by the mark.
    cuts = [0, *places.tolist(), len(text)]
    return mark.join([text[begin:end] for begin, end in pairwise(cuts)])


def text_with_blanks(annotated: str) -> str:
    """Return the text of annotated text, with the blanks of `blank_places`.

    >>> text_with_blanks(f"{SEPARATOR}1{SEPARATOR} {SEPARATOR}{BOUNDARY}Oct{SEPARATOR}20{JOIN}15")
    '1 Oct 2015'
    """
    return with_marks(document_text(annotated), blank_places(annotated), " ")


def text_places(annotated: str) -> NDArray[np.int64]:
    """Return the offset in the annotated text of each character of the document's text.

    >>> text_places(f"{BOUNDARY}ab{ATTRIBUTE}value{ATTRIBUTE}{SEPARATOR}c").tolist()
    [1, 2, 11]
    """
    return np.flatnonzero(text_mask(np.frombuffer(annotated.encode("utf-32-le"), "<u4")))


def text_mask(codes: NDArray[Any]) -> NDArray[np.bool_]:
    """Flag the characters of annotated text, given as code points, that belong to the document's text."""
    shown: NDArray[np.bool_] = codes > ord(JOIN)  # the last of the four marks
    quotes = np.flatnonzero(codes == ord(ATTRIBUTE))
    # Attribute values lie between pairs of marks.
    for begin, end in quotes.reshape(-1, 2).tolist():
        shown[begin:end] = False
    return shown


def without_attribute(piece: str) -> str:
    """Drop a leading attribute value from a piece of annotated text.

    >>> without_attribute(f"{ATTRIBUTE}value{ATTRIBUTE}text"), without_attribute("text")
    ('text', 'text')
    """
    return piece[piece.index(ATTRIBUTE, 1) + 1 :] if piece.startswith(ATTRIBUTE) else piece


def mark_places(annotated: str, marks: str) -> NDArray[np.int64]:
    """Return the offsets of some marks in annotated text, ascending.

    >>> mark_places(f"{BOUNDARY}ab{SEPARATOR}{BOUNDARY}c", BOUNDARY).tolist()
    [0, 4]
    """
    codes = np.frombuffer(annotated.encode("utf-32-le"), "<u4")
    return np.flatnonzero(np.logical_or.reduce([codes == ord(mark) for mark in marks]))


def key_text(annotated: str) -> str:
    """Return the text that keys are cut from: joins are applied, other marks stay."""
    return JOINED.sub("", annotated) if JOIN in annotated else annotated


class Steps:
    """Numbering of the distinct path steps of a collection (``sec``, ``@id``, ``text()``, ``hi[1]/p``).

    A step is the part of an element's path below its indexed parent, without the last position. Below an unwrapped
    element it begins with that element's own step.

    Attributes
    ----------
    names : list of str
        Steps by number.
    namespaces : list of str
        Namespace of each step if the profile declares it, else empty. It is not part of the name, so a name may have
        several numbers.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.namespaces: list[str] = []
        self._numbers: dict[tuple[str, str], int] = {}

    def number(self, name: str, namespace: str = "") -> int:
        number = self._numbers.get((name, namespace))
        if number is None:
            number = self._numbers[name, namespace] = len(self.names)
            self.names.append(name)
            self.namespaces.append(namespace)
        return number

    def below(self, unwrapped: str, step: int) -> int:
        """Return the number of a step with the steps of unwrapped elements in front.

        >>> steps = Steps()
        >>> steps.names[steps.below("hi[1]/", steps.number("p"))]
        'hi[1]/p'
        """
        return self.number(unwrapped + self.names[step], self.namespaces[step])


def step_tag(step: str) -> str:
    """Return the tag of an element from its path step.

    >>> step_tag("sec"), step_tag("hi[1]/p"), step_tag("@id"), step_tag("text()")
    ('sec', 'p', '@id', '#text')
    """
    tag = step.rpartition("/")[2]
    return "#text" if tag == "text()" else tag


class FieldRuns(NamedTuple):
    """Values of one element field in a document, as runs.

    Attributes
    ----------
    places
        First element of each run, counted from 0 in the document, ascending.
    values
        Value of each run; empty where a value ends.
    """

    places: NDArray[np.int64]
    values: list[tuple[str, ...]]


class Attribute(NamedTuple):
    """Attribute that the profile names: event of its element, name in the notation of lxml, value."""

    event: int
    name: str
    value: str


class ElementRows(NamedTuple):
    """Output of the kernels for a document; columns as in `trix.core.markup.index_elements`, cut to size.

    Attributes
    ----------
    events
        Columns of the events: kind, same, outer.
    rows, content, below, compared
        Columns of `index_elements`.
    attributes
        Attributes that `compared` refers to by number.
    values
        Function from start and end events of elements inside content elements to their texts for comparison.
    """

    events: tuple[Any, Any, Any]
    rows: NDArray[np.int32]
    content: NDArray[np.int32]
    below: NDArray[Any]
    compared: NDArray[Any]
    attributes: Sequence[Attribute]
    values: Callable[[NDArray[np.int32], NDArray[np.int32]], list[str]]

    def attribute(self, kind: int) -> Attribute:
        """Return the attribute for a row of this kind."""
        return self.attributes[TEXT - 1 - int(kind)]

    def indexed_or_compared(self) -> NDArray[np.int32]:
        """Return the ascending events of indexed elements and of compared ones."""
        compared = self.compared[2, self.compared[4] < 0]
        return np.union1d(self.rows[6], compared) if compared.size else self.rows[6]

    def units(self) -> dict[int, str]:
        """Return attributes that are units as annotated text, by the event of their element."""
        marked: dict[int, str] = {}
        if not self.attributes:
            return marked
        for kind in self.rows[1, self.rows[1] < TEXT].tolist():
            event, _, value = self.attribute(kind)
            marked[event] = f"{marked.get(event, '')}{BOUNDARY}{ATTRIBUTE}{value}{ATTRIBUTE}"
        return marked


@dataclass(slots=True)
class DocumentRecord:
    """Indexed elements of one document, in document order, as parallel columns.

    Attributes
    ----------
    depth
        Depth; 0 for the root.
    step
        Number in `Steps`.
    position
        Child position: the last integer of the Dewey label, 1 for the root.
    same
        Position among source siblings of the same local name; 0 for an attribute.
    start, end
        Character range in the document's text.
    content
        Indices of the content elements, ascending.
    below
        For each element inside a content element: kind of the content element, own kind (see
        `trix.core.markup.index_elements`).
    text
        Annotated text, as a string or as code points.
    blanks
        Result of `blank_places`, if the reader knows it.
    attributes
        Indexed attributes and compared elements, in the order of their content elements.
    languages
        Languages of the elements; None if the document names none.
    anchors
        Ends of its links, if wanted.
    marks
        `NON_RETURNABLE`, `RETURNABLE` or 0 per element (see `trix.indexer.document.kinds`); None if tags alone decide.
    element_fields
        Values of element fields, by name.
    length
        Number of characters in the document's text.
    entities
        Number of unresolved entity references.
    stray
        Whether the root has stray text (see `trix.core.markup.text_of_root`).
    """

    depth: NDArray[np.int32]
    step: NDArray[np.int32]
    position: NDArray[np.int32]
    same: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    content: NDArray[np.int32]
    below: NDArray[np.int32]
    text: Text = ""
    blanks: NDArray[np.int64] | None = None
    attributes: list[Row] = field(default_factory=list)
    languages: ElementLanguages | None = None
    anchors: Anchors | None = None
    marks: NDArray[Any] | None = None
    element_fields: dict[str, FieldRuns] = field(default_factory=dict)
    length: int = 0
    entities: int = 0
    stray: bool = False

    @property
    def annotated(self) -> str:
        """The annotated text."""
        return text_string(self.text)


def add_counts(all_counts: Counts, counts: Counts) -> None:
    """Add counts to `all_counts` in place."""
    for tag, holders in counts.items():
        into = all_counts.setdefault(tag, {})
        for holder, count in holders.items():
            into[holder] = into.get(holder, 0) + count


def kept_counts(counts: Counts) -> dict[str, tuple[int, dict[str, int]]]:
    """For each tag, count its elements below content elements, and keep the most frequent content elements.

    >>> kept_counts({"NOTE": {"P": 7, "L": 2}, "HI": {"P": 1}})
    {'HI': (1, {'P': 1}), 'NOTE': (9, {'P': 7, 'L': 2})}
    """
    kept = {}
    for tag, holders in sorted(counts.items()):
        # Ties in order of names, so that the result depends on the documents alone.
        most = sorted(holders.items(), key=lambda item: (-item[1], item[0]))[:KEPT]
        kept[tag] = sum(holders.values()), dict(most)
    return kept
