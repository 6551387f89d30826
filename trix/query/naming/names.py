"""Dewey labels and XPaths of the elements that are printed: walk up the parents [RETRIEVAL, section 1]."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from trix.indexer.read.damage import or_damaged
from trix.indexer.store.elements import Elements
from trix.indexer.store.files import IndexFiles
from trix.support import backend
from trix.support.element_path import write_step

FEW = 1 << 12
"""Up to so many elements are named at once, and the blocks of the table they touch stay in memory; more are named
block by block."""


class Names(NamedTuple):
    """The names and places of elements, as columns."""

    documents: list[int]
    """Numbers, from 0."""
    docs: list[str]
    """Document ids."""
    labels: list[str]
    paths: list[str]
    tags: list[str]
    offsets: list[int]
    lengths: list[int]


class Addresses(NamedTuple):
    """Where elements are found again: those columns of `Names` that runs consist of."""

    documents: list[int]
    docs: list[str]
    paths: list[str]


class Namer:
    """Writes labels and paths.

    Parameters
    ----------
    index
        The index whose elements are named.
    """

    def __init__(self, index: IndexFiles) -> None:
        self.index = self.files = index
        self._id_of = lru_cache(FEW)(index.ids.__getitem__)
        parts = [b"/" + step.encode("utf-8", "surrogateescape") for step in index.steps]
        self._steps = np.frombuffer(b"".join(parts) or b"/", np.uint8).copy()
        self._ends = np.cumsum(np.array([0, *map(len, parts)], np.int64))

    @cached_property
    def _loops(self) -> Any:
        from trix.query.naming import loops

        return loops

    @or_damaged
    def addresses(self, elements: NDArray[Any]) -> Addresses:
        """Return the addresses of a few elements, and no other names."""
        files, table = self.index, self.index.elements
        if elements.size and backend.use_numba():
            write_addresses = self._loops.write_addresses
            places = elements, files.first_elements, table.first_element, table.printable
            path_steps = table.parent, table.step, table.same, self._steps, self._ends
            ready, documents, written = write_addresses(places, path_steps)
            if not ready:
                table.printed_of(elements)
                _, documents, written = write_addresses(places, path_steps)
            paths = _lines(written)
        else:
            documents = files.documents_of(elements)
            _, paths = self.names(elements, documents)
        numbers: list[int] = documents.tolist()
        return Addresses(numbers, list(map(self._id_of, numbers)), paths)

    @or_damaged
    def all_names(self, elements: NDArray[Any]) -> Names:
        """Return all names of elements, and where they stand in their documents."""
        files = self.index
        documents = files.documents_of(elements)
        numbers: list[int] = documents.tolist()
        names = Names(numbers, list(map(self._id_of, numbers)), [], [], [], [], [])
        if elements.size <= FEW:
            files.elements.printed_of(elements)
            return self._put(names, files.elements, elements, documents)
        columns = cast(list[list[Any]], names[2:])
        for column in columns:
            column += [None] * elements.size
        for block, table, places in files.elements.parts_of(elements):
            table.everything()
            some = Names([], [], [], [], [], [], [])
            self._put(some, table, elements[places] - np.int32(block.element), documents[places])
            for column, values in zip(columns, cast(list[list[Any]], some[2:]), strict=True):
                for place, value in zip(places.tolist(), values, strict=True):
                    column[place] = value
        return names

    def _put(self, names: Names, table: Elements, elements: NDArray[Any], documents: NDArray[Any]) -> Names:
        """Append what a table says of its elements, whose columns are ready."""
        tags = self.index.step_tags
        labels, paths = self._named(table, elements, documents) if elements.size else ([], [])
        names.labels.extend(labels)
        names.paths.extend(paths)
        names.tags.extend([tags[step] for step in table.step[elements].tolist()])
        names.offsets.extend(table.start[elements].tolist())
        names.lengths.extend(table.length[elements].tolist())
        return names

    def names(self, elements: NDArray[Any], documents: NDArray[Any]) -> tuple[list[str], list[str]]:
        """Return the labels and the paths of elements, whose document numbers count from 0."""
        if not elements.size:
            return [], []
        self.index.elements.printed_of(elements)
        return self._named(self.index.elements, elements, documents)

    def _named(self, table: Elements, elements: NDArray[Any], documents: NDArray[Any]) -> tuple[list[str], list[str]]:
        if not backend.use_numba():
            return self._plainly(table, elements.tolist(), documents.tolist())
        labels = self._loops.write_labels(elements, documents, table.parent, table.position)
        paths = self._loops.write_paths(elements, table.parent, table.step, table.same, self._steps, self._ends)
        return _lines(labels), _lines(paths)

    def _plainly(
        self, table: Elements, elements: Sequence[int], documents: Sequence[int]
    ) -> tuple[list[str], list[str]]:
        """Return labels and paths as the compiled twins do."""
        steps = self.index.steps
        known: dict[int, tuple[str, str]] = {}
        for element, document in zip(elements, documents, strict=True):
            unknown = []
            while element >= 0 and element not in known:
                unknown.append(element)
                element = int(table.parent[element])
            for each in reversed(unknown):
                same = int(table.same[each])
                step = f"/{write_step(steps[table.step[each]], same)}"
                if element < 0:
                    known[each] = str(document + 1), step
                else:
                    label, path = known[element]
                    known[each] = f"{label}.{table.position[each]}", path + step
                element = each
        named = [known[element] for element in elements]
        return [label for label, _ in named], [path for _, path in named]


def _lines(data: NDArray[np.uint8]) -> list[str]:
    return data.tobytes().decode("utf-8", "surrogateescape").split("\n")
