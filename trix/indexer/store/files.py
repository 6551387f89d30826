"""An index on disk, opened for reading: the segments of its newest commit as one, of which only what lives is there.

All numbers, of documents, elements and content elements, are those of an index built at once from the live documents.
So whoever asks knows nothing of segments, and gets the same answers from any history of changes [LIVING, section 2].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from os import PathLike

import numpy as np
from pyroaring import BitMap

from trix.errors import IndexError_
from trix.indexer.commit.named import name_of
from trix.indexer.document.parts import Value
from trix.indexer.document.record import Counts, add_counts, kept_counts, step_tag
from trix.indexer.languages.of_index import WithLanguages
from trix.indexer.store.attributes import Attributes
from trix.indexer.store.documents import LinkedDocuments
from trix.indexer.store.elements import Block, Elements
from trix.indexer.store.held import Held, held_in_list, held_in_segments
from trix.indexer.store.inverted.postings import Lists, united, united_positions
from trix.indexer.store.live import OpenCommit, live_segments, open_commit
from trix.indexer.store.segment import Segment
from trix.indexer.store.titles import KINDS as TITLES
from trix.indexer.store.titles import Titles
from trix.indexer.store.together import CommonIds, index_paths, short_names, together
from trix.indexer.store.words import Words
from trix.indexer.words.joint import is_joint, parts
from trix.support.arrays import Ints
from trix.support.recent import Recent

_NOTHING: Lists = (np.zeros(0, np.int32), np.zeros(0, np.int32))

MARKS = "marks"
"""The sets of elements that begin or end quiet parts, ``quiet`` and ``loud``, where it takes more than a tag to say."""

LARGEST = np.iinfo(np.int32).max
"""Elements that an open index can number."""

LONGEST_POSTING = 10
"""Bytes of a posting, at the most: two numbers of 32 bits."""

KEPT_LISTS = 64
"""Posting lists that are kept when they come from several segments, and lists by document: the most recent ones."""


class IndexFiles(LinkedDocuments, WithLanguages):
    """An index, opened for reading; everything is decoded where it is first touched.

    Parameters
    ----------
    path
        The index's folder or URL; several as `trix.indexer.store.together.index_paths` takes them.
    opened
        Of each folder the commit that is shown; the newest if None.

    Attributes
    ----------
    path : str
        What the index is called: its folder or URL; of several all, with commas.
    names, short_names
        What each is called, and in short.
    paths : tuple of Path
        The folders; of an index at a URL that of its local copy.
    commit : Commit
        The commit that it shows, from opening to the end.
    opened : tuple of OpenCommit
        Of each folder the commit with its segments.
    totals : dict
        ``documents, elements, content_elements, tokens, xml_bytes``.
    steps : list of str
        The path steps by number.
    blocks : list of Block
        Where the blocks of the element table lie.
    first_elements, first_contents : (n_documents,) ndarrays
    live : list of LiveSegment
        The segments in order.
    indexes : list of list of LiveSegment
        Those of each folder.
    common_ids : CommonIds
        The ids that documents of several of the folders have.

    Raises
    ------
    IndexError_
        No index is there, or it is of another format, or damaged, or the settings of several differ.
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
                f"{self.path}: {self.totals['elements']:,} elements, of which a process can number {LARGEST:,}; split "
                "the collection into several indexes, and open fewer of them together"
            )
        self._lists: Recent[str, Lists] = Recent(self._postings, KEPT_LISTS)
        self._held: Recent[str, Held] = Recent(self._held_by, KEPT_LISTS)
        segments = iter(self.live)
        self.indexes = [list(islice(segments, len(each.segments))) for each in self.opened]
        self.common_ids = CommonIds(self.names, self.indexes)
        self._number_steps()
        self.blocks = [block for live in self.live for block in live.blocks()]
        totals = self.totals
        self.blocks.append(Block(totals["elements"], totals["content_elements"], totals["documents"], {}))
        self.first_elements, self.first_contents = (
            np.concatenate([np.zeros(0, np.int64), *(live.firsts(column) for live in self.live)]) for column in (0, 1)
        )
        self._sets: dict[tuple[str, str], BitMap] = {}

    def recovers(self, segment: Segment) -> bool:
        """Whether files of a segment are mended where they are not well-formed."""
        return any(
            each.commit.settings.get("recover") and any(one is segment for one, _ in each.segments)
            for each in self.opened
        )

    def _number_steps(self) -> None:
        numbers: dict[str, int] = {}
        for live in self.live:
            own = np.array([numbers.setdefault(step, len(numbers)) for step in live.segment.steps], np.int32)
            live.steps = None if np.array_equal(own, np.arange(own.size)) else own
        self.steps = list(numbers)

    # -- the element table ------------------------------------------------------------------------------------------

    @cached_property
    def elements(self) -> Elements:
        """The element table."""
        return self.live[0].segment.elements if self.is_one else Elements(self.blocks)

    @cached_property
    def step_tags(self) -> list[str]:
        """The tag of each path step."""
        return [step_tag(step) for step in self.steps]

    def _living(self, kind: str) -> list[str]:
        """Return the names of sets that have an element, sorted."""
        if self.is_one:
            return sorted(self.live[0].segment.facts.get(kind, {}))
        found = set[str]()
        for live in self.live:
            names = live.segment.facts.get(kind, {})
            found.update(names if live.is_whole else (name for name in names if live.set_of(kind, name)))
        return sorted(found)

    @cached_property
    def tags(self) -> list[str]:
        """The tags of the indexed elements, sorted."""
        return self._living("tags")

    @cached_property
    def namespaces(self) -> list[str]:
        """The namespaces by which elements are told apart, sorted, see `Profile.known_namespaces`."""
        return sorted(self.profile.known_namespaces)

    def tagged(self, tag: str) -> BitMap:
        """Return the numbers of the elements with a tag."""
        return self._set("tags", tag)

    def namespace(self, prefix: str) -> str | None:
        """Return the namespace of a prefix; None where the profile declares none."""
        namespace = self.profile.namespaces.get(prefix) if prefix else None
        return namespace if namespace in self.namespaces else None

    def in_namespace(self, namespace: str) -> BitMap:
        """Return the elements in a namespace that the profile declares."""
        return self._set("namespaces", namespace)

    def marked(self, mark: str) -> BitMap:
        """Return what begins (``quiet``) or ends (``loud``) a quiet part; of both it begins one; no document is one."""
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
        """Return how many elements each tag, or namespace, has."""
        if self.is_one:
            return {name: span[2] for name, span in self.live[0].segment.facts.get(kind, {}).items()}
        return {name: sum(len(live.set_of(kind, name)) for live in self.live) for name in self._living(kind)}

    # -- the inverted file ------------------------------------------------------------------------------------------

    def postings(self, key: str) -> Lists:
        """Return (contents, tf) of a key, int32 each, ascending; empty when the collection lacks it.

        Of a joint key (see `trix.indexer.words.joint`) those of all its keys together.
        """
        if is_joint(key):
            return united([self.postings(each) for each in parts(key)])
        return self._postings(key) if self.is_one else self._lists(key)

    def _postings(self, key: str) -> Lists:
        wanted = key.encode("utf-8", "surrogateescape")
        if self.is_one:  # whose numbers are the index's
            segment = self.live[0].segment
            number = segment.key_number(wanted)
            return segment.postings(number) if number >= 0 else _NOTHING
        found = [lists for live in self.live if (lists := live.postings(wanted)) is not None]
        if len(found) < 2:
            return found[0] if found else _NOTHING
        return np.concatenate([contents for contents, _ in found]), np.concatenate([tf for _, tf in found])

    def has_few(self, key: str, most: int) -> bool:
        """Whether a key has at most so many postings; a long list is not decoded for it."""
        if not is_joint(key) and all(live.is_whole for live in self.live):
            wanted = key.encode("utf-8", "surrogateescape")
            if sum(live.segment.list_size(wanted) for live in self.live) > LONGEST_POSTING * most:
                return False
        return bool(self.postings(key)[0].size <= most)

    @cached_property
    def deepest(self) -> int:
        """A depth that no element exceeds."""
        return max((live.segment.facts["deepest"] for live in self.live), default=0)

    def held(self, key: str) -> Held:
        """Return the documents that hold a key, how often, and what reads its postings in some of them."""
        return self._held(key)

    def _held_by(self, key: str) -> Held:
        if is_joint(key):
            return held_in_list(*self.postings(key), self.first_contents)
        return held_in_segments(self.live, key.encode("utf-8", "surrogateescape"), self.first_contents)

    @cached_property
    def words(self) -> Words:
        """The words before stemming, with their counts."""
        return Words(self.live)

    @cached_property
    def titled(self) -> dict[str, Titles]:
        """The titles of ``documents`` and ``sections``, by their words."""
        return {kind: Titles(self.live, kind) for kind in TITLES}

    def positions(self, key: str) -> tuple[Ints, Ints, Ints]:
        """Return (contents, tf, positions); the positions of a posting follow those of the one before."""
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
        """Return the keys of some documents, sorted by their bytes, and of each its n and r.

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
            if not here.size:
                continue
            _, held = live.segment.document_counts(live.documents.back(here))
            for number in np.flatnonzero(held).tolist():
                key = live.segment.keys.raw(number)
                r[key] = r.get(key, 0) + int(held[number])
        for live in self.live:
            counts = live.document_counts()
            for key in r:
                number = live.segment.keys.find(key)
                if number >= 0:
                    n[key] = n.get(key, 0) + int(counts[number])
        order = sorted(r)
        keys = [key.decode("utf-8", "surrogateescape") for key in order]
        return keys, np.array([n[key] for key in order], np.int64), np.array([r[key] for key in order], np.int64)

    def vocabulary(self) -> tuple[int, int]:
        """Return how many keys and how many postings live; goes over all of them where something is deleted."""
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

    # -- texts to compare, what is below ---------------------------------------------------------------------------

    @cached_property
    def _below(self) -> dict[str, tuple[int, dict[str, int]]]:
        counts: Counts = {}
        for live in self.live:
            add_counts(counts, live.segment.below(live.documents))
        return kept_counts(counts)

    def below(self, tag: str) -> tuple[int, dict[str, int]]:
        """Return how many elements of a tag are below content elements, and the tags of these with the most of them.

        None and none where there are none.
        """
        return self._below.get(tag, (0, {}))

    @property
    def hidden_tags(self) -> list[str]:
        """The tags of elements below content elements, sorted."""
        return list(self._below)

    def values_of(self, elements: Ints) -> list[Value]:
        """Return the trimmed text of each element, in order; they should ascend."""
        if self.is_one:
            return self.live[0].segment.values.of(elements)
        firsts = np.array([live.elements.first for live in self.live])
        homes = np.searchsorted(firsts, elements, side="right") - 1
        found: list[Value] = [""] * elements.size
        for number in np.unique(homes).tolist():
            live, places = self.live[number], np.flatnonzero(homes == number)
            for place, value in zip(
                places.tolist(), live.segment.values.of(live.elements.back(elements[places])), strict=True
            ):
                found[place] = value
        return found

    @cached_property
    def attributes(self) -> Attributes:
        """The indexed attributes, also those that are no units."""
        if self.is_one:
            return self.live[0].segment.attributes
        parts = [(live.segment.attribute_names, live.segment.blocks, live.contents) for live in self.live]
        return Attributes(parts, self.elements)

    # -- all of it --------------------------------------------------------------------------------------------------

    def faults(self) -> list[str]:
        """Return which files are damaged, one line each; reads all of them."""
        return [fault for live in self.live for fault in live.segment.sections.faults()]

    def section_sizes(self) -> dict[str, int]:
        """Return the bytes of each section of the segments together."""
        sizes: dict[str, int] = {}
        for live in self.live:
            for name, size in live.segment.sections.sizes.items():
                sizes[name] = sizes.get(name, 0) + size
        return sizes

    def release(self) -> None:
        """Let the pages that were read go: whoever reads all of an index need not hold all of it in memory."""
        for live in self.live:
            live.segment.release()
