"""Documents that are open for reading, of the commit that is shown: they stay open as long as it is shown."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from trix.api.index import Index
from trix.query.display.highlight import Highlighter
from trix.support.recent import Recent
from trix.web.pages.asked import Asked
from trix.web.place.place import Place
from trix.web.reading.chain import Link, chain
from trix.web.reading.contents import Entry, contents
from trix.web.reading.opened import Opened
from trix.web.reading.roles import Roles

_KEPT = 24
Chain = tuple[list[Link], Highlighter | None]


@dataclass(frozen=True)
class _Wanted:
    """A chain that is asked for; two are the same if their document and their address are."""

    doc: str
    address: str
    asked: Asked = field(compare=False)


class Shelf:
    """The documents of one commit.

    Parameters
    ----------
    place
        Its theme's roles.
    index
        At one commit.

    Attributes
    ----------
    roles : Roles
        What its tags are on a page.
    """

    def __init__(self, place: Place, index: Index) -> None:
        themes = [path] if place.theme and (path := place.theme / "roles.toml").is_file() else []
        self.roles = roles = Roles(index.files.profile, themes)
        self.index = index
        self.document: Recent[str, Opened] = Recent(lambda doc: Opened(index, doc, roles), _KEPT)
        self.contents: Recent[str, list[Entry]] = Recent(lambda doc: contents(self.document(doc)), _KEPT)
        self._chains: Recent[_Wanted, Chain] = Recent(self._chain, 4 * _KEPT)

    def chain(self, doc: str, asked: Asked) -> Chain:
        """Return the passages of a document that answer what is asked, and what finds its words; none if nothing is.

        Raises
        ------
        TrixError
            The query or a setting is wrong.
        """
        if not asked.anything:
            return [], None
        state = Asked(asked.query, facets=asked.facets, settings=asked.settings)
        return self._chains(_Wanted(doc, state.address(), state))

    def _chain(self, wanted: _Wanted) -> Chain:
        return chain(self.document(wanted.doc), wanted.asked.query, wanted.asked.options())


class Shelves:
    """Gives the shelf of the commit that a request has taken."""

    def __init__(self, place: Place) -> None:
        self._place, self._changing = place, threading.Lock()
        self._shelf: Shelf | None = None

    def of(self, index: Index) -> Shelf:
        """Return the shelf of an index."""
        with self._changing:
            if self._shelf is None or self._shelf.index is not index:
                self._shelf = Shelf(self._place, index)
            return self._shelf
