"""Extraction of links between elements while documents are read [IV, 2.1].

A target is ``#ID`` or ``ID``, ``DOCUMENT``, or ``DOCUMENT#ID``; several are separated by white space. Web addresses are
ignored. `trix.indexer.store.links` resolves links to other documents.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

import numpy as np

from trix.indexer.document.anchors import Anchors
from trix.indexer.store.links import DocumentLinks

_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


def document_links(anchors: Anchors) -> DocumentLinks:
    """Extract the links and ids of one document.

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
    row = " ".join(ids)
    plain = row.split() == [*ids] and not any(mark in row for mark in ":#%")
    named = ids if plain else {}  # no id can be mistaken for another form of target
    from_, to = list[int](), list[int]()
    names, sources = list[str](), list[int]()
    for value, source in zip(anchors.targets, anchors.target_rows.tolist(), strict=True):
        if source < 0:
            continue
        if value in named:
            from_.append(source)
            to.append(named[value])
            continue
        # Targets in the same document are resolved now, others are stored by name.
        for name in value.split():
            if name == "#" or _ELSEWHERE.match(name):
                continue
            document, sharp, inside = name.partition("#")
            own = unquote(inside if sharp and not document else "" if sharp else document)
            if own in ids:
                from_.append(source)
                to.append(ids[own])
            else:
                names.append(name)
                sources.append(source)
    return DocumentLinks(
        np.array([from_, to], np.int64).T.copy(),
        [*ids],
        np.array([*ids.values()], np.int64),
        names,
        np.array(sources, np.int64),
    )
