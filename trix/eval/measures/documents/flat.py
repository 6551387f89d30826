"""Flat measures of rankings of graded units [EVALUATION 3].

They agree with trec_eval to 1e-9 under its tie rule, which `Settings.trec_ties` selects. By default the order is the
ranking's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.eval.data.qrels import TopicJudgements
from trix.eval.data.quantisation import default_for, quantisation
from trix.eval.data.runs import Ranking
from trix.eval.measures.core.parameters import Param, Rel, alone, at_least, count, not_negative, word
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView

REL = Param(
    "rel", None, at_least, "a grade: rel=G it and above (default: above 0), level=G it alone", also=(("level", alone),)
)
QUANT = Param("quant", None, word, "a quantisation (see below), for assessments that are no plain grades")

NOT_JUDGED = -np.inf

Compute = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class FlatRanking:
    """Grades of a ranking.

    Attributes
    ----------
    grades
        (n,) grade of each result in rank order, `NOT_JUDGED` if it has none.
    pool
        Grades of all judged units.
    tie_groups
        (n,) number of each result's tie group, ascending.
    """

    grades: NDArray[np.float64]
    pool: NDArray[np.float64]
    tie_groups: NDArray[np.int64]


def flat(view: TopicView, quant: str | None = None) -> FlatRanking:
    """Return the ranking of a topic as grades; cached."""
    return view.memo(("flat", quant), lambda: _flat(view, quant))


def _flat(view: TopicView, quant: str | None) -> FlatRanking:
    pool = view.memo(("pool", quant), lambda: unit_grades(view, quant))
    ranking = view.ranking
    if view.settings.unit_form == "documents" and (ranking.paths is not None or ranking.starts is not None):
        ranking = first_of_each_document(ranking)
        units = ranking.docs
    else:
        ranking = view.distinct().ranking
        units = ranking.units()
    ties = ranking.tie_groups(view.settings.ties)
    if view.settings.trec_ties and ranking.scores is not None:
        order = trec_order(units, ranking.scores)
        units = [units[i] for i in order]
        ties = np.arange(len(units))  # trec_eval breaks all ties
    get = pool.get
    found = np.array([get(unit, NOT_JUDGED) for unit in units], np.float64)
    return FlatRanking(found, np.fromiter(pool.values(), np.float64, len(pool)), ties)


def first_of_each_document(ranking: Ranking) -> Ranking:
    """Return the first row of each document."""
    n = len(ranking)
    # In reverse, so that the first row of a document overwrites its later ones.
    first = dict(zip(reversed(ranking.docs), range(n - 1, -1, -1), strict=True))
    return ranking if len(first) == n else ranking.take(sorted(first.values()))


def unit_grades(view: TopicView, quant: str | None = None) -> dict[str, float]:
    """Return unit -> grade: plain grades, densities of documents, or quantised values of elements."""
    judged: TopicJudgements = view.judged
    if judged.grades:
        return judged.grades
    if view.settings.unit_form == "documents" and not any(d.elements for d in judged.documents.values()):
        return {doc: d.density if d.length else float(d.relevant) for doc, d in judged.documents.items()}
    found = {}
    for doc, document in judged.documents.items():
        best = 0.0
        for path, element in document.elements.items():
            rule = quantisation(quant, view.settings.quantisations) if quant else default_for(element.kind)
            value = rule(element)
            found[doc + path] = value
            best = max(best, value)
        found.setdefault(doc, best)  # a document is as relevant as its best element
    if view.settings.unit_form == "elements":
        for doc in judged.documents:
            del found[doc]
    return found


def trec_order(units: list[str], scores: NDArray[np.float64]) -> list[int]:
    """Return the row order of trec_eval: score descending in single precision, then unit descending.

    >>> trec_order(["a", "b", "c"], np.array([1.0, 1.0, 2.0]))
    [2, 1, 0]
    """
    single = scores.astype(np.float32)  # as trec_eval reads scores: more of them tie than in doubles
    order: list[int] = np.argsort(-single, kind="stable").tolist()
    ranked = single[order]
    # Sort units within each run of equal scores only; most scores are distinct.
    edges = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1], [True])))
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if end - begin > 1:
            order[begin:end] = sorted(order[begin:end], key=lambda i: units[i], reverse=True)
    return order


def is_relevant(values: NDArray[np.float64], rel: Rel | None) -> NDArray[np.bool_]:
    """Return a mask of the grades that count as relevant: above 0, or selected by ``rel``."""
    if rel is None:
        return values > 0
    return values == rel.grade if rel.operator == "=" else values >= rel.grade


@dataclass(frozen=True, slots=True)
class BinaryRanking:
    """Hits of a ranking.

    Attributes
    ----------
    hits
        (n,) whether each result is relevant.
    R, N
        Number of relevant units, and of units judged non-relevant.
    nonrelevant
        (n,) whether each result is judged non-relevant.
    pooled
        (n,) whether each result has a grade, including grade -1 for pooled but unjudged units.
    """

    hits: NDArray[np.bool_]
    R: int
    nonrelevant: NDArray[np.bool_]
    N: int
    pooled: NDArray[np.bool_]

    @property
    def found(self) -> int:
        """Return the number of relevant units retrieved."""
        return int(self.hits.sum())


def binary(view: TopicView, rel: Rel | None, quant: str | None) -> BinaryRanking | None:
    """Return the ranking of a topic as hits; None if no unit is relevant under ``rel``."""

    def make() -> BinaryRanking | None:
        ranked = flat(view, quant)
        relevant = is_relevant(ranked.pool, rel)
        R = int(relevant.sum())
        if not R:
            return None
        hits = is_relevant(ranked.grades, rel)
        # Grade -1 means pooled but not judged, as in trec_eval: neither relevant nor non-relevant.
        judged_not = (ranked.grades >= 0) & ~hits
        return BinaryRanking(
            hits, R, judged_not, int(((ranked.pool >= 0) & ~relevant).sum()), np.isfinite(ranked.grades)
        )

    return view.memo(("binary", rel, quant), make)


def hit_measure(name: str, summary: str, **details: Any) -> Callable[[Compute], Compute]:
    """Decorator that registers a function of a `BinaryRanking`, the cut-off ``k`` if any, and further parameters.

    The measure takes ``rel`` and ``quant``, and is undefined for topics without relevant units. The keywords are the
    fields of `trix.eval.measures.core.registry.Spec`.
    """
    details = {"groups": ("flat",), "params": (REL, QUANT), "source": "trec_eval"} | details

    def register(value: Compute) -> Compute:
        @measure(name, summary, **details)
        @wraps(value)
        def compute(view: TopicView, *, cutoff: float | None, rel: Rel | None, quant: str | None, **more: Any) -> Any:
            b = binary(view, rel, quant)
            return None if b is None else value(b, *([cutoff] if "cutoff" in details else []), **more)

        return value

    return register


@hit_measure("P", "share of relevant units among the first k (without k: of all retrieved)", cutoff="rank")
def precision(b: BinaryRanking, k: int | None) -> float:
    """Return relevant(k) / k; ranks after the end of the ranking count as non-relevant."""
    k = k or len(b.hits)
    return float(b.hits[:k].sum()) / k if k else 0.0


@hit_measure("R", "share of the relevant units that are among the first k", cutoff="rank")
def recall(b: BinaryRanking, k: int | None) -> float:
    """Return relevant(k) / R."""
    return float(b.hits[:k].sum()) / b.R


def f_measure(p: float, r: float, beta: float = 1.0) -> float:
    """Return (1 + b²) P R / (b² P + R), 0 if both are 0.

    >>> f_measure(0.5, 1.0), f_measure(0.0, 0.0)
    (0.6666666666666666, 0.0)
    """
    return (1 + beta * beta) * p * r / (beta * beta * p + r) if p or r else 0.0


@hit_measure("F1", "harmonic mean of precision and recall at k", cutoff="rank")
def f1(b: BinaryRanking, k: int | None) -> float:
    """Return 2PR / (P + R) at k, 0 if both are 0."""
    return f_measure(precision(b, k), recall(b, k))


@hit_measure("Rprec", "precision at R, the number of relevant units")
def r_precision(b: BinaryRanking) -> float:
    """Return relevant(R) / R."""
    return float(b.hits[: b.R].sum()) / b.R


@hit_measure(
    "AP", "mean of the precisions at every relevant unit, 0 for those not retrieved; its mean is MAP", cutoff="rank"
)
def average_precision(b: BinaryRanking, k: int | None) -> float:
    """Return (1/R) Σ_{r relevant} P(r), not interpolated."""
    ranks = np.flatnonzero(b.hits[:k]) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).sum()) / b.R


@hit_measure("GMAP", "geometric mean of AP over topics, none below 0.00001", aggregate="gmean")
def geometric_average_precision(b: BinaryRanking) -> float:
    """Return AP of the topic; over topics exp(mean ln max(AP, 1e-5))."""
    return float(average_precision(b, None))


@hit_measure("RR", "1 / rank of the first relevant unit", cutoff="rank")
def reciprocal_rank(b: BinaryRanking, k: int | None) -> float:
    """Return 1/r of the first relevant unit, 0 if there is none (before k)."""
    ranks = np.flatnonzero(b.hits[:k])
    return 1.0 / float(ranks[0] + 1) if len(ranks) else 0.0


@hit_measure("bpref", "judged non-relevant units ranked above relevant ones")
def binary_preference(b: BinaryRanking) -> float:
    """Return (1/R) Σ_{r relevant} 1 - min(n above r, R) / min(R, N), n the judged non-relevant."""
    # Only the first R judged non-relevant units count, and at most N exist.
    above = np.cumsum(b.nonrelevant)[b.hits]
    bound = min(b.R, b.N)
    lost = np.minimum(above, b.R) / bound if bound else np.zeros(len(above))
    return float((1.0 - lost).sum()) / b.R


@hit_measure("iPR", "interpolated precision at recall 0, .1, .. 1 (11 points)", cutoff="recall")
def interpolated_precision(b: BinaryRanking, level: float | None) -> NDArray[np.float64] | float:
    """Return the maximum of P(r) over ranks with recall >= x.

    Recall x is reached with trunc(x R + 0.9) relevant units, in doubles, as in trec_eval.
    """
    # The best precision at this rank or any later one, by a running maximum from the end.
    found = np.cumsum(b.hits)
    best = np.maximum.accumulate((found / np.arange(1, len(found) + 1))[::-1])[::-1]
    values = []
    for x in [i / 10 for i in range(11)] if level is None else [level]:
        # The shift by 0.9 reproduces the rounding of trec_eval, also for x R that is not whole.
        rank = int(np.searchsorted(found, int(x * b.R + 0.9)))
        values.append(float(best[rank]) if rank < len(best) else 0.0)
    return np.array(values) if level is None else values[0]


@hit_measure("success", "1 if any of the first k is relevant", cutoff="rank")
def success(b: BinaryRanking, k: int | None) -> float:
    """Return 1 if a relevant unit is among the first k, else 0."""
    return float(b.hits[:k].any())


@measure(
    "ESL",
    "expected search length: non-relevant units seen before the r-th relevant one",
    groups=("flat",),
    params=(
        Param("r", 1, count, "a number of relevant units, from 1 on", positional=True),
        REL,
        QUANT,
        Param("N", None, not_negative, "the number of units in the collection"),
    ),
    higher=False,
    source="Cooper 1968",
)
def expected_search_length(
    view: TopicView, *, cutoff: None, r: int, rel: Rel | None, quant: str | None, N: float | None
) -> float | None:
    """Return j + s i / (k + 1) for the tie group with the r-th relevant unit.

    The group has k relevant and i non-relevant units. j non-relevant units precede it, and s relevant ones are still
    needed. If the ranking has fewer than r relevant units, the unretrieved units are the last group: of the collection
    if N is known, else of the judged units. Topics with fewer than r relevant units are left out.
    """
    b = binary(view, rel, quant)
    if b is None or r > b.R:  # fewer than r exist: no search would end
        return None
    groups = flat(view, quant).tie_groups
    found = np.cumsum(b.hits)
    if len(found) and int(found[-1]) >= r:
        group = groups == groups[int(np.searchsorted(found, r))]
        before = groups < groups[group][0]
        k, i = int((group & b.hits).sum()), int((group & ~b.hits).sum())
        return search_length(int((before & ~b.hits).sum()), i, k, r - int((before & b.hits).sum()))
    # The r-th relevant unit is not retrieved: the search goes on in a random order of all other units.
    retrieved = int(found[-1]) if len(found) else 0
    k = b.R - retrieved
    total = N if N is not None else view.settings.elements
    rest: float = b.N - int(b.nonrelevant.sum()) if total is None else total - len(b.hits) - k
    return search_length(len(b.hits) - retrieved, max(rest, 0), k, r - retrieved)


def search_length(j: int, i: float, k: int, s: int) -> float:
    """Return j + s i / (k + 1) [Cooper 1968].

    >>> search_length(3, 4, 1, 1)
    5.0
    """
    return j + s * i / (k + 1)
