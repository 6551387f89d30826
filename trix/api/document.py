"""One document of an open index: what it says of itself, its text, and its sections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trix.errors import NoDocumentError, did_you_mean
from trix.indexer.read.damage import or_damaged

if TYPE_CHECKING:
    from trix.api.answers import Answers
    from trix.query.display.units import TitledSection

COMPARED = 50_000
"""Largest number of ids searched for one similar to an unknown id."""


class Document:
    """A document of an index, as of the commit that was open when it was requested.

    Parameters
    ----------
    now
        The index state of that commit.
    number
        Number of the document, from 0.

    Attributes
    ----------
    number : int
        In the index, from 0.
    """

    __slots__ = ("_now", "number")

    def __init__(self, now: Answers, number: int) -> None:
        self._now, self.number = now, number

    @property
    def id(self) -> str:
        """Its id."""
        return self._now.files.ids[self.number]

    @property
    def title(self) -> str:
        """Its title on one line; empty if the profile defines none."""
        return " ".join(self._now.files.titles[self.number].split())

    @property
    def fields(self) -> Mapping[str, Any]:
        """Its field values by name: a value, or a list for a multi-valued field."""
        return self._now.searcher.restriction.fields.of(self.number)

    @property
    def text(self) -> str:
        """Its text for reading, as `Index.prose` returns it.

        Raises
        ------
        SourceError
            The source has moved or changed.
        """
        return self._prose()

    @property
    def xml(self) -> str:
        """Its XML.

        Raises
        ------
        SourceError
            The source has moved or changed.
        """
        return self._now.viewer.xml(self.id)

    @or_damaged
    def outline(self, depth: int = 2) -> list[TitledSection]:
        """Return its titled sections, as `Index.outline` does.

        Parameters
        ----------
        depth
            Number of levels of titles.
        """
        from trix.query.display.units import outline

        return outline(self._now.viewer, self._now.namer, self.id, depth)

    @or_damaged
    def _prose(self) -> str:
        from trix.query.display.units import prose_of

        return prose_of(self._now.viewer, self.id)

    @property
    def files(self) -> Any:
        """The files of its index."""
        return self._now.files

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Document):
            return NotImplemented
        return (self.files.path, self.id) == (other.files.path, other.id)

    def __hash__(self) -> int:
        return hash((self.files.path, self.id))

    def __repr__(self) -> str:
        return f"<Document {self.id!r}{f', {self.title!r}' if self.title else ''}>"


def document_of(now: Answers, name: object) -> Document:
    """Return the document with an id.

    Raises
    ------
    NoDocumentError
        There is none.
    """
    number = now.files.document(name) if isinstance(name, str) else -1
    if number < 0:
        ids = [now.files.ids[number] for number in range(min(len(now.files), COMPARED))]
        raise NoDocumentError(f"{name}: no such document{did_you_mean(str(name), ids)}")
    return Document(now, number)
