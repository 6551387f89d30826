"""Candidates of a query, as columns.

Contextualisation and presentation read nothing else. Every ancestor of a candidate is a candidate, so the path to
the root is followed inside these arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Candidates:
    """The matching elements of a query in document order, closed under ancestors.

    A *place* is an index into these columns. Documents follow each other, and each begins with its root.

    Parameters
    ----------
    element
        ``(n,)`` ascending element numbers: document order, an ancestor before its descendants.
    parent
        ``(n,)`` place of the parent; -1 for roots.
    root
        ``(n,)`` place of the document's root.
    depth
        ``(n,)`` number of proper ancestors; 0 for roots.
    begin, end
        ``(n,)`` the content elements of each element are the content numbers ``[begin, end)``.
    content
        ``(n,)`` whether the element is a content element, with content number ``begin``.
    """

    element: NDArray[np.int32]
    parent: NDArray[np.int32]
    root: NDArray[np.int32]
    depth: NDArray[np.int32]
    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    content: NDArray[np.bool_]

    @classmethod
    def of_tree(cls, parent: Sequence[int], number: Sequence[int]) -> Candidates:
        """Make candidates from a tree alone, for tests and examples.

        Parameters
        ----------
        parent
            Place of each element's parent in document order; -1 for roots.
        number
            Content number of each content element, ascending; -1 for the others.

        Examples
        --------
        >>> tree = Candidates.of_tree(parent=[-1, 0, 1, 0], number=[-1, -1, 5, 7])
        >>> tree.depth.tolist(), tree.begin.tolist(), tree.end.tolist()
        ([0, 1, 2, 1], [5, 5, 5, 7], [8, 6, 6, 8])
        """
        n = len(parent)
        columns = np.zeros((7, n), dtype=np.int32)  # a row for each column, one allocation
        element, above, root, depth, begin, end, content = columns
        element[:], above[:] = np.arange(n), parent
        begin[:], end[:] = np.iinfo(np.int32).max, 0
        # Downwards: a parent comes before its children, so it is complete when they are reached.
        for place in range(n):
            top = parent[place] < 0
            root[place] = place if top else root[parent[place]]
            depth[place] = 0 if top else depth[parent[place]] + 1
        # Upwards: ranges of children widen those of their parents.
        for place in reversed(range(n)):
            if number[place] >= 0:
                content[place], begin[place], end[place] = 1, number[place], number[place] + 1
            if parent[place] >= 0:
                begin[parent[place]] = min(begin[parent[place]], begin[place])
                end[parent[place]] = max(end[parent[place]], end[place])
        return cls(element, above, root, depth, begin, end, content.astype(np.bool_))

    def at(self, places: NDArray[Any]) -> Candidates:
        """Return some candidates; their parents and roots remain places among all."""
        # Parents are not renumbered: callers look them up in the columns of all candidates.
        columns = (self.element, self.parent, self.root, self.depth, self.begin, self.end, self.content)
        return Candidates(*(column[places] for column in columns))

    def __len__(self) -> int:
        return len(self.element)
