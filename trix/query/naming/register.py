"""Registers: what elements mention by keys, such as persons and places, from rows of attributes [QUERY, section 20].

An index keeps rows for the mentions of the registers of its profile (`trix.indexer.document.element_fields`). A mention
inside a content element is a compared element with its attributes. A mention that is an indexed element has a row with
its text (`MENTION`), and rows with its attributes. No source is opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from trix.indexer.document.record import MENTION, OWN, UNIT
from trix.indexer.profile.registers import RegisterPath, keys_of
from trix.indexer.profile.selector import split_qname
from trix.indexer.store.files import IndexFiles
from trix.support.arrays import Ints, Mask
from trix.support.collation import sort_key

_NONE = np.zeros(0, np.int64)


class RegisterEntry(NamedTuple):
    """What a register says of a key.

    Attributes
    ----------
    key
        The key.
    name
        The most frequent text of its mentions, the first in order of characters among equals.
    mentions, documents
        How many elements mention it, and how many documents hold one.
    """

    key: str
    name: str
    mentions: int
    documents: int


class FoundMention(NamedTuple):
    """A mention.

    Attributes
    ----------
    element
        The number of the element, or of the content element that it is in.
    inside
        Whether it is inside a content element.
    ordinal
        How many mentions of the key are before it inside the same content element.
    text
        Its text on one line.
    """

    element: int
    inside: bool
    ordinal: int
    text: str


class RegisterIndex:
    """One register of an index.

    Parameters
    ----------
    index
        The index.
    paths
        Of the register, see `Profile.registers`.

    Attributes
    ----------
    entries : list of RegisterEntry
        By name; of one name the most mentions first, then by key.
    """

    def __init__(self, index: IndexFiles, paths: Sequence[RegisterPath]) -> None:
        self._index, self._rows = index, _RegisterRows(index)
        pairs = [each for path in paths for each in self._rows.pairs(path)]
        known = {key: number for number, key in enumerate(sorted({key for _, key in pairs}))}
        # Rows of (key, mention), sorted by both: mentions of a key are a range, in document order.
        together = np.array([(known[key], place) for place, key in pairs], np.int64).reshape(-1, 2)
        together = np.unique(together, axis=0)  # a mention counts once for a key, whatever paths lead to it
        self._keys, (self._of_key, self._places) = known, (together[:, 0], together[:, 1])
        self.entries = self._entries()

    def _entries(self) -> list[RegisterEntry]:
        texts = self._texts(self._places)
        documents = self._index.documents_of(self._rows.elements(self._places)).astype(np.int64)
        mentions = np.bincount(self._of_key, minlength=len(self._keys)).tolist()
        # A document counts once for a key, however many mentions it has.
        pairs = np.unique(np.stack([self._of_key, documents], axis=1), axis=0)
        document_counts = np.bincount(pairs[:, 0], minlength=len(self._keys)).tolist()
        found: list[RegisterEntry] = []
        at = 0
        for number, key in enumerate(self._keys):
            name = _most_frequent(texts[at : at + mentions[number]]) or key
            found.append(RegisterEntry(key, name, mentions[number], document_counts[number]))
            at += mentions[number]
        return sorted(found, key=lambda each: (sort_key(each.name), each.name, -each.mentions, each.key))

    def _texts(self, places: Ints) -> list[str]:
        return [" ".join(text.split()) for text in self._index.attributes.rows.texts(places)]

    @cached_property
    def by_key(self) -> dict[str, RegisterEntry]:
        """The entries by key."""
        return {entry.key: entry for entry in self.entries}

    def mentions(self, key: str, first: int = 0, end: int | None = None) -> list[FoundMention]:
        """Return the mentions of a key from one to another, in order of the documents."""
        number = self._keys.get(key, -1)
        places = self._places[self._of_key == number]
        elements = self._rows.elements(places)
        inside = self._index.attributes.rows.name[places] != self._rows.texts_name
        # By element; in one element first the element itself, then the mentions inside it.
        order = np.lexsort((places, inside, elements))
        places, elements, inside = places[order], elements[order], inside[order]
        begins = np.append(True, (np.diff(elements) != 0) | (inside[1:] != inside[:-1]))[: places.size]
        # Numbered from 0 in each run: the place less that of the run's begin.
        ordinals = np.arange(places.size) - np.maximum.accumulate(np.where(begins, np.arange(places.size), 0))
        some = slice(first, end)
        columns = (elements[some].tolist(), inside[some].tolist(), ordinals[some].tolist())
        return [*map(FoundMention, *columns, self._texts(places[some]))]


def _most_frequent(texts: Sequence[str]) -> str:
    """Return the most frequent text that is not empty, of equally frequent ones the least.

    >>> _most_frequent(["b", "a", "", "", ""]), _most_frequent([])
    ('a', '')
    """
    counts: dict[str, int] = {}
    for text in texts:
        if text:
            counts[text] = counts.get(text, 0) + 1
    return min(counts, key=lambda text: (-counts[text], text), default="")


class _RegisterRows:
    """The rows of an index that are mentions, and their attributes."""

    def __init__(self, index: IndexFiles) -> None:
        self._index, self._store = index, index.attributes
        numbers = self._store.numbers(MENTION)
        self.texts_name = numbers[0] if numbers else -1
        places = np.flatnonzero(self._store.rows.name == self.texts_name) if numbers else _NONE
        elements = self._store.elements(places).astype(np.int64)
        order = np.argsort(elements, kind="stable")
        self._texts_of, self._text_places = elements[order], places[order]

    def elements(self, places: Ints) -> Ints:
        """Return the element of each mention, or the content element that it is in."""
        rows = self._store.rows
        found = np.zeros(places.size, np.int64)
        indexed = rows.name[places] == self.texts_name
        if indexed.any():
            found[indexed] = self._store.elements(places[indexed])
        contents = rows.owner[places[~indexed]]
        self._index.elements.structure_of_contents(contents)
        found[~indexed] = self._index.elements.of_content[contents]
        return found

    def pairs(self, path: RegisterPath) -> list[tuple[int, str]]:
        """Return the row and the key of each mention that a path finds."""
        places = self._named(path.attribute)
        mentions = self._mentions_of(places)
        kept = (mentions >= 0) & self._has_tag(mentions, path)
        if path.selector.attribute is not None:
            conditions = self._named(path.selector.attribute)
            if path.selector.value is not None:
                wanted = path.selector.value
                conditions = self._store.good(conditions, lambda text: text == wanted)
            kept &= np.isin(mentions, self._mentions_of(conditions))
        places, mentions = places[kept], mentions[kept]
        values = self._store.rows.texts(places)
        # Keys repeat from mention to mention: each value is split once.
        keys = {value: keys_of(value) if value.strip() else [] for value in set(values)}
        return [(place, key) for place, value in zip(mentions.tolist(), values, strict=True) for key in keys[value]]

    def _named(self, attribute: str) -> Ints:
        """Return the rows of an attribute, as lxml names it."""
        namespace, local = split_qname(attribute)
        numbers = self._store.numbers(f"@{local}", self._kept(namespace))
        return np.flatnonzero(np.isin(self._store.rows.name, numbers)) if numbers else _NONE

    def _kept(self, namespace: str) -> str:
        """Return a namespace as rows have it: those that the profile does not declare are left out."""
        return namespace if namespace in self._index.profile.known_namespaces else ""

    def _mentions_of(self, places: Ints) -> Ints:
        """Return the row of the mention that each attribute stands in, -1 where it stands in none."""
        rows = self._store.rows
        found = np.full(places.size, -1, np.int64)
        if not places.size:
            return found
        kinds, above = rows.kind[places].astype(np.int64), rows.above[places].astype(np.int64)
        # An attribute of a compared element comes after the element's row; `above` is the distance.
        inside = (kinds == OWN) & (above > 0)
        found[inside] = places[inside] - above[inside]
        of_elements = ~inside & (above == 0)
        if self._texts_of.size and of_elements.any():
            elements = self._store.elements(places[of_elements]).astype(np.int64)
            units = kinds[of_elements] == UNIT
            if units.any():
                self._index.elements.structure_of_elements(elements[units].astype(np.int32))
                # A unit attribute is an element itself, and its owner the parent.
                elements[units] = self._index.elements.parent[elements[units]]
            # Mentions sorted by element: search it, and compare, since it may have none.
            at = np.minimum(np.searchsorted(self._texts_of, elements), self._texts_of.size - 1)
            found[of_elements] = np.where(self._texts_of[at] == elements, self._text_places[at], -1)
        return found

    def _has_tag(self, mentions: Ints, path: RegisterPath) -> Mask:
        """Return which mentions have the tag of a path."""
        rows, store, tag = self._store.rows, self._store, path.selector
        namespace = None if tag.namespace is None else self._kept(tag.namespace)
        names = [
            (not each.startswith(("@", MENTION)) and tag.tag in ("*", each) and namespace in (None, its))
            for each, its in zip(store.names, store.namespaces, strict=True)
        ]
        # One False at the end, which index -1 reads: no mention, no tag.
        named = np.array([*names, False], np.bool_)
        numbers = np.where(mentions >= 0, rows.name[mentions], -1) if mentions.size else mentions
        found: Mask = named[numbers]
        indexed = np.flatnonzero(numbers == self.texts_name) if self.texts_name >= 0 else _NONE
        if indexed.size:
            elements = store.elements(mentions[indexed])
            table = self._index.elements
            table.printed_of(np.unique(elements))
            steps = table.step[elements]
            tags = [tag.tag in ("*", each) for each in self._index.step_tags]
            of_tag = np.array(tags, np.bool_)[steps]
            if namespace:
                of_tag &= np.isin(elements, np.array([*self._index.in_namespace(namespace)], np.int64))
            found[indexed] = of_tag
        return found
