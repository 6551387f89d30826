"""Parallel build of a segment from sources: batches, workers, progress."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from trix.indexer.collection.source import Source
from trix.indexer.collection.tars import decompressed
from trix.indexer.commit.commit import SegmentEntry
from trix.indexer.document.limits import DEFAULTS, DocumentLimits
from trix.indexer.languages.chains import Chains
from trix.indexer.profile.profile import Profile
from trix.indexer.write.batch import DocumentBatch, SegmentPart, SourceEntry
from trix.indexer.write.builder import BatchBuilder, BatchRead
from trix.indexer.write.inverted.lists import BatchLists, SpilledLists, write_postings
from trix.indexer.write.inverted.spill import SpillFile, SpillFiles
from trix.indexer.write.portion import portion
from trix.indexer.write.remarks import Remarks
from trix.indexer.write.segment_writer import SegmentWriter
from trix.indexer.write.sets import Sets, shifted
from trix.support.pool import Pool, interrupts_deferred, processors
from trix.support.streams import compression_of

BATCH_BYTES = 6 << 20
"""Source bytes per batch; the index does not depend on it."""

_FREED_BYTES = 31 << 20
"""Allocated and freed once, which raises glibc's threshold for returning memory to twice the size. Otherwise the
memory of a tree would be returned after each document and paged in again for the next.
"""

Progress = Callable[[int, int, int, int], None]


@dataclass(frozen=True)
class ReadingSettings:
    """Settings for reading sources into a segment.

    Attributes
    ----------
    profile, chains, positions, store
        As in the index.
    strict
        Raise at the first unreadable source.
    jobs
        Number of processes; all cores if None. The segment does not depend on it.
    progress
        Callback with (bytes done, bytes in all, files done, files in all).
    limits
        Size limits of a document.
    recover
        Repair files that are not well-formed.
    """

    profile: Profile
    chains: Chains
    positions: bool = False
    store: bool = False
    strict: bool = False
    limits: DocumentLimits = DEFAULTS
    recover: bool = False
    jobs: int | None = None
    progress: Progress | None = None


def making_of(settings: Mapping[str, Any], where: str, **more: Any) -> ReadingSettings:
    """Make the reading settings of an index.

    Parameters
    ----------
    settings
        Settings of the commit.
    where
        Name of the index, for messages.
    more
        ``strict``, ``jobs``, ``progress``.
    """
    profile = Profile.from_dict(settings["profile"], where)
    chains = Chains(settings, profile.join_characters)
    limits = DocumentLimits.of(settings)
    recover = settings.get("recover", False)
    return ReadingSettings(
        profile, chains, settings["positions"], settings["store"], limits=limits, recover=recover, **more
    )


@dataclass
class NewSegment:
    """Segment that was just written.

    Attributes
    ----------
    name, size
        Checksum, and bytes of the file; empty if no source could be read.
    totals
        As in `trix.indexer.store.segment.Segment`.
    sources
        Its sources.
    skipped
        Sources that could not be read, with the reason.
    notices
        Messages about single sources, one line each.
    remarks
        Statistics for messages about all documents.
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
        """Entry in a commit."""
        return SegmentEntry.of_new(self.name, self.size, self.totals)


def notices_of(made: Sequence[NewSegment]) -> list[str]:
    """Return the messages about segments that were written together, one line each."""
    single = [notice for each in made for notice in each.notices]
    return [*Remarks.of_all([each.remarks for each in made]).notices(), *single]


def segment_from_sources(sources: Sequence[Source], target: Path, scratch: Path, making: ReadingSettings) -> NewSegment:
    """Read sources and write a segment of the readable ones.

    Parameters
    ----------
    sources
        Sources in order.
    target
        File to write; none is written if no source is readable.
    scratch
        Empty folder for temporary files; empty again at the end.
    making
        Reading settings.

    Raises
    ------
    TrixError
        A source cannot be read in strict mode, or two documents have the same id.
    """
    with ExitStack() as at_end:
        # Compressed tars are unpacked once, for random access by workers.
        spooled = decompressed((each.location for each in sources if each.offset is not None), scratch)
        jobs = making.jobs or processors()
        writer = SegmentWriter(scratch, making.profile, positions=making.positions, jobs=jobs)
        at_end.callback(writer.close)
        parts = list(_parts(sources))
        total = sum(source.size for source in sources)
        np.empty(_FREED_BYTES, np.uint8)
        if making.progress:
            # Reports the totals before the first batch is done.
            making.progress(0, total, 0, len(sources))
        # The builder loads shared tables; an interrupt in between would leave them half-built.
        with interrupts_deferred():
            builder = BatchBuilder(
                making.profile, making.chains, positions=making.positions, store=making.store, strict=making.strict,
                limits=making.limits, recover=making.recover,
            )  # fmt: skip
        made = NewSegment("", 0, writer.totals)
        done_bytes = done_files = 0
        spill, files = SpillFile(scratch), SpillFiles()
        at_end.callback(spill.close)
        at_end.callback(files.close)
        workers = Pool(
            _BatchWorker(builder, spill, spooled), min(jobs, len(parts)) or 1, remedy=_REMEDY, suspect=_largest
        )
        # Workers spill posting lists to disk and return the rest; batches are appended in order.
        with workers as pool:
            for read, done in _each_batch(pool, parts):
                writer.add(_segment_part(done, files, writer.totals))
                made.skipped += done.skipped
                made.notices += done.notices
                made.remarks = Remarks.of_all([made.remarks, done.remarks])
                # Progress counts finished batches, in order.
                done_bytes += sum(source.size for source in read)
                done_files += len(read)
                if making.progress:
                    making.progress(done_bytes, total, done_files, len(sources))
        made.sources = writer.sources
        if writer.totals["documents"]:
            made.name, made.size = writer.finish(target)
        writer.close()
        spill.close()
        files.close()
        for path in scratch.iterdir():
            path.unlink()
    return made


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Disable Python's cycle collector, which would repeatedly scan the many small objects of a batch."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


Part = Sequence[Source]
"""Unit of work of a worker."""


class _SpilledBatch(NamedTuple):
    """Result of a worker: like `BatchRead`, with the posting lists on disk."""

    batch: DocumentBatch
    sets: Sets
    lists: tuple[SpilledLists, SpilledLists, SpilledLists]
    skipped: list[tuple[Source, str]]
    notices: list[str]
    remarks: Remarks


def _segment_part(made: _SpilledBatch, files: SpillFiles, totals: Mapping[str, int]) -> SegmentPart:
    """Make the next part of a segment, given its totals so far."""
    keys, words, titles = (
        (lists.keys, partial(BatchLists, lists, files, first=totals[name]))
        # Lists of keys, words and titles count content elements, documents and elements.
        for lists, name in zip(made.lists, ("content_elements", "documents", "elements"), strict=True)
    )
    return SegmentPart(made.batch, shifted(made.sets, totals["elements"]), keys, words, titles)


_RATIO = 8
"""Approximate compression ratio of documents."""


_REMEDY = "try fewer `jobs`, or smaller `max_bytes` and `max_elements`"


def _largest(parts: Iterable[Part]) -> str:
    """Name the largest source in some parts, for a message."""
    found = max((source for part in parts for source in part), key=_weight, default=None)
    return f" the largest file under way was {found.where}" if found else ""


def _each_batch(
    pool: Pool[Part, tuple[_SpilledBatch, Part]], parts: Iterable[Part]
) -> Iterator[tuple[Part, _SpilledBatch]]:
    """Yield all batches in order, with their sources. Sources that did not fit into a batch form the next one."""
    for part, (made, rest) in pool.results(parts):
        yield part[: len(part) - len(rest)], made
        # The rest forms further batches, yielded before the next part, so that the order is kept.
        while rest:
            ((again, (made, rest)),) = pool.results([rest])
            yield again[: len(again) - len(rest)], made


def _parts(sources: Sequence[Source]) -> Iterator[Part]:
    """Split the sources into parts of about `BATCH_BYTES`."""
    part: list[Source] = []
    size = 0
    for source in sources:
        part.append(source)
        # Cut by sizes alone: the same batches for any number of workers.
        size += _weight(source)
        if size >= BATCH_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _weight(source: Source) -> int:
    """Estimate the bytes of XML in a source."""
    return source.size * _RATIO if compression_of(source.path) else source.size


class _BatchWorker:
    """Function of a worker process: builds batches, spills posting lists to disk, returns the rest."""

    def __init__(self, builder: BatchBuilder, spill: SpillFile, spooled: dict[str, str]) -> None:
        self.builder, self.spill, self.spooled = builder, spill, spooled

    def __call__(self, sources: Part) -> tuple[_SpilledBatch, Part]:
        readable = [replace(s, location=self.spooled.get(s.location, s.location)) for s in sources]
        with _without_collecting():
            read, rest = portion(self.builder, readable)
        return self._made(read), sources[len(sources) - len(rest) :]

    def _made(self, read: BatchRead) -> _SpilledBatch:
        batch, skipped = read.batch, read.skipped
        if self.spooled:  # restore the original locations of sources read from scratch files
            found = {spooled: location for location, spooled in self.spooled.items()}
            entries = [replace(entry, location=found.get(entry.location, entry.location)) for entry in batch.sources]
            batch = replace(batch, sources=entries)
            skipped = [(replace(s, location=found.get(s.location, s.location)), why) for s, why in skipped]
        keys, words, titles = (write_postings(each, self.spill) for each in read.postings)
        # Without stemming, words are keys: with the same `PartKeys` they are ranked only once.
        if read.postings.words.numbers is read.postings.keys.numbers:
            words = words._replace(keys=keys.keys)
        self.spill.flush()
        return _SpilledBatch(batch, read.sets, (keys, words, titles), skipped, read.notices, read.remarks)
