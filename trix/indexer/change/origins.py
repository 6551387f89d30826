"""The collections that an index remembers, so that `trix update` need not be told."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from trix.indexer.collection.globs import DEFAULT_GLOBS, FIRST_GLOBS
from trix.support.urls import is_url

Path = str | PathLike[str]


@dataclass(frozen=True)
class Origins:
    """Collections, in the order in which they were given.

    Attributes
    ----------
    collections
        Absolute paths of folders, files and archives; ``@`` and the absolute path of a list.
    glob
        The patterns of file names. An index keeps those that it was built with, also where nobody chose them, so that a
        later version that reads more endings finds no new files.
    """

    collections: tuple[str, ...] = ()
    glob: tuple[str, ...] = DEFAULT_GLOBS

    @classmethod
    def of(cls, collections: Sequence[Path], glob: Sequence[str] = ()) -> Origins:
        """Return the origins of an index that is built from some collections; a list from standard input is none."""
        return cls(tuple(dict.fromkeys(filter(None, map(absolute, collections)))), tuple(glob) or DEFAULT_GLOBS)

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Origins:
        """Return what a commit holds; one without patterns is of a time when there was one set of usual endings."""
        return cls(tuple(written.get("collections", ())), tuple(written.get("glob", ())) or FIRST_GLOBS)

    def to_dict(self) -> dict[str, Any]:
        """Return what a commit holds."""
        return {"collections": list(self.collections), "glob": list(self.glob)}

    def with_more(self, collections: Sequence[Path]) -> Origins:
        """Return the origins with some more collections, but for those that lie in one that is there already."""
        found = list(self.collections)
        for collection in filter(None, map(absolute, collections)):
            if collection not in found and self.home_of(collection) is None:
                found.append(collection)
        return Origins(tuple(found), self.glob)

    def home_of(self, location: str) -> str | None:
        """Return the folder among the collections that a file or folder lies in; None where there is none."""
        for home in self.collections:
            if (is_url(home) or (not home.startswith("@") and os.path.isdir(home))) and _inside(location, home):
                return home
        return None


def absolute(collection: Path) -> str:
    """Return a collection by its absolute path; nothing for a list that comes from standard input."""
    name = os.fsdecode(collection)
    if is_url(name):
        return name.rstrip("/")
    if name.startswith("@"):
        return "" if name == "@-" else f"@{os.path.abspath(name[1:])}"
    return os.path.abspath(name)


def _inside(location: str, home: str) -> bool:
    return location == home or location.startswith(home.rstrip(os.sep) + os.sep)
