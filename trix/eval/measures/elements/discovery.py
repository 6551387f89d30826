"""Distribution of the number of ideal elements seen after each rank, and the sums of PRUM [PRUM; INEX 5.6].

F_i, the number of ideals seen down to rank i, is a Poisson-binomial variable. Its distribution is the coefficients of
Π_x (1 - P(x in S_i) + P(x in S_i) z). `trix.core.measures` computes the sums over all ranks at once. The functions here
go rank by rank, and can use a normal approximation.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from trix.core import measures
from trix.support.arrays import Floats, Int64s


@dataclass(frozen=True, slots=True)
class SeenIdeals:
    """P(x in S_i) for every ideal x and i = 0..o, stored as n changes in order of rank.

    Attributes
    ----------
    t, o
        Number of ideals and of ranks.
    rank, which
        (n,) rank (from 1) and ideal of each change; probabilities only grow.
    before, after
        (n,) probability before and after the change.
    """

    t: int
    o: int
    rank: Int64s
    which: Int64s
    before: Floats
    after: Floats

    @classmethod
    def of(cls, seen: Floats) -> SeenIdeals:
        """Create it from the (o + 1, t) matrix of all P(x in S_i), whose row 0 is 0.

        >>> SeenIdeals.of(np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 1.0]])).which.tolist()
        [0, 1]
        """
        # Row-major order of the nonzero entries is the order of rank that `rank` promises.
        row, which = np.nonzero(seen[1:] > seen[:-1])
        which = np.ascontiguousarray(which)
        return cls(seen.shape[1], seen.shape[0] - 1, row + 1, which, seen[row, which], seen[row + 1, which])

    def edges(self) -> Int64s:
        """Return the first change of each rank, and n at the end."""
        return np.flatnonzero(np.diff(self.rank, prepend=0, append=self.o + 1))

    def expected(self) -> Floats:
        """Return E[F_i] for i = 1..o.

        >>> SeenIdeals.of(np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 1.0]])).expected().tolist()
        [0.5, 1.5]
        """
        # E[F_i] is the sum of the probabilities, so only the changes of each rank have to be added up.
        grown = np.bincount(self.rank, weights=self.after - self.before, minlength=self.o + 1)
        return np.minimum(np.cumsum(grown)[1:], self.t)


class PrumSums(NamedTuple):
    """Sums over ranks that PRUM and EPRUM are computed from."""

    discoveries: Floats
    """(t,) Σ_i P(F_{i-1} = s and rank i shows a new ideal), for s = 0..t-1."""
    consulted: Floats
    """(t,) Σ_i P(F_{i-1} = s)."""
    effort: Floats
    """(t,) Σ_i (r / i) (P(F_i >= r) - P(F_{i-1} >= r)), for r = 1..t."""
    last: Floats
    """(t + 1,) P(F_o = s)."""


def sum_over_ranks(sight: SeenIdeals, exact: bool = False, normal: int | None = None) -> PrumSums:
    """Return the sums over all ranks.

    Parameters
    ----------
    sight
        Probabilities of seen ideals, rank by rank.
    exact, normal
        As in `discovery` and `found_distribution`; the normal approximation is computed rank by rank.
    """
    if normal is not None:
        return sum_rank_by_rank(sight, exact, normal)
    # The exact form needs all changes of a rank at once. Otherwise eq. 8 treats each change on its own.
    edges = sight.edges() if exact else np.arange(len(sight.rank) + 1)
    return PrumSums(*measures.sums(sight.t, sight.o, sight.rank, sight.which, sight.before, sight.after, edges, exact))


def sum_rank_by_rank(sight: SeenIdeals, exact: bool = False, normal: int | None = None) -> PrumSums:
    """Return the sums, with a new distribution at every rank with a change.

    >>> seen = np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 1.0]])
    >>> [column.tolist() for column in sum_rank_by_rank(SeenIdeals.of(seen))]
    [[1.0, 0.5], [1.5, 0.5], [0.75, 0.5], [0.0, 0.5, 0.5]]
    """
    t = sight.t
    discoveries, consulted, effort = np.zeros(t), np.zeros(t), np.zeros(t)
    p, tail, r = np.zeros(t), np.zeros(t), np.arange(1, t + 1)
    distribution = found_distribution(p)
    last = 0  # rank of the last change
    edges = sight.edges().tolist()
    for start, end in pairwise(edges):
        i = int(sight.rank[start])
        consulted += (i - last) * distribution[:t]  # the distribution is constant between changes
        grown = p.copy()
        grown[sight.which[start:end]] = sight.after[start:end]
        discoveries += discovery(p, grown, distribution, exact, normal)
        p, last, distribution = grown, i, found_distribution(grown, normal)
        # P(F_i >= r) = 1 - P(F_i <= r - 1); only its growth at this rank costs r / i.
        reached = 1 - np.cumsum(distribution)[:t]
        effort += r / i * (reached - tail)
        tail = reached
    return PrumSums(discoveries, consulted + (sight.o - last) * distribution[:t], effort, distribution)


def found_distribution(p: Floats, normal: int | None = None) -> Floats:
    """Return P(F = s) for s = 0..t, F the number of t independent events that happen [PRUM, eq. 7].

    The cost is quadratic in the number of events that are neither certain nor impossible. With more than ``normal``
    such events the result is approximate: P(s - .5 < F <= s + .5) of a normal variable with the mean and variance of F
    [PRUM, appendix A.1].

    >>> found_distribution(np.array([0.5, 1.0, 0.5, 0.0])).tolist()
    [0.0, 0.25, 0.5, 0.25, 0.0]
    >>> found_distribution(np.array([0.5, 1.0, 0.5, 0.0]), 1).round(3).tolist()
    [0.0, 0.223, 0.52, 0.223, 0.0]
    """
    # Certain events only shift the distribution and impossible ones do not change it.
    uncertain = p[(p > 0) & (p < 1)]
    certain = int((p == 1).sum())
    found = np.zeros(len(p) + 1)
    if normal is not None and len(uncertain) > normal:
        part = normal_distribution(len(uncertain), uncertain.sum(keepdims=True), (uncertain * (1 - uncertain)).sum())[0]
    else:
        part = product_coefficients(uncertain, 1 - uncertain)
    found[certain : certain + len(uncertain) + 1] = part
    return found


def normal_distribution(m: int, mean: Floats, variance: float | Floats) -> Floats:
    """Return P(s - .5 < F <= s + .5) for s = 0..m, a row for each mean; variances must be positive.

    The paper divides mean and variance by the number of events, which gives the distribution of the proportion.
    """
    from scipy.special import ndtr

    deviation = np.sqrt(np.broadcast_to(np.asarray(variance), mean.shape))
    # Differences of the cumulative distribution at s - .5 and s + .5 (continuity correction).
    edges: Floats = ndtr((np.arange(m + 2)[None, :] - 0.5 - mean[:, None]) / deviation[:, None])
    return np.diff(edges, axis=1)


def product_coefficients(a: Floats, b: Floats) -> Floats:
    """Return the coefficients of Π_x (a_x z + b_x), by ascending power of z."""
    # Multiply one factor at a time: the coefficient of z^k is that of z^k times b plus that of z^(k-1) times a.
    coefficients = np.zeros(len(a) + 1)
    coefficients[0] = 1.0
    for k in range(len(a)):
        coefficients[1 : k + 2] = coefficients[1 : k + 2] * b[k] + coefficients[: k + 1] * a[k]
        coefficients[0] *= b[k]
    return coefficients


def without_each(distribution: Floats, p: Floats) -> Floats:
    """Return P(F = s | x unseen) for some x and s = 0..t-1: the distribution over all other events.

    The factor (1 - p + p z) is divided out of the distribution, from the end where division is numerically stable.

    Parameters
    ----------
    distribution
        (t + 1,) distribution over all events.
    p
        (k,) probability of each x.

    Examples
    --------
    >>> without_each(found_distribution(np.array([0.25, 0.5])), np.array([0.25, 0.5])).tolist()
    [[0.5, 0.5], [0.75, 0.25]]
    """
    t = len(distribution) - 1
    found = np.zeros((len(p), t))
    # Division from s = 0 multiplies rounding errors by p / (1 - p), from s = t by (1 - p) / p: take the one below 1.
    low = p < 0.5
    # Solve distribution[s] = (1 - q) found[s] + q found[s - 1] for found, ascending in s.
    if bool(low.any()):
        q, carry = p[low], np.zeros(int(low.sum()))
        for s in range(t):
            carry = (distribution[s] - q * carry) / (1 - q)
            found[low, s] = carry
    # The same recurrence, descending in s.
    if not bool(low.all()):
        q, carry = p[~low], np.zeros(int((~low).sum()))
        for s in range(t, 0, -1):
            carry = (distribution[s] - (1 - q) * carry) / q
            found[~low, s - 1] = carry
    return np.clip(found, 0.0, 1.0)  # rounding errors may leave the range of probabilities


def discovery(
    before: Floats, after: Floats, distribution: Floats, exact: bool = False, normal: int | None = None
) -> Floats:
    """Return P(F_{i-1} = s and rank i shows a new ideal) for s = 0..t-1 [PRUM, eq. 8].

    ``exact`` does not assume that discoveries are independent (hypothesis 2.3). The result is then P(F_{i-1} = s) minus
    the coefficient of z^s in Π_x (p_{i-1}(x) z + 1 - p_i(x)).
    """
    t = len(before)
    if exact:  # all s, minus the case that rank i shows nothing new: factor p z for seen, 1 - p for unseen ideals
        return distribution[:t] - product_coefficients(before, 1 - after)[:t]
    grows = after > before
    others = np.repeat(distribution[None, :t], int(grows.sum()), axis=0)  # exact for x that could not be seen before
    known = before[grows] > 0
    if bool(known.any()):
        others[known] = _others(distribution, before, np.flatnonzero(grows)[known], normal)
    # P(x is discovered | F = s) for each x that grows; independence turns them into a product of complements.
    happens = distribution[:t] > 0
    ratio = np.divide(
        (after - before)[grows, None] * others,
        distribution[None, :t],
        out=np.zeros(others.shape),
        where=happens[None, :],
    )
    return np.where(happens, distribution[:t] * (1 - np.prod(1 - np.clip(ratio, 0.0, 1.0), axis=0)), 0.0)


def _others(distribution: Floats, p: Floats, left_out: Int64s, normal: int | None) -> Floats:
    """Return P(F = s | x unseen) for s = 0..t-1 and some uncertain x, a row each."""
    uncertain = (p > 0) & (p < 1)
    m = int(uncertain.sum()) - 1
    if normal is None or m + 1 <= normal:
        return without_each(distribution, p[left_out])
    if m <= normal:  # one event fewer: the rest is below the limit and computed exactly
        rows = []
        for x in left_out.tolist():
            others = np.delete(p, x)
            rows.append(found_distribution(others))
        return np.array(rows)
    # Mean and variance of the sum of all uncertain events but one.
    gone = p[left_out]
    mean = p[uncertain].sum() - gone
    variance = (p[uncertain] * (1 - p[uncertain])).sum() - gone * (1 - gone)
    found = np.zeros((len(gone), len(p)))
    certain = int((p == 1).sum())
    found[:, certain : certain + m + 1] = normal_distribution(m, mean, variance)
    return found
