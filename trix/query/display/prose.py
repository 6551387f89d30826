"""Text for reading: a range of a document without the indentation of its source, or a part that fits.

The text of a range has the white space of its source, which may be pretty-printed: a paragraph may have twelve
leading blanks and empty lines around it. Neither a person at a terminal nor a program that pays per character wants
those.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from html import unescape
from itertools import takewhile
from typing import NamedTuple

from trix.indexer.read.texts import SourceDocument
from trix.query.display.highlight import Hit

_ESCAPED = re.compile(r"</[a-zA-Z][a-zA-Z0-9]*>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_EMPTY_LINES = re.compile(r"\n{3,}")


def prose(document: SourceDocument, begin: int, end: int) -> str:
    """Return characters ``[begin, end)`` of a document as text for reading.

    Each content element begins a line, and empty ones leave none.
    """
    blocks = (tidy(document.shown(low, high).text) for low, high in document.blocks(begin, end))
    return "\n".join(filter(None, blocks))


def plain_value(text: str) -> str:
    """Return the value of an attribute without the tags of a page that is written in it.

    >>> plain_value("<p>Is &lt; an <b>operator</b>?</p>"), plain_value("a < b and b > c")
    (' Is < an  operator ? ', 'a < b and b > c')
    """
    return unescape(_TAG.sub(" ", text)) if _ESCAPED.search(text) else text


def tidy(text: str) -> str:
    r"""Strip the white space around a text and the indentation that its lines share.

    Extra indentation of a line stays, since code needs it.

    >>> tidy("\n      Call this function before\n      yaz_search.\n\n\n\n      It does:\n        nothing  \n  ")
    'Call this function before\nyaz_search.\n\nIt does:\n  nothing'
    >>> tidy("if x:\n    y"), tidy(" \n\n ")
    ('if x:\ny', '')
    """
    first, *rest = [line.rstrip() for line in text.strip().expandtabs().split("\n")]
    shared = min((sum(1 for _ in takewhile(str.isspace, line)) for line in rest if line), default=0)
    return _EMPTY_LINES.sub("\n\n", "\n".join([first, *(line[shared:] for line in rest)]))


Range = tuple[int, int]


class Worth(NamedTuple):
    """Value of a stretch for a query: more distinct keys first, then more occurrences."""

    keys: int
    occurrences: int


def fitting_stretch(
    document: SourceDocument, begin: int, end: int, hits: Sequence[Hit], room: int, sentences: bool
) -> Range:
    """Return a stretch of characters ``[begin, end)`` whose prose has at most `room` characters.

    It is the one with most of the query. Of several, it is the one at the beginning of the range, or else the middle
    one.

    Parameters
    ----------
    document
        The document.
    begin, end
        The range.
    hits
        The words of the query in it, in order.
    room
        Largest number of characters.
    sentences
        Whether only whole sentences count. If none fits, the stretch is empty.
    """
    units = document.sentences(begin, end)
    if not sentences:
        units = [word for unit in units for word in _words(document.text, *unit)]
    sizes = [len(" ".join(document.text[low:high].split())) + 1 for low, high in units]
    low, high = best_stretch(units, sizes, hits, room + 1)
    while low < high and len(prose(document, units[low][0], units[high - 1][1])) > room:
        high -= 1  # tags that separate words show as blanks, which were not counted
    return (units[low][0], units[high - 1][1]) if low < high else (begin, begin)


def _words(text: str, begin: int, end: int) -> list[Range]:
    """Split a range before each word."""
    found, at = list[Range](), begin
    for place in range(begin + 1, end):
        if text[place - 1].isspace() and not text[place].isspace():
            found.append((at, place))
            at = place
    return [*found, (at, end)] if at < end else found


def best_stretch(units: Sequence[Range], sizes: Sequence[int], hits: Sequence[Hit], room: int) -> Range:
    """Return the best range of consecutive units; empty if nothing fits.

    Parameters
    ----------
    units
        Ranges of characters, in order.
    sizes
        Cost of each.
    hits
        Hits, in order.
    room
        Largest total cost.

    Examples
    --------
    >>> units = [(0, 10), (10, 20), (20, 30), (30, 40)]
    >>> best_stretch(units, [10] * 4, [Hit(21, 23, "xml", False), Hit(35, 37, "tree", False)], 25)
    (2, 4)
    >>> best_stretch(units, [10] * 4, [], 25), best_stretch(units, [10] * 4, [], 5)
    ((0, 2), (0, 0))
    """
    keys_of_units: list[list[str]] = [[] for _ in units]
    at = 0
    for hit in hits:
        while at < len(units) and units[at][1] <= hit.begin:
            at += 1
        if at < len(units) and units[at][0] <= hit.begin and hit.end <= units[at][1]:
            keys_of_units[at].append(hit.key)
    found: list[Range] = []
    best, keys, used, high = Worth(-1, 0), Counter[str](), 0, 0
    for low in range(len(units)):
        high = max(high, low)
        while high < len(units) and used + sizes[high] <= room:
            keys.update(keys_of_units[high])
            used, high = used + sizes[high], high + 1
        if high == low:
            continue  # longer than all the room
        worth = Worth(len(keys), keys.total())
        if worth > best:
            best, found = worth, []
        if worth == best:
            found.append((low, high))
        used -= sizes[low]
        keys -= Counter(keys_of_units[low])  # leaves no key with a count of 0
    if not found:
        return 0, 0
    return found[0] if found[0][0] == 0 else found[len(found) // 2]
