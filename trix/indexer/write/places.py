"""From elements of a source to indexed elements: whoever reads the tree says by it what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from lxml import etree

from trix.indexer.document.record import DocumentRecord, step_tag


class Places:
    """Where elements of a source document are among its indexed elements.

    Parameters
    ----------
    root, record
        The document's element and what the reader made of it.
    steps
        The path steps by number.

    Attributes
    ----------
    nothing : bool
        Whether none is indexed.
    """

    def __init__(self, root: Any, record: DocumentRecord, steps: Sequence[str]) -> None:
        self._root, self._step_names = root, steps
        self.nothing = not len(record.depth)
        self._step, self._same = np.asarray(record.step).tolist(), np.asarray(record.same).tolist()
        self._depth = np.asarray(record.depth).tolist()
        self._below: dict[int, tuple[list[int], set[int], dict[tuple[str, int], int]]] = {}
        # Of each element its nearest indexed element, the steps from there where all between are unwrapped, and whether
        # it is that one itself.
        self._found: dict[Any, tuple[int, str, bool]] = {root: (0, "", True)}
        self._seen: dict[Any, tuple[tuple[Any, str, int], ...]] = {}
        self._placed: dict[int, dict[Any, int]] = {}

    def element(self, element: Any) -> int:
        """Return the nearest indexed element at or above one of the source; -1 for what is outside the document."""
        found = self._find(element)
        return -1 if found is None else found[0]

    def itself(self, element: Any) -> int:
        """Return the place of an element of the source; -1 for one that is not indexed."""
        found = self._find(element)
        return -1 if found is None or not found[2] else found[0]

    def link(self, element: Any) -> int:
        """Return the same, or the run of text that the element is in."""
        found = self._find(element)
        if found is None:
            return -1
        place, _, itself = found
        if itself or not self._children(place)[1]:
            return place
        if place not in self._placed:
            self._placed[place] = self._runs_of(element, place)
        return self._placed[place].get(element, place)

    def _children(self, place: int) -> tuple[list[int], set[int], dict[tuple[str, int], int]]:
        """Return the children of an indexed element, those that are runs of text, and all by step and position."""
        if place not in self._below:
            depth, children = self._depth[place] + 1, []
            for child in range(place + 1, len(self._depth)):
                if self._depth[child] <= depth:
                    if self._depth[child] < depth:
                        break
                    children.append(child)
            named = {(self._step_names[self._step[child]], self._same[child]): child for child in children}
            runs = {child for (step, _), child in named.items() if step_tag(step) == "#text"}
            self._below[place] = children, runs, named
        return self._below[place]

    def _find(self, element: Any) -> tuple[int, str, bool] | None:
        if element in self._found:
            return self._found[element]
        parent = element.getparent()
        above = None if parent is None or element is self._root else self._find(parent)
        if above is None:
            return None
        if parent not in self._seen:
            counts: dict[str, int] = {}
            own = []
            for child in parent.iterchildren(etree.Element):
                name = child.tag.rpartition("}")[2]
                counts[name] = counts.get(name, 0) + 1
                own.append((child, name, counts[name]))
            self._seen[parent] = tuple(own)
            below_it = self._children(above[0])[2]
            for child, name, same in own:
                step = above[1] + name
                place = below_it.get((step, same), -1)
                below = (above[0], f"{step}[{same}]/", False) if place < 0 else (place, "", True)
                self._found[child] = below
        return self._found.get(element)

    def _runs_of(self, element: Any, place: int) -> dict[Any, int]:
        """Return the run of each element in the text of a container: the only one between two indexed children.

        Where there are several, since a child without text parts them, the element stays the container's.
        """
        children, own_runs, _ = self._children(place)
        container = element
        while self._found[container][:1] != (place,) or not self._found[container][2]:
            container = container.getparent()
        between: dict[int, list[int]] = {-1: []}
        last = -1
        for child in children:
            if child in own_runs:
                between[last].append(child)
            else:
                last = child
                between[last] = []
        runs: dict[Any, int] = {}
        last = -1
        for each in container.iterdescendants(etree.Element):
            found = self._find(each)
            if found is None:
                continue
            if found[2] and found[0] in between:
                last = found[0]
            elif found[0] == place and len(between[last]) == 1:
                runs[each] = between[last][0]
        return runs
