"""The elements a query can return, as columns.

Contextualisation and result organisation read nothing else: every ancestor of a candidate is a candidate,
so the path to the root is followed inside these arrays and the index is not touched again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Candidates:
    """The matching elements of a query in document order, closed under ancestors.

    A *place* is a position in these columns. Documents follow each other, and each begins with its root.

    Parameters
    ----------
    element
        ``(n,)`` element numbers, ascending: document order, an ancestor before its descendants.
    parent
        ``(n,)`` place of the parent; -1 for roots.
    root
        ``(n,)`` place of the document's root.
    depth
        ``(n,)`` number of proper ancestors; 0 for roots.
    begin, end
        ``(n,)`` the content elements of each element are the content numbers ``[begin, end)``.
    content
        ``(n,)`` whether the element is a content element; then its own content number is ``begin``.
    """

    element: NDArray[np.int32]
    parent: NDArray[np.int32]
    root: NDArray[np.int32]
    depth: NDArray[np.int32]
    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    content: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.element)
