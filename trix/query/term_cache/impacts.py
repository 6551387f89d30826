"""The impacts of terms: what each can give to a document at most, whatever its idf.

That depends on the document and on the letters of the model alone. So it is worked out once for a list, and a query
that asks for the term again has but to multiply.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.core.topk import max_impacts
from trix.support.arrays import Ints

NO_IMPACTS = np.zeros((0, 2), np.float32)


class ImpactLetters(NamedTuple):
    """The letters of trix2005 [V, eq. 1], and the share of b by which the reach of a term is known.

    See `trix.indexer.store.inverted.by_document.share_for`.
    """

    v: float
    b: float
    share: float


class Impacts:
    """The impacts of lists that lie behind one another, under one model.

    Parameters
    ----------
    letters
        Those of the model.
    unit
        Parts of an occurrence that are counted.

    Attributes
    ----------
    values : (n, 2) ndarray of float32
        Of each row the most that the term weighs in any element but the root, and in the root, both without idf; not
        less than they are, but by their rounding.
    end : int
        Before this row those of all lists are there.
    """

    def __init__(self, letters: ImpactLetters, unit: int = 1) -> None:
        self._letters, self._unit = letters, unit
        self.values, self.end = NO_IMPACTS, 0

    def fill(self, spans: Iterable[tuple[int, int]], rows: NDArray[np.int32], contents: Ints) -> None:
        """Work out the impacts of lists.

        Parameters
        ----------
        spans
            Of each list its first row and the one behind its last, ascending.
        rows : (n, 4) ndarray
            See `trix.query.term_cache.lists.ListColumns`.
        contents
            How many content elements each document has.
        """
        if len(self.values) < len(rows):
            larger = np.empty((len(rows), 2), np.float32)
            larger[: self.end] = self.values[: self.end]
            self.values = larger
        end = self.end
        for begin, end in spans:
            if begin >= self.end:
                max_impacts(rows[begin:end], contents, *self._letters, self._unit, self.values[begin:end])
        self.end = end  # last: who reads it beside finds all before it
