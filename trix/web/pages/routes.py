"""Routes of pages, and the warm-up of a server."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from trix.errors import TrixError
from trix.web.pages.about import about_page, handbook_page
from trix.web.pages.download import citation, results_file
from trix.web.pages.found import answer
from trix.web.pages.home import documents_page
from trix.web.pages.reading import document_page, image_of_document, part_of_document, where_is_element, xml_of_element
from trix.web.pages.registers import register_page
from trix.web.pages.search import search_page, suggestions
from trix.web.pages.server import PageServer, on_errors
from trix.web.pages.state import SearchState
from trix.web.pages.why import why
from trix.web.site.paths import route_path

PAGES = {
    "/": search_page,
    "/suggest": suggestions,
    "/why": why,
    "/read/{doc:path}": document_page,
    "/part/{doc:path}": part_of_document,
    "/xml/{doc:path}": xml_of_element,
    "/where/{doc:path}": where_is_element,
    "/cite/{doc:path}": citation,
    "/results": results_file,
    "/documents": documents_page,
    "/register/{name}": register_page,
    "/image/{doc:path}": image_of_document,
    "/about": about_page,
    "/handbook/{name:path}": handbook_page,
}
"""Route -> function that makes the page."""

KEPT = ("/", "/suggest", "/why", "/read/{doc:path}", "/part/{doc:path}", "/documents", "/register/{name}")
"""Routes whose pages are cached, since they depend on the URL and the commit alone."""


def routes(server: PageServer) -> tuple[list[BaseRoute], dict[Any, Any]]:
    """Return the routes of pages, and the exception handlers."""
    pages: list[BaseRoute] = [
        Route(route_path(path), server.handler(make, path, kept=path in KEPT), methods=["GET"])
        for path, make in PAGES.items()
    ]
    return [*pages, Mount("/static", _Layered([folder / "static" for folder in server.pages.folders]))], on_errors(
        server.pages
    )


class _Layered(StaticFiles):
    """Static files, each from the first folder that has it."""

    def __init__(self, folders: list[Any]) -> None:
        there = [folder for folder in folders if folder.is_dir()]
        super().__init__(directory=there[-1])
        self.all_directories = there


_LETTERS = 5
"""Shortest word for the warm-up search."""


def warm(server: PageServer) -> None:
    """Search for a word of a title and open the first document, to fill caches before the first visitor."""
    server.pages.load()
    with suppress(TrixError):  # requests will report it
        index = server.site.index
        titles = index.files.titles
        words = (word for number in range(min(len(index), 20)) for word in titles[number].split())
        word = next((word for word in words if len(word) >= _LETTERS and word.isalpha()), "the")
        asked = SearchState(word)
        index.suggest(word)
        for document in answer(index, asked).documents[:1]:
            server.caches.of(index).chain(document.doc, asked)
