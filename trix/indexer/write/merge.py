"""Segments in, one segment out, with what lives of them: the bytes are those of a build from the live documents.

No source is read. A block of the old segment is a chunk for the writer, so memory is that of some blocks and of a range
of keys, whatever the size of the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from pyroaring import BitMap

from trix.indexer.document.below import Counts
from trix.indexer.fields.columns import SegmentFields
from trix.indexer.store.attributes import Columns, block_attributes, split_by_document
from trix.indexer.store.elements import Block, Elements
from trix.indexer.store.live import LiveSegment, live_segments
from trix.indexer.store.numbering import Numbering
from trix.indexer.store.segment import Segment
from trix.indexer.store.strings import ListedStrings
from trix.indexer.store.values import BlockValues
from trix.indexer.words.sentences import COLUMNS as SENTENCES
from trix.indexer.words.sentences import SECTION, DocumentSentences, split_sentences
from trix.indexer.write.chunk import Chunk, DocumentEntry, SourceEntry
from trix.indexer.write.from_sources import ReadingSettings
from trix.indexer.write.inverted.lists import PartKeys, SegmentLists
from trix.indexer.write.segment_writer import SegmentWriter
from trix.indexer.write.sets import sets_of_segment
from trix.support.arrays import Ints


def merged_segment(
    segments: Sequence[tuple[Segment, BitMap]], target: Path, scratch: Path, making: ReadingSettings
) -> tuple[str, int, dict[str, int]]:
    """Write what lives of some segments as one segment.

    Parameters
    ----------
    segments
        In order, each with its deleted documents.
    target
        The file to be written.
    scratch
        An empty folder for what is written on the way; it is empty in the end.
    making
        The settings of the index.

    Returns
    -------
    name, size, totals
        Of the new segment.
    """
    writer = SegmentWriter(scratch, making.profile, positions=making.positions, jobs=making.jobs or 1)
    try:
        for live in live_segments(segments):
            _add(writer, live, making)
        name, size = writer.finish(target)
    finally:
        writer.close()
    return name, size, writer.totals


def _add(writer: SegmentWriter, live: LiveSegment, making: ReadingSettings) -> None:
    """Add what lives of a segment."""
    segment, positions = live.segment, making.positions
    fields = SegmentFields(segment, making.profile.fields)
    sources = _Sources(segment)
    keys = PartKeys(b"\n".join(segment.keys.all()))
    links = segment.document_links() if segment.has_links else None
    below = segment.below_rows()
    namespaces = {name: live.set_of("namespaces", name) for name in segment.facts.get("namespaces", ())}
    sets = sets_of_segment(live)
    held = _held(live)
    of_keys = partial(SegmentLists, live, positions=positions)
    of_words, of_titles = (partial(SegmentLists, live, strings=each) for each in held)
    words, titles = (PartKeys(b"\n".join(each[0].table.all())) for each in held)
    for number in range(len(segment.blocks) - 1):
        block = segment.blocks[number]
        linked = next(links) if links is not None else None
        counted = next(below)
        kept, _ = live.documents.kept(np.arange(block.document, segment.blocks[number + 1].document))
        places = np.arange(segment.blocks[number + 1].document - block.document)[kept]
        if places.size:
            chunk = _chunk(segment, number, places, sources)
            if linked is not None:
                chunk.links = [linked[place] for place in places.tolist()]
            chunk.below = _below(counted, segment.below_tags, places)
            if positions:
                each = _sentences(segment, number)
                chunk.sentences = [each[place] for place in places.tolist()]
            said = fields.of(block.document, segment.blocks[number + 1].document)
            chunk.fields = [said[place] for place in places.tolist()]
            chunk.keys, chunk.words, chunk.titles, chunk.in_namespace = keys, words, titles, namespaces
            chunk.sets, chunk.from_segment = sets, True
            writer.add(chunk, of_keys, of_words, of_titles)
            keys = words = titles = PartKeys()  # came with the first chunk; no lists are asked for no keys
            namespaces, sets = dict.fromkeys(namespaces, BitMap()), {}
        segment.release()


def _held(live: LiveSegment) -> list[tuple[ListedStrings, Numbering]]:
    """Return the words and the titles of sections of a segment, each with the numbering of what they are in."""
    return [(live.words, live.documents), (live.titled["sections"].titles, live.elements)]


class _Sources:
    """The sources of a segment, each handed over once, with the first of its documents that lives."""

    def __init__(self, segment: Segment) -> None:
        self.segment, self.last = segment, -1

    def entry(self, number: int) -> tuple[SourceEntry, bytes | None]:
        row = self.segment.source(number)
        copy = self.segment.copy(number)
        offset = None if row.offset < 0 else row.offset
        return SourceEntry(row.path, row.location, row.member or None, offset, row.size, row.crc), copy


def _chunk(segment: Segment, number: int, places: Ints, sources: _Sources) -> Chunk:
    """Return the documents of a block that live, without keys, links and what is below.

    Parameters
    ----------
    segment, number
        The segment, and the number of the block.
    places
        The documents that live, from the first of the block.
    sources
        Of the segment.
    """
    block, following = segment.blocks[number], segment.blocks[number + 1]
    chunk = Chunk()
    documents = places + block.document
    ends = [segment.ends(0)[documents], segment.ends(1)[documents]]
    runs = [
        np.stack([begin[documents], end], axis=1) - first
        for begin, end, first in zip(
            (segment.first_elements, segment.first_contents), ends, (block.element, block.content), strict=True
        )
    ]
    elements, contents = (int((of[:, 1] - of[:, 0]).sum()) for of in runs)
    here = Block(0, 0, 0, block.spans, block.sections, *runs)
    table = Elements([here, Block(elements, contents, places.size, {})])
    chunk.columns = {name: table.column(name) for name in Elements.COLUMNS}
    chunk.steps = segment.steps
    for document, own, held in zip(documents.tolist(), *runs, strict=True):
        source, ordinal = segment.documents[document, 3:5].tolist()
        if source != sources.last:
            entry, data = sources.entry(source)
            chunk.sources.append(entry)
            chunk.copies.append(data)
            sources.last = source
        chunk.documents.append(
            DocumentEntry(  # a source that came with the chunk before has the number -1
                segment.ids[document], segment.titles[document], len(chunk.sources) - 1, ordinal,
                int(own[1] - own[0]), int(held[1] - held[0]), segment.document_length(document),
            )
        )  # fmt: skip
    values, rows = _by_document(segment, number)
    chunk.values = [values[place] for place in places.tolist()]
    _number_attributes(chunk, [rows[place] for place in places.tolist()], segment.attribute_names)
    assert following.document - block.document == len(values) == len(rows)
    return chunk


def _by_document(segment: Segment, number: int) -> tuple[list[dict[str, Ints]], list[Columns]]:
    """Return the streams of compared texts, and the columns of attributes, of each document of a block."""
    block, following = segment.blocks[number], segment.blocks[number + 1]
    own = slice(block.document, following.document)
    firsts, sizes = segment.first_contents[own], (segment.ends(1) - segment.first_contents)[own]
    values: list[dict[str, Ints]] = [{} for _ in range(sizes.size)]
    rows: list[Columns] = [{} for _ in range(sizes.size)]
    if following.content > block.content:
        part = segment.elements.part(number, number + 1)
        part.everything()
        held = np.flatnonzero(sizes).tolist()
        for place, streams in zip(held, BlockValues(segment, number, part).documents(), strict=True):
            values[place] = streams
    if streams := block_attributes(block):
        rows = split_by_document(streams, firsts - block.content, following.content - block.content)
    return values, rows


def _sentences(segment: Segment, number: int) -> list[DocumentSentences]:
    """Return the sentences of each document of a block."""
    block, following = segment.blocks[number], segment.blocks[number + 1]
    firsts = np.append(segment.first_contents[block.document : following.document], following.content)
    of = DocumentSentences(*(block.stream(SECTION, name) for name in SENTENCES))
    return split_sentences(of, firsts - block.content)


def _number_attributes(chunk: Chunk, rows: list[Columns], names: list[str]) -> None:
    """Number the names of attributes in order of the rows that are kept."""
    known: dict[str, int] = {}
    for columns in rows:
        if columns:
            numbers, places = np.unique(columns["name"], return_index=True)
            for number in numbers[np.argsort(places)].tolist():
                known.setdefault(names[number], len(known))
    renumber = np.array([known.get(name, -1) for name in names], np.int64)
    chunk.attributes = [columns and columns | {"name": renumber[columns["name"]]} for columns in rows]
    chunk.attribute_names = list(known)


def _below(rows: Ints, tags: list[str], places: Ints) -> list[Counts]:
    """Return what is below content elements for each document that lives."""
    found: dict[int, Counts] = {place: {} for place in places.tolist()}
    for document, tag, holder, count in rows.tolist():
        if document in found:
            found[document].setdefault(tags[tag], {})[tags[holder]] = count
    return list(found.values())
