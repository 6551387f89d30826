"""Documents of an index: live documents of all segments under one numbering, and the links between them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from trix.errors import IndexError_
from trix.indexer.languages.index_languages import SettingsMixin
from trix.indexer.store.links import DocumentLinks, resolve_links
from trix.indexer.store.live import LiveSegment
from trix.indexer.store.multi_index import CommonIds
from trix.indexer.store.segment import SourceRow
from trix.support.arrays import Ints
from trix.support.lru_cache import LruFunction

if TYPE_CHECKING:
    from trix.indexer.places.spans import DocumentPlaces

_KEPT_PLACES = 64
"""Documents whose places are cached."""


class DocumentStrings:
    """Lazy sequence of the ids or titles of all live documents.

    Parameters
    ----------
    index
        Documents of the index.
    titles
        Whether to return titles instead of ids.
    """

    def __init__(self, index: DocumentTable, titles: bool) -> None:
        self._index, self._titles = index, titles

    def __len__(self) -> int:
        return len(self._index)

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self):
            raise IndexError(number)
        live, own = self._index.place_of(number)
        if self._titles:
            return live.segment.titles[own]
        return self._index.common_ids.ids.get(number) or live.segment.ids[own]


class DocumentTable:
    """Documents of some segments.

    Attributes
    ----------
    live : list of LiveSegment
        Segments in order.
    totals : dict
        ``documents``, ``elements`` and others.
    first_elements : (n_documents,) ndarray
        ``(n_documents,)`` first element of each document.
    common_ids : CommonIds
        Ids that need the name of their index as a prefix.
    """

    live: list[LiveSegment]
    totals: dict[str, int]
    first_elements: Ints
    common_ids: CommonIds

    def __len__(self) -> int:
        return self.totals["documents"]

    def place_of(self, document: int) -> tuple[LiveSegment, int]:
        """Return the segment of a document, and its number there."""
        # Segments are few and in order: the last one that begins at or before the document has it.
        for live in reversed(self.live):
            if document >= live.documents.first:
                if live.is_whole:
                    return live, document - live.documents.first
                # With deletions the distance differs from run to run.
                return live, int(live.documents.back(np.array([document]))[0])
        raise IndexError(document)

    @cached_property
    def ids(self) -> DocumentStrings:
        """Document ids by number."""
        return DocumentStrings(self, titles=False)

    @cached_property
    def titles(self) -> DocumentStrings:
        """Document titles by number; empty if the profile names none."""
        return DocumentStrings(self, titles=True)

    def document(self, document_id: str) -> int:
        """Look up the number of a document id; -1 if there is none."""
        common = self.common_ids
        # Ids that several indexes share are known by their prefixed form alone.
        if document_id in common.numbers:
            return common.numbers[document_id]
        wanted = document_id.encode("utf-8", "surrogateescape")
        for live in reversed(self.live):
            number = live.segment.document(wanted)
            if number >= 0:
                _, found = live.documents.kept(np.array([number]))
                # An older segment may have the id, too, on a deleted document: at most one is live.
                if found.size and int(found[0]) not in common.ids:
                    return int(found[0])
        return -1

    def ids_from(self, begun: str, most: int) -> list[str]:
        """Return the first `most` document ids with a prefix, in byte order."""
        wanted = begun.encode("utf-8", "surrogateescape")
        found = list[bytes]()
        for live in self.live:
            # Ids with a prefix are a range of the sorted ids. The `most` first live ones of each segment suffice, since
            # the first ones of all are among them.
            own, taken = live.segment, 0
            for number in own.by_id[own.first_id(wanted) :]:
                raw = own.ids.raw(int(number))
                if taken == most or not raw.startswith(wanted):
                    break
                numbers = live.documents.kept(np.array([int(number)]))[1]
                if numbers.size and int(numbers[0]) not in self.common_ids.ids:
                    found.append(raw)
                    taken += 1
        common = (name.encode("utf-8", "surrogateescape") for name in self.common_ids.numbers)
        found += [raw for raw in common if raw.startswith(wanted)]
        return [raw.decode("utf-8", "surrogateescape") for raw in sorted(found)[:most]]

    def documents_of(self, elements: Ints) -> Ints:
        """Return the document number of each element."""
        # The last document that begins at or before the element. One without elements begins where the next does, and
        # the side "right" passes over it.
        return self.first_elements.searchsorted(elements, "right") - 1

    def document_length(self, document: int) -> int:
        """Return the number of characters in a document's text."""
        live, own = self.place_of(document)
        return live.segment.document_length(own)

    def document_source(self, document: int) -> tuple[SourceRow, int]:
        """Return the source of a document, and its position among the documents of that source."""
        live, own = self.place_of(document)
        number, ordinal = live.segment.documents[own, 3:5].tolist()
        return live.segment.source(number), ordinal

    def document_range(self, document: int) -> tuple[int, int]:
        """Return the range of a document's element numbers."""
        last = document + 1 == len(self)
        return (
            int(self.first_elements[document]),
            self.totals["elements"] if last else int(self.first_elements[document + 1]),
        )


class LinkedDocuments(DocumentTable, SettingsMixin):
    """Documents of some segments, with links.

    Attributes
    ----------
    indexes : list of list of LiveSegment
        Segments of each index, if several are searched as one.
    """

    indexes: list[list[LiveSegment]]

    @property
    def is_one(self) -> bool:
        """Whether there is a single segment without deletions, so that its numbers are those of the index."""
        return len(self.live) == 1 and self.live[0].is_whole

    @cached_property
    def open_links(self) -> int:
        """Number of links without a target in the index."""
        return int(self._links[2])

    @property
    def has_links(self) -> bool:
        """Whether the profile names links."""
        return bool(self.profile.links)

    @property
    def links(self) -> tuple[Ints, Ints]:
        """Sources and targets of all links: element numbers, sorted by source, then target.

        Raises
        ------
        IndexError_
            The profile names no links.
        """
        if not self.has_links:
            raise IndexError_(
                f"{self.path}: the index has no links, since its profile {self.profile.name} names none; add "
                "[links] to the profile and rebuild the index"
            )
        return self._links[:2]

    @cached_property
    def _links(self) -> tuple[Ints, Ints, int]:
        if self.is_one:
            own = self.live[0].segment
            # Nothing came or went since the build, which resolved the links.
            sources, targets = own.resolved_links
            return sources.astype(np.int32), targets.astype(np.int32), own.facts["links"]["open"]
        # A name may have its target in any segment, so the names of all live documents are resolved together.
        numbers = [(live.segment, number) for live in self.live for number in live.documents.alive()]
        ids = [segment.ids[number] for segment, number in numbers]
        paths = [segment.path_of(number) for segment, number in numbers]
        ends_of = [segments[-1].following[0] for segments in self.indexes if segments]
        elements = self.totals["elements"]
        pairs, lost = resolve_links(self._document_links, ids, paths, self.first_elements, elements, ends_of)
        return pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), lost

    def with_id(self, name: str) -> list[int]:
        """Return the elements with an id in their source, ascending; none if the profile names no links.

        Cost: reads the ids of all documents.
        """
        found = list[int]()
        for live in self.live if self.has_links else ():
            # An element is counted from its document's first: deletions of other documents do not move it.
            for own, at in live.segment.with_id(name):
                kept = live.documents.kept(np.array([own]))[1]
                found += [int(self.first_elements[document]) + at for document in kept.tolist()]
        return found

    @cached_property
    def places(self) -> LruFunction[int, DocumentPlaces]:
        """Cache of places (pages, verses, lines) by document number."""
        return LruFunction(self._places_of, _KEPT_PLACES)

    def _places_of(self, document: int) -> DocumentPlaces:
        from trix.indexer.places.rows import DocumentMilestones
        from trix.indexer.places.spans import DocumentPlaces

        live, own = self.place_of(document)
        of = live.segment.places
        return DocumentPlaces(self.profile.milestones, of.of(own) if of else DocumentMilestones())

    def _document_links(self) -> Iterator[list[DocumentLinks]]:
        for live in self.live:
            for block, documents in zip(live.segment.blocks, live.segment.document_links(), strict=False):
                # Deleted documents drop out; the others keep their order, so their numbers count up as in the index.
                kept, _ = live.documents.kept(np.arange(block.document, block.document + len(documents)))
                yield documents if isinstance(kept, slice) else [documents[place] for place in kept.tolist()]
