"""Relative paths: from elements to the elements they lead to [RETRIEVAL, section 5].

Steps are followed from many elements at once, as pairs of a start and a current element. An axis from an element is
one range in a row of elements, either in document order or by parent. So a step is two binary searches for each
pair. Conditions are properties of elements and are evaluated before, for the whole collection.
"""

from __future__ import annotations

import numpy as np

from trix.indexer.store.elements import distinct
from trix.indexer.store.files import IndexFiles
from trix.query.language.path_tree import PathStep, StepAxis
from trix.query.matching import joins
from trix.query.structured.paths import passing
from trix.support.arrays import Int32s, Ints
from trix.support.lru_cache import LruFunction

Pairs = tuple[Ints, Ints]
"""Pairs of a start, as an index into the start elements, and an element reached from it."""


class StepWalker:
    """Follows steps in one index."""

    def __init__(self, index: IndexFiles) -> None:
        self.index = index
        self._passing: LruFunction[PathStep, Int32s | None] = LruFunction(lambda step: passing(index, step))

    def walk(self, way: tuple[PathStep, ...], of: Int32s) -> Pairs:
        """Follow steps from each of some elements.

        Parameters
        ----------
        way
            The steps.
        of
            ``(k,)`` ascending elements whose documents have their structure ready.

        Returns
        -------
        tuple of ndarray
            ``(m,)`` each: indices into `of`, and elements; by index, then in document order, each pair once.
        """
        began, here = np.arange(of.size), of.astype(np.int64)
        # No axis leaves a document, so those of the start elements are all that can be reached.
        row = joins.in_documents(self.index, of)
        for step in way:
            wanted = self._passing(step)
            among = row if wanted is None else _common(row, wanted)
            began, here = self._step(step.axis, began, here, among)
            # Two ways to one element are one pair. Packed numbers sort by start, then in document order.
            pairs = distinct(joins.paired(began, here))
            began, here = pairs >> 32, pairs & 0x7FFF_FFFF
        return began, here.astype(np.int32)

    def _step(self, axis: StepAxis, began: Ints, here: Ints, among: Int32s) -> Pairs:
        """Follow one axis from some pairs to elements of a row."""
        found: list[Pairs] = []
        if axis in (StepAxis.SELF, StepAxis.DESCENDANT_OR_SELF, StepAxis.ANCESTOR_OR_SELF):
            found.append((began, here))
        if axis in (StepAxis.PARENT, StepAxis.ANCESTOR, StepAxis.ANCESTOR_OR_SELF):
            found += self._upwards(began, here, all_the_way=axis != StepAxis.PARENT)
        if found:
            pairs = _joined(found)
            # Axes upwards and self give elements, of which the test keeps some; the other axes search the row of those
            # that pass.
            kept = joins.member(pairs[1], among)
            found = [(pairs[0][kept], pairs[1][kept])]
        if axis in (StepAxis.DESCENDANT, StepAxis.DESCENDANT_OR_SELF, StepAxis.PRECEDING, StepAxis.FOLLOWING):
            found.append(self._in_order(axis, began, here, among))
        elif axis in (StepAxis.CHILD, StepAxis.PRECEDING_SIBLING, StepAxis.FOLLOWING_SIBLING):
            found.append(self._by_parent(axis, began, here, among))
        return _joined(found)

    def _upwards(self, began: Ints, here: Ints, *, all_the_way: bool) -> list[Pairs]:
        found: list[Pairs] = []
        # A level a round, for all pairs at once; pairs that have passed the root drop out.
        while here.size:
            here = self.index.elements.parent[here].astype(np.int64)
            below = here >= 0
            began, here = began[below], here[below]
            found.append((began, here))
            if not all_the_way:
                break
        return found or [(began, here)]

    def _in_order(self, axis: StepAxis, began: Ints, here: Ints, among: Int32s) -> Pairs:
        """Follow an axis that is a range in document order; for `preceding`, ancestors are left out."""
        # An element and its descendants are the numbers from its own to its end. So preceding ends at its own number,
        # following begins at its end, and descendants lie between.
        ends = joins.ends(self.index.elements, here)
        documents = self.index.documents_of(here)
        if axis == StepAxis.PRECEDING:
            low, high = self.index.first_elements[documents], here
        elif axis == StepAxis.FOLLOWING:
            low, high = ends, joins.document_ranges(self.index, documents)[1]
        else:
            low, high = here + 1, ends
        pair, there = _reach(among, low, high)
        if axis == StepAxis.PRECEDING:
            apart = joins.ends(self.index.elements, there) <= here[pair]
            pair, there = pair[apart], there[apart]
        return began[pair], there

    def _by_parent(self, axis: StepAxis, began: Ints, here: Ints, among: Int32s) -> Pairs:
        """Follow an axis that is a range of some element's children."""
        parents = self.index.elements.parent
        # The row sorted by parent, then in document order: children of one parent are a range, and so are a child's
        # siblings on one side.
        row = np.sort(joins.paired(parents[among], among))
        if axis == StepAxis.CHILD:
            low, high = joins.paired(here, np.zeros_like(here)), joins.paired(here + 1, np.zeros_like(here))
        else:
            above = parents[here].astype(np.int64)
            below = above >= 0  # a root has no siblings
            began, here, above = began[below], here[below], above[below]
            if axis == StepAxis.PRECEDING_SIBLING:
                low, high = joins.paired(above, np.zeros_like(above)), joins.paired(above, here)
            else:
                low, high = joins.paired(above, here + 1), joins.paired(above + 1, np.zeros_like(above))
        pair, there = _reach(row, low, high)
        return began[pair], there & 0x7FFF_FFFF


def _reach(row: Ints, low: Ints, high: Ints) -> Pairs:
    """Return, for all members of a row in ranges [low, high), the index of the range, and the member."""
    begin, end = np.searchsorted(row, low), np.searchsorted(row, high)
    pair, places = joins.spread(begin, np.maximum(end - begin, 0))
    return pair, row[places].astype(np.int64)


def _common(row: Int32s, wanted: Int32s) -> Int32s:
    """Intersect two ascending arrays."""
    fewer, more = (row, wanted) if row.size < wanted.size else (wanted, row)
    return fewer[joins.member(fewer, more)]


def _joined(pairs: list[Pairs]) -> Pairs:
    if len(pairs) == 1:
        return pairs[0]
    return np.concatenate([began for began, _ in pairs]), np.concatenate([here for _, here in pairs])
