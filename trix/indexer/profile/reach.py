"""Reach of XPaths: how much of a document is needed to evaluate them, by element names.

If a reader knows where elements with these names end, it need not build a tree of the rest. ``/article/front//year``
needs only the front, or everything up to the last ``year``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from trix.indexer.profile.grammar import Call, Expression, Operation, Step, Value, XPathTree, parsed

_START_TAG, _CONTENT = 0, 1
"""Data needed to decide a condition: the start tag of its element, or its whole content."""

_TESTS = {
    "boolean", "concat", "contains", "normalize-space", "not", "starts-with", "string", "substring-after",
    "substring-before", "translate",
}  # fmt: skip
"""Functions that return no number, which would be a position in a condition."""

_COMPARISONS = {"and", "or", "=", "!=", "<", "<=", ">", ">=", "|"}
_DOWNWARDS = {"attribute", "child", "descendant", "descendant-or-self", "self"}


class Reach(NamedTuple):
    """Elements that include all matches of a path; without child and names, nothing is known.

    Attributes
    ----------
    child
        Local name of the root's children on the path; empty for any.
    names
        Local names of elements on the path, below the root.
    pairs
        Pairs of local names, of an element on the path and its child.
    """

    child: str
    names: frozenset[str]
    pairs: frozenset[tuple[str, str]]


@lru_cache(maxsize=256)
def reaches(xpath: str) -> tuple[Reach, ...] | None:
    """Return the reach of each path in an XPath; None if it is too complex.

    Paths to an attribute of the root need nothing else, and are omitted.

    Examples
    --------
    >>> [(each.child, sorted(each.names)) for each in reaches("/a/b[@c]/d[e='f']/@g | //h[@i]/a | /a/@j") or ()]
    [('b', ['b', 'd']), ('', ['a', 'h'])]
    >>> [(each.child, sorted(each.pairs)) for each in reaches("concat(/a/b, '-', /*//b/c)") or ()]
    [('b', [('a', 'b')]), ('', [('b', 'c')])]
    >>> reaches("/a/b[2]"), reaches("//b/../c"), reaches("/a[b]/c"), reaches("string()")
    (None, None, None, None)
    """
    expression = parsed(xpath)
    paths = None if expression is None else _paths(expression)
    return None if paths is None else tuple(reach for path in paths if (reach := _reach(path.steps)) is not None)


def _paths(expression: Expression) -> list[XPathTree] | None:
    """Return the paths that the value of an expression depends on; None if it depends on more."""
    match expression:
        case Value(text):
            return None if text.startswith("$") else []
        case Call(name, arguments) if arguments and name in _TESTS:
            return _all_paths(arguments)
        case Operation(_, operands):
            return _all_paths(operands)
        case XPathTree(absolute=True, steps=steps) if steps and _is_simple(steps):
            return [expression]
    return None


def _all_paths(expressions: Iterable[Expression]) -> list[XPathTree] | None:
    found = [_paths(each) for each in expressions]
    return None if None in found else [path for paths in found for path in paths or ()]


def _is_simple(steps: Sequence[Step]) -> bool:
    """Whether steps lead downwards, and their conditions can be decided in a head.

    Elements below the root are in a head completely, or not at all. Of the root only the start tag is certain, so the
    first step may have no other condition.
    """
    for number, step in enumerate(steps):
        if step.axis not in ("attribute", "child"):
            return False
        needed = [_needed(each.condition) for each in step.predicates]
        if None in needed or (number == 0 and _CONTENT in needed):
            return False
    return True


def _needed(condition: Expression) -> int | None:
    """Return the data of an element that decides a condition; None if it needs more, or is a position."""
    match condition:
        case Value(text):
            return _START_TAG if text[0] in "'\"" else None
        case Call("string" | "normalize-space", ()):
            return _CONTENT
        case Call(name, arguments) if arguments and name in _TESTS:
            return _most(_needed(each) for each in arguments)
        case Operation(operator, operands) if operator in _COMPARISONS:
            return _most(_needed(each) for each in operands)
        case XPathTree(absolute=False, steps=steps, origin=None) if all(step.axis in _DOWNWARDS for step in steps):
            if len(steps) == 1 and steps[0].axis == "attribute" and not steps[0].deep and not steps[0].predicates:
                return _START_TAG
            return _most([_CONTENT, *(_needed(each.condition) for step in steps for each in step.predicates)])
    return None


def _most(needed: Iterable[int | None]) -> int | None:
    found = [*needed]
    return None if None in found else max(each for each in found if each is not None)


def _reach(steps: Sequence[Step]) -> Reach | None:
    """Return the reach of a path; None if it leads to an attribute of the root."""
    links = [(a.local_name, b.local_name) for a, b in pairwise(steps) if _is_child(b) and a.axis == "child"]
    child = ""
    if _is_child(steps[0]):  # the root element
        steps = steps[1:]
        if len(steps) == 1 and steps[0].axis == "attribute" and not steps[0].deep:
            return None
        child = steps[0].local_name if steps and _is_child(steps[0]) else ""
    names = frozenset(step.local_name for step in steps if step.axis == "child" and step.local_name)
    return Reach(child, names, frozenset(link for link in links if all(link)))


def _is_child(step: Step) -> bool:
    return step.axis == "child" and not step.deep
