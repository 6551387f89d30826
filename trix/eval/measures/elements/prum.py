"""PRUM, EPRUM and GR: precision and recall with a model of how users navigate [PRUM; INEX 5.6]."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from trix.errors import UsageError
from trix.eval.measures.core.parameters import Param, count, not_negative, switch, word
from trix.eval.measures.core.ranks import continued, rank_measure
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.elements.found import Sight, Sums, walk
from trix.eval.measures.elements.ideal import ideal_base
from trix.eval.measures.elements.recall_base import recall_base, results
from trix.eval.measures.elements.user_models import sight, user_model
from trix.support.arrays import Floats

Values = Callable[[Sight, Sums, float | None], Floats]

_USER = Param("user", "hierarchical", word, "none, hierarchical, t2i:N, t2i-inverse:N or a file", positional=True)
_DIRECT = Param("direct", False, switch, "true if a file of user behaviour holds single steps")
_PARAMS = (
    _USER,
    Param("quant", None, word, "a quantisation"),
    Param("ideal", "piwowarski", word, "piwowarski, kazai, specific or a file"),
    Param("N", None, not_negative, "the number of elements in the collection (inf for no end)"),
    Param("exact", False, switch, "true for the enumeration of all user behaviours instead of the printed equation"),
    _DIRECT,
    Param("normal", None, count, "approximate by a normal law above so many uncertain ideals (10 in the paper)"),
)


def prum(
    seen: Sight | Floats,
    N: float | None,
    exact: bool = False,
    normal: int | None = None,
    sums: Sums | None = None,
) -> Floats:
    """Return the precision at recall r/t for r = 1..t [PRUM, eq. 5].

    Parameters
    ----------
    seen
        P(x in S_i), also as the (o + 1, t) matrix for i = 0..o.
    N
        Elements of the collection, of which N - o were not ranked; inf makes what needs them 0.
    exact, normal
        See `trix.eval.measures.elements.found.discovery` and `found_distribution`.
    sums
        What `trix.eval.measures.elements.found.walk` returned, if it is known.

    Raises
    ------
    UsageError
        N is needed (the list may leave the user wanting) and not known.

    Examples
    --------
    The web example of the paper, c d a b with ideals a and b:

    >>> steps = np.array([[.4, .4], [.6, .4], [1., 0.], [0., 1.]])
    >>> seen = 1 - np.vstack((np.ones(2), np.cumprod(1 - steps, axis=0)))
    >>> prum(seen, 4).round(6).tolist(), prum(seen, 4, exact=True).round(6).tolist()
    ([0.691372, 0.635613], [0.691372, 0.646226])
    """
    seen = seen if isinstance(seen, Sight) else Sight.of(seen)
    o, t = seen.o, seen.t
    news, consulted, _, distribution = walk(seen, exact, normal) if sums is None else sums
    s = np.arange(t)
    last = np.where(distribution[:t] > 1e-15, distribution[:t], 0.0)
    if bool(last.any()) and N is None:
        raise UsageError("PRUM needs the number of elements in the collection: PRUM(N=100000), or an index")
    # Σ_{s<r} (r - s) P(F_o = s) is the sum of the sums to s, and so with the weights of those that are not ranked
    missing = np.cumsum(np.cumsum(last))
    unranked = math.inf if N is None else max(N - o, 0.0)
    if math.isinf(unranked):
        extra = np.where(missing > 0, np.inf, 0.0)
    else:
        weights = 1 + np.maximum(unranked - (t - s), 0.0) / (t - s + 1)
        extra = np.cumsum(np.cumsum(last * weights))
    values: Floats = (np.cumsum(news) + missing) / (np.cumsum(consulted) + extra)
    return values


def eprum(seen: Sight | Floats, sums: Sums | None = None) -> Floats:
    """Return the effort precision at recall r/t for r = 1..t [INEX 5.6].

    Σ_i (i*_r / i) (P(F_i >= r) - P(F_{i-1} >= r)); the ideal list reaches r at rank i*_r = r, and runs that never
    reach r contribute 0.

    >>> eprum(np.array([[0.0], [0.0], [1.0]])).tolist()
    [0.5]
    """
    seen = seen if isinstance(seen, Sight) else Sight.of(seen)
    return (walk(seen) if sums is None else sums).effort


def at_level(values: Floats, x: float) -> float:
    """Return the highest value over r with r/t >= x (ceiling interpolation).

    >>> at_level(np.array([0.2, 0.6, 0.4]), 0.5), at_level(np.array([0.2, 0.6, 0.4]), 1.0)
    (0.6, 0.4)
    """
    t = len(values)
    return float(values[max(math.ceil(x * t - 1e-9), 1) - 1 :].max())


def seen_ideals(view: TopicView, user: str, quant: str | None, ideal: str, direct: bool) -> Sight | None:
    """Return P(x in S_i) for a topic, worked out once; None where there is no ideal element."""

    def make() -> Sight | None:
        one = view.distinct()
        base = recall_base(one, quant)
        if base.judged:
            best = [node for node, value in ideal_base(base, ideal, view.topic).items() if value > 0]
        else:
            best = list(base.q)
        if not best:
            return None
        return sight(results(one), len(best), user_model(user, one, base, best, direct))

    return view.memo(("seen", user, quant, ideal, direct), make)


def _mean_or_level(values: Floats, cutoff: float | None) -> float:
    """Return the value at a level of recall; without one the mean over .01, .02, .. 1."""
    if cutoff is not None:
        return at_level(values, cutoff)
    t = len(values)
    above = np.maximum.accumulate(values[::-1])[::-1]  # `at_level` of .01, .02, .. 1
    return float(above[np.maximum(np.ceil(np.arange(1, 101) / 100 * t - 1e-9).astype(np.int64), 1) - 1].mean())


def _sight_measure(name: str, summary: str, source: str) -> Callable[[Values], Values]:
    """Register a function of what a user sees, rank by rank, of the sums over the ranks, and of N."""

    def register(values: Values) -> Values:
        @measure(name, summary, groups=("prum",), cutoff="recall", params=_PARAMS, source=source)
        @wraps(values)
        def compute(
            view: TopicView, *, cutoff: float | None, exact: bool, normal: int | None, N: float | None, **seeing: Any
        ) -> float | None:
            if exact and normal is not None:
                raise UsageError("PRUM: exact=true and normal=N exclude each other")
            seen = seen_ideals(view, **seeing)
            if seen is None:
                return None
            sums = view.memo(("found", *seeing.items(), exact, normal), lambda: walk(seen, exact, normal))
            return _mean_or_level(values(seen, sums, view.settings.elements if N is None else N), cutoff)

        return values

    return register


@_sight_measure(
    "PRUM",
    "precision at recall x for a navigating user; without x the mean over .01, .02, .. 1",
    source="Piwowarski et al. 2007, eq. 5",
)
def prum_measure(seen: Sight, sums: Sums, N: float | None) -> Floats:
    """Return the probability that an element the user consults leads to an ideal element not seen before."""
    return prum(seen, N, sums=sums)


@_sight_measure(
    "EPRUM", "ideal effort / effort to reach recall x for a navigating user", source="Piwowarski et al. 2007; INEX 2005"
)
def eprum_measure(seen: Sight, sums: Sums, N: float | None) -> Floats:
    """Return the expected ratio of the ranks at which the ideal list and the run reach recall x."""
    return eprum(seen, sums)


@rank_measure(
    "GR",
    "generalised recall: expected share of the ideal elements seen; a vector, or at rank i",
    groups=("prum",),
    params=(_USER, *_PARAMS[1:3], _DIRECT),
    source="Piwowarski et al. 2007; INEX 2005",
)
def generalised_recall(view: TopicView, n: int, **seeing: Any) -> Floats | None:
    """Return E[F_i] / t."""
    seen = seen_ideals(view, **seeing)
    return None if seen is None else continued(seen.expected() / seen.t, n)
