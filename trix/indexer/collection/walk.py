"""Walking a folder for documents, through symbolic links, around loops and closed doors."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator

from trix.errors import SourceError
from trix.indexer.collection.globs import Globs
from trix.indexer.commit.commit import names_an_index

Report = Callable[[SourceError], None]


def walk(
    folder: str, globs: Globs, skip: Report, ignore: Callable[[str, str], None]
) -> Iterator[tuple[str, str, os.stat_result | None]]:
    """Yield the documents below a folder, in no particular order.

    Parameters
    ----------
    folder
        Absolute path.
    globs
        Which relative paths are documents.
    skip
        Told of folders that cannot be read, of loops of symbolic links, and of names that match but are no files.
    ignore
        Told the relative and the absolute path of every other file.

    Yields
    ------
    tuple
        Relative path with ``/``, absolute path, status (None where the file cannot be looked at: a dangling link).

    Raises
    ------
    SourceError
        When `folder` itself cannot be read.
    """
    # A folder on the way from the top to here, met again, is a loop; met elsewhere, it is just linked twice.
    top = os.stat(folder)
    open_folders = [("", folder, frozenset([(top.st_dev, top.st_ino)]))]
    while open_folders:
        below, location, ancestors = open_folders.pop()
        try:
            with os.scandir(location) as entries:
                names = list(entries)
        except OSError as error:
            if not below:
                raise SourceError(f"the folder cannot be read: {error.strerror}", location) from None
            skip(SourceError(f"the folder cannot be read: {error.strerror}", location))
            continue
        if any(names_an_index(entry.name) for entry in names):
            continue  # an index among its documents
        for entry in names:
            path = below + entry.name
            if _is_folder(entry):
                if entry.name.startswith(".") and not globs.hidden:
                    continue
                status = os.stat(entry.path)
                key = (status.st_dev, status.st_ino)
                if key in ancestors:
                    skip(SourceError("is a link back to a folder it lies in", entry.path))
                else:
                    open_folders.append((path + "/", entry.path, ancestors | {key}))
            elif globs.match(path):
                found = _status(entry)
                if found is None or stat.S_ISREG(found.st_mode):
                    yield path, entry.path, found
                else:
                    skip(SourceError("is not a regular file", entry.path))
            else:
                ignore(path, entry.path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat()
    except OSError:
        return None
