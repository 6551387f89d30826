"""A worker's part of a build: some consecutive sources in, one chunk of index out.

Chunks are cut by the sizes of the sources alone, so the index does not depend on who built which.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from trix.errors import SourceError
from trix.indexer.collection.find import Source, document_id
from trix.indexer.collection.source import MemorySource
from trix.indexer.document.below import Counts
from trix.indexer.document.limits import DEFAULTS, Limits
from trix.indexer.document.parse import documents, parse
from trix.indexer.document.record import JOIN, DocumentRecord, Steps, key_text
from trix.indexer.document.tree import Tree, TreeMaker, source_markup
from trix.indexer.fields.reading import DocumentFields
from trix.indexer.languages.chains import Chains, LanguageKeys, with_switches
from trix.indexer.languages.codes import language_of
from trix.indexer.languages.labels import Languages
from trix.indexer.markup.reader import reader_for
from trix.indexer.profile.profile import Profile
from trix.indexer.read.element_text import ElementText
from trix.indexer.read.headings import TOO_LONG
from trix.indexer.store.attributes import Columns, attribute_columns
from trix.indexer.store.links import DocumentLinks
from trix.indexer.words.analyzer import KeyTable
from trix.indexer.words.interner import Text, text_string
from trix.indexer.words.sentences import DocumentSentences, counted, mark_sentences
from trix.indexer.write.inverted.lists import PartKeys
from trix.indexer.write.inverted.postings import Postings, Vocabulary, invert, listed
from trix.indexer.write.links import document_links
from trix.indexer.write.remarks import Remarks
from trix.indexer.write.sets import Sets, sets_of_records
from trix.indexer.write.titles import TitleReader
from trix.indexer.write.told import SaidReader
from trix.indexer.write.values import encode_values
from trix.support.arrays import Ints

_REMEMBERED_TOKENS = 500_000
"""Raw tokens a worker remembers before it begins anew, which bounds its memory."""


@dataclass
class DocumentEntry:
    """A row of the document table."""

    id: str
    title: str
    source: int
    """Number of its file among the sources of the chunk, from 0."""
    ordinal: int
    """Place among the documents of its file, from 0."""
    elements: int
    contents: int
    length: int


@dataclass
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


@dataclass
class Chunk:
    """What a worker made of its sources; arrays of all documents one behind the other."""

    documents: list[DocumentEntry] = field(default_factory=list)
    columns: dict[str, Ints] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    namespaces: list[str] = field(default_factory=list)
    """Of each step; see `Steps`."""
    in_namespace: dict[str, BitMap] = field(default_factory=dict)
    """Of a chunk made from a segment: the elements of each declared namespace, in numbers of the new segment."""
    sets: Sets = field(default_factory=dict)
    """See `trix.indexer.write.sets`; elements from 0 in the chunk, of a chunk made from a segment as above."""
    from_segment: bool = False
    keys: PartKeys = field(default_factory=PartKeys)
    """In order of the posting lists."""
    postings: Postings = field(default_factory=Postings)
    """Of content elements from 0 in the chunk."""
    sentences: list[DocumentSentences] | None = None
    """For each document, where positions are kept."""
    words: PartKeys = field(default_factory=PartKeys)
    """The words that have a key, folded, before stemming, the same way."""
    word_postings: Postings = field(default_factory=Postings)
    """Of documents from 0 in the chunk."""
    titles: PartKeys = field(default_factory=PartKeys)
    """The titles of sections, the same way."""
    title_postings: Postings = field(default_factory=Postings)
    """Of elements from 0 in the chunk."""
    sources: list[SourceEntry] = field(default_factory=list)
    copies: list[bytes | None] = field(default_factory=list)
    """Of each source its bytes, where they are to be stored."""
    values: list[dict[str, Ints]] = field(default_factory=list)
    """For each document the streams of `trix.indexer.store.values`."""
    attributes: list[Columns] = field(default_factory=list)
    """For each document its indexed attributes and compared elements, see `trix.indexer.store.attributes`."""
    attribute_names: list[str] = field(default_factory=list)
    """By the numbers in these columns, in order of their first rows."""
    below: list[Counts] = field(default_factory=list)
    """For each document the elements below content elements, counted."""
    links: list[DocumentLinks] | None = None
    """For each document its links, where the profile names any."""
    fields: list[DocumentFields] = field(default_factory=list)
    """For each document the values of the profile's fields."""
    tokens: int = 0
    xml_bytes: int = 0
    roots: dict[str, int] = field(default_factory=dict)
    skipped: list[tuple[Source, str]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    remarks: Remarks = field(default_factory=Remarks)


class ChunkBuilder:
    """Builds chunks; keeps what it learned about words from one chunk to the next.

    Parameters
    ----------
    profile, chains
        As the index has them.
    positions
        Also note the ordinals of the keys in their content elements, and where sentences begin.
    store
        Also keep the texts.
    strict
        Raise at the first source that cannot be read instead of skipping it.
    limits
        How large a document may be.
    """

    def __init__(
        self,
        profile: Profile,
        chains: Chains,
        *,
        positions: bool = False,
        store: bool = False,
        strict: bool = False,
        limits: Limits = DEFAULTS,
    ) -> None:
        self.profile, self.chains, self.limits = profile, chains, limits
        self.positions, self.store, self.strict = positions, store, strict
        self._shown = ElementText(profile)
        self._make_tree, self._said = TreeMaker(), SaidReader(profile, self._shown)
        self._language_field = [*profile.fields].index("language") if "language" in profile.fields else -1
        self._titles = TitleReader(profile, partial(self._shown, enough=TOO_LONG))
        self.begin_anew()
        # Load the loops here, before worker processes are forked.
        mark_sentences("", self.chains.main.join)
        nothing = np.zeros(0, np.int32)
        invert(nothing, np.zeros(0, np.int64), Vocabulary([]).order_of(nothing))

    @property
    def xml_bytes(self) -> int:
        """Bytes of the documents that were added to the chunk."""
        return self._chunk.xml_bytes

    def begin_anew(self) -> None:
        """Begin a chunk, and forget what was learned before: lack of memory may have left half of something."""
        self._steps = Steps()
        self._reader = reader_for(self.profile, self._steps, links=True)
        self._make_tree.release()
        self._new_keys()
        self.begin()

    def begin(self) -> None:
        """Begin a chunk."""
        if len(self._keys) > _REMEMBERED_TOKENS:
            self._new_keys()
        self._chunk = Chunk()
        self._chunk.links = [] if self.profile.links else None
        self._chunk.sentences = [] if self.positions else None
        self._records: list[DocumentRecord] = []
        self._titled, self._elements = list[tuple[str, int]](), 0

    def add(self, source: Source, data: bytes | SourceError) -> None:
        """Read the documents of a source into the chunk: all of them, or none where memory runs out.

        Raises
        ------
        SourceError
            In strict mode, where it cannot be read.
        """
        try:
            if isinstance(data, SourceError):
                raise data
            self.limits.check(data, source.path)
            self._read_file(source, data)
        except SourceError as error:
            self.skip(source, error)
        finally:
            self._make_tree.release()
            self._reader.release()

    def skip(self, source: Source, error: SourceError) -> None:
        """Note why a source cannot be read, or raise that in strict mode."""
        if self.strict:
            raise error
        line = f"line {error.line}: " if error.line else ""
        self._chunk.skipped.append((source, f"{line}{error.reason}"))

    def finish(self) -> Chunk:
        """Return the chunk, and begin another one."""
        chunk, records = self._chunk, self._records
        # Words in a row, not after each document: what is known of words then stays in the processor's cache.
        texts = [self._numbered(chunk, record) for record in records]
        self._gather_columns(chunk, records)
        chunk.remarks.look(self.profile, self._steps.names, chunk.columns, records, [e.id for e in chunk.documents])
        self._invert(chunk, texts)
        chunk.title_postings = listed(self._titled)
        chunk.sets = sets_of_records(records)
        chunk.below = self._reader.count_below(records)
        chunk.steps, chunk.namespaces = list(self._steps.names), list(self._steps.namespaces)
        self.begin()
        return chunk

    def _new_keys(self) -> None:
        by_language = self.chains.by_language
        self._keys: KeyTable | LanguageKeys = LanguageKeys(self.chains) if by_language else KeyTable(self.chains.main)
        self._vocabulary, self._words = Vocabulary(self._keys.vocabulary), Vocabulary(self._keys.words)

    def _numbered(self, chunk: Chunk, record: DocumentRecord) -> tuple[Ints, Ints, Ints]:
        """Return the numbers of a document's keys, how many each content element has, and its words."""
        text = record.text
        if record.languages and record.languages.switches and self.chains.by_language:
            text = with_switches(record.annotated, record.languages.switches)
        if isinstance(text, str) or (text == ord(JOIN)).any():
            text = key_text(text_string(text))
        if chunk.sentences is None:
            return self._cut(text, record, np.arange(len(record.content)))
        marked = mark_sentences(text, self.chains.main.join)
        numbers, counts, words = self._cut(marked.text, record, marked.owner)
        counts, sentences = counted(marked, counts, len(record.content))
        chunk.sentences.append(sentences)
        return numbers, counts, words

    def _cut(self, text: Text, record: DocumentRecord, owner: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the same of a text in pieces; `owner` are the content elements that they are in."""
        if isinstance(self._keys, KeyTable):
            return self._keys.number_with_words(text)
        if record.languages and record.languages.switches:
            return self._keys.number_with_switches(text, [said for _, said in record.languages.switches])
        each = record.languages.each() if record.languages else [""] * len(record.depth)
        return self._keys.number_with_words(text, [each[place] for place in np.asarray(record.content)[owner].tolist()])

    def _read_file(self, source: Source, data: bytes) -> None:
        chunk, elements = self._chunk, self._elements
        root, trees = self._trees_of(data, source.path)
        records, links, titled = list[DocumentRecord](), list[DocumentLinks](), list[tuple[str, int]]()
        entries, fields = list[DocumentEntry](), list[DocumentFields]()
        entities = 0
        splits = self.profile.document is not None
        if splits and isinstance(source, MemorySource):
            splits = len(trees) > 1  # one alone has the id that it was given
        for ordinal, tree in enumerate(trees):
            record = self._reader.read(tree)
            titles, said = self._titles.read(tree, self._reader), self._said.read(tree, self._reader)
            entities += record.entities
            if chunk.links is not None and record.anchors is not None:
                links.append(document_links(record.anchors))
                record.anchors = None
            titled += [(title, elements + place) for title, place in titles]
            elements += len(record.depth)
            split = f"#{ordinal + 1}" if splits else ""
            given = source.given + split if isinstance(source, MemorySource) else ""
            entries.append(
                DocumentEntry(
                    given or said.id or document_id(source.path) + split,
                    said.title,
                    len(chunk.sources),
                    ordinal,
                    len(record.depth),
                    len(record.content),
                    record.length,
                )
            )
            fields.append(said.fields)
            if language := self._language(said.fields):
                unsaid = Languages((), np.full(len(record.depth), -1, np.int32))
                record.languages = (record.languages or unsaid).or_else(language)
            records.append(record)
        if not records:
            raise SourceError(f"no {self.profile.document} element in the file", source.path)
        entry = SourceEntry(
            source.path, source.location, source.member, source.offset, len(data), zlib.crc32(data),
            source.mtime_ns, source.stored_size,
        )  # fmt: skip
        self._records += records
        self._titled += titled
        self._elements = elements
        if chunk.links is not None:
            chunk.links += links
        chunk.documents += entries
        chunk.fields += fields
        chunk.roots[root] = chunk.roots.get(root, 0) + 1
        chunk.xml_bytes += len(data)
        chunk.sources.append(entry)
        chunk.copies.append(data if self.store or isinstance(source, MemorySource) else None)
        if entities:
            chunk.notices.append(f"{source.path}: {entities} unresolved entity reference(s) left out")

    def _trees_of(self, data: bytes, path: str) -> tuple[str, Sequence[Tree]]:
        """Return the tag of a file's root element, and the documents in it."""
        if self.profile.document is None:
            tree = self._make_tree(data, path)
            return tree.top.tag, [tree]
        root = parse(data, path)
        markup = source_markup(data)
        found = documents(root, self.profile)
        return root.tag, [Tree.of(element, markup if element is root else b"") for element in found]

    def _language(self, said: DocumentFields) -> str:
        """Return what the field `language` of the profile says of a document."""
        place = self._language_field
        return language_of(said[place][0]) if place >= 0 and said[place] else ""

    def _gather_columns(self, chunk: Chunk, records: list[DocumentRecord]) -> None:
        names = ("depth", "step", "position", "same", "start", "end")
        empty = np.zeros(0, np.int32)
        columns = {
            name: np.concatenate([empty, *(np.array(getattr(r, name), np.int32) for r in records)]) for name in names
        }
        sizes = [len(r.depth) for r in records]
        content = np.zeros(sum(sizes), bool)
        offset = 0
        for record, size in zip(records, sizes, strict=True):
            content[offset + np.array(record.content, np.int64)] = True
            offset += size
        depth = columns["depth"]
        up, contents = _tree_columns(depth, content)
        columns |= {"up": up, "contents": contents, "length": columns["end"] - columns["start"]}
        order = ("up", "depth", "contents", "step", "position", "same", "start", "length")
        chunk.columns = {name: columns[name] for name in order}
        starts, lengths = chunk.columns["start"][content], chunk.columns["length"][content]
        at = 0
        names_of: dict[str, int] = {}
        for record in records:
            own = slice(at, at := at + len(record.content))
            chunk.values.append(encode_values(record, starts[own], lengths[own]))
            record.text = ""
            places = {place: number for number, place in enumerate(record.content)} if record.attributes else {}
            rows = [(places[place], *row) for place, *row in record.attributes]
            chunk.attributes.append(attribute_columns(rows, names_of))  # type: ignore[arg-type]
        chunk.attribute_names = list(names_of)

    def _invert(self, chunk: Chunk, texts: list[tuple[Ints, Ints, Ints]]) -> None:
        """Make the posting lists of the keys and of the words of the documents."""
        nothing = [np.zeros(0, np.int32)]
        numbers = np.concatenate([*nothing, *(own for own, _, _ in texts)])
        counts = np.concatenate([np.zeros(0, np.int64), *(each for _, each, _ in texts)])
        chunk.tokens = numbers.size
        chunk.columns["tokens"] = counts.astype(np.int32)
        order = self._vocabulary.order_of(numbers)
        chunk.postings = invert(numbers, counts, order, positions=self.positions)
        words = np.concatenate([*nothing, *(own for _, _, own in texts)])
        if self._keys.words != self._keys.vocabulary:  # as they are where nothing is stemmed
            order = self._words.order_of(words)
        chunk.word_postings = invert(words, np.array([own.size for _, _, own in texts], np.int64), order)
        chunk.word_postings.tf[:] = 1


def _tree_columns(depth: Ints, content: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Return, from the depths in document order, the distance to the parent and the content elements in each subtree.

    >>> up, contents = _tree_columns(np.array([0, 1, 2, 2, 1]), np.array([0, 0, 1, 1, 1], bool))
    >>> up.tolist(), contents.tolist()
    ([0, 1, 1, 2, 4], [3, 2, 1, 1, 1])
    """
    up = np.zeros(depth.size, np.int32)
    contents = content.astype(np.int32)
    levels = [np.flatnonzero(depth == level) for level in range(int(depth.max()) + 1 if depth.size else 0)]
    for level in range(len(levels) - 1, 0, -1):
        own, above = levels[level], levels[level - 1]
        parent = above[np.searchsorted(above, own) - 1]
        up[own] = own - parent
        contents += np.bincount(parent, contents[own], depth.size).astype(np.int32)
    return up, contents
