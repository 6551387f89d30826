"""Caches of open documents, their contents and passages, for the current commit."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from trix.api.index import Index
from trix.query.display.highlight import Highlighter
from trix.support.lru_cache import LruFunction
from trix.web.pages.state import SearchState
from trix.web.reading.chain import Link, chain
from trix.web.reading.contents import Entry, contents
from trix.web.reading.document import OpenDocument
from trix.web.reading.roles import Roles
from trix.web.site.site import Site

_KEPT = 24
Chain = tuple[list[Link], Highlighter | None]


@dataclass(frozen=True)
class _Wanted:
    """Cache key of the passages of a document; equality is by document and URL."""

    doc: str
    address: str
    asked: SearchState = field(compare=False)


class DocumentCache:
    """Cache of the documents of one commit.

    Parameters
    ----------
    site
        The site, whose theme may have roles.
    index
        The index at one commit.

    Attributes
    ----------
    roles : Roles
        Roles of its tags.
    """

    def __init__(self, site: Site, index: Index) -> None:
        self.roles = roles = Roles(index.files.profile, site.role_tables)
        self.index = index
        self.document: LruFunction[str, OpenDocument] = LruFunction(lambda doc: OpenDocument(index, doc, roles), _KEPT)
        self.contents: LruFunction[str, list[Entry]] = LruFunction(lambda doc: contents(self.document(doc)), _KEPT)
        self._chains: LruFunction[_Wanted, Chain] = LruFunction(self._chain, 4 * _KEPT)

    def chain(self, doc: str, asked: SearchState) -> Chain:
        """Return the passages of a document that match, and a highlighter; neither without a query.

        Raises
        ------
        TrixError
            The query or a setting is wrong.
        """
        if not asked.anything:
            return [], None
        state = SearchState(asked.query, facets=asked.facets, settings=asked.settings)
        return self._chains(_Wanted(doc, state.address(), state))

    def _chain(self, wanted: _Wanted) -> Chain:
        return chain(self.document(wanted.doc), wanted.asked.query, wanted.asked.options())


class DocumentCaches:
    """The current `DocumentCache`, replaced after a commit."""

    def __init__(self, site: Site) -> None:
        self._site, self._changing = site, threading.Lock()
        self._cache: DocumentCache | None = None

    def of(self, index: Index) -> DocumentCache:
        """Return the cache of an index, a new one after a commit."""
        with self._changing:
            if self._cache is None or self._cache.index is not index:
                self._cache = DocumentCache(self._site, index)
            return self._cache
