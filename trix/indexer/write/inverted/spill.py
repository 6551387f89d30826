"""Columns that wait in scratch files until all batches are there.

Each process appends to a file of its own, and no more files are open than there are processes. A file for each column
of each batch would have to be opened again for every range of keys: the cost of that grows with the square of the
collection.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from trix.support.arrays import Ints

_MOST = 1 << 30
"""Bytes that are read in one call."""


class Stretch(NamedTuple):
    """Where a column waits: its file, the byte where it begins, its type, and how many numbers it has."""

    path: str
    begin: int
    dtype: str
    size: int

    def span(self, low: int = 0, high: int | None = None) -> tuple[int, int]:
        """Return the byte where a range of the numbers begins, and how many numbers there are in it."""
        high = self.size if high is None else high
        return self.begin + low * np.dtype(self.dtype).itemsize, high - low

    def read(self, low: int = 0, high: int | None = None) -> Ints:
        """Return a range of the numbers; all unless it is said."""
        begin, size = self.span(low, high)
        return np.fromfile(self.path, self.dtype, size, offset=begin)


class SpillFile:
    """Writes columns into the file of a process.

    Parameters
    ----------
    folder
        Where the files are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: BinaryIO | None = None  # made by the process that writes it, which is another one than made this

    def put(self, column: Ints) -> Stretch:
        """Append a column."""
        if self._file is None:
            self._file = (self._folder / f"{os.getpid()}.columns").open("wb")
        begin = self._file.tell()
        self._file.write(np.ascontiguousarray(column).data)
        return Stretch(self._file.name, begin, column.dtype.str, column.size)

    def flush(self) -> None:
        """Let others read what was put."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


class SpillFiles:
    """The files of all processes, for many reads of little; threads may share them, once a file was read from."""

    def __init__(self) -> None:
        self._open: dict[str, BinaryIO] = {}

    def read(self, stretch: Stretch, low: int, high: int) -> Ints:
        """Return a range of the numbers of a column, which is not to be changed."""
        begin, size = stretch.span(low, high)
        dtype: Any = np.dtype(stretch.dtype)
        # On Windows a read moves the place in the file, which threads share; nowhere one call reads more than 2 GB.
        if sys.platform == "win32" or size * dtype.itemsize > _MOST:
            return stretch.read(low, high)
        if stretch.path not in self._open:
            self._open[stretch.path] = Path(stretch.path).open("rb", buffering=0)  # noqa: SIM115
        data = os.pread(self._open[stretch.path].fileno(), size * dtype.itemsize, begin)
        return np.frombuffer(data, dtype)

    def close(self) -> None:
        """Close what is open."""
        for file in self._open.values():
            file.close()
