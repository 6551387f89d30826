"""Output: files that are written atomically, and JSON lines."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from trix.errors import UsageError


@contextmanager
def usable(place: str | Path) -> Iterator[None]:
    """Context manager that turns an OSError into a one-line UsageError about a file or folder."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{place}: {error.strerror or error}") from None


@contextmanager
def replacing(path: str | Path | None) -> Iterator[TextIO]:
    """Open a file for atomic writing; None and ``-`` are stdout.

    The file has a temporary name until it is complete, and is removed on any error. It is compressed if its name ends
    in ``.gz``. A pipe or device is written directly.
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


def replace_file(path: Path, data: bytes) -> None:
    """Write a file atomically: to a temporary name, then rename it. Errors are those of the system."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}


def json_line(fields: Mapping[str, Any]) -> str:
    """Return a JSON object on one line, with escapes for all characters that some readers treat as line ends.

    >>> json_line({"snippet": "é\u2028x"})
    '{"snippet": "é\\\\u2028x"}\\n'
    """
    return json_text(fields).translate(_LINE_ENDS) + "\n"


def json_text(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    """Return a value as JSON that is valid UTF-8; undecodable bytes of file names are escaped.

    >>> json_text({"doc": "é"}), json_text({"doc": "caf" + chr(0xDCE9)})
    ('{"doc": "é"}', '{"doc": "caf\\\\udce9"}')
    """
    text = json.dumps(value, ensure_ascii=False, default=default)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, default=default)
    return text


def finite(value: Any) -> Any:
    """Replace numbers that JSON cannot express by None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): finite(each) for name, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [finite(each) for each in value]
    return value
