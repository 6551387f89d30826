"""The folder of an index: there whole or not at all, and cleared of files that no commit needs.

`building` gives a hidden folder beside the target; `publish` makes everything in it durable and moves it into place
in one step. Whatever happens before that step, a kill included, leaves the target as it was; what a killed process
left is cleared away by the next one. A writer clears the folder after each commit.
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
from trix.support.pool import interrupts_held

WRITING = ".writing"
"""Where a writer's files wait."""

OURS = frozenset({LOCK, WRITING})
"""What a writer that was killed before its first commit leaves behind."""


@contextmanager
def building(target: Path) -> Iterator[Path]:
    """Give a new folder beside the target, held by a lock, and take it away at the end."""
    folder = target.with_name(f".{target.name}.{secrets.token_hex(4)}.building")
    lock = -1
    try:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            clear_abandoned(target)
            while not (folder / LOCK).exists():  # another build may take an unlocked one for abandoned
                folder.mkdir(mode=0o700, exist_ok=True)
                lock = locked(folder / LOCK)
        except OSError as error:
            raise IndexError_(f"{target}: cannot write there: {error.strerror}") from None
        with disk_errors(target):
            yield folder
    finally:
        with interrupts_held():
            if lock >= 0:
                os.close(lock)
            shutil.rmtree(folder, ignore_errors=True)


def clear_abandoned(target: Path) -> None:
    """Remove folders of builds whose process is gone: nobody holds their lock."""
    for folder in target.parent.glob(f".{_escaped(target.name)}.*.building"):
        with suppress(OSError):
            lock = locked(folder / LOCK, wait=False)
            try:
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _escaped(name: str) -> str:
    return "".join(f"[{c}]" if c in "[]*?" else c for c in name)


def check_target(target: Path, overwrite: bool) -> None:
    """Refuse a target that is in the way.

    Raises
    ------
    IndexError_
        An index is there and is not to be replaced, or something that is no index is.
    """
    if not os.path.lexists(target):
        return
    if target.is_dir() and {path.name for path in target.iterdir()} <= OURS:
        return
    if not is_index(target):
        raise IndexError_(f"{target}: exists and is not a Trix index; choose another name")
    if not overwrite:
        raise IndexError_(
            f"{target}: there is an index already; trix update brings it up to date, `overwrite` builds it anew"
        )


def publish(folder: Path, target: Path, replaces: bool) -> None:
    """Make a folder's files durable and put it in the target's place in one step; an older index is removed then.

    Raises
    ------
    IndexError_
        An index is there, and it is not one that the new one `replaces`: somebody else built it meanwhile.
    """
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
    """Swap two folders; in one step where the system can, else by way of a third name."""
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
