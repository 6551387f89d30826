"""Files that appear whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from trix.errors import UsageError


@contextmanager
def usable(place: str | Path) -> Iterator[None]:
    """Say in one line of a place that it cannot be read or written."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{place}: {error.strerror or error}") from None


@contextmanager
def replacing(path: str | Path | None) -> Iterator[TextIO]:
    """Open a file to write that appears at its place when it is whole; None and ``-`` are stdout.

    Written beside its place under a temporary name, compressed if it ends in ``.gz``; removed again on any error.
    What is no regular file, as a pipe, is written directly.
    """
    if path is None or str(path) == "-":
        yield sys.stdout
        return
    target = Path(path)
    if target.is_dir():
        raise UsageError("is a folder; expected a file", field="output", got=path)
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8") as stream:
            yield stream
        return
    target = target.resolve()
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        handle = temporary.open("xb")
    except OSError as error:
        raise UsageError(f"cannot write there: {error.strerror}", field="output", got=path) from None
    try:
        with handle:
            packed = gzip.GzipFile("", "wb", fileobj=handle, mtime=0) if target.suffix.lower() == ".gz" else handle
            text = io.TextIOWrapper(packed, encoding="utf-8", errors="surrogateescape", newline="\n")
            yield text
            text.flush()
            text.detach()
            if packed is not handle:
                packed.close()
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
