"""The weights against numbers worked by hand and against the formulas written out for one element."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trix.errors import UsageError
from trix.query.scoring import weights
from trix.query.scoring.weights import combine, einstein, idf, idf_of_one, raised

counts = st.integers(0, 50)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(counts, st.integers(1, 50), st.integers(1, 9), st.booleans()), min_size=1, max_size=20),
    st.sampled_from((0.0, 0.5, 2.0, 10.0)),
    st.sampled_from((0.0, 0.1, 0.9, 1.0)),
)
def test_the_trix_weights_equal_the_written_formulas(
    rows: list[tuple[int, int, int, bool]], v: float, b: float
) -> None:
    kf, xi_k, more, content = (list(column) for column in zip(*rows, strict=True))
    xi_k = [k if f else 0 for k, f in zip(xi_k, kf, strict=True)]
    xi_c = [k + m for k, m in zip(xi_k, more, strict=True)]
    by_2005 = weights.trix2005(kf, xi_c, xi_k, 0.7, v, b)
    by_2004 = weights.trix2004(kf, xi_c, xi_k, content, 0.7, v, b)
    for i, f in enumerate(kf):
        if f == 0:
            assert by_2005[i] == by_2004[i] == 0.0
            continue
        assert by_2005[i] == pytest.approx(f / (f + v * ((1 - b) + b * xi_c[i] / xi_k[i])) * 0.7, rel=1e-14)
        length = 1 if content[i] else xi_c[i] / math.sqrt(xi_k[i])
        assert by_2004[i] == pytest.approx(f / (f + v * ((1 - b) + b * length)) * 0.7, rel=1e-14)


def test_with_b_0_the_weight_grows_with_kf_alone_so_that_the_root_wins() -> None:
    w = weights.trix2005([5, 3, 1], [900, 10, 1], [4, 3, 1], 1.0, b=0.0)
    assert w.tolist() == sorted(w.tolist(), reverse=True)


def test_a_phrase_without_a_common_content_element_weighs_nothing_in_2004() -> None:
    assert weights.trix2004(3, 6, 0, False, 1.0).tolist() == 0.0


def test_idf_is_between_0_and_1_and_1_in_a_collection_of_one() -> None:
    assert idf(np.arange(1, 8), 7) == pytest.approx([math.log(7 / m) / math.log(7) for m in range(1, 8)], abs=1e-15)
    assert idf([1, 0], 1).tolist() == [1.0, 0.0]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.sampled_from((0.0, 1.0, -1.0, 0.5, -0.5, 0.3)), min_size=3, max_size=3), max_size=6))
def test_combinations_are_folds_in_written_order(rows: list[list[float]]) -> None:
    table = np.array(rows).reshape(len(rows), 3)
    for column in range(3):
        total, folded = 0.0, 0.0
        for row in rows:
            total += row[column]
            below = 1 + folded * row[column]
            folded = (folded + row[column]) / below if below else 0.0
        assert combine(table, "sum")[column] == total
        assert combine(table, "einstein")[column] == folded
        assert combine(table, "average")[column] == (total / len(rows) if rows else 0.0)


def test_einstein_of_opposites_is_0() -> None:
    assert einstein([1.0, -1.0, 0.5], [-1.0, 1.0, -0.5]).tolist() == [0.0, 0.0, 0.0]


def test_an_unknown_combination_is_named() -> None:
    with pytest.raises(UsageError, match="combine 'mean' is unknown; expected average, einstein, sum"):
        combine([[1.0]], "mean")


@settings(max_examples=200, deadline=None)
@given(counts, st.integers(1, 400), st.integers(1, 60), st.integers(1, 90))
def test_the_other_models_equal_their_written_formulas(kf: int, dl: int, m: int, cf: int) -> None:
    N, C, avgdl = 100, 5000, 50.0
    dl = max(dl, kf)
    found = {
        "bm25": weights.bm25(kf, dl, avgdl, m, N),
        "tfidf": weights.tfidf(kf, dl, m, N),
        "lm-jm": weights.lm_jm(kf, dl, cf, C, 0.3),
        "lm-dirichlet": weights.lm_dirichlet(kf, dl, cf, C, 150.0),
    }
    if kf == 0:
        assert all(w == 0.0 for w in found.values())
        return
    written = {
        "bm25": kf * 2.2 / (kf + 1.2 * (0.25 + 0.75 * dl / avgdl)) * math.log(1 + (N - m + 0.5) / (m + 0.5)),
        "tfidf": (1 + math.log(kf)) * math.log(N / m) / math.sqrt(dl),
        "lm-jm": math.log(1 + 0.3 * kf * C / (0.7 * dl * cf)),
        "lm-dirichlet": max(0.0, math.log(1 + kf * C / (150 * cf)) + math.log(150 / (150 + dl))),
    }
    assert {name: float(w) for name, w in found.items()} == pytest.approx(written, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("power", [1.0, 0.5, 2.0])
@pytest.mark.parametrize("N", [0, 1, 2, 990, 1114841])
def test_idf_of_one_key_has_the_bits_of_all(N: int, power: float) -> None:
    counts = np.unique(np.geomspace(1, max(N, 1), 200).astype(int)) if N else np.array([0])
    expected = raised(idf(counts, N), power)
    assert [idf_of_one(m, N, power) for m in counts.tolist()] == expected.tolist()
    assert idf_of_one(0, N, power) == float(raised(idf(0, N), power))
