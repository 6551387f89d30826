"""Indexes at URLs: published by writing the commit last, searched through a local copy.

Segment files are named by their content and never change. A copy is therefore updated by fetching the missing files,
and readers of an older commit are not disturbed. A cluster worker copies only the segments of its shard.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from trix.errors import IndexError_, SourceError, TrixError
from trix.indexer.commit.commit import (
    ORIGIN,
    REPAIR,
    SEGMENT,
    STATES,
    Commit,
    SegmentEntry,
    commit_files,
    commit_numbers,
    commits_named,
    decode_commit,
    encode_commit,
    newest_commit,
    origin_of,
    read_commit,
)
from trix.indexer.commit.sections import SectionFile
from trix.support.urls import GivenUp, fetch, joined, names_in, put, put_new, read, remove

VARIABLE = "TRIX_CACHE"
"""Environment variable with the folder of copies."""

_TRIES = 20
"""Number of attempts to fetch a commit before its files are replaced by newer ones."""

_FETCHES = 3
"""Number of attempts to fetch a file without damage."""

_COPIED = 1 << 20
"""Bytes copied at a time."""


def copy_of(url: str) -> Path:
    """Return the folder of an index's local copy."""
    name = url.rstrip("/").rpartition("/")[2]
    # The digest keeps indexes with equal names apart; the name is for people.
    return copies() / f"{hashlib.blake2b(url.rstrip('/').encode(), digest_size=6).hexdigest()}-{name}"


def copies() -> Path:
    """Return the folder of all copies."""
    base = os.environ.get(VARIABLE)
    if base is None:
        base = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "trix")
    return Path(base)


def fetched(url: str) -> Path:
    """Update the local copy of an index; return its folder.

    Raises
    ------
    IndexError_
        There is no index, it is damaged, or the disk is full.
    TrixError
        It cannot be read.
    """
    folder = copy_of(url)
    folder.mkdir(parents=True, exist_ok=True)
    seen = 0
    if origin_of(folder) != url:
        _write(folder / ORIGIN, url.encode())  # first, since error messages need the URL
    for _ in range(_TRIES):
        newest = newest_at(url)
        if _is_whole(folder, newest):
            return folder
        try:
            commit = commit_at(url, newest)
            _check_room(url, folder, commit)
            for entry in commit.segments:
                fetch_segment(url, entry)
        except FileNotFoundError as error:
            # The same commit twice: its file is missing for good, not replaced.
            if newest == seen:  # not replaced by a newer commit
                raise IndexError_(f"{url}: {_name(error)} is missing; the index is damaged there; {REPAIR}") from None
            seen = newest
            continue
        # The commit is written last: a copy with a commit is complete.
        for file in commit_files(folder, newest):
            _write(file, encode_commit(commit))
        return folder
    raise IndexError_(f"{url}: commits follow one another too quickly to be read; try again")


def newest_at(url: str) -> int:
    """Return the number of the newest commit at a URL.

    Raises
    ------
    IndexError_
        There is no index.
    """
    numbers = commits_named(names_in(url))
    if not numbers:
        raise IndexError_(f"{url}: not a Trix index (no commit in it); trix index COLLECTION {url} builds one")
    return numbers[-1]


def commit_at(url: str, number: int) -> Commit:
    """Read a commit at a URL; from its copy if its file is damaged or missing.

    Raises
    ------
    FileNotFoundError
        Both are missing: a newer commit has replaced it.
    IndexError_
        It is damaged.
    """
    lacks: FileNotFoundError | None = None
    fault: IndexError_ | None = None
    # The copy serves if the file is damaged or missing.
    for file in commit_files(Path(), number):
        where = joined(url, file.name)
        try:
            return decode_commit(where, read(where))
        except FileNotFoundError as error:
            lacks = error
        except IndexError_ as error:
            fault = fault or error
    raise fault or lacks or FileNotFoundError(url)


def fetch_segment(url: str, entry: SegmentEntry) -> Path:
    """Fetch a segment into the local copy if it is missing; return the folder of the copy.

    Raises
    ------
    FileNotFoundError
        A newer commit has replaced it.
    IndexError_
        It is damaged at the URL.
    """
    folder = copy_of(url)
    if _is_lacking(folder, entry):
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / ORIGIN, url.encode())
        fetch_verified(url, entry, folder / entry.file)
    return folder


def fetch_verified(url: str, entry: SegmentEntry, target: Path) -> None:
    """Download the file of a segment; it appears only after its size and checksums are verified.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    IndexError_
        It is damaged at the URL, or in each transfer.
    """
    where, fault = joined(url, entry.file), ""
    for _ in range(_FETCHES):
        with _beside(target) as aside:
            try:
                fetch(where, aside, entry.size)
                fault = _fault(aside, entry)
            except GivenUp:
                raise
            except SourceError as error:
                fault = error.reason
            # Renamed only after verification, so that readers never see a partial file.
            if not fault:
                os.replace(aside, target)
                return
    raise IndexError_(f"{where}: the file is damaged ({fault}; fetched {_FETCHES} times); {REPAIR}")


def mend_copy(path: Path, name: str, size: int) -> bool:
    """Restore the bytes of a damaged copy of a segment's file in place; return whether it succeeded.

    The file keeps its inode, so processes that map it see the restored bytes.
    """
    import shutil

    url = origin_of(path.parent)
    if url is None:
        return False
    try:
        with _beside(path) as aside:
            fetch_verified(url, SegmentEntry(name, size, {}), aside)
            with aside.open("rb") as sound, path.open("r+b") as damaged:
                # Written in place: a rename would leave the damaged inode in running processes.
                shutil.copyfileobj(sound, damaged, _COPIED)
                damaged.truncate()
    except (OSError, TrixError):
        return False
    return True


def _is_lacking(folder: Path, entry: SegmentEntry) -> bool:
    """Whether a segment's file is missing or has a wrong size; checksums are verified when it is read."""
    try:
        return (folder / entry.file).stat().st_size != entry.size
    except OSError:
        return True


def _is_whole(folder: Path, number: int) -> bool:
    """Whether a copy has an undamaged commit and the files of its segments."""
    try:
        return not any(_is_lacking(folder, entry) for entry in read_commit(folder, number).segments)
    except (FileNotFoundError, IndexError_):
        return False


def _fault(path: Path, entry: SegmentEntry) -> str:
    """Describe the fault of a segment's file; empty if there is none."""
    actual = path.stat().st_size
    if actual != entry.size:
        return f"{actual:,} bytes, {entry.size:,} expected"
    try:
        file = SectionFile(path, entry.name, entry.size)
    except IndexError_:
        return "its directory is another"
    return "a checksum does not hold" if file.faults() else ""


def _check_room(url: str, folder: Path, commit: Commit) -> None:
    """Raise if the disk has no room for the missing files."""
    import shutil

    wanted = sum(entry.size for entry in commit.segments if _is_lacking(folder, entry))
    free = shutil.disk_usage(folder).free
    if wanted > free:
        raise IndexError_(
            f"{url}: needs {wanted:,} bytes in {folder}, where {free:,} are free; free some space, or set "
            f"{VARIABLE} to another folder"
        )


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Provide a temporary file in the same folder as another."""
    import tempfile

    handle, aside = tempfile.mkstemp(dir=target.parent)
    os.close(handle)
    try:
        yield Path(aside)
    finally:
        Path(aside).unlink(missing_ok=True)


def _name(error: FileNotFoundError) -> str:
    """Return the file name that an error is about."""
    return os.path.basename(str(error.filename or error).rstrip("/"))


def check_free(url: str, overwrite: bool) -> int:
    """Return the number of the newest commit at a URL; 0 for none.

    Raises
    ------
    IndexError_
        An index exists and may not be replaced.
    """
    numbers = commits_named(names_in(url))
    if numbers and not overwrite:
        raise IndexError_(f"{url}: the index exists; pass `overwrite` to rebuild it")
    return numbers[-1] if numbers else 0


def publish_at(folder: Path, url: str, number: int | None = None) -> None:
    """Upload an index, its commit last; `number` replaces the commit's number.

    Raises
    ------
    IndexError_
        A commit with this number exists.
    """
    commit = newest_commit(folder)
    commit = commit if number is None else replace(commit, number=number)
    there = set(names_in(url))
    # Segments before the commit that refers to them.
    for entry in commit.segments:
        if entry.file not in there:
            put(folder / entry.file, joined(url, entry.file))
        if (folder / entry.states).exists():  # states change under the same name when sources are touched
            put(folder / entry.states, joined(url, entry.states))
    data, (path, copy) = encode_commit(commit), commit_files(Path(), commit.number)
    # Created only if absent: this decides between two writers.
    if not put_new(data, joined(url, path.name)):
        raise IndexError_(
            f"{url}: another writer has published commit {commit.number} in the meantime; nothing was changed, "
            "try again"
        )
    put_new(data, joined(url, copy.name))


def clear_at(url: str) -> None:
    """Remove the files at a URL that the newest commit does not need. URLs have no locks: only one writer may run."""
    names = names_in(url)
    numbers = commits_named(names)
    needed: set[str] = set()
    if numbers:
        commit = commit_at(url, numbers[-1])
        needed = {path.name for path in commit_files(Path(), numbers[-1])}
        needed |= {name for entry in commit.segments for name in (entry.file, entry.states)}
    for name in names:
        # Only files that Trix names itself are removed.
        if name not in needed and (name.startswith("commit-") or name.endswith((SEGMENT, STATES))):
            remove(joined(url, name))


def newest_here(folder: Path) -> int | None:
    """Return the number of the newest commit of an index; a local copy is updated first."""
    url = origin_of(folder) if folder.parent == copies() else None
    if url is not None:
        with suppress(FileNotFoundError):
            fetched(url)
    return max(commit_numbers(folder), default=None)


def _write(path: Path, data: bytes) -> None:
    aside = path.with_name(f"{path.name}.{os.getpid()}.new")
    aside.write_bytes(data)
    os.replace(aside, path)


def bring_states(path: Path) -> None:
    """Fetch the states of a segment's sources into a local copy that lacks them."""
    states = path.with_suffix(STATES)
    url = None if states.exists() else origin_of(path.parent)
    if url is not None:
        with suppress(TrixError, OSError):  # without them, states are unknown
            _write(states, read(joined(url, states.name)))
