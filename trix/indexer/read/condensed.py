"""A document as answers need it, in a twentieth of the memory of its tree: its text, compressed, and its titles.

Answers show a line of an element and the titles of the sections that it is in. To parse a document for them takes some
milliseconds, and a place that is asked by many people meets the same documents again and again. So what its tree says
is worked out once and kept: thousands of documents fit where sixteen trees would.
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
"""To make one takes twice as long as to unpack what an answer needs."""

_unpacking = Lock()

Titles = Mapping[str, tuple[str, ...]]
"""The title of each element that has one, by its path below the document's; two where a heading stands before it."""

_TOGETHER = 3_000
"""Characters that are compressed together, about: what is unpacked for the sake of one element."""

_ENTRY = 400
"""Bytes of memory of a title and its path, about."""

_PACK = 64
"""The same of what is compressed together, beside its own bytes."""


class Condensed:
    """The annotated text of a document and the titles of its sections.

    Parameters
    ----------
    annotated
        See `trix.indexer.document.record`.
    join
        Characters that vanish inside words.
    gaps
        Before which characters of the text something is missing.
    titles
        See `titles_of`.

    Attributes
    ----------
    memory : int
        Bytes that it takes, about.
    """

    def __init__(self, annotated: str, join: str, gaps: Ints, titles: Titles) -> None:
        self._join, self._gaps, self._titles = join, gaps, titles
        marks = mark_places(annotated, BOUNDARY)
        # Pieces: what is before the first content element, then each of these.
        self._begins = np.array([0, *marks, len(annotated)], np.int32)
        self._starts = np.array([0, *np.searchsorted(text_places(annotated), marks)], np.int32)
        self._firsts = _cuts(self._begins.tolist())
        begins = [*self._begins[self._firsts].tolist(), len(annotated)]
        self._packed = [_packed(annotated[low:high]) for low, high in pairwise(begins)]
        packed = sum(map(len, self._packed))
        self.memory = packed + 8 * self._begins.size + _ENTRY * (4 + len(titles)) + _PACK * len(self._packed)

    def _between(self, low: int, high: int) -> str:
        """Return the annotated text of the pieces ``[low, high)``."""
        first, last = bisect_right(self._firsts, low) - 1, bisect_left(self._firsts, high)
        text = "".join(map(_unpacked, self._packed[first:last]))
        offset = int(self._begins[self._firsts[first]])
        return text[int(self._begins[low]) - offset : int(self._begins[high]) - offset]

    def shown(self, begin: int, end: int) -> ShownText:
        """Return a range of the text as it is shown; see `trix.indexer.read.texts.Document.shown`."""
        piece, offset = self._around(begin, end)
        places = text_places(piece)[begin - offset : end - offset]
        return show(piece[places[0] : places[-1] + 1] if places.size else "", self._join, self._gaps_from(begin))

    def shown_line(self, begin: int, end: int) -> str:
        """Return the text of that alone, on one line."""
        piece, offset = self._around(begin, end)
        return shown_line(piece, begin - offset, end - offset, self._join, self._gaps_from(begin))

    def _around(self, begin: int, end: int) -> tuple[str, int]:
        """Return the annotated text of the pieces that a range of the text is in, and where in the text it begins."""
        low = int(self._starts.searchsorted(begin, side="right")) - 1
        high = max(low + 1, int(self._starts.searchsorted(end)))
        return self._between(low, high), int(self._starts[low])

    def _gaps_from(self, begin: int) -> Ints:
        return self._gaps - begin if self._gaps.size else self._gaps

    def stretch(self, content: int) -> tuple[str, int]:
        """Return the annotated text of a content element by its number in the document, and its offset in the text."""
        return self._between(content + 1, content + 2)[1:], int(self._starts[content + 1])

    def titles_above(self, path: str) -> list[str]:
        """Return the titles of the sections that the element at a path is in, the outermost first, its own as the last.

        They are those of `trix.indexer.read.headings.Headings.above`.
        """
        found: list[str] = []
        begin = end = path.find("/", 1)
        while end >= 0:
            end = path.find("/", end + 1)
            found += self._titles.get(path[begin:] if end < 0 else path[begin:end], ())
        return distinct_titles(found)


def _cuts(begins: Sequence[int]) -> list[int]:
    """Return the pieces at which what is compressed together begins, by where each piece begins and the last ends.

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
    """Return the titles of the elements below a document's own, by their paths below it.

    Parameters
    ----------
    root
        The document's element.
    headings
        Gives the titles of elements.

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
    """Return the path of an element by those that are known; those of its siblings are known with its own."""
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
