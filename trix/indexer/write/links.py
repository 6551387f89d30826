"""Links between elements, found while documents are read [IV, 2.1].

A name is ``#ID`` or ``ID``, ``DOCUMENT``, or ``DOCUMENT#ID``, several apart by white space; an address on the web is
none. What leads out of a document is resolved by `trix.indexer.store.links`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

import numpy as np

from trix.indexer.document.anchors import Anchors
from trix.indexer.store.links import DocumentLinks

_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


def document_links(anchors: Anchors) -> DocumentLinks:
    """Return the links and ids of one document.

    Examples
    --------
    >>> rows = np.array([1, 2])
    >>> found = document_links(Anchors(["a", " b "], rows, ["#b http://x.y", "other#a"], rows))
    >>> found.pairs.tolist(), found.ids, found.id_elements.tolist(), found.names, found.sources.tolist()
    ([[1, 2]], ['a', 'b'], [1, 2], ['other#a'], [2])
    """
    ids: dict[str, int] = {}
    for value, place in zip(anchors.ids, anchors.id_rows.tolist(), strict=True):
        if place >= 0:
            ids.setdefault(value.strip(), place)
    meanings: dict[str, tuple[list[int], list[str]]] = {}  # most targets occur again and again
    from_, to = list[int](), list[int]()
    names, sources = list[str](), list[int]()
    for value, source in zip(anchors.targets, anchors.target_rows.tolist(), strict=True):
        if source < 0:
            continue
        if value not in meanings:
            meanings[value] = _meaning(value, ids)
        inside, outside = meanings[value]
        from_ += [source] * len(inside)
        to += inside
        if outside:
            names += outside
            sources += [source] * len(outside)
    return DocumentLinks(
        np.array([from_, to], np.int64).T.copy(),
        [*ids],
        np.array([*ids.values()], np.int64),
        names,
        np.array(sources, np.int64),
    )


def _meaning(target: str, ids: Mapping[str, int]) -> tuple[list[int], list[str]]:
    """Return the elements of the document that a target names, and the names that lead out of it."""
    inside, outside = list[int](), list[str]()
    for name in target.split():
        if name == "#" or (":" in name and _ELSEWHERE.match(name)):
            continue
        document, sharp, fragment = name.partition("#") if "#" in name else (name, "", "")
        own = fragment if sharp and not document else "" if sharp else document
        own = unquote(own) if "%" in own else own
        if own in ids:
            inside.append(ids[own])
        else:
            outside.append(name)
    return inside, outside
