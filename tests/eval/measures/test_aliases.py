"""Names that trec_eval, ir_measures and ranx know mean here what they mean there."""

from __future__ import annotations

import math
import shutil
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.eval.studies.test_tools import call
from tests.eval_samples import THEIR_NAMES
from trix.errors import UsageError
from trix.eval.evaluate import evaluate
from trix.eval.measures.core.aliases import CUTOFFS, NOT_OFFERED
from trix.eval.measures.core.defaults import expand
from trix.eval.measures.core.registry import parse_measure

docs = st.sampled_from([f"d{i}" for i in range(25)] + ["D1", "é", "z"])
grades = st.dictionaries(docs, st.integers(0, 3), min_size=1, max_size=25)
sampled = st.dictionaries(docs, st.integers(-1, 3), min_size=1, max_size=25)
scores = st.dictionaries(docs, st.sampled_from([0.0, 1.0, 2.0, 2.00000001, 3.5, -1.0]), min_size=1, max_size=25)
topics = st.sampled_from(["1", "2", "3"])
many = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def apart(of: dict[str, float]) -> dict[str, float]:
    """Return a run without ties: other tools break them in other ways."""
    return {doc: float(100 - i) for i, doc in enumerate(of)}


def judged_topics(qrels: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """Return the topics with anything relevant; the others are left out here and count 0 there."""
    return {t: of for t, of in qrels.items() if any(g > 0 for g in of.values())}


TREC = [
    "map", "gm_map", "Rprec", "bpref", "recip_rank", "P_5", "P_10", "recall_5", "recall_30", "ndcg", "ndcg_cut_5",
    "ndcg_cut_10", "map_cut_5", "success_1", "success_5", "set_P", "set_recall", "set_F", "set_map", "set_relative_P",
    "relative_P_5", "relative_P_100", "infAP", "11pt_avg", "iprec_at_recall_0.00", "iprec_at_recall_0.30", "num_ret",
    "num_rel_ret", "num_nonrel_judged_ret", "num_q",
]  # fmt: skip


@many
@given(st.dictionaries(topics, sampled, min_size=1), st.dictionaries(topics, scores, min_size=1), st.integers(1, 3))
def test_names_of_trec_eval_give_its_numbers_ties_and_levels_included(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], level: int
) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels = judged_topics(qrels)
    if not qrels:
        return
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(TREC), relevance_level=level).evaluate(run)
    for name in TREC:
        measure = parse_measure(name)
        if any(p.name == "rel" for p in measure.spec.params) and level > 1:
            measure = measure(rel=level)
        if name == "num_ret" and level > 1:
            continue
        if name == "num_rel_ret" and level > 1:
            measure = parse_measure(f"NumRet(rel={level})")
        ours = evaluate(qrels, run, [measure], trec_ties=True)[measure]
        for topic in set(qrels) & set(run):
            expected = theirs[topic][name]
            if name == "gm_map":
                expected = math.exp(expected)
                assert max(ours.topics[topic], 1e-5) == pytest.approx(expected, abs=1e-9)
                continue
            if name == "num_nonrel_judged_ret" and level > 1:
                continue
            assert ours.topics[topic] == pytest.approx(expected, abs=1e-9), (name, topic, level)


def test_several_measures_of_trec_eval_by_one_name() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    assert [repr(m) for m in expand("P_5,10")] == ["P@5", "P@10"]
    assert [m.cutoff for m in expand("ndcg_cut")] == list(CUTOFFS)
    assert len(expand("iprec_at_recall")) == 11 and repr(expand("map")[0]) == "AP"
    for name in ("official", "set", "all_trec"):
        missing = 0
        for part in pytrec_eval.supported_nicknames[name]:
            if part in NOT_OFFERED:
                with pytest.raises(UsageError, match=f"'{part}' of trec_eval is not offered"):
                    parse_measure(part)
                continue
            translated = {"num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet"}.get(part, part)
            wanted = expand(translated)
            if part in ("P", "success"):
                wanted = [parse_measure(f"{part}@{k}") for k in ((1, 5, 10) if part == "success" else CUTOFFS)]
            missing += not set(wanted) <= set(expand(name))
        assert not missing, name


IRM = [
    "AP", "AP(rel=2)", "AP(rel=2)@5", "P@10", "P(rel=2)@10", "R@5", "R(rel=3)@5", "RR", "RR(rel=2)", "Rprec(rel=2)",
    "nDCG", "nDCG@10", "nDCG@3", "Bpref(rel=2)", "IPrec@0.1", "IPrec(rel=2)@0.5", "Success@5", "Success(rel=3)@1",
    "SetP", "SetP(rel=2)", "SetR", "SetF", "SetAP(rel=2)", "SetP(relative=True)", "NumRet", "NumRet(rel=2)", "NumRel",
    "NumQ", "infAP", "infAP(rel=2)", "NumRelRet", "MRR", "NDCG@5",
]  # fmt: skip


@THEIR_NAMES
@many
@given(st.dictionaries(topics, grades, min_size=1), st.data())
def test_measures_of_ir_measures_give_its_means(qrels: dict[str, dict[str, int]], data: st.DataObject) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("pytrec_eval")
    qrels = judged_topics(qrels)
    if not qrels:
        return
    run = {t: data.draw(scores) for t in qrels}
    asked = [ir_measures.parse_measure(name) for name in IRM if name not in ("SetP(relative=True)",)]
    asked.append(ir_measures.SetP(relative=True))
    for measure in asked:
        theirs = ir_measures.calc_aggregate([measure], qrels, run)[measure]
        found = evaluate(qrels, run, [measure], trec_ties=True)
        assert found[found.measures[0]].mean == pytest.approx(theirs, abs=1e-9), measure


@many
@given(st.dictionaries(topics, grades, min_size=1, max_size=3), st.data(), st.integers(1, 12))
def test_judged_err_and_exponential_gains_agree_with_the_providers_of_ir_measures(
    qrels: dict[str, dict[str, int]], data: st.DataObject, k: int
) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels = judged_topics(qrels)
    run = {t: apart(data.draw(scores)) for t in qrels}
    if not qrels:
        return
    judged = ir_measures.Judged @ k
    theirs = ir_measures.judged.calc_aggregate([judged], qrels, run)[judged]
    assert evaluate(qrels, run, [judged])[f"Judged@{k}"].mean == pytest.approx(theirs, abs=1e-9)


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is a Perl script")
def test_gdeval_agrees_to_the_five_digits_that_it_prints() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    random = np.random.default_rng(5)
    qrels = {str(t): {f"d{i}": int(random.integers(-1, 5)) for i in range(30)} for t in range(1, 9)}
    run = {t: {f"d{i}": float(random.integers(0, 20)) for i in random.permutation(40)[:25]} for t in qrels}
    for k in (1, 5, 20, 100):
        exp, err = ir_measures.nDCG(dcg="exp-log2") @ k, ir_measures.ERR @ k
        theirs = ir_measures.gdeval.calc([exp, err], qrels, run).per_query
        ours = evaluate(qrels, run, [exp, err], trec_ties=True)
        for row in theirs:
            name = f"nDCG(exp)@{k}" if row.measure == exp else f"ERR@{k}"
            assert ours[name].topics[row.query_id] == pytest.approx(row.value, abs=6e-6), (row, k)


@many
@given(grades, scores, st.sampled_from([0.5, 0.8, 0.95]), st.integers(1, 3))
def test_rank_biased_precision_agrees_with_cwl(
    graded: dict[str, int], scored: dict[str, float], p: float, rel: int
) -> None:
    pytest.importorskip("cwl")
    ir_measures = pytest.importorskip("ir_measures")
    if not any(graded.values()):
        return
    measure = ir_measures.RBP(p=p, rel=rel)
    theirs = ir_measures.cwl_eval.calc_aggregate([measure], {"1": graded}, {"1": apart(scored)})[measure]
    ours = evaluate({"1": graded}, {"1": apart(scored)}, [measure])[f"RBP(p={p},rel={rel})"].mean
    assert ours == pytest.approx(theirs, abs=1e-9)


def one(name: str, graded: dict[str, float], ranking: str) -> float:
    """Return a measure of a ranking of one-letter documents."""
    run = {"1": {doc: float(99 - i) for i, doc in enumerate(ranking)}}
    return evaluate({"1": graded}, run, [name])[name].mean


def test_new_measures_by_hand() -> None:
    of: dict[str, float] = {"a": 2, "b": 0, "c": 1}
    assert one("RBP", of, "abc") == pytest.approx(0.2 * (1 + 0.64))
    assert one("RBP(p=0.5,rel=2)", of, "bca") == pytest.approx(0.5 * 0.25)
    assert one("RBP@1", of, "abc") == pytest.approx(0.2)
    assert one("ERR", of, "abc") == pytest.approx(3 / 16 + 1 / 3 * 1 / 16 * 13 / 16)
    assert one("ERR(max=2)@2", of, "cab") == pytest.approx(1 / 4 + 3 / 4 * 3 / 4 / 2)
    assert one("nDCG(exp)@2", of, "ca") == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))
    assert one("DCG(exp)@3", of, "abc") == pytest.approx(3 + 1 / 2)
    assert one("Judged@4", of, "axcy") == 0.5 and one("Judged@4", of, "ax") == 0.5
    # one above that was pooled and not judged: 1/2 + 1/2 * 1/1 * eps / 2 eps
    assert one("infAP", {"u": -1, "r": 1}, "ur") == pytest.approx(0.75)
    assert one("infAP", {"n": 0, "r": 1}, "nxr") == pytest.approx(1 / 3 + 2 / 3 * 1 / 2 * 1e-5 / (1 + 2e-5))
    assert one("SetAP", of, "abx") == pytest.approx(1 / 3 * 1 / 2) and one("SetRelP", of, "a") == 1
    assert one("relP@5", of, "abx") == 0.5 and one("NumNonRelRet", of, "abx") == 1


def test_rel_is_at_least_and_level_is_alone() -> None:
    qrels = {"1": {"a": 3, "b": 1, "c": 2}, "2": {"a": 1}}
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0}}
    result = evaluate(qrels, run, ["AP(rel=2)", "AP(level=2)", "AP(level=1)", "P(rel=2)@2"])
    assert result["AP(rel=2)"].topics == {"1": pytest.approx((1 + 2 / 3) / 2), "2": 0.0}
    assert result["AP(rel>=2)"] is result["AP(rel=2)"]
    assert result["AP(level=2)"].topics == {"1": pytest.approx(1 / 3)}
    assert result["AP(level=1)"].topics == {"1": 0.5, "2": 1.0}
    assert result["P(rel=2)@2"].topics == {"1": 0.5, "2": 0.0}
    assert "run: AP(rel=2): topics with nothing of grade 2 or above count 0 (once)" in result.notices
    assert any("AP(level=2) is not defined for 1 topic" in n for n in result.notices)
    assert evaluate(qrels, run, ["iPR(rel=3)"])["iPR(rel=3)"].topics["2"].tolist() == [0.0] * 11


def test_counts_of_trec_eval_and_of_the_inex_tool_share_their_names() -> None:
    names = ["num_ret", "num_rel", "num_rel_ret"]
    result = evaluate({"1": {"a": 1, "b": 1, "c": 0}}, {"1": {"a": 3.0, "c": 2.0, "x": 1.0}}, names)
    assert [result[name].mean for name in names] == [3, 2, 1]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("mrr", "RR"),
        ("ndcg_burges@10", "nDCG(exp)@10"),
        ("rbp.95", "RBP(p=.95)"),
        ("hit_rate@5", "success@5"),
        ("r-precision", "Rprec"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(exp)@10"),
        ("nDCG(dcg=log2)@10", "nDCG(trec)@10"),
        ("ndcg@10", "nDCG(trec)@10"),
        ("map(rel=2)", "AP(rel=2)"),
        ("Bpref(rel=2)", "bpref(rel=2)"),
    ],
)
def test_other_tools_names_are_ours(theirs: str, ours: str) -> None:
    assert parse_measure(theirs) == parse_measure(ours)


def test_the_authors_form_is_the_default_of_ndcg_and_the_command_says_so(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 2\n1 0 c 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n1 Q0 c 3 1 r\n")
    table = call("eval", tmp_path / "qrels", tmp_path / "run", "-m", "nDCG@2 ndcg_cut_2", "-f", "csv")
    trec = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    assert table.splitlines()[1:] == ["r,nDCG@2,all,1.0", f"r,nDCG(trec)@2,all,{trec!r}"]
    assert "nDCG@2 is its authors' (ranks 1 and 2 count in full); that of trec_eval is nDCG(trec)@2" in (
        capsys.readouterr().err
    )
    call("eval", tmp_path / "qrels", tmp_path / "run", "-m", "ndcg_cut_2")
    assert "authors" not in capsys.readouterr().err
