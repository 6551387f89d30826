"""Users who go down a list and stop: rank-biased precision and expected reciprocal rank.

By their names in ir_measures and ranx.
"""

from __future__ import annotations

import numpy as np

from trix.eval.measures.core.parameters import Param, not_negative, share
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.documents.cumulated_gain import gain_vectors
from trix.eval.measures.documents.flat import QUANT, REL, BinaryRanking, hit_measure


@hit_measure(
    "RBP",
    "rank-biased precision: what a user finds who goes on from rank to rank with probability p",
    cutoff="rank",
    params=(Param("p", 0.8, share, "the persistence, in [0, 1]"), REL, QUANT),
    source="Moffat & Zobel 2008",
)
def rank_biased_precision(b: BinaryRanking, k: int | None, *, p: float) -> float:
    """Return (1 - p) Σ_{r relevant} p^(r - 1), what lies below the end of the ranking counting nothing."""
    return float((1 - p) * (p ** np.flatnonzero(b.hits[:k])).sum())


@measure(
    "ERR",
    "expected reciprocal rank of where a user stops, whom a result of grade g satisfies with (2^g - 1)/2^max",
    groups=("flat",),
    cutoff="rank",
    params=(Param("max", 4.0, not_negative, "the highest grade there is (4 as in gdeval and ir_measures)"), QUANT),
    source="Chapelle et al. 2009",
)
def expected_reciprocal_rank(view: TopicView, *, cutoff: int | None, max: float, quant: str | None) -> float:
    """Return Σ_r R_r/r Π_{i<r} (1 - R_i), R = (2^g - 1) / 2^max; a grade above max satisfies as max does."""
    grades = np.minimum(gain_vectors(view, None, quant)[0][:cutoff], max)
    satisfied = (np.exp2(grades) - 1) / np.exp2(max)
    going_on = np.concatenate(([1.0], np.cumprod(1 - satisfied)[:-1])) if len(grades) else np.zeros(0)
    return float((satisfied * going_on / np.arange(1, len(grades) + 1)).sum())
