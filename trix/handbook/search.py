"""Search in the handbook, by an index of its articles in the user's cache.

The folder of the index is named after the version of Trix and a hash of the articles. So a new version or an edited
article gets a new index; older ones are removed. If the cache cannot be written or is damaged, a temporary index is
used.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trix
from trix.errors import TrixError
from trix.handbook import ARTICLES
from trix.handbook.contents import Chapter, plain
from trix.support.element_path import read_step, steps

CONTEXT = "vertical:f=1.25,p=0.5,a=1,r=1"
"""Best values in training on the topics of 2005 [IV]; they also suit the handbook's own topics."""

_NAME = "handbook-"


@dataclass(frozen=True)
class HandbookResult:
    """A search result in the handbook.

    Attributes
    ----------
    chapter
        Name of the chapter.
    headings
        Title of the chapter and headings of the enclosing sections.
    snippet
        Snippet of its text.
    """

    chapter: str
    headings: tuple[str, ...]
    snippet: str


def search(query: str, top: int = 5) -> tuple[list[HandbookResult], list[str]]:
    """Return the best results for a query, at most one per heading, and notices on the query.

    Raises
    ------
    QueryError
        The query does not parse.
    """
    places: dict[tuple[str, ...], HandbookResult] = {}
    with open_handbook() as index:
        results = index.search(query, preset="study", context=CONTEXT, b=0.9, top=5 * top)
        for result in results:
            headings = _headings(Chapter(result.doc, ""), result.path)
            if len(places) < top and headings not in places:
                places[headings] = HandbookResult(result.doc, headings, result.snippet)
        return list(places.values()), list(results.notices)


def _headings(chapter: Chapter, path: str) -> tuple[str, ...]:
    """Return the titles of the chapter and of the sections around an element."""
    titles, element = [chapter.title], chapter.root
    for name, position in map(read_step, steps(path)[1:]):
        if name.startswith(("text()", "@")) or not position:
            break
        element = element.findall(name)[position - 1]
        title: Any = element.find("title") if name == "sec" else None
        if title is not None:
            titles.append(plain(title))
    return tuple(titles)


def cache_folder() -> Path:
    """Return the user's cache folder for Trix, by the conventions of the system."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "trix"


def pages_folder() -> Path:
    """Return a folder for the web pages: in the cache, or a temporary one if the cache is not writable."""
    folder = cache_folder() / "handbook"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="trix-handbook-"))


def fingerprint() -> str:
    """Return 16 hexadecimal digits that depend on version, location and content of the articles."""
    hashed = hashlib.sha256(f"{trix.__version__}\0{ARTICLES}".encode())
    for path in sorted(ARTICLES.glob("*.xml")):
        data = path.read_bytes()
        hashed.update(f"\0{path.name}\0{len(data)}\0".encode() + data)
    return hashed.hexdigest()[:16]


@contextmanager
def open_handbook() -> Iterator[trix.Index]:
    """Open the index of the handbook; build it first if it is missing."""
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
