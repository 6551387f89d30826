"""Directory walk for documents: follows symbolic links, detects loops, skips unreadable folders."""

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
        Patterns of documents.
    skip
        Callback for unreadable folders, loops of symbolic links, and matching names that are no files.
    ignore
        Callback for other files, with relative and absolute path.

    Yields
    ------
    tuple
        Relative path with ``/``, absolute path, status (None if unavailable, as for a dangling link).

    Raises
    ------
    SourceError
        `folder` itself cannot be read.
    """
    # A link to a folder on the path from the top is a loop; a link to any other folder is just a second name.
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
            continue  # an index beside its documents
        for entry in names:
            path = below + entry.name
            if _is_folder(entry):
                if entry.name.startswith(".") and not globs.hidden:
                    continue
                status = os.stat(entry.path)
                key = (status.st_dev, status.st_ino)
                if key in ancestors:
                    skip(SourceError("is a link to a folder that contains it", entry.path))
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
