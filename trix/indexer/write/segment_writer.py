"""Segment writer: from parts to the file of a segment, in memory bounded by a part and a range of keys.

Documents arrive in order, in parts of any size. Blocks of the element table are cut by the documents alone. The bytes
of a segment therefore depend on its documents only, not on their origin: sources, any number of workers, or older
segments. Posting lists are written once all keys are known (see `inverted`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from pyroaring import BitMap

from trix.errors import IndexError_
from trix.indexer.commit.sections import SectionWriter
from trix.indexer.document.record import Counts, step_tag
from trix.indexer.fields.columns import SECTION, ColumnsWriter
from trix.indexer.fields.element_columns import SECTION as ELEMENT_FIELDS
from trix.indexer.fields.element_columns import ElementFieldWriter
from trix.indexer.places.rows import SECTION as PLACES
from trix.indexer.places.rows import DocumentMilestones, encode_places
from trix.indexer.profile.profile import Profile
from trix.indexer.store.attributes import Columns, gather_attributes
from trix.indexer.store.elements import BLOCK_ELEMENTS, Block, Elements, narrow, pack, unpack
from trix.indexer.store.links import DocumentLinks, decode_links, encode_links, resolve_links
from trix.indexer.store.strings import encode_strings, encode_widths, write_listed
from trix.indexer.store.values import VALUES, gather_values
from trix.indexer.store.words import other_spellings
from trix.indexer.words.sentences import SECTION as SENTENCES
from trix.indexer.words.sentences import DocumentSentences, encode_sentences
from trix.indexer.words.spelling import ACCENTS
from trix.indexer.write.batch import DocumentBatch, DocumentEntry, SegmentPart, SourceEntry
from trix.indexer.write.inverted.writer import KeyRanking, Parts, write_lists
from trix.indexer.write.sets import KINDS, NAMESPACES, Sets
from trix.indexer.write.stored_documents import StoredDocuments
from trix.indexer.write.titles import write_titles
from trix.support.arrays import Ints

LARGEST = np.iinfo(np.int32).max
"""Largest number of elements in a segment."""


@dataclass(frozen=True)
class _BlockShare:
    """Documents waiting for their block to fill up, with their share of its columns (see `DocumentBatch`)."""

    documents: Sequence[DocumentEntry]
    columns: Mapping[str, Ints]
    values: Sequence[Mapping[str, Ints]]
    attributes: Sequence[Columns]
    below: Sequence[Counts]
    links: Sequence[DocumentLinks] | None
    sentences: Sequence[DocumentSentences] | None
    places: Sequence[DocumentMilestones] | None

    @classmethod
    def of(cls, batch: DocumentBatch, documents: slice, elements: slice, contents: slice) -> _BlockShare:
        """Cut a range of documents from a batch."""
        return cls(
            batch.documents[documents],
            {
                name: batch.columns[name][contents if name in Elements.OF_CONTENT else elements]
                for name in Elements.COLUMNS
            },
            batch.values[documents],
            batch.attributes[documents],
            batch.below[documents],
            None if batch.links is None else batch.links[documents],
            None if batch.sentences is None else batch.sentences[documents],
            None if batch.places is None else batch.places[documents],
        )

    @property
    def elements(self) -> int:
        """Number of elements."""
        return self.columns["depth"].size


class SegmentWriter:
    """Writes a segment.

    Parameters
    ----------
    folder
        Folder for temporary files of sections.
    profile
        Profile with namespaces and fields.
    positions
        As in `BatchBuilder`.
    jobs
        Threads that encode posting lists and compress copies.
    """

    def __init__(self, folder: Path, profile: Profile, *, positions: bool, jobs: int = 1) -> None:
        self.jobs, self.positions = jobs, positions
        self.sections = SectionWriter(folder)
        self.steps: dict[str, int] = {}
        self.blocks: list[Block] = []
        self.totals = dict.fromkeys(("documents", "elements", "content_elements", "keys", "postings", "tokens"), 0)
        self.totals["xml_bytes"] = 0
        self._open: list[_BlockShare] = []
        self._written = (0, 0, 0)
        self._documents: list[tuple[int, int, int, int, int]] = []
        self._ids: dict[str, int] = {}
        self._titles: list[str] = []
        self.sources: list[SourceEntry] = []
        self._fields, self._element_fields = ColumnsWriter(profile.fields), ElementFieldWriter()
        self._copies = StoredDocuments(self.sections, jobs)
        self._tags: dict[str, list[BitMap]] = {}
        self._sets: dict[str, dict[str, list[BitMap]]] = {kind: {} for kind in KINDS}
        self._sets[NAMESPACES] = {each: [] for each in sorted(profile.known_namespaces)}
        self._attribute_names: dict[str, int] = {}
        self._below_tags: dict[str, int] = {}
        self._links: list[dict[str, tuple[bytes, str]]] = []
        self._deepest = 0
        self._parts: Parts = []
        self._word_parts: Parts = []
        self._title_parts: Parts = []

    def close(self) -> None:
        """Close open files after a failed build."""
        self._copies.close()
        self.sections.close()

    def add(self, part: SegmentPart) -> None:
        """Append the next part."""
        # Totals so far are the first numbers of this part.
        first_element, first_content = self.totals["elements"], self.totals["content_elements"]
        self._parts.append(part.keys)
        self._word_parts.append(part.words)
        self._title_parts.append(part.titles)
        self._add_sets(part.sets)
        batch = self._numbered(part.batch)
        self._add_tags(batch.columns["step"], first_element)
        self._add_documents(batch, first_element, first_content)
        self._fields.add(batch.fields)
        self._add_element_fields(batch, first_element)
        for number, (entry, data) in enumerate(zip(batch.sources, batch.copies, strict=True)):
            if data is not None:
                self._copies.add(len(self.sources) + number, data)
            self.totals["xml_bytes"] += entry.size
        self.sources += batch.sources
        self._add_stretches(batch)
        self._deepest = max(self._deepest, int(batch.columns["depth"].max(initial=0)))
        self.totals["documents"] += len(batch.documents)
        self.totals["elements"] += batch.columns["depth"].size
        self.totals["content_elements"] += batch.columns["tokens"].size
        self.totals["tokens"] += int(batch.columns["tokens"].sum(dtype=np.int64))
        # Columns of the table are int32.
        if self.totals["elements"] > LARGEST:
            raise IndexError_(f"more than {LARGEST} indexed elements; split the collection into several indexes")

    def _add_element_fields(self, batch: DocumentBatch, element: int) -> None:
        for entry, fields in zip(batch.documents, batch.element_fields, strict=True):
            self._element_fields.add(element, fields)
            element += entry.elements

    def _add_sets(self, sets: Sets) -> None:
        for kind, named in sets.items():
            for name, members in named.items():
                self._sets[kind].setdefault(name, []).append(members)

    def _numbered(self, batch: DocumentBatch) -> DocumentBatch:
        """Renumber path steps and attributes of a batch for the segment, by first occurrence."""
        column = batch.columns["step"]
        # First occurrence of each step: assigned backwards, so that the smallest index remains.
        firsts = np.full(len(batch.steps), column.size)
        firsts[column[::-1]] = np.arange(column.size)[::-1]
        steps = np.flatnonzero(firsts < column.size)
        renumber = np.zeros(len(batch.steps), np.int32)
        for step in steps[np.argsort(firsts[steps])].tolist():  # independent of the worker
            renumber[step] = self.steps.setdefault(batch.steps[step], len(self.steps))
        known = self._attribute_names
        numbers = np.array([known.setdefault(name, len(known)) for name in batch.attribute_names], np.int64)
        attributes = [rows and {**rows, "name": numbers[rows["name"]]} for rows in batch.attributes]
        return replace(batch, columns={**batch.columns, "step": renumber[column]}, attributes=attributes)

    def _add_documents(self, batch: DocumentBatch, element: int, content: int) -> None:
        for entry in batch.documents:
            # Workers cannot see ids of other batches, so they are compared here.
            if entry.id in self._ids:
                there = [*self.sources, *batch.sources]
                where = there[self._documents[self._ids[entry.id]][3]].path
                here = batch.sources[entry.source].path
                raise IndexError_(f"two documents have the id {entry.id!r}: {where} and {here}; ids must be unique")
            self._ids[entry.id] = len(self._ids)
            self._titles.append(entry.title)
            source = len(self.sources) + entry.source
            self._documents.append((element, content, entry.length, source, entry.ordinal))
            element += entry.elements
            content += entry.contents

    # -- blocks -----------------------------------------------------------------------------------------------------

    def _add_stretches(self, batch: DocumentBatch) -> None:
        """Append the documents of a batch to the waiting ones, and write each full block."""
        waiting = sum(stretch.elements for stretch in self._open)
        first = element = content = 0
        last = end = 0
        for number, entry in enumerate(batch.documents, 1):
            last += entry.elements
            end += entry.contents
            # Cut where the waiting documents reach the size of a block, and at the end of the batch.
            if waiting + last - element >= BLOCK_ELEMENTS or number == len(batch.documents):
                self._open.append(
                    _BlockShare.of(batch, slice(first, number), slice(element, last), slice(content, end))
                )
                if waiting + last - element >= BLOCK_ELEMENTS:
                    self._write_block()
                    waiting = 0
                first, element, content = number, last, end

    def _write_block(self) -> None:
        stretches, self._open = self._open, []
        spans: dict[str, tuple[int, int, str]] = {}

        def write(section: str, streams: Mapping[str, Ints]) -> dict[str, tuple[bytes, str]]:
            file = self.sections.file(section)
            packed = {name: pack(stream) for name, stream in streams.items()}
            for name, (data, dtype) in packed.items():
                at = file.tell()
                file.write(data)
                spans[name] = (at, at + len(data), dtype)
            return packed

        # Start offsets grow within a document: their differences are small.
        for name in Elements.COLUMNS:
            values = np.concatenate([stretch.columns[name] for stretch in stretches])
            write(f"elements.{name}", {name: np.diff(values, prepend=0) if name == "start" else values})
        write(VALUES, gather_values([of for stretch in stretches for of in stretch.values]))
        contents = [entry.contents for stretch in stretches for entry in stretch.documents]
        write(VALUES, gather_attributes([of for stretch in stretches for of in stretch.attributes], contents))
        write("below", {"below": self._below([of for stretch in stretches for of in stretch.below])})
        if stretches[0].links is not None:
            links = encode_links([of for stretch in stretches for of in stretch.links or ()])
            self._links.append(write("links.names", links))
        if stretches[0].sentences is not None:
            write(SENTENCES, encode_sentences([of for stretch in stretches for of in stretch.sentences or ()]))
        if stretches[0].places is not None:
            write(PLACES, encode_places([of for stretch in stretches for of in stretch.places or ()]))
        element, content, document = self._written
        self.blocks.append(Block(element, content, document, spans))
        self._written = (
            element + sum(stretch.elements for stretch in stretches),
            content + sum(contents),
            document + len(contents),
        )

    def _below(self, documents: list[Counts]) -> Ints:
        rows, known = list[tuple[int, int, int, int]](), self._below_tags
        for number, counts in enumerate(documents):
            for tag, holders in sorted(counts.items()):
                for holder, count in sorted(holders.items()):
                    tag_number = known.setdefault(tag, len(known))
                    rows.append((number, tag_number, known.setdefault(holder, len(known)), count))
        return np.array(rows, np.int64).reshape(-1, 4).T.reshape(-1)

    def _add_tags(self, steps: Ints, first_element: int) -> None:
        if not steps.size:
            return
        order = np.argsort(narrow(steps), kind="stable")  # 16-bit numbers sort ten times faster
        sizes = np.bincount(steps)
        # One pass groups the elements by path step; several steps may have the same tag.
        numbers = np.flatnonzero(sizes)
        names = list(self.steps)
        for number, members in zip(numbers.tolist(), np.split(order, np.cumsum(sizes[numbers])[:-1]), strict=True):
            tag = step_tag(names[number])
            self._tags.setdefault(tag, []).append(BitMap((members + first_element).astype(np.uint32)))

    # -- after the last part -------------------------------------------------------------------------------------------

    def finish(self, target: Path) -> tuple[str, int]:
        """Write the segment into a durable file; return its name and the bytes of the file."""
        n = self.totals
        if self._open:
            self._write_block()
        self.blocks.append(Block(n["elements"], n["content_elements"], n["documents"], {}))
        # Empty sections exist too, so that readers need no special case.
        for name in ("tags", VALUES, "below", *(f"elements.{name}" for name in Elements.COLUMNS)):
            self.sections.file(name)
        self._write_lists()
        self._write_tables()
        links = self._write_links()
        self._copies.finish(len(self.sources))
        sets = self._write_sets()
        facts = {
            "steps": list(self.steps),
            "blocks": [[b.element, b.content, b.document, b.spans] for b in self.blocks],
            "totals": self.totals,
            "positions": self.positions,
            "deepest": self._deepest,
            "tags": sets["tags"],
            "attributes": list(self._attribute_names),
            "below_tags": list(self._below_tags),
            **links,
            **({SECTION: self._fields.write(self.sections.file(SECTION))} if self._fields else {}),
            **(
                {ELEMENT_FIELDS: self._element_fields.write(self.sections.file(ELEMENT_FIELDS))}
                if self._element_fields
                else {}
            ),
            **{kind: sets[kind] for kind in KINDS if sets[kind]},
        }
        return self.sections.seal(target, facts)

    def _write_links(self) -> dict[str, Any]:
        """Resolve and write the links within this segment, which suffices if it is the whole index."""
        if not self._links:
            return {}

        def blocks() -> Iterator[list[DocumentLinks]]:
            for packed in self._links:
                yield decode_links({name: unpack(*of) for name, of in packed.items()})

        paths = [self.sources[document[3]].path for document in self._documents]
        first = np.array([document[0] for document in self._documents], np.int64)
        pairs, lost = resolve_links(blocks, [*self._ids], paths, first, self.totals["elements"])
        file = self.sections.file("links")
        spans = []
        # Sources ascend, and targets are often near: both are stored as differences.
        for column in (np.diff(pairs[:, 0], prepend=0), pairs[:, 1] - pairs[:, 0]):
            data, dtype = pack(column)
            spans.append([file.tell(), file.tell() + len(data), dtype])
            file.write(data)
        return {"links": {"count": len(pairs), "open": lost, "spans": spans}}

    def _write_sets(self) -> dict[str, dict[str, list[int]]]:
        """Write the sets of elements, tags first; return the range and size of each."""
        spans: dict[str, dict[str, list[int]]] = {}
        file = self.sections.file("tags")
        for kind, named in {"tags": self._tags, **self._sets}.items():
            spans[kind] = {}
            for name in sorted(name for name in named if kind == NAMESPACES or any(named[name])):
                bitmap = BitMap.union(BitMap(), *named[name])
                # Neighbouring elements often share a language or namespace: runs are shorter than bitmaps.
                bitmap.run_optimize()
                data, _ = pack(np.frombuffer(bitmap.serialize(), np.uint8))
                spans[kind][name] = [file.tell(), file.tell() + len(data), len(bitmap)]
                file.write(data)
        return spans

    def _strings(self, name: str, strings: list[str]) -> None:
        data, ends = encode_strings(strings)
        self.sections.file(name).write(data)
        self.sections.file(f"{name}.widths").write(encode_widths(np.diff(ends, prepend=0)))

    def _write_tables(self) -> None:
        ids = list(self._ids)
        # Ids sorted by bytes, for look-ups by binary search.
        order = sorted(range(len(ids)), key=lambda i: ids[i].encode("utf-8", "surrogateescape"))
        self._strings("documents.id", ids)
        self._strings("documents.title", self._titles)
        self.sections.array("documents.by_id", np.array(order, np.int64))
        self.sections.array("documents", np.array(self._documents, np.int64).reshape(-1, 5))
        for name in ("path", "location", "member"):
            self._strings(f"sources.{name}", [getattr(source, name) or "" for source in self.sources])
        rows = [[s.size, s.crc, -1 if s.offset is None else s.offset] for s in self.sources]
        self.sections.array("sources", np.array(rows, np.int64).reshape(-1, 3))

    # -- the inverted file ------------------------------------------------------------------------------------------

    def _write_lists(self) -> None:
        """Write keys with their postings, and words with their documents."""
        names = ("postings", "positions") if self.positions else ("postings",)
        ranking = KeyRanking()
        firsts = [document[1] for document in self._documents]
        # Document of each content element, for the lists by document.
        sizes = np.diff(firsts, append=self.totals["content_elements"])
        document_of = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
        keys, postings = write_lists(self.sections, self._parts, names, self.jobs, ranking, document_of)
        self.totals["keys"], self.totals["postings"] = len(keys), postings
        self._strings("keys", keys)
        words, _ = write_lists(self.sections, self._word_parts, ("words.documents",), self.jobs, ranking)
        if words != keys:  # as they are where nothing is stemmed
            self._strings("words", words)
        for accents in ACCENTS:
            write_listed(self.sections, f"words.{accents}", other_spellings(words, accents))
        write_titles(self.sections, self._titles, self._title_parts, self.jobs)
