"""Working copy of an index at a URL, published there as the next commit.

A URL cannot be locked. A commit therefore takes the number after its base, and its file is created only if no file has
this name. Of two writers with the same base, the second is refused, and nothing is lost.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Self

from trix.errors import IndexError_
from trix.indexer.commit.commit import commit_files, newest_commit, write_commit
from trix.indexer.commit.index_names import is_there
from trix.indexer.commit.remote import (
    ORIGIN,
    clear_at,
    commit_at,
    copies,
    copy_of,
    fetched,
    newest_at,
    publish_at,
)
from trix.support.urls import SMALL, TooManyBytes, fetch, joined, put

_WRITING = "writing-"
_FORGOTTEN = 86_400.0
"""Age in seconds after which the working copy of a killed writer is removed."""


class Checkout:
    """Working copy of an index at a URL.

    Parameters
    ----------
    url
        URL of the index; if there is none yet, the first commit creates it.
    as_it_is
        Copy the files from the URL as they are, even damaged ones, to check or repair them.

    Attributes
    ----------
    folder : Path
        The working copy, an index like any other.
    number : int
        Newest commit at the URL, the base of the next one; 0 for none.

    Raises
    ------
    TrixError
        The index cannot be read.
    """

    def __init__(self, url: str, *, as_it_is: bool = False) -> None:
        self.url, self.number = url.rstrip("/"), 0
        _clear_forgotten()
        copies().mkdir(parents=True, exist_ok=True)
        self._home = Path(tempfile.mkdtemp(prefix=_WRITING, dir=copies()))
        self.folder = self._home / copy_of(url).name
        try:
            self.folder.mkdir()
            if as_it_is:
                self._take_as_it_is()
            elif is_there(url):
                self._take(fetched(url))
        except BaseException:
            self.close()
            raise

    def _take(self, copy: Path) -> None:
        commit = newest_commit(copy)
        for entry in commit.segments:
            # Segments never change, so hard links are safe and cost no space.
            _linked(copy / entry.file, self.folder / entry.file)
            with suppress(FileNotFoundError):  # without states, sources are compared by content
                fetch(joined(self.url, entry.states), self.folder / entry.states, SMALL)
        (self.folder / ORIGIN).write_text(self.url)  # damaged files are fetched again from there
        write_commit(self.folder, commit)
        self.number = commit.number

    def _take_as_it_is(self) -> None:
        self.number = newest_at(self.url)
        files = [(path.name, SMALL) for path in commit_files(Path(), self.number)]
        with suppress(FileNotFoundError, IndexError_):  # a check reports it
            for entry in commit_at(self.url, self.number).segments:
                files += [(entry.file, entry.size), (entry.states, SMALL)]
        for name, most in files:
            with suppress(FileNotFoundError, TooManyBytes):
                fetch(joined(self.url, name), self.folder / name, most)

    def put_states(self, names: Iterable[str]) -> None:
        """Upload state files of sources; their segments are at the URL already."""
        for name in names:
            put(self.folder / name, joined(self.url, name))

    def named(self, line: str) -> str:
        """Replace the path of the working copy by the URL in a message."""
        return line.replace(str(self.folder), self.url)

    def publish(self) -> None:
        """Publish the newest commit of the working copy as the next one at the URL.

        Raises
        ------
        IndexError_
            Another writer has published in the meantime; nothing is changed at the URL.
        TrixError
            The URL cannot be written to.
        """
        publish_at(self.folder, self.url, self.number + 1)
        self.number += 1
        # Old files go last: readers of the previous commit may still be fetching.
        clear_at(self.url)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the working copy."""
        shutil.rmtree(self._home, ignore_errors=True)


def _linked(path: Path, target: Path) -> None:
    """Hard-link a file, or copy it where that is impossible."""
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def _clear_forgotten() -> None:
    for folder in copies().glob(f"{_WRITING}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _FORGOTTEN:
                shutil.rmtree(folder, ignore_errors=True)
