"""The links of an index: those of all documents that live, resolved together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from trix.errors import IndexError_
from trix.indexer.languages.of_index import WithSettings
from trix.indexer.store.documents import DocumentTable
from trix.indexer.store.links import DocumentLinks, resolve_links
from trix.indexer.store.live import LiveSegment
from trix.support.arrays import Ints


class LinkedDocuments(DocumentTable, WithSettings):
    """Documents of some segments, and the links between them.

    Attributes
    ----------
    indexes : list of list of LiveSegment
        The segments of each index, where several are read as one.
    """

    indexes: list[list[LiveSegment]]

    @property
    def is_one(self) -> bool:
        """Whether it is one segment of which nothing is deleted, whose numbers are the index's."""
        return len(self.live) == 1 and self.live[0].is_whole

    @cached_property
    def open_links(self) -> int:
        """How many links lead to nothing in the index."""
        return int(self._links[2])

    @property
    def has_links(self) -> bool:
        """Whether links are known: where the profile names any."""
        return bool(self.profile.links)

    @property
    def links(self) -> tuple[Ints, Ints]:
        """Return the sources and the targets of all links, element numbers by source, then by target.

        Raises
        ------
        IndexError_
            The profile names no links.
        """
        if not self.has_links:
            raise IndexError_(
                f"{self.path}: the index has no links: its profile {self.profile.name} names none; build it anew with "
                "[links] in the profile"
            )
        return self._links[:2]

    @cached_property
    def _links(self) -> tuple[Ints, Ints, int]:
        if self.is_one:
            own = self.live[0].segment
            sources, targets = own.resolved_links
            return sources.astype(np.int32), targets.astype(np.int32), own.facts["links"]["open"]
        numbers = [(live.segment, number) for live in self.live for number in live.documents.alive()]
        ids = [segment.ids[number] for segment, number in numbers]
        paths = [segment.path_of(number) for segment, number in numbers]
        ends_of = [segments[-1].behind[0] for segments in self.indexes if segments]
        elements = self.totals["elements"]
        pairs, lost = resolve_links(self._document_links, ids, paths, self.first_elements, elements, ends_of)
        return pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), lost

    def _document_links(self) -> Iterator[list[DocumentLinks]]:
        for live in self.live:
            for block, documents in zip(live.segment.blocks, live.segment.document_links(), strict=False):
                kept, _ = live.documents.kept(np.arange(block.document, block.document + len(documents)))
                yield documents if isinstance(kept, slice) else [documents[place] for place in kept.tolist()]
