"""A drawer at the end of a section: what a page folds away because a reader seldom wants it, such as identifiers."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import escape

from trix.web.reading.roles import names

MARK = "<mark>"
"""What stands before a word of the query; no text of a document does, since it is escaped."""

_SHOWN = 5
"""Tags that the summary of a drawer names."""

_HOLDERS = names("section references details people through")


def has_drawer(role: str, depth: int) -> bool:
    """Whether an element can end with a drawer; of those without a tag of their own only the outermost.

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
    """Collects what is folded away until the element ends that it stands in.

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
        """Return the drawer, open where a word of the query is in it; nothing where it is empty."""
        if not self._pieces:
            return ""
        tags = [*self._tags][:_SHOWN] + (["…"] if len(self._tags) > _SHOWN else [])
        summary = words.get("folded", "Not part of the text: {tags}").replace("{tags}", ", ".join(tags))
        inside = "".join(self._pieces)
        is_open = " open" if MARK in inside else ""
        return f'<details class="details drawn"{is_open}><summary>{escape(summary)}</summary>{inside}</details>'
