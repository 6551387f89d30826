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
def bm25_of_one(kf: Any, dl: Any, avgdl: float, idf: float, k1: float, B: float) -> Any:
    """Return the weight of a term in one element that holds it."""
    return kf * (k1 + 1.0) / (kf + k1 * (1.0 - B + B * dl / avgdl)) * idf


@kernel
def bm25(kf: Any, dl: Any, avgdl: float, idf: float, k1: float, B: float) -> Any:
    """Return the weights of one term, (n,)."""
    weights = np.zeros(kf.size)
    for i in range(kf.size):
        if kf[i] > 0:
            weights[i] = bm25_of_one(kf[i], dl[i], avgdl, idf, k1, B)
    return weights
