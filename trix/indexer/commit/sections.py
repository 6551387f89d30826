"""Segment file: named sections of bytes, with a checksum per page that is verified at the first read.

The file has three parts [FORMAT, section 3]. First come the sections, each aligned to `ALIGNMENT`. Then follows the
directory in MessagePack: range and number type of each section, CRC-32 of each page, facts of the segment. Last is the
trailer: the offset of the directory and its BLAKE2b, which is the segment's name. The name thus verifies every byte,
and a page is checked only once, when it is first read.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

import msgpack
import numpy as np
from numpy.typing import NDArray

from trix.errors import IndexError_
from trix.indexer.commit.commit import REPAIR
from trix.support.arrays import Ints
from trix.support.deadline import check

PAGE = 4096
"""Bytes per checksum."""

ALIGNMENT = 16

_MAGIC = b"TRIX segment\n"
_TRAILER = struct.Struct("<QQ16s")
_COPIED = PAGE << 8
"""Bytes copied at a time."""


Mend = Callable[[Path, str, int], bool]
"""Callback that restores the bytes of a damaged file, given path, name and size; returns whether it succeeded."""


class Bytes(Protocol):
    """Readable ranges of bytes."""

    def __len__(self) -> int: ...
    def __getitem__(self, span: slice, /) -> Any: ...


class SectionFile:
    """Memory-mapped file of a segment.

    Parameters
    ----------
    path
        Path of the file.
    name, size
        From the commit: checksum of the directory, and bytes of the file.
    mend
        Callback for a damaged file.

    Attributes
    ----------
    facts : dict
        Facts that the writer recorded about the segment.

    Raises
    ------
    FileNotFoundError
        The file is missing.
    IndexError_
        The file is damaged.
    """

    def __init__(self, path: Path, name: str, size: int, mend: Mend | None = None) -> None:
        self.path, self._name, self._size, self._mend = path, name, size, mend
        try:
            self._map()
        # A damaged copy of a remote index is downloaded again, once.
        except IndexError_:
            if not self._mended():
                raise
            self._map()

    def _map(self) -> None:
        path, name, size = self.path, self._name, self._size
        try:
            with path.open("rb") as file:
                actual = os.fstat(file.fileno()).st_size
                if actual != size or size < _TRAILER.size:
                    raise IndexError_(f"{path}: the file is damaged ({actual} bytes, {size} expected); {REPAIR}")
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise IndexError_(f"{path}: cannot be read: {error.strerror}") from None
        self._view = memoryview(self._data)
        # Trailer, then directory: its digest must be the name in the commit.
        begin, length, digest = _TRAILER.unpack(self._view[size - _TRAILER.size :])
        directory = self._view[begin : begin + length]
        if (
            begin + length + _TRAILER.size != size
            or digest.hex() != name
            or hashlib.blake2b(directory, digest_size=16).digest() != digest
        ):
            raise self._damaged()
        record = msgpack.unpackb(directory, strict_map_key=False, unicode_errors="surrogateescape")
        self.facts: dict[str, Any] = record["facts"]
        self._places: dict[str, list[Any]] = record["sections"]
        self._sums = np.frombuffer(record["pages"], "<u4").astype(np.uint32).data
        # A flag per page: whether its checksum was verified.
        self._sound = bytearray(len(self._sums))
        self._end = begin

    def _mended(self) -> bool:
        """Try to restore a damaged file."""
        return self._mend is not None and self._mend(self.path, self._name, self._size)

    def _damaged(self) -> IndexError_:
        return IndexError_(f"{self.path}: the file is damaged; {REPAIR}")

    def has(self, name: str) -> bool:
        return name in self._places

    @property
    def sizes(self) -> dict[str, int]:
        """Bytes of each section."""
        return {name: place[1] for name, place in self._places.items()}

    def section(self, name: str) -> Bytes:
        """Return the bytes of a section; empty if there is none."""
        if name not in self._places:
            return b""
        begin, size = self._places[name][:2]
        return _Section(self, begin, size)

    def mapped(self, name: str) -> NDArray[np.uint8]:
        """Return all bytes of a section without verification, for kernels that read ranges verified before."""
        begin, size = self._places[name][:2]
        return np.asarray(self._view[begin : begin + size])

    def array(self, name: str) -> Ints:
        """Return the numbers of a section; all of it is verified."""
        begin, size, dtype, columns = self._places[name]
        found: Ints = np.frombuffer(self.read(begin, begin + size), dtype)
        return found.reshape(-1, columns) if columns else found

    def read(self, begin: int, end: int) -> memoryview:
        """Return a range of bytes, after verifying pages that are read for the first time.

        Raises
        ------
        IndexError_
            A page is damaged.
        TooLongError
            The deadline has passed.
        """
        check()  # every answer reads the index, so the deadline is checked here
        # _sound has a byte per page: find(0) jumps to the next unverified one at memchr speed. Threads may verify a
        # page twice, which is harmless.
        low, high = begin // PAGE, -(-end // PAGE)
        page = self._sound.find(0, low, high)
        while page >= 0:
            if not self._holds(page) and not (self._mended() and self._holds(page)):
                raise self._damaged()
            self._sound[page] = 1
            page = self._sound.find(0, page + 1, high)
        return self._view[begin:end]

    def _holds(self, page: int) -> bool:
        """Whether the checksum of a page is right."""
        return zlib.crc32(self._view[page * PAGE : min((page + 1) * PAGE, self._end)]) == self._sums[page]

    def faults(self) -> list[str]:
        """List damaged sections, one line each; reads the whole file."""
        damaged = []
        for page in range(len(self._sums)):
            if not self._holds(page):
                damaged.append(page)
            if page % _RELEASED == 0:
                self.release()
        names = []
        # A page may have parts of two sections; both are reported.
        for name, (begin, size, *_) in self._places.items():
            if any(begin // PAGE <= page < -(-(begin + size) // PAGE) for page in damaged):
                names.append(name)
        if damaged and not names:
            names.append("between sections")
        return [f"{self.path}: the checksum does not hold ({name}); the file is damaged" for name in names]

    def release(self) -> None:
        """Drop the pages read so far from memory; they are mapped again when needed."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._data.madvise(mmap.MADV_DONTNEED)


_RELEASED = 1024
"""Pages kept in memory at a time while all are verified."""


class _Section:
    """Bytes of one section."""

    __slots__ = ("_begin", "_file", "_size")

    def __init__(self, file: SectionFile, begin: int, size: int) -> None:
        self._file, self._begin, self._size = file, begin, size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, span: slice) -> memoryview:
        begin, end, _ = span.indices(self._size)
        return self._file.read(self._begin + begin, self._begin + max(begin, end))

    def whole(self) -> memoryview:
        """Return all bytes, verified."""
        return self[:]


_IN_MEMORY = 1 << 12
"""Bytes of a section kept in memory before it becomes a file; a small segment would need sixty tiny files."""


class SectionWriter:
    """Writes sections to memory, or to temporary files if they grow, then all into one file.

    Parameters
    ----------
    folder
        Folder of the temporary files.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, BinaryIO] = {}
        self._types: dict[str, tuple[str, int]] = {}

    def file(self, name: str) -> BinaryIO:
        """Return the file object of a section, created at first use."""
        if name not in self._files:
            from tempfile import SpooledTemporaryFile

            # Stays in memory up to _HELD bytes.
            file = SpooledTemporaryFile(_IN_MEMORY, "w+b", dir=str(self.folder))  # noqa: SIM115
            self._files[name] = cast(BinaryIO, file)
        return self._files[name]

    def array(self, name: str, values: Ints) -> None:
        """Write a section of numbers; of rows if the array has two dimensions."""
        # Little-endian on every machine.
        small = values.astype(values.dtype.newbyteorder("<"), copy=False)
        self.file(name).write(np.ascontiguousarray(small).data)
        self._types[name] = small.dtype.str, values.shape[1] if values.ndim > 1 else 0

    def close(self) -> None:
        """Close open files after a failed build."""
        for file in self._files.values():
            try:
                file.close()
            except OSError:  # closing on a full disk fails again
                continue

    def seal(self, target: Path, facts: Mapping[str, Any]) -> tuple[str, int]:
        """Write sections and facts into one durable file; return the segment's name and the bytes of the file."""
        sections = [(name, *self._types.get(name, ("", 0))) for name in sorted(self._files)]
        with target.open("wb") as out:
            places, pages = self._copied(out, sections)
            # The directory has the checksums of all pages, and its own digest is the name: a Merkle tree of depth two.
            end = out.tell()
            record = {"sections": places, "pages": np.array(pages, "<u4").tobytes(), "facts": facts}
            directory = msgpack.packb(record, unicode_errors="surrogateescape")
            digest = hashlib.blake2b(directory, digest_size=16).digest()
            out.write(directory + _TRAILER.pack(end, len(directory), digest))
            out.flush()
            os.fsync(out.fileno())
            return digest.hex(), out.tell()

    def _copied(self, out: BinaryIO, sections: Iterable[tuple[str, str, int]]) -> tuple[dict[str, Any], list[int]]:
        places: dict[str, Any] = {}
        pages = _Pages(out)
        pages.write(_MAGIC)
        for name, dtype, columns in sections:
            # Padding: mapped arrays need alignment.
            pages.write(bytes(-pages.at % ALIGNMENT))
            begin = pages.at
            with self._files[name] as file:
                file.seek(0)
                while data := file.read(_COPIED):
                    pages.write(data)
            places[name] = [begin, pages.at - begin, dtype, columns]
        return places, pages.finish()


class _Pages:
    """Output file that computes the checksums of its pages."""

    def __init__(self, out: BinaryIO) -> None:
        self._out, self._rest, self._sums, self.at = out, b"", list[int](), 0

    def write(self, data: bytes) -> None:
        self._out.write(data)
        self.at += len(data)
        # The rest of the last page is carried over: checksums are for whole pages.
        data = self._rest + data
        whole = len(data) - len(data) % PAGE
        view = memoryview(data)
        self._sums += [zlib.crc32(view[at : at + PAGE]) for at in range(0, whole, PAGE)]
        self._rest = data[whole:]

    def finish(self) -> list[int]:
        if self._rest:
            self._sums.append(zlib.crc32(self._rest))
            self._rest = b""
        return self._sums
