"""Files that are durable before anything names them: written aside, synchronised, renamed."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from trix.errors import IndexError_

_FULL = (None, errno.ENOSPC, errno.EDQUOT)  # numpy says "requested and written" without a number


def sync(path: Path) -> None:
    """Make a file's bytes, or a folder's names, durable."""
    if sys.platform == "win32" and path.is_dir():
        return  # folders cannot be opened there; a rename is in the journal of the file system
    handle = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_durably(path: Path, data: bytes) -> None:
    """Put a file in its place whole: whoever looks sees the old one or the new one.

    The new name itself is durable once the folder has been synchronised, see `sync`.
    """
    write_all_durably([path], data)


def write_all_durably(paths: Sequence[Path], data: bytes) -> None:
    """Put the same bytes in several places; if there is no room for all of them, in none."""
    waiting = [path.with_name(f"{path.name}.new") for path in paths]
    for aside in waiting:
        with aside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    for aside, path in zip(waiting, paths, strict=True):
        os.replace(aside, path)


@contextmanager
def disk_errors(target: Path) -> Iterator[None]:
    """Turn what the system says of a disk that is full or a folder that is read-only into one line.

    Raises
    ------
    IndexError_
        In place of an `OSError`.
    """
    try:
        yield
    except OSError as error:
        what = "no space left on the device" if error.errno in _FULL else f"cannot be written: {error.strerror}"
        raise IndexError_(f"{target}: {what}; nothing was changed") from None
