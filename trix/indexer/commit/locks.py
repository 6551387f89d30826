"""Index locks: at most one writer changes or replaces an index at a time.

Locks are file locks of the system; they end with their process.
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
"""File of an index that its writer locks."""

_PAUSE = 0.05
"""Seconds between attempts to take a lock."""

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int, wait: bool) -> None:
        msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int, wait: bool) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def locked(path: Path, *, wait: bool = True) -> int:
    """Lock a file, created if necessary; return its handle. Closing the handle releases the lock.

    Raises
    ------
    OSError
        Another process has the lock and `wait` is false, or the file cannot be created.
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
        Another process has the lock for longer than `wait` seconds.
    """
    path = folder / LOCK
    until = time.monotonic() + wait
    while True:
        try:
            handle = locked(path, wait=False)
            # The index may have been replaced between opening and locking its lock file.
            if _is_at(path, handle):
                break
            os.close(handle)  # the lock of an index that has just been replaced
        except (BlockingIOError, PermissionError) as error:
            if isinstance(error, PermissionError) and not os.access(path if path.exists() else folder, os.W_OK):
                raise
            # Polling, since a lock with a timeout is not portable.
            if time.monotonic() >= until:
                raise IndexError_(
                    f"{folder}: {_holder(path)} writes to it; try again later, or `wait` for it"
                ) from None
            time.sleep(_PAUSE)
    # The number of the process is for the message of the next writer.
    with suppress(OSError):  # on a full disk; the number is for messages only
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
    return handle


@contextmanager
def replacing(target: Path) -> Iterator[bool]:
    """Hold the lock of an index that is to be replaced; yield whether there is one.

    Raises
    ------
    IndexError_
        Another process has the lock, or it cannot be written to.
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
    """Whether the lock file at a path is the one that was locked."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False
