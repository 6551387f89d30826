"""Parser of granularity levels [RETRIEVAL, section 8].

A level is ``content``, ``document``, ``minor:TAGS``, ``major:TAGS``, a path expression, or a name that a profile
defines as one of these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from trix.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from trix.query.language.path_tree import Path

_TAG = re.compile(r"@?[^\W\d][\w.\-]*(?::[^\W\d][\w.\-]*)?|#text")


class Definition(NamedTuple):
    """Definition of a level; ``str`` of it is its canonical text.

    Attributes
    ----------
    kind
        ``content``, ``document``, ``minor``, ``major`` or ``path``.
    tags
        Tag set of ``minor`` and ``major``.
    path
        Path of ``path``.
    """

    kind: str
    tags: tuple[str, ...] = ()
    path: Path | None = None

    def __str__(self) -> str:
        if self.path is not None:
            return str(self.path)
        return f"{self.kind}:{'+'.join(self.tags)}" if self.tags else self.kind

    def names(self) -> tuple[str, ...]:
        """All tags in the definition."""
        return self.tags if self.path is None else tuple(dict.fromkeys(self.path.names()))


def parse_level(text: str, named: Mapping[str, str] | None = None) -> Definition:
    """Read a level.

    Parameters
    ----------
    text
        ``content``, ``document``, ``minor:TAGS``, ``major:TAGS``, a path expression or a name.
    named
        The named levels of a profile.

    Raises
    ------
    UsageError
        One line with the fault and the expected form.

    Examples
    --------
    >>> print(parse_level("minor: sec + ss1"))
    minor:sec+ss1
    >>> print(parse_level("act", {"act": "major:ACT"}))
    major:ACT
    """
    wanted = " ".join(text.split())
    if wanted in ("content", "document"):
        return Definition(wanted)
    if wanted.startswith(("/", "(")):
        return Definition("path", path=_path(wanted, wanted))
    kind, colon, rest = (part.strip() for part in wanted.partition(":"))
    if colon and kind in ("minor", "major"):
        return Definition(kind, _tags(wanted, rest))
    if named and wanted in named:
        meant = " ".join(named[wanted].split())
        if meant in named:
            what = f"the profile says '{meant}', which is a name again"
            raise UsageError(f"{what}; expected a definition", field="level", got=wanted)
        return parse_level(meant)
    raise UsageError(_unknown(wanted, kind if colon else "", named), field="level", got=wanted or None)


def _path(text: str, level: str) -> Path:
    from trix.query.language.paths import parse_path

    try:
        return parse_path(text)
    except UsageError as error:
        raise UsageError(str(error), field="level", got=level) from None


def _tags(level: str, text: str) -> tuple[str, ...]:
    tags = [tag.strip() for tag in text.split("+")]
    for tag in tags:
        if not _TAG.fullmatch(tag):
            what = f"'{tag}' is no tag" if tag else "a tag is missing"
            raise UsageError(f"{what}; expected tags joined by +, as in minor:sec+ss1", field="level", got=level)
    return tuple(dict.fromkeys(tags))


def _unknown(level: str, kind: str, named: Mapping[str, str] | None) -> str:
    names = [*(named or ()), "content", "document"]
    known = f"content, document, minor:TAGS, major:TAGS, a path such as //{'sec' if kind else level or 'sec'}"
    if named:
        known += f", or a name of the profile ({', '.join(named)})"
    if not level:
        return f"it is empty; expected {known}"
    hint = did_you_mean(kind or level, [*names, *(("minor", "major") if kind else ())])
    return f"there is no such level{hint}; expected {known}"
