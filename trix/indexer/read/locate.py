"""Where the keys of annotated text stand: in the text, or in the value of an attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trix.indexer.document.record import ATTRIBUTE, JOIN, SEPARATOR
from trix.indexer.words.analyzer import Analyzer
from trix.indexer.words.located import locate_folded, locate_words

_JOINED = re.compile(rf"\s*{JOIN}\s*")


class LocatedKey(NamedTuple):
    """One occurrence of a key, and the characters ``[begin, end)`` it came from."""

    key: str
    begin: int
    end: int


def locate_keys(stretch: str, offset: int, analyzer: Analyzer) -> list[LocatedKey]:
    """Return the keys of one content element in order.

    Parameters
    ----------
    stretch
        Its annotated text, from behind its mark up to the next content element's.
    offset
        Where in the document's text it begins. An attribute's keys are located in its value instead.
    analyzer
        The chain.
    """
    if stretch.startswith(ATTRIBUTE):
        return _keys(locate_words(stretch[1 : stretch.index(ATTRIBUTE, 1)], analyzer.join), 0, analyzer)
    return _keys(locate_stretch(stretch, analyzer.join), offset, analyzer)


def locate_stretch(stretch: str, join: str = "") -> Iterator[tuple[str, int, int]]:
    """Yield each folded word of a stretch of annotated text without attributes, with its characters in the text.

    >>> list(locate_stretch(f"a {SEPARATOR}b{SEPARATOR}ex- {JOIN} ample"))
    [('a', 0, 1), ('b', 2, 3), ('ex', 3, 5), ('ample', 8, 13)]
    """
    offset = 0
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
    """Return a piece with its joins carried out, the place of each character left, and its length without marks."""
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
