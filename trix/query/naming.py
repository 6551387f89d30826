"""Dewey labels and XPaths of the elements that are printed: walk up the parents [RETRIEVAL, section 1]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix import kernels
from trix.indexer.index import IndexFiles


class Namer:
    """Writes labels and paths.

    Parameters
    ----------
    index
        The index whose elements are named.
    """

    def __init__(self, index: IndexFiles) -> None:
        self.index = index
        parts = [b"/" + step.encode("utf-8", "surrogateescape") for step in index.steps]
        self._steps = np.frombuffer(b"".join(parts) or b"/", np.uint8).copy()
        self._ends = np.cumsum(np.array([0, *map(len, parts)], np.int64))

    def names(self, elements: NDArray[Any], documents: NDArray[Any]) -> tuple[list[str], list[str]]:
        """Return the labels and the paths of elements, whose document numbers count from 0."""
        if not elements.size:
            return [], []
        table = self.index.elements
        table.printed_of(elements)
        if not kernels.use_numba():
            return self._plainly(elements.tolist(), documents.tolist())
        from trix.query.kernels_naming import write_labels, write_paths

        labels = write_labels(elements, documents, table.parent, table.position)
        paths = write_paths(elements, table.parent, table.step, table.same, self._steps, self._ends)
        return _lines(labels), _lines(paths)

    def _plainly(self, elements: Sequence[int], documents: Sequence[int]) -> tuple[list[str], list[str]]:
        """Return what the compiled twins do."""
        table, steps = self.index.elements, self.index.steps
        known: dict[int, tuple[str, str]] = {}

        def name(element: int, document: int) -> tuple[str, str]:
            if element not in known:
                parent, same = int(table.parent[element]), int(table.same[element])
                step = f"/{steps[table.step[element]]}" + (f"[{same}]" if same else "")
                if parent < 0:
                    known[element] = str(document + 1), step
                else:
                    label, path = name(parent, document)
                    known[element] = f"{label}.{table.position[element]}", path + step
            return known[element]

        named = [name(element, document) for element, document in zip(elements, documents, strict=True)]
        return [label for label, _ in named], [path for _, path in named]


def _lines(data: NDArray[np.uint8]) -> list[str]:
    return data.tobytes().decode("utf-8", "surrogateescape").split("\n")
