"""A segment's file: named sections of bytes, with a checksum for each page that is verified where it is first read.

Sections stand one after another, each from a multiple of `ALIGNMENT` on; then the directory, in MessagePack: where each
section lies and of which type its numbers are, the CRC-32 of each page of the sections, and the facts of the segment;
then the trailer: where the directory begins and its BLAKE2b, which is the name of the segment. So whoever trusts the
name can trust every byte, and pays for a page when it is first touched, once [FORMAT, section 3].
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
"""Bytes with one checksum."""

ALIGNMENT = 16

_MAGIC = b"TRIX segment\n"
_TRAILER = struct.Struct("<QQ16s")
_COPIED = PAGE << 8
"""Bytes that are copied at a time."""


Mend = Callable[[Path, str, int], bool]
"""Writes the bytes of a damaged file anew, if it can."""


class Bytes(Protocol):
    """Bytes of which ranges are read."""

    def __len__(self) -> int: ...
    def __getitem__(self, span: slice, /) -> Any: ...


class SectionFile:
    """The file of a segment, mapped.

    Parameters
    ----------
    path
        The file.
    name, size
        What the commit says of it: the checksum of its directory, its bytes.
    mend
        Called where it is damaged, with the three others: writes its bytes anew, and returns whether it could.

    Attributes
    ----------
    facts : dict
        What the writer said of the segment.

    Raises
    ------
    FileNotFoundError
        It is not there.
    IndexError_
        It is damaged.
    """

    def __init__(self, path: Path, name: str, size: int, mend: Mend | None = None) -> None:
        self.path, self._name, self._size, self._mend = path, name, size, mend
        try:
            self._map()
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
        self._sound = bytearray(len(self._sums))
        self._end = begin

    def _mended(self) -> bool:
        """Whether the file was damaged and could be written anew."""
        return self._mend is not None and self._mend(self.path, self._name, self._size)

    def _damaged(self) -> IndexError_:
        return IndexError_(f"{self.path}: the file is damaged; {REPAIR}")

    def has(self, name: str) -> bool:
        """Whether there is such a section."""
        return name in self._places

    @property
    def sizes(self) -> dict[str, int]:
        """The bytes of each section."""
        return {name: place[1] for name, place in self._places.items()}

    def section(self, name: str) -> Bytes:
        """Return the bytes of a section; none where there is no such section."""
        if name not in self._places:
            return b""
        begin, size = self._places[name][:2]
        return _Section(self, begin, size)

    def mapped(self, name: str) -> NDArray[np.uint8]:
        """Return all bytes of a section, of which none is verified: for loops that go where was read before."""
        begin, size = self._places[name][:2]
        return np.asarray(self._view[begin : begin + size])

    def array(self, name: str) -> Ints:
        """Return the numbers of a section, which is verified as a whole."""
        begin, size, dtype, columns = self._places[name]
        found: Ints = np.frombuffer(self.read(begin, begin + size), dtype)
        return found.reshape(-1, columns) if columns else found

    def read(self, begin: int, end: int) -> memoryview:
        """Return a range of bytes, whose pages are verified if they are read for the first time.

        Raises
        ------
        IndexError_
            They are damaged.
        TooLongError
            The deadline of the work has passed.
        """
        check()  # whatever an index answers, it reads
        low, high = begin // PAGE, -(-end // PAGE)
        page = self._sound.find(0, low, high)
        while page >= 0:
            if not self._holds(page) and not (self._mended() and self._holds(page)):
                raise self._damaged()
            self._sound[page] = 1
            page = self._sound.find(0, page + 1, high)
        return self._view[begin:end]

    def _holds(self, page: int) -> bool:
        """Whether the checksum of a page holds."""
        return zlib.crc32(self._view[page * PAGE : min((page + 1) * PAGE, self._end)]) == self._sums[page]

    def faults(self) -> list[str]:
        """Return the sections that are damaged, one line each; reads everything."""
        damaged = []
        for page in range(len(self._sums)):
            if not self._holds(page):
                damaged.append(page)
            if page % _RELEASED == 0:
                self.release()
        names = []
        for name, (begin, size, *_) in self._places.items():
            if any(begin // PAGE <= page < -(-(begin + size) // PAGE) for page in damaged):
                names.append(name)
        if damaged and not names:
            names.append("between sections")
        return [f"{self.path}: the checksum does not hold ({name}); the file is damaged" for name in names]

    def release(self) -> None:
        """Let the pages that were read go: whoever reads all need not hold all in memory. They are mapped again."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._data.madvise(mmap.MADV_DONTNEED)


_RELEASED = 1024
"""Pages that are in memory at a time while all are verified."""


class _Section:
    """The bytes of one section."""

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


_HELD = 1 << 12
"""Bytes of a section in memory before it is a file: of a small segment, sixty files that nobody would read."""


class SectionWriter:
    """Writes sections, each in memory or, where it grows, as a file of a folder, and then all of them as one file.

    Parameters
    ----------
    folder
        Where they wait.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, BinaryIO] = {}
        self._types: dict[str, tuple[str, int]] = {}

    def file(self, name: str) -> BinaryIO:
        """Return the file of a section, made when it is first asked for."""
        if name not in self._files:
            from tempfile import SpooledTemporaryFile

            file = SpooledTemporaryFile(_HELD, "w+b", dir=str(self.folder))  # noqa: SIM115
            self._files[name] = cast(BinaryIO, file)
        return self._files[name]

    def array(self, name: str, values: Ints) -> None:
        """Write a section of numbers; of rows where they have two dimensions."""
        small = values.astype(values.dtype.newbyteorder("<"), copy=False)
        self.file(name).write(np.ascontiguousarray(small).data)
        self._types[name] = small.dtype.str, values.shape[1] if values.ndim > 1 else 0

    def close(self) -> None:
        """Close what is open; for a build that fails."""
        for file in self._files.values():
            try:
                file.close()
            except OSError:  # a full disk would fail once more
                continue

    def seal(self, target: Path, facts: Mapping[str, Any]) -> tuple[str, int]:
        """Write the sections and the facts into one file, durably; return the segment's name and the file's bytes."""
        sections = [(name, *self._types.get(name, ("", 0))) for name in sorted(self._files)]
        with target.open("wb") as out:
            places, pages = self._copied(out, sections)
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
            pages.write(bytes(-pages.at % ALIGNMENT))
            begin = pages.at
            with self._files[name] as file:
                file.seek(0)
                while data := file.read(_COPIED):
                    pages.write(data)
            places[name] = [begin, pages.at - begin, dtype, columns]
        return places, pages.finish()


class _Pages:
    """A file that is written, with the checksums of its pages."""

    def __init__(self, out: BinaryIO) -> None:
        self._out, self._rest, self._sums, self.at = out, b"", list[int](), 0

    def write(self, data: bytes) -> None:
        self._out.write(data)
        self.at += len(data)
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
