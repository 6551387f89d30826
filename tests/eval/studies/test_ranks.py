"""Ranks of runs among others, and stars of Friedman's test, counted by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trix.errors import UsageError
from trix.eval.evaluate import evaluate
from trix.eval.studies.ranks import rank_among, run_ranks
from trix.eval.studies.significance import friedman, friedman_stars

QRELS = {"1": {"a": 1, "b": 1, "c": 0, "d": 0}}
RUNS = {
    "best": {"1": {"a": 3.0, "b": 2.0}},
    "late": {"1": {"c": 3.0, "a": 2.0}},
    "same": {"1": {"d": 3.0, "b": 2.0}},
    "none": {"1": {"c": 1.0}},
}
"""AP: 1, 1/4, 1/4, 0."""


def test_equal_runs_share_the_better_rank() -> None:
    result = evaluate(QRELS, RUNS, ["AP"])
    assert run_ranks(result, "AP") == {"best": 1, "late": 2, "same": 2, "none": 4}


def test_variants_of_one_system_do_not_compete_with_each_other() -> None:
    result = evaluate(QRELS, RUNS, ["AP"])
    assert run_ranks(result, "AP", own=["best", "none"]) == {"best": 1, "late": 2, "same": 2, "none": 3}


def test_of_costs_the_lowest_is_first_and_nothing_is_worse_than_undefined() -> None:
    assert rank_among(math.nan, [0.0, math.nan]) == 2
    assert rank_among(1.0, [math.nan, math.nan]) == 1
    result = evaluate(QRELS, {name: RUNS[name] for name in ("best", "late")}, ["ESL"])
    assert run_ranks(result, "ESL") == {"best": 1, "late": 2}


def test_a_vector_and_an_unknown_run_are_refused() -> None:
    result = evaluate(QRELS, RUNS, ["CG", "AP"])
    with pytest.raises(UsageError, match="vector"):
        run_ranks(result, "CG")
    with pytest.raises(UsageError, match="no run 'gone'; runs: best late"):
        run_ranks(result, "AP", own=["gone"])


def test_stars_follow_the_levels_at_which_a_pair_differs() -> None:
    # Ranks 1 2 3 on eight topics and 1 3 2 on two: R = 10, 22, 28 and A = 140; chi² = 16.8, p = 0.0002. The critical
    # differences, t √(2 (10 · 140 - 1368) / 18), are 3.962 at .05 and 7.395 at .001.
    values = np.array([[1.0, 2.0, 3.0]] * 8 + [[1.0, 3.0, 2.0]] * 2)
    assert friedman(values, 0.05).critical == pytest.approx(3.962, abs=1e-3)
    assert friedman(values, 0.001).critical == pytest.approx(7.395, abs=1e-3)
    assert friedman_stars(values) == {(0, 1): "**", (0, 2): "**", (1, 2): "*"}


def test_pairs_have_no_stars_where_the_test_does_not_reject() -> None:
    values = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [2.0, 3.0, 1.0]])
    assert set(friedman_stars(values).values()) == {""}
