"""Addresses of pages, and the first visit that loads what all pages need."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from trix.errors import TrixError
from trix.web.pages.about import about_page, handbook_page
from trix.web.pages.asked import Asked
from trix.web.pages.found import answer
from trix.web.pages.handling import House, on_errors
from trix.web.pages.home import documents_page
from trix.web.pages.reading import document_page, image_of_document, part_of_document, where_is_element, xml_of_element
from trix.web.pages.registers import register_page
from trix.web.pages.search import search_page, suggestions
from trix.web.pages.taken import citation, results_file
from trix.web.pages.why import why
from trix.web.place.paths import route_path

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
"""Address -> what makes the page."""

KEPT = ("/", "/suggest", "/why", "/read/{doc:path}", "/part/{doc:path}", "/documents", "/register/{name}")
"""Those whose pages are kept, as they depend on the address and on the commit alone."""


def routes(house: House) -> tuple[list[BaseRoute], dict[Any, Any]]:
    """Return the routes of a place's pages, and how errors become pages."""
    pages: list[BaseRoute] = [
        Route(route_path(path), house.handler(make, path, kept=path in KEPT), methods=["GET"])
        for path, make in PAGES.items()
    ]
    return [*pages, Mount("/static", _Layered([folder / "static" for folder in house.pages.folders]))], on_errors(
        house.pages
    )


class _Layered(StaticFiles):
    """Files of the first folder that has them."""

    def __init__(self, folders: list[Any]) -> None:
        there = [folder for folder in folders if folder.is_dir()]
        super().__init__(directory=there[-1])
        self.all_directories = there


_LETTERS = 5
"""Of a word of a title, at least, that is asked for."""


def warm(house: House) -> None:
    """Search for a word of a title and follow it through the first document, as the first visitor would."""
    house.pages.load()
    with suppress(TrixError):  # it is told to whoever asks
        index = house.place.index
        titles = index.files.titles
        words = (word for number in range(min(len(index), 20)) for word in titles[number].split())
        word = next((word for word in words if len(word) >= _LETTERS and word.isalpha()), "the")
        asked = Asked(word)
        index.suggest(word)
        for document in answer(index, asked).documents[:1]:
            house.shelves.of(index).chain(document.doc, asked)
