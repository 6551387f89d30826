"""Segment builders: in processes of this machine, or on a cluster, with equal results."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyroaring import BitMap

from trix.indexer.collection.source import Source
from trix.indexer.commit.commit import SegmentEntry
from trix.indexer.store.segment import Segment
from trix.indexer.write.from_sources import NewSegment, Progress, making_of, segment_from_sources
from trix.indexer.write.merge import merged_segment


@dataclass(frozen=True)
class SegmentBuilder:
    """Builds segments in a folder; files have their names in a commit.

    Attributes
    ----------
    jobs
        Worker processes of this machine; all cores if None.
    client
        Client of a cluster, whose workers access the same folders and build the segments.
    url
        Folder for segments of workers that cannot access folders of this machine.
    """

    jobs: int | None = None
    client: Any = None
    url: str | None = None

    def new(
        self,
        sources: Sequence[Source],
        folder: Path,
        settings: Mapping[str, Any],
        where: str,
        *,
        strict: bool = False,
        progress: Progress | None = None,
    ) -> list[NewSegment]:
        """Read sources into segments, in order: one segment, or several on a cluster.

        Parameters
        ----------
        sources
            Sources in order.
        folder
            Folder for the files.
        settings, where
            Settings of the index, and its name for messages.
        strict
            Raise at the first unreadable source.
        progress
            Callback with (bytes done, bytes in all, files done, files in all).

        Raises
        ------
        TrixError
            A source cannot be read in strict mode, or two documents have the same id.
        """
        if self.client is not None:
            from trix.cluster.making.segments import segments_on

            return segments_on(
                self.client, sources, folder, settings, where, strict=strict, progress=progress, url=self.url
            )
        making = making_of(settings, where, strict=strict, jobs=self.jobs, progress=progress)
        target = folder / "made"
        made = segment_from_sources(sources, target, _scratch(folder), making)
        return [_placed(made, target)]

    def merged(
        self,
        segments: Iterable[tuple[Segment, SegmentEntry, BitMap]],
        folder: Path,
        settings: Mapping[str, Any],
        where: str,
    ) -> NewSegment:
        """Merge neighbouring segments into one, without deleted documents."""
        if self.client is not None and self.url is None:
            from trix.cluster.making.segments import merged_on

            places = [(segment.sections.path.parent, entry, deleted) for segment, entry, deleted in segments]
            return merged_on(self.client, places, folder, settings, where)
        target, pairs = folder / "made", [(segment, deleted) for segment, _, deleted in segments]
        made = NewSegment(*merged_segment(pairs, target, _scratch(folder), making_of(settings, where)))
        return _placed(made, target)


def _placed(made: NewSegment, target: Path) -> NewSegment:
    if made.name:
        target.rename(target.with_name(made.entry.file))
    return made


def _scratch(folder: Path) -> Path:
    """Make an empty folder for temporary files."""
    scratch = folder / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    return scratch
