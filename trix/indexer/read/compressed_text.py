"""Compressed documents for answers: text and section titles, in a twentieth of the memory of a tree.

Answers show a line of an element and the titles of the sections around it. Parsing a document for them takes
milliseconds, and a busy server meets the same documents again and again. The data of a tree is therefore extracted once
and cached: thousands of documents take the memory of sixteen trees.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
import zstandard

from trix.indexer.document.record import mark_places, text_places
from trix.indexer.read.headings import Headings, distinct_titles
from trix.indexer.read.shown import ShownText, show, shown_line
from trix.indexer.words.analyzer import BOUNDARY
from trix.support.arrays import Ints
from trix.support.element_path import write_step

_DECOMPRESSOR = zstandard.ZstdDecompressor()
"""Shared, since creating one takes twice as long as decompressing the data of an answer."""

_unpacking = Lock()

Titles = Mapping[str, tuple[str, ...]]
"""Titles of elements, by path below the root; two if a heading stands before the element."""

_TOGETHER = 3_000
"""Characters per compressed frame, about; a frame is decompressed for a single element."""

_ENTRY = 400
"""Estimated memory of a title and its path, in bytes."""

_PACK = 64
"""Estimated overhead of a frame, in bytes."""


class CompressedText:
    """Annotated text of a document, compressed, and the titles of its sections.

    Parameters
    ----------
    annotated
        Annotated text (see `trix.indexer.document.record`).
    join
        Characters that vanish inside words.
    gaps
        Offsets in the text before which something is missing.
    titles
        Output of `titles_of`.

    Attributes
    ----------
    memory : int
        Estimated bytes in memory.
    """

    def __init__(self, annotated: str, join: str, gaps: Ints, titles: Titles) -> None:
        self._join, self._gaps, self._titles = join, gaps, titles
        marks = mark_places(annotated, BOUNDARY)
        # Pieces: the text before the first content element, then each content element.
        self._begins = np.array([0, *marks, len(annotated)], np.int32)
        self._starts = np.array([0, *np.searchsorted(text_places(annotated), marks)], np.int32)
        # Frames of several pieces compress better than single pieces.
        self._firsts = _cuts(self._begins.tolist())
        begins = [*self._begins[self._firsts].tolist(), len(annotated)]
        self._packed = [_packed(annotated[low:high]) for low, high in pairwise(begins)]
        packed = sum(map(len, self._packed))
        self.memory = packed + 8 * self._begins.size + _ENTRY * (4 + len(titles)) + _PACK * len(self._packed)

    def _between(self, low: int, high: int) -> str:
        """Return the annotated text of the pieces ``[low, high)``."""
        # Frames that cover the pieces; their text is cut afterwards.
        first, last = bisect_right(self._firsts, low) - 1, bisect_left(self._firsts, high)
        text = "".join(map(_unpacked, self._packed[first:last]))
        offset = int(self._begins[self._firsts[first]])
        return text[int(self._begins[low]) - offset : int(self._begins[high]) - offset]

    def shown(self, begin: int, end: int) -> ShownText:
        """Return the shown text of a range (see `trix.indexer.read.texts.SourceDocument.shown`)."""
        piece, offset = self._around(begin, end)
        places = text_places(piece)[begin - offset : end - offset]
        return show(piece[places[0] : places[-1] + 1] if places.size else "", self._join, self._gaps_from(begin))

    def shown_line(self, begin: int, end: int) -> str:
        """Return the shown text of a range on one line, without offsets."""
        piece, offset = self._around(begin, end)
        return shown_line(piece, begin - offset, end - offset, self._join, self._gaps_from(begin))

    def _around(self, begin: int, end: int) -> tuple[str, int]:
        """Return the annotated text of the pieces around a range of the text, and its offset in the text."""
        low = int(self._starts.searchsorted(begin, side="right")) - 1
        high = max(low + 1, int(self._starts.searchsorted(end)))
        return self._between(low, high), int(self._starts[low])

    def _gaps_from(self, begin: int) -> Ints:
        return self._gaps - begin if self._gaps.size else self._gaps

    def stretch(self, content: int) -> tuple[str, int]:
        """Return the annotated text of a content element, by number in the document, and its offset in the text."""
        return self._between(content + 1, content + 2)[1:], int(self._starts[content + 1])

    def titles_above(self, path: str) -> list[str]:
        """Return the titles of the sections around the element at a path, outermost first, its own last.

        They equal those of `trix.indexer.read.headings.Headings.above`.
        """
        found: list[str] = []
        begin = end = path.find("/", 1)
        while end >= 0:
            end = path.find("/", end + 1)
            found += self._titles.get(path[begin:] if end < 0 else path[begin:end], ())
        return distinct_titles(found)


def _cuts(begins: Sequence[int]) -> list[int]:
    """Return the first piece of each frame, given the offset of each piece and the end of the last.

    >>> _cuts([0, 0, 2000, 4000, 4500, 20000])
    [0, 3]
    """
    cuts = [0]
    for piece, begin in enumerate(begins[:-1]):
        if begin - begins[cuts[-1]] >= _TOGETHER:
            cuts.append(piece)
    return cuts


def _packed(text: str) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(text.encode("utf-8", "surrogatepass"))


def _unpacked(packed: bytes) -> str:
    with _unpacking:
        raw = _DECOMPRESSOR.decompress(packed)
    return str(raw.decode("utf-8", "surrogatepass"))


def titles_of(root: Any, headings: Headings) -> dict[str, tuple[str, ...]]:
    """Return the titles of the elements below the root, by path.

    Parameters
    ----------
    root
        Root element of the document.
    headings
        Title rules.

    Examples
    --------
    >>> from lxml import etree
    >>> from trix.indexer.profile.profile import Profile
    >>> text = etree.fromstring("<a><s><title>One</title></s><s><p>x</p><s><title>Two</title></s></s></a>")
    >>> titles_of(text, Headings(Profile(name="none"), lambda each: each.text))
    {'/s[1]': ('One',), '/s[2]/s[1]': ('Two',)}
    """
    paths = {root: ""}
    return {_path(element, paths): tuple(titles) for element, titles in headings.below(root)}


def _path(element: Any, paths: dict[Any, str]) -> str:
    """Return the path of an element, extending the known paths; siblings get theirs at the same time."""
    unknown = []
    while element not in paths:
        unknown.append(element)
        element = element.getparent()
    for below in reversed(unknown):
        above, same = paths[element], dict[str, int]()
        for child in element.iterchildren("*"):
            name = _local(child)
            same[name] = same.get(name, 0) + 1
            paths[child] = f"{above}/{write_step(name, same[name])}"
        element = below
    return paths[element]


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]
