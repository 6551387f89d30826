"""Durable files: written under a temporary name, synchronised, then renamed."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from trix.errors import IndexError_

_FULL = (None, errno.ENOSPC, errno.EDQUOT)  # numpy raises OSError without errno when a disk is full


def sync(path: Path) -> None:
    """Flush a file's bytes, or a folder's names, to disk."""
    if sys.platform == "win32" and path.is_dir():
        return  # folders cannot be opened there; the file system journals renames
    handle = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_durably(path: Path, data: bytes) -> None:
    """Replace a file atomically: readers see the old bytes or the new ones.

    The new name is durable only after `sync` of the folder.
    """
    write_all_durably([path], data)


def write_all_durably(paths: Sequence[Path], data: bytes) -> None:
    """Write the same bytes to several files, to all or, if the disk is full, to none."""
    waiting = [path.with_name(f"{path.name}.new") for path in paths]
    for aside in waiting:
        with aside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    # Renames need no space, so a full disk can only fail above.
    for aside, path in zip(waiting, paths, strict=True):
        os.replace(aside, path)


@contextmanager
def disk_errors(target: Path) -> Iterator[None]:
    """Turn errors of a full disk or read-only folder into a message of one line.

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
