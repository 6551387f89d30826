"""Element paths, which identify one element of a document: ``/article[1]/bdy[1]/sec[2]``.

A path is a string in normal form: every step is a name and its position among the siblings of that name. Attributes
(``@id``) come last and have no position. All code that parses or formats paths is here, except for compiled loops that
print thousands at a time. `trix.query.language.paths` has expressions that select many elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from trix.support.setting_types import whole

_STEP = re.compile(r"\s*/\s*([^\s/\[\]]+)\s*(?:\[\s*(\d+)\s*\])?")
_NORMAL = re.compile(r"(?:/[^\s/\[\]]+\[[1-9][0-9]*\])+")
_UNIT = re.compile(r"(?=/[^/\[\]]+\[\d+\])")
_WITHOUT_POSITION = re.compile(r"(/[^/@\[\]]+)(?=/|$)")


def steps(path: str) -> list[str]:
    """Split a path into its steps.

    >>> steps("/article[1]/sec[2]/@id")
    ['article[1]', 'sec[2]', '@id']
    """
    return path.split("/")[1:]


def read_step(step: str) -> tuple[str, int | None]:
    """Return name and position of a step.

    A missing position is None. A position that is not a number is 0, which no element has.

    >>> read_step("sec[2]"), read_step("@id"), read_step("sec[last]")
    (('sec', 2), ('@id', None), ('sec', 0))
    """
    name, bracket, position = step.rstrip("]").partition("[")
    if not bracket:
        return name, None
    return name, whole(position) or 0


def write_step(name: str, position: int) -> str:
    """Format a step; the position 0 is left out.

    >>> write_step("sec", 2), write_step("@id", 0)
    ('sec[2]', '@id')
    """
    return f"{name}[{position}]" if position else name


@lru_cache(maxsize=1 << 16)
def normal_path(path: str) -> str:
    """Return the normal form of a path: with every ``[1]`` and without blanks. Raise ValueError if it is not a path.

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


def with_positions(path: str) -> str:
    """Add ``[1]`` to every element name without a position, for paths typed by users.

    >>> with_positions("/article/sec[2]/@id")
    '/article[1]/sec[2]/@id'
    """
    return _WITHOUT_POSITION.sub(r"\1[1]", path)


def split_unit(unit: str) -> tuple[str, str]:
    """Split a document id directly followed by a path; the path is empty for a whole document.

    >>> split_unit("co/2001/r7022/article[1]/bdy[1]")
    ('co/2001/r7022', '/article[1]/bdy[1]')
    >>> split_unit("co/2001/r7022")
    ('co/2001/r7022', '')
    """
    if not unit.endswith("]"):
        return unit, ""
    found = _UNIT.search(unit)
    return (unit, "") if found is None else (unit[: found.start()], unit[found.start() :])


def cuts(unit: str) -> Iterator[tuple[str, str]]:
    """Yield all splits of a unit into document id and path, longest id first, for callers that know the document ids.

    >>> list(cuts("co/r7022/article"))
    [('co/r7022/article', ''), ('co/r7022', '/article'), ('co', '/r7022/article')]
    """
    at = len(unit)
    while at >= 0:
        yield unit[:at], unit[at:]
        at = unit.rfind("/", 0, at)


def parent(path: str) -> str:
    """Return the path of the parent, empty for the root.

    >>> parent("/article[1]/bdy[1]"), parent("/article[1]")
    ('/article[1]', '')
    """
    return path.rpartition("/")[0]


def ancestors(path: str) -> Iterator[str]:
    """Yield the paths of the proper ancestors, nearest first.

    >>> list(ancestors("/a[1]/b[1]/c[2]"))
    ['/a[1]/b[1]', '/a[1]']
    """
    while path := parent(path):
        yield path


def holds(outer: str, inner: str) -> bool:
    """Return whether ``outer`` is ``inner`` or an ancestor of it. The empty path is the whole document.

    >>> holds("/a[1]/b[1]", "/a[1]/b[1]/c[2]"), holds("/a[1]/b[1]", "/a[1]/b[10]"), holds("", "/a[1]")
    (True, False, True)
    """
    return inner.startswith(outer) and (len(inner) == len(outer) or inner[len(outer)] == "/")


def label_steps(label: str) -> list[int]:
    """Return the numbers of a Dewey label; an empty list if the text is not a label.

    >>> label_steps("3.1.12"), label_steps("3..1"), label_steps("3.x")
    ([3, 1, 12], [], [])
    """
    found = [whole(step) for step in label.split(".")]
    return [] if None in found else [step for step in found if step is not None]


def tag(path: str) -> str:
    """Return the name of the last step.

    >>> tag("/article[1]/sec[2]")
    'sec'
    """
    return path.rpartition("/")[2].partition("[")[0]


def in_document_order(nodes: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Sort (document, path) pairs in document order: ancestors first, siblings of one name ascending.

    Paths do not determine the order of documents, and of siblings with different names. These keep the order of their
    first appearance.

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
            path = parent(path)
        found = keys.get((doc, path)) or [(first.setdefault((doc,), len(first)), 0)]
        for below in reversed(missing):
            above, _, step = below.rpartition("/")
            name, position = read_step(step)
            place_of_name = first.setdefault((doc, above, name), len(first))
            found = keys[doc, below] = [*found, (place_of_name, position or 1)]
        return found

    return sorted(nodes, key=key)


def have_descendants(paths: Iterable[str]) -> set[str]:
    """Return the paths that are proper ancestors of any given path.

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


def node_at(root: Any, path: str) -> Any:
    """Return the lxml element, or the attribute's value, at a path of local names; None if missing.

    Every step must match, including the first, which is the root. A step without a position is the first of its name.
    An empty path is the root.

    Parameters
    ----------
    root
        The document's lxml element.
    path
        Path in the form of the index.

    Examples
    --------
    >>> from lxml import etree
    >>> root = etree.fromstring('<a n="7">one<b>two</b></a>')
    >>> node_at(root, "/a[1]/b[1]").text, node_at(root, "/a[1]/@n"), node_at(root, "") is root
    ('two', '7', True)
    >>> [node_at(root, path) for path in ("/b[1]", "/a[2]", "/a[1]/b[2]", "/a[1]/@n/b[1]", "/")]
    [None, None, None, None, None]
    """
    above, at, attribute = path.partition("/@")
    node, among = root, [root]
    for step in steps(above):
        name, position = read_step(step)
        same = [each for each in among if isinstance(each.tag, str) and each.tag.rpartition("}")[2] == name]
        wanted = 1 if position is None else position
        if not 1 <= wanted <= len(same):
            return None
        among = node = same[wanted - 1]
    if not at:
        return node
    wanted_name = attribute.removesuffix("[1]")
    return next((value for name, value in node.attrib.items() if name.rpartition("}")[2] == wanted_name), None)


def local(node: Any) -> str:
    """Return the local name of an lxml element; empty for comments and processing instructions."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def path_of(node: Any, root: Any) -> str:
    """Return the path of an lxml element from the document's root element."""
    steps = []
    while True:
        name, parent = local(node), node.getparent()
        same = (
            1
            if node is root or parent is None
            else 1 + sum(1 for e in node.itersiblings(preceding=True) if local(e) == name)
        )
        steps.append(f"/{name}[{same}]")
        if node is root or parent is None:
            return "".join(reversed(steps))
        node = parent


_XML = "{http://www.w3.org/XML/1998/namespace}id"
_IDS = (_XML, "eId", "id", "anchor", "{http://justice.gc.ca/lims}id")
"""Id attributes of elements, the most stable ones first."""


def lasting_id(node: Any) -> str:
    """Return the id of an lxml element in its source; empty if it has none or the id is not unique.

    >>> from lxml import etree
    >>> [lasting_id(node) for node in etree.XML("<a id='x'><b xml:id='y' id='z'/><c id='x'/><d/></a>").iter()]
    ['', 'y', '', '']
    """
    name = next((value for each in _IDS if (value := node.get(each, "").strip())), "")
    found = _nodes_with_id(node.getroottree().getroot(), name) if name else []
    return name if len(found) == 1 and found[0] is node else ""


def node_with_id(root: Any, name: str) -> Any:
    """Return the first lxml element in the tree with an id in its source; None if missing."""
    return next(iter(_nodes_with_id(root, name)), None)


def _nodes_with_id(root: Any, name: str) -> list[Any]:
    try:
        found = root.xpath("(self::* | .//*)[@* = $id]", id=name)
    except ValueError:  # characters that XML does not allow
        return []
    return [node for node in found if any(node.get(each) == name for each in _IDS)]


_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+|[^\W\d_]+")


def in_words(tag: str) -> str:
    """Return a tag name as words.

    >>> in_words("IssueDate"), in_words("overall_status"), in_words("CUI"), in_words("lineNo2"), in_words("CompanyID")
    ('Issue date', 'Overall status', 'CUI', 'Line no 2', 'Company ID')
    """
    found = [piece if len(piece) > 1 and piece.isupper() else piece.lower() for piece in _PIECES.findall(tag)]
    words = " ".join(found) or tag
    return words[:1].upper() + words[1:]
