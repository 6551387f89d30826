"""Spill files: columns on disk until all batches are read.

Each process appends to one file, so open files do not exceed processes. With a file per column and batch, every range
of keys would open all of them again: a cost quadratic in the collection.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from trix.support.arrays import Ints

_MOST = 1 << 30
"""Largest number of bytes in one read call."""


class SpilledColumn(NamedTuple):
    """Location of a column: file, first byte, type, and number of entries."""

    path: str
    begin: int
    dtype: str
    size: int

    def span(self, low: int = 0, high: int | None = None) -> tuple[int, int]:
        """Return the first byte and the length of a range of entries."""
        high = self.size if high is None else high
        return self.begin + low * np.dtype(self.dtype).itemsize, high - low

    def read(self, low: int = 0, high: int | None = None) -> Ints:
        """Read a range of entries; all by default."""
        begin, size = self.span(low, high)
        return np.fromfile(self.path, self.dtype, size, offset=begin)


class SpillFile:
    """Writes columns to the spill file of the current process.

    Parameters
    ----------
    folder
        Folder of the files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: BinaryIO | None = None  # opened on first use, in the worker process

    def put(self, column: Ints) -> SpilledColumn:
        """Append a column."""
        if self._file is None:
            self._file = (self._folder / f"{os.getpid()}.columns").open("wb")
        # Append only: locations handed out earlier stay valid.
        begin = self._file.tell()
        self._file.write(np.ascontiguousarray(column).data)
        return SpilledColumn(self._file.name, begin, column.dtype.str, column.size)

    def flush(self) -> None:
        """Make the columns readable for other processes."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class SpillFiles:
    """Reads the spill files of all processes, in many small reads; threads may share it."""

    def __init__(self) -> None:
        self._open: dict[str, BinaryIO] = {}

    def read(self, stretch: SpilledColumn, low: int, high: int) -> Ints:
        """Read a range of a column; the result is read-only."""
        begin, size = stretch.span(low, high)
        dtype: Any = np.dtype(stretch.dtype)
        # pread has no shared file offset, so threads need no lock. It is missing on Windows, and limited to 2 GB.
        if sys.platform == "win32" or size * dtype.itemsize > _MOST:
            return stretch.read(low, high)
        if stretch.path not in self._open:
            self._open[stretch.path] = Path(stretch.path).open("rb", buffering=0)  # noqa: SIM115
        data = os.pread(self._open[stretch.path].fileno(), size * dtype.itemsize, begin)
        return np.frombuffer(data, dtype)

    def close(self) -> None:
        for file in self._open.values():
            file.close()
