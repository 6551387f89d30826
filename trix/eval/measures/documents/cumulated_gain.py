"""Rank-discounted gain: cumulated gain [JK00, JK02], rank-biased precision, expected reciprocal rank.

Vectors have one value per rank. The ideal vector is the recall base in descending order of gain, followed by zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.eval.measures.core.parameters import Param, base, choice, not_negative, pairs, share, switch
from trix.eval.measures.core.ranks import at_rank, cumulated, rank_measure, ranks, ratio
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.documents.flat import QUANT, REL, BinaryRanking, flat, hit_measure
from trix.support.arrays import Floats

GainMap = tuple[tuple[float, float], ...] | None

BASE = Param("b", 2.0, base, "the base of the logarithm, above 1 (or e)")


def _read_dcg(text: str) -> str:
    """Read the parameter ``dcg`` of ir_measures."""
    try:
        return {"log2": "trec", "exp-log2": "exp"}[text.strip("'\"")]
    except KeyError:
        raise ValueError(text) from None


FORMS = ("jk02", "jk00", "trec", "exp")
FORM = Param(
    "form",
    "jk02",
    choice(*FORMS),
    "jk02 (rank 1 to b in full, then log_b(rank)), jk00 (only rank 1 in full), trec (log2(rank + 1), the form of "
    "trec_eval and ir_measures; theirs is also dcg=log2), exp (trec with gains 2^grade - 1; also dcg=exp-log2)",
    positional=True,
    also=(("dcg", _read_dcg),),
)
GAIN = Param("gain", None, pairs, "a map of grades to gains, such as 0:0,1:1,2:10,3:100")
IDEAL = Param("ideal", False, switch, "true for the ideal vector instead of the run's")


def discount(n: int, b: float = 2.0, form: str = "jk02") -> Floats:
    """Return the divisor of the gain at each rank 1..n.

    ``jk02`` is 1 for i < b and log_b(i) from i = b on [JK02]. ``jk00`` is 1 at rank 1 and log_b(i) from rank 2 on
    [JK00, eq. 2]. They are equal for b = 2. ``trec`` and ``exp`` are log2(i + 1).

    >>> discount(4).round(3).tolist()
    [1.0, 1.0, 1.585, 2.0]
    >>> discount(3, 10, "jk00").round(3).tolist()
    [1.0, 0.301, 0.477]
    """
    ranks = np.arange(1, n + 1, dtype=np.float64)
    if form in ("trec", "exp"):
        return np.log2(ranks + 1)
    # log2 is exact for powers of 2; a quotient of logarithms is not.
    logs = np.log2(ranks) if b == 2 else np.log(ranks) / np.log(b)
    undiscounted = ranks < b if form == "jk02" else ranks < 2
    return np.where(undiscounted, 1.0, logs)


def discounted(gains: Floats, n: int, b: float = 2.0, form: str = "jk02") -> Floats:
    """Return the cumulated sum of n discounted gains [JK00, eq. 2; JK02]. With ``form=exp`` a gain g becomes 2^g - 1.

    >>> discounted(np.array([3., 2., 3., 0., 0., 1., 2., 2., 3., 0.]), 10).round(2).tolist()
    [3.0, 5.0, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    >>> discounted(np.array([3., 1.]), 3, form="exp").round(4).tolist()
    [7.0, 7.6309, 7.6309]
    """
    first = gains[:n]
    if form == "exp":
        first = np.exp2(first) - 1.0
    return cumulated(first / discount(len(first), b, form), n)


def gain_vectors(view: TopicView, gain: GainMap, quant: str | None) -> tuple[Floats, Floats]:
    """Return the gains of the run in rank order and those of the ideal ranking (above 0, descending)."""

    def make() -> tuple[Floats, Floats]:
        ranked = flat(view, quant)
        run, pool = _mapped(ranked.grades, gain), _mapped(ranked.pool, gain)
        return run, np.sort(pool[pool > 0])[::-1]

    return view.memo(("gains", gain, quant), make)


def _mapped(grades: Floats, gain: GainMap) -> Floats:
    if gain is None:
        return np.maximum(grades, 0.0)  # unjudged units gain nothing
    mapped = np.zeros(len(grades))
    for grade, value in gain:
        mapped[grades == grade] = value
    return mapped


@rank_measure(
    "CG",
    "cumulated gain, a vector over ranks or its value at k",
    groups=("flat",),
    params=(GAIN, QUANT, IDEAL),
    source="Järvelin & Kekäläinen 2000, eq. 1",
)
def cg(view: TopicView, n: int, *, gain: GainMap, quant: str | None, ideal: bool) -> Floats:
    """Return CG[i] = Σ_{j<=i} G[j]."""
    return cumulated(gain_vectors(view, gain, quant)[ideal], n)


@rank_measure(
    "DCG",
    "discounted cumulated gain, a vector over ranks or its value at k",
    groups=("flat",),
    params=(BASE, FORM, GAIN, QUANT, IDEAL),
    source="Järvelin & Kekäläinen 2002; 2000, eq. 2",
)
def dcg(view: TopicView, n: int, *, b: float, form: str, gain: GainMap, quant: str | None, ideal: bool) -> Floats:
    """Return DCG[i] = Σ_{j<=i} G[j] / discount[j]."""
    return discounted(gain_vectors(view, gain, quant)[ideal], n, b, form)


@rank_measure(
    "nCG",
    "cumulated gain divided by the ideal's, rank by rank",
    groups=("flat",),
    params=(GAIN, QUANT),
    source="Järvelin & Kekäläinen 2002",
)
def ncg(view: TopicView, n: int, *, gain: GainMap, quant: str | None) -> Floats:
    """Return nCG[i] = CG[i] / ideal CG[i]."""
    run, ideal = gain_vectors(view, gain, quant)
    return ratio(cumulated(run, n), cumulated(ideal, n))


@measure(
    "nDCG",
    "discounted cumulated gain divided by the ideal's, rank by rank; trec_eval's and ir_measures' is nDCG(trec)@k",
    groups=("flat",),
    cutoff="rank",
    params=(BASE, FORM, GAIN, QUANT),
    source="Järvelin & Kekäläinen 2002",
)
def ndcg(view: TopicView, *, cutoff: int | None, b: float, form: str, gain: GainMap, quant: str | None) -> Any:
    """Return nDCG[i] = DCG[i] / ideal DCG[i].

    With ``form=trec`` or ``exp`` and no cut-off, it is the single number ndcg of trec_eval: the whole ranking against
    the whole recall base.
    """
    run, ideal = gain_vectors(view, gain, quant)
    if form in ("trec", "exp") and cutoff is None:
        best = discounted(ideal, max(len(ideal), 1), b, form)[-1]
        return float(discounted(run, len(run), b, form)[-1] / best) if len(run) and best else 0.0
    n = ranks(view, cutoff)
    return at_rank(ratio(discounted(run, n, b, form), discounted(ideal, n, b, form)), cutoff)


def _reach(curves: Floats, k: int) -> tuple[float, dict[str, float]]:
    """Return the rank at which the run's curve reaches the ideal value at k, NaN if never, and the gaps at k.

    >>> _reach(np.array([[1., 2., 4.], [3., 4., 4.]]), 2)
    (3.0, {'gap': 2.0, 'gap%': 50.0, 'flat': 2.0})
    """
    run, ideal = curves
    k = min(k, len(run))
    # Curves are sums of floats: values that are equal on paper may differ in their last digits.
    target, tolerance = ideal[k - 1], 1e-12 * max(1.0, float(ideal[-1]))
    reached = np.flatnonzero(run >= target - tolerance)
    gap = float(target - run[k - 1])
    turn = int(np.flatnonzero(ideal >= ideal[-1] - tolerance)[0]) + 1  # from here the ideal gains nothing
    rank = float(reached[0] + 1) if len(reached) and target > 0 else float("nan")
    return rank, {"gap": gap, "gap%": 100 * gap / float(target) if target else 0.0, "flat": float(turn)}


@measure(
    "ranks-for-gain",
    "rank where the run's mean curve reaches the mean ideal's value at k (nan: never)",
    groups=("flat",),
    cutoff="rank",
    cutoff_needed=True,
    params=(
        Param("curve", "CG", choice("CG", "DCG"), "CG or DCG", positional=True),
        BASE,
        Param("form", "jk02", choice(*FORMS), FORM.summary),
        GAIN,
        QUANT,
    ),
    higher=False,
    finish=_reach,
    source="Järvelin & Kekäläinen 2000",
)
def ranks_for_gain(
    view: TopicView, *, cutoff: int, curve: str, b: float, form: str, gain: GainMap, quant: str | None
) -> Floats:
    """Return the two curves, (2, n): the run's and the ideal's.

    `_reach` finds the rank from the means of the curves.
    """
    run, ideal = gain_vectors(view, gain, quant)
    # Vectors of one length for all topics, so that they can be averaged.
    n = max(view.depth, len(view.ranking), cutoff)
    if curve == "CG":
        return np.vstack((cumulated(run, n), cumulated(ideal, n)))
    return np.vstack((discounted(run, n, b, form), discounted(ideal, n, b, form)))


@hit_measure(
    "RBP",
    "rank-biased precision: expected gain of a user who continues to the next rank with probability p",
    cutoff="rank",
    params=(Param("p", 0.8, share, "the persistence, in [0, 1]"), REL, QUANT),
    source="Moffat & Zobel 2008",
)
def rank_biased_precision(b: BinaryRanking, k: int | None, *, p: float) -> float:
    """Return (1 - p) Σ_{r relevant} p^(r - 1); ranks after the end of the ranking count 0."""
    return float((1 - p) * (p ** np.flatnonzero(b.hits[:k])).sum())


@measure(
    "ERR",
    "expected reciprocal of the rank where a user stops; a result of grade g satisfies with (2^g - 1)/2^max",
    groups=("flat",),
    cutoff="rank",
    params=(Param("max", 4.0, not_negative, "the highest grade there is (4 as in gdeval and ir_measures)"), QUANT),
    source="Chapelle et al. 2009",
)
def expected_reciprocal_rank(view: TopicView, *, cutoff: int | None, max: float, quant: str | None) -> float:
    """Return Σ_r R_r/r Π_{i<r} (1 - R_i), R = (2^g - 1) / 2^max; grades above max count as max."""
    grades = np.minimum(gain_vectors(view, None, quant)[0][:cutoff], max)
    satisfied = (np.exp2(grades) - 1) / np.exp2(max)
    # Probability of reaching each rank: no earlier result satisfied the user.
    going_on = np.concatenate(([1.0], np.cumprod(1 - satisfied)[:-1])) if len(grades) else np.zeros(0)
    return float((satisfied * going_on / np.arange(1, len(grades) + 1)).sum())
