"""Every measure in the laboratory: `sweep`, `tune` and `learn` say what `trix.evaluate` says of the run itself."""

from __future__ import annotations

import json
import math
import random
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from tests.lab_samples import EXPERIMENT, WORDS
from trix.cli import main
from trix.errors import TrixError, UsageError
from trix.eval.evaluate import evaluate
from trix.eval.measures.core.registry import Measure, parse_measure, specs
from trix.eval.scores import Score
from trix.lab.learn import learn
from trix.lab.plan.experiment import Experiment
from trix.lab.plan.toml import parse_experiment
from trix.lab.run.collection import CollectionEvaluator
from trix.lab.run.load import load
from trix.lab.run.sweep import sweep
from trix.lab.tune import tune

LEARN = """
[[learn]]
name = "chain"
context = "root:{w}"
grid.w = [0, 1.5]
"""


def measures() -> Iterator[Measure]:
    """Yield every measure there is: by itself, and at a cut-off where it takes one."""
    for spec in specs():
        for name in (spec.name, f"{spec.name}@{0.1 if spec.cutoff == 'recall' else 5}"):
            try:
                yield parse_measure(name)
            except UsageError:
                continue


def write_assessments(place: Path) -> dict[str, Path]:
    """Write assessments of every form on the articles of each topic's word; of the first topics none is exhaustive."""
    generator = random.Random(26)
    folder = place / "levels"
    folder.mkdir()
    files = {"elements": place / "qrels", "documents": place / "documents.qrels", "offsets": place / "offsets.qrels"}
    grades, offsets = [], []
    with trix.open(place / "a.index") as index:
        for t in range(len(WORDS)):
            judged = []
            for number in (t, t + len(WORDS)):
                doc = f"a{number:02d}"
                grades.append(f"{t + 1} 0 {doc} {1 + number % 2}\n")
                length = len(index.show(doc, raw=True))
                at, size = generator.randrange(length // 2), generator.randrange(1, length // 2)
                offsets.append(f"{t + 1} Q0 {doc} {size} {length} {at} {at}:{size}\n")
                most = 3 if t > 2 else 1
                paths = [("", most, 1), ("/body[1]", most, 1), ("/body[1]/sec[1]", most, generator.randint(1, 3))]
                paths += [
                    (f"/body[1]/sec[1]/p[{p}]", generator.randint(1, most), generator.randint(1, 3)) for p in (1, 2)
                ]
                lines = "".join(
                    f'<path path="/article[1]{path}" exhaustiveness="{e}" specificity="{s}"/>' for path, e, s in paths
                )
                judged.append(f'<file file="{doc}">{lines}</file>')
            (folder / f"{t + 1}.xml").write_text(f'<assessments topic="{t + 1}">{"".join(judged)}</assessments>')
    files["documents"].write_text("".join(grades))
    files["offsets"].write_text("".join(offsets))
    return {**files, "levels": folder}


@pytest.fixture(scope="module")
def assessments(place: Path) -> dict[str, Path]:
    return write_assessments(place)


def experiment(place: Path, qrels: Path, names: list[str], **tables: Any) -> Experiment:
    data = tomllib.loads(EXPERIMENT + LEARN)
    data["collection"]["qrels"] = str(qrels)
    data["measures"], data["sizes"] = names, 0
    if qrels.name == "offsets.qrels":  # measures of articles want those in one piece
        data["options"] = {"strategy": "relevant-in-context"}
    data["family"] = [{"name": "root", "context": "root:{w}", "grid": {"w": [0.5, 2]}}]
    return parse_experiment({**data, **tables}, place)


def scores_of(place: Path, qrels: Path, settings: str, names: list[Measure]) -> dict[Measure, Score]:
    """Return what the evaluator says of the run with some settings; without the measures that it refuses."""
    found: dict[Measure, Score] = {}
    judged = trix.read_qrels(qrels)
    with trix.open(place / "a.index") as index:
        run, resolver = index.run(trix.read_topics(place / "topics.tsv"), **json.loads(settings)), trix.Resolver(index)
        for measure in names:
            with suppress(TrixError):
                found[measure] = evaluate(judged, run, [measure], resolver=resolver)[measure]
    return found


FORMS = ("elements", "documents", "levels", "offsets")


def equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-12) or (math.isnan(one) and math.isnan(other))


@pytest.mark.parametrize(
    "form", [pytest.param(each, marks=[pytest.mark.slow] * (each == "documents")) for each in FORMS]
)
def test_every_measure_of_a_sweep_and_of_its_folder_is_the_evaluators(
    place: Path, assessments: dict[str, Path], form: str, tmp_path: Path
) -> None:
    qrels, every = assessments[form], list(measures())
    settings = experiment(place, qrels, ["AP"]).variants[1].settings
    known = scores_of(place, qrels, settings, every)
    plain = [m for m in known if not known[m].is_vector and (m.spec.finish is None or m.spec.parts)]
    assert len(plain) > 40 and {m.spec.name for m in plain} >= SURELY[form]
    asked = experiment(place, qrels, list(map(repr, plain)))
    found = sweep(asked, tmp_path / "swept", jobs=1)
    again = load(tmp_path / "swept")
    variant = asked.variants[1]
    for measure in plain:
        score = known[measure]
        for measured in (found.measured, again.measured):
            values = {t: measured.value(variant, ("small", t), repr(measure)) for _, t in found.topics}
            wanted = {t: float(v) for t, v in score.topics.items() if np.isfinite(v)}
            assert {t: v for t, v in values.items() if not math.isnan(v)} == pytest.approx(wanted, 1e-12), measure
            assert equal(measured.mean(variant, found.topics, measure), float(score.mean)), measure
    assert main(["report", str(tmp_path / "swept"), "--no-figures"]) == 0


SURELY = {
    "elements": {"AP", "GMAP", "NumRelRet", "nDCG", "ESL", "infAP"},
    "documents": {"AP", "GMAP", "NumRelRet", "nDCG", "ESL", "infAP"},
    "levels": {"aggregate2004", "inex2002", "inex2003", "nxCG", "MAep", "Q", "PRUM", "GR"},
    "offsets": {"AiP", "char_prec", "num_rel", "AgP", "gP", "ANCE", "HiXEval"},
}


def test_what_has_no_single_value_a_topic_is_refused_before_anything_is_measured(
    place: Path, assessments: dict[str, Path]
) -> None:
    qrels = assessments["elements"]
    with pytest.raises(UsageError, match=r"ranks-for-gain@5 is computed from the mean curves .* such as CG@5"):
        experiment(place, qrels, ["AP", "ranks-for-gain@5"])
    (collection,) = experiment(place, qrels, ["AP"]).collections
    for name, hint in (("nDCG", "nDCG@10"), ("iPR", "iPR@0.1"), ("inex2002-curve", "inex2002-curve@0.1")):
        bench = CollectionEvaluator(collection, [parse_measure(name)])
        with pytest.raises(UsageError, match=f"{name} is a vector; give a cut-off, as {hint}$"):
            bench.measure("1", experiment(place, qrels, ["AP"]).variants[:1])


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("levels", "aggregate2004"), ("levels", "PRUM@0.1"), ("elements", "GMAP"), ("elements", "NumRelRet"),
        ("elements", "ESL"), ("documents", "RR"), ("offsets", "AiP"), ("offsets", "ret_size"),
    ],
)  # fmt: skip
def test_tuning_and_learning_reach_the_evaluators_means(
    place: Path, assessments: dict[str, Path], form: str, name: str, tmp_path: Path
) -> None:
    qrels, measure = assessments[form], parse_measure(name)
    asked = experiment(place, qrels, [name])
    tuned = tune(asked, tmp_path / "tuned", restarts=0, folds=2, jobs=1)
    learned = learn(asked, tmp_path / "learned", restarts=0, folds=2, jobs=1)
    for best, trained, baseline in (
        (tuned.best, tuned.trained, tuned.baseline),
        (learned.best, learned.trained, learned.baseline),
    ):
        assert equal(trained, float(scores_of(place, qrels, best.settings, [measure])[measure].mean))
        of_baseline = scores_of(place, qrels, asked.baseline.settings, [measure])[measure]
        assert equal(baseline, float(of_baseline.mean))
    sign = 1 if measure.spec.higher else -1
    means = [float(scores_of(place, qrels, v.settings, [measure])[measure].mean) for v in asked.families[0].variants]
    assert equal(sign * tuned.trained, max(sign * each for each in means))


def test_the_seven_quantisations_are_averaged_over_the_topics_of_each(
    place: Path, assessments: dict[str, Path]
) -> None:
    """Of three topics nothing is exhaustive: strict and its kin are not defined there, and leave the others alone."""
    qrels, measure = assessments["levels"], parse_measure("aggregate2004")
    settings = experiment(place, qrels, ["AP"]).variants[1].settings
    score = scores_of(place, qrels, settings, [measure])[measure]
    mean_of_topics = sum(float(value) for value in score.topics.values()) / len(score.topics)
    assert abs(mean_of_topics - float(score.mean)) > 1e-6, "else nothing here would tell the two apart"
    assert score.mean == pytest.approx(sum(score.details.values()) / 7)


def test_assessments_that_trees_cannot_learn_from_are_refused_before_the_search(
    place: Path, assessments: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trix.lab.ceiling.need_lightgbm", lambda: None)
    for form, name in (("levels", "aggregate2004"), ("elements", "inex2002"), ("documents", "AP")):
        with pytest.raises(UsageError, match=f"LambdaMART learns by a flat measure .*, not by {name}"):
            learn(experiment(place, assessments[form], [name]), tmp_path / form, folds=2, jobs=1, ceiling=True)


def test_ir_measures_gets_the_evaluators_means(place: Path, assessments: dict[str, Path]) -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="needs the extra ir-measures")
    from trix.integrations.ir_measures import measure as of_trix

    settings = experiment(place, assessments["levels"], ["AP"]).variants[1].settings
    for form, name in (("levels", "aggregate2004"), ("elements", "ranks-for-gain@2"), ("elements", "GMAP")):
        with trix.open(place / "a.index") as index:
            run = index.run(trix.read_topics(place / "topics.tsv"), **json.loads(settings))
        qrels, known = trix.read_qrels(assessments[form]), parse_measure(name)
        wanted = evaluate(qrels, run, [known], trec_ties=True)[known]  # as ir_measures orders results
        found = ir_measures.calc_aggregate([of_trix(name)], qrels, run)
        assert equal(found[of_trix(name)], float(wanted.mean))
