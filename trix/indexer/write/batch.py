"""Batches of documents, and the parts of a segment that are made from them.

A `DocumentBatch` comes from `BatchBuilder` (sources) or `merge` (a block of an older segment). Both wrap it into a
`SegmentPart` with numbers of the new segment, which `SegmentWriter` appends. Batches and parts are immutable: their
arrays are shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trix.indexer.document.record import Counts, FieldRuns
from trix.indexer.fields.reading import DocumentFields
from trix.indexer.places.rows import DocumentMilestones
from trix.indexer.store.attributes import Columns
from trix.indexer.store.links import DocumentLinks
from trix.indexer.words.sentences import DocumentSentences
from trix.indexer.write.inverted.lists import PartKeys
from trix.indexer.write.inverted.writer import ToLists
from trix.indexer.write.sets import Sets
from trix.support.arrays import Ints


@dataclass(frozen=True)
class SourceEntry:
    """Row of the source table: a file, and the data to detect changes of it."""

    path: str
    location: str
    member: str | None
    offset: int | None
    size: int
    crc: int
    mtime_ns: int = 0
    stored_size: int = 0
    """State of the file when found. It is not part of the index, but `trix update` compares it first."""


@dataclass(frozen=True)
class DocumentEntry:
    """Row of the document table."""

    id: str
    title: str
    source: int
    """Number of its file in the batch, from 0; -1 if the file belongs to the batch before."""
    ordinal: int
    """Position among the documents of its file, from 0."""
    elements: int
    contents: int
    length: int


@dataclass(frozen=True)
class DocumentBatch:
    """Consecutive documents; elements and content elements are numbered from 0 in the batch.

    Attributes
    ----------
    sources, copies
        Files of the documents, and the bytes of each file to store, else None.
    documents
        Rows of the document table.
    columns
        ``(n_elements,)`` or ``(n_content_elements,)`` int arrays: the columns of
        `trix.indexer.store.elements.Elements`.
    steps
        Path steps by the numbers in the column ``step``; some may be unused.
    values
        Streams of `trix.indexer.store.values` for each document.
    attributes, attribute_names
        Indexed attributes and compared elements of each document (see `trix.indexer.store.attributes`); their names by
        number, by first row.
    below
        Counts of elements below content elements, for each document.
    fields
        Values of the profile's fields, for each document.
    element_fields
        Values of element fields by name, for each document.
    links
        Links of each document; None if the profile names none.
    sentences
        Sentences of each document; None without positions.
    places
        Milestones of each document; None if the profile names none.
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
    element_fields: Sequence[Mapping[str, FieldRuns]]
    links: Sequence[DocumentLinks] | None
    sentences: Sequence[DocumentSentences] | None
    places: Sequence[DocumentMilestones] | None


@dataclass(frozen=True)
class SegmentPart:
    """Batch with the data that depends on the segment being written.

    Attributes
    ----------
    batch
        Documents.
    sets
        Sets of elements, numbered in the segment (see `trix.indexer.write.sets`).
    keys, words, titles
        Keys, words and section titles, each with the function that makes their posting lists once the ranks of all are
        known. Lists have numbers of the segment: content elements, documents, elements.
    """

    batch: DocumentBatch
    sets: Sets
    keys: tuple[PartKeys, ToLists]
    words: tuple[PartKeys, ToLists]
    titles: tuple[PartKeys, ToLists]
