"""Path expressions by an XPath engine, levels by their definitions [RETRIEVAL, section 8].

The indexed elements are written as XML of their own, over which a path is an XPath but for the names of runs and
attributes; aliases belong to sets of tags only. Not for paths with alternatives in parentheses, bare ``..``, or
elements called ``and``, ``or``, ``not``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from lxml import etree

from tests.oracle.reading import Collection, Label

Aliases = Sequence[Sequence[str]]

NAME = re.compile(r"@?[A-Za-z][\w-]*(?![\w-])(?!::|\()|text\(\)")


def element_name(tag: str) -> str:
    """Return a tag as the name of an element."""
    return {"#": "run..", "@": "attribute.."}.get(tag[0], "") + tag.strip("#@")


def classes(names: Iterable[str], aliases: Aliases) -> set[str]:
    """Return some tags and what they are equivalent to."""
    names = set(names)
    return names.union(*(members for members in aliases if names & set(members)))


def as_xpath(path: str) -> str:
    """Write a path as an XPath over `trees`."""

    def test(found: re.Match[str]) -> str:
        name = found.group()
        if name in ("and", "or"):
            return name
        return element_name("#text" if name == "text()" else name)

    return NAME.sub(test, path)


_latest: list[tuple[Collection, dict[int, etree._Element]]] = []


def trees(collection: Collection) -> dict[int, etree._Element]:
    """Return the indexed elements of each document as XML; ``label`` says which is which."""
    if not (_latest and _latest[0][0] is collection):
        _latest[:] = [(collection, grown(collection))]
    return _latest[0][1]


def grown(collection: Collection) -> dict[int, etree._Element]:
    """Make the trees; those of the collection asked last are kept."""
    made: dict[Label, etree._Element] = {}
    for x, node in collection.nodes.items():
        name, label = element_name(node.tag), ".".join(map(str, x))
        made[x] = etree.SubElement(made[x[:-1]], name) if len(x) > 1 else etree.Element(name)
        made[x].set("label", label)
    return {x[0]: element for x, element in made.items() if len(x) == 1}


def selected(collection: Collection, path: str, start: Label | None = None) -> list[Label]:
    """Return the elements that a path selects, in document order, perhaps from one element."""
    xpath: Any = etree.XPath(as_xpath(path))
    if start is None:
        begins: list[etree._Element | etree._ElementTree] = [tree.getroottree() for tree in trees(collection).values()]
    else:
        root: Any = trees(collection)[start[0]]
        (begin,) = root.xpath("descendant-or-self::*[@label=$label]", label=".".join(map(str, start)))
        begins = [begin]
    found = [element.get("label") for begin in begins for element in xpath(begin)]
    return sorted(tuple(map(int, label.split("."))) for label in found)


def below(x: Label, y: Label) -> bool:
    """Tell whether y is a proper descendant of x."""
    return len(y) > len(x) and y[: len(x)] == x


def above(members: Iterable[Label]) -> set[Label]:
    """Return all proper ancestors."""
    return {x[:depth] for x in members for depth in range(1, len(x))}


def level(collection: Collection, text: str, aliases: Aliases = ()) -> list[Label]:
    """Return the members of a level in document order; of those inside each other the outermost."""
    asked = text, tuple(map(tuple, aliases))
    if asked not in collection.levels:
        selected_ = members_of(collection, text, aliases)
        inside = overlapping(selected_)
        collection.levels[asked] = [x for x in selected_ if x not in inside]
    return list(collection.levels[asked])


def members_of(collection: Collection, text: str, aliases: Aliases) -> list[Label]:
    """Return the members of a level in document order, found by its definition."""
    nodes = collection.nodes
    kind, _, rest = text.partition(":")
    if text == "content":
        return [x for x, node in nodes.items() if node.is_content]
    if text == "document":
        return [x for x in nodes if len(x) == 1]
    if kind not in ("minor", "major"):
        return selected(collection, text)
    tags = classes(rest.split("+"), aliases)
    tagged = {x for x, node in nodes.items() if node.tag in tags}
    around = above(tagged)
    if kind == "minor":
        members = [x for x in tagged if x not in around]
    else:
        members = [x for x in tagged if above([x]).isdisjoint(tagged)]
    taken = set(members)
    outside = [x for x in nodes if taken.isdisjoint({x, *above([x])})]
    free = {x for x in outside if x not in tagged and x not in around}
    leftovers = [x for x in free if free.isdisjoint(above([x]))]
    return sorted(members + leftovers)


def overlapping(members: Sequence[Label]) -> list[Label]:
    """Return the members inside other members."""
    return [x for x in members if any(below(y, x) for y in members)]


def coverage(collection: Collection, members: Sequence[Label]) -> float:
    """Return the characters of content elements inside members, as a part of those of all content elements."""
    content = {x: node.length for x, node in collection.nodes.items() if node.is_content}
    inside = [x for x in content if any(x == y or below(y, x) for y in members)]
    total = sum(content.values())
    return sum(content[x] for x in inside) / total if total else 1.0
