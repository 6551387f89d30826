"""How much of each document matches some words, without scores: what facets count."""

from __future__ import annotations

import numpy as np

from trix.core import damage_in
from trix.core.postings import count_elements, holders, shape
from trix.errors import IndexError_
from trix.indexer.store.files import IndexFiles
from trix.query.term_cache.lists import OpenLists
from trix.support.arrays import Ints


class ElementCounter:
    """Counts the elements that hold any of some terms.

    Of each content element two numbers are kept, which tell how many elements on the way down to it are new where
    another went before. So a few bytes are looked at, and not the rows of all elements on the way.

    Parameters
    ----------
    index
        The index.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index = index
        contents = index.totals["content_elements"]
        self._above, self._shared = np.zeros(contents, np.uint8), np.zeros(contents, np.uint8)
        self._first_content = np.array([block.content for block in index.blocks])
        self._ready = np.zeros(len(index.blocks) - 1, np.bool_)

    def by_document(self, lists: OpenLists) -> Ints:
        """Return how many elements of each document hold any of some terms.

        Raises
        ------
        IndexError_
            A list is damaged.
        """
        index = self._index
        with damage_in(f"{index.path}: a posting list"):
            held = holders(lists.columns.postings, lists.spans[:, 2:])
        if held.size and not 0 <= held[0] <= held[-1] < self._above.size:
            raise IndexError_(f"{index.path}: a posting list is damaged")
        if not self._ready.all():
            self._fill(held)
        return count_elements(held, index.first_contents, self._above, self._shared)

    def _fill(self, contents: Ints) -> None:
        """Make the numbers ready for the blocks of some content elements."""
        table, first = self._index.elements, self._first_content
        table.structure_of_contents(contents)
        wanted = np.zeros(self._ready.size, np.bool_)
        wanted[np.searchsorted(first, contents, side="right") - 1] = True
        for block in np.flatnonzero(wanted & ~self._ready).tolist():
            with damage_in(f"{self._index.path}: the element table"):
                shape(first[block], first[block + 1], table.content_rows, table.rows, self._above, self._shared)
            self._ready[block] = True
