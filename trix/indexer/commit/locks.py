"""Locks of indexes: one writer at a time may change an index, or put another in its place.

A lock is one on a file, on every system, and dies with its process.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trix.errors import IndexError_
from trix.indexer.commit.disk import disk_errors

LOCK = "lock"
"""The file of an index that its writer has locked."""

_PAUSE = 0.05
"""Seconds between two looks at a lock that another process holds."""

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int, wait: bool) -> None:
        msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int, wait: bool) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def locked(path: Path, *, wait: bool = True) -> int:
    """Make a file where there is none, lock it and return its handle; closing the handle lets go.

    Raises
    ------
    OSError
        Another process holds it, where this one does not `wait`; or the file cannot be made.
    """
    handle = os.open(path, os.O_CREAT | os.O_RDWR)
    try:
        _lock(handle, wait)
    except OSError:
        os.close(handle)
        raise
    return handle


def lock_index(folder: Path, wait: float = 0.0) -> int:
    """Lock an index; return the handle.

    Raises
    ------
    IndexError_
        Another process holds the lock.
    """
    path = folder / LOCK
    until = time.monotonic() + wait
    while True:
        try:
            handle = locked(path, wait=False)
            if _is_at(path, handle):
                break
            os.close(handle)  # of an index that has just been replaced
        except (BlockingIOError, PermissionError) as error:
            if isinstance(error, PermissionError) and not os.access(path if path.exists() else folder, os.W_OK):
                raise
            if time.monotonic() >= until:
                raise IndexError_(
                    f"{folder}: {_holder(path)} writes to it; try again later, or `wait` for it"
                ) from None
            time.sleep(_PAUSE)
    with suppress(OSError):  # a full disk; it is only for messages
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
    return handle


@contextmanager
def replacing(target: Path) -> Iterator[bool]:
    """Hold the lock of what another index is to take the place of; say whether there is anything.

    Raises
    ------
    IndexError_
        Another process holds it, or it cannot be written to.
    """
    handle = -1
    with disk_errors(target):
        if target.is_dir() and any(target.iterdir()):
            handle = lock_index(target, 0.0)
    try:
        yield handle >= 0
    finally:
        if handle >= 0:
            os.close(handle)


def _holder(path: Path) -> str:
    try:
        return f"process {int(path.read_text())}"
    except (OSError, ValueError):
        return "another process"


def _is_at(path: Path, handle: int) -> bool:
    """Whether a lock is still that of the index in this place."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False
