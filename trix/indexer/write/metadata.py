"""Metadata of a document: its id, its title and its fields, where the XPaths of its profile lead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from trix.indexer.document.reader import Reader
from trix.indexer.document.tree import Tree
from trix.indexer.fields.reading import DocumentFields, FieldReader
from trix.indexer.profile.paths import possible_paths, simple_paths
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.reach import Reach, reaches
from trix.indexer.profile.xpath import first_value


class DocumentMetadata(NamedTuple):
    """What a document says of itself; nothing where its profile asks for nothing, or it says nothing."""

    id: str
    title: str
    fields: DocumentFields
    cut: Sequence[tuple[str, str]] = ()
    """Of each date that was cut, the field and the text."""


class MetadataReader:
    """Reads what documents under one profile say of themselves, from no more of their trees than it takes.

    Parameters
    ----------
    profile
        Has the XPaths.
    text_of
        Gives the text of an element (lxml) as it is shown.
    """

    def __init__(self, profile: Profile, text_of: Callable[[Any], str]) -> None:
        self._profile, self._fields = profile, FieldReader(profile, text_of)
        paths = [*filter(None, [profile.id]), *(path for rule in profile.fields.values() for path in rule.paths)]
        self._reaches = _all_reaches(paths)
        self._title_reaches = _all_reaches([profile.title] if profile.title else [])
        self._first_counts = simple_paths(profile.title) is not None if profile.title else False

    def read(self, tree: Tree, reader: Reader) -> DocumentMetadata:
        """Return what a document says.

        Parameters
        ----------
        tree
            Of the document.
        reader
            What has just read it.
        """
        element = reader.head(tree, self._reaches)
        fields = self._fields.read(element, reader.names())
        cut = tuple(self._fields.cut)
        return DocumentMetadata(self._value(element, self._profile.id), self._title(tree, reader, element), fields, cut)

    def _title(self, tree: Tree, reader: Reader, head: Any) -> str:
        expression, names = self._profile.title or "", reader.names()
        if names is not None:
            expression = possible_paths(expression, names)
        if not expression:
            return ""  # without any tree
        # The first in a head is the first of all.
        title = self._value(head, expression, self._fields.text) if self._first_counts else ""
        return title or self._value(reader.head(tree, self._title_reaches), expression, self._fields.text)

    def _value(self, element: Any, expression: str | None, text_of: Callable[[Any], str] | None = None) -> str:
        """Return the text that an XPath selects, white space collapsed; empty without one."""
        if not expression:
            return ""
        return " ".join((first_value(element, expression, self._profile.namespaces, text_of) or "").split())


def _all_reaches(xpaths: list[str]) -> list[Reach] | None:
    """Return how far some XPaths reach; None where that is not known of one."""
    found = [reaches(xpath) for xpath in xpaths]
    return None if None in found else [reach for each in found if each is not None for reach in each]
