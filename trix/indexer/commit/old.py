"""An index of format 2, as it was before commits: a manifest and some thirty files, read and never written.

A file is verified as a whole where it is first touched: it has one checksum.
"""

from __future__ import annotations

import hashlib
import io
import math
import mmap
import os
from pathlib import Path
from threading import Lock
from typing import Any

import msgpack
import numpy as np

from trix.errors import IndexError_
from trix.indexer.commit.commit import MANIFEST
from trix.indexer.commit.sections import Bytes
from trix.support.arrays import Ints

OLD = 2
"""The format."""

_MAGIC = b"TRIX index\n"
_DIGEST = 16
_NPY_HEADER = 4096
_SLICE = 1 << 22
"""Bytes of a file that are in memory at a time while its checksum is taken."""


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read and verify a manifest.

    Raises
    ------
    IndexError_
        It is damaged, or of a format that cannot be read.
    """
    path = folder / MANIFEST
    try:
        data = path.read_bytes()
    except OSError as error:
        raise IndexError_(f"{path}: cannot be read: {error.strerror}") from None
    head = len(_MAGIC)
    checksum, body = data[head : head + _DIGEST], data[head + _DIGEST :]
    if not data.startswith(_MAGIC) or hashlib.blake2b(body, digest_size=_DIGEST).digest() != checksum:
        raise IndexError_(f"{path}: the file is damaged; build the index anew")
    manifest: dict[str, Any] = msgpack.unpackb(body, strict_map_key=False, unicode_errors="surrogateescape")
    if manifest.get("format") != OLD:
        raise IndexError_(
            f"{folder}: index format {manifest.get('format')}, which this Trix does not read; build it anew"
        )
    return manifest


class OldFolder:
    """The files that a manifest names, mapped.

    Parameters
    ----------
    path
        The index's folder.

    Attributes
    ----------
    manifest, facts
        The manifest, and what it says of the segment.

    Raises
    ------
    IndexError_
        It is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = read_manifest(path)
        self.facts: dict[str, Any] = self.manifest["segment"]
        self._files: dict[str, Any] = {}
        self._sound: set[str] = set()
        self._verifying = Lock()
        for name, (size, _) in self.manifest["files"].items():
            try:
                with (path / name).open("rb") as file:
                    actual = os.fstat(file.fileno()).st_size
                    self._files[name] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if actual else b""
            except FileNotFoundError:
                raise IndexError_(f"{path}: the file {name} is missing; the index is damaged, build it anew") from None
            except OSError as error:
                raise IndexError_(f"{path / name}: cannot be read: {error.strerror}") from None
            if actual != size:
                what = f"the file {name} has {actual} bytes, {size} expected"
                raise IndexError_(f"{path}: {what}; the index is damaged, build it anew")

    def _name(self, name: str) -> str:
        name = "copies.npy" if name == "copies.places" else name
        return next((each for each in (name, f"{name}.bin", f"{name}.npy") if each in self._files), "")

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return bool(self._name(name))

    @property
    def sizes(self) -> dict[str, int]:
        """The bytes of each file."""
        return {name: size for name, (size, _) in self.manifest["files"].items()}

    def section(self, name: str) -> Bytes:
        """Return the bytes of a file; none where there is no such file."""
        return self._verified(found) if (found := self._name(name)) else b""

    def _verified(self, name: str) -> Any:
        with self._verifying:
            if name not in self._sound:
                if not self._is_sound(name):
                    raise IndexError_(f"{self.path / name}: the file is damaged; build the index anew")
                self._sound.add(name)
        return self._files[name]

    def _is_sound(self, name: str) -> bool:
        data = memoryview(self._files[name])
        found = hashlib.blake2b(digest_size=_DIGEST)
        for at in range(0, len(data), _SLICE):
            found.update(data[at : at + _SLICE])
        return found.hexdigest() == str(self.manifest["files"][name][1])

    def array(self, name: str) -> Ints:
        """Return the numbers of a file."""
        data = self._verified(self._name(name))
        header = io.BytesIO(data[:_NPY_HEADER])
        np.lib.format.read_magic(header)
        shape, _, dtype = np.lib.format.read_array_header_1_0(header)
        return np.frombuffer(data, dtype, math.prod(shape), header.tell()).reshape(shape)

    def faults(self) -> list[str]:
        """Return the files whose checksums do not hold, one line each; reads all of them."""
        names = [name for name in self._files if not self._is_sound(name)]
        self.release()
        return [f"{self.path / name}: the checksum does not hold; the file is damaged" for name in names]

    def release(self) -> None:
        """Let the pages that were read go; what is read again is mapped again."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for data in self._files.values():
                if isinstance(data, mmap.mmap):
                    data.madvise(mmap.MADV_DONTNEED)
