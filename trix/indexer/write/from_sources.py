"""Sources in, a segment out: jobs, workers, progress."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread, current_thread, main_thread

import numpy as np

from trix.errors import IndexError_
from trix.indexer.collection.source import Source
from trix.indexer.collection.spool import spool_archives
from trix.indexer.profile.profile import Profile
from trix.indexer.words.analyzer import Analyzer
from trix.indexer.write.chunk import Chunk, ChunkBuilder, SourceEntry
from trix.indexer.write.lists import ChunkLists
from trix.indexer.write.segment_writer import SegmentWriter
from trix.support import backend

CHUNK_BYTES = 6 << 20
"""Source bytes of one chunk; the index does not depend on it."""

_FEW_BYTES = 4 << 20
"""Below this a single process without compiled loops is quicker than starting up."""

_FREED_BYTES = 31 << 20
"""Allocated and freed once: from then on glibc keeps what up to twice of that is freed at the end of its heap. As it
starts out, it gives the memory of a tree back to the system after each document, to be paged in again for the next."""

Progress = Callable[[int, int, int, int], None]


@dataclass(frozen=True)
class Making:
    """How sources become a segment: the settings of an index, and who works.

    Attributes
    ----------
    profile, analyzer, positions, store
        As the index has them.
    strict
        Raise at the first source that cannot be read.
    jobs
        Processes; all cores if None. The segment is the same for any number.
    progress
        Told (bytes done, bytes in all, files done, files in all).
    """

    profile: Profile
    analyzer: Analyzer
    positions: bool = False
    store: bool = False
    strict: bool = False
    jobs: int | None = None
    progress: Progress | None = None


@dataclass
class Made:
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
        What a user should know, one line each.
    """

    name: str
    size: int
    totals: dict[str, int]
    sources: list[SourceEntry] = field(default_factory=list)
    skipped: list[tuple[Source, str]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def segment_from_sources(sources: Sequence[Source], target: Path, scratch: Path, making: Making) -> Made:
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
    with backend.using(backend.Backend()) as own, ExitStack() as at_end:
        spooled = spool_archives(sources, scratch)
        jobs = making.jobs or os.cpu_count() or 1
        declared = making.profile.namespaces.values()
        writer = SegmentWriter(scratch, positions=making.positions, namespaces=declared, jobs=jobs)
        at_end.callback(writer.close)
        parts = list(_parts(sources))
        total = sum(source.size for source in sources)
        if total > _FEW_BYTES:
            own.prefer_numba()
        np.empty(_FREED_BYTES, np.uint8)
        with _interrupts_held():
            builder = ChunkBuilder(
                making.profile, making.analyzer, positions=making.positions, store=making.store, strict=making.strict
            )
        worker = _Worker(builder, scratch, spooled, own)
        made = Made("", 0, writer.totals)
        done_bytes = done_files = 0
        for number, chunk in enumerate(at_end.enter_context(closing(_run(worker, parts, min(jobs, len(parts)))))):
            path, starts, first = scratch / str(number), chunk.key_starts, writer.totals["content_elements"]
            writer.add(
                chunk,
                lambda ranks, path=path, starts=starts, first=first: ChunkLists(  # type: ignore[misc]
                    path, ranks, starts, first, making.positions
                ),
            )
            made.skipped += chunk.skipped
            made.notices += chunk.notices
            done_bytes += sum(source.size for source in parts[number])
            done_files += len(parts[number])
            if making.progress:
                making.progress(done_bytes, total, done_files, len(sources))
        made.sources = writer.sources
        if writer.totals["documents"]:
            made.name, made.size = writer.finish(target)
        writer.close()
        for path in scratch.iterdir():
            path.unlink()
    return made


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let an interrupt wait while the compiled loops are loaded, in callbacks of which it would be lost."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler or current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if came:
        raise KeyboardInterrupt


def _parts(sources: Sequence[Source]) -> Iterator[list[Source]]:
    """Cut the sources into parts of about `CHUNK_BYTES`."""
    part: list[Source] = []
    size = 0
    for number, source in enumerate(sources):
        part.append(source)
        size += source.size
        if size >= CHUNK_BYTES or number == len(sources) - 1:
            yield part
            part, size = [], 0


class _Worker:
    """What each process does with a part; the posting lists stay on disk, the rest is handed back."""

    def __init__(self, builder: ChunkBuilder, scratch: Path, spooled: dict[str, str], own: backend.Backend) -> None:
        self.builder, self.scratch, self.spooled, self.backend = builder, scratch, spooled, own

    def __call__(self, number: int, sources: list[Source]) -> Chunk:
        readable = [replace(s, location=self.spooled.get(s.location, s.location)) for s in sources]
        chunk = self.builder.build(readable)
        back = {spooled: location for location, spooled in self.spooled.items()}
        for entry in chunk.sources:
            entry.location = back.get(entry.location, entry.location)
        chunk.skipped = [(replace(s, location=back.get(s.location, s.location)), why) for s, why in chunk.skipped]
        names = ("contents", "tf", "positions") if chunk.positions is not None else ("contents", "tf")
        for name in names:
            np.save(self.scratch / f"{number}.{name}.npy", getattr(chunk, name))
        chunk.contents = chunk.tf = np.zeros(0, np.int32)
        chunk.positions = None
        return chunk


_worker: _Worker | None = None


def _start(worker: _Worker) -> None:
    """Set up a worker process; it ends when the process that started it does."""
    global _worker
    _worker = worker
    backend.adopt(worker.backend)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started it hears it too, and ends it
    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel

        def watch() -> None:
            wait([sentinel])
            os._exit(1)

        Thread(target=watch, daemon=True).start()


def _work(number: int, sources: list[Source]) -> Chunk:
    if _worker is None:
        raise RuntimeError("the worker process was not set up")
    return _worker(number, sources)


def _run(worker: _Worker, parts: Sequence[list[Source]], jobs: int) -> Generator[Chunk, None, None]:
    """Yield the chunks of the parts in order."""
    if jobs < 2:
        for number, sources in enumerate(parts):
            yield worker(number, sources)
        return
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else None)
    pool = ProcessPoolExecutor(jobs, context, _start, (worker,))
    try:
        yield from _in_order(pool, parts, 2 * jobs)
    except BrokenProcessPool:
        raise IndexError_("a worker process was ended from outside (out of memory?); try fewer `jobs`") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _in_order(pool: ProcessPoolExecutor, parts: Sequence[list[Source]], ahead: int) -> Iterable[Chunk]:
    """Yield results in order, with no more than `ahead` parts under way or waiting."""
    waiting: list[Future[Chunk]] = []
    todo = iter(enumerate(parts))
    while True:
        while len(waiting) < ahead:
            following = next(todo, None)
            if following is None:
                break
            number, sources = following
            waiting.append(pool.submit(_work, number, sources))
        if not waiting:
            return
        yield waiting.pop(0).result()
