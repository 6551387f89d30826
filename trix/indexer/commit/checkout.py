"""An index at a URL that is to be changed: a working copy here, published there as its next commit.

Nothing can be locked at a URL. So a commit takes the number behind the one that it goes on from, and its file is
made only where there is none of this name: of two writers that began alike the second is refused, and nothing is lost.
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
from trix.indexer.commit.named import is_there
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
"""Seconds after which the working copy of a writer that was killed is taken away."""


class Checkout:
    """The working copy of an index at a URL.

    Parameters
    ----------
    url
        Of the index; where there is none, the first commit makes one.
    as_it_is
        Take the files as they are there, damaged ones, too, and none from the local copy: to be checked or repaired.

    Attributes
    ----------
    folder : Path
        The working copy, an index like any other.
    number : int
        The newest commit at the URL that it goes on from; 0 where there is none.

    Raises
    ------
    TrixError
        It cannot be read.
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
            _linked(copy / entry.file, self.folder / entry.file)
            with suppress(FileNotFoundError):  # then its sources are compared by their content
                fetch(joined(self.url, entry.states), self.folder / entry.states, SMALL)
        (self.folder / ORIGIN).write_text(self.url)  # from where a damaged file is fetched anew
        write_commit(self.folder, commit)
        self.number = commit.number

    def _take_as_it_is(self) -> None:
        self.number = newest_at(self.url)
        files = [(path.name, SMALL) for path in commit_files(Path(), self.number)]
        with suppress(FileNotFoundError, IndexError_):  # which a check finds, too
            for entry in commit_at(self.url, self.number).segments:
                files += [(entry.file, entry.size), (entry.states, SMALL)]
        for name, most in files:
            with suppress(FileNotFoundError, TooManyBytes):
                fetch(joined(self.url, name), self.folder / name, most)

    def put_states(self, names: Iterable[str]) -> None:
        """Put files with the states of sources to the URL, whose segments are there."""
        for name in names:
            put(self.folder / name, joined(self.url, name))

    def named(self, line: str) -> str:
        """Return what is said of a file of the working copy as it is said of the one at the URL."""
        return line.replace(str(self.folder), self.url)

    def publish(self) -> None:
        """Make the newest commit of the working copy the next one at the URL.

        Raises
        ------
        IndexError_
            Another writer has published since; nothing is changed there.
        TrixError
            The place cannot be written to.
        """
        publish_at(self.folder, self.url, self.number + 1)
        self.number += 1
        clear_at(self.url)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Take the working copy away."""
        shutil.rmtree(self._home, ignore_errors=True)


def _linked(path: Path, target: Path) -> None:
    """Give a file another name, or copy it where names cannot be shared."""
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def _clear_forgotten() -> None:
    for folder in copies().glob(f"{_WRITING}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _FORGOTTEN:
                shutil.rmtree(folder, ignore_errors=True)
