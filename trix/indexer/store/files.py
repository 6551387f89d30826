"""Opened index: the live documents of all segments of its newest commit, under one numbering.

Documents, elements and content elements have the numbers of an index built at once from the live documents. Callers
need not know about segments, and any history of changes gives the same answers [LIVING, section 2].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from os import PathLike

import numpy as np
from pyroaring import BitMap

from trix.errors import IndexError_
from trix.indexer.commit.index_names import name_of
from trix.indexer.document.partial_text import Value
from trix.indexer.document.record import Counts, add_counts, kept_counts, step_tag
from trix.indexer.languages.index_languages import LanguagesMixin
from trix.indexer.store.attributes import Attributes
from trix.indexer.store.doc_postings import DocPostings, doc_postings_of_list, doc_postings_of_segments
from trix.indexer.store.documents import LinkedDocuments
from trix.indexer.store.elements import Block, Elements
from trix.indexer.store.inverted.postings import Lists, united, united_positions
from trix.indexer.store.live import OpenCommit, live_segments, open_commit
from trix.indexer.store.multi_index import CommonIds, index_paths, short_names, together
from trix.indexer.store.segment import Segment
from trix.indexer.store.titles import KINDS as TITLES
from trix.indexer.store.titles import IndexTitles
from trix.indexer.store.words import IndexWords
from trix.indexer.words.multi_key import is_joint, parts
from trix.support.arrays import Ints
from trix.support.lru_cache import LruFunction, OnceProperty

_NOTHING: Lists = (np.zeros(0, np.int32), np.zeros(0, np.int32))

MARKS = "marks"
"""Kind of the sets of elements that begin or end non-returnable parts, ``quiet`` and ``loud``, by selectors with
conditions.
"""

LARGEST = np.iinfo(np.int32).max
"""Largest number of elements in an opened index."""

LONGEST_POSTING = 10
"""Upper bound of the bytes of a posting: two numbers of 32 bits."""

KEPT_LISTS = 64
"""Size of the LRU caches of merged posting lists and of document lists."""


class IndexFiles(LinkedDocuments, LanguagesMixin):
    """Index opened for reading; everything is decoded at first use.

    Parameters
    ----------
    path
        Folder or URL of the index, or several (see `trix.indexer.store.multi_index.index_paths`).
    opened
        Commit of each folder; the newest if None.

    Attributes
    ----------
    path : str
        Name of the index: its folder or URL; several with commas.
    names, short_names
        Full and short name of each index.
    paths : tuple of Path
        Folders; for a URL, the folder of its local copy.
    commit : Commit
        Commit that is shown; it never changes while the index is open.
    opened : tuple of OpenCommit
        Commit of each folder, with its segments.
    totals : dict
        ``documents, elements, content_elements, tokens, xml_bytes``.
    steps : list of str
        Path steps by number.
    blocks : list of Block
        Blocks of the element table.
    first_elements, first_contents : (n_documents,) ndarrays
    live : list of LiveSegment
        Segments in order.
    indexes : list of list of LiveSegment
        Segments of each folder.
    common_ids : CommonIds
        Ids that occur in several folders.

    Raises
    ------
    IndexError_
        There is no index, it has another format or is damaged, or the settings of several differ.
    """

    def __init__(
        self,
        path: str | PathLike[str] | Sequence[str | PathLike[str]],
        opened: Sequence[OpenCommit] | None = None,
    ) -> None:
        self.paths = index_paths(path)
        self.names = tuple(map(name_of, self.paths))
        self.short_names = short_names(self.names)
        self.path = ",".join(self.names)
        self.opened = tuple(opened or map(open_commit, self.paths))
        shown = together(self.names, self.opened)
        self.commit = shown.commit
        self.live = live_segments((segment, entry.deleted) for segment, entry in shown.segments)
        self.totals = {
            name: sum(entry.totals[name] for _, entry in shown.segments)
            for name in ("documents", "elements", "content_elements", "tokens", "xml_bytes")
        }
        if self.totals["elements"] > LARGEST:
            raise IndexError_(
                f"{self.path}: has {self.totals['elements']:,} elements, at most {LARGEST:,} can be opened; split "
                "the collection into several indexes, and open fewer of them together"
            )
        self._lists: LruFunction[str, Lists] = LruFunction(self._postings, KEPT_LISTS)
        self._doc_postings: LruFunction[str, DocPostings] = LruFunction(self._read_doc_postings, KEPT_LISTS)
        # Live segments stand in the order of the folders: take from each folder as many as it opened.
        segments = iter(self.live)
        self.indexes = [list(islice(segments, len(each.segments))) for each in self.opened]
        self.common_ids = CommonIds(self.names, self.indexes)
        self._number_steps()
        self.blocks = [block for live in self.live for block in live.blocks()]
        totals = self.totals
        # An empty block with the totals at the end, so that every block ends where the next one begins.
        self.blocks.append(Block(totals["elements"], totals["content_elements"], totals["documents"], {}))
        self.first_elements, self.first_contents = (
            np.concatenate([np.zeros(0, np.int64), *(live.firsts(column) for live in self.live)]) for column in (0, 1)
        )
        self._sets: dict[tuple[str, str], BitMap] = {}

    def recovers(self, segment: Segment) -> bool:
        """Whether sources of a segment are repaired if they are not well-formed (`recover`)."""
        return any(
            each.commit.settings.get("recover") and any(one is segment for one, _ in each.segments)
            for each in self.opened
        )

    def _number_steps(self) -> None:
        numbers: dict[str, int] = {}
        for live in self.live:
            # Segments number steps for themselves. The index numbers them in order of first appearance, so the first
            # segment needs no translation (None).
            own = np.array([numbers.setdefault(step, len(numbers)) for step in live.segment.steps], np.int32)
            live.steps = None if np.array_equal(own, np.arange(own.size)) else own
        self.steps = list(numbers)

    # -- the element table ------------------------------------------------------------------------------------------

    @OnceProperty
    def elements(self) -> Elements:
        """Element table."""
        # One whole segment: its numbers are those of the index, and its table is shared, not filled twice.
        return self.live[0].segment.elements if self.is_one else Elements(self.blocks)

    @cached_property
    def step_tags(self) -> list[str]:
        """Tag of each path step."""
        return [step_tag(step) for step in self.steps]

    def _living(self, kind: str) -> list[str]:
        """Return the names of non-empty sets, sorted."""
        if self.is_one:
            return sorted(self.live[0].segment.facts.get(kind, {}))
        found = set[str]()
        for live in self.live:
            # After deletions a set may be empty, which only its members tell.
            names = live.segment.facts.get(kind, {})
            found.update(names if live.is_whole else (name for name in names if live.set_of(kind, name)))
        return sorted(found)

    @cached_property
    def tags(self) -> list[str]:
        """Tags of the indexed elements, sorted."""
        return self._living("tags")

    @cached_property
    def namespaces(self) -> list[str]:
        """Namespaces by which elements are distinguished, sorted (see `Profile.known_namespaces`)."""
        return sorted(self.profile.known_namespaces)

    def tagged(self, tag: str) -> BitMap:
        """Return the elements with a tag."""
        return self._set("tags", tag)

    def namespace(self, prefix: str) -> str | None:
        """Return the namespace of a prefix; None if the profile declares none."""
        namespace = self.profile.namespaces.get(prefix) if prefix else None
        return namespace if namespace in self.namespaces else None

    def in_namespace(self, namespace: str) -> BitMap:
        """Return the elements in a namespace that the profile declares."""
        return self._set("namespaces", namespace)

    def marked(self, mark: str) -> BitMap:
        """Return the elements that begin (``quiet``) or end (``loud``) a non-returnable part.

        If both apply to an element, it begins one. A whole document never does.
        """
        # Selectors with conditions were evaluated at the build. They are more exact than tags: an element that one of
        # them gives to the other mark is taken from those that a tag names.
        named = [self.tagged(each.tag) for each in getattr(self.profile, mark) if each.is_tag]
        other, roots = ("loud", self.first_elements.astype(np.uint32)) if mark == "quiet" else ("quiet", ())
        return (BitMap.union(BitMap(), *named) - self._set(MARKS, other) | self._set(MARKS, mark)) - BitMap(roots)

    def _set(self, kind: str, name: str) -> BitMap:
        if self.is_one:
            return self.live[0].segment.set_of(kind, name)
        if (kind, name) not in self._sets:
            self._sets[kind, name] = BitMap.union(BitMap(), *(live.set_of(kind, name) for live in self.live))
        return self._sets[kind, name]

    def counts_of(self, kind: str) -> dict[str, int]:
        """Count the elements of each tag or namespace."""
        if self.is_one:
            return {name: span[2] for name, span in self.live[0].segment.facts.get(kind, {}).items()}
        return {name: sum(len(live.set_of(kind, name)) for live in self.live) for name in self._living(kind)}

    # -- the inverted file ------------------------------------------------------------------------------------------

    def postings(self, key: str) -> Lists:
        """Return (contents, tf) of a key, int32 each, ascending; empty if no document has it.

        For a multi-key (see `trix.indexer.words.multi_key`), the union over its keys.
        """
        if is_joint(key):
            return united([self.postings(each) for each in parts(key)])
        return self._postings(key) if self.is_one else self._lists(key)

    def _postings(self, key: str) -> Lists:
        wanted = key.encode("utf-8", "surrogateescape")
        if self.is_one:  # the segment's numbers are those of the index
            segment = self.live[0].segment
            number = segment.key_number(wanted)
            return segment.postings(number) if number >= 0 else _NOTHING
        found = [lists for live in self.live if (lists := live.postings(wanted)) is not None]
        # Numbers of later segments are greater, so concatenated lists ascend; a single list is not copied.
        if len(found) < 2:
            return found[0] if found else _NOTHING
        return np.concatenate([contents for contents, _ in found]), np.concatenate([tf for _, tf in found])

    def has_few(self, key: str, most: int) -> bool:
        """Whether a key has at most `most` postings, without decoding a long list."""
        if not is_joint(key) and all(live.is_whole for live in self.live):
            wanted = key.encode("utf-8", "surrogateescape")
            # No posting takes more bytes, so a longer code has more postings.
            if sum(live.segment.list_size(wanted) for live in self.live) > LONGEST_POSTING * most:
                return False
        return bool(self.postings(key)[0].size <= most)

    @cached_property
    def deepest(self) -> int:
        """Upper bound of the depth of elements."""
        return max((live.segment.facts["deepest"] for live in self.live), default=0)

    def doc_postings(self, key: str) -> DocPostings:
        """Return the documents with a key, its frequencies, and access to its postings by document."""
        return self._doc_postings(key)

    def _read_doc_postings(self, key: str) -> DocPostings:
        if is_joint(key):
            return doc_postings_of_list(*self.postings(key), self.first_contents)
        return doc_postings_of_segments(self.live, key.encode("utf-8", "surrogateescape"), self.first_contents)

    @cached_property
    def words(self) -> IndexWords:
        """Words before stemming, with document counts."""
        return IndexWords(self.live)

    @cached_property
    def titled(self) -> dict[str, IndexTitles]:
        """Titles of ``documents`` and ``sections``, searchable by word."""
        return {kind: IndexTitles(self.live, kind) for kind in TITLES}

    def positions(self, key: str) -> tuple[Ints, Ints, Ints]:
        """Return (contents, tf, positions); the positions of all postings are concatenated."""
        if is_joint(key):
            return united_positions([self.positions(each) for each in parts(key)])
        wanted = key.encode("utf-8", "surrogateescape")
        if self.is_one and (whole := self.live[0].positions(wanted)) is not None:
            return whole
        nothing = (*_NOTHING, np.zeros(0, np.int64))
        found = [nothing, *(lists for live in self.live if (lists := live.positions(wanted)) is not None)]
        contents, tf, positions = (np.concatenate(columns) for columns in zip(*found, strict=True))
        return contents, tf, positions

    def document_counts(self, documents: Ints) -> tuple[list[str], Ints, Ints]:
        """Return the keys of some documents in byte order, with n and r of each.

        Returns
        -------
        keys, n, r
            How many documents of the index hold the key, and how many of the given ones.
        """
        n: dict[bytes, int] = {}
        r: dict[bytes, int] = {}
        for live in self.live:
            here = documents[
                (documents >= live.documents.first) & (documents < live.documents.first + live.documents.size)
            ]
            # r first: keys are those of the given documents. Segments number keys for themselves, so bytes join them.
            if not here.size:
                continue
            _, doc_postings = live.segment.document_counts(live.documents.back(here))
            for number in np.flatnonzero(doc_postings).tolist():
                key = live.segment.keys.raw(number)
                r[key] = r.get(key, 0) + int(doc_postings[number])
        for live in self.live:
            # Then n of these keys, over all live documents.
            counts = live.document_counts()
            for key in r:
                number = live.segment.keys.find(key)
                if number >= 0:
                    n[key] = n.get(key, 0) + int(counts[number])
        order = sorted(r)
        keys = [key.decode("utf-8", "surrogateescape") for key in order]
        return keys, np.array([n[key] for key in order], np.int64), np.array([r[key] for key in order], np.int64)

    def vocabulary(self) -> tuple[int, int]:
        """Count live keys and postings; reads all postings if there are deletions."""
        if self.is_one:
            totals = self.live[0].segment.totals
            return totals["keys"], totals["postings"]
        keys, postings = set[bytes](), 0
        for live in self.live:
            own = live.segment.keys
            for number, key in enumerate(own.all()):
                size = live.contents.kept(live.segment.postings(number)[0])[1].size
                postings += size
                if size:
                    keys.add(key)
        return len(keys), postings

    # -- texts to compare, elements below ---------------------------------------------------------------------------

    @cached_property
    def _below(self) -> dict[str, tuple[int, dict[str, int]]]:
        counts: Counts = {}
        for live in self.live:
            add_counts(counts, live.segment.below(live.documents))
        return kept_counts(counts)

    def below(self, tag: str) -> tuple[int, dict[str, int]]:
        """Count the elements with a tag below content elements, and return the most frequent tags of these.

        (0, {}) if there are none.
        """
        return self._below.get(tag, (0, {}))

    @property
    def hidden_tags(self) -> list[str]:
        """Tags of elements below content elements, sorted."""
        return list(self._below)

    def values_of(self, elements: Ints) -> list[Value]:
        """Return the trimmed text of each element, in order; ascending numbers are fastest."""
        if self.is_one:
            return self.live[0].segment.values.of(elements)
        firsts = np.array([live.elements.first for live in self.live])
        homes = np.searchsorted(firsts, elements, side="right") - 1
        found: list[Value] = [""] * elements.size
        for number in np.unique(homes).tolist():
            live, places = self.live[number], np.flatnonzero(homes == number)
            # Values come by segment; each goes to the place of its element in the request.
            for place, value in zip(
                places.tolist(), live.segment.values.of(live.elements.back(elements[places])), strict=True
            ):
                found[place] = value
        return found

    @cached_property
    def attributes(self) -> Attributes:
        """Indexed attributes, units and others."""
        if self.is_one:
            return self.live[0].segment.attributes
        parts = [(live.segment.attribute_names, live.segment.blocks, live.contents) for live in self.live]
        return Attributes(parts, self.elements)

    # -- all of it --------------------------------------------------------------------------------------------------

    def faults(self) -> list[str]:
        """List damaged files, one line each; reads all files."""
        return [fault for live in self.live for fault in live.segment.sections.faults()]

    def section_sizes(self) -> dict[str, int]:
        """Return the bytes of each section, summed over segments."""
        sizes: dict[str, int] = {}
        for live in self.live:
            for name, size in live.segment.sections.sizes.items():
                sizes[name] = sizes.get(name, 0) + size
        return sizes

    def release(self) -> None:
        """Drop the pages read so far from memory, for scans of a whole index."""
        for live in self.live:
            live.segment.release()
