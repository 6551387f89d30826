"""Tests over topics: scipy's numbers where scipy has them, tables and hand-computed values where not."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy  # its `stats`, a second of work, loads itself where it is asked for
from hypothesis import given, settings
from hypothesis import strategies as st

from trix.eval.evaluate import evaluate
from trix.eval.studies import significance as sig
from trix.eval.studies.compare import compare


@pytest.mark.parametrize("n", [5, 12, 26, 40, 50, 51, 80])
@pytest.mark.parametrize("digits", [2, 12])
def test_wilcoxon_is_exact_where_scipys_is(n: int, digits: int) -> None:
    random = np.random.default_rng(n)
    a, b = (random.random(n).round(digits) for _ in "ab")
    assert sig.wilcoxon(a, b) == float(scipy.stats.wilcoxon(a, b).pvalue)
    if n in (26, 40, 50) and digits == 12:
        assert sig.wilcoxon(a, b) == float(scipy.stats.wilcoxon(a, b, method="exact").pvalue)
        assert sig.wilcoxon(a, b) != float(scipy.stats.wilcoxon(a, b, method="approx").pvalue)


@pytest.mark.parametrize("n", [2, 9, 40])
def test_the_t_test_is_scipys(n: int) -> None:
    a, b = np.random.default_rng(n).random((2, n))
    assert sig.t_test(a, b) == float(scipy.stats.ttest_rel(a, b).pvalue)


def test_randomisation_is_fishers_and_the_same_for_the_same_seed() -> None:
    a, b = np.random.default_rng(4).random((2, 40))
    b = a - 0.1 + 0.3 * b
    first = sig.randomisation(a, b, seed=3)
    assert first == sig.randomisation(a, b, seed=3) != sig.randomisation(a, b, seed=4)
    theirs = scipy.stats.permutation_test(
        (a - b,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(1), vectorized=True
    )
    assert first == pytest.approx(theirs.pvalue, abs=0.01)
    assert sig.randomisation(a, b, rounds=999, seed=3) * 1000 == pytest.approx(
        round(sig.randomisation(a, b, rounds=999, seed=3) * 1000)
    )


def test_sums_that_are_equal_but_for_rounding_are_equal() -> None:
    d = np.array([0.3, 0.1, 0.2, -0.3, 0.1 + 0.2])  # 0.3 and 0.1 + 0.2 differ in the last bit
    tenths = [3, 1, 2, -3, 3]
    sums = [abs(sum(t * (1 if mask >> i & 1 else -1) for i, t in enumerate(tenths))) for mask in range(32)]
    assert sig.randomisation(d, np.zeros(5)) == sum(s >= sum(tenths) for s in sums) / 32


def test_the_interval_is_scipys_percentile_bootstrap() -> None:
    a, b = np.random.default_rng(4).random((2, 30))
    theirs = scipy.stats.bootstrap(
        (a - b,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(7)
    ).confidence_interval
    assert sig.bootstrap_interval(a, b, seed=7) == (theirs.low, theirs.high)
    assert sig.bootstrap_interval(np.array([0.5]), np.array([0.25])) == (0.25, 0.25)


def test_benjamini_and_hochberg_by_hand() -> None:
    # p(i) m / i: .005, .0225, .05, .0615 and so on, then the running minimum from below
    assert sig.benjamini_hochberg([0.001, 0.009, 0.03, 0.041, 0.9]) == pytest.approx(
        [0.005, 0.0225, 0.05, 0.05125, 0.9]
    )
    assert sig.benjamini_hochberg([0.02, math.nan, 0.01])[0] == pytest.approx(0.02)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 20), st.integers(0, 10_000))
def test_tukeys_test_of_two_systems_is_the_paired_t_test(n: int, seed: int) -> None:
    values = np.random.default_rng(seed).random((n, 2))
    expected = sig.t_test(values[:, 0], values[:, 1])
    assert sig.tukey_hsd(values)[0, 1] == pytest.approx(expected, abs=1e-6)


def test_tukeys_test_by_hand() -> None:
    # means 2 3 5; what systems and topics leave has the sum of squares 2 with 4 degrees of freedom: MSE = 0.5
    found = sig.tukey_hsd(np.array([[1.0, 2, 3], [2, 4, 6], [3, 3, 6]]))
    q = 3 / math.sqrt(0.5 / 3)
    assert found[0, 2] == found[2, 0] == pytest.approx(float(scipy.stats.studentized_range.sf(q, 3, 4)))
    assert 0.01 < found[0, 2] < 0.05  # tables: q(.05; 3, 4) = 5.04, q(.01; 3, 4) = 8.12
    assert np.diag(found).tolist() == [1, 1, 1]
    # the same layout, stretched so that q is the value of the table
    stretched = np.array([[1.0, 2, 3], [2, 4, 6], [3, 3, 6]])
    stretched[:, 2] += (5.04 - q) * math.sqrt(0.5 / 3)
    assert sig.tukey_hsd(stretched)[0, 2] == pytest.approx(0.05, abs=2e-4)


def test_tukeys_test_of_systems_that_are_alike_or_apart_by_a_constant() -> None:
    column = np.random.default_rng(1).random(9)
    found = sig.tukey_hsd(np.column_stack((column, column, column + 0.1)))
    assert found[0, 1] == 1 and found[0, 2] == found[1, 2] == 0
    assert math.isnan(sig.tukey_hsd(np.array([[1.0, 2.0]]))[0, 1])


def test_every_pair_has_all_corrections() -> None:
    random = np.random.default_rng(2)
    qrels = {str(t): {f"d{i}": int(random.random() < 0.3) for i in range(20)} | {"d0": 1} for t in range(12)}
    runs = {name: {t: {d: float(random.random()) for d in of} for t, of in qrels.items()} for name in "abcd"}
    result = evaluate(qrels, runs, ["AP"])
    found = compare(result, every_pair=True)
    p = [pair.p["t"] for pair in found.pairs]
    assert [pair.adjusted["benjamini-hochberg"] for pair in found.pairs] == scipy.stats.false_discovery_control(
        p
    ).tolist()
    table = np.column_stack([list(result[run, "AP"].topics.values()) for run in "abcd"])
    assert found.pairs[-1].adjusted["tukey"] == sig.tukey_hsd(table)[2, 3]
    assert all(pair.adjusted["tukey"] >= pair.p["t"] * 0.5 for pair in found.pairs)
