"""Files that no commit needs: taken away by a writer after a commit, and by the next one after a kill."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from trix.indexer.commit.commit import SEGMENT, STATES, Commit, commit_files

LOCK = "lock"
WRITING = ".writing"
"""Where a writer's files wait."""

OURS = frozenset({LOCK, WRITING})
"""What a writer that was killed before its first commit leaves behind."""


def clear(folder: Path, commit: Commit | None, *, writing: bool = True) -> None:
    """Remove what the newest commit does not need.

    A reader that has opened an older one goes on reading; one that is opening it finds the newest instead.

    Parameters
    ----------
    folder
        The index; its lock is held.
    commit
        The newest commit; None before the first.
    writing
        Also remove what waits to be written.
    """
    needed = {LOCK} if writing else {*OURS}
    if commit is not None:
        needed |= {path.name for path in commit_files(folder, commit.number)}
        for entry in commit.segments:
            needed |= {entry.file, entry.states}
    for path in folder.iterdir():
        if path.name in needed or not _is_ours(path.name):
            continue
        with suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _is_ours(name: str) -> bool:
    name = name.removesuffix(".new")
    return name == WRITING or name.endswith((SEGMENT, STATES)) or name.startswith("commit-")
