"""Checks of files: commits, and segments that cannot be opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trix.errors import IndexError_, OtherFormatError
from trix.indexer.commit.commit import (
    SegmentEntry,
    commit_files,
    commit_numbers,
    decode_commit,
    newest_commit,
)
from trix.indexer.commit.folder import WRITING
from trix.indexer.store.live import open_segment
from trix.indexer.store.segment import Segment


def commit_faults(folder: Path) -> list[str]:
    """List the faults of the newest commit and its copy, one line each.

    Raises
    ------
    IndexError_
        There is no index, or it has another format.
    """
    while True:
        numbers = commit_numbers(folder)
        if not numbers:
            newest_commit(folder)  # raises the specific error
        faults = list(_faults_of(folder, numbers[-1]))
        if not faults or commit_numbers(folder) == numbers:
            return faults  # else a writer has replaced the commit: look again


def _faults_of(folder: Path, number: int) -> Iterator[str]:
    for path in commit_files(folder, number):
        try:
            decode_commit(path, path.read_bytes())
        except FileNotFoundError:
            if not (folder / WRITING).exists():  # else a writer is between the two files, or was killed there
                yield f"{path}: the file is missing; the next change writes it again"
        except OSError as error:
            yield f"{path}: cannot be read: {error.strerror}"
        except OtherFormatError:
            raise
        except IndexError_ as error:
            yield str(error)


def settings_of(folder: Path) -> Mapping[str, Any]:
    """Return the settings of an index; with an empty profile if they cannot be read."""
    try:
        return newest_commit(folder).settings
    except IndexError_:
        return {"profile": {}}  # commit_faults reports it


def openable(folder: Path) -> Iterator[tuple[SegmentEntry, Segment | None, str]]:
    """Yield each segment of the newest commit: its entry, the segment, and the fault if it cannot be opened."""
    while True:
        try:
            commit = newest_commit(folder)
        except IndexError_:
            return  # commit_faults reports it
        opened = [_opened(folder, entry) for entry in commit.segments]
        if all(segment for _, segment, _ in opened) or commit_numbers(folder)[-1:] == [commit.number]:
            yield from opened
            return


def _opened(folder: Path, entry: SegmentEntry) -> tuple[SegmentEntry, Segment | None, str]:
    path = folder / entry.file
    try:
        return entry, open_segment(folder, entry), ""
    except FileNotFoundError:
        return entry, None, f"{path}: the file is missing; the index is damaged"
    except IndexError_ as error:
        return entry, None, str(error)
