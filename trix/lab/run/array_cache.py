"""Cache of arrays in files, shared by worker processes and limited in size.

An array that is missing, since the limit is reached or a file cannot be written, is computed again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.support.output import usable

Arrays = list[NDArray[Any]]
LIMIT = 16 << 30
"""Default limit in bytes."""


class ArrayCache:
    """Array cache in a folder, which is emptied on entry and removed on exit.

    Parameters
    ----------
    folder
        Folder of the files.
    limit
        Largest total size in bytes.
    """

    def __init__(self, folder: Path, limit: int = LIMIT) -> None:
        self._folder, self._limit = folder.absolute(), limit

    def get(self, key: str) -> Arrays | None:
        """Return the arrays of a key; None if missing."""
        try:
            with self._path(key).open("rb") as file:
                return [np.load(file) for _ in range(int(np.load(file)))]
        except FileNotFoundError:
            return None

    def put(self, key: str, arrays: Sequence[NDArray[Any]]) -> None:
        """Store arrays, if there is room."""
        path = self._path(key)
        if not self._folder.is_dir() or self._bytes() + sum(each.nbytes for each in arrays) > self._limit:
            return
        beside = path.with_suffix(f".{os.getpid()}")
        try:
            with beside.open("wb") as file:
                for each in (np.array(len(arrays)), *arrays):
                    np.save(file, each)
            os.replace(beside, path)
        except OSError:
            beside.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / hashlib.sha1(key.encode("utf-8", "surrogatepass")).hexdigest()

    def _bytes(self) -> int:
        total = 0
        with os.scandir(self._folder) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):  # another process has just renamed the file
                    total += entry.stat().st_size
        return total

    def __enter__(self) -> ArrayCache:
        shutil.rmtree(self._folder, ignore_errors=True)
        with usable(self._folder):
            self._folder.mkdir(parents=True)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
