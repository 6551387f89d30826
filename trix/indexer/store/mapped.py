"""The files of an index as bytes: mapped all at once, read where they are touched, let go when they are not needed."""

from __future__ import annotations

import io
import math
import mmap
import os
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.errors import IndexError_
from trix.indexer.store.manifest import digest_parts, file_faults, read_manifest
from trix.indexer.store.strings import StringTable

Ints = NDArray[Any]

_NPY_HEADER = 4096
"""Bytes that hold the header of an array."""

_SLICE = 1 << 22
"""Bytes of a file that are in memory at a time while its checksum is taken."""


class MappedFiles:
    """The mapped files that a manifest names.

    Parameters
    ----------
    path
        The index's folder.

    Raises
    ------
    IndexError_
        No index is there, or it is of another format, or damaged.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        folder = _inode(self.path)
        self.manifest = read_manifest(self.path)
        for fault in file_faults(self.path, self.manifest):
            raise IndexError_(fault)
        # All at once: an index that is replaced while it is open stays readable to the end.
        self._files = {name: _map(self.path / name) for name in self.manifest["files"]}
        if _inode(self.path) != folder:
            raise IndexError_(f"{self.path}: the index was replaced while it was being opened; open it again")

    def _array(self, name: str) -> Ints:
        data = self._files[name]
        header = io.BytesIO(data[:_NPY_HEADER])
        try:
            if np.lib.format.read_magic(header) != (1, 0):
                raise ValueError("an array of another format")
            shape, _, dtype = np.lib.format.read_array_header_1_0(header)
            array: Ints = np.frombuffer(data, dtype, math.prod(shape), header.tell()).reshape(shape)
        except Exception:  # numpy reads the header as a piece of Python
            raise IndexError_(f"{self.path / name}: the file is damaged; build the index anew") from None
        return array

    def _strings(self, name: str) -> StringTable:
        return StringTable(self._files[f"{name}.bin"], self._array(f"{name}.ends.npy"))

    def damaged(self) -> list[str]:
        """Return the names of the files whose checksums do not hold; reads all of them."""
        return [name for name, (_, expected) in self.manifest["files"].items() if self._digest(name) != expected]

    def _digest(self, name: str) -> str:
        data = memoryview(self._files[name])
        slices = (data[at : at + _SLICE] for at in range(0, len(data), _SLICE))
        return digest_parts(self._released(slices))

    def _released(self, parts: Iterable[memoryview]) -> Iterator[memoryview]:
        for part in parts:
            yield part
            self.release()

    def release(self) -> None:
        """Let the pages of the mapped files go: whoever reads all of an index need not hold all of it in memory.

        Nothing is lost: what is read again is mapped again.
        """
        if not hasattr(mmap, "MADV_DONTNEED"):
            return  # the system takes them where it needs them
        for data in self._files.values():
            if isinstance(data, mmap.mmap):
                data.madvise(mmap.MADV_DONTNEED)


def _map(path: Path) -> Any:
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _inode(path: Path) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return -1  # reading the manifest will say so
