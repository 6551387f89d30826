"""Columns of the element table, in the form that kernels take."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from trix.core.topk import ElementTable
from trix.indexer.store.files import IndexFiles
from trix.support.arrays import Int32s, Ints, Mask

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
        self._plain: dict[bool, ElementTable] = {}
        self._summed: dict[bool, tuple[int, ElementTable, int]] = {}

    @cached_property
    def block_of(self) -> Ints:
        """Block of each document."""
        firsts = [block.document for block in self._index.blocks[1:-1]]
        return np.searchsorted(firsts, np.arange(len(self._index)), side="right")

    def ready(self, contents: Ints, keys: bool, sizes: bool) -> tuple[ElementTable, int]:
        """Decompress the blocks of some content elements; return the columns, and a bound of their keys.

        Parameters
        ----------
        contents
            Ascending content element numbers.
        keys, sizes
            Whether running sums of keys, and sizes in characters, are needed.

        Returns
        -------
        tuple
            The columns, and an upper bound of the keys of any element in them: a power of 2, less 1; 0 without keys.
        """
        table = self._index.elements
        if contents.size:
            table.structure_of_contents(contents)
            if sizes:
                table.printed_of(table.of_content[contents])
        if keys:
            return self._with_sums(table.sums_of_contents(contents), sizes)
        # The arrays have their full size from the start and are filled in place, so one table serves all searches.
        if sizes not in self._plain:  # it sees what becomes ready later
            self._plain[sizes] = self._table(NO_SUMS, table.summed, sizes)
        return self._plain[sizes], 0

    def _with_sums(self, running: Int32s, sizes: bool) -> tuple[ElementTable, int]:
        """Return the columns with sums of keys, and the bound of these.

        A model tabulates its weights up to the bound. So the kernel may use only blocks that the bound covers, even if
        another thread decompresses a longer one meanwhile: the flags are copied first, and the bound is theirs.
        """
        flags = self._index.elements.summed.copy()
        # Flags are only ever set, so equal numbers of them are equal flags.
        number = int(np.count_nonzero(flags))
        kept = self._summed.get(sizes)
        if kept is None or kept[0] != number:
            kept = self._summed[sizes] = number, self._table(running, flags, sizes), self._longest(running, flags)
        return kept[1:]

    def _table(self, running: Int32s, summed: Mask, sizes: bool) -> ElementTable:
        table = self._index.elements
        lengths = table.length if sizes else NO_LENGTHS
        return ElementTable(
            table.content_rows, table.rows, running, lengths, (table.structured, summed, table.printable)
        )

    def _longest(self, running: Int32s, summed: Mask) -> int:
        """Return a power of 2, less 1, that no element of some blocks exceeds in keys.

        It bounds the keys of a whole block, so that it rarely changes.
        """
        blocks = self._index.blocks
        ends = np.array([block.content for block in blocks[1:]])
        filled = ends > np.array([block.content for block in blocks[:-1]])  # blocks that have content elements
        # The sums of a block begin at 0, so the last one is the number of keys in the block, which no element exceeds.
        most = int(running[ends[summed & filled] - 1, 1].max(initial=0))
        return int((1 << most.bit_length()) - 1)
