"""A journal of finished results: appended to while an experiment runs, read when it goes on after an interruption.

Each line is a checksum, a blank and JSON. A line that was half written when the process was killed is cut off;
everything before it counts. The first line says what the results belong to: for other collections, assessments or
versions a new journal is begun. A line holds all values of one variant on one topic; which grid it was part of does not
matter, so an experiment can grow without being measured again.
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
"""Measure -> value; None where it is not defined for the topic."""


class Journal:
    """Finished results, in memory and on disk.

    Parameters
    ----------
    path
        The file; made if it is not there.
    owner
        What the results belong to.

    Attributes
    ----------
    done : dict
        The results.
    notice : str
        What happened to an older journal, empty if nothing did.
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
        """Read what is sound and return its length in bytes; 0 to begin anew."""
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
        """Append results and make them durable; without `keep` they are known to this process only."""
        for key, values in results:
            self.done.setdefault(key, {}).update(values)
            if keep:
                self._file.write(_line(_fields(key, values)))
        self._sync()

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
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
    """Return what a line says, None if it is not whole."""
    checksum, _, body = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or checksum != b"%08x" % zlib.crc32(body):
        return None
    entry: dict[str, Any] = json.loads(body)
    return entry
