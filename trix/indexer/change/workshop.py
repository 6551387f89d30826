"""Where segments are made: in processes of this machine, or on a cluster; they are equal in what they say."""

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
class Workshop:
    """Makes segments in a folder; their files have the names that a commit gives them.

    Attributes
    ----------
    jobs
        Worker processes of this machine; all cores if None.
    client
        Of a cluster, whose workers see the same folders and make the segments then.
    url
        A folder that workers put segments to, where they do not see those of this machine.
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
        """Read sources; return what was made of them, in order: one segment, or on a cluster several.

        Parameters
        ----------
        sources
            In order.
        folder
            Where the files go.
        settings, where
            Of the index, and its name for messages.
        strict
            Raise at the first source that cannot be read.
        progress
            Told (bytes done, bytes in all, files done, files in all).

        Raises
        ------
        TrixError
            A source cannot be read and that is not to be, or two documents have one id.
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
        """Make one segment of neighbours, without what is deleted of them."""
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
    """Return an empty folder for what is written on the way."""
    scratch = folder / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    return scratch
