"""Which files of a folder or archive are documents: patterns over relative paths.

A pattern without ``/`` is matched against the file name at any depth, one with ``/`` against the whole relative path;
``*``, ``?`` and ``[...]`` stay within one name, ``**`` stands for any number of folders. As in a shell, a name that
begins with a dot is matched only by a pattern that begins with a dot: ``.git``, ``._x.xml`` and the like stay out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

DEFAULT_GLOBS = ("*.xml", "*.xml.gz", "*.xml.bz2", "*.xml.xz", "*.xml.zst")


class Globs:
    """Tells which relative paths are documents.

    Examples
    --------
    >>> globs = Globs(["*.xml", "plays/**/act?.tei"])
    >>> [globs.match(p) for p in ("a/b.xml", "a/.b.xml", ".a/b.xml", "plays/act1.tei", "plays/x/y/act1.tei", "a.tei")]
    [True, False, False, True, True, False]
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self.patterns = tuple(patterns) or DEFAULT_GLOBS
        self._split = [_split(pattern) for pattern in self.patterns]
        self._names_only = all("/" not in pattern for pattern in self.patterns)
        self.hidden = any(part.startswith(".") for parts in self._split for part in parts)
        """Whether dot-folders need to be looked into at all."""

    def match(self, path: str) -> bool:
        """Tell whether a relative path is a document."""
        if self._names_only and not self.hidden:
            if path.startswith(".") or "/." in path:
                return False
            name = path.rpartition("/")[2]
            return any(fnmatchcase(name, pattern) for pattern in self.patterns)
        parts = path.split("/")
        return any(_match(parts, pattern) for pattern in self._split)

    def __str__(self) -> str:
        return ", ".join(self.patterns)


def _split(pattern: str) -> list[str]:
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    return parts if "/" in pattern else ["**", *parts]


def _match(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Match path parts against pattern parts; the states reached so far are a set, so no input takes long."""
    reached = _through_any({0}, pattern)
    for part in parts:
        after = set()
        for at in reached:
            if at == len(pattern):
                continue
            if pattern[at] == "**":
                if not part.startswith("."):
                    after.add(at)
            elif (not part.startswith(".") or pattern[at].startswith(".")) and fnmatchcase(part, pattern[at]):
                after.add(at + 1)
        reached = _through_any(after, pattern)
    return len(pattern) in reached


def _through_any(reached: set[int], pattern: Sequence[str]) -> set[int]:
    """Add the states beyond each ``**`` reached, which may stand for nothing."""
    for at in sorted(reached):
        while at < len(pattern) and pattern[at] == "**":
            at += 1
            reached.add(at)
    return reached
