"""One writer at a time: who holds the lock of an index may change it, or put another in its place."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trix.errors import IndexError_
from trix.indexer.commit.clearing import LOCK
from trix.indexer.commit.disk import disk_errors
from trix.indexer.commit.lock import locked

_PAUSE = 0.05
"""Seconds between two looks at a lock that somebody holds."""


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
