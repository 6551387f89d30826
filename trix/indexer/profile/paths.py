"""The simple ones among the XPaths of profiles, without an XPath engine, which looks at all of a document.

Simple is a union of paths of names without prefixes, each perhaps with one attribute that has a value:
``//teiHeader//title | /book/info/title | //DIV1[@TYPE='title page']/P``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

_NAME = r"[^\W\d][\w.\-]*"
_STEP = re.compile(rf"(//?)({_NAME}|\*)(?:\[@({_NAME})=(?:'([^']*)'|\"([^\"]*)\")\])?")


class _Step(NamedTuple):
    anywhere: bool
    name: str
    attribute: str | None
    value: str | None

    def accepts(self, element: Any) -> bool:
        if self.name not in ("*", element.tag.rpartition("}")[2]):
            return False
        return self.attribute is None or element.get(self.attribute) == self.value


Path = tuple[_Step, ...]


@lru_cache(maxsize=64)
def simple_paths(xpath: str) -> tuple[Path, ...] | None:
    """Return the paths of a simple XPath, None for one that is not.

    >>> [len(path) for path in simple_paths("//a/b[@c='d'] | /e") or ()], simple_paths("//a/@b"), simple_paths("//*")
    ([2, 1], None, None)
    """
    paths = []
    for alternative in xpath.split("|"):
        text, at, path = alternative.strip(), 0, list[_Step]()
        while at < len(text):
            match = _STEP.match(text, at)
            if match is None:
                return None
            axis, name, attribute, single, double = match.groups()
            path.append(_Step(axis == "//", name, attribute, double if single is None else single))
            at = match.end()
        if not path or path[-1].name == "*":
            return None
        paths.append(tuple(path))
    return tuple(paths)


def first_element(root: Any, paths: tuple[Path, ...]) -> Any:
    """Return the first lxml element of a document, in its order, that one of some paths leads to; None without one."""
    if not any(step.anywhere for path in paths for step in path):
        found = [element for path in paths if (element := _along(path, root)) is not None]
        return min(found, key=lambda element: _place(element, root), default=None)
    for element in root.iter(*{f"{{*}}{path[-1].name}" for path in paths}):
        if any(_leads_to(path, len(path) - 1, element, root) for path in paths):
            return element
    return None


def _along(path: Path, element: Any) -> Any:
    """Return the first element that a path of children leads to, which begins at an element; None without one."""
    if not path[0].accepts(element):
        return None
    if len(path) == 1:
        return element
    below = (_along(path[1:], child) for child in element.iterchildren(f"{{*}}{path[1].name}"))
    return next((found for found in below if found is not None), None)


def _place(element: Any, root: Any) -> list[int]:
    """Return where an element stands, so that what comes first in the document has the smaller one."""
    place = []
    while element is not root:
        parent = element.getparent()
        place.append(parent.index(element))
        element = parent
    return place[::-1]


def _leads_to(path: Path, last: int, element: Any, root: Any) -> bool:
    """Tell whether a path up to one of its steps leads to an element."""
    step = path[last]
    if not step.accepts(element):
        return False
    if last == 0:
        return step.anywhere or element is root
    while element is not root:
        element = element.getparent()
        if _leads_to(path, last - 1, element, root):
            return True
        if not step.anywhere:
            return False
    return False
