"""Partly stored texts, and the comparisons that they still allow."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLANK = "\x02"
"""Stands for a blank that is not in the document; cannot occur in XML."""

Part = str | int | tuple[int, int, int] | None
"""Part of a text: characters; a number of white space characters; (length, checksum, blanks) of a long text; or None
at the start of a content element.
"""


def checksum(text: str | bytes) -> int:
    """Return the checksum of a text, or of its UTF-8 bytes, by which long texts are compared."""
    return zlib.crc32(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))


@dataclass(frozen=True)
class Opaque:
    """Partly known text: strings, numbers of white space characters, and (length, checksum) of long parts."""

    parts: tuple[str | int | tuple[int, int], ...] = field(default=())

    def equals(self, wanted: str) -> bool:
        """Whether the text may equal another: known characters, lengths and checksums agree.

        >>> opaque = Opaque(("ab", 2, (3, checksum("xyz"))))
        >>> opaque.equals("ab  xyz"), opaque.equals("ab--xyz"), opaque.equals("ab  xy"), opaque.equals("ab  xyy")
        (True, False, False, False)
        """
        at = 0
        for part in self.parts:
            size = len(part) if isinstance(part, str) else part if isinstance(part, int) else part[0]
            # Compare part by part at the same offset.
            there = wanted[at : at + size]
            at += size
            if len(there) < size:
                return False
            if isinstance(part, str):
                same = there == part
            elif isinstance(part, int):
                same = there.isspace()
            else:
                same = checksum(there) == part[1]
            if not same:
                return False
        return at == len(wanted)


Value = str | Opaque


def trimmed(parts: list[Part]) -> Value:
    """Join parts into a text without white space at its ends.

    >>> trimmed([3, " 12", "", None, "34\\n", 1]), trimmed(["a", 1, None, "b"]), trimmed([2, " "])
    ('12 34', Opaque(parts=('a', 1, 'b')), '')
    """
    kept: list[str | int | tuple[int, int]] = []
    begins = False
    for part in parts:
        if part is None:
            begins = True
        elif part:
            if isinstance(part, str):
                part = part.replace(BLANK, " ")
            # A content element separates words: insert a blank unless white space is there already.
            if begins and kept and not _is_white(kept[-1], -1) and not _is_white(part, 0):
                kept.append(" ")
            begins = False
            kept.append((part[0] + part[2], part[1]) if isinstance(part, tuple) else part)
    # Strip from both ends, across parts, until a character or an unknown part.
    for end, strip in ((0, str.lstrip), (-1, str.rstrip)):
        while kept and not isinstance(kept[end], tuple):
            last = kept[end]
            bare = strip(last) if isinstance(last, str) else ""
            if bare:
                kept[end] = bare
                break
            del kept[end]
    if all(isinstance(part, str) for part in kept):
        return "".join(map(str, kept))
    return Opaque(tuple(kept))


def _is_white(part: object, end: int) -> bool:
    return isinstance(part, int) or (isinstance(part, str) and part[end].isspace())


class TextWithBlanks:
    """Characters with extra blanks that do not count.

    >>> text = TextWithBlanks("ab\\x02c\\x02d")
    >>> text.cut(0, 2), text.cut(2, 4), len(text)
    ('ab', '\\x02c\\x02d', 4)
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.places: NDArray[Any] | None = None
        if BLANK in text:
            codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
            self.places = np.flatnonzero(codes != ord(BLANK))

    def __len__(self) -> int:
        return len(self.text) if self.places is None else self.places.size

    def bytes_before(self, places: NDArray[Any]) -> list[int]:
        """Return the number of UTF-8 bytes before some characters; the blank before a character belongs to it.

        >>> TextWithBlanks("a\\x02\u00e9\\x02d").bytes_before(np.array([0, 1, 2, 3]))
        [0, 1, 4, 6]
        """
        data = np.frombuffer(self.text.encode("utf-8", "surrogateescape"), np.uint8)
        # ASCII without blanks: a byte per character.
        if data.size == len(self):
            return list(places.tolist())
        # UTF-8 continuation bytes are 10xxxxxx, so a character ends before any other byte.
        ends = np.flatnonzero(np.append((data[1:] & 0xC0) != 0x80, True)[: data.size]) + 1
        first = data[np.append(0, ends[:-1])]
        ends = np.append(0, ends[first != ord(BLANK)])
        return list(ends[places].tolist())

    def cut(self, begin: int, end: int) -> str:
        """Return a range of characters, each with the blank before it."""
        if self.places is None:
            return self.text[begin:end]
        first, last = (int(self.places[at - 1]) + 1 if at else 0 for at in (begin, end))
        return self.text[first:last]


def head(parts: list[Part], size: int) -> list[Part]:
    """Return the first characters of a text in parts; parts known only by their checksum become unknown."""
    cut: list[Part] = []
    for part in parts:
        if isinstance(part, str):
            text = TextWithBlanks(part)
            cut.append(text.cut(0, min(len(text), size)))
            size -= min(len(text), size)
        elif isinstance(part, int):
            cut.append(min(part, size))
            size -= min(part, size)
        elif part is not None and size:
            # A checksum covers the whole text only; a prefix of it is unknown (-1 matches nothing).
            cut.append(part if part[0] <= size else (size, -1, 0))
            size -= min(part[0], size)
    return cut


def tail(parts: list[Part], size: int) -> list[Part]:
    """Return the last characters of a text in parts."""
    mirrored = [part[::-1] if isinstance(part, str) else part for part in reversed(parts)]
    return [part[::-1] if isinstance(part, str) else part for part in reversed(head(mirrored, size))]
