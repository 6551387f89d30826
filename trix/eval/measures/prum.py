"""PRUM, EPRUM and GR: precision and recall with a model of how users navigate [PRUM; INEX 5.6]."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError
from trix.eval.measures.ideal import ideal_base
from trix.eval.measures.parameters import Param, not_negative, switch, word
from trix.eval.measures.recall_base import recall_base, results
from trix.eval.measures.registry import measure
from trix.eval.measures.user_models import sight, user_model
from trix.eval.measures.view import View

Vector = NDArray[np.float64]

_USER = Param("user", "hierarchical", word, "none, hierarchical, t2i:N, t2i-inverse:N or a file", positional=True)
_PARAMS = (
    _USER,
    Param("quant", None, word, "a quantisation"),
    Param("ideal", "piwowarski", word, "piwowarski, kazai, specific or a file"),
    Param("N", None, not_negative, "the number of elements in the collection (inf for no end)"),
    Param("exact", False, switch, "true for the enumeration of all user behaviours instead of the printed equation"),
    Param("direct", False, switch, "true if a file of user behaviour holds single steps"),
)


def found_distribution(p: Vector) -> Vector:
    """Return P(F = s) for s = 0..t: how many of t independent events happen [PRUM, eq. 7].

    Quadratic in the number of events that are neither certain nor impossible.

    >>> found_distribution(np.array([0.5, 1.0, 0.5, 0.0])).tolist()
    [0.0, 0.25, 0.5, 0.25, 0.0]
    """
    open_ones = p[(p > 0) & (p < 1)]
    certain = int((p == 1).sum())
    found = np.zeros(len(p) + 1)
    found[certain : certain + len(open_ones) + 1] = product_coefficients(open_ones, 1 - open_ones)
    return found


def product_coefficients(a: Vector, b: Vector) -> Vector:
    """Return the coefficients of Π_x (a_x z + b_x), by ascending power of z."""
    coefficients = np.zeros(len(a) + 1)
    coefficients[0] = 1.0
    for k in range(len(a)):
        coefficients[1 : k + 2] = coefficients[1 : k + 2] * b[k] + coefficients[: k + 1] * a[k]
        coefficients[0] *= b[k]
    return coefficients


def without_each(distribution: Vector, p: Vector) -> Vector:
    """Return P(F = s | x unseen) for some x and s = 0..t-1: the distribution over the others.

    The factor (1 - p + p z) is divided out of the distribution, from the end at which that is stable.

    Parameters
    ----------
    distribution
        (t + 1,) over all.
    p
        (k,) probability of each x that is left out.

    Examples
    --------
    >>> without_each(found_distribution(np.array([0.25, 0.5])), np.array([0.25, 0.5])).tolist()
    [[0.5, 0.5], [0.75, 0.25]]
    """
    t = len(distribution) - 1
    found = np.zeros((len(p), t))
    low = p < 0.5
    if bool(low.any()):
        q, carry = p[low], np.zeros(int(low.sum()))
        for s in range(t):
            carry = (distribution[s] - q * carry) / (1 - q)
            found[low, s] = carry
    if not bool(low.all()):
        q, carry = p[~low], np.zeros(int((~low).sum()))
        for s in range(t, 0, -1):
            carry = (distribution[s] - (1 - q) * carry) / q
            found[~low, s - 1] = carry
    return np.clip(found, 0.0, 1.0)


def discovery(before: Vector, after: Vector, distribution: Vector, exact: bool) -> Vector:
    """Return P(F_{i-1} = s, and rank i shows something new) for s = 0..t-1 [PRUM, eq. 8].

    ``exact`` drops hypothesis 2.3 (independence of the discoveries): it is P(F_{i-1} = s) minus the coefficient of
    z^s in Π_x (p_{i-1}(x) z + 1 - p_i(x)).
    """
    t = len(before)
    if exact:
        return distribution[:t] - product_coefficients(before, 1 - after)[:t]
    grows = after > before
    others = np.repeat(distribution[None, :t], int(grows.sum()), axis=0)  # right where x could not be seen before
    known = before[grows] > 0
    if bool(known.any()):
        others[known] = without_each(distribution, before[grows][known])
    happens = distribution[:t] > 0
    ratio = np.divide(
        (after - before)[grows, None] * others,
        distribution[None, :t],
        out=np.zeros(others.shape),
        where=happens[None, :],
    )
    return np.where(happens, distribution[:t] * (1 - np.prod(1 - np.clip(ratio, 0.0, 1.0), axis=0)), 0.0)


def prum(seen: Vector, N: float | None, exact: bool = False) -> Vector:
    """Return the precision at recall r/t for r = 1..t [PRUM, eq. 5].

    Parameters
    ----------
    seen
        (o + 1, t) P(x in S_i) for i = 0..o.
    N
        Elements of the collection, of which N - o were not ranked; inf makes what needs them 0.
    exact
        See `discovery`.

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
    o, t = seen.shape[0] - 1, seen.shape[1]
    news, consulted = np.zeros(t), np.zeros(t)
    distribution = found_distribution(seen[0])
    for i in range(1, o + 1):
        consulted += distribution[:t]
        if bool((seen[i] != seen[i - 1]).any()):
            news += discovery(seen[i - 1], seen[i], distribution, exact)
            distribution = found_distribution(seen[i])
    s, r = np.arange(t), np.arange(1, t + 1)
    last = np.where(distribution[:t] > 1e-15, distribution[:t], 0.0)
    missing = np.maximum(r[:, None] - s[None, :], 0) * last[None, :]
    if bool(last.any()) and N is None:
        raise UsageError("PRUM needs the number of elements in the collection: PRUM(N=100000), or an index")
    unranked = math.inf if N is None else max(N - o, 0.0)
    if math.isinf(unranked):
        extra = np.where(missing.sum(axis=1) > 0, np.inf, 0.0)
    else:
        extra = (missing * (1 + np.maximum(unranked - (t - s), 0.0) / (t - s + 1))).sum(axis=1)
    values: Vector = (np.cumsum(news) + missing.sum(axis=1)) / (np.cumsum(consulted) + extra)
    return values


def eprum(seen: Vector) -> Vector:
    """Return the effort precision at recall r/t for r = 1..t [INEX 5.6].

    Σ_i (i*_r / i) (P(F_i >= r) - P(F_{i-1} >= r)); the ideal list reaches r at rank i*_r = r, and runs that never
    reach r contribute 0.

    >>> eprum(np.array([[0.0], [0.0], [1.0]])).tolist()
    [0.5]
    """
    t = seen.shape[1]
    values = np.zeros(t)
    before = np.zeros(t)
    for i in range(1, seen.shape[0]):
        if bool((seen[i] != seen[i - 1]).any()):
            tail = 1 - np.cumsum(found_distribution(seen[i]))[:t]
            values += np.arange(1, t + 1) / i * (tail - before)
            before = tail
    return values


def at_level(values: Vector, x: float) -> float:
    """Return the highest value over r with r/t >= x (ceiling interpolation).

    >>> at_level(np.array([0.2, 0.6, 0.4]), 0.5), at_level(np.array([0.2, 0.6, 0.4]), 1.0)
    (0.6, 0.4)
    """
    t = len(values)
    return float(values[max(math.ceil(x * t - 1e-9), 1) - 1 :].max())


def seen_ideals(view: View, user: str, quant: str | None, ideal: str, direct: bool) -> Vector | None:
    """Return P(x in S_i) for a topic, worked out once; None where there is no ideal element."""

    def make() -> Vector | None:
        one = view.distinct()
        base = recall_base(one, quant)
        if base.judged:
            best = [node for node, value in ideal_base(base, ideal, view.topic).items() if value > 0]
        else:
            best = list(base.q)
        if not best:
            return None
        return sight(
            results(one),
            best,
            user_model(user, one, base, direct),
            user.partition(":")[0] in ("none", "hierarchical", "t2i", "t2i-inverse"),
        )

    return view.memo(("seen", user, quant, ideal, direct), make)


def _value(values: Vector, cutoff: float | None) -> float:
    if cutoff is not None:
        return at_level(values, cutoff)
    return float(np.mean([at_level(values, k / 100) for k in range(1, 101)]))


@measure(
    "PRUM",
    "precision at recall x for a navigating user; without x the mean over .01, .02, .. 1",
    groups=("prum",),
    cutoff="recall",
    params=_PARAMS,
    source="Piwowarski et al. 2007, eq. 5",
)
def prum_measure(
    view: View,
    *,
    cutoff: float | None,
    user: str,
    quant: str | None,
    ideal: str,
    N: float | None,
    exact: bool,
    direct: bool,
) -> float | None:
    """Return the probability that an element the user consults leads to an ideal element not seen before."""
    seen = seen_ideals(view, user, quant, ideal, direct)
    if seen is None:
        return None
    size = view.settings.elements if N is None else N
    values = view.memo(("PRUM", user, quant, ideal, direct, size, exact), lambda: prum(seen, size, exact))
    return _value(values, cutoff)


@measure(
    "EPRUM",
    "ideal effort / effort to reach recall x for a navigating user",
    groups=("prum",),
    cutoff="recall",
    params=_PARAMS,
    source="Piwowarski et al. 2007; INEX 2005",
)
def eprum_measure(
    view: View,
    *,
    cutoff: float | None,
    user: str,
    quant: str | None,
    ideal: str,
    N: float | None,
    exact: bool,
    direct: bool,
) -> float | None:
    """Return the expected ratio of the ranks at which the ideal list and the run reach recall x."""
    seen = seen_ideals(view, user, quant, ideal, direct)
    return None if seen is None else _value(eprum(seen), cutoff)


@measure(
    "GR",
    "generalised recall: expected share of the ideal elements seen; a vector, or at rank i",
    groups=("prum",),
    cutoff="rank",
    params=(_USER, *_PARAMS[1:3], _PARAMS[5]),
    source="Piwowarski et al. 2007; INEX 2005",
)
def generalised_recall(
    view: View, *, cutoff: int | None, user: str, quant: str | None, ideal: str, direct: bool
) -> Vector | float | None:
    """Return E[F_i] / t."""
    seen = seen_ideals(view, user, quant, ideal, direct)
    if seen is None:
        return None
    expected = seen.sum(axis=1)[1:] / seen.shape[1]
    n = cutoff or view.depth or len(expected)
    padded = np.full(n, expected[-1] if len(expected) else 0.0)
    padded[: min(n, len(expected))] = expected[:n]
    return padded if cutoff is None else float(padded[cutoff - 1])
