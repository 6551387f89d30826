"""Highlighting: the words of an element that match the query's keys.

Words of terms with a minus are not highlighted. Words of a phrase are highlighted where the phrase matches: in
content elements that hold all of them, or with ``phrases="exact"`` where they are adjacent in order.

The inverted file tells which content elements to read, so the cost depends on the occurrences, not on the size of
the element.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from trix.indexer.document.record import ATTRIBUTE
from trix.indexer.read.locate import LocatedKey, locate_keys
from trix.indexer.read.shown import ShownText
from trix.indexer.store.elements import distinct
from trix.indexer.store.files import IndexFiles
from trix.query.language.terms import Query, nears, plain

Range = tuple[int, int]


class Hit(NamedTuple):
    """A highlighted occurrence of a key: characters of the document's text, or of an attribute's value."""

    begin: int
    end: int
    key: str
    in_attribute: bool


class DocumentStretches(Protocol):
    """Protocol of a document whose content elements can be read one by one."""

    def stretch(self, content: int, /) -> tuple[str, int]:
        """Return the annotated text of a content element by its number, and its offset."""


class Highlighter:
    """Highlighter of one query's words.

    Parameters
    ----------
    index
        The index.
    query
        The scored query.
    phrases
        ``content`` or ``exact``.

    Attributes
    ----------
    contents
        Ascending content elements that hold any of the words.
    phrases
        The keys of each phrase.
    """

    def __init__(self, index: IndexFiles, query: Query, phrases: str = "content") -> None:
        self._index = index
        positive = list(query.sought)
        self._single = frozenset(keys[0] for keys in positive if len(keys) == 1)
        self.phrases = tuple(dict.fromkeys(keys for keys in positive if len(keys) > 1))
        self._exact = phrases == "exact"
        self._near = {one for term in query.terms for near in nears(term.keys) for one in plain((near,))}
        self._keys = frozenset(key for keys in positive for key in keys)
        lists = [index.postings(key)[0] for key in sorted(self._keys)]
        self.contents = distinct(np.concatenate([np.zeros(0, np.int32), *lists]))

    def hits(self, document: DocumentStretches, first: int, begin: int, end: int) -> list[Hit]:
        """Return the hits in some content elements of a document, in order.

        Parameters
        ----------
        document
            The document.
        first
            Number of its first content element.
        begin, end
            The content elements are ``[begin, end)``.
        """
        low, high = np.searchsorted(self.contents, (begin, end))
        found: list[Hit] = []
        for content in self.contents[low:high].tolist():
            stretch, offset = document.stretch(content - first)
            located = locate_keys(stretch, offset, self._index.analyzer_of_content(content, self._keys))
            in_attribute = stretch.startswith(ATTRIBUTE)
            found += [Hit(each.begin, each.end, each.key, in_attribute) for each in self.chosen(located)]
        return found

    def chosen(self, located: Sequence[LocatedKey]) -> list[LocatedKey]:
        """Return which keys of one content element are highlighted."""
        present = {each.key for each in located}
        wanted = set(self._single)
        places: set[int] = set()
        for phrase in self.phrases:
            if not present.issuperset(phrase):
                continue
            if not self._exact or phrase in self._near:
                wanted.update(phrase)
                continue
            for at in range(len(located) - len(phrase) + 1):
                if all(located[at + i].key == key for i, key in enumerate(phrase)):
                    places.update(range(at, at + len(phrase)))
        return [each for at, each in enumerate(located) if each.key in wanted or at in places]


def ranges(hits: Iterable[Hit], offset: int = 0) -> list[Range]:
    """Return the ranges of hits relative to an offset: ascending, distinct, disjoint.

    Two keys can come from one character, such as a fraction.

    >>> ranges([Hit(4, 5, "1", False), Hit(4, 5, "2", False), Hit(7, 9, "xml", False)], 4)
    [(0, 1), (3, 5)]
    """
    joined: list[Range] = []
    for begin, end in sorted({(hit.begin - offset, hit.end - offset) for hit in hits}):
        if joined and begin < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((begin, end))
    return joined


def mark(text: str, found: Sequence[Range], before: str = "[", after: str = "]") -> str:
    """Return a text with marks around ranges.

    >>> mark("an xml tree", [(3, 6)])
    'an [xml] tree'
    """
    borders = [0, *(border for each in found for border in each), len(text)]
    pieces = [text[low:high] for low, high in pairwise(borders)]
    return "".join(f"{before}{piece}{after}" if at % 2 else piece for at, piece in enumerate(pieces))


def placed(shown: ShownText, found: Iterable[Range]) -> list[Range]:
    """Map ranges of a text to the displayed text; ranges that are not displayed are dropped."""
    moved = (shown.place(begin, end) for begin, end in found)
    return [(begin, end) for begin, end in moved if begin < end]
