"""Which language is each element of a document in: that of the nearest ``xml:lang``, on itself or above it.

An ``xml:lang`` that names no language, as an empty one, takes back what is above it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from trix.indexer.languages.codes import language_of

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

TEXT = -1
"""The kind of a row that is a run of text; that of an attribute is lower: -2 for the first of the document."""

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
    inner
        The content elements in which words are in a language of an element further below: place of the content element
        and language, an entry for each such element.
    switches
        Where there are any: each place in the annotated text where another language begins, and which; nothing where it
        is not said.
    """

    names: tuple[str, ...]
    of: NDArray[np.int32]
    inner: tuple[tuple[int, str], ...] = ()
    switches: tuple[tuple[int, str], ...] = ()

    def or_else(self, language: str) -> Languages:
        """Return the same, and a language for the elements of which none is said."""
        if not language:
            return self
        switches = tuple((place, said or language) for place, said in self.switches)
        if (self.of >= 0).all():
            return replace(self, switches=switches)
        names = tuple(dict.fromkeys((*self.names, language)))
        of = np.where(self.of < 0, names.index(language), self.of).astype(np.int32)
        return Languages(names, of, self.inner, switches)

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
    kinds: NDArray[np.int32],
    labels: Sequence[tuple[int, str]],
    rows: NDArray[np.int32],
    above: str,
    holding: Sequence[int] = (),
    starts: Callable[[], NDArray[Any]] = lambda: np.zeros(0, np.int64),
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
    holding
        For each label the place of the content element that its element is inside; -1 where it is in none.
    starts
        Gives where the text behind each event begins in the annotated text.

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
    pairs = zip(holding, codes, strict=False)
    inside = [(place, code) for place, code in pairs if place >= 0]
    if not inside:
        return Languages(names, spoken[rows])
    changes = np.flatnonzero(np.append(True, spoken[1:] != spoken[:-1]))
    said = [names[number] if number >= 0 else "" for number in spoken[changes].tolist()]
    switches = tuple(zip(starts()[changes].tolist(), said, strict=True))
    inner = tuple((place, code) for place, code in inside if code)
    return Languages(names, spoken[rows], inner, switches)


def holding_labels(
    kinds: NDArray[np.int32], labels: Sequence[tuple[int, str]], rows: NDArray[Any], content: NDArray[np.int32]
) -> list[int]:
    """Return for each label the place of the content element that its element is inside, -1 for none.

    Parameters
    ----------
    kinds, labels
        See `languages_of_rows`.
    rows
        Columns of the indexed elements, see `trix.core.markup.index_elements`.
    content
        The places of the content elements, ascending.
    """
    events, is_content, found = rows[6], np.zeros(rows.shape[1], bool), list[int]()
    is_content[content] = True
    depth = np.cumsum(np.where(kinds >= 0, 1, -1)) + (kinds < 0)
    for event, _ in labels:
        place = int(np.searchsorted(events, event, side="right")) - 1
        kind, at = (int(rows[1, place]), int(events[place])) if place >= 0 else (0, -1)
        if place < 0 or not is_content[place] or kind < TEXT or (kind >= 0 and at == event):
            found.append(-1)  # in none, or it is that element itself
            continue
        outer = depth[at] - (kind == TEXT and kinds[at] < 0)  # a run behind an end tag is in the parent of what ended
        found.append(place if (depth[at + 1 : event + 1] > outer).all() else -1)
    return found
