"""Which files of an index are there and can be opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trix.errors import IndexError_
from trix.indexer.commit.commit import (
    SegmentEntry,
    commit_numbers,
    commit_path,
    decode_commit,
    is_old,
    newest_commit,
)
from trix.indexer.commit.old import OldFolder
from trix.indexer.commit.sections import SectionFile
from trix.indexer.store.segment import Segment


def commit_faults(folder: Path) -> list[str]:
    """Return what is wrong with the newest commit and its copy, one line each.

    Raises
    ------
    IndexError_
        There is no index.
    """
    if is_old(folder):
        return []
    numbers = commit_numbers(folder)
    if not numbers:
        newest_commit(folder)  # says what is there instead
    faults = []
    for path in (commit_path(folder, numbers[-1]), commit_path(folder, numbers[-1]).with_suffix(".copy")):
        try:
            decode_commit(path, path.read_bytes())
        except FileNotFoundError:
            faults.append(f"{path}: the file is missing; the next change writes it again")
        except OSError as error:
            faults.append(f"{path}: cannot be read: {error.strerror}")
        except IndexError_ as error:
            faults.append(str(error))
    return faults


def openable(folder: Path) -> Iterator[tuple[SegmentEntry, Segment | None, str]]:
    """Yield what the newest commit says of each segment, the segment, and what is wrong where it cannot be opened."""
    if is_old(folder):
        try:
            old = OldFolder(folder)
        except IndexError_ as error:
            yield SegmentEntry("", 0, {}), None, str(error)
            return
        if old.facts["totals"]["documents"]:
            yield SegmentEntry("", 0, old.facts["totals"]), Segment(old), ""
        return
    try:
        commit = newest_commit(folder)
    except IndexError_:
        return  # said with the commits
    for entry in commit.segments:
        path = folder / entry.file
        try:
            yield entry, Segment(SectionFile(path, entry.name, entry.size)), ""
        except FileNotFoundError:
            yield entry, None, f"{path}: the file is missing; the index is damaged"
        except IndexError_ as error:
            yield entry, None, str(error)
