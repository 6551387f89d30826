"""Folded content of pages: metadata and the like, in place or in a drawer at the end of its section."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from markupsafe import escape

from trix.support.element_path import in_words
from trix.web.reading.roles import names

MARK = "<mark>"
"""Mark of a word of the query; texts of documents cannot contain it, since they are escaped."""

_SHOWN = 5
"""Number of tags in the summary of a drawer."""

_HEADERS = names("teiheader header temphead metadata prolog info head meta front eadheader control identification")
"""Tags of metadata of the whole document, in lower case, which are not named in the summary."""

_HOLDERS = names("section references details people through")


def has_drawer(role: str, depth: int) -> bool:
    """Whether an element can end with a drawer; of elements without an HTML tag, only the outermost can.

    Parameters
    ----------
    role, depth
        Of the element; the document's has depth 0.

    Examples
    --------
    >>> has_drawer("section", 3), has_drawer("through", 1), has_drawer("through", 2), has_drawer("paragraph", 2)
    (True, True, False, False)
    """
    return depth == 0 or (role in _HOLDERS and (role != "through" or depth == 1))


class Drawer:
    """Collector of folded elements until the end of their section.

    >>> drawer = Drawer()
    >>> drawer.put("journal-id", "<div>jmla</div>")
    >>> drawer.html({})
    '<details class="details drawn"><summary>Not part of the text: journal-id</summary><div>jmla</div></details>'
    >>> Drawer().html({})
    ''
    """

    def __init__(self) -> None:
        self._tags: dict[str, None] = {}
        self._pieces: list[str] = []

    def put(self, tag: str, html: str) -> None:
        """Add the HTML of an element, with the local name of its tag."""
        self._tags[tag] = None
        self._pieces.append(html)

    def html(self, words: Mapping[str, str]) -> str:
        """Render the drawer, open if it contains a word of the query; empty without content."""
        if not self._pieces:
            return ""
        tags = [*self._tags][:_SHOWN] + (["…"] if len(self._tags) > _SHOWN else [])
        summary = words.get("folded", "Not part of the text: {tags}").replace("{tags}", ", ".join(tags))
        inside = "".join(self._pieces)
        is_open = " open" if MARK in inside else ""
        return f'<details class="details drawn"{is_open}><summary>{escape(summary)}</summary>{inside}</details>'


class Fold(NamedTuple):
    """An element that is folded in place.

    Attributes
    ----------
    name
        Its name in the summary; empty for the header of the document.
    is_open
        Whether it is open, since it contains words of the query.
    is_about
        Whether it has metadata of the document, as a header does.
    is_titled
        Whether its name is the title of a section, which is then not repeated inside.
    """

    name: str
    is_open: bool
    is_about: bool = False
    is_titled: bool = False

    @classmethod
    def about(cls, tag: str, is_open: bool) -> Fold:
        """Return the fold of metadata of the document, named by its tag."""
        return cls("" if tag.lower() in _HEADERS else in_words(tag), is_open, is_about=True)


class Folds:
    """Folds the children of an element; those that follow each other are one, but for sections with titles.

    >>> folds, pieces = Folds({}), ["<p>a</p>", " ", "<p>b</p>", "<p>c</p>"]
    >>> folds.put(0, Fold("Sponsors", False), pieces)
    >>> folds.put(2, Fold("Source", False), pieces)
    >>> folds.close(pieces)
    >>> "".join(pieces)
    '<details class="details"><summary>Sponsors, Source</summary><p>a</p> <p>b</p></details><p>c</p>'
    """

    def __init__(self, words: Mapping[str, str]) -> None:
        self._words = words
        self._row: list[Fold] = []
        self._begin = self._end = 0

    def put(self, at: int, fold: Fold, pieces: list[str]) -> None:
        """Fold one of the pieces, with those before it if nothing stands between that is not folded."""
        between = "".join(pieces[self._end + 1 : at]).strip()
        if self._row and (between or fold.is_titled or self._row[-1][1:] != (fold.is_open, fold.is_about, False)):
            self.close(pieces)
        if not self._row:
            self._begin = at
        self._row.append(fold)
        self._end = at

    def close(self, pieces: list[str]) -> None:
        """Put the tags around the pieces that follow each other; nothing where there are none."""
        if not self._row:
            return
        names = [*dict.fromkeys(fold.name for fold in self._row if fold.name)]
        said = ", ".join(names[:_SHOWN] + (["…"] if len(names) > _SHOWN else []))
        if self._row[0].is_about:
            about = self._words.get("about_document", "About this document")
            said = f"{about}: {said}" if said else about
        is_open = " open" if self._row[0].is_open else ""
        named = " named" if self._row[0].is_titled else ""
        summary = f'<details class="details{named}"{is_open}><summary>{escape(said)}</summary>'
        pieces[self._begin] = summary + pieces[self._begin]
        pieces[self._end] += "</details>"
        self._row = []
