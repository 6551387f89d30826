"""Judged units as element numbers, so that a ranking is judged without naming its elements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.eval.measures.flat import NOT_JUDGED, Flat
from trix.eval.paths import normal_path, split_unit
from trix.indexer.index import IndexFiles
from trix.query.naming import Namer


class Units:
    """The elements of documents by their paths.

    Parameters
    ----------
    index
        The index that has them.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index, self._namer = index, Namer(index)
        self._paths: dict[int, dict[str, int]] = {}

    def numbers(self, units: Iterable[str]) -> dict[str, int]:
        """Return unit -> element number, for the units that are elements of the index.

        A unit without a path is the root of its document.
        """
        found = {}
        for unit in units:
            doc, path = split_unit(unit)
            document = self._index.document(doc)
            if document < 0:
                continue
            if not path:
                found[unit] = self._index.document_range(document)[0]
                continue
            number = self._elements(document).get(normal_path(path))
            if number is not None:
                found[unit] = number
        return found

    def paths(self, elements: NDArray[Any]) -> list[str]:
        """Return the paths of elements of one document or several."""
        return [normal_path(path) for path in self._namer.names(elements, self._index.documents_of(elements))[1]]

    def _elements(self, document: int) -> dict[str, int]:
        if document not in self._paths:
            if len(self._paths) >= 64:  # documents are asked for in no order; a few are kept
                self._paths.pop(next(iter(self._paths)))
            low, high = self._index.document_range(document)
            elements = np.arange(low, high, dtype=np.int32)
            self._paths[document] = dict(zip(self.paths(elements), range(low, high), strict=True))
        return self._paths[document]


class Pool:
    """The grades of one topic, by element number.

    Parameters
    ----------
    grades
        Unit -> grade.
    numbers
        Unit -> element number; units without one are relevant, but never found.
    """

    def __init__(self, grades: Mapping[str, float], numbers: Mapping[str, int]) -> None:
        self.pool = np.fromiter(grades.values(), np.float64, len(grades))
        known = sorted((numbers[unit], grade) for unit, grade in grades.items() if unit in numbers)
        self._elements = np.array([number for number, _ in known], np.int64)
        self._grades = np.array([grade for _, grade in known], np.float64)

    def judge(self, ranking: NDArray[np.int32]) -> Flat:
        """Return the grades of elements in rank order, as `trix.eval.measures.flat.flat` does from their names."""
        levels = np.arange(len(ranking), dtype=np.int64)
        if not len(self._elements):
            return Flat(np.full(len(ranking), NOT_JUDGED), self.pool, levels)
        places = np.minimum(np.searchsorted(self._elements, ranking), len(self._elements) - 1)
        judged = self._elements[places] == ranking
        return Flat(np.where(judged, self._grades[places], NOT_JUDGED), self.pool, levels)


class Places:
    """Where indexed elements lie in the text of their documents: what granulating passages asks for.

    Parameters
    ----------
    index
        The index that has them.
    units
        Its elements by path.
    """

    def __init__(self, index: IndexFiles, units: Units) -> None:
        self._index, self._units = index, units

    def span(self, doc: str, path: str) -> tuple[int, int] | None:
        """Return the characters of an element, half open; None if it is not in the index."""
        unit = doc + path
        number = self._units.numbers([unit]).get(unit)
        if number is None:
            return None
        element = np.array([number], np.int32)
        table = self._index.elements
        table.printed_of(element)
        start = int(table.start[number])
        return start, start + int(table.length[number])

    def length(self, doc: str) -> int | None:
        """Return the characters of a document; None if it is not in the index."""
        number = self._index.document(doc)
        return None if number < 0 else self._index.document_length(number)

    def words(self, doc: str, path: str) -> int | None:
        """Return None: words are not counted here."""
        return None

    def word_span(self, doc: str, path: str) -> tuple[int, int] | None:
        """Return None: words are not counted here."""
        return None
