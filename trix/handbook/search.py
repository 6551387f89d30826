"""Searching the handbook: an index of its articles, built once and kept in the user's cache.

The folder of the index is named after the version of Trix and a hash of the articles, so a new version or an edited
article gets an index of its own; older ones are removed. Where the cache cannot be written, or holds something broken,
a temporary folder serves for this one time.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import trix
from trix.errors import TrixError
from trix.handbook import ARTICLES

_NAME = "handbook-"


def cache_folder() -> Path:
    """Return the folder for what can be made again: the user's, as the system has it."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "trix"


def fingerprint() -> str:
    """Return 16 hexadecimal digits that change with the version, the place and the content of the articles."""
    hashed = hashlib.sha256(f"{trix.__version__}\0{ARTICLES}".encode())
    for path in sorted(ARTICLES.glob("*.xml")):
        data = path.read_bytes()
        hashed.update(f"\0{path.name}\0{len(data)}\0".encode() + data)
    return hashed.hexdigest()[:16]


@contextmanager
def open_handbook() -> Iterator[trix.Index]:
    """Open the index of the handbook, made first where there is none yet."""
    folder = cache_folder()
    index = folder / f"{_NAME}{fingerprint()}.index"
    opened = _opened(index)
    if opened is None:
        with suppress(TrixError, OSError):
            folder.mkdir(parents=True, exist_ok=True)
            _build(index)
            _remove_others(folder, index)
            opened = _opened(index)
    if opened is not None:
        with opened:
            yield opened
        return
    with tempfile.TemporaryDirectory(prefix="trix-handbook-") as scratch:
        _build(Path(scratch) / "handbook.index")
        with trix.open(Path(scratch) / "handbook.index") as opened:
            yield opened


def _opened(index: Path) -> trix.Index | None:
    try:
        return trix.open(index)
    except (TrixError, OSError):
        return None


def _build(index: Path) -> None:
    trix.build(ARTICLES, index, profile="jats", jobs=1, overwrite=True)


def _remove_others(folder: Path, index: Path) -> None:
    for old in folder.glob(f"{_NAME}*.index"):
        if old != index:
            shutil.rmtree(old, ignore_errors=True)
