"""Dewey labels and XPaths of elements, and the element at a path [RETRIEVAL, section 1]."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from trix.core.names import write_addresses, write_labels, write_paths
from trix.indexer.read.damage import or_damaged
from trix.indexer.store.elements import Elements
from trix.indexer.store.files import IndexFiles
from trix.support.element_path import steps, write_step
from trix.support.lru_cache import LruFunction

FEW = 1 << 12
"""Largest number of elements named at once, with their blocks of the element table kept in memory.

More elements are named block by block.
"""


class ElementNames(NamedTuple):
    """Labels, paths and positions of elements, as columns."""

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
    """The columns of `ElementNames` that runs consist of."""

    documents: list[int]
    docs: list[str]
    paths: list[str]


class Namer:
    """Writer of labels and paths.

    Parameters
    ----------
    index
        The index of the elements.
    """

    def __init__(self, index: IndexFiles) -> None:
        self.index = self.files = index
        self._id_of = lru_cache(FEW)(index.ids.__getitem__)
        # All step names in one array with their ends, as the kernel reads them.
        parts = [b"/" + step.encode("utf-8", "surrogateescape") for step in index.steps]
        self._steps = np.frombuffer(b"".join(parts) or b"/", np.uint8).copy()
        self._ends = np.cumsum(np.array([0, *map(len, parts)], np.int64))

    @or_damaged
    def addresses(self, elements: NDArray[Any]) -> Addresses:
        """Return the addresses of a few elements, without other names."""
        files, table = self.index, self.index.elements
        if not elements.size:
            return Addresses([], [], [])
        columns: tuple[Any, ...] = (
            np.ascontiguousarray(elements, np.int32),
            files.first_elements,
            table.first_element,
            table.printable.view(np.uint8),
        )
        columns += table.rows, table.step, table.same, self._steps, self._ends
        documents, written = write_addresses(*columns)
        # Not all blocks are decompressed: do it, and write again.
        if written is None:
            table.printed_of(elements)
            documents, written = write_addresses(*columns)
        assert written is not None
        paths = _lines(written)
        numbers: list[int] = documents.tolist()
        return Addresses(numbers, list(map(self._id_of, numbers)), paths)

    @or_damaged
    def all_names(self, elements: NDArray[Any]) -> ElementNames:
        """Return all names of elements, and their positions in their documents."""
        files = self.index
        documents = files.documents_of(elements)
        numbers: list[int] = documents.tolist()
        names = ElementNames(numbers, list(map(self._id_of, numbers)), [], [], [], [], [])
        # Few elements: the blocks stay in memory, as more of them will be named soon.
        if elements.size <= FEW:
            files.elements.printed_of(elements)
            return self._put(names, files.elements, elements, documents)
        columns = cast(list[list[Any]], names[2:])
        # Places first, since blocks come in their own order and fill them out of turn.
        for column in columns:
            column += [None] * elements.size
        for block, table, places in files.elements.parts_of(elements):
            table.everything()
            some = ElementNames([], [], [], [], [], [], [])
            self._put(some, table, elements[places] - np.int32(block.element), documents[places])
            for column, values in zip(columns, cast(list[list[Any]], some[2:]), strict=True):
                for place, value in zip(places.tolist(), values, strict=True):
                    column[place] = value
        return names

    def _put(
        self, names: ElementNames, table: Elements, elements: NDArray[Any], documents: NDArray[Any]
    ) -> ElementNames:
        """Append the names from a table whose columns are ready."""
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
        elements = np.ascontiguousarray(elements, np.int32)
        labels = write_labels(elements, np.ascontiguousarray(documents, np.int64), table.rows, table.position)
        paths = write_paths(elements, table.rows, table.step, table.same, self._steps, self._ends)
        return _lines(labels), _lines(paths)


def _lines(data: NDArray[np.uint8]) -> list[str]:
    return data.tobytes().decode("utf-8", "surrogateescape").split("\n")


_KEPT = 1 << 14
"""Number of elements with cached children by name; the topics of a run return to the same documents."""


class Finder:
    """Resolver of paths to elements.

    Parameters
    ----------
    index
        The index.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index = index
        self._children = LruFunction(self._named_children, _KEPT)

    def element(self, document: int, path: str) -> int:
        """Return the number of the indexed element at a path of a document, -1 if there is none.

        Every position must be written, except that of an attribute, which readers of runs may write. An empty path
        is the root.
        """
        if not path:
            low, high = self._index.document_range(document)
            return low if high > low else -1
        found, above = -1, ""
        for step in steps(path):
            known = self._children((document, found))
            # Paths of runs may write @id[1].
            step = above + (step.removesuffix("[1]") if step.startswith("@") else step)
            if step in known:
                found, above = known[step], ""
            else:
                above = f"{step}/"  # an unwrapped element is in the steps of those below it
        return -1 if above else found

    def _named_children(self, parent: tuple[int, int]) -> dict[str, int]:
        """Map path steps to the element numbers of an element's children; -1 stands for the parent of the root."""
        document, element = parent
        table = self._index.elements
        if element < 0:
            low, high = self._index.document_range(document)
            children = np.arange(low, min(low + 1, high))
            table.printed_of(children)
        else:
            # Children are among the descendants, which are a range of numbers.
            last = table.of_content[table.begin[element] + table.contents[element] - 1]  # element of the subtree
            children = element + 1 + np.flatnonzero(table.parent[element + 1 : last + 1] == element)
        return dict(zip(self._steps(children), children.tolist(), strict=True))

    def _steps(self, elements: NDArray[np.int64]) -> list[str]:
        table, names = self._index.elements, self._index.steps
        both = zip(table.step[elements].tolist(), table.same[elements].tolist(), strict=True)
        return [write_step(names[step], same) for step, same in both]
