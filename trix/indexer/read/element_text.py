"""The text of one element of a tree as it is shown: what fields, titles of documents and titles of sections are."""

from __future__ import annotations

from typing import Any

from trix.indexer.document.kinds import INLINE
from trix.indexer.document.reader import Reader
from trix.indexer.profile.profile import Action, Profile
from trix.indexer.read.shown import show
from trix.indexer.words.analyzer import has_word


class ElementText:
    """Gives the shown text of elements (lxml) under one profile.

    Parameters
    ----------
    profile
        What tags mean.
    """

    def __init__(self, profile: Profile) -> None:
        self._join, self._reader = profile.join_characters, Reader(profile)

    def __call__(self, element: Any) -> str:
        """Return the text of an element as it is shown."""
        text = "".join(element.itertext()) if self._is_plain(element) else ""
        if text and not any(character in text for character in self._join):
            return text
        return self.slowly(element)

    def slowly(self, element: Any) -> str:
        """Return the same, always by reading the element as a document."""
        annotated = self._reader.read_document(element).annotated if len(element) else element.text or ""
        return show(annotated, self._join).text

    def _is_plain(self, element: Any) -> bool:
        """Tell whether an element is a piece of text in which no tag means anything."""
        if not len(element):
            return True
        kinds = self._reader.kinds
        own = (element.text or "") + "".join([child.tail or "" for child in element])
        return (
            has_word(own)
            and not kinds.actions[kinds.of(element)] & Action.CONTAINER
            and all(kinds.actions[kinds.of(each)] == INLINE for each in element.iterdescendants())
        )
