"""An index at a URL: published by writing its commit last, and searched from a local copy.

The files of segments are named by what they hold and never change. So a copy is brought up to date by fetching what it
lacks, and who has opened an older commit goes on reading. A worker of a cluster copies the segments of its part alone.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from trix.errors import IndexError_
from trix.indexer.commit.commit import (
    SEGMENT,
    STATES,
    SegmentEntry,
    commit_files,
    commit_numbers,
    commits_named,
    decode_commit,
    encode_commit,
    newest_commit,
)
from trix.support.urls import fetch, joined, names_in, put, put_new, read, remove

VARIABLE = "TRIX_CACHE"
"""Environment variable: the folder of copies."""

ORIGIN = "origin"
"""The file of a copy that names the URL."""

_TRIES = 100


def copy_of(url: str) -> Path:
    """Return the folder of the local copy of an index."""
    name = url.rstrip("/").rpartition("/")[2]
    return copies() / f"{hashlib.blake2b(url.rstrip('/').encode(), digest_size=6).hexdigest()}-{name}"


def copies() -> Path:
    """Return the folder of all copies."""
    base = os.environ.get(VARIABLE)
    if base is None:
        base = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "trix")
    return Path(base)


def origin_of(folder: Path) -> str | None:
    """Return the URL that a folder is a copy of; None where it is an index of its own."""
    try:
        return (folder / ORIGIN).read_text()
    except OSError:
        return None


def fetched(url: str) -> Path:
    """Bring the local copy of an index up to date; return its folder.

    Raises
    ------
    IndexError_
        No index is there.
    TrixError
        It cannot be read.
    """
    folder = copy_of(url)
    folder.mkdir(parents=True, exist_ok=True)
    for _ in range(_TRIES):
        numbers = commits_named(names_in(url))
        if not numbers:
            raise IndexError_(f"{url}: not a Trix index (no commit in it); trix index COLLECTION {url} builds one")
        newest = numbers[-1]
        if newest in commit_numbers(folder):
            return folder
        where = commit_files(folder, newest)[0]
        try:
            commit = decode_commit(where, read(joined(url, where.name)))
            for entry in commit.segments:
                fetch_segment(url, entry)
        except FileNotFoundError:
            continue  # a newer one came meanwhile
        _write(folder / ORIGIN, url.encode())
        _write(where, encode_commit(commit))
        return folder
    raise IndexError_(f"{url}: commits follow one another too quickly to be read; try again")


def fetch_segment(url: str, entry: SegmentEntry) -> Path:
    """Return the folder of the local copy, in which a segment is by now.

    Raises
    ------
    FileNotFoundError
        A newer commit has taken it away.
    """
    import tempfile

    folder = copy_of(url)
    path = folder / entry.file
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=folder)
        os.close(handle)
        try:
            fetch(joined(url, entry.file), Path(aside))
            os.replace(aside, path)
        finally:
            Path(aside).unlink(missing_ok=True)
    return folder


def check_free(url: str, overwrite: bool) -> int:
    """Return the number of the newest commit at a URL, 0 where there is none.

    Raises
    ------
    IndexError_
        An index is there and is not to be replaced.
    """
    numbers = commits_named(names_in(url))
    if numbers and not overwrite:
        raise IndexError_(f"{url}: there is an index already; `overwrite` builds it anew")
    return numbers[-1] if numbers else 0


def publish_at(folder: Path, url: str, number: int | None = None) -> None:
    """Put an index to a URL, its commit last; under another number than here, if one is given.

    Raises
    ------
    IndexError_
        A commit of this number is there.
    """
    commit = newest_commit(folder)
    commit = commit if number is None else replace(commit, number=number)
    there = set(names_in(url))
    for entry in commit.segments:
        if entry.file not in there:
            put(folder / entry.file, joined(url, entry.file))
        if (folder / entry.states).exists():  # which change under their name, as sources are touched
            put(folder / entry.states, joined(url, entry.states))
    data, (path, copy) = encode_commit(commit), commit_files(Path(), commit.number)
    if not put_new(data, joined(url, path.name)):
        raise IndexError_(
            f"{url}: another writer has published commit {commit.number} meanwhile; nothing was changed, begin again"
        )
    put_new(data, joined(url, copy.name))


def clear_at(url: str) -> None:
    """Take away what the newest commit at a URL does not need; one writer at a time, as nothing is locked there."""
    names = names_in(url)
    numbers = commits_named(names)
    needed: set[str] = set()
    if numbers:
        files = commit_files(Path(), numbers[-1])
        commit = decode_commit(files[0], read(joined(url, files[0].name)))
        needed = {path.name for path in files}
        needed |= {name for entry in commit.segments for name in (entry.file, entry.states)}
    for name in names:
        if name not in needed and (name.startswith("commit-") or name.endswith((SEGMENT, STATES))):
            remove(joined(url, name))


def newest_here(folder: Path) -> int | None:
    """Return the number of the newest commit of an index; of a copy, after it was brought up to date."""
    url = origin_of(folder) if folder.parent == copies() else None
    if url is not None:
        with suppress(FileNotFoundError):
            fetched(url)
    return max(commit_numbers(folder), default=None)


def _write(path: Path, data: bytes) -> None:
    aside = path.with_name(f"{path.name}.{os.getpid()}.new")
    aside.write_bytes(data)
    os.replace(aside, path)
