"""Element paths: ``/article[1]/bdy[1]/sec[2]``, every position written out, and what nests in what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

_STEP = re.compile(r"\s*/\s*([^\s/\[\]]+)\s*(?:\[\s*(\d+)\s*\])?")
_NORMAL = re.compile(r"(?:/[^\s/\[\]]+\[[1-9][0-9]*\])+")
_UNIT = re.compile(r"(?=/[^/\[\]]+\[\d+\])")


@lru_cache(maxsize=1 << 16)
def normal_path(path: str) -> str:
    """Return a path with every ``[1]`` written out and no blanks; raise ValueError if it is none.

    >>> normal_path("/article/bdy[1]/ sec[02]")
    '/article[1]/bdy[1]/sec[2]'
    >>> normal_path("/article[1]/bdy[1]/sec[2]/")
    '/article[1]/bdy[1]/sec[2]'
    """
    if _NORMAL.fullmatch(path):
        return path
    text = path.strip().rstrip("/")
    end, steps = 0, []
    while end < len(text):
        step = _STEP.match(text, end)
        if step is None:
            raise ValueError(path)
        steps.append(f"/{step[1]}[{int(step[2] or 1)}]")
        end = step.end()
    if not steps:
        raise ValueError(path)
    return "".join(steps)


def split_unit(unit: str) -> tuple[str, str]:
    """Cut DOCID followed by a path into the two; the path is empty for a whole document.

    >>> split_unit("co/2001/r7022/article[1]/bdy[1]")
    ('co/2001/r7022', '/article[1]/bdy[1]')
    >>> split_unit("co/2001/r7022")
    ('co/2001/r7022', '')
    """
    if not unit.endswith("]"):
        return unit, ""
    found = _UNIT.search(unit)
    return (unit, "") if found is None else (unit[: found.start()], unit[found.start() :])


def parent(path: str) -> str:
    """Return the path of the parent, empty for the root.

    >>> parent("/article[1]/bdy[1]"), parent("/article[1]")
    ('/article[1]', '')
    """
    return path[: path.rfind("/")]


def ancestors(path: str) -> Iterator[str]:
    """Yield the proper ancestors, the nearest first.

    >>> list(ancestors("/a[1]/b[1]/c[2]"))
    ['/a[1]/b[1]', '/a[1]']
    """
    while path := parent(path):
        yield path


def holds(outer: str, inner: str) -> bool:
    """Tell whether ``outer`` is ``inner`` or an ancestor of it. The empty path is the whole document.

    >>> holds("/a[1]/b[1]", "/a[1]/b[1]/c[2]"), holds("/a[1]/b[1]", "/a[1]/b[10]"), holds("", "/a[1]")
    (True, False, True)
    """
    return inner.startswith(outer) and (len(inner) == len(outer) or inner[len(outer)] == "/")


def tag(path: str) -> str:
    """Return the name of the last step.

    >>> tag("/article[1]/sec[2]")
    'sec'
    """
    step = path[path.rfind("/") + 1 :]
    return step[: step.find("[")] if "[" in step else step


def in_document_order(nodes: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return (document, path) in document order: ancestors first, numbered siblings ascending.

    Documents, and siblings of different names, of which paths say nothing, stay in the order of their first.

    >>> in_document_order([("d", "/a[1]/s[10]"), ("d", "/a[1]/b[1]"), ("d", "/a[1]/s[2]"), ("d", "/a[1]")])
    [('d', '/a[1]'), ('d', '/a[1]/s[2]'), ('d', '/a[1]/s[10]'), ('d', '/a[1]/b[1]')]
    """
    first: dict[tuple[str, ...], int] = {}
    keys: dict[tuple[str, str], list[tuple[int, int]]] = {}

    def key(node: tuple[str, str]) -> list[tuple[int, int]]:
        doc, path = node
        missing = []
        while path and (doc, path) not in keys:
            missing.append(path)
            path = path[: max(path.rfind("/"), 0)]
        found = keys.get((doc, path)) or [(first.setdefault((doc,), len(first)), 0)]
        for below in reversed(missing):
            above, _, step = below.rpartition("/")
            name, _, number = step.partition("[")
            place = number.removesuffix("]")
            place_of_name = first.setdefault((doc, above, name), len(first))
            found = keys[doc, below] = [*found, (place_of_name, int(place) if place.isdecimal() else 1)]
        return found

    return sorted(nodes, key=key)


def have_descendants(paths: Iterable[str]) -> set[str]:
    """Return every path that is a proper ancestor of one of the given paths.

    >>> sorted(have_descendants(["/a[1]/b[1]/c[1]", "/a[1]/b[2]"]))
    ['/a[1]', '/a[1]/b[1]']
    """
    found: set[str] = set()
    for path in paths:
        for above in ancestors(path):
            if above in found:
                break
            found.add(above)
    return found
