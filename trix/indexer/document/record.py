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

Nothing below a content element is a unit [RETRIEVAL, section 3]. Its attributes, and the elements that the profile's
``values`` name, are kept all the same. All are counted by tag and by the content element that they are in, for the
notices about queries that ask for them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.indexer.document.anchors import Anchors
from trix.indexer.languages.labels import Languages
from trix.indexer.words.analyzer import BOUNDARY
from trix.indexer.words.interner import Text, text_string

Counts = dict[str, dict[str, int]]
"""Tag -> tag of the content elements that its elements are in -> how many are."""

KEPT = 4
"""Tags of content elements, those with the most, that an index keeps for each tag."""

Row = tuple[int, int, str, str, int]
"""An indexed attribute or a compared element: place of the unit or of the content element, kind (`UNIT`, `OWN`,
`BELOW`), name (``@id``, ``year``, with ``{namespace}`` before the local name where the profile declares it), value, how
many rows before is the compared element that it is in."""

UNIT, OWN, BELOW = 0, 1, 2
"""An attribute that is a unit; one of a content element, or an element that is a child of one; any further below. For
what is in a compared element, that stands in place of the content element. `BELOW` and a number of levels: an attribute
of the element that is so many levels above the content element, which is the first in it."""

SEPARATOR = "\x02"
ATTRIBUTE = "\x03"
JOIN = "\x04"

_ATTRIBUTES = re.compile(f"{ATTRIBUTE}[^{ATTRIBUTE}]*{ATTRIBUTE}")
JOINED = re.compile(rf"\s*{JOIN}\s*")
"""What vanishes where an element joins."""


def document_text(annotated: str) -> str:
    """Return the document's text, or a part of it: the annotated text without its marks.

    >>> document_text(f"{BOUNDARY}Title{SEPARATOR}{BOUNDARY}text{ATTRIBUTE}value{ATTRIBUTE}{JOIN}s{SEPARATOR}")
    'Titletexts'
    """
    if ATTRIBUTE in annotated:
        annotated = _ATTRIBUTES.sub("", annotated)
    return annotated.replace(BOUNDARY, "").replace(SEPARATOR, "").replace(JOIN, "")


def blank_places(annotated: str) -> NDArray[np.int64]:
    """Return before which characters of the document's text a tag separates two that are not white space, ascending.

    With a blank there the text reads as its words do: ``<day>1</day><year>2015</year>`` is ``1 2015``.

    >>> blank_places(f"{BOUNDARY}{SEPARATOR}1{SEPARATOR}{SEPARATOR}2015{JOIN}a {BOUNDARY}b{BOUNDARY}").tolist()
    [1]
    >>> blank_places("text").tolist()
    []
    """
    if ATTRIBUTE in annotated:
        annotated = _ATTRIBUTES.sub("", annotated)
    codes = np.frombuffer(annotated.encode("utf-32-le", "surrogatepass"), "<u4")
    marks = np.flatnonzero(codes <= ord(JOIN))
    if JOIN in annotated:  # between marks that separate it changes nothing, alone it does not separate
        joins = codes[marks] == ord(JOIN)
        codes, marks = np.delete(codes, marks[joins]), (marks - np.cumsum(joins))[~joins]
    if not marks.size:
        return np.zeros(0, np.int64)
    places = marks - np.arange(marks.size)
    first = np.flatnonzero(np.diff(places, prepend=-1))  # of marks with nothing between them
    last = np.append(first[1:], marks.size) - 1
    inside = (places[first] > 0) & (marks[last] + 1 < codes.size)
    first, last = first[inside], last[inside]
    space = white_space()
    white = space[np.minimum(codes[marks[first] - 1], space.size - 1)]
    white |= space[np.minimum(codes[marks[last] + 1], space.size - 1)]
    found: NDArray[np.int64] = places[first[~white]]
    return found


@cache
def white_space() -> NDArray[np.bool_]:
    """Return which characters are white space, up to the first behind the last that is."""
    places = [place.start() for place in re.finditer(r"\s", "".join(map(chr, range(0x3002))))]
    return np.isin(np.arange(0x3002), places)


def with_marks(text: str, places: NDArray[np.int64], mark: str) -> str:
    """Return a text with a mark before some of its characters.

    >>> with_marks("1Oct2015", np.array([1, 4]), " ")
    '1 Oct 2015'
    """
    cuts = [0, *places.tolist(), len(text)]
    return mark.join([text[begin:end] for begin, end in pairwise(cuts)])


def text_with_blanks(annotated: str) -> str:
    """Return the document's text of a piece of annotated text, with its blanks, see `blank_places`.

    >>> text_with_blanks(f"{SEPARATOR}1{SEPARATOR} {SEPARATOR}{BOUNDARY}Oct{SEPARATOR}20{JOIN}15")
    '1 Oct 2015'
    """
    return with_marks(document_text(annotated), blank_places(annotated), " ")


def text_places(annotated: str) -> NDArray[np.int64]:
    """Return where in the annotated text each character of the document's text stands.

    >>> text_places(f"{BOUNDARY}ab{ATTRIBUTE}value{ATTRIBUTE}{SEPARATOR}c").tolist()
    [1, 2, 11]
    """
    return np.flatnonzero(text_mask(np.frombuffer(annotated.encode("utf-32-le"), "<u4")))


def text_mask(codes: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which characters of the annotated text, given as code points, are the document's."""
    shown: NDArray[np.bool_] = codes > ord(JOIN)  # the last of the four marks
    quotes = np.flatnonzero(codes == ord(ATTRIBUTE))
    for begin, end in quotes.reshape(-1, 2).tolist():
        shown[begin:end] = False
    return shown


def without_attribute(piece: str) -> str:
    """Return what follows the value where a piece of annotated text is an attribute's.

    >>> without_attribute(f"{ATTRIBUTE}value{ATTRIBUTE}text"), without_attribute("text")
    ('text', 'text')
    """
    return piece[piece.index(ATTRIBUTE, 1) + 1 :] if piece.startswith(ATTRIBUTE) else piece


def mark_places(annotated: str, marks: str) -> NDArray[np.int64]:
    """Return where some marks stand in the annotated text, ascending.

    >>> mark_places(f"{BOUNDARY}ab{SEPARATOR}{BOUNDARY}c", BOUNDARY).tolist()
    [0, 4]
    """
    codes = np.frombuffer(annotated.encode("utf-32-le"), "<u4")
    return np.flatnonzero(np.logical_or.reduce([codes == ord(mark) for mark in marks]))


def key_text(annotated: str) -> str:
    """Return the text that keys are cut from: joins carried out, all other marks kept."""
    return JOINED.sub("", annotated) if JOIN in annotated else annotated


class Steps:
    """Numbers the distinct path steps of a collection (``sec``, ``@id``, ``text()``, ``hi[1]/p``).

    A step is everything of an element's path below its parent in the index but the last position: below an unwrapped
    element it carries that element's own step in front.

    Attributes
    ----------
    names : list of str
        The steps by number.
    namespaces : list of str
        The namespace of each, where the profile declares it; else empty. It is no part of the name, so a name may
        have several numbers.
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
        """Return the number of a step with those of unwrapped elements in front.

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


class Said(NamedTuple):
    """What the elements of a document say under one name.

    Attributes
    ----------
    places
        Elements at which something begins to hold, from 0 in the document, ascending.
    values
        What it is; nothing where a value ends.
    """

    places: NDArray[np.int64]
    values: list[tuple[str, ...]]


@dataclass(slots=True)
class DocumentRecord:
    """The indexed elements of one document in document order, one entry each in the parallel columns.

    Attributes
    ----------
    depth
        0 for the root.
    step
        Number in `Steps`.
    position
        Child position, the last integer of the Dewey label (1 for the root).
    same
        Position among the source siblings of the same local name; 0 for an attribute, which has none.
    start, end
        Character range in the document's text.
    content
        Places of the content elements, ascending.
    below
        Of each element in a content element: the kind of that one, its own; see `trix.indexer.document.outline`.
    text
        The annotated text, or its code points: as it was read.
    blanks
        What `blank_places` finds in it, where the reader knows.
    attributes
        Indexed attributes and compared elements in order of their content elements.
    languages
        The languages of the elements; None where the document names none.
    anchors
        The ends of its links, where they are asked for.
    marks
        Of each element `QUIET`, `LOUD` or neither, see `trix.indexer.document.kinds`; None where tags alone say it.
    said
        What its elements say in the fields of elements, by name.
    length
        Characters of the document's text.
    entities
        References to entities that nobody resolved.
    stray
        Whether the root has stray text, see `trix.core.markup.text_of_root`.
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
    languages: Languages | None = None
    anchors: Anchors | None = None
    marks: NDArray[Any] | None = None
    said: dict[str, Said] = field(default_factory=dict)
    length: int = 0
    entities: int = 0
    stray: bool = False

    @property
    def annotated(self) -> str:
        """The annotated text."""
        return text_string(self.text)


def add_counts(all_counts: Counts, counts: Counts) -> None:
    """Add counts to others."""
    for tag, holders in counts.items():
        into = all_counts.setdefault(tag, {})
        for holder, count in holders.items():
            into[holder] = into.get(holder, 0) + count


def kept_counts(counts: Counts) -> dict[str, tuple[int, dict[str, int]]]:
    """Return, for each tag, how many of its elements are below content elements, and the content elements with most.

    >>> kept_counts({"NOTE": {"P": 7, "L": 2}, "HI": {"P": 1}})
    {'HI': (1, {'P': 1}), 'NOTE': (9, {'P': 7, 'L': 2})}
    """
    kept = {}
    for tag, holders in sorted(counts.items()):
        most = sorted(holders.items(), key=lambda item: (-item[1], item[0]))[:KEPT]
        kept[tag] = sum(holders.values()), dict(most)
    return kept
