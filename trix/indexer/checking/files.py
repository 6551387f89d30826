"""Which files of an index are there and can be opened."""

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
    """Return what is wrong with the newest commit and its copy, one line each.

    Raises
    ------
    IndexError_
        There is no index, or it is of another format.
    """
    while True:
        numbers = commit_numbers(folder)
        if not numbers:
            newest_commit(folder)  # says what is there instead
        faults = list(_faults_of(folder, numbers[-1]))
        if not faults or commit_numbers(folder) == numbers:
            return faults  # else a writer has replaced it meanwhile


def _faults_of(folder: Path, number: int) -> Iterator[str]:
    for path in commit_files(folder, number):
        try:
            decode_commit(path, path.read_bytes())
        except FileNotFoundError:
            if not (folder / WRITING).exists():  # else a writer is between the two, or was killed there
                yield f"{path}: the file is missing; the next change writes it again"
        except OSError as error:
            yield f"{path}: cannot be read: {error.strerror}"
        except OtherFormatError:
            raise
        except IndexError_ as error:
            yield str(error)


def settings_of(folder: Path) -> Mapping[str, Any]:
    """Return the settings of an index; with a profile that says nothing where they cannot be read."""
    try:
        return newest_commit(folder).settings
    except IndexError_:
        return {"profile": {}}  # said with the commits


def openable(folder: Path) -> Iterator[tuple[SegmentEntry, Segment | None, str]]:
    """Yield what the newest commit says of each segment, the segment, and what is wrong where it cannot be opened."""
    while True:
        try:
            commit = newest_commit(folder)
        except IndexError_:
            return  # said with the commits
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
