"""Indexes by their names: a folder, or a URL, of which there is a local copy."""

from __future__ import annotations

import os
from pathlib import Path

from trix.indexer.commit.commit import commits_named, is_index
from trix.indexer.commit.remote import copies, fetched, origin_of
from trix.support.urls import is_url, names_in

Name = str | os.PathLike[str]


def folder_of(name: Name) -> Path:
    """Return the folder of an index; of one at a URL that of its local copy, brought up to date.

    Raises
    ------
    TrixError
        There is no index at the URL, or it cannot be read.
    """
    return fetched(name) if isinstance(name, str) and is_url(name) else Path(name)


def name_of(folder: Path) -> str:
    """Return what users call an index: its folder, or the URL that the folder is a copy of."""
    url = origin_of(folder) if folder.parent == copies() else None
    return url or str(folder)


def is_there(name: Name) -> bool:
    """Whether a name is that of an index.

    Raises
    ------
    TrixError
        The service of a URL does not say.
    """
    if isinstance(name, str) and is_url(name):
        return bool(commits_named(names_in(name)))
    return is_index(name)


def several(name: Name) -> list[str]:
    """Return the names in a text with commas that is not itself a folder.

    >>> several("a.index, s3://bucket/b.index"), several("a.index")
    (['a.index', 's3://bucket/b.index'], ['a.index'])
    """
    text = os.fspath(name)
    if "," not in text or os.path.exists(text):
        return [text]
    return [each.strip() for each in text.split(",") if each.strip()]


def below(base: Path, name: str) -> str:
    """Return the name of an index, or of several with commas, as seen from another folder.

    >>> below(Path("lab"), "a.index,s3://bucket/b.index")
    'lab/a.index,s3://bucket/b.index'
    """
    whole = base / name
    names = [name] if whole.exists() else several(name)
    return ",".join(each if is_url(each) else str(base / each) for each in names)
