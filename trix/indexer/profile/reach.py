"""How far into a document the XPaths of a profile look, as far as names say it.

Whoever knows where the elements of these names end need not make a tree of what is behind them:
``/article/front//year`` is answered by the front, and by all that holds the elements ``year``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

_NAME = r"[^\W\d][\w.\-]*"
_QNAME = rf"(?:{_NAME}:)?{_NAME}"
_LITERAL = re.compile(r"'[^']*'|\"[^\"]*\"")
_PREDICATE = re.compile(r"\[([^\[\]]*)\]")

# Marks in place of predicates: about attributes alone, and about what is in the element, too.
_BY_ATTRIBUTES, _BY_CONTENT = "\1", "\2"

_TESTS = r"(?:not|contains|starts-with|normalize-space|string)\s*\("
_INSIDE = rf"(?:\.//?)?@?{_QNAME}(?:/@?{_QNAME})*(?!\s*\(|[\w.\-:])|\.(?![.\w/])"
_CONDITION = re.compile(rf"(?:\s|{_TESTS}|{_INSIDE}|[()=,]|!=|''|[\x01\x02])*")
_NO_CONTENT = re.compile(rf"(?:\s|{_TESTS}|@{_QNAME}|(?:and|or)\b|[()=,]|!=|''|\x01)*")

_STEP = rf"(?:(?:{_NAME}:)?(?:{_NAME}|\*)|@{_QNAME})"
_PATH = re.compile(rf"//?{_STEP}\x01*(?://?{_STEP}[\x01\x02]*)*")
_CALLS = r"(?:concat|substring-before|substring-after|translate|boolean)\s*\("
_EXPRESSION = re.compile(rf"(?:\s|{_TESTS}|{_CALLS}|{_PATH.pattern}|[(),|=]|!=|'')*")
_CHILD = ("/", "")
_PARTS = re.compile(rf"(//?)(@?)(?:{_NAME}:)?({_NAME}|\*)")


class Reach(NamedTuple):
    """What holds all that a path leads to; nothing is known to, where both say nothing.

    Attributes
    ----------
    child
        The local name of the children of the document's element through which it leads, empty where it may be any.
    names
        Local names such that it leads through an element of each, below the document's element; or that is one.
    pairs
        Local names such that it leads through an element of the first, and a child of that of the second.
    """

    child: str
    names: frozenset[str]
    pairs: frozenset[tuple[str, str]]


@lru_cache(maxsize=256)
def reaches(xpath: str) -> tuple[Reach, ...] | None:
    """Return the reach of each path of an XPath; None where it is not simple to say.

    Paths to an attribute of the document's element reach nothing else, and are not among them.

    Examples
    --------
    >>> [(each.child, sorted(each.names)) for each in reaches("/a/b[@c]/d[e='f']/@g | //h[@i]/a | /a/@j") or ()]
    [('b', ['b', 'd']), ('', ['a', 'h'])]
    >>> [(each.child, sorted(each.pairs)) for each in reaches("concat(/a/b, '-', /*//b/c)") or ()]
    [('b', [('a', 'b')]), ('', [('b', 'c')])]
    >>> reaches("/a/b[2]"), reaches("//b/../c"), reaches("/a[b]/c")
    (None, None, None)
    """
    bare, before = _LITERAL.sub("''", xpath), ""
    while before != bare:  # the innermost predicates first
        before = bare
        for condition in _PREDICATE.findall(bare):
            if not _CONDITION.fullmatch(condition):
                return None
        bare = _PREDICATE.sub(lambda match: _BY_ATTRIBUTES if _NO_CONTENT.fullmatch(match[1]) else _BY_CONTENT, bare)
    if not _EXPRESSION.fullmatch(bare) or re.search(r"\)\s*/", bare):
        return None
    found = [_PARTS.findall(path) for path in _PATH.findall(bare)]
    return tuple(reach for steps in found if (reach := _reach(steps)) is not None)


def _reach(steps: list[tuple[str, str, str]]) -> Reach | None:
    """Return the reach of a path, by its steps: slashes, the sign of an attribute, name."""
    child = ""
    links = pairwise(steps)
    pairs = frozenset((a[2], b[2]) for a, b in links if b[:2] == _CHILD and not a[1] and "*" not in (a[2], b[2]))
    if steps[0][:2] == _CHILD:  # the document's element
        steps = steps[1:]
        if len(steps) == 1 and steps[0][:2] == ("/", "@"):
            return None
        child = steps[0][2].strip("*") if steps and steps[0][:2] == _CHILD else ""
    return Reach(child, frozenset(name for _, attribute, name in steps if not attribute and name != "*"), pairs)
