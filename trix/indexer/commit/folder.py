"""Folder of an index: published atomically, and cleared of files that no commit needs.

`building` makes a hidden folder beside the target. `publish` syncs its files and moves it into place in one step. Until
then, even a kill leaves the target unchanged; the next process removes the leftovers. A writer clears the folder after
each commit.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trix.errors import IndexError_
from trix.indexer.commit.commit import SEGMENT, STATES, Commit, commit_files, is_index
from trix.indexer.commit.disk import disk_errors, sync
from trix.indexer.commit.locks import LOCK, locked
from trix.support.pool import interrupts_deferred

WRITING = ".writing"
"""Subfolder for the files of a writer in progress."""

OURS = frozenset({LOCK, WRITING})
"""Leftovers of a writer that was killed before its first commit."""


@contextmanager
def building(target: Path) -> Iterator[Path]:
    """Provide a new, locked folder beside the target, and remove it at the end."""
    folder = target.with_name(f".{target.name}.{secrets.token_hex(4)}.building")
    lock = -1
    try:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            clear_abandoned(target)
            while not (folder / LOCK).exists():  # until it is locked, another build may remove it as abandoned
                folder.mkdir(mode=0o700, exist_ok=True)
                lock = locked(folder / LOCK)
        except OSError as error:
            raise IndexError_(f"{target}: cannot write there: {error.strerror}") from None
        with disk_errors(target):
            yield folder
    finally:
        # An interrupt here would leave the folder in place.
        with interrupts_deferred():
            if lock >= 0:
                os.close(lock)
            shutil.rmtree(folder, ignore_errors=True)


def clear_abandoned(target: Path) -> None:
    """Remove the folders of dead builds, recognised by their free locks."""
    for folder in target.parent.glob(f".{_escaped(target.name)}.*.building"):
        with suppress(OSError):
            # The lock of a living build cannot be taken.
            lock = locked(folder / LOCK, wait=False)
            try:
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _escaped(name: str) -> str:
    return "".join(f"[{c}]" if c in "[]*?" else c for c in name)


def check_target(target: Path, overwrite: bool) -> None:
    """Raise if the target exists and may not be replaced.

    Raises
    ------
    IndexError_
        An index exists without `overwrite`, or something else exists.
    """
    if not os.path.lexists(target):
        return
    if target.is_dir() and {path.name for path in target.iterdir()} <= OURS:
        return
    if not is_index(target):
        raise IndexError_(f"{target}: exists and is not a Trix index; choose another name")
    if not overwrite:
        raise IndexError_(
            f"{target}: the index exists; run trix update to bring it up to date, or pass `overwrite` to rebuild it"
        )


def publish(folder: Path, target: Path, replaces: bool) -> None:
    """Sync a folder, put it in the target's place in one step, then remove an older index.

    Raises
    ------
    IndexError_
        Another process has built an index there in the meantime, which this one does not replace.
    """
    # Order matters: files, then their names, then the move. A crash never leaves a name without its bytes.
    for path in folder.iterdir():
        sync(path)
    sync(folder)
    if replaces:
        _exchange(folder, target)
        sync(target.parent)
        shutil.rmtree(folder, ignore_errors=True)
    else:
        check_target(target, overwrite=False)
        os.rename(folder, target)
        sync(target.parent)


_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


def _exchange(one: Path, other: Path) -> None:
    """Swap two folders: atomically where the system can, else through a third name."""
    # renameat2 swaps atomically; the fallback has a moment without an index.
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
            if renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
                return
    aside = one.with_name(one.name + ".old")
    os.rename(other, aside)
    os.rename(one, other)
    os.rename(aside, one)


def clear(folder: Path, commit: Commit | None, *, writing: bool = True) -> None:
    """Remove the files that the newest commit does not need.

    Readers with an older commit open keep their files; a reader that is just opening it finds the newest one instead.

    Parameters
    ----------
    folder
        Folder of the index; its lock is held.
    commit
        Newest commit; None before the first.
    writing
        Also remove files of a write in progress.
    """
    needed = {LOCK} if writing else {*OURS}
    if commit is not None:
        needed |= {path.name for path in commit_files(folder, commit.number)}
        for entry in commit.segments:
            needed |= {entry.file, entry.states}
    for path in folder.iterdir():
        # Foreign files are never touched.
        if path.name in needed or not _is_ours(path.name):
            continue
        with suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _is_ours(name: str) -> bool:
    name = name.removesuffix(".new")
    return name == WRITING or name.endswith((SEGMENT, STATES)) or name.startswith("commit-")
