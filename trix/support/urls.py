"""Places that are named by URLs, as ``s3://bucket/articles``: the library fsspec reads and writes them.

Who may do so is its business, too: keys come from the environment or from the files of the service's own tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from trix.errors import SourceError, TrixError, UsageError
from trix.support.extras import install_hint

_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


class UrlFile(NamedTuple):
    """A file at a URL: its bytes, and the time of its last change in nanoseconds, 0 where nobody says."""

    url: str
    size: int
    mtime_ns: int


def is_url(place: str | bytes | PathLike[str]) -> bool:
    """Whether a place is named by a URL.

    >>> is_url("s3://bucket/articles"), is_url("articles/a.xml"), is_url("C://x")
    (True, False, False)
    """
    return isinstance(place, str) and _URL.match(place) is not None


def files_below(url: str) -> list[UrlFile]:
    """Return the files below a URL, or the file that it is, sorted by their URLs.

    Raises
    ------
    SourceError
        They cannot be listed.
    """
    with _told(url, fresh=True) as (system, path):
        found = system.find(path, detail=True)
        return [
            UrlFile(system.unstrip_protocol(each), int(about.get("size") or 0), _time(about))
            for each, about in sorted(found.items())
            if about.get("type") == "file"
        ]


def names_in(url: str) -> list[str]:
    """Return the names of the files in a folder; none where there is no such folder.

    Raises
    ------
    SourceError
        They cannot be listed.
    """
    with _told(url, fresh=True) as (system, path):
        try:
            return sorted(each.rstrip("/").rpartition("/")[2] for each in system.ls(path, detail=False))
        except FileNotFoundError:
            return []


def read(url: str) -> bytes:
    """Return the bytes of a file.

    Raises
    ------
    FileNotFoundError
        It is not there.
    SourceError
        It cannot be read.
    """
    with _told(url, may_lack=True) as (system, path):
        data: bytes = system.cat_file(path)
        return data


@contextmanager
def opened(url: str) -> Iterator[Any]:
    """Open a file for reading, for the time of a block.

    Raises
    ------
    SourceError
        It cannot be read.
    """
    with _told(url) as (system, path):
        file = system.open(path, "rb")
    with file:  # what is wrong with its content is said by who reads it
        yield file


def fetch(url: str, target: Path) -> None:
    """Copy a file to this machine; its name is there when it is there whole.

    Raises
    ------
    FileNotFoundError
        It is not there.
    SourceError
        It cannot be read.
    """
    with _told(url, may_lack=True) as (system, path):
        system.get_file(path, str(target))


def put(source: Path, url: str) -> None:
    """Copy a file from this machine; in a bucket it is there whole or not at all.

    Raises
    ------
    SourceError
        It cannot be written.
    """
    with _told(url) as (system, path):
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
        system.put_file(str(source), path)


def put_new(data: bytes, url: str) -> bool:
    """Write a small file where there is none yet; return whether there was none.

    Where a service can make sure of it, of several that do it at a time one alone succeeds.

    Raises
    ------
    SourceError
        It cannot be written.
    """
    with _told(url, fresh=True) as (system, path):
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
        if system.exists(path):
            return False
        try:
            system.pipe_file(path, data, mode="create")
        except FileExistsError:
            return False
        except (NotImplementedError, TypeError):  # a service that cannot
            system.pipe_file(path, data)
        return True


def remove(url: str) -> None:
    """Remove a file that may be there."""
    with _told(url) as (system, path):
        try:
            system.rm_file(path)
        except FileNotFoundError:
            return


def _system(url: str, *, fresh: bool = False) -> tuple[Any, str]:
    """Return what reads a URL, and the path there; `fresh` forgets what was listed before."""
    if find_spec("fsspec") is None:
        raise UsageError(f"{url}: URLs need fsspec: {install_hint('cloud')}")
    from fsspec.core import url_to_fs

    try:
        system, path = url_to_fs(url)
    except ImportError as error:
        raise UsageError(f"{url}: {error}; the extra cloud has what s3 needs: {install_hint('cloud')}") from None
    except ValueError as error:
        raise UsageError(f"{url}: {error}") from None
    if fresh:
        system.invalidate_cache()
    return system, path


@contextmanager
def _told(url: str, *, may_lack: bool = False, fresh: bool = False) -> Iterator[tuple[Any, str]]:
    """Give what reads a URL, see `_system`, and tell in one line what a service says.

    That a file is not there is for the caller, if that `may_lack`.
    """
    try:
        yield _system(url, fresh=fresh)
    except TrixError:
        raise
    except FileNotFoundError as error:
        if may_lack:
            raise
        raise SourceError(f"no such file or folder: {' '.join(str(error).split())}", url) from None
    except Exception as error:  # each library of fsspec has errors of its own
        why = " ".join(str(error).split()) or type(error).__name__
        raise SourceError(f"cannot be read or written: {why}", url) from None


def _time(about: dict[str, Any]) -> int:
    """Return the time of the last change in nanoseconds, as far as a service tells."""
    said = next((about[name] for name in ("LastModified", "mtime", "updated", "last_modified") if about.get(name)), 0)
    seconds = said.timestamp() if isinstance(said, datetime) else said
    return int(seconds * 1e9) if isinstance(seconds, int | float) else 0


def joined(url: str, name: str) -> str:
    """Return the URL of a file in a folder.

    >>> joined("s3://bucket/my.index/", "lock")
    's3://bucket/my.index/lock'
    """
    return f"{fspath(url).rstrip('/')}/{name}"
