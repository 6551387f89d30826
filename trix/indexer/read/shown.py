"""Display form of text: blanks, line breaks and gaps added to a range of the document's text.

The document's text has only the characters of the XML, so that offsets mean the same to all tools. Words that only a
tag separates stick together in it. The shown text has a blank there, or a line break where a content element begins.
None is added beside white space, brackets or full stops. Characters and elements that the profile joins vanish, as they
do in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.core.shown import line_codes
from trix.indexer.document.record import JOIN, JOINED, SEPARATOR, text_mask, text_places
from trix.indexer.store.elements import distinct
from trix.indexer.words.analyzer import BOUNDARY

_OPENING, _CLOSING = "([{", ",.;:!?)]}"
_BLANK, _OPENS, _CLOSES = 1, 2, 4
GAP = "…"
"""Marks missing text, such as illegible words."""
_WORD = re.compile(r"\S")
_NO_GAPS = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class ShownText:
    """Shown form of a range of text.

    Attributes
    ----------
    text
        Shown text.
    """

    text: str
    _gone: NDArray[np.int64]
    """Characters of the range that vanished."""
    _added: NDArray[np.int64]
    """For each added character, the index of the remaining character after it."""

    def place(self, begin: int, end: int) -> tuple[int, int]:
        """Map characters ``[begin, end)`` of the range to the shown text.

        Added white space belongs to the range around it. Vanished characters map to nothing.

        >>> shown = show(f"hea|ven{SEPARATOR}ly", "|")
        >>> shown.text, shown.place(0, 7), shown.place(3, 9), shown.place(3, 4)
        ('heaven ly', (0, 6), (3, 9), (3, 3))
        """
        first, last = (np.array((begin, end)) - np.searchsorted(self._gone, (begin, end))).tolist()
        low, high = np.searchsorted(self._added, (first, last - 1), side="right").tolist()
        return first + low, last + high if last > first else first + low


def show(annotated: str, join: str = "", gaps: Sequence[int] | NDArray[np.int64] = ()) -> ShownText:
    """Convert annotated text (see `trix.indexer.document.record`) to its shown form.

    Parameters
    ----------
    annotated
        Annotated text; marks before its first or after its last character are ignored.
    join
        Characters that vanish inside words.
    gaps
        Offsets before which something is missing; `GAP` is shown at those inside the range.

    Examples
    --------
    >>> show(f"vi{SEPARATOR}tue, a  man", gaps=[2, 9]).text, show("vitue", gaps=[2]).text
    ('vi … tue, a … man', 'vi…tue')
    >>> show(f"Title{SEPARATOR}{BOUNDARY}Klein{SEPARATOR}Hannah, {SEPARATOR}Gold {JOIN} smith").text
    'Title\\nKlein Hannah, Goldsmith'
    >>> show(f"(see{SEPARATOR}3{SEPARATOR}, {SEPARATOR}3{SEPARATOR}.5{SEPARATOR})").text
    '(see 3, 3 .5)'
    """
    codes = np.frombuffer(annotated.encode("utf-32-le"), "<u4")
    shown = text_mask(codes)
    hidden = np.flatnonzero(~shown)
    kinds = codes[hidden]
    tags = hidden[(kinds == ord(SEPARATOR)) | (kinds == ord(BOUNDARY))]
    # Step 1: remove what joins swallow; positions are then counted without it.
    gone = _vanishing(annotated, codes, join)
    gone = gone[shown[gone]]
    if gone.size:
        shown[gone] = False
        gone -= np.searchsorted(hidden, gone)
        hidden = np.flatnonzero(~shown)
    written = codes[shown]
    text = written.tobytes().decode("utf-32-le")
    # Step 2: candidates for blanks are tags between two shown characters.
    tag_gaps = tags - np.searchsorted(hidden, tags)
    inside = (tag_gaps > 0) & (tag_gaps < written.size)
    tag_gaps, blocks = tag_gaps[inside], codes[tags[inside]] == ord(BOUNDARY)
    added = dict.fromkeys(_blanks(written, tag_gaps).tolist(), " ")
    added |= dict.fromkeys(_breaks(text, tag_gaps[blocks]), "\n")
    # Step 3: a gap goes before the blank or break at its place, with a second blank after it.
    for place in _inside(gaps, gone, written.size):
        white = added.get(place, "")
        added[place] = f"{white}{GAP}{white}" if white == " " else f"{GAP}{white}"
    places = sorted(added)
    pieces = [f"{added[low]}{text[low:high]}" for low, high in pairwise([*places, len(text)])]
    each = np.array([place for place in places for _ in added[place]], np.int64)
    return ShownText(f"{text[: places[0] if places else None]}{''.join(pieces)}", gone, each)


def shown_line(annotated: str, begin: int, end: int, join: str = "", gaps: NDArray[np.int64] = _NO_GAPS) -> str:
    """Return characters ``[begin, end)`` of annotated text in shown form, on one line.

    Equals `show` with white space collapsed, but without offsets, and faster.

    Parameters
    ----------
    annotated, join
        As for `show`.
    begin, end
        Range, counted without marks.
    gaps
        As for `show`, counted from `begin`.

    Examples
    --------
    >>> shown_line(f"(see{SEPARATOR}3{SEPARATOR},{SEPARATOR}4){SEPARATOR}{BOUNDARY}Title", 1, 12)
    'see 3, 4) Titl'
    """
    # Joins and gaps are rare; the kernel handles the common case in one pass.
    if join or gaps.size or JOIN in annotated:
        places = text_places(annotated)[begin:end]
        shown = show(annotated[places[0] : places[-1] + 1] if places.size else "", join, gaps)
        return " ".join(shown.text.split())
    codes = np.frombuffer(annotated.encode("utf-32-le"), "<u4")
    return str(line_codes(codes, begin, max(0, end - begin), _kinds()).tobytes().decode("utf-32-le"))


def _inside(gaps: Sequence[int] | NDArray[np.int64], gone: NDArray[np.int64], size: int) -> list[int]:
    """Return the inner gaps, as indices of shown characters."""
    if not len(gaps):
        return []
    places = np.array(gaps, np.int64)
    places -= np.searchsorted(gone, places)
    found: list[int] = distinct(places[(places > 0) & (places < size)]).tolist()
    return found


def _vanishing(annotated: str, codes: NDArray[Any], join: str) -> NDArray[np.int64]:
    """Return the indices in annotated text of characters that joins swallow, ascending."""
    gone = [np.flatnonzero(codes == ord(character)) for character in join if character in annotated]
    if JOIN in annotated:
        gone += [np.arange(joined.start(), joined.end()) for joined in re.finditer(JOINED, annotated)]
    return distinct(np.concatenate([np.zeros(0, np.int64), *gone]))


def _blanks(written: NDArray[Any], gaps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indices of characters that get a blank before them, where tags separate words.

    There is none beside white space, after an opening bracket, or before closing punctuation. If a word continues right
    after the punctuation, there is one: ``3`` and ``.5`` are two numbers.

    Parameters
    ----------
    written
        Shown characters.
    gaps
        Number of shown characters before each tag: at least one, and not all.
    """
    gaps = distinct(gaps)
    before, here = _kind(written[gaps - 1]), _kind(written[gaps])
    last = gaps + 1 == written.size
    following = _kind(written[np.minimum(gaps + 1, written.size - 1)])
    ends = last | (following & (_BLANK | _CLOSES) > 0) | np.append(np.diff(gaps) == 1, False)
    parted = (before & (_BLANK | _OPENS) > 0) | (here & _BLANK > 0) | ((here & _CLOSES > 0) & ends)
    blanks: NDArray[np.int64] = gaps[~parted]
    return blanks


def _breaks(text: str, gaps: NDArray[np.int64]) -> Iterator[int]:
    """Yield the indices of characters that get a line break before them, where blocks begin.

    Blocks that begin within the same white space share one; white space with a line break needs none.
    """
    below = high = 0
    for gap in gaps.tolist():
        if gap > high or not below:
            high = gap
            if text[gap].isspace():
                word = _WORD.search(text, gap)
                high = word.start() if word else len(text)
            before = text[below:gap] if text[gap - 1].isspace() else ""
            if "\n" not in before[len(before.rstrip()) :] and "\n" not in text[gap:high]:
                yield gap
            below = gap


@lru_cache(maxsize=1)
def _kinds() -> NDArray[np.uint8]:
    """Return the class of each character of the Basic Multilingual Plane: white space, opening, closing."""
    found = np.zeros(0x10000, np.uint8)
    characters = np.r_[:0xD800, 0xE000:0x10000].astype("<u4").tobytes().decode("utf-32-le")
    found[[ord(blank) for blank in re.findall(r"\s", characters)]] = _BLANK
    found[[ord(character) for character in _OPENING]] = _OPENS
    found[[ord(character) for character in _CLOSING]] = _CLOSES
    return found


def _kind(codes: NDArray[Any]) -> NDArray[np.uint8]:
    kinds: NDArray[np.uint8] = _kinds()[np.where(codes < 0x10000, codes, ord("a"))]
    return kinds
