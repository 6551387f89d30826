"""Which files of the checkout are pages of the site, where each goes, and what becomes of the links between them."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ARTICLES = "trix/handbook/articles"
FIGURES = "trix/handbook/figures"

NAMED = {
    "README.md": "index.md",
    "docs/README.md": "contents.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changes.md",
    "SECURITY.md": "project/security.md",
    "trix/handbook/assessments/README.md": "handbook/assessments.md",
}
"""Pages whose place in the site does not follow from their place in the checkout."""

NAVIGATION = {
    "Use Trix": "install first-hour searching reading structured-queries levels any-schema profiles living web publish "
    "web-api scale",
    "Do research": "models laboratory datasets reproduce measures effectiveness silver benchmarks stop-list",
    "API": "api/*",
    "Specification": "spec/*",
    "Look up": "contents glossary bibliography modules project/*",
}
"""Sections of the site beside the handbook: pages in order; a star is a folder, its index first."""

_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_BADGE = re.compile(r"(?m)^<a href=\"[./]*actions/workflows/.*\n")  # where the repository is shown, not on the site
_ROW = re.compile(r"^\|.*", re.MULTILINE)
_SPAN = re.compile(r"`[^`]*`")
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")


class BrokenLinkError(Exception):
    """A link to a file that is not there."""


def places() -> dict[str, str]:
    """Return the files that are part of the site: path in the checkout -> path in the site."""
    found = {}
    for path in sorted((ROOT / "docs").rglob("*")):
        if path.is_file():
            name = path.relative_to(ROOT).as_posix()
            found[name] = name.removeprefix("docs/")
    for path in sorted((ROOT / FIGURES).glob("*.svg")):
        found[f"{FIGURES}/{path.name}"] = f"handbook/figures/{path.name}"
    for path in sorted((ROOT / ARTICLES).glob("*.xml")):
        found[f"{ARTICLES}/{path.name}"] = f"handbook/{path.stem}.md"
    return found | NAMED


def linked(text: str, page: str, where: dict[str, str], repository: str = "") -> str:
    r"""Return the Markdown of a page with its links as the site needs them.

    A link to a page of the site leads there. One to another file of the checkout leads to the repository, if its
    address is known, and else is its text alone. A stroke in code in a table loses its escape, which MkDocs would show.

    Raises
    ------
    BrokenLinkError
        There is no such file.

    >>> where = {"README.md": "index.md", "docs/web.md": "web.md"}
    >>> linked("[pages](docs/web.md#speed), [`code`](trix/errors.py)", "README.md", where)
    '[pages](web.md#speed), `code`'
    >>> print(linked(r"| `(car \| bus)` | one of them |", "README.md", where))
    | `(car | bus)` | one of them |
    """
    text = _BADGE.sub("", text)
    text = _ROW.sub(lambda row: _SPAN.sub(lambda code: code[0].replace(r"\|", "|"), row[0]), text)
    parts, end = [], 0
    for code in _CODE.finditer(text):
        parts += [_replaced(text[end : code.start()], page, where, repository), code[0]]
        end = code.end()
    return "".join([*parts, _replaced(text[end:], page, where, repository)])


def _replaced(text: str, page: str, where: dict[str, str], repository: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        sign, label, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match[0]
        path, hash_sign, anchor = target.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if file == ARTICLES:
            file, hash_sign = "handbook", ""
        goal = "handbook/index.md" if file == "handbook" else where.get(file) or where.get(f"{file}/README.md")
        if goal is not None:
            here = posixpath.dirname(where[page])
            return f"{sign}[{label}]({posixpath.relpath(goal, here or '.')}{hash_sign}{anchor})"
        if not (ROOT / file).exists():
            raise BrokenLinkError(f"{page}: there is no {file}")
        return f"[{label}]({repository}/{file})" if repository else label

    return _LINK.sub(replaced, text)


def repository() -> str:
    """Return the address at which files of the repository can be read, empty if TRIX_REPOSITORY does not say it."""
    return os.environ.get("TRIX_REPOSITORY", "").rstrip("/")
