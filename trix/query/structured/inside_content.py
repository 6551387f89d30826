"""Attributes and compared elements at or below content elements, which are not indexed [RETRIEVAL, section 2].

Paths of conditions can name them like elements; ``*`` stands for indexed elements only. They are rows of
`trix.indexer.store.attributes`; a set of them is a sorted array of row numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.document.record import BELOW, OWN
from trix.indexer.store.elements import distinct
from trix.indexer.store.files import IndexFiles
from trix.query.language.nexi_tree import NodeTest
from trix.query.matching import joins
from trix.query.structured.value_conditions import Occurrence
from trix.support.arrays import Int32s, Mask

Places = NDArray[Any]

_NOTHING = np.zeros(0, np.int64)


class InsideContent:
    """Look-up of the attributes and compared elements of one index by node tests."""

    def __init__(self, index: IndexFiles) -> None:
        self.index, self.store = index, index.attributes

    def numbers(self, test: NodeTest) -> list[int]:
        """Return the numbers of the names that match a node test."""
        return [number for name in test.names for number in passing(self.index, name)]

    def named(self, test: NodeTest) -> Places:
        """Return the rows that match a node test."""
        numbers = self.numbers(test)
        return self.store.below(numbers) if numbers else _NOTHING

    def good(self, test: NodeTest, verdict: Callable[[str], bool]) -> Places:
        """Return the rows that match a node test and whose value passes `verdict`."""
        return self.store.good(self.named(test), verdict)

    def holding(self, test: NodeTest, occurrence: Occurrence) -> Places:
        """Return the rows that match a node test and hold a query."""
        found = [_NOTHING]
        for number in self.numbers(test):
            # Keys are cached by name and chain, so a query only joins arrays.
            keys = partial(self.store.keys, number)
            found.append(keys(self.index.analyzer).rows(occurrence.of(keys, self.index.analyzers)))
        return distinct(np.concatenate(found))

    def having_below(self, of: Int32s, places: Places, descends: bool) -> Mask:
        """Return which elements have any of the rows as a child, or with `descends` anywhere below."""
        if not places.size:
            return np.zeros(of.size, np.bool_)
        rows, owners = self.store.rows, self.store.elements(places)
        if not descends:
            # A child of the owner itself: neither deeper in the content element, nor inside another compared element.
            owners = owners[(rows.kind[places] != BELOW) & (rows.above[places] == 0)]
        owners = distinct(owners)
        # The owner has the rows; with `descends`, so have its ancestors.
        inside = joins.member(of, owners)
        return inside | joins.has_descendant(self.index.elements, of, owners) if descends else inside

    def around(self, places: Places, test: NodeTest, descends: bool) -> Places:
        """Return the rows that match a node test and have any of the given rows as a child, or with `descends` anywhere
        below.
        """
        rows, found = self.store.rows, [_NOTHING]
        if not descends:
            places = places[rows.kind[places] == OWN]
        while places.size:
            # `above` is a distance in rows: one step leads to the enclosing compared element.
            places = distinct((places - rows.above[places])[rows.above[places] > 0])
            found.append(places)
            if not descends:
                break
        around = distinct(np.concatenate(found))
        return around[np.isin(rows.name[around], self.numbers(test))] if around.size else around


def passing(index: IndexFiles, name: str) -> list[int]:
    """Return the numbers of the names that match one name of a node test, through the profile's `aliases`."""
    prefix, local = joins.parted(name)
    tags = index.profile.aliases(local) if local[0] != "@" else (local,)
    return [number for tag in tags for number in index.attributes.numbers(tag, index.namespace(prefix))]
