"""Counts of matching elements by document, without scores, for facets."""

from __future__ import annotations

import numpy as np

from trix.core import damage_in
from trix.core.postings import count_elements, holders, shape
from trix.errors import IndexError_
from trix.indexer.store.files import IndexFiles
from trix.query.term_cache.lists import QueryLists
from trix.support.arrays import Ints


class ElementCounter:
    """Counter of the elements that hold any of some terms.

    For each content element it keeps two bytes: its number of ancestors, and how many of these the content element
    before shares. They give the number of new elements without reading the rows of all ancestors.

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

    def by_document(self, lists: QueryLists) -> Ints:
        """Return the number of elements of each document that hold any of some terms.

        Raises
        ------
        IndexError_
            A list is damaged.
        """
        index = self._index
        with damage_in(f"{index.path}: a posting list"):
            postings = holders(lists.columns.postings, lists.spans[:, 2:])
        # Holders ascend, so the ends bound all of them.
        if postings.size and not 0 <= postings[0] <= postings[-1] < self._above.size:
            raise IndexError_(f"{index.path}: a posting list is damaged")
        if not self._ready.all():
            self._fill(postings)
        return count_elements(postings, index.first_contents, self._above, self._shared)

    def _fill(self, contents: Ints) -> None:
        """Compute the two bytes for the blocks of some content elements."""
        table, first = self._index.elements, self._first_content
        table.structure_of_contents(contents)
        wanted = np.zeros(self._ready.size, np.bool_)
        wanted[np.searchsorted(first, contents, side="right") - 1] = True
        # Two threads may compute the same block; both write the same bytes, so no lock is needed.
        for block in np.flatnonzero(wanted & ~self._ready).tolist():
            with damage_in(f"{self._index.path}: the element table"):
                shape(first[block], first[block + 1], table.content_rows, table.rows, self._above, self._shared)
            # Only after its bytes: another thread trusts the flag.
            self._ready[block] = True
