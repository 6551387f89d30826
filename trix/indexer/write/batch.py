"""Documents on their way into a segment: a batch as it was read, and the part of a segment that is made of it.

`DocumentBatch` is made by `BatchBuilder` from sources, and by `merge` from a block of an older segment. Either puts it
into a `SegmentPart`, which adds what depends on the segment being written; `SegmentWriter` takes these one by one.
Both are frozen. Their arrays are shared and never changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trix.indexer.document.record import Counts, Said
from trix.indexer.fields.reading import DocumentFields
from trix.indexer.places.rows import DocumentPlaces
from trix.indexer.store.attributes import Columns
from trix.indexer.store.links import DocumentLinks
from trix.indexer.words.sentences import DocumentSentences
from trix.indexer.write.inverted.lists import PartKeys
from trix.indexer.write.inverted.writer import ToLists
from trix.indexer.write.sets import Sets
from trix.support.arrays import Ints


@dataclass(frozen=True)
class SourceEntry:
    """A row of the source table: a file, and what tells whether it is still the same."""

    path: str
    location: str
    member: str | None
    offset: int | None
    size: int
    crc: int
    mtime_ns: int = 0
    stored_size: int = 0
    """As it was found; no part of the index, but `trix update` asks first whether they are still the same."""


@dataclass(frozen=True)
class DocumentEntry:
    """A row of the document table."""

    id: str
    title: str
    source: int
    """Number of its file among the sources of the batch, from 0; -1 where the file came with the batch before."""
    ordinal: int
    """Place among the documents of its file, from 0."""
    elements: int
    contents: int
    length: int


@dataclass(frozen=True)
class DocumentBatch:
    """Consecutive documents as they were read; elements and content elements are numbered from 0 in the batch.

    Attributes
    ----------
    sources, copies
        The files that the documents are in, and the bytes of each that is to be stored, else None.
    documents
        The rows of the document table.
    columns
        ``(n_elements,)`` or ``(n_content_elements,)`` int arrays, those of `trix.indexer.store.elements.Elements`.
    steps
        Path steps by the numbers in the column ``step``; some may not occur.
    values
        For each document the streams of `trix.indexer.store.values`.
    attributes, attribute_names
        For each document its indexed attributes and compared elements, see `trix.indexer.store.attributes`, and their
        names by number, in order of their first rows.
    below
        For each document the elements below content elements, counted.
    fields
        For each document the values of the profile's fields.
    said
        For each document what its elements say in fields of elements, by name.
    links
        For each document its links; None where the profile names none.
    sentences
        For each document its sentences; None where positions are not kept.
    places
        For each document its milestones; None where the profile names none.
    """

    sources: Sequence[SourceEntry]
    copies: Sequence[bytes | None]
    documents: Sequence[DocumentEntry]
    columns: Mapping[str, Ints]
    steps: Sequence[str]
    values: Sequence[Mapping[str, Ints]]
    attributes: Sequence[Columns]
    attribute_names: Sequence[str]
    below: Sequence[Counts]
    fields: Sequence[DocumentFields]
    said: Sequence[Mapping[str, Said]]
    links: Sequence[DocumentLinks] | None
    sentences: Sequence[DocumentSentences] | None
    places: Sequence[DocumentPlaces] | None


@dataclass(frozen=True)
class SegmentPart:
    """A batch with what a segment needs to know to append it.

    Attributes
    ----------
    batch
        The documents.
    sets
        Sets of elements by their numbers in the segment, see `trix.indexer.write.sets`.
    keys, words, titles
        Keys, words and titles of sections, each with what makes its posting lists once the ranks of all are known. The
        lists hold numbers in the segment: of content elements, documents and elements.
    """

    batch: DocumentBatch
    sets: Sets
    keys: tuple[PartKeys, ToLists]
    words: tuple[PartKeys, ToLists]
    titles: tuple[PartKeys, ToLists]
