"""Input files named by users, such as topics and runs, from disk, a pipe or standard input, maybe compressed.

The compression is detected by the first bytes alone, since downloads are often unpacked without a change of name. Any
problem is a FormatError that names the file.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO

from trix.errors import FormatError, SourceError
from trix.support.streams import (
    BEGINNING,
    MAX_BYTES,
    READ_ERRORS,
    Guarded,
    compression_in,
    open_decompressed,
    reason,
)

PIECE = 1 << 18


def open_input(path: str | Path) -> BinaryIO:
    """Open an input file, or standard input (``-``), and decompress it.

    Raises
    ------
    FormatError
        The file cannot be opened. While reading: it is damaged, truncated or a decompression bomb.
    """
    shown = shown_name(path)
    raw: BinaryIO
    try:
        piped = _piped(path)
        raw = open(path, "rb") if piped is None else io.BytesIO(piped)  # noqa: SIM115
        with ExitStack() as if_damaged:
            if_damaged.callback(raw.close)
            start = raw.read(BEGINNING)
            raw.seek(0)
            size = os.fstat(raw.fileno()).st_size if piped is None else len(piped)
            if_damaged.pop_all()
    except READ_ERRORS as error:
        raise FormatError(reason(error), shown) from None
    ending = compression_in(start)
    return io.BufferedReader(_InputFile(raw, open_decompressed(raw, ending), size if ending else 0, shown), PIECE)


def read_input(path: str | Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Read a whole input file; raise FormatError if it has more than `max_bytes`."""
    pieces, size = list[bytes](), 0
    with open_input(path) as stream:
        while piece := stream.read(PIECE):  # one large read would allocate all memory at once
            pieces.append(piece)
            size += len(piece)
            if size > max_bytes:
                raise FormatError(f"holds more than {max_bytes} bytes, the largest file read", shown_name(path))
    return b"".join(pieces)


def read_input_text(path: str | Path) -> str:
    """Read an input file in UTF-8, without a byte order mark."""
    try:
        return read_input(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise FormatError("is not text in UTF-8", shown_name(path), line) from None


def shown_name(path: str | Path) -> str:
    """Return the name of an input file for messages.

    >>> shown_name("-"), shown_name("runs/a.txt")
    ('standard input', 'runs/a.txt')
    """
    return "standard input" if str(path) == "-" else str(path)


_standard_input: tuple[Any, bytes] | None = None
"""Standard input, and its content."""

_kept: ContextVar[dict[str, bytes] | None] = ContextVar("trix_pipes", default=None)


@contextmanager
def pipes_cached() -> Iterator[None]:
    """Context manager that reads each pipe only once, so that format and content can be read in two passes."""
    before = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(before)


def _piped(path: str | Path) -> bytes | None:
    """Return the content of a pipe or standard input; None for any other file."""
    global _standard_input
    name = str(path)
    if name == "-":
        if _standard_input is None or _standard_input[0] is not sys.stdin:
            _standard_input = sys.stdin, sys.stdin.buffer.read()
        return _standard_input[1]
    if not stat.S_ISFIFO(os.stat(path).st_mode):
        return None
    kept = _kept.get()
    data = kept[name] if kept and name in kept else Path(path).read_bytes()
    if kept is not None:
        kept[name] = data
    return data


class _InputFile(Guarded):
    """An input file whose errors are FormatErrors with its name. Closing it closes the file."""

    def __init__(self, raw: BinaryIO, stream: BinaryIO, packed: int, where: str) -> None:
        super().__init__(stream, packed, where)
        self._raw = raw

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            return super().readinto(buffer)
        except SourceError as error:
            raise FormatError(error.reason, self._where) from None
        except READ_ERRORS as error:
            raise FormatError(reason(error), self._where) from None

    def close(self) -> None:
        self._raw.close()
        super().close()
