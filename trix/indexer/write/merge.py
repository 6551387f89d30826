"""Merge of segments: live documents only, byte-identical to a build from the live documents.

No source is read. A block of an old segment becomes a part of the new one. Memory is bounded by a few blocks and a
range of keys, at any size of the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from pyroaring import BitMap

from trix.indexer.document.record import Counts
from trix.indexer.fields.columns import SegmentFields
from trix.indexer.fields.element_columns import SegmentElementFields
from trix.indexer.store.attributes import Columns, block_attributes, split_by_document
from trix.indexer.store.elements import Block, Elements
from trix.indexer.store.live import LiveSegment, live_segments
from trix.indexer.store.numbering import LiveNumbering
from trix.indexer.store.segment import Segment
from trix.indexer.store.strings import ListedStrings
from trix.indexer.store.values import BlockValues
from trix.indexer.words.sentences import COLUMNS as SENTENCES
from trix.indexer.words.sentences import SECTION, DocumentSentences, split_sentences
from trix.indexer.write.batch import DocumentBatch, DocumentEntry, SegmentPart, SourceEntry
from trix.indexer.write.from_sources import ReadingSettings
from trix.indexer.write.inverted.lists import PartKeys, SegmentLists
from trix.indexer.write.segment_writer import SegmentWriter
from trix.indexer.write.sets import sets_of_segment
from trix.support.arrays import Ints


def merged_segment(
    segments: Sequence[tuple[Segment, BitMap]], target: Path, scratch: Path, making: ReadingSettings
) -> tuple[str, int, dict[str, int]]:
    """Merge the live documents of some segments into one.

    Parameters
    ----------
    segments
        Segments in order, each with its deleted documents.
    target
        File to write.
    scratch
        Empty folder for temporary files; empty again at the end.
    making
        Settings of the index.

    Returns
    -------
    name, size, totals
        Of the new segment.
    """
    writer = SegmentWriter(scratch, making.profile, positions=making.positions, jobs=making.jobs or 1)
    try:
        # Segments are numbered one after another, so the order of documents is kept.
        for live in live_segments(segments):
            _add(writer, live, making)
        name, size = writer.finish(target)
    finally:
        writer.close()
    return name, size, writer.totals


def _add(writer: SegmentWriter, live: LiveSegment, making: ReadingSettings) -> None:
    """Append the live documents of a segment.

    Keys and sets of the whole segment come with its first part. Later parts have none, so their lists are never read.
    """
    lists = _word_lists(live)
    of_keys = partial(SegmentLists, live, positions=making.positions)
    of_words, of_titles = (partial(SegmentLists, live, strings=each) for each in lists)
    # Keys of deleted documents are included; keys without postings are dropped when lists are written.
    keys = PartKeys(b"\n".join(live.segment.keys.all()))
    words, titles = (PartKeys(b"\n".join(each[0].table.all())) for each in lists)
    sets = sets_of_segment(live)
    for batch in _batches(live, making):
        writer.add(SegmentPart(batch, sets, (keys, of_keys), (words, of_words), (titles, of_titles)))
        # Only the first part brings lists: a segment has them for all its documents.
        keys = words = titles = PartKeys()
        sets = {}


def _word_lists(live: LiveSegment) -> list[tuple[ListedStrings, LiveNumbering]]:
    """Return the words and section titles of a segment, each with the numbering of their list entries."""
    return [(live.words, live.documents), (live.titled["sections"].titles, live.elements)]


def _batches(live: LiveSegment, making: ReadingSettings) -> Iterator[DocumentBatch]:
    """Yield the live documents of a segment by block; blocks without live documents yield nothing."""
    segment = live.segment
    fields, element_fields = SegmentFields(segment, making.profile.fields), SegmentElementFields(segment)
    links = segment.document_links() if segment.has_links else None
    below = segment.below_rows()
    sources = _SourceIterator(segment)
    for number in range(len(segment.blocks) - 1):
        begin, end = segment.blocks[number].document, segment.blocks[number + 1].document
        linked = None if links is None else next(links)
        counted = next(below)
        # Iterators over blocks advance even if no document of the block is live.
        kept, _ = live.documents.kept(np.arange(begin, end))
        places = np.arange(end - begin)[kept].tolist()
        # A block without live documents adds nothing, but the readers of links and counts have moved on.
        if places:
            elements, contents, columns = _columns(segment, number, np.array(places))
            entries, copies, rows = sources.of(begin + place for place in places)
            documents = [
                DocumentEntry(
                    segment.ids[document], segment.titles[document], source, ordinal, of_elements, of_contents,
                    segment.document_length(document),
                )
                for (document, source, ordinal), of_elements, of_contents in zip(rows, elements, contents, strict=True)
            ]  # fmt: skip
            # Streams of the whole block; deleted documents are left out by index.
            values, attributes = _by_document(segment, number)
            numbered, names = _numbered([attributes[place] for place in places], segment.attribute_names)
            of_documents = fields.of(begin, end)
            sentences = _sentences(segment, number) if making.positions else None
            yield DocumentBatch(
                entries,
                copies,
                documents,
                columns,
                segment.steps,
                [values[place] for place in places],
                numbered,
                names,
                _below(counted, segment.below_tags, places),
                [of_documents[place] for place in places],
                element_fields.of(begin + place for place in places),
                None if linked is None else [linked[place] for place in places],
                None if sentences is None else [sentences[place] for place in places],
                None if segment.places is None else [segment.places.of(begin + place) for place in places],
            )
        segment.release()


class _SourceIterator:
    """Sources of a segment; each is returned once, with the first of its live documents."""

    def __init__(self, segment: Segment) -> None:
        self._segment, self._last = segment, -1

    def of(self, documents: Iterable[int]) -> tuple[list[SourceEntry], list[bytes | None], list[tuple[int, int, int]]]:
        """Return the next sources and their copies; for each document its number, source and ordinal.

        The source is an index into the returned ones, or -1 for the last one returned before.
        """
        entries, copies, rows = list[SourceEntry](), list[bytes | None](), list[tuple[int, int, int]]()
        for document in documents:
            source, ordinal = self._segment.documents[document, 3:5].tolist()
            # Documents of one source are neighbours, so comparing with the last one finds each source once.
            if source != self._last:
                self._last = source
                row = self._segment.source(source)
                offset = None if row.offset < 0 else row.offset
                entries.append(SourceEntry(row.path, row.location, row.member or None, offset, row.size, row.crc))
                copies.append(self._segment.copy(source))
            rows.append((document, len(entries) - 1, ordinal))
        return entries, copies, rows


def _columns(segment: Segment, number: int, places: Ints) -> tuple[list[int], list[int], dict[str, Ints]]:
    """Return the number of elements and content elements of each document, and their columns.

    Parameters
    ----------
    segment, number
        Segment, and number of the block.
    places
        Live documents, counted from the first of the block.
    """
    block = segment.blocks[number]
    documents = places + block.document
    elements, contents = (
        np.stack([begins[documents], segment.ends(kind)[documents]], axis=1) - first
        for kind, (begins, first) in enumerate(
            ((segment.first_elements, block.element), (segment.first_contents, block.content))
        )
    )
    # Ranges of elements and content elements per live document, relative to the block.
    sizes = [of[:, 1] - of[:, 0] for of in (elements, contents)]
    # A table of one block with the runs of live documents: reading its columns drops the others.
    here = Block(0, 0, 0, block.spans, block.sections, elements, contents)
    table = Elements([here, Block(int(sizes[0].sum()), int(sizes[1].sum()), places.size, {})])
    columns = {name: table.column(name) for name in Elements.COLUMNS}
    return sizes[0].tolist(), sizes[1].tolist(), columns


def _by_document(segment: Segment, number: int) -> tuple[list[dict[str, Ints]], list[Columns]]:
    """Return the streams of compared texts and the attribute columns of each document in a block."""
    block, following = segment.blocks[number], segment.blocks[number + 1]
    own = slice(block.document, following.document)
    firsts, sizes = segment.first_contents[own], (segment.ends(1) - segment.first_contents)[own]
    values: list[dict[str, Ints]] = [{} for _ in range(sizes.size)]
    rows: list[Columns] = [{} for _ in range(sizes.size)]
    if following.content > block.content:
        part = segment.elements.part(number, number + 1)
        part.everything()
        filled = np.flatnonzero(sizes).tolist()
        for place, streams in zip(filled, BlockValues(segment, number, part).documents(), strict=True):
            values[place] = streams
    if streams := block_attributes(block):
        rows = split_by_document(streams, firsts - block.content, following.content - block.content)
    return values, rows


def _sentences(segment: Segment, number: int) -> list[DocumentSentences]:
    """Return the sentences of each document in a block."""
    block, following = segment.blocks[number], segment.blocks[number + 1]
    firsts = np.append(segment.first_contents[block.document : following.document], following.content)
    of = DocumentSentences(*(block.stream(SECTION, name) for name in SENTENCES))
    return split_sentences(of, firsts - block.content)


def _numbered(rows: list[Columns], names: list[str]) -> tuple[list[Columns], list[str]]:
    """Renumber the names of attributes by first occurrence; also return these names."""
    known: dict[str, int] = {}
    for columns in rows:
        if columns:
            numbers, places = np.unique(columns["name"], return_index=True)
            # By first occurrence among live documents: the numbers of a fresh build.
            for number in numbers[np.argsort(places)].tolist():
                known.setdefault(names[number], len(known))
    renumber = np.array([known.get(name, -1) for name in names], np.int64)
    return [columns and columns | {"name": renumber[columns["name"]]} for columns in rows], list(known)


def _below(rows: Ints, tags: list[str], places: list[int]) -> list[Counts]:
    """Count the elements below content elements of each live document, by tag and by tag of the content element."""
    found: dict[int, Counts] = {place: {} for place in places}
    for document, tag, holder, count in rows.tolist():
        if document in found:
            found[document].setdefault(tags[tag], {})[tags[holder]] = count
    return list(found.values())
