"""Columns of the element table, in the form that kernels take."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from trix.core.topk import ElementTable
from trix.indexer.store.files import IndexFiles
from trix.support.arrays import Ints

NO_SUMS = np.zeros((0, 2), np.int32)
NO_LENGTHS = np.zeros(0, np.int32)


class TableColumns:
    """Source of the columns of one index.

    Parameters
    ----------
    index
        The index.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index = index
        self._tables: dict[tuple[bool, bool], ElementTable] = {}

    @cached_property
    def block_of(self) -> Ints:
        """Block of each document."""
        firsts = [block.document for block in self._index.blocks[1:-1]]
        return np.searchsorted(firsts, np.arange(len(self._index)), side="right")

    def ready(self, contents: Ints, keys: bool, sizes: bool) -> ElementTable:
        """Decompress the blocks of some content elements and return the columns.

        Parameters
        ----------
        contents
            Ascending content element numbers.
        keys, sizes
            Whether running sums of keys, and sizes in characters, are needed.
        """
        table = self._index.elements
        if contents.size:
            table.structure_of_contents(contents)
        running = table.sums_of_contents(contents) if keys else NO_SUMS
        if sizes and contents.size:
            table.printed_of(table.of_content[contents])
        # The arrays have their full size from the start and are filled in place, so one table serves all searches.
        if (keys, sizes) not in self._tables:  # it sees what becomes ready later
            self._tables[keys, sizes] = ElementTable(
                table.content_rows, table.rows, running, table.length if sizes else NO_LENGTHS,
                (table.structured, table.summed, table.printable),
            )  # fmt: skip
        return self._tables[keys, sizes]

    def longest(self) -> int:
        """Upper bound of the keys of any element whose keys are decompressed: a power of 2, less 1.

        It is the bound of a whole block, so that it rarely changes.
        """
        table, ends = self._index.elements, [block.content for block in self._index.blocks[1:]]
        running, most = table.sums_of_contents(NO_LENGTHS), 0
        # The sums of a block begin at 0, so the last one is the number of keys in the whole block, which no element
        # exceeds.
        begin = 0
        for ready, end in zip(table.summed.tolist(), ends, strict=True):
            if ready and end > begin:
                most = max(most, int(running[end - 1, 1]))
            begin = end
        return int((1 << most.bit_length()) - 1)
