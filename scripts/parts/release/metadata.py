"""Version and date of a release, in the files that state them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

VERSION = re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}((a|b|rc)[1-9]\d*)?")
UNRELEASED = "## [Unreleased]\n"


class ReleaseError(Exception):
    """A release that cannot be made, in one line."""


def check_version(version: str) -> None:
    """Raise if text is no version of a release.

    >>> check_version("0.1.0"), check_version("1.0.0rc1")
    (None, None)
    >>> check_version("v0.1")
    Traceback (most recent call last):
    scripts.parts.release.metadata.ReleaseError: v0.1 is no version: expected three numbers, as 0.1.0 or 1.0.0rc1
    """
    if not VERSION.fullmatch(version):
        raise ReleaseError(f"{version} is no version: expected three numbers, as 0.1.0 or 1.0.0rc1")


def unreleased(changelog: str) -> str:
    """Return the entries of a changelog that are in no release."""
    before, mark, after = changelog.partition(UNRELEASED)
    if not mark or (before and not before.endswith("\n")):
        raise ReleaseError("CHANGELOG.md has no line ## [Unreleased]: add it above the newest release")
    entries = re.split(r"^## ", after, maxsplit=1, flags=re.MULTILINE)[0]
    if not re.search(r"^- \S", entries, re.MULTILINE):
        raise ReleaseError("CHANGELOG.md lists nothing under ## [Unreleased]: a release without changes is none")
    return entries.strip()


def changelog_of(text: str, version: str, day: str) -> str:
    """Return a changelog whose unreleased entries are those of a version.

    >>> print(changelog_of("## [Unreleased]\\n\\n- All.\\n", "0.1.0", "2026-11-28"), end="")
    ## [Unreleased]
    <BLANKLINE>
    ## [0.1.0] - 2026-11-28
    <BLANKLINE>
    - All.
    """
    unreleased(text)
    if re.search(rf"^## \[{re.escape(version)}\]", text, re.MULTILINE):
        raise ReleaseError(f"CHANGELOG.md has a section {version} already: choose another version")
    return text.replace(UNRELEASED, f"{UNRELEASED}\n## [{version}] - {day}\n", 1)


def citation_of(text: str, version: str, day: str) -> str:
    """Return a citation file of a version.

    >>> print(citation_of("title: Trix\\nversion: 0.0.9\\n", "0.1.0", "2026-11-28"), end="")
    title: Trix
    version: 0.1.0
    date-released: 2026-11-28
    """
    dateless = re.sub(r"^date-released: .*\n", "", text, flags=re.MULTILINE)
    return _replaced(dateless, r"^version: .*$", f"version: {version}\ndate-released: {day}", "CITATION.cff")


def project_of(text: str, version: str, day: str) -> str:
    """Return pyproject.toml of a version."""
    return _replaced(text, r'^version = ".*"$', f'version = "{version}"', "pyproject.toml")


def package_of(text: str, version: str, day: str) -> str:
    """Return the package's first module of a version."""
    return _replaced(text, r'^__version__ = ".*"$', f'__version__ = "{version}"', "trix/__init__.py")


FILES: dict[str, Callable[[str, str, str], str]] = {
    "pyproject.toml": project_of,
    "trix/__init__.py": package_of,
    "CITATION.cff": citation_of,
    "CHANGELOG.md": changelog_of,
}


def write_release(root: Path, version: str, day: str) -> None:
    """Write a version and its day into all files that state them, or into none."""
    texts = {root / name: new((root / name).read_text("utf-8"), version, day) for name, new in FILES.items()}
    for path, text in texts.items():
        path.write_text(text, "utf-8")


def _replaced(text: str, pattern: str, line: str, name: str) -> str:
    found = re.findall(pattern, text, re.MULTILINE)
    if len(found) != 1:
        raise ReleaseError(f"{name}: expected one line that matches {pattern}, found {len(found)}")
    return re.sub(pattern, lambda _: line, text, flags=re.MULTILINE)
