"""Collections in, an index out: jobs, workers, progress."""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from trix.errors import SourceError, UsageError
from trix.indexer.collection.find import Source, find_sources
from trix.indexer.collection.spool import spool_archives
from trix.indexer.pick import pick_profile
from trix.indexer.profile.profile import Profile
from trix.indexer.store.folder import building, check_target, publish
from trix.indexer.store.manifest import FORMAT, MANIFEST, digest_file, write_manifest
from trix.indexer.words.analyzer import Analyzer
from trix.indexer.write.chunk import Chunk, ChunkBuilder
from trix.indexer.write.segment_writer import SegmentWriter
from trix.support import backend
from trix.support.pool import Pool, interrupts_held, processors

CHUNK_BYTES = 6 << 20
"""Source bytes of one chunk; part of what makes an index the same for any number of workers."""

_FEW_BYTES = 4 << 20
"""Below this a single process without compiled loops is quicker than starting up."""

_FREED_BYTES = 31 << 20
"""Allocated and freed once: from then on glibc keeps what up to twice of that is freed at the end of its heap. As it
starts out, it gives the memory of a tree back to the system after each document, to be paged in again for the next."""

Progress = Callable[[int, int, int, int], None]


@dataclass(frozen=True)
class Skipped:
    """A source that is not in the index: its `path`, and the `reason`."""

    path: str
    reason: str


@dataclass
class BuildSummary:
    """What was built.

    Attributes
    ----------
    documents, elements, content_elements
        How many of them are in the index.
    keys, postings
        Different keys, and pairs of a key and a content element that holds it.
    tokens
        Keys, each as often as it stands in content elements.
    xml_bytes, index_bytes
        Sizes of the sources that were read, and of the index.
    skipped
        Sources that are not in the index.
    seconds
        How long it took.
    profile
        Name of the profile.
    notices
        What a user should know, one line each.
    ignored
        Files of the collections beside the documents: how many of each ending (lower case, with its dot).
    """

    documents: int = 0
    elements: int = 0
    content_elements: int = 0
    keys: int = 0
    postings: int = 0
    tokens: int = 0
    xml_bytes: int = 0
    index_bytes: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    seconds: float = 0.0
    profile: str = ""
    notices: list[str] = field(default_factory=list)
    ignored: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        return asdict(self)


def build(
    sources: str | PathLike[str] | Sequence[str | PathLike[str]],
    index: str | PathLike[str],
    *,
    profile: str | PathLike[str] | Profile = "auto",
    stem: str = "porter",
    stop: str = "default",
    jobs: int | None = None,
    positions: bool = False,
    strict: bool = False,
    store: bool = False,
    overwrite: bool = False,
    glob: Sequence[str] = (),
    progress: Progress | None = None,
) -> BuildSummary:
    """Build an index from collections of XML.

    Parameters
    ----------
    sources
        Folders, files, archives, ``@FILE`` lists; see `trix.indexer.collection.find`.
    index
        The folder to be written; it is there at the end, whole, or not at all.
    profile
        A preset, a TOML file, a `Profile`, or ``"auto"``: picked from the root elements.
    stem, stop
        See `trix.indexer.words.analyzer.Analyzer`.
    jobs
        Worker processes; all cores by default. The index is the same for any number.
    positions
        Keep the ordinals of keys, for exact phrases.
    strict
        Stop at the first file that cannot be read instead of skipping it.
    store
        Keep a compressed copy of the sources in the index, so that texts can be shown without them.
    overwrite
        Replace an index that is there.
    glob
        File patterns in place of ``*.xml`` and its compressed forms.
    progress
        Told (bytes done, bytes in all, files done, files in all).

    Raises
    ------
    TrixError
        A source, the profile, an option or the target is wrong.
    """
    began = time.perf_counter()
    if jobs is not None and jobs < 1:
        raise UsageError("expected a number of processes, 1 or more", field="jobs", got=jobs)
    target = Path(os.path.abspath(index))
    check_target(target, overwrite)
    given = [sources] if isinstance(sources, str | PathLike) else list(sources)
    if not given:
        raise UsageError("no collection given; name a folder, file, archive or @list")
    summary = BuildSummary()
    unreadable: list[SourceError] = []
    own_ids = isinstance(profile, Profile) and profile.id is not None
    ignored: Counter[str] = Counter()
    found = find_sources(
        given, glob, warn=summary.notices.append, unique=not own_ids, skip=unreadable.append, ignored=ignored
    )
    summary.ignored = dict(sorted(ignored.items()))
    if strict and unreadable:
        raise unreadable[0]
    summary.skipped += [Skipped(error.path, error.reason) for error in unreadable]
    chosen, reason = pick_profile(profile, found)
    if reason:
        summary.notices.append(reason)
    summary.profile = chosen.name
    analyzer = Analyzer(stem, stop, join=chosen.join_characters)
    with backend.using(backend.Backend()) as own, building(target) as folder, ExitStack() as at_end:
        scratch, ready = folder / "scratch", folder / "index"
        scratch.mkdir()
        ready.mkdir()
        spooled = spool_archives(found, scratch)
        threads = jobs or processors()
        declared = chosen.namespaces.values()
        writer = SegmentWriter(ready, scratch, positions=positions, store=store, namespaces=declared, jobs=threads)
        at_end.callback(writer.close)
        parts = list(_parts(found))
        total = sum(source.size for source in found)
        if total > _FEW_BYTES:
            own.prefer_numba()
        np.empty(_FREED_BYTES, np.uint8)
        with interrupts_held():
            builder = ChunkBuilder(chosen, analyzer, positions=positions, store=store, strict=strict)
        done_bytes = done_files = 0
        with Pool(_Worker(builder, scratch, spooled), min(threads, len(parts))) as pool:
            for part, chunk in pool.results(parts):
                writer.add(chunk)
                summary.skipped += [Skipped(*skipped) for skipped in chunk.skipped]
                summary.notices += chunk.notices
                done_bytes += sum(source.size for source in part.sources)
                done_files += len(part.sources)
                if progress:
                    progress(done_bytes, total, done_files, len(found))
        if not writer.totals["documents"]:
            first = f": {summary.skipped[0].path}: {summary.skipped[0].reason}" if summary.skipped else ""
            raise SourceError(f"none of the {len(found)} files could be read{first}", str(given[0]))
        segment = writer.finish()
        files = {path.name: [path.stat().st_size, digest_file(path)] for path in sorted(ready.iterdir())}
        write_manifest(
            ready / MANIFEST,
            {
                "format": FORMAT,
                "settings": {
                    "profile": chosen.to_dict(),
                    "stem": analyzer.stem,
                    "stop": stop,
                    "stopwords": sorted(analyzer.stopwords),
                    "positions": positions,
                    "store": store,
                },
                "segment": segment,
                "skipped": [[skipped.path, skipped.reason] for skipped in summary.skipped],
                "files": files,
            },
        )
        summary.index_bytes = sum(path.stat().st_size for path in ready.iterdir())
        shutil.rmtree(scratch)
        publish(ready, target)
    for name in ("documents", "elements", "content_elements", "keys", "postings", "tokens", "xml_bytes"):
        setattr(summary, name, int(writer.totals[name]))
    summary.seconds = time.perf_counter() - began
    return summary


class Part(NamedTuple):
    """What one worker does at a time: `first` is the number of its first source among all."""

    number: int
    first: int
    sources: list[Source]


def _parts(sources: Sequence[Source]) -> Iterator[Part]:
    """Cut the sources into parts of about `CHUNK_BYTES`."""
    part: list[Source] = []
    size = count = 0
    for number, source in enumerate(sources):
        part.append(source)
        size += source.size
        if size >= CHUNK_BYTES or number == len(sources) - 1:
            yield Part(count, number + 1 - len(part), part)
            part, size, count = [], 0, count + 1


class _Worker:
    """What each process does with a part; the posting lists stay on disk, the rest is handed back."""

    def __init__(self, builder: ChunkBuilder, scratch: Path, spooled: dict[str, str]) -> None:
        self.builder, self.scratch, self.spooled = builder, scratch, spooled

    def __call__(self, part: Part) -> Chunk:
        number, first, sources = part
        readable = [replace(s, location=self.spooled.get(s.location, s.location)) for s in sources]
        chunk = self.builder.build(first, readable)
        for entry, source in zip(chunk.sources, sources, strict=True):
            entry.location = source.location
        names = ("contents", "tf", "positions") if chunk.positions is not None else ("contents", "tf")
        for name in names:
            np.save(self.scratch / f"{number}.{name}.npy", getattr(chunk, name))
        chunk.contents = chunk.tf = np.zeros(0, np.int32)
        chunk.positions = None
        return chunk
