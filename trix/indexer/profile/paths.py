"""Simple XPaths, evaluated without an XPath engine, which would search whole documents.

A simple XPath is a union of paths of names without prefixes, each with at most one attribute test: ``//teiHeader//title
| /book/info/title | //DIV1[@TYPE='title page']/P``. For attributes it is a union of single attributes, of all elements
or of one name, with conditions on attributes only: ``//@id | //ref[not(@type='a' or @type='b')]/@target``.

For a union of paths with any predicates, the elements that a document needs for a match are easy to determine.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any, NamedTuple

from trix.indexer.profile import grammar
from trix.indexer.profile.grammar import Call, Expression, Operation, Value, alternatives, parsed
from trix.indexer.profile.selector import resolve_name


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
    """Parse a simple XPath into paths; None if it is not simple.

    >>> [len(path) for path in simple_paths("//a/b[@c='d'] | /e") or ()], simple_paths("//a/@b"), simple_paths("//*")
    ([2, 1], None, None)
    """
    paths = []
    for each in alternatives(parsed(xpath)):
        if not isinstance(each, grammar.XPathTree) or not each.absolute or not each.steps:
            return None
        path = [_simple_step(step) for step in each.steps]
        if None in path or each.steps[-1].test == "*":
            return None
        paths.append(tuple(step for step in path if step is not None))
    return tuple(paths)


def _simple_step(step: grammar.Step) -> _Step | None:
    """Convert a step of a simple path; None if it is not simple."""
    if step.axis != "child" or ":" in step.test or step.test.endswith(")"):
        return None
    match step.predicates:
        case ():
            return _Step(step.deep, step.test, None, None)
        case (grammar.Predicate(Operation("=", (path, Value(text)))),) if text[0] in "'\"":
            attribute = _attribute_alone(path)
            return _Step(step.deep, step.test, attribute, text[1:-1]) if attribute and ":" not in attribute else None
    return None


def _attribute_alone(expression: Expression) -> str:
    """Return the written name of an attribute of the context node; empty for other expressions."""
    match expression:
        case grammar.XPathTree(False, (grammar.Step(False, "attribute", test, ()),), origin=None) if test[-1] != "*":
            return test
    return ""


def first_element(root: Any, paths: tuple[Path, ...]) -> Any:
    """Return the first element (lxml) in document order that a path leads to, or None."""
    if not any(step.anywhere for path in paths for step in path):
        found = [element for path in paths if (element := _along(path, root)) is not None]
        return min(found, key=lambda element: _place(element, root), default=None)
    for element in root.iter(*{f"{{*}}{path[-1].name}" for path in paths}):
        if any(_leads_to(path, len(path) - 1, element, root) for path in paths):
            return element
    return None


def _along(path: Path, element: Any) -> Any:
    """Return the first element along a path of children from an element, or None."""
    if not path[0].accepts(element):
        return None
    if len(path) == 1:
        return element
    below = (_along(path[1:], child) for child in element.iterchildren(f"{{*}}{path[1].name}"))
    return next((found for found in below if found is not None), None)


def _place(element: Any, root: Any) -> list[int]:
    """Return the sort key of an element in document order: positions among siblings, from the root down."""
    place = []
    while element is not root:
        parent = element.getparent()
        place.append(parent.index(element))
        element = parent
    return place[::-1]


def _leads_to(path: Path, last: int, element: Any, root: Any) -> bool:
    """Whether the path up to step `last` leads to an element."""
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
    """Drop the paths of an XPath that cannot match in a document; empty if none is left.

    Parameters
    ----------
    xpath
        Valid XPath; unchanged if it is not a union of paths from the root.
    names
        Local names of the elements in the document.

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
    """Return the paths of a union, with the local names that each requires; None if it is not a union of paths."""
    found = []
    for path in alternatives(parsed(xpath)):
        if not isinstance(path, grammar.XPathTree) or not path.absolute or not path.steps:
            return None
        elements = [step for step in path.steps if step.axis == "child" and not step.test.endswith(")")]
        attributes = [step for step in path.steps if step.axis == "attribute" and step.local_name]
        if len(elements) + len(attributes) < len(path.steps):
            return None
        found.append((xpath[path.begin : path.end], frozenset(step.local_name for step in elements) - {""}))
    return tuple(found)


class AttributePath(NamedTuple):
    """Attribute of the elements with a name.

    Attributes
    ----------
    tag
        Local name; ``"*"`` for any.
    condition
        XPath about attributes of the element alone; empty for none.
    tested
        Attributes in the condition, in the notation of lxml.
    attribute
        Attribute in the notation of lxml.
    """

    tag: str
    condition: str
    tested: tuple[str, ...]
    attribute: str


def attribute_paths(xpath: str, namespaces: Mapping[str, str]) -> tuple[AttributePath, ...] | None:
    """Parse a simple XPath for attributes; None if it is not simple.

    Parameters
    ----------
    xpath
        Valid XPath.
    namespaces
        Declared prefixes.

    Examples
    --------
    >>> attribute_paths("//@id | //a[@b = '|' and not(@c)]/@d", {})[1]
    AttributePath(tag='a', condition="@b = '|' and not(@c)", tested=('b', 'c'), attribute='d')
    >>> attribute_paths("//a[b]/@c", {}), attribute_paths("//@*", {}), attribute_paths("//a", {})
    (None, None, None)
    """
    found = []
    for path in alternatives(parsed(xpath)):
        tag, conditions = "*", tuple[grammar.Predicate, ...]()
        match path:
            case grammar.XPathTree(True, (grammar.Step(True, "attribute", name, ()),)):
                pass
            case grammar.XPathTree(
                True, (grammar.Step(True, "child", tag, conditions), grammar.Step(False, "attribute", name, ()))
            ) if ":" not in tag and tag[-1] not in "*)" and len(conditions) < 2:
                pass
            case _:
                return None
        tested: list[str] | None = _attributes_tested(conditions[0].condition) if conditions else []
        if tested is None or name[-1] in "*)":
            return None
        condition = xpath[conditions[0].begin : conditions[0].end] if conditions else ""
        names = dict.fromkeys(_attribute(each, namespaces) for each in tested)
        found.append(AttributePath(tag, condition, tuple(names), _attribute(name, namespaces)))
    return tuple(found)


def _attributes_tested(condition: Expression) -> list[str] | None:
    """Return the written names of attributes in a condition; None if it depends on anything else."""
    match condition:
        case Value(text):
            return [] if text[0] in "'\"" else None
        case Call("not" | "contains" | "starts-with", parts) | Operation("=" | "!=" | "and" | "or", parts):
            found = [_attributes_tested(each) for each in parts]
            return None if None in found else [name for names in found for name in names or ()]
    name = _attribute_alone(condition)
    return [name] if name else None


def _attribute(name: str, namespaces: Mapping[str, str]) -> str:
    """Return an attribute in the notation of lxml."""
    uri, local = resolve_name(name, namespaces)
    return f"{{{uri}}}{local}" if uri else local
