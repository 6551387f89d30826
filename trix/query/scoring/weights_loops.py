"""Compiled twins of `trix.query.scoring.weights`; the same operations in the same order, so the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel


@kernel
def trix2005(kf: Any, xi_c: Any, xi_k: Any, idf: float, v: float, b: float) -> Any:
    """Return the weights of one term, (n,)."""
    weights = np.zeros(kf.size)
    for i in range(kf.size):
        if kf[i] > 0:
            length = xi_c[i] / max(float(xi_k[i]), 1.0)
            weights[i] = kf[i] / (kf[i] + v * ((1.0 - b) + b * length)) * idf
    return weights


@kernel
def bm25(kf: Any, dl: Any, avgdl: float, idf: float, k1: float, B: float) -> Any:
    """Return the weights of one term, (n,)."""
    weights = np.zeros(kf.size)
    for i in range(kf.size):
        if kf[i] > 0:
            below = kf[i] + k1 * (1.0 - B + B * dl[i] / avgdl)
            weights[i] = kf[i] * (k1 + 1.0) / below * idf
    return weights
