"""Shown text of single elements, for fields and titles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from trix.indexer.document.kinds import INLINE, UNWRAP
from trix.indexer.document.outline import outline
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import SEPARATOR
from trix.indexer.profile.profile import Action, Profile
from trix.indexer.profile.selector import Parents
from trix.indexer.read.shown import show

_NEEDLESS = re.compile(rf"\s{SEPARATOR}+|{SEPARATOR}+(?=\s)|^{SEPARATOR}+|{SEPARATOR}+$")
"""Marks beside white space and at the ends, where no blank is needed."""


_SHORT = 120
"""Characters up to which shown texts are cached: in laws, hundreds of sections have the same title."""

_LOOKED_AT = 64
"""Descendants between two checks whether the text is long enough."""


@lru_cache(maxsize=1 << 12)
def _shown(annotated: str, join: str) -> str:
    return show(annotated, join).text


class ElementText:
    """Function from elements (lxml) to their shown text, under one profile.

    Parameters
    ----------
    profile
        Profile with the rules.
    """

    def __init__(self, profile: Profile) -> None:
        # The rule about stray text is for whole documents; elements are exempt.
        self._join, self._reader = profile.join_characters, DocumentReader(replace(profile, stray_text=0.0))
        self._kinds = self._reader.kinds

    def __call__(self, element: Any, enough: int | None = None) -> str:
        """Return the shown text of an element, as if it were a content element; equals `slowly`.

        The end may be missing if the text certainly has more than `enough` characters: a title search need not read a
        whole law whose first part is tagged `title`.
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
        """Return the shown text of an element by reading it as a document."""
        if not len(element):
            return show(element.text or "", self._join).text
        walked = outline(element, self._kinds, above=self._kinds.above(element))
        return show(self._reader.read_outline(walked)[0].annotated, self._join).text

    def _joins(self, text: str) -> bool:
        return any(character in text for character in self._join)

    def _of_simple(self, element: Any, enough: int | None) -> str | None:
        """Return the annotated text of an element whose tags at most separate words; else None."""
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
        """Whether certainly more than `than` characters are shown: letters and digits only vanish by joining."""
        return len(text) > than and sum(map(str.isalnum, text)) - sum(map(text.count, self._join)) > than

    def _inside(self, element: Any, fits: Parents, pieces: list[str]) -> Iterator[bool]:
        """Append the texts inside an element; yield for each descendant whether its tags at most separate words."""
        kinds = self._kinds
        for child in element:
            kind = kinds.all[kinds.of(child, fits)]
            yield not kind.actions & ~(INLINE | UNWRAP)
            mark = "" if kind.actions & INLINE else SEPARATOR
            pieces.append(f"{mark}{child.text or ''}")
            yield from self._inside(child, kind.fits, pieces)
            pieces.append(f"{mark}{child.tail or ''}")
