"""Packages: archives with a single work, such as books (EPUB), texts (OpenDocument), scores (MusicXML).

A package is selected like a file, by its name, and its documents are the members with text. Manifests, styles and
metadata are not documents. In OpenDocument, ``meta.xml`` beside ``content.xml`` would be a second, tiny document, so it
is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from trix.indexer.collection.archives import Member
from trix.indexer.collection.first_bytes import is_xhtml

PACKAGES = (".epub", ".odt", ".mxl")

_OF_BOOKS = (".html", ".htm", ".xml")
"""Extensions of members of books that are documents if they begin as XHTML."""

_CONTAINER = "META-INF/container.xml"
_ROOT_FILE = re.compile(rb"<(?:[\w.-]+:)?rootfile\s[^<>]*?full-path\s*=\s*(?:\"([^\"<]*)\"|'([^'<]*)')")


def package_kind(name: str) -> str:
    """Return the extension in `PACKAGES` that a file name ends with, or ``""``.

    >>> package_kind("a/Book.EPUB"), package_kind("a.epub/b.xhtml"), package_kind("c.zip")
    ('.epub', '', '')
    """
    lower = name.lower()
    return next((ending for ending in PACKAGES if lower.endswith(ending)), "")


def package_path(package: str, member: str) -> str:
    """Return the relative path of a document in a package.

    A book has many documents, with paths inside it. A text or score is one document with the path of its file.

    >>> package_path("x/book.epub", "text/1.xhtml"), package_path("x/letter.odt", "content.xml")
    ('x/book.epub/text/1.xhtml', 'x/letter.odt')
    """
    return f"{package}/{member}" if package_kind(package) == ".epub" else package


def documents_of(kind: str, members: Sequence[Member], begin: Callable[[Member], bytes]) -> list[Member]:
    """Select the members of a package that are its documents.

    Parameters
    ----------
    kind
        One of `PACKAGES`.
    members
        All members.
    begin
        Function that returns the first bytes of a member.
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
    """Return the score named by the container of a package, or the first member that may be one."""
    container = next((member for member in members if member.path == _CONTAINER), None)
    named = _ROOT_FILE.search(begin(container)) if container else None
    if named:
        path = (named[1] or named[2] or b"").decode("utf-8", "replace")
        found = [member for member in text if member.path == path]
        if found:
            return found
    return [member for member in text if member.path.lower().endswith((".musicxml", ".xml"))][:1]
