"""Segment: an immutable, ordered set of documents, decoded at first use.

Numbers are those of the segment and include deleted documents. `trix.indexer.store.files` combines the live documents
of all segments into an index.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray
from pyroaring import BitMap

from trix.errors import IndexError_
from trix.indexer.commit.sections import Bytes, SectionFile
from trix.indexer.document.record import Counts, step_tag
from trix.indexer.store.attributes import Attributes
from trix.indexer.store.elements import Block, Elements, unpack
from trix.indexer.store.inverted.by_document import SECTION as BY_DOCUMENT
from trix.indexer.store.inverted.by_document import DocumentCounts, DocumentLists
from trix.indexer.store.inverted.forward import PostingsByContent
from trix.indexer.store.inverted.postings import Lists, decode_positions, decode_postings
from trix.indexer.store.links import STREAMS as LINK_STREAMS
from trix.indexer.store.links import DocumentLinks, decode_links
from trix.indexer.store.numbering import LiveNumbering
from trix.indexer.store.strings import ListedStrings, StringTable, packed_listed, read_ends
from trix.indexer.store.titles import DocumentTitles, SegmentTitles
from trix.indexer.store.values import Values
from trix.indexer.store.words import SegmentWords
from trix.support.arrays import Int32s, Ints
from trix.support.lru_cache import OnceProperty

if TYPE_CHECKING:
    from trix.indexer.places.rows import SegmentMilestones


class SourceRow(NamedTuple):
    """Source of a document.

    Attributes
    ----------
    segment
        Segment with the source.
    number
        Number of the source in the segment.
    path, location, member
        As in `trix.indexer.collection.source.Source`; the location is empty for documents from memory.
    size, crc
        Size and checksum of its bytes.
    offset
        Offset in an archive; -1 for none.
    """

    segment: Segment
    number: int
    path: str
    location: str
    member: str
    size: int
    crc: int
    offset: int


class Segment:
    """Segment opened for reading.

    Parameters
    ----------
    sections
        File of the segment.

    Attributes
    ----------
    facts : dict
        Facts that the writer recorded.
    totals : dict
        ``documents, elements, content_elements, keys, postings, tokens, xml_bytes``, deleted documents included.
    steps : list of str
        Path steps by number.
    blocks : list of Block
        Blocks of the element table, with an empty one at the end for the totals.
    first_elements, first_contents : (n_documents,) ndarrays
        Of each document.
    """

    def __init__(self, sections: SectionFile) -> None:
        self.sections, self.facts = sections, sections.facts
        self.totals: dict[str, int] = self.facts["totals"]
        self.steps: list[str] = self.facts["steps"]
        self.has_positions: bool = self.facts["positions"]
        self.blocks = [Block(first[0], first[1], first[2], first[-1], sections) for first in self.facts["blocks"]]
        self.documents = sections.array("documents")
        self._check_documents()
        self.first_elements: Ints = self.documents[:, 0]
        self.first_contents: Ints = self.documents[:, 1]
        self._sets: dict[tuple[str, str], BitMap] = {}

    def __len__(self) -> int:
        return self.totals["documents"]

    def _check_documents(self) -> None:
        """Raise if documents are not consecutive in the tables, even if the checksums are right."""
        firsts, totals = self.documents[:, :2], self.totals
        last = [totals["elements"], totals["content_elements"]]
        rows = np.vstack([np.zeros((1, 2), np.int64), firsts, [last]])  # between 0 and the totals
        if len(firsts) != len(self) or firsts[:1].any() or (rows[1:] < rows[:-1]).any():
            raise IndexError_(f"{self.sections.path}: the table of documents is damaged (first elements do not ascend)")

    def release(self) -> None:
        self.sections.release()

    # -- the element table ------------------------------------------------------------------------------------------

    @OnceProperty
    def elements(self) -> Elements:
        """Element table, deleted documents included."""
        return Elements(self.blocks)

    def step_numbers(self, block: int) -> Ints:
        """Return the number of the path step of each element of a block, given by its index."""
        return self.blocks[block].stream("elements.step", "step")

    @cached_property
    def step_tags(self) -> list[str]:
        """Tag of each path step."""
        return [step_tag(step) for step in self.steps]

    def ends(self, column: int) -> Ints:
        """Return the end of each document's elements (0) or content elements (1)."""
        total = self.totals["content_elements" if column else "elements"]
        return np.append(self.documents[1:, column], total)

    def set_of(self, kind: str, name: str) -> BitMap:
        """Return the elements of a set, such as a tag; cached."""
        if (kind, name) not in self._sets:
            self._sets[kind, name] = self.read_set(kind, name)  # twice by two threads at most: sets are equal
        return self._sets[kind, name]

    def read_set(self, kind: str, name: str) -> BitMap:
        """Read the elements of a set without caching."""
        span = self.facts.get(kind, {}).get(name)
        if span is None:
            return BitMap()
        return BitMap.deserialize(unpack(self.sections.section("tags")[span[0] : span[1]], "u1").tobytes())

    # -- the inverted file ------------------------------------------------------------------------------------------

    @cached_property
    def keys(self) -> StringTable:
        """All keys, sorted by their UTF-8 bytes."""
        return self._strings("keys")

    @cached_property
    def key_number(self) -> Callable[[bytes], int]:
        """Function from a key to its number, -1 for none; cached, since a query looks up each key several times."""
        return lru_cache(maxsize=4096)(self.keys.find)

    @cached_property
    def posting_ends(self) -> Ints:
        """End of each key's posting list."""
        return read_ends(self.sections, "postings")

    @cached_property
    def position_ends(self) -> Ints:
        """End of each key's position list."""
        return read_ends(self.sections, "positions")

    @cached_property
    def _lists(self) -> tuple[Bytes, Bytes]:
        return self.sections.section("postings"), self.sections.section("positions")

    def coded(self, low: int, high: int, *, positions: bool = False) -> NDArray[np.uint8]:
        """Return the encoded lists of the keys ``[low, high)``, concatenated."""
        ends = self.position_ends if positions else self.posting_ends
        begin, end = int(ends[low - 1]) if low else 0, int(ends[high - 1]) if high else 0  # lists follow one another
        return np.frombuffer(self._lists[positions][begin:end], np.uint8)

    @cached_property
    def words(self) -> SegmentWords:
        """Words before stemming."""
        sections = self.sections
        table = self._strings("words") if sections.has("words") else self.keys  # without stemming, words are keys
        lists = sections.section("words.documents"), read_ends(sections, "words.documents")
        return SegmentWords(table, *lists, lambda of: packed_listed(sections, f"words.{of}", f"words.{of}.of"))

    @cached_property
    def titled(self) -> dict[str, SegmentTitles]:
        """Titles by kind."""
        sections = self.sections
        found: dict[str, ListedStrings] = {
            "documents": DocumentTitles(self.titles, sections.array("titles.documents")),
            "sections": packed_listed(sections, "titles.sections", "titles.sections.of"),
        }
        return {
            kind: SegmentTitles(titles, packed_listed(sections, f"titles.{kind}.words", f"titles.{kind}.words.of"))
            for kind, titles in found.items()
        }

    def postings(self, number: int) -> Lists:
        """Return (contents, tf) of a key by its number, int32 each."""
        contents, tf = decode_postings(self.coded(number, number + 1))
        # Decoding refuses lists that do not ascend, so their ends bound all. Kernels rely on it.
        if not contents.size or not 0 <= contents[0] <= contents[-1] < self.totals["content_elements"]:
            raise IndexError_(f"{self.sections.path}: the posting lists are damaged")
        return contents, tf

    def list_size(self, key: bytes) -> int:
        """Return the bytes of a key's posting list in the segment; 0 if it lacks the key."""
        number = self.key_number(key)
        if number < 0:
            return 0
        return int(self.posting_ends[number]) - (int(self.posting_ends[number - 1]) if number else 0)

    @cached_property
    def by_document(self) -> DocumentLists:
        """Lists by document of the keys with many postings."""
        keys = self.sections.array(f"{BY_DOCUMENT}.keys")
        return DocumentLists(self.sections.section(BY_DOCUMENT), keys, read_ends(self.sections, BY_DOCUMENT))

    def positions(self, number: int, tf: Int32s) -> Ints:
        """Return the positions of a key; those of all postings are concatenated."""
        return decode_positions(self.coded(number, number + 1, positions=True), tf)

    @cached_property
    def document_counts(self) -> DocumentCounts:
        """Counter of documents per key."""
        sizes = self.ends(1) - self.first_contents
        document_of = np.repeat(np.arange(len(self), dtype=np.int32), sizes)  # by content element
        return DocumentCounts(self.coded(0, len(self.keys)), self.posting_ends, document_of, len(self))

    @cached_property
    def postings_by_content(self) -> PostingsByContent:
        """Inverse access: postings by content element."""
        contents, postings = self.totals["content_elements"], self.totals["postings"]
        return PostingsByContent(self.coded(0, len(self.keys)), self.posting_ends, contents, postings)

    # -- documents --------------------------------------------------------------------------------------------------

    def _strings(self, name: str) -> StringTable:
        return StringTable(self.sections.section(name), read_ends(self.sections, name))

    @cached_property
    def ids(self) -> StringTable:
        """Document ids by number."""
        return self._strings("documents.id")

    @cached_property
    def titles(self) -> StringTable:
        """Document titles by number; empty if the profile names none."""
        return self._strings("documents.title")

    @cached_property
    def by_id(self) -> Ints:
        """Documents sorted by the bytes of their ids."""
        return self.sections.array("documents.by_id")

    def document(self, wanted: bytes) -> int:
        """Look up the number of a document id; -1 if there is none."""
        low = self.first_id(wanted)
        if low < len(self) and self.ids.raw(number := int(self.by_id[low])) == wanted:
            return number
        return -1

    def first_id(self, wanted: bytes) -> int:
        """Return the rank of the first id that is not less than `wanted`, in byte order."""
        return bisect_left(self.by_id, wanted, key=lambda number: self.ids.raw(int(number)))  # reads log n ids

    def document_length(self, document: int) -> int:
        """Return the number of characters in a document's text."""
        return int(self.documents[document, 2])

    @cached_property
    def _sources(self) -> tuple[StringTable, StringTable, StringTable, Ints]:
        tables = (self._strings(f"sources.{name}") for name in ("path", "location", "member"))
        return (*tables, self.sections.array("sources"))  # type: ignore[return-value]

    @property
    def n_sources(self) -> int:
        """Number of sources."""
        return len(self._sources[3])

    def source(self, number: int) -> SourceRow:
        """Return a source by its number."""
        paths, locations, members, rows = self._sources
        size, crc, offset = rows[number].tolist()
        return SourceRow(self, number, paths[number], locations[number], members[number], size, crc, offset)

    def path_of(self, document: int) -> str:
        """Return the path of a document's file."""
        return self.source_path(int(self.documents[document, 3]))

    def source_path(self, number: int) -> str:
        """Return the path of a source by its number."""
        return self._sources[0][number]

    def copy(self, number: int) -> bytes | None:
        """Return the stored bytes of a source; None if it is not stored."""
        if not self.sections.has("copies.places"):
            return None
        begin, end, place = self.sections.array("copies.places")[number].tolist()
        if begin == end:
            return None
        try:
            frame = zstandard.ZstdDecompressor().decompress(self.sections.section("copies")[begin:end])
        except zstandard.ZstdError:
            raise IndexError_(f"{self.sections.path}: the copies of the sources are damaged") from None
        return frame[place : place + self.source(number).size]  # a frame may hold several small sources

    # -- texts to compare, links, elements below ---------------------------------------------------------------------

    @cached_property
    def values(self) -> Values:
        """Trimmed texts of elements."""
        return Values(self)

    @property
    def attribute_names(self) -> list[str]:
        """Names of attributes and compared elements, with namespaces."""
        return list(self.facts["attributes"])  # their order is that of their numbers

    @cached_property
    def attributes(self) -> Attributes:
        """Indexed attributes, units and others."""
        everything = LiveNumbering(np.array([[0, self.totals["content_elements"]]]), 0)
        return Attributes([(self.attribute_names, self.blocks, everything)], self.elements)

    @property
    def units(self) -> dict[int, str]:
        """Values of attributes that are units, by element number."""
        return self.attributes.units

    @property
    def has_links(self) -> bool:
        """Whether links were extracted."""
        return "links" in self.facts

    @cached_property
    def resolved_links(self) -> tuple[Ints, Ints]:
        """Links as resolved when the segment was built: sources and targets, in order."""
        steps, ways = (
            unpack(self.sections.section("links")[begin:end], dtype).astype(np.int64)
            for begin, end, dtype in self.facts["links"]["spans"]
        )
        sources = np.cumsum(steps)  # they ascend; a target is stored as its distance from the source
        return sources, sources + ways

    def document_links(self) -> Iterator[list[DocumentLinks]]:
        """Yield the links of documents, block by block."""
        return map(self._links_of, self.blocks[:-1])

    def with_id(self, name: str) -> Iterator[tuple[int, int]]:
        """Yield the elements with an id: document, and element counted from its first."""
        wanted = name.encode("utf-8", "surrogateescape")
        for block in self.blocks[:-1]:
            # A substring test rules out most blocks without decoding them.
            if wanted not in block.stream("links.names", "links.ids").tobytes():
                continue
            for document, of in enumerate(self._links_of(block), block.document):
                yield from ((document, int(at)) for own, at in zip(of.ids, of.id_elements, strict=True) if own == name)

    @staticmethod
    def _links_of(block: Block) -> list[DocumentLinks]:
        return decode_links({name: block.stream("links.names", name) for name in LINK_STREAMS})

    @cached_property
    def places(self) -> SegmentMilestones | None:
        """Milestones; None if the profile names none."""
        from trix.indexer.places.rows import places_of_blocks

        return places_of_blocks(self.blocks[:-1])

    def below(self, numbering: LiveNumbering) -> Counts:
        """Count the elements below content elements in live documents."""
        found: Counts = {}
        for block, counts in zip(self.blocks, self.below_rows(), strict=False):
            rows = counts[numbering.kept(counts[:, 0] + block.document)[0]]  # of live documents
            for tag, holder, count in rows[:, 1:].tolist():
                of = found.setdefault(self.below_tags[tag], {})
                of[self.below_tags[holder]] = of.get(self.below_tags[holder], 0) + count
        return found

    @property
    def below_tags(self) -> list[str]:
        """Tags by the numbers in `below_rows`."""
        tags: list[str] = self.facts["below_tags"]
        return tags

    def below_rows(self) -> Iterator[Ints]:
        """Yield counts of elements below content elements, block by block.

        Rows: document in the block, number of the tag, number of the content element's tag, count.
        """
        for block in self.blocks[:-1]:
            yield block.stream("below", "below").astype(np.int64).reshape(4, -1).T
