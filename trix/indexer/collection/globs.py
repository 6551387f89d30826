"""Glob patterns that select documents by relative path.

A pattern without ``/`` matches file names at any depth; one with ``/`` matches the whole relative path. ``*``, ``?``
and ``[...]`` match within a name, ``**`` matches any number of folders. As in a shell, names with a leading dot
(``.git``, ``._x.xml``) need a pattern with a leading dot. Extensions in a pattern (``.xml``, ``.xml.gz``) match in any
case, since some tools write ``.XML``. The default patterns are the usual extensions of document schemas.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from posixpath import splitext

from trix.indexer.collection.packages import PACKAGES
from trix.support.streams import ENDINGS as COMPRESSIONS
from trix.support.streams import compression_of

_FIRST = (".xml", ".nxml")
_OF_SCHEMAS = (
    ".dita", ".ditamap", ".mei", ".tei", ".xhtml", ".musicxml", ".fodt", ".osis", ".usfx", ".akn", ".fb2", ".xlf",
    ".tmx",
)  # fmt: skip


def _packed(endings: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"*{ending}{packed}" for ending in endings for packed in ("", *COMPRESSIONS))


FIRST_GLOBS = _packed(_FIRST)
"""Patterns of old indexes, which did not store their patterns."""

DEFAULT_GLOBS = (*FIRST_GLOBS, *_packed(_OF_SCHEMAS), *(f"*{ending}" for ending in PACKAGES))

_ENDING = re.compile(r"(?:\.[^.*?\[\]/]+)+$")
_SHOWN = 8
"""Extensions listed individually."""


class Globs:
    """Patterns that select documents.

    Examples
    --------
    >>> globs = Globs(["*.xml", "plays/**/act?.tei"])
    >>> [globs.match(p) for p in ("a/b.XML", "a/.b.xml", ".a/b.xml", "plays/act1.tei", "plays/x/y/act1.tei", "a.tei")]
    [True, False, False, True, True, False]
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self.patterns = tuple(patterns) or DEFAULT_GLOBS
        self._split = [_split(pattern) for pattern in self.patterns]
        self._names_only = all("/" not in pattern for pattern in self.patterns)
        self._endings = tuple(
            each[1:].lower() for each in self.patterns if each[:1] == "*" and _ENDING.fullmatch(each[1:])
        )
        self._others = [each for each in self.patterns if each[1:].lower() not in self._endings]
        self.hidden = any(part.startswith(".") for parts in self._split for part in parts)
        """Whether folders with a leading dot must be searched."""

    def match(self, path: str) -> bool:
        """Whether a relative path is a document."""
        # Fast path: patterns on names only, without hidden files.
        if self._names_only and not self.hidden:
            if path.startswith(".") or "/." in path:
                return False
            name = path.rpartition("/")[2]
            return name.lower().endswith(self._endings) or any(_named(name, pattern) for pattern in self._others)
        parts = path.split("/")
        return any(_match(parts, pattern) for pattern in self._split)

    def ignored(self, path: str) -> str | None:
        """Return the extension of a file that is not a document; None for names that are never searched.

        >>> Globs().ignored("a/Style.XSL"), Globs().ignored("a/text.tar.GZ"), Globs().ignored("README")
        ('.xsl', '.tar.gz', '')
        >>> Globs().ignored(".git/config") is None
        True
        """
        if not self.hidden and (path.startswith(".") or "/." in path):
            return None
        return ending_of(path)

    @property
    def are_usual(self) -> bool:
        """Whether the patterns are defaults."""
        return self.patterns in (DEFAULT_GLOBS, FIRST_GLOBS)

    def __str__(self) -> str:
        if self.patterns == FIRST_GLOBS:
            return "*.xml or *.nxml, also compressed"
        if self.patterns == DEFAULT_GLOBS:
            rest = len(_FIRST) + len(_OF_SCHEMAS) + len(PACKAGES) - 4
            return f"*.xml, *.dita, *.tei, *.xhtml or {rest} other endings of documents, also compressed"
        return ", ".join(self.patterns)


def ending_of(path: str) -> str:
    """Return the extension of a file in lower case, including that of compression.

    >>> ending_of("a.b/text.TEI.gz"), ending_of("a.b/README")
    ('.tei.gz', '')
    """
    packed = compression_of(path)
    return (splitext(path[: len(path) - len(packed)])[1] + packed).lower()


def counted(endings: Mapping[str, int]) -> str:
    """Format numbers of files by extension, most frequent first.

    >>> counted({".pdf": 3, ".xsl": 1200, "": 1})
    '1,200 .xsl, 3 .pdf, 1 without ending'
    """
    order = sorted(endings.items(), key=lambda each: (-each[1], each[0]))
    listed = [f"{count:,} {ending or 'without ending'}" for ending, count in order[:_SHOWN]]
    rest = order[_SHOWN:]
    if rest:
        listed.append(f"{sum(count for _, count in rest):,} with {len(rest):,} more endings")
    return ", ".join(listed)


def _split(pattern: str) -> list[str]:
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    return parts if "/" in pattern else ["**", *parts]


def _named(name: str, pattern: str) -> bool:
    """Match a name against a pattern, its extension in any case."""
    if fnmatchcase(name, pattern):
        return True
    ending = _ENDING.search(pattern)
    if ending is None or not name.lower().endswith(ending[0].lower()):
        return False
    return fnmatchcase(name[: len(name) - len(ending[0])], pattern[: ending.start()])


def _match(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Match path parts against pattern parts by a non-deterministic automaton, so that no input is slow."""
    # A state is a position in the pattern; the set has all states that the parts so far can lead to.
    reached = _through_any({0}, pattern)
    last = len(parts) - 1
    for number, part in enumerate(parts):
        # Only the last part is a file name, whose extension ignores case.
        fits = _named if number == last else fnmatchcase
        after = set()
        for at in reached:
            if at == len(pattern):
                continue
            if pattern[at] == "**":
                if not part.startswith("."):
                    after.add(at)
            elif (not part.startswith(".") or pattern[at].startswith(".")) and fits(part, pattern[at]):
                after.add(at + 1)
        reached = _through_any(after, pattern)
    return len(pattern) in reached


def _through_any(reached: set[int], pattern: Sequence[str]) -> set[int]:
    """Add the states after each ``**``, which may match nothing."""
    for at in sorted(reached):
        while at < len(pattern) and pattern[at] == "**":
            at += 1
            reached.add(at)
    return reached
