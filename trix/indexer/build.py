"""Building an index from collections."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from trix.errors import SourceError, UsageError
from trix.indexer.change.new_index import NewIndexOptions
from trix.indexer.change.origins import Origins
from trix.indexer.change.segment_builder import SegmentBuilder
from trix.indexer.change.states import skipped_row, state_of
from trix.indexer.collection.find import find_sources
from trix.indexer.commit.commit import Commit, commit_numbers, write_commit
from trix.indexer.commit.folder import building, check_target, publish
from trix.indexer.commit.locks import replacing
from trix.indexer.commit.states import write_states
from trix.indexer.profile.profile import Profile
from trix.indexer.store.live import open_segment
from trix.indexer.store.segment import Segment
from trix.indexer.words.variants import Given
from trix.indexer.write.from_sources import Progress, notices_of
from trix.indexer.write.remarks import Remarks
from trix.support.urls import is_url


@dataclass(frozen=True)
class Skipped:
    """Source that is not in the index: its `path`, and the `reason`."""

    path: str
    reason: str


@dataclass
class BuildSummary:
    """Summary of a build.

    Attributes
    ----------
    documents, elements, content_elements
        Number of each in the index.
    keys, postings
        Number of distinct keys, and of pairs (key, content element).
    tokens
        Number of occurrences of keys.
    xml_bytes, index_bytes
        Size of the sources, and of the index.
    skipped
        Sources that are not in the index.
    seconds
        Wall-clock time.
    profile
        Name of the profile.
    notices
        Messages for the user, one line each.
    ignored
        Number of files that are no documents, by extension (lower case, with its dot).
    languages
        Number of elements per language that documents name, most frequent first.
    quiet
        Number of content elements in headers, references and the like, by the tag of that part, most frequent first.
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
    languages: dict[str, int] = field(default_factory=dict)
    quiet: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        return asdict(self)


def build(
    sources: str | PathLike[str] | Sequence[str | PathLike[str]],
    index: str | PathLike[str],
    *,
    profile: str | PathLike[str] | Profile = "auto",
    stem: str | None = None,
    stop: str = "default",
    jobs: int | None = None,
    positions: bool = True,
    strict: bool = False,
    store: bool = False,
    overwrite: bool = False,
    glob: Sequence[str] = (),
    accents: str = "fold",
    variants: Given = None,
    language: str | None = None,
    max_elements: int | None = None,
    max_bytes: int | None = None,
    recover: bool = False,
    progress: Progress | None = None,
    client: Any = None,
) -> BuildSummary:
    """Build an index from collections of XML.

    Parameters
    ----------
    sources
        Folders, files, archives, ``@FILE`` lists or URLs; see `trix.indexer.collection.find`.
    index
        Target folder or URL. It appears complete at the end, or not at all.
    profile
        Preset, TOML file, `Profile`, or ``"auto"`` to choose by the root elements.
    stem, stop
        See `trix.indexer.words.analyzer.Analyzer`. With ``stem="auto"``, stemmer and stop list follow the language of
        the element. By default `stem` is Porter's for English. It is ``"auto"`` if ``xml:lang``, or the words of a
        sample, put a tenth of the text into other languages; a notice says so.
    jobs
        Number of worker processes; all cores by default. The index does not depend on it.
    positions
        Store the positions of keys, for exact phrases.
    strict
        Stop at the first unreadable file instead of skipping it.
    store
        Store a compressed copy of the sources in the index, to show texts without them.
    overwrite
        Replace an existing index.
    glob
        File patterns that replace the default ones (``*.xml``, ``*.dita``, ``*.tei``, ``*.xhtml`` and others, see
        `trix.indexer.collection.globs`); compressed forms are included.
    accents
        ``"fold"`` lets each query decide whether accents matter; ``"keep"`` makes them always matter.
    variants
        Spellings that are replaced by others, as a file or a mapping; see `trix.indexer.words.variants`.
    language
        Language of elements that name none; ``"en"`` by default.
    max_elements, max_bytes
        Largest number of elements (with attributes and comments) and of decompressed bytes per file. Larger files are
        skipped before they take memory. The defaults, 2,000,000 and 100,000,000, need at most 2 GB per process.
    recover
        Repair files that are not well-formed, and report the repairs, instead of skipping them. The index stores this
        setting.
    progress
        Callback with (bytes done, bytes in all, files done, files in all).
    client
        A `dask.distributed.Client`. Its workers, which need access to the sources and the folder, build one segment
        each. Answers equal those of an index built on one machine.

    Raises
    ------
    TrixError
        A source, the profile, an option or the target is invalid.
    """
    began = time.perf_counter()
    if jobs is not None and jobs < 1:
        raise UsageError("expected a number of processes, 1 or more", field="jobs", got=jobs)
    recipe = NewIndexOptions(
        profile, stem, stop, positions, store, accents, variants, language, max_elements, max_bytes, recover
    )
    target, url, after = _target(index, overwrite)
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
    settings, reasons = recipe.settle(found)
    summary.notices += reasons
    summary.profile = settings["profile"]["name"]
    workshop = SegmentBuilder(jobs, client, url)
    # Everything is written beside the target and renamed at the end: readers see the old index or the new one.
    with _published(target, url), replacing(target) as replaces, building(target) as folder:
        ready, waiting = folder / "index", folder / "made"
        ready.mkdir()
        waiting.mkdir()
        made = workshop.new(found, waiting, settings, str(target), strict=strict, progress=progress)
        left_out = [skipped for each in made for skipped in each.skipped]
        summary.skipped += [Skipped(source.path, why) for source, why in left_out]
        summary.notices += notices_of(made)
        remarks = Remarks.of_all([each.remarks for each in made])
        summary.notices += remarks.advice
        summary.quiet = dict(remarks.quiet.most_common())
        made = [each for each in made if each.name]
        if not made:
            first = f": {summary.skipped[0].path}: {summary.skipped[0].reason}" if summary.skipped else ""
            raise SourceError(f"none of the {len(found)} files could be read{first}", str(given[0]))
        for each in made:
            (waiting / each.entry.file).rename(ready / each.entry.file)
            write_states(ready, each.entry, [*map(state_of, each.sources)])
        segments = [open_segment(ready, each.entry) for each in made]
        summary.keys = _different_keys(segments)
        summary.languages = _elements_by_language(segments)
        origins = Origins.of(given, glob)
        skipped = tuple(skipped_row(source, why) for source, why in left_out)
        skipped = (*((error.path, error.reason, "", "", 0, 0) for error in unreadable), *skipped)
        number = max(commit_numbers(target), default=after) + 1  # readers of a replaced index notice the higher number
        write_commit(ready, Commit(number, settings, tuple(each.entry for each in made), origins.to_dict(), skipped))
        summary.index_bytes = sum(path.stat().st_size for path in ready.iterdir())
        publish(ready, target, replaces)
    for name in ("documents", "elements", "content_elements", "postings", "tokens", "xml_bytes"):
        setattr(summary, name, sum(int(each.totals[name]) for each in made))
    summary.seconds = time.perf_counter() - began
    return summary


def _target(index: str | PathLike[str], overwrite: bool) -> tuple[Path, str | None, int]:
    """Return the folder to build in, the URL to publish to, and the number of the last commit there.

    Raises
    ------
    IndexError_
        The target exists and may not be replaced.
    """
    if not is_url(index):
        target = Path(os.path.abspath(index))
        check_target(target, overwrite)
        return target, None, 0
    from trix.indexer.commit.remote import check_free

    url = os.fspath(index).rstrip("/")
    return Path(tempfile.gettempdir()) / f"trix-{secrets.token_hex(8)}" / "index", url, check_free(url, overwrite)


@contextmanager
def _published(target: Path, url: str | None) -> Iterator[None]:
    """Upload the built index after the block, if the target is a URL."""
    if url is None:
        yield
        return
    from trix.indexer.commit.remote import clear_at, publish_at

    try:
        yield
        publish_at(target, url)
    finally:
        clear_at(url)
        shutil.rmtree(target.parent, ignore_errors=True)


def _different_keys(segments: Sequence[Segment]) -> int:
    """Count the distinct keys of all segments."""
    if len(segments) == 1:
        return segments[0].totals["keys"]
    found = set[bytes]()
    return len(found.union(*(segment.keys.all() for segment in segments)))


def _elements_by_language(segments: Sequence[Segment]) -> dict[str, int]:
    """Count elements by language that documents name, most frequent first."""
    found = Counter[str]()
    for segment in segments:
        found.update({name: int(count) for name, (_, _, count) in segment.facts.get("languages", {}).items()})
    return dict(found.most_common())
