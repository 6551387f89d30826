"""Sources in, a segment out: jobs, workers, progress."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from trix.indexer.collection.source import Source
from trix.indexer.collection.spool import spool_archives
from trix.indexer.commit.commit import SegmentEntry
from trix.indexer.document.limits import DEFAULTS, Limits
from trix.indexer.languages.chains import Chains
from trix.indexer.profile.profile import Profile
from trix.indexer.write.chunk import Chunk, ChunkBuilder, SourceEntry
from trix.indexer.write.inverted.lists import ChunkLists, WaitingLists, write_postings
from trix.indexer.write.inverted.postings import Postings
from trix.indexer.write.inverted.waiting import Waiting, WaitingFiles
from trix.indexer.write.portion import portion
from trix.indexer.write.remarks import Remarks
from trix.indexer.write.segment_writer import SegmentWriter
from trix.support.pool import Pool, interrupts_held, processors
from trix.support.streams import compression_of

CHUNK_BYTES = 6 << 20
"""Source bytes of one chunk; the index does not depend on it."""

_FREED_BYTES = 31 << 20
"""Allocated and freed once: from then on glibc keeps what up to twice of that is freed at the end of its heap. As it
starts out, it gives the memory of a tree back to the system after each document, to be paged in again for the next."""

Progress = Callable[[int, int, int, int], None]


@dataclass(frozen=True)
class ReadingSettings:
    """How sources become a segment: the settings of an index, and who works.

    Attributes
    ----------
    profile, chains, positions, store
        As the index has them.
    strict
        Raise at the first source that cannot be read.
    jobs
        Processes; all cores if None. The segment is the same for any number.
    progress
        Told (bytes done, bytes in all, files done, files in all).
    limits
        How large a document may be.
    """

    profile: Profile
    chains: Chains
    positions: bool = False
    store: bool = False
    strict: bool = False
    limits: Limits = DEFAULTS
    jobs: int | None = None
    progress: Progress | None = None


def making_of(settings: Mapping[str, Any], where: str, **more: Any) -> ReadingSettings:
    """Return how the documents of an index are read.

    Parameters
    ----------
    settings
        Of its commit.
    where
        The index, for messages.
    more
        ``strict``, ``jobs``, ``progress``.
    """
    profile = Profile.from_dict(settings["profile"], where)
    chains = Chains(settings, profile.join_characters)
    limits = Limits.of(settings)
    return ReadingSettings(profile, chains, settings["positions"], settings["store"], limits=limits, **more)


@dataclass
class NewSegment:
    """A segment that was written.

    Attributes
    ----------
    name, size
        Its checksum and the bytes of its file; none where no source could be read.
    totals
        As `trix.indexer.store.segment.Segment` has them.
    sources
        Its sources.
    skipped
        Sources that could not be read, and why.
    notices
        What a user should know of single sources, one line each.
    remarks
        What there is to say of all documents.
    """

    name: str
    size: int
    totals: dict[str, int]
    sources: list[SourceEntry] = field(default_factory=list)
    skipped: list[tuple[Source, str]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    remarks: Remarks = field(default_factory=Remarks)

    @property
    def entry(self) -> SegmentEntry:
        """What a commit says of it."""
        return SegmentEntry.of_new(self.name, self.size, self.totals)


def notices_of(made: Sequence[NewSegment]) -> list[str]:
    """Return what a user should know of segments that were written together, one line each."""
    single = [notice for each in made for notice in each.notices]
    return [*Remarks.of_all([each.remarks for each in made]).notices(), *single]


def segment_from_sources(sources: Sequence[Source], target: Path, scratch: Path, making: ReadingSettings) -> NewSegment:
    """Read sources and write a segment of what can be read.

    Parameters
    ----------
    sources
        In order.
    target
        The file to be written; none is where no source could be read.
    scratch
        An empty folder for what is written on the way; it is empty in the end.
    making
        How.

    Raises
    ------
    TrixError
        A source cannot be read and that is not to be, or two documents have one id.
    """
    with ExitStack() as at_end:
        spooled = spool_archives(sources, scratch)
        jobs = making.jobs or processors()
        writer = SegmentWriter(scratch, making.profile, positions=making.positions, jobs=jobs)
        at_end.callback(writer.close)
        parts = list(_parts(sources))
        total = sum(source.size for source in sources)
        np.empty(_FREED_BYTES, np.uint8)
        if making.progress:
            making.progress(0, total, 0, len(sources))
        with interrupts_held():
            builder = ChunkBuilder(
                making.profile, making.chains, positions=making.positions, store=making.store, strict=making.strict,
                limits=making.limits,
            )  # fmt: skip
        made = NewSegment("", 0, writer.totals)
        done_bytes = done_files = 0
        waiting, files = Waiting(scratch), WaitingFiles()
        at_end.callback(waiting.close)
        at_end.callback(files.close)
        workers = Pool(_Worker(builder, waiting, spooled), min(jobs, len(parts)) or 1, remedy=_REMEDY, suspect=_largest)
        with workers as pool:
            for part, (chunk, lists) in _each_chunk(pool, parts):
                chunk.keys, chunk.words, chunk.titles = (each.keys for each in lists)
                of = ("content_elements", "documents", "elements")
                writer.add(
                    chunk,
                    *(
                        partial(ChunkLists, each, files, first=writer.totals[name])
                        for each, name in zip(lists, of, strict=True)
                    ),
                )
                made.skipped += chunk.skipped
                made.notices += chunk.notices
                made.remarks = Remarks.of_all([made.remarks, chunk.remarks])
                done_bytes += sum(source.size for source in part)
                done_files += len(part)
                if making.progress:
                    making.progress(done_bytes, total, done_files, len(sources))
        made.sources = writer.sources
        if writer.totals["documents"]:
            made.name, made.size = writer.finish(target)
        writer.close()
        waiting.close()
        files.close()
        for path in scratch.iterdir():
            path.unlink()
    return made


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Keep Python from looking for cycles, again and again, among the many small things that a chunk is made of."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


Part = Sequence[Source]
"""What one worker does at a time."""

_Made = tuple[Chunk, list[WaitingLists]]

_RATIO = 8
"""How many times as long as its compressed file a document is, about."""


_REMEDY = "try fewer `jobs`, or smaller `max_bytes` and `max_elements`"


def _largest(parts: Iterable[Part]) -> str:
    """Return, for a message, the largest of some sources."""
    found = max((source for part in parts for source in part), key=_weight, default=None)
    return f" the largest file under way was {found.where}" if found else ""


def _each_chunk(pool: Pool[Part, tuple[_Made, Part]], parts: Iterable[Part]) -> Iterator[tuple[Part, _Made]]:
    """Yield all chunks in order, each with its sources; what does not fit into the chunk of a part comes next."""
    for part, (made, rest) in pool.results(parts):
        yield part[: len(part) - len(rest)], made
        while rest:
            ((again, (made, rest)),) = pool.results([rest])
            yield again[: len(again) - len(rest)], made


def _parts(sources: Sequence[Source]) -> Iterator[Part]:
    """Cut the sources into parts of about `CHUNK_BYTES`."""
    part: list[Source] = []
    size = 0
    for source in sources:
        part.append(source)
        size += _weight(source)
        if size >= CHUNK_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _weight(source: Source) -> int:
    """Return about how many bytes of XML a source holds."""
    return source.size * _RATIO if compression_of(source.path) else source.size


class _Worker:
    """What each process does with a part; the posting lists stay on disk, the rest is handed back."""

    def __init__(self, builder: ChunkBuilder, waiting: Waiting, spooled: dict[str, str]) -> None:
        self.builder, self.waiting, self.spooled = builder, waiting, spooled

    def __call__(self, sources: Part) -> tuple[_Made, Part]:
        readable = [replace(s, location=self.spooled.get(s.location, s.location)) for s in sources]
        with _without_collecting():
            chunk, rest = portion(self.builder, readable)
        back = {spooled: location for location, spooled in self.spooled.items()}
        for entry in chunk.sources:
            entry.location = back.get(entry.location, entry.location)
        chunk.skipped = [(replace(s, location=back.get(s.location, s.location)), why) for s, why in chunk.skipped]
        keys, words, titles = (
            write_postings(each, self.waiting) for each in (chunk.postings, chunk.word_postings, chunk.title_postings)
        )
        if chunk.word_postings.numbers is chunk.postings.numbers:
            words = words._replace(keys=keys.keys)
        self.waiting.flush()
        chunk.postings = chunk.word_postings = chunk.title_postings = Postings()
        return (chunk, [keys, words, titles]), sources[len(sources) - len(rest) :]
