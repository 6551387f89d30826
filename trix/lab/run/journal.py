"""Append-only journal of finished results, from which an interrupted experiment continues.

Each line is a checksum, a blank and JSON. An incomplete last line, left by a killed process, is removed; all lines
before it count. The first line identifies collections, assessments and versions. If they differ, a new journal is
started. A line has all values of one variant on one topic. It does not name the grid, so an experiment can grow without
measuring variants again.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from trix.support.output import usable

Key = tuple[str, str, str]
"""(collection, topic, settings of the variant)."""

Values = dict[str, float | None]
"""Measure -> value; None if it is undefined for the topic."""


class Journal:
    """Journal of finished results, in memory and on disk.

    Parameters
    ----------
    path
        The file; created if missing.
    owner
        Identity of collections, assessments and versions.

    Attributes
    ----------
    done : dict
        The results.
    notice : str
        Notice about a discarded older journal, else empty.
    """

    def __init__(self, path: Path, owner: Mapping[str, Any]) -> None:
        self.path = path
        self.done: dict[Key, Values] = {}
        self.notice = ""
        head = _line({"owner": owner})
        with usable(path):
            good = self._read(head)
            self._file = path.open("r+b" if good else "wb")
            self._file.truncate(good)
            self._file.seek(good)
        if not good:
            self._file.write(head)
            self._sync()

    def _read(self, head: bytes) -> int:
        """Read all valid lines and return their length in bytes; 0 to start a new journal."""
        if not self.path.exists():
            return 0
        good = 0
        with self.path.open("rb") as file:
            for line in file:
                if not good:
                    if line != head:
                        self.notice = f"{self.path}: belongs to other data or another version; measured anew"
                        return 0
                else:
                    entry = _entry(line)
                    if entry is None:
                        break
                    self.done.setdefault((entry["c"], entry["t"], entry["v"]), {}).update(entry["m"])
                good += len(line)
        return good

    def add(self, results: Iterable[tuple[Key, Values]], *, keep: bool = True) -> None:
        """Append results and sync them to disk; without `keep`, store them only in memory."""
        for key, values in results:
            self.done.setdefault(key, {}).update(values)
            if keep:
                self._file.write(_line(_fields(key, values)))
        self._sync()

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _fields(key: Key, values: Values) -> dict[str, Any]:
    return {"c": key[0], "t": key[1], "v": key[2], "m": values}


def _line(data: Mapping[str, Any]) -> bytes:
    body = json.dumps(data, ensure_ascii=False, sort_keys=True, allow_nan=False).encode("utf-8", "surrogatepass")
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _entry(line: bytes) -> dict[str, Any] | None:
    """Return the data of a line; None if it is incomplete or damaged."""
    checksum, _, body = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or checksum != b"%08x" % zlib.crc32(body):
        return None
    entry: dict[str, Any] = json.loads(body)
    return entry
