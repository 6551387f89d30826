"""Judged units as element numbers, so that rankings are judged without element paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.eval.measures.documents.flat import NOT_JUDGED, FlatRanking
from trix.indexer.store.files import IndexFiles
from trix.query.naming.names import Finder, Namer
from trix.support.element_path import normal_path, split_unit


class UnitNumbers:
    """Mapping between units and element numbers.

    Parameters
    ----------
    index
        Index of the elements.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index, self._namer, self._finder = index, Namer(index), Finder(index)

    def numbers(self, units: Iterable[str]) -> dict[str, int]:
        """Return unit -> element number, for units that are elements of the index.

        A unit without a path is the root of its document.
        """
        found = {}
        documents: dict[str, int] = {}
        for unit in units:
            doc, path = split_unit(unit)
            if doc not in documents:
                documents[doc] = self._index.document(doc)
            document = documents[doc]
            if document < 0:
                continue
            number = self._finder.element(document, normal_path(path) if path else "")
            if number >= 0:
                found[unit] = number
        return found

    def paths(self, elements: NDArray[Any]) -> list[str]:
        """Return the paths of elements, of one or several documents."""
        return [normal_path(path) for path in self._namer.names(elements, self._index.documents_of(elements))[1]]


class JudgedElements:
    """Grades of one topic, by element number.

    Parameters
    ----------
    grades
        Unit -> grade.
    numbers
        Unit -> element number; units without one count as relevant but are never retrieved.

    Attributes
    ----------
    elements
        Known element numbers, ascending.
    """

    def __init__(self, grades: Mapping[str, float], numbers: Mapping[str, int]) -> None:
        self.pool = np.fromiter(grades.values(), np.float64, len(grades))
        known = sorted((numbers[unit], grade) for unit, grade in grades.items() if unit in numbers)
        self.elements = np.array([number for number, _ in known], np.int64)
        self._grades = np.array([grade for _, grade in known], np.float64)

    def judge(self, ranking: NDArray[np.int32]) -> FlatRanking:
        """Return the grades of elements in rank order, as `flat.flat` does for units."""
        ties = np.arange(len(ranking), dtype=np.int64)
        if not len(self.elements):
            return FlatRanking(np.full(len(ranking), NOT_JUDGED), self.pool, ties)
        places = np.minimum(np.searchsorted(self.elements, ranking), len(self.elements) - 1)
        judged = self.elements[places] == ranking
        return FlatRanking(np.where(judged, self._grades[places], NOT_JUDGED), self.pool, ties)
