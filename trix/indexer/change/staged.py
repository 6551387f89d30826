"""Segment during a write session, with its deletions so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from pyroaring import BitMap

from trix.indexer.commit.commit import SegmentEntry
from trix.indexer.store.segment import Segment


@dataclass
class WriterSegment:
    """Segment of the index, or of the next commit.

    Attributes
    ----------
    entry
        Entry in the last commit; a new segment has no deletions.
    segment
        Opened segment.
    deleted
        Documents deleted so far.
    """

    entry: SegmentEntry
    segment: Segment
    deleted: BitMap = field(default_factory=BitMap)

    @classmethod
    def of(cls, entry: SegmentEntry, segment: Segment) -> WriterSegment:
        """Open a segment as in its commit."""
        return cls(entry, segment, entry.deleted.copy())

    @property
    def documents(self) -> int:
        """Number of live documents."""
        return len(self.segment) - len(self.deleted)

    def document(self, wanted: bytes) -> int:
        """Look up a live document by the bytes of its id; -1 if there is none."""
        number = self.segment.document(wanted)
        return -1 if number < 0 or number in self.deleted else number

    def alive(self) -> Iterable[int]:
        """Yield the numbers of its live documents."""
        return (number for number in range(len(self.segment)) if number not in self.deleted)

    def settled(self) -> SegmentEntry:
        """Return the entry for the next commit: totals of the last one minus the deletions since."""
        gone = np.array(self.deleted - self.entry.deleted, np.int64)
        if not gone.size:
            return self.entry
        segment, totals = self.segment, dict(self.entry.totals)
        begins, ends = segment.first_contents[gone], segment.ends(1)[gone]
        filled = begins < ends
        totals["documents"] -= gone.size
        totals["elements"] -= int((segment.ends(0)[gone] - segment.first_elements[gone]).sum())
        totals["content_elements"] -= int((ends - begins).sum())
        totals["tokens"] -= int(segment.elements.tokens(begins[filled], ends[filled]).sum())
        homes = segment.documents[:, 3]
        kept = np.ones(len(segment), bool)
        kept[np.array(self.deleted, np.int64)] = False
        # The bytes of a source are gone with the last of its documents.
        for source in np.setdiff1d(homes[gone], homes[kept]).tolist():
            totals["xml_bytes"] -= segment.source(source).size
        return SegmentEntry(self.entry.name, self.entry.size, totals, self.deleted.copy())
