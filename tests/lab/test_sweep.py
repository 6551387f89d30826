"""The laboratory: experiments, sweeps that can be killed, training, tuning, reports."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import trix
from tests.conftest import Cli
from tests.lab_samples import EXPERIMENT
from tests.paths import ROOT
from trix.cli import main
from trix.errors import TrixError, UsageError
from trix.eval.evaluate import evaluate
from trix.eval.formats.read import read_qrels
from trix.eval.measures.core.defaults import expand
from trix.lab.ascent import ascent, in_lockstep
from trix.lab.plan.experiment import Experiment, JudgedCollection
from trix.lab.plan.grid import points, sample, steps
from trix.lab.plan.toml import parse_experiment, read_experiment
from trix.lab.report.tables import ReportData, main_table
from trix.lab.run import provenance
from trix.lab.run.collection import CollectionEvaluator
from trix.lab.run.journal import Journal
from trix.lab.run.load import load
from trix.lab.run.parts import MODEL
from trix.lab.run.sweep import sweep
from trix.lab.run.workers import EvaluatorSet, Measurement, SweepWorkers, TopicTask
from trix.lab.tune import tune
from trix.query.basic_scores import BasicScorer
from trix.query.scoring.models import Letters

FINAL = ("topics.csv", "variants.csv", "experiment.json", "experiment.toml")


def experiment(place: Path, changes: str = "", **tables: Any) -> Experiment:
    """Return the experiment with other tables."""
    return parse_experiment({**tomllib.loads(EXPERIMENT + changes), **tables}, place)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


# -- experiments ------------------------------------------------------------------------------------------------------


def test_a_grid_has_every_combination_and_templates_are_filled(place: Path) -> None:
    family = read_experiment(place / "e.toml").family("vertical")
    assert len(family.variants) == 9
    assert family.variants[1].name == "vertical:x=-1,f=1"
    assert str(family.variants[1].options.context) == "hierarchy:x=-1"
    assert family.variants[0].options.level == "content"


def test_a_parameter_that_is_an_option_needs_no_template(place: Path) -> None:
    assert [v.options.b for v in read_experiment(place / "e.toml").family("b").variants] == [0.1, 0.4, 0.9]


def test_a_list_names_its_points_one_by_one(place: Path) -> None:
    family = experiment(place, family=[{"name": "l", "list": [{"b": 0.2, "v": 1}, {"b": 0.3, "v": 3}]}]).family("l")
    assert [(v.options.b, v.options.v) for v in family.variants] == [(0.2, 1), (0.3, 3)]


def test_a_sample_is_the_same_for_the_same_seed_and_another_for_another(place: Path) -> None:
    def names(seed: int) -> list[str]:
        grid = {"b": {"low": 0.0, "high": 1.0}, "v": {"low": 0.1, "high": 10.0, "log": True}}
        family = {"name": "s", "sample": 6, "seed": seed, "grid": grid}
        return [v.name for v in experiment(place, family=[family]).family("s").variants]

    assert names(1) == names(1) != names(2)
    assert len(set(names(1))) == 6


def test_a_sample_of_a_grid_keeps_its_order_and_repeats_nothing() -> None:
    from trix.lab.plan.grid import ParameterAxis

    axes = (ParameterAxis("x", tuple(range(5))), ParameterAxis("y", tuple(range(5))))
    found = sample(axes, 7, 3)
    assert found == [point for point in points(axes) if point in found]
    assert len(set(found)) == 7


def test_steps_are_decimal() -> None:
    assert steps(-1.5, 1.5, 0.25)[6] == 0.0
    assert steps(0.1, 0.5, 0.1) == (0.1, 0.2, 0.3, 0.4, 0.5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"familly": []}, "unknown key familly (did you mean family?)"),
        ({"measures": ["APP"]}, "APP"),
        ({"train_on": "RR"}, "train_on = 'RR': expected one of the measures"),
        ({"options": {"modle": "bm25"}}, r"\[options\]: unknown key modle \(did you mean model\?\)"),
        ({"collection": {"index": "i", "topics": "t"}}, "the key qrels is missing"),
        ({"family": [{"name": "a", "contxt": "root"}]}, r"\[\[family\]\] a: unknown key contxt \(did you mean context"),
        ({"family": [{"name": "a", "b": 7}]}, r"\[\[family\]\] a: b = 7: expected a number from 0 to 1"),
        ({"family": [{"name": "a", "context": "root:{w}"}]}, "there is no parameter w"),
        ({"family": [{"name": "a", "grid": {"w": [1]}}]}, "w: is no search option, and no template has"),
        ({"family": [{"name": "a", "grid": {"b": {"from": 1, "to": 0, "by": 1}}}]}, "expected from <= to and by > 0"),
        ({"family": [{"name": "a", "grid": {"b": {"low": 0, "high": 1}}}]}, "a range has no fixed values"),
        ({"family": [{"name": "a", "context": "rot"}]}, "did you mean root\\?"),
        ({"family": [{"name": "a"}, {"name": "a"}]}, "the name is taken"),
        ({"split": {"kind": "fold"}}, r"expected one of none, halves, folds, swap, topics \(did you mean folds\?\)"),
        ({"split": {"kind": "swap"}}, "expected two collections"),
        ({"split": {"kind": "topics", "train": ["1"], "test": ["1"]}}, "topic 1 is in both train and test"),
    ],
)
def test_mistakes_are_one_line_with_a_place(place: Path, change: dict[str, Any], said: str) -> None:
    with pytest.raises(TrixError) as caught:
        experiment(place, **change)
    message = str(caught.value)
    assert "\n" not in message
    assert re.search(said, message) or said in message, message


def test_broken_toml_names_the_file_and_the_line(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("title = \n")
    with pytest.raises(TrixError, match=r"x\.toml.*line 1"):
        read_experiment(tmp_path / "x.toml")


# -- values -----------------------------------------------------------------------------------------------------------


def collection(place: Path, **more: Any) -> JudgedCollection:
    return JudgedCollection(
        name="small", index=place / "a.index", topics=place / "topics.tsv", qrels=(place / "qrels",), **more
    )


def test_every_flat_measure_equals_the_evaluators_on_the_run_itself(place: Path) -> None:
    measures = [m for m in expand("flat") if m.cutoff is not None or m.spec.name in ("AP", "GMAP", "RR", "Rprec")]
    measures += [m for m in expand("flat") if m.spec.name in ("bpref", "ESL")]
    asked = experiment(place, measures=list(map(repr, measures)))
    bench = CollectionEvaluator(collection(place), asked.measures)
    variants = asked.variants[::3]
    qrels = read_qrels(place / "qrels")
    found = {topic: bench.measure(topic, variants) for topic in bench.topics}
    with trix.open(place / "a.index") as index:
        for k, variant in enumerate(variants):
            run = index.run(trix.read_topics(place / "topics.tsv"), **json.loads(variant.settings))
            wanted = evaluate(qrels, run, list(asked.measures), elements=index.files.totals["elements"])
            for measure in asked.measures:
                score = wanted[measure]
                values = {topic: found[topic][k][repr(measure)] for topic in found}
                assert {t: v for t, v in values.items() if v is not None} == score.topics, (variant.name, measure)


@pytest.mark.parametrize(
    "options",
    [
        {"context": "hierarchy:f=1,all=1"},
        {"context": ["root", "horizontal:alpha=0.01,gamma=0.5,level=//sec/p"]},
        {"expand": "3:2"},
        {"model": "bm25", "context": "parent", "strategy": "fetch-browse", "fetch": "sum"},
        {"level": "minor:sec", "overlap": "none"},
    ],
    ids=str,
)
def test_sharing_changes_nothing_whatever_the_options(place: Path, options: dict[str, Any]) -> None:
    asked = experiment(place, family=[{"name": "one", **options}, {"name": "two", "context": "tower"}], sizes=0)
    bench = CollectionEvaluator(collection(place), asked.measures)
    in_lockstep = {topic: bench.measure(topic, asked.variants) for topic in bench.topics[:5]}
    with trix.open(place / "a.index") as index:
        for k, variant in enumerate(asked.variants):
            run = index.run(trix.read_topics(place / "topics.tsv"), **json.loads(variant.settings))
            wanted = evaluate(read_qrels(place / "qrels"), run, ["AP"])["AP"].topics
            assert {t: values[k]["AP"] for t, values in in_lockstep.items()} == {t: wanted[t] for t in in_lockstep}


def test_structured_topics_are_measured_as_they_are_run(place: Path, tmp_path: Path) -> None:
    (tmp_path / "cas.tsv").write_text("1\t//sec[about(., tree)]//p[about(., context)]\n2\t//p[about(., edit)]\n")
    asked = experiment(place, sizes=0)
    given = JudgedCollection(
        name="cas", index=place / "a.index", topics=tmp_path / "cas.tsv", qrels=(place / "qrels",), level="content"
    )
    bench = CollectionEvaluator(given, asked.measures)
    with trix.open(place / "a.index") as index:
        run = index.run(trix.read_topics(tmp_path / "cas.tsv"), **json.loads(asked.baseline.settings))
        wanted = evaluate(read_qrels(place / "qrels"), run, ["AP"], only_shared=True)["AP"].topics
    assert {topic: bench.measure(topic, [asked.baseline])[0]["AP"] for topic in ("1", "2")} == wanted


def test_the_field_of_the_topics_can_be_varied(place: Path, tmp_path: Path) -> None:
    """As query types are compared in [JK00, table 1]."""
    lines = (place / "topics.tsv").read_text().splitlines()
    cells = [f"{line}\t{line.split()[1]} path score\t" for line in lines]
    cells[0] += "//sec[about(., tree)]//p[about(., context)]"
    (tmp_path / "fields.tsv").write_text("\n".join(["id\ttitle\tdescription\tcastitle", *cells]) + "\n")
    (tmp_path / "e.toml").write_text(
        EXPERIMENT.partition("[[family]]")[0].replace('"topics.tsv"', json.dumps(str(tmp_path / "fields.tsv")))
        + '[[family]]\nname = "types"\ngrid.field = ["title", "description"]\n'
        '[[family]]\nname = "cas"\nfield = "castitle"\n[[family]]\nname = "cas b"\nfield = "castitle"\nb = 0.9\n'
    )
    found = sweep(read_experiment(tmp_path / "e.toml", place), tmp_path / "out", jobs=1)
    assert [(variant.name, variant.field) for variant in found.experiment.variants] == [
        ("baseline", ""), ("types:field=title", "title"), ("types:field=description", "description"),
        ("cas", "castitle"), ("cas b", "castitle"),
    ]  # fmt: skip
    with trix.open(place / "a.index") as index:
        for variant in found.experiment.variants:
            given = {name: value for name, value in json.loads(variant.settings).items() if name != "field"}
            run = index.run(tmp_path / "fields.tsv", field=variant.field or "title", **given)
            wanted = evaluate(read_qrels(place / "qrels"), run, ["AP"])["AP"].topics
            assert {t: found.measured.value(variant, ("small", t), "AP") for t in wanted} == wanted, variant.name
    assert len(found.skipped) == 13 and all("has no castitle" in why for why in found.skipped.values())
    assert load(tmp_path / "out").experiment.variants == found.experiment.variants
    text = (tmp_path / "e.toml").read_text().replace('"description"]', '"descripton"]')
    (tmp_path / "e.toml").write_text(text)
    with pytest.raises(TrixError, match=r"has no descripton \(did you mean description\?\)"):
        sweep(read_experiment(tmp_path / "e.toml", place), tmp_path / "out")


def test_no_topic_ends_a_sweep(place: Path, tmp_path: Path, run_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """One query is empty, one does not parse, one hits a bug; the other judged ones are measured."""
    queries = {"1": " ", "2": "//p[", "3": "bug", **{str(number): "tree edit" for number in range(4, 15)}}
    (tmp_path / "topics.tsv").write_text("".join(f"{topic}\t{query}\n" for topic, query in queries.items()))
    text = EXPERIMENT.replace('"topics.tsv"', json.dumps(str(tmp_path / "topics.tsv")))
    (tmp_path / "e.toml").write_text(text)
    was = BasicScorer.basic

    def basic(self: BasicScorer, query: Any, *rest: Any) -> Any:
        if str(query) == "bug":
            raise RuntimeError("made up")
        return was(self, query, *rest)

    monkeypatch.setattr(BasicScorer, "basic", basic)
    line = ["sweep", tmp_path / "e.toml", "--base", place, "--output", tmp_path / "out", "--jobs", "1"]
    code, _, err = run_cli(*line)
    assert code == 3
    dropped = [text for text in err.splitlines() if "dropped" in text]
    assert [text.partition(":")[2][:23] for text in dropped] == [f" small: topic {n} dropped" for n in (1, 2, 3)]
    assert "topic 1 has no title" in dropped[0]
    code, out, err = run_cli(*line, "--quiet", "--output", tmp_path / "quiet")
    assert (code, out, err.count("\n")) == (3, "", 1), "one line, whatever was dropped"
    assert err.startswith("trix: 3 topics dropped, they count as ones without results: small 1 (")
    assert "topic 1 has no title" in err
    assert "small 3 (unexpected RuntimeError: made up" in err
    assert "query, column 5" in dropped[1]
    assert "unexpected RuntimeError: made up (this is a bug" in dropped[2]
    found = load(tmp_path / "out")
    values = {topic: found.measured.value(found.experiment.baseline, ("small", topic), "AP") for topic in queries}
    assert [values[topic] for topic in "123"] == [0.0, 0.0, 0.0]
    assert sum(value > 0 for value in values.values()) > 3
    monkeypatch.undo()
    code, _, err = run_cli(*line)  # what was a bug is measured; it is a query of an unknown word
    assert (code, sum("dropped" in text for text in err.splitlines())) == (3, 2)


def test_a_topic_that_fails_is_not_kept_in_the_journal(place: Path, tmp_path: Path) -> None:
    asked = experiment(place, sizes=0)
    journal = Journal(tmp_path / "journal", {})

    def evaluators(task: TopicTask) -> Measurement:
        return Measurement([{"AP": 0.5} for _ in task.variants], "" if task.topic == "1" else "made up")

    with journal, SweepWorkers(cast(EvaluatorSet, evaluators), journal, 1) as workers:
        workers.measure([("c", "1"), ("c", "2")], [asked.baseline], ["AP"])
        assert workers.skipped == {("c", "2"): "made up"}
        assert len(journal.done) == 2
    with Journal(tmp_path / "journal", {}) as again:
        assert [key[:2] for key in again.done] == [("c", "1")]


def test_passages_are_granulated_at_a_level(place: Path, tmp_path: Path) -> None:
    with trix.open(place / "a.index") as index:
        shown = index.search("tree", level="//p", strategy="thorough", top=2)
        lines = []
        for r in shown:
            length = index.files.document_length(index.files.document(r.doc))
            lines.append(f"1 Q0 {r.doc} {r.length} {length} {r.offset} {r.offset}:{r.length}\n")
    (tmp_path / "o.qrels").write_text("".join(lines))

    def grades(**more: Any) -> dict[str, float]:
        files: dict[str, Any] = {"topics": place / "topics.tsv", "qrels": (tmp_path / "o.qrels",)}
        bench = CollectionEvaluator(JudgedCollection(name="o", index=place / "a.index", **files, **more), ())
        return {unit: grade for unit, grade in bench.qrels["1"].grades.items() if grade > 0}

    assert grades(granulate="//p") == {r.doc + r.path: 1.0 for r in shown}
    assert set(grades(granulate="document").values()) == {1.0}
    density = grades(granulate="document", graded=True)
    assert all(0 < value < 1 for value in density.values())
    with pytest.raises(UsageError, match="plain grades cannot be granulated"):
        _ = CollectionEvaluator(collection(place, granulate="content"), ()).qrels


def test_whole_documents_are_measured_as_the_evaluator_does(place: Path, tmp_path: Path) -> None:
    (tmp_path / "docs.qrels").write_text("1 0 a00 1\n1 0 a14 1\n2 0 a01 2\n")
    asked = experiment(place)
    bench = CollectionEvaluator(
        JudgedCollection(
            name="d", index=place / "a.index", topics=place / "topics.tsv", qrels=(tmp_path / "docs.qrels",)
        ),
        asked.measures,
    )
    with trix.open(place / "a.index") as index:
        run = index.run(trix.read_topics(place / "topics.tsv"), **json.loads(asked.baseline.settings))
        wanted = evaluate(tmp_path / "docs.qrels", run, ["AP"])["AP"].topics
    assert {topic: bench.measure(topic, [asked.baseline])[0]["AP"] for topic in bench.topics} == wanted


def test_a_vector_is_refused_with_a_hint(place: Path) -> None:
    with pytest.raises(UsageError, match="nDCG is a vector; give a cut-off, as nDCG@10"):
        sweep(experiment(place, measures=["nDCG"]), place / "vector", jobs=1)


def test_basic_scores_are_worked_out_once_for_all_contexts(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = read_experiment(place / "e.toml")
    bench = CollectionEvaluator(collection(place), asked.measures)
    calls = []
    basic = bench.searcher.scorer.basic
    monkeypatch.setattr(bench.searcher.scorer, "basic", lambda *a: calls.append(1) or basic(*a))
    variants = [asked.baseline, *asked.family("vertical").variants, *asked.family("root").variants]
    bench.measure("1", variants)
    assert len(calls) == 1


def test_a_level_of_the_collection_holds_for_all_variants(place: Path) -> None:
    asked = read_experiment(place / "e.toml")
    bench = CollectionEvaluator(collection(place, level="document"), asked.measures)
    assert bench.options(asked.baseline).level == "document"


# -- sweeps -----------------------------------------------------------------------------------------------------------


def test_a_sweep_says_which_elements_of_a_level_count(place: Path, tmp_path: Path) -> None:
    """As a search does, once for each level: of the collection, of options, of a context and of statistics."""
    families = [
        {"name": "context", "context": "horizontal:gamma=1,level=//(article|p)", "grid": {"v": [1, 2]}},
        {"name": "statistics", "statistics": "//(article|title)"},
    ]
    for collection_, options in (({}, {"level": "//(body|sec)"}), ({"level": "//(body|sec)"}, {})):
        base = tomllib.loads(EXPERIMENT)
        asked = experiment(place, family=families, options=options, collection={**base["collection"], **collection_})
        found = sweep(asked, tmp_path / f"sweep{bool(options)}", jobs=1)
        said = sorted(notice for notice in found.notices if "the outermost count" in notice)
        assert [notice.partition(": ")[0] for notice in said] == [
            "level //(article|p)", "level //(article|title)", "level //(body|sec)",
        ]  # fmt: skip
        assert said[2] == "level //(body|sec): 84 of its 112 elements lie inside others; the outermost count"


def test_a_sweep_writes_a_tidy_table_and_its_provenance(swept: Path) -> None:
    table = rows(swept / "topics.csv")
    assert list(table[0]) == ["collection", "topic", "variant", "measure", "value"]
    assert len(table) == 14 * 16 * (3 + 5)
    data = json.loads((swept / "experiment.json").read_text())
    assert data["collections"]["small"]["index"]["documents"] == 28
    assert data["versions"]["trix"] == trix.__version__
    assert data["variants"][0]["options"]["top"] == 1500
    means = [row for row in rows(swept / "variants.csv") if row["variant"] == "baseline" and row["measure"] == "AP"]
    values = {r["topic"]: float(r["value"]) for r in table if r["variant"] == "baseline" and r["measure"] == "AP"}
    train = [values[str(t)] for t in range(1, 15, 2)]
    assert [row["side"] for row in means] == ["train", "test"]
    assert float(means[0]["mean"]) == pytest.approx(np.mean(train))


def test_parquet_holds_the_same_rows(swept: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(swept / "topics.parquet").to_pylist()
    assert [str(row["value"]) for row in table] == [row["value"] for row in rows(swept / "topics.csv")]


def test_the_same_inputs_give_the_same_bytes_for_any_number_of_processes(place: Path, swept: Path) -> None:
    sweep(read_experiment(place / "e.toml"), place / "again", jobs=2)
    for name in FINAL:
        assert (place / "again" / name).read_bytes() == (swept / name).read_bytes(), name


@pytest.mark.slow
def test_a_killed_sweep_goes_on_where_it_was_and_ends_the_same(place: Path, swept: Path) -> None:
    folder = place / "killed"
    slow = (
        "import sys, time\nfrom trix.lab.run import workers\nwas = workers.EvaluatorSet.__call__\n"
        "workers.AT_ONCE = 2\n"
        "workers.EvaluatorSet.__call__ = lambda self, task: (time.sleep(0.03), was(self, task))[1]\n"
        "from trix.lab.plan.toml import read_experiment\nfrom trix.lab.run.sweep import sweep\n"
        f"sweep(read_experiment({str(place / 'e.toml')!r}), {str(folder)!r}, jobs=2)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", slow], cwd=ROOT, start_new_session=True)
    journal = folder / "journal"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (journal.exists() and journal.read_bytes().count(b"\n") > 20):
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (folder / "topics.csv").exists()
    before = journal.read_bytes()
    with journal.open("ab") as file:
        file.write(b"01234567 {half a li")
    sweep(read_experiment(place / "e.toml"), folder, jobs=1)
    assert journal.read_bytes().startswith(before[: before.rindex(b"\n") + 1])
    for name in FINAL:
        assert (folder / name).read_bytes() == (swept / name).read_bytes(), name


def test_what_the_journal_has_is_not_measured_again(place: Path, swept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CollectionEvaluator, "measure", lambda *_: pytest.fail("measured again"))
    before = (swept / "journal").read_bytes()
    sweep(read_experiment(place / "e.toml"), swept, jobs=1)
    assert (swept / "journal").read_bytes() == before


def test_the_data_of_a_journal_are_others_once_documents_come_or_go(place: Path, tmp_path: Path) -> None:
    collection = read_experiment(place / "e.toml").collections[0]
    index = tmp_path / "i"
    shutil.copytree(place / "a.index", index)
    seen = []

    def owner() -> dict[str, Any]:
        with trix.open(index) as opened:
            return provenance.owner(provenance.of_collection(collection, opened.files), opened.files)

    seen.append(owner())
    assert seen[0] == owner()
    for gone in ("a20", "a21"):
        shutil.rmtree(index)
        shutil.copytree(place / "a.index", index)
        with trix.write(index) as writer:
            writer.delete(gone)
        seen.append(owner())
    assert seen[0] != seen[1] != seen[2] != seen[0]
    with trix.open(index) as opened:
        assert seen[2]["index"].items() >= {"documents": 27, "keys": opened.info()["keys"]}.items()
    trix.build(place / "docs", index, profile="generic", stem="none", stop="none", overwrite=True, jobs=2)
    assert owner() == seen[0]


def test_a_journal_of_other_data_is_begun_anew(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", {"a": 1}) as journal:
        journal.add([(("c", "t", "v"), {"AP": 0.5})])
    with Journal(tmp_path / "j", {"a": 1}) as journal:
        assert journal.done == {("c", "t", "v"): {"AP": 0.5}}
    with Journal(tmp_path / "j", {"a": 2}) as journal:
        assert journal.done == {}
        assert "measured anew" in journal.notice


def test_a_damaged_line_of_a_journal_ends_it(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", {}) as journal:
        journal.add([(("c", str(t), "v"), {"AP": t / 10}) for t in range(5)])
    data = bytearray((tmp_path / "j").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "j").write_bytes(data)
    with Journal(tmp_path / "j", {}) as journal:
        assert 0 < len(journal.done) < 5
        assert all(value == {"AP": int(key[1]) / 10} for key, value in journal.done.items())


# -- splits and training ----------------------------------------------------------------------------------------------


def test_what_is_chosen_is_best_on_the_training_topics_and_measured_on_the_others(swept: Path) -> None:
    found = load(swept)
    part = found.parts[0]
    trained = found.trained(part)["vertical"]
    measure = found.experiment.train_on
    fold = part.folds[0]
    means = {v.name: found.measured.mean(v, fold.train, measure) for v in found.experiment.family("vertical").variants}
    assert means[trained.chosen[0].name] == max(means.values())
    assert trained.tested(found.measured, measure).mean == pytest.approx(
        found.measured.mean(trained.chosen[0], fold.test, measure)
    )
    assert {t for _, t in fold.train} | {t for _, t in fold.test} == {str(t) for t in range(1, 15)}


def test_folds_test_every_topic_once_with_what_the_others_chose(place: Path, swept: Path) -> None:
    found = sweep(experiment(place, split={"kind": "folds", "folds": 3}), swept.parent / "folds", jobs=1)
    part = found.parts[0]
    assert sorted(part.topics) == sorted(found.topics)
    assert all(not set(fold.train) & set(fold.test) for fold in part.folds)
    assert len(found.trained(part)["vertical"].chosen) == 3


def test_two_collections_are_swapped(place: Path) -> None:
    one = {"index": "a.index", "topics": "topics.tsv", "qrels": "qrels"}
    data = tomllib.loads(EXPERIMENT)
    del data["collection"]
    data |= {"collections": {"a": one, "b": one}, "split": {"kind": "swap"}, "sizes": 0}
    asked = parse_experiment(data, place)
    found = sweep(asked, place / "swap", jobs=1)
    a, b = found.parts
    assert (a.name, b.name) == ("a", "b")
    assert {c for c, _ in a.folds[0].train} == {"b"}
    assert {c for c, _ in a.topics} == {"a"}
    trained = found.trained(a)["root"]
    assert trained.chosen[0] == trained.best  # the collections are the same


def test_the_main_table_shows_what_the_values_say(swept: Path) -> None:
    found = load(swept)
    shown = ReportData(found)
    table = main_table(shown, found.parts[0])
    row = dict(zip(table.head, table.rows[0], strict=True))
    base = shown.baseline(found.parts[0], found.experiment.train_on).mean
    assert row["improvement %"].startswith(f"{100 * (row['best tested'] / base - 1):+.1f}")
    assert row["best trained"] >= row["best tested"]


# -- tuning -----------------------------------------------------------------------------------------------------------


def test_an_ascent_goes_up_until_no_parameter_helps(place: Path) -> None:
    family = read_experiment(place / "e.toml").family("vertical")

    def score(points: Any) -> list[float]:
        return [-abs(dict(point)["x"] - 1) - abs(dict(point)["f"] - 1.5) for point in points]

    asked: list[Any] = []
    start = (("x", -1), ("f", 0.5))
    (path,) = in_lockstep([(ascent(family.axes, start), score)], lambda points, _: asked.extend(points))
    assert len(asked) == len(family.axes[0].values) * 2 + len(family.axes[1].values) * 2 + 1
    assert dict(path[-1].point) == {"x": 1, "f": 1.5}
    assert [step.score for step in path] == [-3, -1, 0]


def test_tuning_finds_the_best_of_a_small_grid_and_says_the_gain(place: Path, swept: Path) -> None:
    found = load(swept)
    tuned = tune(read_experiment(place / "e.toml"), swept.parent / "tuned", family="vertical", folds=3, jobs=1)
    best = max(
        found.measured.mean(v, found.topics, found.experiment.train_on)
        for v in found.experiment.family("vertical").variants
    )
    assert tuned.trained == pytest.approx(best)
    assert tuned.interval[0] <= tuned.gain <= tuned.interval[1]
    assert tuned.evaluated <= 9
    again = tune(read_experiment(place / "e.toml"), swept.parent / "tuned2", family="vertical", folds=3, jobs=2)
    assert again.to_json() == tuned.to_json()


def test_tuning_a_family_that_is_not_there_names_those_that_are(place: Path) -> None:
    with pytest.raises(UsageError, match=r"no family vertcal \(did you mean vertical\?\)"):
        tune(read_experiment(place / "e.toml"), place / "none", family="vertcal")


# -- commands and examples --------------------------------------------------------------------------------------------


def test_the_commands_work_one_after_the_other(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(place / "cli")
    assert main(["sweep", str(place / "e.toml"), "-o", out, "--jobs", "1"]) == 0
    assert "AP on small, 7 topics" in capsys.readouterr().out
    assert main(["tune", str(place / "e.toml"), "-o", out, "--family", "b", "--jobs", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["family"] == "b"
    assert main(["report", out, "--no-figures"]) == 0
    assert capsys.readouterr().out.split() == [f"{out}/report.md", f"{out}/report.html"]
    line = ["sweep", str(place / "e.toml"), "-o", f"{out}2", "--jobs", "1", "-q", "--model", "bm25", "--v", "1"]
    assert main(line) == 0
    options = json.loads((place / "cli2" / "experiment.json").read_text())["variants"][0]["options"]
    assert (options["model"], options["v"], options["level"]) == ("bm25", 1.0, "content")
    assert main(["sweep", str(place / "missing.toml")]) == 2
    assert "missing.toml" in capsys.readouterr().err


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.toml")), ids=lambda path: path.name)
def test_the_examples_are_experiments(path: Path) -> None:
    assert read_experiment(path).variants


def test_the_grids_of_study_iv_have_their_sizes() -> None:
    sizes = {
        name: len(read_experiment(ROOT / "examples" / f"study-iv-{name}.toml").families[0].variants)
        for name in ("major", "minor", "content", "horizontal")
    }
    assert sizes == {"major": 9, "minor": 81, "content": 117, "horizontal": 72}


def test_a_sweep_varies_every_parameter_of_the_models() -> None:
    assert {name for name in vars(Letters) if not name.startswith("_")} <= set(MODEL)
