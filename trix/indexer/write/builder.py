"""Batch builder: from consecutive sources to a batch of documents, in one worker.

Batches are cut by the sizes of sources alone, so the index does not depend on the workers.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from trix.errors import SourceError
from trix.indexer.collection.find import Source, document_id
from trix.indexer.collection.source import MemorySource
from trix.indexer.document.limits import DEFAULTS, DocumentLimits
from trix.indexer.document.mend import mended
from trix.indexer.document.parse import documents, parse
from trix.indexer.document.record import JOIN, DocumentRecord, Steps, key_text
from trix.indexer.document.tree import LazyTree, TreeMaker, source_markup
from trix.indexer.fields.reading import DocumentFields
from trix.indexer.languages.chains import Chains, LanguageKeys, with_switches
from trix.indexer.languages.codes import language_of
from trix.indexer.languages.labels import ElementLanguages
from trix.indexer.markup.reader import reader_for
from trix.indexer.places.find import MilestoneReader
from trix.indexer.places.rows import DocumentMilestones
from trix.indexer.profile.profile import Profile
from trix.indexer.read.element_text import ElementText
from trix.indexer.read.headings import TOO_LONG
from trix.indexer.store.links import DocumentLinks
from trix.indexer.words.analyzer import KeyTable
from trix.indexer.words.interner import Text, text_string
from trix.indexer.words.sentences import DocumentSentences, counted, mark_sentences
from trix.indexer.write.batch import DocumentBatch, DocumentEntry, SourceEntry
from trix.indexer.write.columns import compared_columns, element_columns
from trix.indexer.write.inverted.postings import Postings, SortedVocabulary, invert, listed
from trix.indexer.write.links import document_links
from trix.indexer.write.metadata import MetadataReader
from trix.indexer.write.remarks import Mended, Remarks, mended_of
from trix.indexer.write.sets import Sets, sets_of_records
from trix.indexer.write.titles import TitleReader, Titles
from trix.support.arrays import Ints

_REMEMBERED_TOKENS = 500_000
"""Raw tokens that a worker caches before it starts afresh, which bounds its memory."""


class BatchPostings(NamedTuple):
    """Posting lists of a batch in memory; their numbers count from 0 in the batch.

    Attributes
    ----------
    keys
        Content elements of each key.
    words
        Documents of each folded word, before stemming, that has a key.
    titles
        Elements of each section title.
    """

    keys: Postings
    words: Postings
    titles: Postings


class BatchRead(NamedTuple):
    """Output of a worker for consecutive sources.

    Attributes
    ----------
    batch
        Documents.
    sets
        Sets of elements, numbered from 0 in the batch (see `trix.indexer.write.sets`).
    postings
        Posting lists of keys, words and titles.
    skipped
        Sources that could not be read, with the reason.
    notices
        Messages about single sources, one line each.
    remarks
        Statistics for messages about all documents.
    """

    batch: DocumentBatch
    sets: Sets
    postings: BatchPostings
    skipped: list[tuple[Source, str]]
    notices: list[str]
    remarks: Remarks


@dataclass(frozen=True)
class _SourceRead:
    """Documents of one source; the elements of `titles` count from its first."""

    entry: SourceEntry
    copy: bytes | None
    documents: list[DocumentEntry]
    records: list[DocumentRecord]
    fields: list[DocumentFields]
    links: list[DocumentLinks]
    places: list[DocumentMilestones]
    titles: Titles
    elements: int
    cut: list[tuple[str, str]]


class BatchBuilder:
    """Builds batches; caches keys of words across batches.

    Parameters
    ----------
    profile, chains
        Profile and analyzers of the index.
    positions
        Also record the positions of keys and the starts of sentences.
    store
        Also keep the bytes of sources.
    strict
        Raise at the first unreadable source instead of skipping it.
    limits
        Size limits of a document.
    recover
        Repair files that are not well-formed (see `trix.indexer.document.mend`).
    """

    def __init__(
        self,
        profile: Profile,
        chains: Chains,
        *,
        positions: bool = False,
        store: bool = False,
        strict: bool = False,
        limits: DocumentLimits = DEFAULTS,
        recover: bool = False,
    ) -> None:
        self.recover = recover
        self.profile, self.chains, self.limits = profile, chains, limits
        self.positions, self.store, self.strict = positions, store, strict
        self._shown = ElementText(profile)
        self._make_tree, self._metadata = TreeMaker(), MetadataReader(profile, self._shown)
        self._places = MilestoneReader(profile)
        self._language_field = [*profile.fields].index("language") if "language" in profile.fields else -1
        self._titles = TitleReader(profile, partial(self._shown, enough=TOO_LONG))
        self.begin_anew()
        # Load the kernels before worker processes are forked, so that they share the pages.
        mark_sentences("", self.chains.main.join)
        nothing = np.zeros(0, np.int32)
        invert(nothing, np.zeros(0, np.int64), SortedVocabulary([]).order_of(nothing))

    @property
    def xml_bytes(self) -> int:
        """Bytes of the documents in the current batch."""
        return self._xml_bytes

    def begin_anew(self) -> None:
        """Start a batch with empty caches: an out-of-memory error may have left them inconsistent."""
        self._steps = Steps()
        self._reader = reader_for(self.profile, self._steps, links=True)
        self._make_tree.release()
        self._new_keys()
        self.begin()

    def begin(self) -> None:
        """Start a batch."""
        # Forgetting tokens only costs time: keys are numbered again.
        if len(self._keys) > _REMEMBERED_TOKENS:
            self._new_keys()
        self._sources: list[_SourceRead] = []
        self._skipped: list[tuple[Source, str]] = []
        self._notices: list[str] = []
        self._mended: dict[str, Mended] = {}
        self._malformed = self._xml_bytes = 0

    def add(self, source: Source, data: bytes | SourceError) -> None:
        """Add the documents of a source: all of them, or none if memory runs out.

        Raises
        ------
        SourceError
            In strict mode, if the source cannot be read.
        """
        try:
            if isinstance(data, SourceError):
                raise data
            # Before a tree is built, which may not fit into memory.
            self.limits.check(data, source.path)
            self._read_file(source, data)
        except SourceError as error:
            self.skip(source, error)
        finally:
            self._make_tree.release()
            self._reader.release()

    def skip(self, source: Source, error: SourceError) -> None:
        """Record a source that cannot be read; raise in strict mode."""
        if self.strict:
            raise error
        line = f"line {error.line}: " if error.line else ""
        self._skipped.append((source, f"{line}{error.reason}"))
        self._malformed += bool(error.line) and not self.recover

    def finish(self) -> BatchRead:
        """Return the batch and start another one."""
        sources = self._sources
        records = [record for each in sources for record in each.records]
        entries = [entry for each in sources for entry in each.documents]
        # Words of all documents in one go, not after each: the word table then stays in the processor's cache.
        sentences: list[DocumentSentences] | None = [] if self.positions else None
        texts = [self._numbered(record, sentences) for record in records]
        columns = element_columns(records)
        values, attributes, attribute_names = compared_columns(records, columns)
        names = tuple(self._steps.names)
        ids = [entry.id for entry in entries]
        remarks = Remarks.of_records(self.profile, names, columns, records, ids, self._mended, self._malformed)
        remarks = remarks.with_cut_dates(cut for each in sources for cut in each.cut)
        columns["tokens"], keys, words = self._invert(texts)
        batch = DocumentBatch(
            [each.entry for each in sources],
            [each.copy for each in sources],
            entries,
            columns,
            names,
            values,
            attributes,
            attribute_names,
            self._reader.count_below(records),
            [fields for each in sources for fields in each.fields],
            [record.element_fields for record in records],
            [links for each in sources for links in each.links] if self.profile.links else None,
            sentences,
            [places for each in sources for places in each.places] if self.profile.milestones else None,
        )
        sets = sets_of_records(records, columns["step"], self._steps.namespaces, self.profile.known_namespaces)
        postings = BatchPostings(keys, words, listed(_titles_of(sources)))
        made = BatchRead(batch, sets, postings, self._skipped, self._notices, remarks)
        self.begin()
        return made

    def _new_keys(self) -> None:
        by_language = self.chains.by_language
        self._keys: KeyTable | LanguageKeys = LanguageKeys(self.chains) if by_language else KeyTable(self.chains.main)
        self._vocabulary, self._words = SortedVocabulary(self._keys.vocabulary), SortedVocabulary(self._keys.words)

    def _numbered(self, record: DocumentRecord, sentences: list[DocumentSentences] | None) -> tuple[Ints, Ints, Ints]:
        """Number the keys of a document, count them per content element, and number its words.

        Its sentences are appended to `sentences`, unless that is None.
        """
        text = record.text
        # One text in several languages needs marks where the analyzer changes.
        if record.languages and record.languages.switches and self.chains.by_language:
            text = with_switches(record.annotated, record.languages.switches)
        if isinstance(text, str) or (text == ord(JOIN)).any():
            text = key_text(text_string(text))
        if sentences is None:
            return self._cut(text, record, np.arange(len(record.content)))
        # Sentences are counted as pieces, then summed per content element.
        marked = mark_sentences(text, self.chains.main.join)
        numbers, counts, words = self._cut(marked.text, record, marked.owner)
        counts, own = counted(marked, counts, len(record.content))
        sentences.append(own)
        return numbers, counts, words

    def _cut(self, text: Text, record: DocumentRecord, owner: Ints) -> tuple[Ints, Ints, Ints]:
        """Number the tokens of pre-split text; `owner[i]` is the content element of piece i."""
        if isinstance(self._keys, KeyTable):
            return self._keys.number_with_words(text)
        if record.languages and record.languages.switches:
            return self._keys.number_with_switches(text, [language for _, language in record.languages.switches])
        each = record.languages.each() if record.languages else [""] * len(record.depth)
        return self._keys.number_with_words(text, [each[place] for place in np.asarray(record.content)[owner].tolist()])

    def _read_file(self, source: Source, data: bytes) -> None:
        whole, mends = mended(data) if self.recover else (data, ())
        # A repaired file may be larger than the original.
        if mends:
            self.limits.check(whole, source.path)
        trees = self._trees_of(whole, source.path)
        records, links, titled = list[DocumentRecord](), list[DocumentLinks](), Titles()
        places = list[DocumentMilestones]()
        cut = list[tuple[str, str]]()
        entries, fields = list[DocumentEntry](), list[DocumentFields]()
        entities = elements = 0
        splits = self.profile.document is not None
        if splits and isinstance(source, MemorySource):
            splits = len(trees) > 1  # a single document keeps its given id
        # Titles, metadata and places read the same document before the reader moves on to the next.
        for ordinal, tree in enumerate(trees):
            record = self._reader.read(tree)
            titles, metadata = self._titles.read(tree, self._reader), self._metadata.read(tree, self._reader)
            places.append(self._places.read(tree, self._reader, record.text))
            entities += record.entities
            if record.anchors is not None:
                links.append(document_links(record.anchors))
                record.anchors = None
            titled += [(title, elements + place) for title, place in titles]
            elements += len(record.depth)
            split = f"#{ordinal + 1}" if splits else ""
            given = source.given + split if isinstance(source, MemorySource) else ""
            # Precedence of ids: given from memory, from the document, from the path.
            entries.append(
                DocumentEntry(
                    given or metadata.id or document_id(source.path) + split,
                    metadata.title,
                    len(self._sources),
                    ordinal,
                    len(record.depth),
                    len(record.content),
                    record.length,
                )
            )
            fields.append(metadata.fields)
            cut += metadata.cut
            if language := self._language(metadata.fields):
                unsaid = ElementLanguages((), np.full(len(record.depth), -1, np.int32))
                record.languages = (record.languages or unsaid).or_else(language)
            records.append(record)
        if not records:
            raise SourceError(f"no {self.profile.document} element in the file", source.path)
        entry = SourceEntry(
            source.path, source.location, source.member, source.offset, len(data), zlib.crc32(data),
            source.mtime_ns, source.stored_size,
        )  # fmt: skip
        # The original bytes are stored, not the repaired ones.
        copy = data if self.store or isinstance(source, MemorySource) else None
        self._sources.append(_SourceRead(entry, copy, entries, records, fields, links, places, titled, elements, cut))
        self._xml_bytes += len(data)
        for kind, found in mended_of(source.path, mends).items():
            self._mended[kind] = self._mended[kind] + found if kind in self._mended else found
        if entities:
            self._notices.append(f"{source.path}: {entities} unresolved entity reference(s) left out")

    def _trees_of(self, data: bytes, path: str) -> Sequence[LazyTree]:
        """Return the trees of the documents in a file."""
        if self.profile.document is None:
            return [self._make_tree(data, path)]
        # Several documents share a tree; raw markup is usable only if the root is the document.
        root = parse(data, path)
        markup = source_markup(data)
        found = documents(root, self.profile)
        return [LazyTree.of(element, markup if element is root else b"") for element in found]

    def _language(self, fields: DocumentFields) -> str:
        """Return the language of a document by the profile's field `language`."""
        place = self._language_field
        return language_of(fields[place][0]) if place >= 0 and fields[place] else ""

    def _invert(self, texts: list[tuple[Ints, Ints, Ints]]) -> tuple[Ints, Postings, Postings]:
        """Count the keys of content elements, and invert keys and words into posting lists."""
        nothing = [np.zeros(0, np.int32)]
        numbers = np.concatenate([*nothing, *(own for own, _, _ in texts)])
        counts = np.concatenate([np.zeros(0, np.int64), *(each for _, each, _ in texts)])
        # Keys are sorted per batch, so that the later merge reads contiguous ranges.
        order = self._vocabulary.order_of(numbers)
        keys = invert(numbers, counts, order, positions=self.positions)
        words = np.concatenate([*nothing, *(own for _, _, own in texts)])
        if self._keys.words != self._keys.vocabulary:  # without stemming, words are keys
            order = self._words.order_of(words)
        of_words = invert(words, np.array([own.size for _, _, own in texts], np.int64), order)
        of_words.tf[:] = 1
        return counts.astype(np.int32), keys, of_words


def _titles_of(sources: Sequence[_SourceRead]) -> Iterator[tuple[str, int]]:
    """Yield section titles with their elements, numbered from 0 in the batch."""
    first = 0
    for source in sources:
        yield from ((title, first + place) for title, place in source.titles)
        first += source.elements
