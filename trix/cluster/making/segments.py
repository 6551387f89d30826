"""Segments built and merged by the workers of a cluster, in a shared folder.

Sources are cut into slices in document order, and each becomes a segment. So the order of documents, and every answer,
is that of a single machine [LIVING, section 2]. A task needs the memory of one building process, a batch and a range of
keys, whatever the size of its slice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyroaring import BitMap

from trix.cluster.clusters import await_workers
from trix.cluster.tasks import NoRoom, no_room, results, scratch
from trix.errors import IndexError_
from trix.indexer.collection.source import Source
from trix.indexer.commit.commit import SegmentEntry
from trix.indexer.commit.remote import fetch_verified
from trix.indexer.profile.profile import Profile
from trix.indexer.store.live import open_segment
from trix.indexer.write.from_sources import NewSegment, Progress, making_of, segment_from_sources
from trix.indexer.write.merge import merged_segment
from trix.support.urls import is_url, joined, put

SMALLEST, LARGEST = 8 << 20, 1 << 30
"""Smallest and largest size of a slice in bytes of its sources."""

ROUNDS = 2
"""Slices per concurrent task: more balance the load better, fewer give fewer segments."""


@dataclass(frozen=True)
class _Slice:
    """Task: sources that become a segment in a folder."""

    sources: tuple[Source, ...]
    settings: Mapping[str, Any]
    where: str
    strict: bool
    folder: str


@dataclass(frozen=True)
class _Merger:
    """Task: segments, each with its deletions, that are merged into one in a folder."""

    segments: tuple[tuple[str, SegmentEntry, bytes], ...]
    settings: Mapping[str, Any]
    where: str
    folder: str


def segments_on(
    client: Any,
    sources: Sequence[Source],
    folder: Path,
    settings: Mapping[str, Any],
    where: str,
    *,
    strict: bool = False,
    progress: Progress | None = None,
    url: str | None = None,
) -> list[NewSegment]:
    """Build segments on a cluster, in files with their final names.

    Parameters
    ----------
    client
        Client of the cluster.
    sources
        Sources in document order.
    folder
        Folder of the files, which all workers see under this path.
    settings, where
        Settings of the index, and its name for messages.
    strict
        Raise at the first source that cannot be read.
    progress
        Called with (bytes done, total bytes, files done, total files) after each slice.
    url
        Remote folder for workers that do not see `folder`; the files are downloaded from there.

    Returns
    -------
    list of NewSegment
        In the order of the sources, without slices in which no source could be read.

    Raises
    ------
    TrixError
        A source cannot be read and `strict` is set, two documents have the same id, or a worker has no disk space.
    """
    cut = slices(sources, await_workers(client))
    tasks = [_Slice(tuple(each), settings, where, strict, url or str(folder)) for each in cut]
    made: dict[int, NewSegment] = {}
    total, done_bytes, done_files = sum(source.size for source in sources), 0, 0
    for number, found in results(client, build_slice, tasks):
        made[number] = found
        if url is not None and found.name:
            fetch_verified(url, found.entry, folder / found.entry.file)
        done_bytes += sum(source.size for source in cut[number])
        done_files += len(cut[number])
        if progress:
            progress(done_bytes, total, done_files, len(sources))
    ordered = [made[number] for number in range(len(tasks))]
    if Profile.from_dict(settings["profile"], where).id is not None:
        _refuse_common_ids(ordered, folder)
    return ordered


def slices(sources: Sequence[Source], at_a_time: int) -> list[list[Source]]:
    """Cut sources into slices of similar size, in order; a large source is its own slice.

    >>> from trix.indexer.collection.source import Source
    >>> sources = [Source(f"{n}.xml", f"/{n}.xml", None, SMALLEST // 2, 0, 0) for n in range(5)]
    >>> [len(each) for each in slices(sources, 1)], [len(each) for each in slices(sources, 100)]
    ([3, 2], [2, 2, 1])
    """
    total = sum(source.size for source in sources)
    size = min(max(-(-total // (ROUNDS * at_a_time)), SMALLEST), LARGEST)
    found: list[list[Source]] = []
    room = 0
    for source in sources:
        if not found or room <= 0:
            found.append([])
            room = size
        found[-1].append(source)
        room -= source.size
    return found


def build_slice(task: _Slice) -> NewSegment | NoRoom:
    """Build a segment; runs on a worker."""
    making = making_of(task.settings, task.where, strict=task.strict, jobs=1)
    try:
        with scratch() as own:
            remote = is_url(task.folder)
            aside = own / "made" if remote else Path(task.folder) / f"{own.name}.part"
            sections = own / "sections"
            sections.mkdir()
            try:
                made = segment_from_sources(task.sources, aside, sections, making)
                if made.name and remote:
                    put(aside, joined(task.folder, made.entry.file))
                elif made.name:
                    aside.rename(aside.with_name(made.entry.file))
            finally:
                aside.unlink(missing_ok=True)
            return made
    except OSError as error:
        return no_room(error, task.folder)


def merge_slice(task: _Merger) -> NewSegment | NoRoom:
    """Merge segments; runs on a worker."""
    making = making_of(task.settings, task.where, jobs=1)
    pairs = [
        (open_segment(Path(folder), entry), BitMap.deserialize(deleted) if deleted else BitMap())
        for folder, entry, deleted in task.segments
    ]
    try:
        with scratch() as own:
            aside = Path(task.folder) / f"{own.name}.part"
            try:
                made = NewSegment(*merged_segment(pairs, aside, own, making))
                aside.rename(aside.with_name(made.entry.file))
            finally:
                aside.unlink(missing_ok=True)
            return made
    except OSError as error:
        return no_room(error, task.folder)


def merged_on(
    client: Any,
    segments: Iterable[tuple[Path, SegmentEntry, BitMap]],
    folder: Path,
    settings: Mapping[str, Any],
    where: str,
) -> NewSegment:
    """Merge adjacent segments on a cluster, into a file with its final name.

    Parameters
    ----------
    client
        Client of the cluster.
    segments
        For each segment in order: its folder, its entry in the commit, its deletions.
    folder, settings, where
        As for `segments_on`.

    Raises
    ------
    TrixError
        A segment is damaged, or a worker has no disk space.
    """
    await_workers(client)
    rows = tuple((str(place), entry, deleted.serialize() if deleted else b"") for place, entry, deleted in segments)
    return next(iter(results(client, merge_slice, [_Merger(rows, settings, where, str(folder))])))[1]


def _refuse_common_ids(made: Sequence[NewSegment], folder: Path) -> None:
    """Raise an error for documents of different slices with the same id, as the segment writer does within one."""
    seen: dict[str, str] = {}
    for each in made:
        if not each.name:
            continue
        segment = open_segment(folder, each.entry)
        for number in range(len(segment)):
            document_id = segment.ids[number]
            here = segment.source(int(segment.documents[number, 3])).path
            if document_id in seen:
                there = seen[document_id]
                raise IndexError_(f"two documents have the id {document_id!r}: {there} and {here}; ids must be unique")
            seen[document_id] = here
