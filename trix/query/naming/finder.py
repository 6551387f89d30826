"""Indexed elements by their paths: what runs, assessments and people call them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.files import IndexFiles
from trix.support.element_path import steps, write_step
from trix.support.recent import Recent

_KEPT = 1 << 14
"""Elements whose children are known by name; units come topic by topic, from the same documents again and again."""


class Finder:
    """Finds elements.

    Parameters
    ----------
    index
        Where they are.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index = index
        self._children = Recent(self._named_children, _KEPT)

    def element(self, document: int, path: str) -> int:
        """Return the number of the indexed element at a path of a document, -1 if there is none.

        Every position is written out; that of an attribute may be, since readers of runs write it. An empty path is the
        root.
        """
        if not path:
            low, high = self._index.document_range(document)
            return low if high > low else -1
        found, above = -1, ""
        for step in steps(path):
            known = self._children((document, found))
            step = above + (step.removesuffix("[1]") if step.startswith("@") else step)
            if step in known:
                found, above = known[step], ""
            else:
                above = f"{step}/"  # an unwrapped element is in the steps of those below it
        return -1 if above else found

    def _named_children(self, asked: tuple[int, int]) -> dict[str, int]:
        """Return path step -> element number of the children of an element, or of -1, whose child is the root."""
        document, element = asked
        table = self._index.elements
        if element < 0:
            low, high = self._index.document_range(document)
            children = np.arange(low, min(low + 1, high))
            table.printed_of(children)
        else:
            last = table.of_content[table.begin[element] + table.contents[element] - 1]  # element of the subtree
            children = element + 1 + np.flatnonzero(table.parent[element + 1 : last + 1] == element)
        return dict(zip(self._steps(children), children.tolist(), strict=True))

    def _steps(self, elements: NDArray[np.int64]) -> list[str]:
        table, names = self._index.elements, self._index.steps
        both = zip(table.step[elements].tolist(), table.same[elements].tolist(), strict=True)
        return [write_step(names[step], same) for step, same in both]
