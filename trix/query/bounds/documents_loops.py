"""The compiled loop of `trix.query.bounds.documents`, for trix2005, whose terms are added up."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel


@kernel
def add_trix2005(
    documents: Any, kf: Any, xi_k: Any, reach: Any, contents: Any, idf: float, v: float, b: float, share: float,
    steps: int, count: float, sign: int, root: Any, rest: Any, low: Any,
) -> None:  # fmt: skip
    """Add what one term can weigh to the spans; twin: the loop over terms in `basic_spans`.

    Its sign is 1, 0 or -1.
    """
    for i in range(documents.size):
        d = documents[i]
        counted = kf[i] / ((1.0 - share) + share * (steps / reach[i]))
        most = counted / (counted + v) * idf
        whole = kf[i] / (kf[i] + v * ((1.0 - b) + b * (contents[d] / float(xi_k[i])))) * idf
        if sign < 0:
            low[d] -= most * count
            root[d] -= whole * count
        elif sign > 0:
            rest[d] += np.sqrt(most) * count
            root[d] += np.sqrt(whole) * count
        else:
            rest[d] += most * count
            root[d] += whole * count
