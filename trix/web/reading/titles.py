"""Headings of a page: their ranks, repeated titles, and titles that only the profile knows."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import Any

from trix.support.element_path import local
from trix.web.reading.document import OpenDocument
from trix.web.reading.tags import OF_FIGURES

_BEGINNING = 4_000
"""Characters at the beginning of a document in which a heading may repeat its title."""

_LOOKED_AT = 40
"""Number of texts at the beginning of a section that may be its title."""

_RANKS = range(1, 7)
_RANK = re.compile(r"h([1-6])", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def heading_rank(node: Any) -> int:
    """Return the rank of a heading by its tag, as in XHTML; 0 if it has none.

    >>> from lxml import etree
    >>> heading_rank(etree.fromstring("<h2/>")), heading_rank(etree.fromstring("<head/>"))
    (2, 0)
    """
    found = _RANK.fullmatch(local(node))
    return int(found[1]) if found else 0


def in_prose(title: str) -> str:
    """Format a title for display, also if it is the value of an attribute.

    >>> in_prose("Dramatis_Personae"), in_prose("act 1"), in_prose("pH of milk")
    ('Dramatis Personae', 'Act 1', 'pH of milk')
    """
    begin = title[:1].upper() if title[:2].islower() else title[:1]
    return begin + title[1:].replace("_", " ")


class Titles:
    """The titles of a document and its sections.

    Parameters
    ----------
    opened
        The document.
    """

    def __init__(self, opened: OpenDocument) -> None:
        self._opened, self._headings = opened, opened.now.viewer.texts.headings

    def says_title(self, node: Any, element: int) -> bool:
        """Whether a heading at the beginning repeats the title above the page."""
        if element < 0 or self._opened.start(element) > _BEGINNING:
            return False
        return _text(node) == self._opened.title.casefold()

    def says_more(self, node: Any) -> bool:
        """Whether an element that holds the title has words that are not in the title above the page."""
        if not self._opened.roles.is_found(node):
            return False
        return not set(_WORD.findall(_text(node))) <= set(_WORD.findall(self._opened.title.casefold()))

    def of(self, node: Any) -> str:
        """Return the title that the profile gives an element, as in breadcrumbs; empty if there is none."""
        return in_prose(" – ".join(self._headings.of(node)))

    def unwritten(self, node: Any) -> str:
        """Return the title of an element if only the profile knows it, since it is neither in it nor before it."""
        if any(isinstance(child.tag, str) and self._opened.roles.of(child)[0] == "heading" for child in node[:3]):
            return ""
        if any(rule.before for rule in self._headings.fitting(node.tag)) or not (title := self.of(node)):
            return ""
        written = " ".join(" ".join(islice(node.itertext(), _LOOKED_AT)).casefold().split())
        return "" if all(word in written for word in title.casefold().split()) else title

    def role(self, node: Any, above: tuple[str, ...], level: int) -> str:
        """Return the tag of a heading; ``title`` if it is not a heading of the page.

        Parameters
        ----------
        node
            The heading.
        above
            The roles of the elements around it, the outermost first.
        level
            Sections around it.
        """
        if any(each in OF_FIGURES for each in above[-2:]) and not heading_rank(node):
            return "title"
        if rank := heading_rank(node):
            return f"h{min(6, max(2, rank - self._first_rank + 2))}"
        return f"h{min(6, level + 1)}" if level else "title"

    @cached_property
    def _first_rank(self) -> int:
        """The highest rank of headings, except one that repeats the title."""
        found = self._opened.document.root.iter(*(f"{{*}}h{rank}" for rank in _RANKS))
        texts = ((heading_rank(each), _text(each)) for each in found)
        title = self._opened.title.casefold()
        return min((rank for rank, text in texts if text and text != title), default=1)


def _text(node: Any) -> str:
    return " ".join("".join(node.itertext()).split()).casefold()
