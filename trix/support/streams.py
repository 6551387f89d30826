"""Compressed streams: gzip, bzip2, xz and zstd, recognised by name or first bytes, read in bounded memory.

Everything is read in pieces, so that a decompression bomb is rejected before it fills the memory. A document may have
`MAX_BYTES`. Beyond `RATIO_FROM` bytes a stream may have at most `MAX_RATIO` times its compressed size. XML compresses
by 10 to 100 times, a bomb by a thousand times or more.
"""

from __future__ import annotations

import io
import re
import zlib
from typing import IO, Any, BinaryIO, Protocol, cast

from trix.errors import SourceError

MAX_BYTES = 1 << 30
"""Largest document, in bytes after decompression."""

MAX_RATIO = 1000
RATIO_FROM = 64 << 20

ENDINGS = (".gz", ".bz2", ".xz", ".zst")

_BEGINNINGS = re.compile(
    rb"(?P<gz>\x1f\x8b)|(?P<bz2>BZh[1-9](?:1AY&SY|\x17rE8P\x90))|(?P<xz>\xfd7zXZ\0)"
    rb"|(?P<zst>\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18)"
)
BEGINNING = 10
"""Number of first bytes that identify the compression."""


READ_ERRORS: tuple[type[Exception], ...] = (OSError, EOFError, ValueError, zlib.error)
"""Errors of reading a missing, truncated, damaged or misnamed (zero byte in the path) file."""

_PIECE = 1 << 20
_ZSTD_PIECE = 2048  # a zstd block of 4 bytes gives at most 128 KiB: 64 MiB for one piece


class ByteSource(Protocol):
    """Source of bytes."""

    def read(self, size: int = ..., /) -> bytes | None: ...


def compression_of(name: str) -> str:
    """Return the compression suffix of a file name in lower case, or ``""``.

    >>> compression_of("a/b.XML.GZ"), compression_of("a.gz/b.xml")
    ('.gz', '')
    """
    lower = name.lower()
    return next((ending for ending in ENDINGS if lower.endswith(ending)), "")


def compression_in(start: bytes) -> str:
    """Return the compression suffix for the first bytes of a file, or ``""``.

    >>> compression_in(b"\\x1f\\x8b\\x08"), compression_in(b"<article>"), compression_in(b"BZh9 is no topic")
    ('.gz', '', '')
    """
    found = _BEGINNINGS.match(start)
    return f".{found.lastgroup}" if found else ""


def open_decompressed(raw: IO[bytes], ending: str) -> BinaryIO:
    """Return a stream of the decompressed bytes of `raw`; `ending` is one of `ENDINGS` or ``""``."""
    match ending:
        case ".gz":
            from gzip import GzipFile

            return cast(BinaryIO, GzipFile(fileobj=raw, mode="rb"))
        case ".bz2":
            from bz2 import BZ2File

            return cast(BinaryIO, BZ2File(raw, "rb"))
        case ".xz":
            return io.BufferedReader(_XzReader(raw), _PIECE)
        case ".zst":
            return io.BufferedReader(_ZstdReader(raw), _PIECE)
    return cast(BinaryIO, raw)


def read_document(raw: IO[bytes], name: str, packed: int, where: str, max_bytes: int = MAX_BYTES) -> bytes:
    """Read one document to its end.

    Parameters
    ----------
    raw
        The stored bytes.
    name
        File or member name. Its suffix determines the compression; without one the first bytes do.
    packed
        Stored size in bytes, for the compression ratio; 0 if unknown.
    where
        Path for messages.
    max_bytes
        Largest size after decompression.

    Raises
    ------
    SourceError
        The document is larger than `max_bytes` or looks like a decompression bomb.
    """
    ending = compression_of(name)
    data = read_bounded(open_decompressed(raw, ending), packed if ending else 0, where, max_bytes)
    inside = "" if ending else compression_in(data)
    return read_bounded(open_decompressed(io.BytesIO(data), inside), len(data), where, max_bytes) if inside else data


def read_bounded(stream: ByteSource, packed: int, where: str, max_bytes: int) -> bytes:
    """Read a stream to its end; raise `SourceError` if it is too large or looks like a decompression bomb."""
    pieces: list[bytes] = []
    size = 0
    while piece := stream.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > max_bytes:
            raise too_large(max_bytes, where)
        refuse_bomb(size, packed, where)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def too_large(max_bytes: int, where: str) -> SourceError:
    """Return the error for a document with too many bytes."""
    return SourceError(f"holds more than {max_bytes:,} bytes (`max_bytes`)", where)


def refuse_bomb(size: int, packed: int, where: str) -> None:
    """Raise `SourceError` if `packed` bytes have grown to an unlikely `size`."""
    if size > RATIO_FROM and packed and size > MAX_RATIO * packed:
        raise SourceError(
            f"looks like a decompression bomb: {packed} bytes grow to more than {size} (over {MAX_RATIO} times)", where
        )


def reason(error: Exception) -> str:
    """Return a short text about a read error.

    >>> reason(EOFError("Compressed file ended before the end-of-stream marker was reached"))
    'the compressed data are cut short'
    >>> reason(FileNotFoundError(2, "No such file or directory"))
    'cannot be read: No such file or directory'
    """
    if isinstance(error, EOFError):
        return "the compressed data are cut short"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be read: {error.strerror}"
    if isinstance(error, OSError | zlib.error):
        return f"the compressed data are damaged: {' '.join(str(error).split())}"
    return f"cannot be read: {' '.join(str(error).split()) or type(error).__name__}"


class Guarded(io.RawIOBase):
    """Wrapper of a decompressed stream that rejects decompression bombs."""

    def __init__(self, stream: ByteSource, packed: int, where: str) -> None:
        self._stream, self._packed, self._where, self._size = stream, packed, where, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        piece = self._stream.read(len(buffer)) or b""
        self._size += len(piece)
        refuse_bomb(self._size, self._packed, self._where)
        buffer[: len(piece)] = piece
        return len(piece)


class _XzReader(io.RawIOBase):
    """Reader of xz files whose errors are OSErrors, as for the other compressions."""

    def __init__(self, raw: IO[bytes]) -> None:
        import lzma

        self._stream = lzma.LZMAFile(raw, "rb")  # noqa: SIM115
        self._error = lzma.LZMAError

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            piece = self._stream.read(len(buffer))
        except self._error as error:
            raise OSError(str(error)) from None
        buffer[: len(piece)] = piece
        return len(piece)


class _ZstdReader(io.RawIOBase):
    """Reader of consecutive Zstandard frames; a truncated frame is an error, unlike in the library's reader."""

    def __init__(self, raw: IO[bytes]) -> None:
        import zstandard

        self._raw = raw
        self._new = zstandard.ZstdDecompressor().decompressobj
        self._error = zstandard.ZstdError
        self._frame: Any = None
        self._left = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            piece = self._left or self._raw.read(_ZSTD_PIECE)
            self._left = b""
            if not piece:
                if self._frame is not None:
                    raise EOFError("the last frame does not end")
                return 0
            self._frame = self._frame or self._new()
            try:
                self._ready = memoryview(self._frame.decompress(piece))
            except self._error as error:
                raise OSError(str(error)) from None
            if self._frame.eof:
                self._left = self._frame.unused_data
                self._frame = None
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count
