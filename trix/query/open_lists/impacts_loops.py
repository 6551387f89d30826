"""The compiled loop of `trix.query.open_lists.impacts`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.inverted.by_document import STEPS
from trix.support.backend import kernel

UPWARDS = 1.0 + 2.0**-23
"""What makes a number larger than its rounding to half the digits may make it smaller."""


@kernel
def impact_of(xi_k: Any, reach: Any, kf: Any, xi_c: Any, v: float, b: float, share: float) -> Any:
    """Return what a term weighs at most in any element of a document but the root, and in the root, both without idf.

    It is n over n + v·((1 - b) + b·x/y), but multiplied by y: a division takes as long as all the rest.

    Parameters
    ----------
    xi_k, reach, kf
        Of the term in the document, see `trix.indexer.store.inverted.by_document.DocumentList`.
    xi_c
        Content elements of the document.
    v, b, share
        See `trix.query.open_lists.impacts.ImpactLetters`.
    """
    y, n, held_by = float(reach), np.int64(kf), np.int64(kf) * float(xi_k)
    counted = n * y
    most = counted / (counted + v * ((1.0 - share) * y + share * STEPS))
    return most, held_by / (held_by + v * ((1.0 - b) * xi_k + b * xi_c))


@kernel
def weigh(rows: Any, contents: Any, letters: Any, values: Any) -> None:
    """Fill in the impacts of the rows of a list, rounded upwards."""
    v, b, share = letters
    for row in range(len(rows)):
        xi_c = contents[rows[row, 0]]
        most, whole = impact_of(rows[row, 1], rows[row, 2], rows[row, 3], xi_c, v, b, share)
        values[row, 0], values[row, 1] = most * UPWARDS, whole * UPWARDS
