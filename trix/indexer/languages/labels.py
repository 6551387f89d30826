"""Language of each element: the nearest ``xml:lang`` on itself or an ancestor.

An ``xml:lang`` that names no language, such as an empty one, cancels those above it.
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
"""Kind of a row for a run of text. Rows for attributes have lower kinds: -2 for the document's first."""

_LABELLED = etree.XPath("boolean(descendant-or-self::*/@xml:lang)")
_ABOVE = etree.XPath("string(ancestor::*[@xml:lang][1]/@xml:lang)")


@dataclass(frozen=True, slots=True)
class ElementLanguages:
    """Languages of the indexed elements of a document.

    Attributes
    ----------
    names
        Language codes.
    of : (n,) ndarray
        ``(n,)`` index in `names` of each element's language; -1 for none.
    inner
        Pairs (content element, language) for words in the language of a descendant, one per such descendant.
    switches
        Offsets in the annotated text where the language changes, with the new language; empty string for none.
    """

    names: tuple[str, ...]
    of: NDArray[np.int32]
    inner: tuple[tuple[int, str], ...] = ()
    switches: tuple[tuple[int, str], ...] = ()

    def or_else(self, language: str) -> ElementLanguages:
        """Set a language for the elements that have none."""
        if not language:
            return self
        switches = tuple((place, named or language) for place, named in self.switches)
        if (self.of >= 0).all():
            return replace(self, switches=switches)
        names = tuple(dict.fromkeys((*self.names, language)))
        of = np.where(self.of < 0, names.index(language), self.of).astype(np.int32)
        return ElementLanguages(names, of, self.inner, switches)

    def each(self) -> list[str]:
        """Return the language of each element; the empty string for none."""
        names = [*self.names, ""]
        return [names[place] for place in self.of.tolist()]


def language_above(root: Any) -> str:
    """Return the language inherited by a document that is a part of a file."""
    return language_of(str(_ABOVE(root))) if root.getparent() is not None else ""


def is_labelled(root: Any) -> bool:
    """Whether a document has an ``xml:lang``."""
    return bool(_LABELLED(root))


def languages_of_rows(
    kinds: NDArray[np.int32],
    labels: Sequence[tuple[int, str]],
    rows: NDArray[np.int32],
    above: str,
    holding: Sequence[int] = (),
    starts: Callable[[], NDArray[Any]] = lambda: np.zeros(0, np.int64),
) -> ElementLanguages:
    """Return the languages of a document's indexed elements.

    Parameters
    ----------
    kinds
        Kind of each event; -1 for an end tag (see `trix.indexer.document.outline`).
    labels
        Events with an ``xml:lang``, in order, with its value.
    rows
        Event of each indexed element; for text after an end tag, that of the tag.
    above
        Language inherited by the document.
    holding
        For each label, the content element that encloses its element; -1 for none.
    starts
        Function that returns the offset in the annotated text after each event.

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
    numbers_at = np.full(kinds.size, numbers.get(above, -1), np.int32)
    if labels:
        begins = kinds >= 0
        depth = np.cumsum(np.where(begins, 1, -1)) + ~begins  # depth of a tag, equal at both ends of an element
        order = np.argsort(depth, kind="stable")  # at one depth, each end tag follows its start tag
        ends = np.zeros(kinds.size, np.int64)
        ends[order[::2]] = order[1::2]
        for (event, _), code in zip(labels, codes, strict=True):
            numbers_at[event : ends[event]] = numbers.get(code, -1)  # descendants come later and overwrite
    pairs = zip(holding, codes, strict=False)
    inside = [(place, code) for place, code in pairs if place >= 0]
    if not inside:
        return ElementLanguages(names, numbers_at[rows])
    # Some content element mixes languages: record where the language of the text changes.
    changes = np.flatnonzero(np.append(True, numbers_at[1:] != numbers_at[:-1]))
    named = [names[number] if number >= 0 else "" for number in numbers_at[changes].tolist()]
    switches = tuple(zip(starts()[changes].tolist(), named, strict=True))
    inner = tuple((place, code) for place, code in inside if code)
    return ElementLanguages(names, numbers_at[rows], inner, switches)


def holding_labels(
    kinds: NDArray[np.int32], labels: Sequence[tuple[int, str]], rows: NDArray[Any], content: NDArray[np.int32]
) -> list[int]:
    """Return, for each label, the content element that encloses its element; -1 for none.

    Parameters
    ----------
    kinds, labels
        As for `languages_of_rows`.
    rows
        Columns of the indexed elements (see `trix.core.markup.index_elements`).
    content
        Indices of the content elements, ascending.
    """
    events, is_content, found = rows[6], np.zeros(rows.shape[1], bool), list[int]()
    is_content[content] = True
    depth = np.cumsum(np.where(kinds >= 0, 1, -1)) + (kinds < 0)
    for event, _ in labels:
        # The last indexed row that begins at or before the label.
        place = int(np.searchsorted(events, event, side="right")) - 1
        kind, at = (int(rows[1, place]), int(events[place])) if place >= 0 else (0, -1)
        if place < 0 or not is_content[place] or kind < TEXT or (kind >= 0 and at == event):
            found.append(-1)  # no content element, or the labelled element itself
            continue
        outer = depth[at] - (kind == TEXT and kinds[at] < 0)  # text after an end tag lies in the parent
        # The row still encloses the label if the depth never falls to its own in between.
        found.append(place if (depth[at + 1 : event + 1] > outer).all() else -1)
    return found
