"""The compiled loop of `trix.query.open_lists.impacts`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.inverted.by_document import STEPS
from trix.support.backend import kernel

UPWARDS = 1.0 + 2.0**-23
"""What makes a number larger than its rounding to half the digits may make it smaller."""


@kernel
def weigh(rows: Any, contents: Any, letters: Any, values: Any) -> None:
    """Fill in what a term weighs in the documents of a list at most, beside idf.

    It is n over n + v·((1 - b) + b·x/y), but multiplied by y: a division takes as long as all the rest.
    """
    v, b, share = letters
    for row in range(len(rows)):
        xi_k, reach, n = rows[row, 1], float(rows[row, 2]), np.int64(rows[row, 3])
        held_by, counted = n * float(xi_k), n * reach
        most = counted / (counted + v * ((1.0 - share) * reach + share * STEPS))
        whole = held_by / (held_by + v * ((1.0 - b) * xi_k + b * contents[rows[row, 0]]))
        values[row, 0], values[row, 1] = most * UPWARDS, whole * UPWARDS
