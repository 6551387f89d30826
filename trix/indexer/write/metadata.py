"""Metadata of a document: id, title and fields, by the XPaths of its profile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.tree import LazyTree
from trix.indexer.fields.reading import DocumentFields, FieldReader
from trix.indexer.profile.paths import possible_paths, simple_paths
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.reach import Reach, reaches
from trix.indexer.profile.xpath import first_value


class DocumentMetadata(NamedTuple):
    """Metadata of a document; empty where the profile has no XPath or the XPath selects nothing."""

    id: str
    title: str
    fields: DocumentFields
    cut: Sequence[tuple[str, str]] = ()
    """Truncated dates: field and text."""


class MetadataReader:
    """Reads metadata under one profile, from as little of each tree as necessary.

    Parameters
    ----------
    profile
        Profile with the XPaths.
    text_of
        Function that returns the shown text of an element (lxml).
    """

    def __init__(self, profile: Profile, text_of: Callable[[Any], str]) -> None:
        self._profile, self._fields = profile, FieldReader(profile, text_of)
        paths = [*filter(None, [profile.id]), *(path for rule in profile.fields.values() for path in rule.paths)]
        self._reaches = _all_reaches(paths)
        self._title_reaches = _all_reaches([profile.title] if profile.title else [])
        self._first_counts = simple_paths(profile.title) is not None if profile.title else False

    def read(self, tree: LazyTree, reader: DocumentReader) -> DocumentMetadata:
        """Read the metadata of a document.

        Parameters
        ----------
        tree
            Tree of the document.
        reader
            Reader that has just read it.
        """
        element = reader.head(tree, self._reaches)
        fields = self._fields.read(element, reader.names())
        cut = tuple(self._fields.cut)
        return DocumentMetadata(self._value(element, self._profile.id), self._title(tree, reader, element), fields, cut)

    def _title(self, tree: LazyTree, reader: DocumentReader, head: Any) -> str:
        expression, names = self._profile.title or "", reader.names()
        if names is not None:
            expression = possible_paths(expression, names)
        if not expression:
            return ""  # no tree is needed
        # The head is a prefix of the document, so its first match is the first of all.
        title = self._value(head, expression, self._fields.text) if self._first_counts else ""
        return title or self._value(reader.head(tree, self._title_reaches), expression, self._fields.text)

    def _value(self, element: Any, expression: str | None, text_of: Callable[[Any], str] | None = None) -> str:
        """Return the text selected by an XPath, white space collapsed; empty without an XPath."""
        if not expression:
            return ""
        return " ".join((first_value(element, expression, self._profile.namespaces, text_of) or "").split())


def _all_reaches(xpaths: list[str]) -> list[Reach] | None:
    """Return the reach of some XPaths; None if one is unknown."""
    found = [reaches(xpath) for xpath in xpaths]
    return None if None in found else [reach for each in found if each is not None for reach in each]
