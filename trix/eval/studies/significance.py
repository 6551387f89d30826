"""Significance tests: paired tests over topics, tests of several systems, rank correlations [EVALUATION 6].

All take a value for each topic, paired by position. Tests are those of scipy if it has them.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError

Values = NDArray[np.float64]


def stars(p: float) -> str:
    """Return the significance stars of a p-value [IV]: * below .05, ** below .01, *** below .001.

    >>> stars(0.2), stars(0.04), stars(0.004), stars(0.0004)
    ('', '*', '**', '***')
    """
    return "" if not p < 0.05 else "*" if p >= 0.01 else "**" if p >= 0.001 else "***"


def t_test(a: Values, b: Values) -> float:
    """Return the two-sided p-value of the paired t-test, 1 if all differences are 0 (`scipy.stats.ttest_rel`)."""
    if np.array_equal(a, b):
        return 1.0
    if len(a) < 2:
        return math.nan
    return _quietly("ttest_rel", a, b)


def wilcoxon(a: Values, b: Values) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test (`scipy.stats.wilcoxon`), 1 if all are equal.

    Topics without a difference are left out. As in scipy, the test is exact up to 50 topics without ties.
    """
    return 1.0 if np.array_equal(a, b) else _quietly("wilcoxon", a, b)


def _quietly(test: str, a: Values, b: Values) -> float:
    from scipy import stats

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns about few topics and constant differences
        return float(getattr(stats, test)(a, b).pvalue)


def sign_test(a: Values, b: Values) -> float:
    """Return the two-sided p-value of the sign test; topics without a difference are left out.

    >>> sign_test(np.array([2., 2., 2., 2.]), np.zeros(4))
    0.125
    """
    d = a - b
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    if not wins + losses:
        return 1.0
    from scipy import stats

    return float(stats.binomtest(wins, wins + losses).pvalue)


EXACT = 16
"""Largest number of topics for which every assignment of signs is tried."""


def randomisation(a: Values, b: Values, rounds: int = 100_000, seed: int = 1) -> float:
    """Return the two-sided p-value of Fisher's randomisation test on the mean difference.

    Up to 16 topics all 2^n sign assignments are tried (`scipy.stats.permutation_test`). Otherwise ``rounds`` random
    ones are tried and the observed one is added (`scipy.stats.monte_carlo_test`, which draws signs faster).

    >>> randomisation(np.array([1., 2., 3.]), np.zeros(3))
    0.25
    """
    from scipy import stats

    d = a - b
    n = len(d)
    if not d.any() or n < 2:
        return 1.0
    size = float(np.abs(d).sum())

    def statistic(x: Values, axis: int = -1) -> Values:
        sums: Values = (x.sum(axis=axis) / size).round(12)  # equal sums may differ by rounding errors
        return sums

    if n <= EXACT:
        every = stats.permutation_test(
            (d,), statistic, permutation_type="samples", n_resamples=2**n, vectorized=True, batch=_batch(n)
        )
        return float(every.pvalue)
    generator = np.random.default_rng(seed)

    def signed(size: tuple[int, ...]) -> Values:
        return d * (1 - 2 * generator.integers(0, 2, size, dtype=np.int8))

    some = stats.monte_carlo_test(d, signed, statistic, n_resamples=rounds, vectorized=True, batch=_batch(n))
    return float(some.pvalue)


def _batch(n: int) -> int:
    """Return the number of samples of n values for one batch of some 30 MB."""
    return max(1, 4_000_000 // n)


def effect_size(a: Values, b: Values) -> float:
    """Return Cohen's d of paired values: mean difference / its standard deviation.

    >>> effect_size(np.array([1., 3.]), np.array([0., 0.])).__round__(4)
    1.4142
    """
    d = a - b
    spread = float(d.std(ddof=1)) if len(d) > 1 else 0.0
    return float(d.mean()) / spread if spread else 0.0 if not d.any() else math.copysign(math.inf, float(d.mean()))


def bootstrap_interval(
    a: Values, b: Values, level: float = 0.95, rounds: int = 10_000, seed: int = 1
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean difference (`scipy.stats.bootstrap`)."""
    from scipy import stats

    d = a - b
    if len(d) < 2:
        return float(d.mean()), float(d.mean())
    found = stats.bootstrap(
        (d,), np.mean, n_resamples=rounds, batch=_batch(len(d)), confidence_level=level, method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval  # fmt: skip
    return float(found.low), float(found.high)


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values adjusted for several comparisons by Holm's step-down rule.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    # The smallest p is multiplied by the number of tests, the next by one less; adjusted values never decrease.
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted, highest = [0.0] * len(p), 0.0
    for place, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - place) * p[i]))
        adjusted[i] = highest
    return adjusted


def bonferroni(p: Sequence[float]) -> list[float]:
    """Return p-values times their number, at most 1.

    >>> bonferroni([0.01, 0.5])
    [0.02, 1.0]
    """
    return [min(1.0, value * len(p)) for value in p]


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Return p-values adjusted to control the false discovery rate (`scipy.stats.false_discovery_control`).

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    from scipy import stats

    known = [i for i, value in enumerate(p) if value == value]
    adjusted = list(p)
    for i, value in zip(known, stats.false_discovery_control([p[i] for i in known]).tolist(), strict=True):
        adjusted[i] = float(value)
    return adjusted


def tukey_hsd(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p-values of Tukey's honestly significant differences of k systems on the same b topics.

    Systems are compared within topics (a two-way layout without replication). q = |mean_i - mean_j| / sqrt(MSE/b) has
    the studentized range distribution of k groups, with (b-1)(k-1) degrees of freedom. MSE is the mean square of the
    residuals of systems and topics. For two systems it is the paired t-test. `scipy.stats.tukey_hsd` is for independent
    groups.

    Parameters
    ----------
    values
        (b, k) value of each system on each topic.

    Returns
    -------
    array
        (k, k), symmetric, 1 on the diagonal; NaN with fewer than two topics.
    """
    from scipy import stats

    b, k = values.shape
    found = np.ones((k, k))
    if b < 2 or k < 2:
        return found if k < 2 else np.where(np.eye(k, dtype=bool), 1.0, math.nan)
    means = values.mean(axis=0)
    rest = values - means - values.mean(axis=1, keepdims=True) + values.mean()
    degrees = (b - 1) * (k - 1)
    spread = math.sqrt(float((rest**2).sum()) / degrees / b)
    i, j = np.triu_indices(k, 1)
    gaps = np.abs(means[i] - means[j])
    nothing = 1e-14 * float(np.abs(values).max())  # rounding error of a difference that is 0
    if spread <= nothing:
        p = np.where(gaps > nothing, 0.0, 1.0)
    else:
        p = np.clip(stats.studentized_range.sf(gaps / spread, k, degrees), 0.0, 1.0)
    found[i, j] = found[j, i] = p
    return found


@dataclass(frozen=True, slots=True)
class Friedman:
    """Result of Friedman's test with Conover's post-hoc pairs.

    Attributes
    ----------
    p
        p-value of the hypothesis that all systems are equal.
    rank_sums
        R_j of each system; the lowest value of a topic has rank 1.
    critical
        Critical difference of two rank sums.
    pairs
        Pairs (i, j) of systems that differ.
    """

    p: float
    rank_sums: list[float]
    critical: float
    pairs: list[tuple[int, int]]


def friedman(values: NDArray[np.float64], alpha: float = 0.05) -> Friedman:
    """Return Friedman's test of k systems on b topics, with Conover's post-hoc pairs [EVALUATION 6].

    Systems i and j differ if |R_i - R_j| > t_{1-α/2, (b-1)(k-1)} sqrt(2 (b A - Σ R_j²) / ((b-1)(k-1))), A the sum of
    squared ranks.

    Parameters
    ----------
    values
        (b, k) value of each system on each topic, k >= 3.
    alpha
        Significance level of the pairs.
    """
    from scipy import stats

    b, k = values.shape
    if k < 3 or b < 2:
        raise UsageError(f"Friedman's test needs at least 3 runs and 2 topics, found {k} and {b}")
    ranks = stats.rankdata(values, axis=1)
    sums = ranks.sum(axis=0)
    A = float((ranks**2).sum())
    if bool((values == values[:, :1]).all()):
        return Friedman(1.0, sums.tolist(), math.inf, [])
    p = float(stats.friedmanchisquare(*values.T).pvalue)
    degrees = (b - 1) * (k - 1)
    spread = max(2 * (b * A - float((sums**2).sum())) / degrees, 0.0)
    critical = float(stats.t.ppf(1 - alpha / 2, degrees)) * math.sqrt(spread)
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k) if abs(sums[i] - sums[j]) > critical + 1e-12]
    return Friedman(p, sums.tolist(), critical, pairs)


PAPER_LEVELS = ((0.05, "*"), (0.001, "**"))
"""Significance levels of [II, table 1] and their stars."""


def friedman_stars(
    values: NDArray[np.float64], levels: Sequence[tuple[float, str]] = PAPER_LEVELS
) -> dict[tuple[int, int], str]:
    """Return the stars of each pair (i, j), i < j, of k systems on b topics, by Friedman's test [II, table 1].

    A pair has the stars of the last level at which the test rejects that all systems are equal and Conover's
    comparison separates the two.

    Parameters
    ----------
    values
        (b, k) value of each system on each topic, k >= 3.
    levels
        Significance levels, falling, and their stars.

    Examples
    --------
    >>> friedman_stars(np.array([[1., 2., 3.]] * 4 + [[1., 3., 2.]]))
    {(0, 1): '*', (0, 2): '*', (1, 2): ''}
    """
    k = values.shape[1]
    found = {(i, j): "" for i in range(k) for j in range(i + 1, k)}
    for alpha, star in levels:
        test = friedman(values, alpha)
        if test.p < alpha:
            found.update(dict.fromkeys(test.pairs, star))
    return found


def gain_classes(run: Values, baseline: Values) -> dict[str, int]:
    """Count the topics by gain d = 100 (run - baseline): d >= 5, 0 <= d < 5, d < 0 [IV, table 5].

    >>> gain_classes(np.array([0.30, 0.21, 0.1]), np.array([0.25, 0.2, 0.2]))
    {'d>=5': 1, '0<=d<5': 1, 'd<0': 1}
    """
    d = (100 * (run - baseline)).round(9)
    return {"d>=5": int((d >= 5).sum()), "0<=d<5": int(((d >= 0) & (d < 5)).sum()), "d<0": int((d < 0).sum())}


def kendall_tau_b(a: Values, b: Values) -> float:
    """Return Kendall's τ-b, NaN if either input is constant."""
    from scipy import stats

    if len(a) < 2 or len(set(a.tolist())) < 2 or len(set(b.tolist())) < 2:
        return math.nan
    return float(stats.kendalltau(a, b).statistic)


def tau_ap(estimate: Values, truth: Values) -> float:
    """Return τ_ap, Kendall's τ with more weight at the top [Yilmaz 2008].

    τ_ap = 2/(n-1) Σ_{i>=2} C(i)/(i-1) - 1, C(i) the number of systems above rank i in the estimate and above that
    system in the truth. Ties are broken by order of appearance.

    >>> tau_ap(np.array([3., 2., 1.]), np.array([3., 2., 1.])), tau_ap(np.array([3., 2., 1.]), np.array([1., 2., 3.]))
    (1.0, -1.0)
    """
    n = len(estimate)
    if n < 2:
        return math.nan
    order = np.argsort(-estimate, kind="stable")
    place = np.empty(n, np.int64)
    place[np.argsort(-truth, kind="stable")] = np.arange(n)
    right = [float((place[order[:i]] < place[order[i]]).sum()) / i for i in range(1, n)]
    return 2 / (n - 1) * sum(right) - 1


CORRECTIONS = {"holm": holm, "bonferroni": bonferroni, "benjamini-hochberg": benjamini_hochberg}
