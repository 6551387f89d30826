"""What is loaded once, loaded before somebody waits for it: tables of the index, templates."""

from __future__ import annotations

from contextlib import suppress

from trix.errors import TrixError
from trix.web.pages.asked import Asked
from trix.web.pages.found import answer
from trix.web.pages.handling import House

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
