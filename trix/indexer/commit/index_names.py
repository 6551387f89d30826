"""Names of indexes: folders, and URLs with a local copy."""

from __future__ import annotations

import os
from pathlib import Path

from trix.indexer.commit.commit import commits_named, is_index
from trix.indexer.commit.remote import copies, fetched, origin_of
from trix.support.urls import is_url, names_in

Name = str | os.PathLike[str]


def folder_of(name: Name) -> Path:
    """Return the folder of an index; for a URL, its updated local copy.

    Raises
    ------
    TrixError
        There is no index at the URL, or it cannot be read.
    """
    return fetched(name) if isinstance(name, str) and is_url(name) else Path(name)


def name_of(folder: Path) -> str:
    """Return the name of an index for users: its folder, or the URL that the folder copies."""
    url = origin_of(folder) if folder.parent == copies() else None
    return url or str(folder)


def is_there(name: Name) -> bool:
    """Whether a name refers to an index.

    Raises
    ------
    TrixError
        The service of the URL does not answer.
    """
    if isinstance(name, str) and is_url(name):
        return bool(commits_named(names_in(name)))
    return is_index(name)


def several(name: Name) -> list[str]:
    """Split a list of names with commas, unless the whole text is a path.

    >>> several("a.index, s3://bucket/b.index"), several("a.index")
    (['a.index', 's3://bucket/b.index'], ['a.index'])
    """
    text = os.fspath(name)
    if "," not in text or os.path.exists(text):
        return [text]
    return [each.strip() for each in text.split(",") if each.strip()]


def below(base: Path, name: str) -> str:
    """Resolve the name of an index, or of several with commas, relative to a folder.

    >>> below(Path("lab"), "a.index,s3://bucket/b.index")
    'lab/a.index,s3://bucket/b.index'
    """
    whole = base / name
    names = [name] if whole.exists() else several(name)
    return ",".join(each if is_url(each) else str(base / each) for each in names)
