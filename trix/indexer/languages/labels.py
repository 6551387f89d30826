"""Which language is each element of a document in: that of the nearest ``xml:lang``, on itself or above it.

An ``xml:lang`` that names no language, as an empty one, takes back what is above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from trix.indexer.languages.codes import language_of

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

_LABELLED = etree.XPath("boolean(descendant-or-self::*/@xml:lang)")
_ABOVE = etree.XPath("string(ancestor::*[@xml:lang][1]/@xml:lang)")


@dataclass(frozen=True, slots=True)
class Languages:
    """The languages of the indexed elements of a document.

    Attributes
    ----------
    names
        Codes.
    of : (n,) ndarray
        Of each element the place of its language among `names`; -1 where it is not said.
    """

    names: tuple[str, ...]
    of: NDArray[np.int32]

    def or_else(self, language: str) -> Languages:
        """Return the same, and a language for the elements of which none is said."""
        if not language or (self.of >= 0).all():
            return self
        names = tuple(dict.fromkeys((*self.names, language)))
        return Languages(names, np.where(self.of < 0, names.index(language), self.of).astype(np.int32))

    def each(self) -> list[str]:
        """Return the language of each element, nothing where it is not said."""
        names = [*self.names, ""]
        return [names[place] for place in self.of.tolist()]


def language_above(root: Any) -> str:
    """Return the language of what a document is in, where it is a part of a file."""
    return language_of(str(_ABOVE(root))) if root.getparent() is not None else ""


def is_labelled(root: Any) -> bool:
    """Tell whether a document has an ``xml:lang``."""
    return bool(_LABELLED(root))


def languages_of_rows(
    kinds: NDArray[np.int32], labels: Sequence[tuple[int, str]], rows: NDArray[np.int32], above: str
) -> Languages:
    """Return the languages of a document's indexed elements.

    Parameters
    ----------
    kinds
        Of each event: -1 at an end tag, see `trix.indexer.document.outline`.
    labels
        The events that have an ``xml:lang``, in order, and what it says.
    rows
        The event of each indexed element; text behind an end tag has that one's.
    above
        The language of what the document is in.

    Examples
    --------
    >>> kinds = np.array([0, 1, 1, -1, -1, 1, -1, -1], np.int32)  # <a lang=en><b lang=fr><c/></b>text<d/></a>
    >>> found = languages_of_rows(kinds, [(0, "en"), (1, "fr-CA")], np.array([0, 1, 2, 4, 5]), "")
    >>> found.each()
    ['en', 'fr', 'fr', 'en', 'en']
    """
    codes = [language_of(tag) for _, tag in labels]
    names = tuple(dict.fromkeys(code for code in (above, *codes) if code))
    numbers = {code: number for number, code in enumerate(names)}
    spoken = np.full(kinds.size, numbers.get(above, -1), np.int32)
    if labels:
        begins = kinds >= 0
        depth = np.cumsum(np.where(begins, 1, -1)) + ~begins  # of a tag, the same at both ends of an element
        order = np.argsort(depth, kind="stable")  # at one depth ends follow their begins
        ends = np.zeros(kinds.size, np.int64)
        ends[order[::2]] = order[1::2]
        for (event, _), code in zip(labels, codes, strict=True):
            spoken[event : ends[event]] = numbers.get(code, -1)  # inner ones later
    return Languages(names, spoken[rows])
