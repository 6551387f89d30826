"""Files that users name: topics, runs, assessments, settings, lists; compressed or not, from disk, a pipe or stdin.

They are told by their first bytes alone, as what was downloaded is often unpacked on the way and keeps its name.
Whatever is wrong with one is a FormatError that names it.
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


def open_given(path: str | Path) -> BinaryIO:
    """Open a file that a user names, or standard input (``-``), decompressed; told by its first bytes.

    Raises
    ------
    FormatError
        It cannot be opened; or, while it is read, it is damaged, cut short or a decompression bomb.
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
    return io.BufferedReader(_Given(raw, open_decompressed(raw, ending), size if ending else 0, shown), PIECE)


def read_given(path: str | Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return all that `open_given` gives; a file that holds more than `max_bytes` is refused."""
    pieces, size = list[bytes](), 0
    with open_given(path) as stream:
        while piece := stream.read(PIECE):  # one large read would ask for as much memory, whatever the file holds
            pieces.append(piece)
            size += len(piece)
            if size > max_bytes:
                raise FormatError(f"holds more than {max_bytes} bytes, the largest file read", shown_name(path))
    return b"".join(pieces)


def read_given_text(path: str | Path) -> str:
    """Return the text of a file in UTF-8, without a byte order mark."""
    try:
        return read_given(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise FormatError("is not text in UTF-8", shown_name(path), line) from None


def shown_name(path: str | Path) -> str:
    """Return what messages call a file that a user names.

    >>> shown_name("-"), shown_name("runs/a.txt")
    ('standard input', 'runs/a.txt')
    """
    return "standard input" if str(path) == "-" else str(path)


_standard_input: tuple[Any, bytes] | None = None
"""Standard input, and what it held."""

_kept: ContextVar[dict[str, bytes] | None] = ContextVar("trix_pipes", default=None)


@contextmanager
def pipes_kept() -> Iterator[None]:
    """Read each pipe once within the block, however often it is opened: a format is told before a file is read."""
    before = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(before)


def _piped(path: str | Path) -> bytes | None:
    """Return all that a pipe or standard input holds; None for any other file."""
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


class _Given(Guarded):
    """A file that a user names; whatever is wrong with it is a FormatError with its name. Closes the file."""

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
