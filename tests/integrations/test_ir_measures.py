"""Trix as a provider of ir_measures, with the real package."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from tests.eval.studies.test_tools import passage_qrels, passage_run
from tests.eval_samples import THEIR_NAMES
from trix.errors import UsageError
from trix.eval.data.qrels import Qrels
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.measures.core.registry import parse_measure, specs

ir_measures = pytest.importorskip("ir_measures")
from trix.integrations.ir_measures import OURS, MAgP, TrixProvider, iP, measure, provider  # noqa: E402


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "offsets").write_text("1 Q0 d 50 200 0 0:50\n1 Q0 e 9 20 3 3:9\n2 Q0 d 9 200 3 3:9\n3 Q0 d 0 200\n")
    (tmp_path / "run").write_text("1 Q0 d 1 3 p 0 60\n1 Q0 x 2 2 p 0 9\n1 Q0 e 3 1 p 5 9\n2 Q0 x 1 2 p 0 9\n")
    return tmp_path


def test_measures_of_trix_go_through_ir_measures_as_its_own_do(files: Path) -> None:
    qrels, run = trix.read_qrels(files / "offsets"), trix.read_run(files / "run")
    asked = [iP @ 0.01, MAgP, measure("gP[T2I(10)]@2"), measure("art_prec"), OURS["num_ret"]]
    expected = trix.evaluate(qrels, run, ["iP@0.01", "MAgP", "gP[T2I(10)]@2", "art_prec", "num_ret"])
    for judged, ranked in [
        (qrels, run),
        (files / "offsets", files / "run"),
        (str(files / "offsets"), str(files / "run")),
    ]:
        found = ir_measures.calc_aggregate(asked, judged, ranked)
        for name, known in zip(asked, expected.measures, strict=True):
            assert found[name] == expected[known].mean, name
    mixed = ir_measures.calc([ir_measures.P @ 1, *asked], qrels, run)
    for name, known in zip(asked, expected.measures, strict=True):
        assert mixed.aggregated[name] == expected[known].mean, name
    assert mixed.aggregated[ir_measures.P @ 1] == 1 / 3  # theirs counts topics with nothing relevant
    rows = {(m.query_id, str(m.measure)): m.value for m in mixed.per_query}
    assert rows["1", "iP@0.01"] == expected["iP@0.01"].topics["1"]


def test_topics_that_trix_leaves_out_count_for_nothing_beside_other_providers(files: Path) -> None:
    qrels, run = trix.read_qrels(files / "offsets"), trix.read_run(files / "run")
    found = ir_measures.calc([ir_measures.AP, MAgP], qrels, run)
    values = [m.value for m in found.per_query if m.measure == MAgP]
    assert sum(map(math.isnan, values)) == len(values) - 2 and not math.isnan(found.aggregated[MAgP])


@THEIR_NAMES
def test_names_are_known_to_its_parser_and_print_as_its_own() -> None:
    assert ir_measures.parse_measure("iP@0.01") == iP @ 0.01 and str(iP @ 0.01) == "iP@0.01"
    assert ir_measures.parse_measure("MAgP").NAME == "AgP"
    assert ir_measures.parse_measure('AgP(score="T2I(300)")').trix == parse_measure("AgP[T2I(300)]")
    assert ir_measures.parse_measure("nDCG@10") == ir_measures.nDCG @ 10  # theirs stays theirs
    with pytest.raises(AttributeError, match="no measure 'iQ'"):
        trix.integrations.ir_measures.iQ  # noqa: B018
    with pytest.raises(ImportError):
        from trix.integrations.ir_measures import nothing  # noqa: F401


@pytest.mark.parametrize(
    "name", ["AP(level=2)@5", "gP[T2I(300)]@10", "inex2002(quant=sog)", "nDCG(b=10)@10", "PRUM@0.1", "P(rel=2)@5", "LE"]
)
def test_every_name_of_trix_has_its_measure_there(name: str) -> None:
    if name == "LE":
        with pytest.raises(UsageError, match="scores single documents"):
            measure(name)
        return
    made = measure(name)
    assert made.trix == parse_measure(name) and provider.supports(made)
    assert {spec.name for spec in specs()} == set(OURS)


def graded(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    random = np.random.default_rng(seed)
    qrels = {str(t): {f"d{i}": int(random.integers(0, 4)) for i in range(20)} for t in range(1, 6)}
    run = {t: {f"d{i}": float(random.integers(0, 9)) for i in random.permutation(30)[:15]} for t in qrels}
    return qrels, run


def test_tuples_frames_and_dicts_are_ranked_by_their_scores_as_trec_eval_does() -> None:
    pandas = pytest.importorskip("pandas")
    qrels, run = graded(1)
    tuples = [ir_measures.Qrel(t, d, g) for t, of in qrels.items() for d, g in of.items()]
    scored = [ir_measures.ScoredDoc(t, d, s) for t, of in run.items() for d, s in of.items()]
    asked = [measure("F1@5"), measure("AP(rel=2)"), measure("GMAP"), measure("NumRel")]
    expected = trix.evaluate(qrels, run, ["F1@5", "AP(rel=2)", "GMAP", "NumRel"], trec_ties=True)
    means = [expected[m].mean for m in expected.measures]
    forms: list[tuple[Any, Any]] = [(qrels, run), (tuples, scored), (iter(tuples), iter(scored))]
    forms.append((pandas.DataFrame(tuples), pandas.DataFrame(scored)))
    for judged, ranked in forms:
        found = ir_measures.calc_aggregate(asked, judged, ranked)
        assert [found[m] for m in asked] == means
    theirs = ir_measures.calc_aggregate([ir_measures.AP(rel=2)], qrels, run)[ir_measures.AP(rel=2)]
    assert means[1] == pytest.approx(theirs, abs=1e-12)


def test_measures_of_ir_measures_that_need_more_there_can_be_had_from_trix() -> None:
    qrels, run = graded(2)
    asked = [ir_measures.ERR @ 10, ir_measures.RBP(rel=2, p=0.9), ir_measures.nDCG(dcg="exp-log2") @ 5]
    found = provider.calc_aggregate(asked, qrels, run)
    ours = trix.evaluate(qrels, run, ["ERR@10", "RBP(p=0.9,rel=2)", "nDCG(exp)@5"], trec_ties=True)
    assert [found[m] for m in asked] == [ours[m].mean for m in ours.measures]
    assert not provider.supports(ir_measures.nDCG(gains={1: 5})) and not provider.supports(ir_measures.Compat(p=0.9))
    first = provider.calc_aggregate([ir_measures.nDCG @ 10], qrels, run)
    second = ir_measures.pytrec_eval.calc_aggregate([ir_measures.nDCG @ 10], qrels, run)
    assert first == pytest.approx(second, abs=1e-12)


def test_our_assessments_and_runs_serve_its_own_measures_too() -> None:
    pytest.importorskip("pytrec_eval")
    qrels, run = graded(3)
    ours = Qrels.from_grades(qrels), trix.evaluate
    ranked = Rankings({t: Ranking(list(of), scores=np.array(list(of.values()))) for t, of in run.items()})
    asked = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.Judged @ 10]
    assert ir_measures.calc_aggregate(asked, ours[0], ranked) == ir_measures.calc_aggregate(asked, qrels, run)
    documents = list(passage_qrels().itertuples())
    assert (documents[0].doc_id, documents[0].relevance, documents[2].relevance) == ("a", 1, 0)
    rows = list(passage_run(("b", 0, 9), ("a", 0, 5), ("b", 20, 30)).itertuples())
    assert [(r.doc_id, r.score) for r in rows[:2]] == [("b", 3.0), ("a", 2.0)] and len(rows) == 6


def test_a_vector_is_refused_and_options_are_those_of_an_evaluation(files: Path) -> None:
    qrels: Any = trix.read_qrels(files / "offsets")  # the provider takes ours, too
    run = trix.read_run(files / "run")
    with pytest.raises(UsageError, match="iP is a vector; ir_measures takes numbers"):
        ir_measures.calc_aggregate([iP], qrels, run)
    one: Any = Rankings({"1": run["1"]})
    shared = TrixProvider(only_shared=True).calc_aggregate([MAgP], qrels, one)[MAgP]
    assert shared == 2 * provider.calc_aggregate([MAgP], qrels, one)[MAgP] != 0
    assert "trix" in ir_measures.providers.registry and ir_measures.DefaultPipeline.providers[-1] is provider
