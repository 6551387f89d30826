"""Links by the letter: what is written in the sources, looked up one by one [RETRIEVAL, section 5]."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any

from lxml import etree

Place = tuple[str, str]
"""Document id and path."""


def path_of(element: Any) -> str:
    """Return an element's path in its document, by local names."""
    steps = []
    while element is not None:
        name = etree.QName(element).localname
        before = [each for each in element.itersiblings(preceding=True) if etree.QName(each).localname == name]
        steps.append(f"/{name}[{len(before) + 1}]")
        element = element.getparent()
    return "".join(reversed(steps))


def nearest(document: str, element: Any, indexed: Iterable[Place]) -> Place | None:
    """Return the first indexed element at or above one of the source."""
    while element is not None:
        if (document, path_of(element)) in indexed:
            return document, path_of(element)
        element = element.getparent()
    return None


def target(documents: Mapping[str, Any], document: str, name: str) -> tuple[str, Any] | None:
    """Return the document and the element that a name means; ids are those of ``id``, files end in ``.xml``."""

    def by_id(where: str, wanted: str) -> Any:
        return next((each for each in documents[where].iter() if (each.get("id") or "").strip() == wanted), None)

    def by_name(written: str, *, beside_only: bool = False) -> str | None:
        seen = posixpath.normpath(posixpath.join(posixpath.dirname(document), written))
        known = {known: each for each in documents for known in (each, f"{each}.xml")}
        for each in documents:
            file = posixpath.basename(each)
            if [posixpath.basename(other) for other in documents].count(file) == 1:
                known.setdefault(file, each)
                known.setdefault(f"{file}.xml", each)
        return known.get(seen, None if beside_only else known.get(written))

    def anywhere(wanted: str) -> tuple[str, Any] | None:
        return next(((each, found) for each in documents if (found := by_id(each, wanted)) is not None), None)

    head, sharp, inside = name.partition("#")
    if not head:
        return (document, found) if inside and (found := by_id(document, inside)) is not None else None
    if not sharp:
        if (found := by_id(document, head)) is not None:
            return document, found
        where = by_name(head, beside_only=True)
        if where is not None:
            return where, documents[where]
        if there := anywhere(head):
            return there
        where = by_name(head)
        return None if where is None else (where, documents[where])
    where = by_name(head)
    if where is None:
        there = anywhere(head)
        where = there[0] if there else None
    if where is None:
        return None
    return (
        (where, documents[where])
        if not inside
        else ((where, found) if (found := by_id(where, inside)) is not None else None)
    )


def links(documents: Mapping[str, Any], indexed: set[Place]) -> set[tuple[Place, Place]]:
    """Return all links of attributes ``to``, between the nearest indexed elements; runs of text are left out."""
    found = set()
    for document, root in documents.items():
        for element in root.iter(etree.Element):
            for name in (element.get("to") or "").split():
                meant = target(documents, document, name) if ":" not in name else None
                source = nearest(document, element, indexed)
                end = nearest(*meant, indexed) if meant else None
                if source and end:
                    found.add((source, end))
    return found


def context(of: Place, pairs: Iterable[tuple[Place, Place]], direction: str) -> set[Place]:
    """Return what an element and what is below it link to, or what links there, without what is inside."""

    def inside(place: Place) -> bool:
        return place[0] == of[0] and (place[1] == of[1] or place[1].startswith(of[1] + "/"))

    out = {end for source, end in pairs if inside(source) and not inside(end)}
    back = {source for source, end in pairs if inside(end) and not inside(source)}
    return {"out": out, "in": back, "both": out | back}[direction]
