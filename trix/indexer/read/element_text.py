"""The text of one element of a tree as it is shown: what fields, titles of documents and titles of sections are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from trix.indexer.document.kinds import INLINE, UNWRAP
from trix.indexer.document.outline import outline
from trix.indexer.document.reader import Reader
from trix.indexer.document.record import SEPARATOR
from trix.indexer.profile.profile import Action, Profile
from trix.indexer.profile.selector import Parents
from trix.indexer.read.shown import show

_NEEDLESS = re.compile(rf"\s{SEPARATOR}+|{SEPARATOR}+(?=\s)|^{SEPARATOR}+|{SEPARATOR}+$")
"""Marks beside white space, and at the ends: there is no blank to be put in."""


_SHORT = 120
"""Characters of a text up to which how it is shown is kept: of laws hundreds of sections are called the same."""

_LOOKED_AT = 64
"""Descendants after which, again and again, the text is found to be long enough or not."""


@lru_cache(maxsize=1 << 12)
def _shown(annotated: str, join: str) -> str:
    return show(annotated, join).text


class ElementText:
    """Gives the shown text of elements (lxml) under one profile.

    Parameters
    ----------
    profile
        What tags mean.
    """

    def __init__(self, profile: Profile) -> None:
        # An element of a document is none, however little of its text is its own.
        self._join, self._reader = profile.join_characters, Reader(replace(profile, stray_text=0.0))
        self._kinds = self._reader.kinds

    def __call__(self, element: Any, enough: int | None = None) -> str:
        """Return the text of an element as it is shown, that of a content element; see `slowly`.

        Of a text that has surely more than `enough` characters the end may be left out: who looks for a title need not
        have the whole of a law whose first part is called `title`.
        """
        annotated = self._of_simple(element, enough) if len(element) else element.text or ""
        if annotated is None:
            return self.slowly(element)
        marked = SEPARATOR in annotated
        if marked:
            annotated = _NEEDLESS.sub(lambda found: found[0].rstrip(SEPARATOR), annotated)
            marked = SEPARATOR in annotated
        if not marked and not self._joins(annotated):
            return annotated
        return _shown(annotated, self._join) if len(annotated) <= _SHORT else show(annotated, self._join).text

    def slowly(self, element: Any) -> str:
        """Return the text of an element as the document is shown that it is."""
        if not len(element):
            return show(element.text or "", self._join).text
        walked = outline(element, self._kinds, above=self._kinds.above(element))
        return show(self._reader.read_outline(walked)[0].annotated, self._join).text

    def _joins(self, text: str) -> bool:
        return any(character in text for character in self._join)

    def _of_simple(self, element: Any, enough: int | None) -> str | None:
        """Return the annotated text of an element in which tags at most separate words; None of another."""
        kind = self._kinds.all[self._kinds.of(element, self._kinds.above(element))]
        if kind.actions & Action.CONTAINER:
            return None
        pieces = [element.text or ""]
        for seen, simple in enumerate(self._inside(element, kind.fits, pieces), 1):
            if not simple:
                return None
            if enough is not None and seen % _LOOKED_AT == 0 and self._shows_more(text := "".join(pieces), enough):
                return text
        return "".join(pieces)

    def _shows_more(self, text: str, than: int) -> bool:
        """Tell whether so many characters will surely be shown: letters and digits never vanish but where they join."""
        return len(text) > than and sum(map(str.isalnum, text)) - sum(map(text.count, self._join)) > than

    def _inside(self, element: Any, fits: Parents, pieces: list[str]) -> Iterator[bool]:
        """Add the texts in an element; yield of each descendant whether its tags at most separate words."""
        kinds = self._kinds
        for child in element:
            kind = kinds.all[kinds.of(child, fits)]
            yield not kind.actions & ~(INLINE | UNWRAP)
            mark = "" if kind.actions & INLINE else SEPARATOR
            pieces.append(f"{mark}{child.text or ''}")
            yield from self._inside(child, kind.fits, pieces)
            pieces.append(f"{mark}{child.tail or ''}")
