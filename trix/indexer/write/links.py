"""Links between elements, found while documents are read [IV, 2.1].

A profile says which XPath yields the names of targets, and which one the ids that they may name::

    [links]
    target = "//xref/@rid"
    id = "//@id"

A name is ``#ID`` or ``ID``, ``DOCUMENT``, or ``DOCUMENT#ID``, several apart by white space; an address on the web is
none. Both ends of a link are the nearest indexed elements at or above those of the source; a link in a container's text
is in its run. What leads out of a document is resolved by `trix.indexer.store.links`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from trix.indexer.profile.xpath import selected_nodes
from trix.indexer.store.links import DocumentLinks
from trix.indexer.write.places import Places

Ints = NDArray[Any]

TARGET, ID = "target", "id"
IDS = "//@id | //@xml:id"
"""The ids of a profile that does not say."""

_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


class LinkReader:
    """Finds links and ids in documents.

    Parameters
    ----------
    rules
        The profile's ``links``: ``target`` and perhaps ``id``, XPaths from the document element.
    namespaces
        Declared prefixes.
    """

    def __init__(self, rules: Mapping[str, str], namespaces: Mapping[str, str]) -> None:
        self._target, self._id = rules[TARGET], rules.get(ID, IDS)
        self._namespaces = namespaces

    def read(self, root: Any, places: Places) -> DocumentLinks:
        """Return the links and ids of one document.

        Parameters
        ----------
        root, places
            Its element, and where its elements are in the index.
        """
        if places.nothing:
            return DocumentLinks()
        ids: dict[str, int] = {}
        for element, value in self._named(root, self._id):
            if value.strip() not in ids and (place := places.element(element)) >= 0:
                ids[value.strip()] = place
        pairs, names, sources = list[tuple[int, int]](), list[str](), list[int]()
        for element, value in self._named(root, self._target):
            wanted = [name for name in value.split() if name != "#" and not _ELSEWHERE.match(name)]
            source = places.link(element) if wanted else -1
            if source < 0:
                continue
            for name in wanted:
                document, sharp, inside = map(unquote, name.partition("#"))
                own = inside if sharp and not document else "" if sharp else document
                if own in ids:
                    pairs.append((source, ids[own]))
                else:
                    names.append(name)
                    sources.append(source)
        return DocumentLinks(
            np.array(pairs, np.int64).reshape(-1, 2),
            [*ids],
            np.array([*ids.values()], np.int64),
            names,
            np.array(sources, np.int64),
        )

    def _named(self, root: Any, xpath: str) -> Iterable[tuple[Any, str]]:
        """Yield what an XPath selects: elements, and the value of an attribute or their text."""
        for node in selected_nodes(root, xpath, self._namespaces):
            if isinstance(node, str):
                yield node.getparent(), str(node)  # type: ignore[attr-defined]
            elif isinstance(getattr(node, "tag", None), str):
                yield node, "".join(node.itertext())
