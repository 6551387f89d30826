"""Offsets of keys in annotated text: in the document's text, or in the value of an attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trix.indexer.document.record import ATTRIBUTE, JOIN, SEPARATOR
from trix.indexer.words.analyzer import Analyzer
from trix.indexer.words.located import locate_folded, locate_words

_JOINED = re.compile(rf"\s*{JOIN}\s*")


class LocatedKey(NamedTuple):
    """Occurrence of a key, and its characters ``[begin, end)``."""

    key: str
    begin: int
    end: int


def locate_keys(stretch: str, offset: int, analyzer: Analyzer) -> list[LocatedKey]:
    """Locate the keys of one content element, in order.

    Parameters
    ----------
    stretch
        Its annotated text, without its mark, up to the next content element.
    offset
        Offset in the document's text. Keys of an attribute are located in its value instead.
    analyzer
        Analyzer of the content element.
    """
    if stretch.startswith(ATTRIBUTE):
        return _keys(locate_words(stretch[1 : stretch.index(ATTRIBUTE, 1)], analyzer.join), 0, analyzer)
    return _keys(locate_stretch(stretch, analyzer.join), offset, analyzer)


def locate_stretch(stretch: str, join: str = "") -> Iterator[tuple[str, int, int]]:
    """Yield (folded word, begin, end) of annotated text without attributes.

    >>> list(locate_stretch(f"a {SEPARATOR}b{SEPARATOR}ex- {JOIN} ample"))
    [('a', 0, 1), ('b', 2, 3), ('ex', 3, 5), ('ample', 8, 13)]
    """
    offset = 0
    # Separators end words, so pieces are independent.
    for piece in stretch.split(SEPARATOR):
        words, length = locate_words(piece, join), len(piece)
        if JOIN in piece:
            text, places, length = _joined(piece)
            words = locate_folded(text, places, join)
        for word, begin, end in words:
            yield word, offset + begin, offset + end
        offset += length


def _keys(words: Iterator[tuple[str, int, int]], offset: int, analyzer: Analyzer) -> list[LocatedKey]:
    return [
        LocatedKey(key, offset + begin, offset + end)
        for word, begin, end in words
        if (key := analyzer.key(word)) is not None
    ]


def _joined(piece: str) -> tuple[str, list[int], int]:
    """Apply the joins in a piece; return the text, the offset of each character, and the length without marks."""
    kept: list[str] = []
    places: list[int] = []
    at = marks = 0
    for join in [*_JOINED.finditer(piece), None]:
        end = len(piece) if join is None else join.start()
        kept.append(piece[at:end])
        places += range(at - marks, end - marks)
        if join is not None:
            at = join.end()
            marks += join.group().count(JOIN)
    return "".join(kept), places, len(piece) - marks
