"""The simple ones among the XPaths of profiles, without an XPath engine, which looks at all of a document.

Simple is a union of paths of names without prefixes, each perhaps with one attribute that has a value:
``//teiHeader//title | /book/info/title | //DIV1[@TYPE='title page']/P``. Where attributes are asked for, it is a union
of one attribute each, of all elements or of those of a name, with conditions on attributes or without:
``//@id | //ref[not(@type='a' or @type='b')]/@target``.

Of a union of paths with any predicates it is simple to say which elements must be in a document for each to lead
anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any, NamedTuple

from trix.indexer.profile.selector import resolve_name

_NAME = r"[^\W\d][\w.\-]*"
_STEP = re.compile(rf"(//?)({_NAME}|\*)(?:\[@({_NAME})=(?:'([^']*)'|\"([^\"]*)\")\])?")

_QNAME = rf"(?:{_NAME}:)?{_NAME}"
_ATTRIBUTE = re.compile(rf"//(?:({_NAME})(?:\[(.*)\])?/)?@({_QNAME})", re.DOTALL)
_LITERAL = re.compile(r"'[^']*'|\"[^\"]*\"")
_CONDITION = re.compile(rf"(?:\s|@({_QNAME})|(?:not|contains|starts-with)\s*\(|[()=,]|!=|''|(?:and|or)\b)*")

_PREDICATE = re.compile(r"\[[^\[\]]*\]")
_LOCATION = re.compile(rf"\s*(?://?(?:(?:{_NAME}:)?(?:{_NAME}|\*)|@{_QNAME}))+\s*")
_ELEMENT = re.compile(rf"/(?:{_NAME}:)?({_NAME})")


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


def possible_paths(xpath: str, names: Set[str]) -> str:
    """Return an XPath without those of its paths that lead to nothing in a document; empty where none is left.

    Parameters
    ----------
    xpath
        Syntactically right; one that is no union of paths from the root stays as it is.
    names
        The local names of the elements of a document.

    Examples
    --------
    >>> possible_paths("/a/b[c]/@d | //a[b='|']//c | /*/d", {"a", "b"}), possible_paths("//c", {"a"})
    ('/a/b[c]/@d', '')
    >>> possible_paths("count(//c)", {"a"})
    'count(//c)'
    """
    paths = _needs(xpath)
    if paths is None:
        return xpath
    return " | ".join([path for path, needed in paths if needed <= names])


@lru_cache(maxsize=256)
def _needs(xpath: str) -> tuple[tuple[str, frozenset[str]], ...] | None:
    """Return the paths of a union, with the local names of elements that each needs; None for what is no union."""
    bare, inside = _LITERAL.sub(lambda match: " " * len(match[0]), xpath), ""
    while inside != bare:  # the innermost predicates first
        inside, bare = bare, _PREDICATE.sub(lambda match: "\0" * len(match[0]), bare)
    found, begin = [], 0
    for part in bare.split("|"):
        path = part.replace("\0", "")
        if not _LOCATION.fullmatch(path):
            return None
        found.append((xpath[begin : begin + len(part)].strip(), frozenset(_ELEMENT.findall(path))))
        begin += len(part) + 1
    return tuple(found)


class AttributePath(NamedTuple):
    """An attribute of the elements of a name.

    Attributes
    ----------
    tag
        Local name; ``"*"`` for any.
    condition
        An XPath about attributes of the element alone; empty where there is none.
    asked
        The attributes that it is about, as lxml names them.
    attribute
        As lxml names it.
    """

    tag: str
    condition: str
    asked: tuple[str, ...]
    attribute: str


def attribute_paths(xpath: str, namespaces: Mapping[str, str]) -> tuple[AttributePath, ...] | None:
    """Return what a simple XPath that asks for attributes asks for, None for one that is not simple.

    Parameters
    ----------
    xpath
        Syntactically right.
    namespaces
        Declared prefixes.

    Examples
    --------
    >>> attribute_paths("//@id | //a[@b = '|' and not(@c)]/@d", {})[1]
    AttributePath(tag='a', condition="@b = '|' and not(@c)", asked=('b', 'c'), attribute='d')
    >>> attribute_paths("//a[b]/@c", {}), attribute_paths("//@*", {}), attribute_paths("//a", {})
    (None, None, None)
    """
    literals = [match.span() for match in _LITERAL.finditer(xpath)]
    bars = [bar.start() for bar in re.finditer(r"\|", xpath) if not any(a < bar.start() < b for a, b in literals)]
    found = []
    for begin, end in zip([0, *(bar + 1 for bar in bars)], [*bars, len(xpath)], strict=True):
        match = _ATTRIBUTE.fullmatch(xpath[begin:end].strip())
        if match is None:
            return None
        tag, condition, attribute = match[1] or "*", match[2] or "", match[3]
        bare = _LITERAL.sub("''", condition)
        if not _CONDITION.fullmatch(bare):
            return None
        asked = [_attribute(name, namespaces) for name in re.findall(rf"@({_QNAME})", bare)]
        found.append(AttributePath(tag, condition, tuple(dict.fromkeys(asked)), _attribute(attribute, namespaces)))
    return tuple(found)


def _attribute(name: str, namespaces: Mapping[str, str]) -> str:
    """Return an attribute as lxml names it."""
    uri, local = resolve_name(name, namespaces)
    return f"{{{uri}}}{local}" if uri else local
