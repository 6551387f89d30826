"""File names of documents: safe on every file system and in every URL, and the same whatever else is published."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

FOLDER, ENDING = "read", ".html"

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
_LONGEST = 120
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)


def page_path(doc: str) -> str:
    """Return the path of a document's page in a site.

    Bytes other than letters, digits, ``-``, ``_`` and ``.`` are written as ``~`` and two hexadecimal digits.

    >>> page_path("plays/Hamlet"), page_path("../etc"), page_path("café#2"), page_path("con/.x")
    ('read/plays/Hamlet.html', 'read/~2e~2e/etc.html', 'read/caf~c3~a9~232.html', 'read/~63on/~2ex.html')
    """
    return f"{FOLDER}/{'/'.join(map(_segment, doc.split('/')))}{ENDING}"


def page_paths(docs: Sequence[str]) -> list[str]:
    """Return the path of each document's page; where paths differ only in case, all get a checksum of the id.

    >>> page_paths(["a", "b"])
    ['read/a.html', 'read/b.html']
    >>> len(set(map(str.lower, page_paths(["Ab", "aB"]))))
    2
    """
    paths = [page_path(doc) for doc in docs]
    often = Counter(path.lower() for path in paths)
    return [
        f"{path.removesuffix(ENDING)}~{_checksum(doc)}{ENDING}" if often[path.lower()] > 1 else path
        for doc, path in zip(docs, paths, strict=True)
    ]


def _segment(name: str) -> str:
    made = "".join(
        chr(byte) if chr(byte) in _PLAIN else f"~{byte:02x}" for byte in name.encode("utf-8", "surrogateescape")
    )
    if not made:
        return "~"
    if set(made) == {"."}:
        return made.replace(".", "~2e")
    if made[0] == "." or made.lower().partition(".")[0] in _RESERVED:
        made = f"~{ord(made[0]):02x}{made[1:]}"
    return made if len(made) <= _LONGEST else f"{made[: _LONGEST - 11]}~{_checksum(name)}"


def _checksum(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:10]
