"""PRUM, EPRUM and GR: precision and recall under a model of user navigation [PRUM; INEX 5.6]."""

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
from trix.eval.measures.elements.discovery import PrumSums, SeenIdeals, sum_over_ranks
from trix.eval.measures.elements.ideal import ideal_base
from trix.eval.measures.elements.recall_base import recall_base, results
from trix.eval.measures.elements.user_models import seen_ideals_of, user_model
from trix.support.arrays import Floats

Values = Callable[[SeenIdeals, PrumSums, float | None], Floats]

_USER = Param("user", "hierarchical", word, "none, hierarchical, t2i:N, t2i-inverse:N or a file", positional=True)
_DIRECT = Param("direct", False, switch, "true if a file of user behaviour holds single steps")
_PARAMS = (
    _USER,
    Param("quant", None, word, "a quantisation"),
    Param("ideal", "piwowarski", word, "piwowarski, kazai, specific or a file"),
    Param("N", None, not_negative, "the number of elements in the collection (inf for no end)"),
    Param("exact", False, switch, "true for the enumeration of all user behaviours instead of the printed equation"),
    _DIRECT,
    Param("normal", None, count, "number of uncertain ideals above which a normal law approximates (10 in the paper)"),
)


def prum(
    seen: SeenIdeals | Floats,
    N: float | None,
    exact: bool = False,
    normal: int | None = None,
    sums: PrumSums | None = None,
) -> Floats:
    """Return the precision at recall r/t for r = 1..t [PRUM, eq. 5].

    Parameters
    ----------
    seen
        P(x in S_i), as a `SeenIdeals` or as the (o + 1, t) matrix for i = 0..o.
    N
        Elements of the collection, of which N - o were not ranked. With inf, recall levels that need them have
        precision 0.
    exact, normal
        As in `trix.eval.measures.elements.discovery.discovery` and `found_distribution`.
    sums
        Result of `trix.eval.measures.elements.discovery.sum_over_ranks`, if it is already known.

    Raises
    ------
    UsageError
        N is unknown, and the list does not reach full recall with certainty.

    Examples
    --------
    The web example of the paper, c d a b with ideals a and b:

    >>> steps = np.array([[.4, .4], [.6, .4], [1., 0.], [0., 1.]])
    >>> seen = 1 - np.vstack((np.ones(2), np.cumprod(1 - steps, axis=0)))
    >>> prum(seen, 4).round(6).tolist(), prum(seen, 4, exact=True).round(6).tolist()
    ([0.691372, 0.635613], [0.691372, 0.646226])
    """
    seen = seen if isinstance(seen, SeenIdeals) else SeenIdeals.of(seen)
    o, t = seen.o, seen.t
    discoveries, consulted, _, distribution = sum_over_ranks(seen, exact, normal) if sums is None else sums
    s = np.arange(t)
    last = np.where(distribution[:t] > 1e-15, distribution[:t], 0.0)  # smaller probabilities are rounding errors
    if bool(last.any()) and N is None:
        raise UsageError("PRUM needs the number of elements in the collection: PRUM(N=100000), or an index")
    # Σ_{s<r} (r - s) P(F_o = s) is a cumulated sum of cumulated sums, also with the weights of unranked elements.
    missing = np.cumsum(np.cumsum(last))
    unranked = math.inf if N is None else max(N - o, 0.0)
    if math.isinf(unranked):
        extra = np.where(missing > 0, np.inf, 0.0)
    else:
        # As in expected search length: relevant and other unranked elements follow in random order.
        weights = 1 + np.maximum(unranked - (t - s), 0.0) / (t - s + 1)
        extra = np.cumsum(np.cumsum(last * weights))
    values: Floats = (np.cumsum(discoveries) + missing) / (np.cumsum(consulted) + extra)
    return values


def eprum(seen: SeenIdeals | Floats, sums: PrumSums | None = None) -> Floats:
    """Return the effort precision at recall r/t for r = 1..t [INEX 5.6].

    It is Σ_i (i*_r / i) (P(F_i >= r) - P(F_{i-1} >= r)). The ideal list reaches r at rank i*_r = r. A run that never
    reaches r contributes 0.

    >>> eprum(np.array([[0.0], [0.0], [1.0]])).tolist()
    [0.5]
    """
    seen = seen if isinstance(seen, SeenIdeals) else SeenIdeals.of(seen)
    return (sum_over_ranks(seen) if sums is None else sums).effort


def at_level(values: Floats, x: float) -> float:
    """Return the highest value over r with r/t >= x (ceiling interpolation).

    >>> at_level(np.array([0.2, 0.6, 0.4]), 0.5), at_level(np.array([0.2, 0.6, 0.4]), 1.0)
    (0.6, 0.4)
    """
    # Recall levels that are equal on paper may differ by rounding, hence the small shift before the ceiling.
    t = len(values)
    return float(values[max(math.ceil(x * t - 1e-9), 1) - 1 :].max())


def seen_ideals(view: TopicView, user: str, quant: str | None, ideal: str, direct: bool) -> SeenIdeals | None:
    """Return P(x in S_i) for a topic; cached; None if the topic has no ideal element."""

    def make() -> SeenIdeals | None:
        # A repeated element shows nothing new and would only lengthen the list.
        one = view.distinct()
        base = recall_base(one, quant)
        if base.judged:  # plain grades have no trees, so all relevant units are ideal
            best = [node for node, value in ideal_base(base, ideal, view.topic).items() if value > 0]
        else:
            best = list(base.q)
        if not best:
            return None
        return seen_ideals_of(results(one), len(best), user_model(user, one, base, best, direct))

    return view.memo(("seen", user, quant, ideal, direct), make)


def _mean_or_level(values: Floats, cutoff: float | None) -> float:
    """Return the value at a recall level; without one the mean over .01, .02, .. 1."""
    if cutoff is not None:
        return at_level(values, cutoff)
    t = len(values)
    above = np.maximum.accumulate(values[::-1])[::-1]  # equals `at_level` at .01, .02, .. 1
    return float(above[np.maximum(np.ceil(np.arange(1, 101) / 100 * t - 1e-9).astype(np.int64), 1) - 1].mean())


def _user_measure(name: str, summary: str, source: str) -> Callable[[Values], Values]:
    """Decorator that registers a function of the seen ideals rank by rank, the sums over ranks, and N."""

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
            # PRUM and EPRUM share the sums, the expensive part of both.
            sums = view.memo(("found", *seeing.items(), exact, normal), lambda: sum_over_ranks(seen, exact, normal))
            return _mean_or_level(values(seen, sums, view.settings.elements if N is None else N), cutoff)

        return values

    return register


@_user_measure(
    "PRUM",
    "precision at recall x for a navigating user; without x the mean over .01, .02, .. 1",
    source="Piwowarski et al. 2007, eq. 5",
)
def prum_measure(seen: SeenIdeals, sums: PrumSums, N: float | None) -> Floats:
    """Return the probability that a consulted element leads to an ideal element not seen before."""
    return prum(seen, N, sums=sums)


@_user_measure(
    "EPRUM", "ideal effort / effort to reach recall x for a navigating user", source="Piwowarski et al. 2007; INEX 2005"
)
def eprum_measure(seen: SeenIdeals, sums: PrumSums, N: float | None) -> Floats:
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
