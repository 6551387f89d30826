"""A slice of an index for joins and paths: some blocks of the element table, numbered from 0.

No join reaches beyond a document, and documents lie whole in a slice. So a question on all elements of a large index
is answered slice by slice, in the memory of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from trix.indexer.profile.profile import Profile
from trix.indexer.store.elements import Block, Elements
from trix.indexer.store.files import IndexFiles
from trix.support.arrays import Int32s, Int64s


class ElementSource(Protocol):
    """Protocol of an index, or of a slice of one, as joins and paths use it."""

    totals: dict[str, int]

    @property
    def elements(self) -> Elements:
        """The element table."""

    @property
    def first_elements(self) -> NDArray[Any]:
        """The first element of each document."""

    @property
    def profile(self) -> Profile:
        """The profile."""

    def tagged(self, tag: str) -> BitMap:
        """Return the numbers of the elements with a tag."""

    def namespace(self, prefix: str) -> str | None:
        """Return the namespace of a prefix, if the index knows it."""

    def in_namespace(self, namespace: str) -> BitMap:
        """Return the numbers of the elements in a namespace."""


class IndexSlice:
    """Some blocks of an index.

    Parameters
    ----------
    index
        The index.
    block
        The first block.
    elements
        The blocks' part of the element table, see `trix.indexer.store.elements.Elements.parts`.
    """

    def __init__(self, index: IndexFiles, block: Block, elements: Elements) -> None:
        self.elements = elements
        self.profile, self.namespace = index.profile, index.namespace
        self.totals = {"elements": elements.parent.size}
        self.first = block.element
        # The bitmap of a range is small, however wide.
        self._index, self._range = index, BitMap(range(block.element, block.element + elements.parent.size))
        # Documents lie whole in a slice, so theirs are a range.
        low, high = np.searchsorted(index.first_elements, (self.first, self.first + elements.parent.size))
        self.first_elements: NDArray[Any] = index.first_elements[low:high] - self.first

    def tagged(self, tag: str) -> BitMap:
        """Return the numbers of the elements with a tag."""
        return self._here(self._index.tagged(tag))

    def in_namespace(self, namespace: str) -> BitMap:
        """Return the numbers of the elements in a namespace."""
        return self._here(self._index.in_namespace(namespace))

    def _here(self, elements: BitMap) -> BitMap:
        # Cut first: a shift copies all members.
        return (elements & self._range).shift(-self.first)


def parts(index: IndexFiles) -> Iterator[IndexSlice]:
    """Yield the slices of an index in order; each can be freed before the next is read."""
    for block, elements in index.elements.parts():
        yield IndexSlice(index, block, elements)


def by_part(index: IndexFiles, select: Callable[[IndexSlice], Int32s]) -> Int32s:
    """Select elements slice by slice; return their ascending numbers in the whole index."""
    # Slices are in order, so the concatenated numbers ascend.
    found = [select(part) + np.int32(part.first) for part in parts(index)]
    return np.concatenate([np.zeros(0, np.int32), *found])


class ContentRanges(NamedTuple):
    """Ranges ``[begin, end)`` of content elements, one an element, and the number of keys in each."""

    begin: Int32s
    end: Int32s
    keys: Int64s


def content_ranges(index: IndexFiles, elements: Int32s, *, lengths: bool = False) -> ContentRanges:
    """Return the ranges of content elements of some elements; keys are 0 unless `lengths` are requested."""
    begin, end = np.zeros(elements.size, np.int32), np.zeros(elements.size, np.int32)
    keys = np.zeros(elements.size, np.int64)
    # Block by block, each freed before the next: a level may have members in all blocks of a large index.
    for block, table, places in index.elements.parts_of(elements):
        own = elements[places] - np.int32(block.element)
        table.structure_of_elements(own)
        low, high = table.begin[own], table.begin[own] + table.contents[own]
        begin[places], end[places] = low + np.int32(block.content), high + np.int32(block.content)
        if lengths:
            keys[places] = table.tokens(low, high)
    return ContentRanges(begin, end, keys)
