"""Collections that an index remembers, so that `trix update` needs no arguments."""

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
    """Collections of an index, in the order given.

    Attributes
    ----------
    collections
        Absolute paths of folders, files and archives; ``@`` and the absolute path of a list.
    glob
        Patterns of file names. An index stores the patterns of its build, even default ones. A later version with more
        default extensions then finds no unexpected files.
    """

    collections: tuple[str, ...] = ()
    glob: tuple[str, ...] = DEFAULT_GLOBS

    @classmethod
    def of(cls, collections: Sequence[Path], glob: Sequence[str] = ()) -> Origins:
        """Make the origins of a new index; a list from standard input is not remembered."""
        return cls(tuple(dict.fromkeys(filter(None, map(absolute, collections)))), tuple(glob) or DEFAULT_GLOBS)

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Origins:
        """Read origins from a commit; old commits without patterns imply the first default patterns."""
        return cls(tuple(written.get("collections", ())), tuple(written.get("glob", ())) or FIRST_GLOBS)

    def to_dict(self) -> dict[str, Any]:
        """Convert to the form stored in a commit."""
        return {"collections": list(self.collections), "glob": list(self.glob)}

    def with_more(self, collections: Sequence[Path]) -> Origins:
        """Add collections, except those inside a remembered one."""
        found = list(self.collections)
        for collection in filter(None, map(absolute, collections)):
            if collection not in found and self.home_of(collection) is None:
                found.append(collection)
        return Origins(tuple(found), self.glob)

    def home_of(self, location: str) -> str | None:
        """Return the remembered folder that contains a file or folder, or None."""
        for home in self.collections:
            if (is_url(home) or (not home.startswith("@") and os.path.isdir(home))) and _inside(location, home):
                return home
        return None


def absolute(collection: Path) -> str:
    """Return the absolute path of a collection; empty for a list from standard input."""
    name = os.fsdecode(collection)
    if is_url(name):
        return name.rstrip("/")
    if name.startswith("@"):
        return "" if name == "@-" else f"@{os.path.abspath(name[1:])}"
    return os.path.abspath(name)


def _inside(location: str, home: str) -> bool:
    return location == home or location.startswith(home.rstrip(os.sep) + os.sep)
