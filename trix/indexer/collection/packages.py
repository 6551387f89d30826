"""Files that are archives and hold one work: books (EPUB), texts (OpenDocument), scores (MusicXML).

Such a package is read like a file: in a folder its name has to match, and its documents are those that hold its text.
What describes the package (its manifest, styles, metadata) is none. A text has ``meta.xml`` beside ``content.xml``,
which would be a second document of a few words; so it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from trix.indexer.collection.archives import Member
from trix.indexer.collection.beginnings import is_xhtml

PACKAGES = (".epub", ".odt", ".mxl")

_OF_BOOKS = (".html", ".htm", ".xml")
"""Endings of members of books that are documents if they begin as XHTML."""

_CONTAINER = "META-INF/container.xml"
_ROOT_FILE = re.compile(rb"<(?:[\w.-]+:)?rootfile\s[^<>]*?full-path\s*=\s*(?:\"([^\"<]*)\"|'([^'<]*)')")


def package_kind(name: str) -> str:
    """Return which of `PACKAGES` a file name ends with, or ``""``.

    >>> package_kind("a/Book.EPUB"), package_kind("a.epub/b.xhtml"), package_kind("c.zip")
    ('.epub', '', '')
    """
    lower = name.lower()
    return next((ending for ending in PACKAGES if lower.endswith(ending)), "")


def package_path(package: str, member: str) -> str:
    """Return the relative path of a document in a package, from that of the package.

    A book has many documents, and their paths go on inside it; a text or a score is one and has the path of its file.

    >>> package_path("x/book.epub", "text/1.xhtml"), package_path("x/letter.odt", "content.xml")
    ('x/book.epub/text/1.xhtml', 'x/letter.odt')
    """
    return f"{package}/{member}" if package_kind(package) == ".epub" else package


def documents_of(kind: str, members: Sequence[Member], begin: Callable[[Member], bytes]) -> list[Member]:
    """Return those members of a package that are its documents.

    Parameters
    ----------
    kind
        One of `PACKAGES`.
    members
        All of them.
    begin
        Gives the first bytes of one.
    """
    if kind == ".odt":
        return [member for member in members if member.path == "content.xml"]
    text = [member for member in members if not member.path.startswith(("META-INF/", "__MACOSX/"))]
    if kind == ".mxl":
        return _score(members, text, begin)
    found = [each for each in text if not each.path.startswith(".") and "/." not in each.path]
    by_name = (".xhtml", ".xht")
    return [
        each
        for each in found
        if each.path.lower().endswith(by_name) or (each.path.lower().endswith(_OF_BOOKS) and is_xhtml(begin(each)))
    ]


def _score(members: Sequence[Member], text: Sequence[Member], begin: Callable[[Member], bytes]) -> list[Member]:
    """Return the score that the container of a package names, or the first that looks like one."""
    container = next((member for member in members if member.path == _CONTAINER), None)
    named = _ROOT_FILE.search(begin(container)) if container else None
    if named:
        path = (named[1] or named[2] or b"").decode("utf-8", "replace")
        found = [member for member in text if member.path == path]
        if found:
            return found
    return [member for member in text if member.path.lower().endswith((".musicxml", ".xml"))][:1]
