"""Maximum impacts of terms: the most that each can add to an element of a document, without its idf.

They depend only on the document and the parameters of the model. So they are computed once per list, and a later query
only multiplies.
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
    """Parameters of trix2005 [V, eq. 1], and the share of b at which the reach of a term is known.

    See `trix.indexer.store.inverted.by_document.share_for`.
    """

    v: float
    b: float
    share: float


class Impacts:
    """Maximum impacts of concatenated lists under one model.

    Parameters
    ----------
    letters
        Parameters of the model.
    unit
        Units in which an occurrence is counted.

    Attributes
    ----------
    values : (n, 2) ndarray of float32
        By row, the largest weight in any element but the root, and in the root, both without idf. Values are upper
        bounds up to their rounding.
    end : int
        Rows before it are computed.
    """

    def __init__(self, letters: ImpactLetters, unit: int = 1) -> None:
        self._letters, self._unit = letters, unit
        self.values, self.end = NO_IMPACTS, 0

    def fill(self, spans: Iterable[tuple[int, int]], rows: NDArray[np.int32], contents: Ints) -> None:
        """Compute the impacts of lists.

        Parameters
        ----------
        spans
            First row of each list and the row after its last, ascending.
        rows : (n, 4) ndarray
            See `trix.query.term_cache.lists.ListColumns`.
        contents
            Number of content elements by document.
        """
        if len(self.values) < len(rows):
            # Grow into a new array: a search that holds the old one keeps reading it.
            larger = np.empty((len(rows), 2), np.float32)
            larger[: self.end] = self.values[: self.end]
            self.values = larger
        # A local: `self.end` stays where it was until all rows are computed.
        end = self.end
        for begin, end in spans:
            # Lists are appended, so those before `end` are computed.
            if begin >= self.end:
                max_impacts(rows[begin:end], contents, *self._letters, self._unit, self.values[begin:end])
        # Written last: a thread that reads `end` without the lock finds all rows before it computed.
        self.end = end
