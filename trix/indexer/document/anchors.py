"""Ends of links in a document: the attributes selected by a profile's ``[links]``, and their elements.

A profile has an XPath for the names of targets, and one for the ids that they refer to::

    [links]
    target = "//xref/@rid"
    id = "//@id"

Both ends are the nearest indexed elements at or above those of the source; a link in a container's text is in its run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from trix.core.markup import rows_around
from trix.indexer.languages.labels import TEXT
from trix.indexer.profile.profile import Profile

if TYPE_CHECKING:
    from trix.indexer.profile.paths import AttributePath

IDS = "//@id | //@xml:id"
"""Default XPath of ids."""

Named = tuple[list[int], list[str]]
"""Events of elements, ascending, and their ids or targets."""


class Anchors(NamedTuple):
    """Ends of the links in a document.

    Attributes
    ----------
    ids, targets
        Ids, and names of targets, as written, in document order.
    id_rows, target_rows
        Indexed element of each, counted from the document's first.
    """

    ids: list[str]
    id_rows: NDArray[np.int32]
    targets: list[str]
    target_rows: NDArray[np.int32]


class AnchorRules:
    """Rules of a profile for links.

    Parameters
    ----------
    profile
        Profile with links.

    Attributes
    ----------
    simple
        Attribute paths of ids and targets if both XPaths are simple (see `attribute_paths`), else None.
    """

    def __init__(self, profile: Profile) -> None:
        from trix.indexer.profile.paths import attribute_paths

        self._namespaces = profile.namespaces
        self._xpaths = profile.links.get("id", IDS), profile.links["target"]
        paths = [attribute_paths(xpath, profile.namespaces) for xpath in self._xpaths]
        self.simple = None if paths[0] is None or paths[1] is None else (paths[0], paths[1])

    def in_tree(self, root: Any, events: Mapping[Any, int]) -> tuple[Named, Named]:
        """Find ids and targets in a tree by XPath. Elements without an event get that of their nearest ancestor with
        one.
        """
        first, second = (list(self._selected(root, xpath, events)) for xpath in self._xpaths)
        return ([at for at, _ in first], [name for _, name in first]), (
            [at for at, _ in second],
            [name for _, name in second],
        )

    def _selected(self, root: Any, xpath: str, events: Mapping[Any, int]) -> Iterator[tuple[int, str]]:
        from trix.indexer.profile.xpath import selected_nodes

        for node in selected_nodes(root, xpath, self._namespaces):
            if isinstance(node, str):
                element, value = node.getparent(), str(node)  # type: ignore[attr-defined]
            elif isinstance(getattr(node, "tag", None), str):
                element, value = node, "".join(node.itertext())
            else:
                continue
            while element is not None and element not in events:
                element = element.getparent()
            yield events.get(element, 0), value  # for a subtree, XPath returns a copy of the root

    def accepts(self, path: AttributePath, values: Mapping[str, str]) -> bool:
        """Whether an element with these attributes meets the condition of a path."""
        if not path.condition:
            return True
        from trix.indexer.profile.xpath import selected_nodes

        element = etree.Element("a", {name: value for name in path.tested if (value := values.get(name)) is not None})
        return bool(selected_nodes(element, f"/*[{path.condition}]", self._namespaces))


def anchors_of(named: tuple[Named, Named], rows: NDArray[np.int32]) -> Anchors:
    """Locate ids and targets among the indexed elements; `rows` are those of `trix.core.markup.index_elements`."""
    (id_events, ids), (target_events, targets) = named
    columns = np.ascontiguousarray(rows[6]), np.ascontiguousarray(rows[8]), rows[1] == TEXT
    places = np.full((2, len(ids)), -1, np.int32), np.full((2, len(targets)), -1, np.int32)
    for events, found in zip((id_events, target_events), places, strict=True):
        if events and rows.shape[1]:
            rows_around(*columns, int(rows[0].max()) + 1, np.array(events, np.int32), *found)
    return Anchors(ids, places[0][0], targets, places[1][1])


def event_numbers(events: Sequence[int], nodes: Iterable[Any]) -> dict[Any, int]:
    """Return the start event of each lxml element.

    Parameters
    ----------
    events
        Start events.
    nodes
        Elements in document order, including references to entities.
    """
    return dict(zip(nodes, events, strict=True))
