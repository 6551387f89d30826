"""The columns of the element table as the compiled loops take them, and which blocks of them are ready."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.files import IndexFiles
from trix.support.arrays import Ints

NO_SUMS = np.zeros((0, 2), np.int32)
NO_LENGTHS = np.zeros(0, np.int32)


class Columns(NamedTuple):
    """Columns of the element table.

    Attributes
    ----------
    content_rows, rows
        See `trix.indexer.store.elements.Elements`.
    running
        Sums of keys, by which the loops know how many each element has; empty where nothing asks for them.
    length
        Characters of elements; empty where nothing asks for them.
    is_there
        Of which blocks these are ready.
    """

    content_rows: Ints
    running: Ints
    rows: Ints
    length: Ints
    is_there: NDArray[np.bool_]


class TableColumns:
    """Gives the columns of one index.

    Parameters
    ----------
    index
        The index.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index = index

    @cached_property
    def block_of(self) -> Ints:
        """The block that each document is in."""
        firsts = [block.document for block in self._index.blocks[1:-1]]
        return np.searchsorted(firsts, np.arange(len(self._index)), side="right")

    def ready(self, contents: Ints, keys: bool, sizes: bool) -> Columns:
        """Return the columns, made ready for the documents of some content elements.

        Parameters
        ----------
        contents
            Ascending numbers.
        keys, sizes
            Whether the sums of keys are wanted, and the characters of elements.
        """
        table = self._index.elements
        if contents.size:
            table.structure_of_contents(contents)
        is_there, running, length = table.structured, NO_SUMS, NO_LENGTHS
        if keys:
            running = table.sums_of_contents(contents)
            is_there = is_there & table.summed
        if sizes:
            if contents.size:
                table.printed_of(table.of_content[contents])
            length = table.length
            is_there = is_there & table.printable
        return Columns(table.content_rows, running, table.rows, length, is_there)

    def longest(self) -> int:
        """Return how many keys no element has more of, where keys are ready; 2 to a power, less 1.

        It is those of a block, so that it changes seldom.
        """
        table, ends = self._index.elements, [block.content for block in self._index.blocks[1:]]
        running, most = table.sums_of_contents(NO_LENGTHS), 0
        begin = 0
        for ready, end in zip(table.summed.tolist(), ends, strict=True):
            if ready and end > begin:
                most = max(most, int(running[end - 1, 1]))
            begin = end
        return int((1 << most.bit_length()) - 1)
