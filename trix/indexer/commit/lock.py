"""A lock on a file that dies with its process, on every system."""

from __future__ import annotations

import os
import sys
from pathlib import Path

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
