"""Elements and attributes of a source document by their paths, also those that are not in the index."""

from __future__ import annotations

from typing import Any

from trix.support.element_path import read_step, steps


def node_at(root: Any, path: str) -> Any:
    """Return the lxml element, or the attribute's value, at a path of local names; None where there is none.

    Every step has to fit, the first one too, which names the root; a step without a position is the first of its name.
    An empty path is the root.

    Parameters
    ----------
    root
        The document's lxml element.
    path
        As the index writes it.

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
