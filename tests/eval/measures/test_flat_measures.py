"""Flat measures against trec_eval, and the values printed by Järvelin and Kekäläinen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trix.errors import FormatError, UsageError
from trix.eval.data.qrels import Qrels
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.evaluate import evaluate

pytrec_eval = pytest.importorskip("pytrec_eval")

OURS = {
    "map": "AP",
    "Rprec": "Rprec",
    "recip_rank": "RR",
    "bpref": "bpref",
    "P_5": "P@5",
    "P_10": "P@10",
    "recall_5": "R@5",
    "recall_100": "R@100",
    "ndcg": "nDCG(trec)",
    "ndcg_cut_5": "nDCG(trec)@5",
    "ndcg_cut_10": "nDCG(trec)@10",
    "success_1": "success@1",
    "success_5": "success@5",
    "map_cut_5": "AP@5",
}
IPR = [f"iprec_at_recall_{i / 10:.2f}" for i in range(11)]
ASKED = {
    "map",
    "Rprec",
    "recip_rank",
    "bpref",
    "P",
    "recall",
    "ndcg",
    "ndcg_cut",
    "success",
    "map_cut",
    "iprec_at_recall",
}

docs = st.sampled_from([f"d{i}" for i in range(25)] + ["D1", "é", "z"])
grades = st.dictionaries(docs, st.integers(0, 3), min_size=1, max_size=25)
scores = st.dictionaries(docs, st.sampled_from([0.0, 1.0, 2.0, 2.00000001, 3.5, -1.0]), min_size=1, max_size=25)
topics = st.sampled_from(["1", "2", "3"])


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(topics, grades, min_size=1), st.dictionaries(topics, scores, min_size=1))
def test_flat_measures_agree_with_trec_eval_ties_and_missing_topics_included(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> None:
    theirs = pytrec_eval.RelevanceEvaluator(qrels, ASKED).evaluate(run)
    ours = evaluate(qrels, run, [*OURS.values(), "iPR"], trec_ties=True)
    judged = {t for t in qrels if any(g > 0 for g in qrels[t].values())}
    for topic in judged & set(run):
        for name, measure in OURS.items():
            assert ours[measure].topics[topic] == pytest.approx(theirs[topic][name], abs=1e-9), (topic, name)
        np.testing.assert_allclose(ours["iPR"].topics[topic], [theirs[topic][n] for n in IPR], atol=1e-9)
    for topic in judged - set(run):
        assert ours["AP"].topics[topic] == 0
    assert set(ours["AP"].topics) == judged


@pytest.mark.parametrize("R", [7, 13, 21, 33])
def test_the_recall_points_are_those_of_trec_eval_for_every_number_of_relevant_units(R: int) -> None:
    qrels = {"1": {f"d{i:03}": 1 for i in range(R)}}
    run = {"1": {(f"d{i // 2:03}" if i % 2 else f"x{i}"): float(100 - i) for i in range(2 * R)}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"iprec_at_recall"}).evaluate(run)["1"]
    ours = evaluate(qrels, run, ["iPR"])["iPR"].mean
    np.testing.assert_allclose(ours, [theirs[n] for n in IPR], atol=1e-12)


G = np.array([3, 2, 3, 0, 0, 1, 2, 2, 3, 0])


def sample() -> tuple[Qrels, Rankings]:
    """Return the ranking G' of [JK00] with a recall base of more than it found."""
    grades = {f"d{i}": int(g) for i, g in enumerate(G)} | {"u1": 3, "u2": 1}
    return Qrels.from_grades({"1": grades}), Rankings({"1": Ranking([f"d{i}" for i in range(10)])})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CG", [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]),
        ("DCG", [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]),
        ("DCG(b=10,form=jk00)", [3, 9.64, 15.93, 15.93, 15.93, 17.22, 19.58, 21.80, 24.94, 24.94]),
    ],
)
def test_cumulated_gains_of_the_paper(name: str, expected: list[float]) -> None:
    np.testing.assert_allclose(evaluate(*sample(), [name])[name].mean, expected, atol=0.0051)


def test_both_forms_of_the_discount_agree_for_base_2() -> None:
    result = evaluate(*sample(), ["DCG", "DCG(form=jk00)", "DCG(b=10)", "CG"])
    np.testing.assert_array_equal(result["DCG"].mean, result["DCG(form=jk00)"].mean)
    np.testing.assert_allclose(result["DCG(b=10)"].mean[:9], result["CG"].mean[:9])


def test_normalised_vectors_are_the_ratio_to_the_ideal_position_by_position() -> None:
    result = evaluate(*sample(), ["CG", "CG(ideal=true)", "nCG", "DCG", "DCG(ideal=true)", "nDCG", "nDCG@4"])
    assert result["CG(ideal=true)"].mean.tolist() == [3, 6, 9, 12, 14, 16, 18, 19, 20, 20]
    np.testing.assert_allclose(result["nCG"].mean, result["CG"].mean / result["CG(ideal=true)"].mean)
    np.testing.assert_allclose(result["nDCG"].mean, result["DCG"].mean / result["DCG(ideal=true)"].mean)
    assert result["nDCG@4"].mean == result["nDCG"].mean[3]


def test_gains_can_be_mapped() -> None:
    name = "CG(gain=0:0,1:1,2:10,3:100)@3"
    assert evaluate(*sample(), [name])[name].mean == 210


def test_the_first_rank_where_the_run_has_the_gain_of_the_ideal_list() -> None:
    score = evaluate(*sample(), ["ranks-for-gain(CG)@3"])["ranks-for-gain(CG)@3"]
    assert score.mean == 6 and score.details == {"gap": 1.0, "gap%": pytest.approx(100 / 9), "flat": 9.0}
    assert math.isnan(evaluate(*sample(), ["ranks-for-gain(CG)@9"])["ranks-for-gain(CG)@9"].mean)


def test_measures_per_relevance_level_leave_other_levels_in_the_ranking() -> None:
    qrels = {"1": {"a": 3, "b": 1, "c": 2}, "2": {"a": 1}}
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0}}
    result = evaluate(qrels, run, ["RR(level=1)", "RR(rel=2)", "RR(level=2)"])
    assert result["RR(level=1)"].topics == {"1": 0.5, "2": 1}
    assert result["RR(rel=2)"].topics == {"1": 1, "2": 0} and result["RR(level=2)"].topics == {"1": 1 / 3}
    assert any("RR(level=2) is not defined for 1 topic" in n for n in result.notices)


def test_geometric_mean_holds_values_at_a_hundred_thousandth() -> None:
    result = evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}, "2": {"b": 1.0}}, ["GMAP"])
    assert result["GMAP"].mean == pytest.approx(math.sqrt(1e-5))


def test_expected_search_length_of_a_weak_order() -> None:
    qrels = Qrels.from_grades({"1": {"a": 1, "b": 1, "c": 1, "x": 0, "y": 0}})
    run = Rankings({"1": Ranking(["x", "a", "y", "b"], ranks=np.array([1, 2, 2, 2]))})
    result = evaluate(qrels, run, ["ESL(1)", "ESL(2)", "ESL(3)", "ESL(3,N=10)", "ESL(4)"])
    assert result["ESL(1)"].mean == 1 + 1 * 1 / 3
    assert result["ESL(2)"].mean == 1 + 2 * 1 / 3
    assert result["ESL(3)"].mean == 2 and result["ESL(3,N=10)"].mean == 2 + 1 * 5 / 2
    assert math.isnan(result["ESL(4)"].mean)


def test_equal_scores_are_one_level_on_demand() -> None:
    qrels, run = {"1": {"a": 1, "x": 0}}, {"1": {"x": 1.0, "a": 1.0}}
    assert evaluate(qrels, run, ["ESL(1)"])["ESL(1)"].mean == 1
    assert evaluate(qrels, run, ["ESL(1)"], ties="score")["ESL(1)"].mean == 0.5


def test_topics_that_the_run_lacks_count_as_zero_or_are_left_out() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}}
    result = evaluate(qrels, {"1": {"a": 1.0}, "9": {"a": 1.0}}, ["AP"])
    assert result["AP"].mean == 0.5
    assert [n.partition(": ")[2] for n in result.notices] == [
        "1 topic (3) without anything relevant, left out",
        "1 topic (2) not in the run, counted as empty",
        "1 topic (9) without assessments, ignored",
    ]
    assert evaluate(qrels, {"1": {"a": 1.0}}, ["AP"], only_shared=True)["AP"].mean == 1


def test_a_document_returned_twice_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    run = tmp_path_factory.mktemp("r") / "run.txt"
    run.write_text("1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n1 Q0 a 3 1 r\n")
    with pytest.raises(FormatError, match=r"run.txt, line 3: topic 1: a is returned twice \(first at line 1\)"):
        evaluate({"1": {"a": 1}}, run, ["AP"])
    result = evaluate({"1": {"a": 1}}, run, ["AP"], lenient=True)
    assert result["AP"].mean == 1 and any("1 result dropped" in n for n in result.notices)


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(UsageError, match="topic 1: the score of b is not a number: nan"):
        evaluate({"1": {"a": 1}}, {"1": {"a": 1.0, "b": math.nan}}, ["AP"])
