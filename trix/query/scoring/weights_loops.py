"""Compiled twins of `trix.query.scoring.weights`; the same operations in the same order, so the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel


@kernel
def trix2005_of_one(kf: Any, xi_c: float, xi_k: Any, idf: float, v: float, b: float) -> Any:
    """Return the weight of a term in one element that holds it."""
    length = xi_c / max(float(xi_k), 1.0)
    return kf / (kf + v * ((1.0 - b) + b * length)) * idf


@kernel
def trix2005(kf: Any, xi_c: Any, xi_k: Any, idf: float, v: float, b: float) -> Any:
    """Return the weights of one term, (n,)."""
    weights = np.zeros(kf.size)
    for i in range(kf.size):
        if kf[i] > 0:
            weights[i] = trix2005_of_one(kf[i], xi_c[i], xi_k[i], idf, v, b)
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
