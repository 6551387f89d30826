"""Learning from several collections: mean of relative gains, collections left out, progress, interrupts."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lab.test_learn import LEARN, LEVEL
from tests.lab_samples import EXPERIMENT, make
from trix.cli import main
from trix.errors import UsageError
from trix.eval.measures.core.registry import parse_measure
from trix.lab.gains import Gains
from trix.lab.learn import Learned, describe, learn
from trix.lab.plan.experiment import Experiment
from trix.lab.plan.split import leave_one_out
from trix.lab.plan.toml import parse_experiment
from trix.lab.run.collection import CollectionEvaluator
from trix.lab.run.training import TopicValues

NAN = float("nan")


def values(*each: float, measure: str = "AP") -> TopicValues:
    return TopicValues(parse_measure(measure), np.array([each]).T)


# -- the figure ------------------------------------------------------------------------------------------------------

TOPICS = [("a", "1"), ("a", "2"), ("b", "1"), ("c", "1"), ("c", "2"), ("c", "3")]
FIRST = values(0.2, 0.6, 0.1, 0.5, 0.5, 0.5)  # means .4, .1, .5


def test_relative_gains_are_those_worked_out_by_hand() -> None:
    """a goes from .4 to .5, b from .1 to .09, c from .5 to .6: +25 %, -10 %, +20 %."""
    reached = values(0.4, 0.6, 0.09, 0.9, 0.5, 0.4)
    gains = Gains(TOPICS, FIRST)
    assert gains.mean(reached) == pytest.approx((0.25 - 0.1 + 0.2) / 3, abs=1e-15)
    assert gains.mean(FIRST) == 0
    new, old = gains.paired(reached, FIRST)
    assert (new - old).mean() == pytest.approx(gains.mean(reached), abs=1e-15)
    # a topic's difference is divided by the mean and the number of topics of its collection: .2 / .4 / 2, and so on
    shares = [0.25, 0, -0.1, 0.4 / 1.5, 0, -0.1 / 1.5]
    assert (new - old).tolist() == pytest.approx([6 / 3 * share for share in shares], abs=1e-12)


def test_no_collection_counts_more_for_many_topics_or_for_easy_ones() -> None:
    twice = [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2"), ("b", "3"), ("b", "4")]
    once = [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")]
    hard, easy = (0.01, 0.03), (0.4, 0.8)
    many = Gains(twice, values(*hard, *easy, *easy)).mean(values(0.02, 0.03, 0.5, 0.8, 0.5, 0.8))
    few = Gains(once, values(*hard, *easy)).mean(values(0.02, 0.03, 0.5, 0.8))
    assert many == pytest.approx(few, abs=1e-15) == pytest.approx((0.25 + 1 / 12) / 2, abs=1e-15)


def test_one_collection_is_measured_as_it_is() -> None:
    gains = Gains(TOPICS[:2], values(0.2, 0.6))
    assert not gains.relative
    assert gains.mean(values(0.5, 0.7)) == 0.6
    assert [each.tolist() for each in gains.paired(values(0.5, NAN), values(0.2, 0.6))] == [[0.5], [0.2]]


def test_topics_without_a_value_and_collections_without_a_start_do_not_count() -> None:
    first = values(0.2, NAN, 0.1, 0.0, 0.0, 0.0)
    gains = Gains(TOPICS, first)
    assert gains.without_any == ["c"]
    reached = values(0.3, NAN, 0.2, 0.9, 0.9, 0.9)
    assert gains.mean(reached) == pytest.approx((0.5 + 1) / 2, abs=1e-15)
    new, old = gains.paired(reached, first)
    assert (new - old).tolist() == pytest.approx([0.5, 1.0], abs=1e-12)


def test_a_set_left_out_shares_no_document_with_those_that_train() -> None:
    documents = {
        ("a", "1"): {"x"}, ("a", "2"): {"y"}, ("b", "1"): {"z"}, ("b", "2"): {"y", "w"}, ("c", "1"): {"w"},
    }  # fmt: skip
    folds = leave_one_out(list(documents), documents)
    assert [(fold.test, fold.train) for fold in folds] == [
        ((("a", "1"), ("a", "2")), (("b", "1"), ("c", "1"))),
        ((("b", "1"), ("b", "2")), (("a", "1"),)),
        ((("c", "1"),), (("a", "1"), ("a", "2"), ("b", "1"))),
    ]


# -- learning --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("second"), seed=7)


def tables(*places: Path, **more: Any) -> dict[str, Any]:
    """Return the data of an experiment on the collections in some folders, called A, B, ..."""
    data = tomllib.loads(EXPERIMENT + LEARN)
    del data["collection"]
    files = {"index": "a.index", "topics": "topics.tsv", "qrels": "qrels"}
    collections = {
        chr(65 + n): {**{key: str(place / file) for key, file in files.items()}, "level": LEVEL, **more}
        for n, place in enumerate(places)
    }
    return {**data, "options": {}, "collections": collections}


def experiment(*places: Path, **more: Any) -> Experiment:
    return parse_experiment(tables(*places, **more), places[0])


ASKED: dict[str, Any] = {"name": "chain", "folds": 2, "restarts": 1, "jobs": 1}


@pytest.fixture(scope="module")
def learned(place: Path, second: Path) -> Learned:
    return learn(experiment(place, second, sample=10), place / "several", **ASKED)


def measured(asked: Experiment, name: str, variant: Any) -> float:
    """Return the mean of AP of a variant in a collection, by an evaluator of its own."""
    collection = next(each for each in asked.collections if each.name == name)
    bench = CollectionEvaluator(collection, asked.measures)
    assert len(bench.topics) == 10
    return float(np.mean([bench.measure(topic, [variant])[0]["AP"] or 0.0 for topic in bench.topics]))


def test_what_is_said_of_the_best_are_the_means_of_its_relative_gains(
    place: Path, second: Path, learned: Learned
) -> None:
    asked = experiment(place, second, sample=10)
    plan = asked.plan("chain")
    of = {
        what: [measured(asked, name, variant) for name in "AB"]
        for what, variant in (("start", plan.at(plan.start)), ("trained", learned.best), ("baseline", asked.baseline))
    }
    for what in ("trained", "baseline"):
        wanted = np.mean([new / old - 1 for new, old in zip(of[what], of["start"], strict=True)])
        assert getattr(learned, what) == pytest.approx(wanted, abs=1e-12)
        assert [getattr(each, what) for each in learned.collections] == pytest.approx(of[what], abs=1e-15)
    assert learned.start == 0
    assert learned.trained > 0
    assert learned.path[-1].score >= 0.99 * learned.trained
    wanted = np.mean([each.gain / each.start for each in learned.collections])
    assert learned.gain == learned.tested == pytest.approx(wanted, abs=1e-12)


def test_a_collection_left_out_is_measured_by_what_a_search_on_the_others_finds(
    place: Path, second: Path, learned: Learned, tmp_path: Path
) -> None:
    asked = experiment(place, second, sample=10)
    for here, other in ((0, 1), (1, 0)):
        alone = replace(asked, collections=(asked.collections[other],))
        found = learn(alone, tmp_path / str(here), **ASKED)
        of = learned.collections[here]
        assert of.found == found.best.parameters
        assert of.left_out == pytest.approx(measured(asked, of.name, found.best), abs=1e-15)
        assert of.left_out is not None
        assert of.left_out_gain == of.left_out - of.start
    assert learned.left_out is not None
    gains = [each.left_out_gain / each.start for each in learned.collections if each.left_out_gain is not None]
    assert learned.left_out.gain == pytest.approx(np.mean(gains), abs=1e-12)
    low, high = learned.left_out.interval
    assert low <= learned.left_out.gain <= high


def test_each_fold_tests_topics_of_each_collection(learned: Learned) -> None:
    assert learned.topics == 20
    assert [each.topics for each in learned.collections] == [10, 10]
    assert all(count <= 10 for count in learned.training)


def test_one_of_several_tables_is_the_same_as_one_collection(place: Path, tmp_path: Path) -> None:
    """These are the figures from before there were several collections to learn from."""
    found = learn(experiment(place), tmp_path / "one", name="trix", folds=2, restarts=2, jobs=1)
    assert (found.start, found.trained, found.tested) == (0.3281433457350433, 0.42389899286262694, 0.42389899286262694)
    assert [each.alone for each in found.parts] == [0.3268368759361361, 0.42389899286262694]
    assert found.path[0].score == 0.328143345735
    assert found.evaluated == 6
    assert found.left_out is None
    assert "collections" not in found.to_json()
    assert "where it was chosen: 0.4239, start 0.3281, baseline 0.3281" in describe(found)


def test_levels_of_one_index_are_not_left_out(place: Path, tmp_path: Path) -> None:
    asked = tables(place, place)
    asked["collections"]["B"]["level"] = "content"
    found = learn(parse_experiment(asked, place), tmp_path / "levels", name="trix", folds=2, restarts=0, jobs=1)
    assert found.left_out is None
    assert [each.found for each in found.collections] == [None, None]
    assert any("no collection is left out of the search" in notice for notice in found.notices)
    assert "left out" not in describe(found).replace("left out of", "")
    assert "--level LEVEL --preset study --context" in describe(found)


def test_a_collection_in_which_the_first_values_find_nothing_is_named(
    place: Path, second: Path, tmp_path: Path
) -> None:
    lines = [f"{t} 0 a{(t + 3) % 14:02d}/article[1]/title[1] 1" for t in range(1, 15)]
    (tmp_path / "qrels").write_text("\n".join(lines) + "\n")
    asked = tables(place, second)
    asked["collections"]["B"]["qrels"] = str(tmp_path / "qrels")
    with pytest.raises(UsageError, match=r"the first values of \[\[learn\]\] trix reach no AP in B, so relative gains"):
        learn(parse_experiment(asked, place), tmp_path / "r", name="trix", folds=2, restarts=0, jobs=1)


# -- what is seen of it ----------------------------------------------------------------------------------------------


def test_what_is_printed_has_a_row_for_each_collection(learned: Learned) -> None:
    text = describe(learned)
    assert "AP, mean of relative gains over 2 collections, 20 topics, where it was chosen: +" in text
    assert "each collection left out of the search: +" in text
    row = next(line.split() for line in text.splitlines() if line.startswith("A "))
    first = learned.collections[0]
    assert row[:6] == ["A", "10", *(f"{x:.4f}" for x in (first.baseline, first.start, first.trained, first.tested))]
    assert f"without A found {first.found}" in text
    plain = json.loads(json.dumps(learned.to_json()))
    assert [each["name"] for each in plain["collections"]] == ["A", "B"]


def test_progress_says_what_is_tried_and_the_best_so_far(place: Path, second: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    stages: list[str] = []
    found = learn(
        experiment(place, second, sample=4),
        tmp_path / "seen",
        name="trix",
        folds=2,
        restarts=0,
        jobs=1,
        progress=lambda done, total, beside="": seen.append((done, total, beside)),
        stage=stages.append,
    )
    searching = [each for each in seen if each[2] != "measuring what was found"]
    done = [each[0] for each in searching]
    assert done == sorted(done)
    assert all(0 <= done <= total for done, total, _ in seen)
    assert searching[0][2] == "the first values"
    assert {each[2].split(";")[0] for each in searching[1:]} >= {"v, f"}
    assert searching[-1][2].endswith(f"best +{100 * found.path[-1].score:.1f} %")
    assert seen[-1][0] == seen[-1][1]
    assert [stage.partition(":")[0] for stage in stages] == ["trix"] * 3
    assert stages[0].endswith("searches for 2 parameters, 8 topics of A, B")


def test_lines_on_stages_stand_where_nobody_sees_a_bar(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "e.toml").write_text((EXPERIMENT + LEARN).replace('level = "content"', f'level = "{LEVEL}"'))
    asked = ["learn", str(tmp_path / "e.toml"), "--base", str(place), "--name", "trix", "--folds", "2", "--jobs", "1"]
    assert main([*asked, "-o", str(tmp_path / "r")]) == 0
    err = capsys.readouterr().err
    assert [line[:12] for line in err.splitlines()[:3]] == ["trix: trix: "] * 3
    assert main([*asked, "-o", str(tmp_path / "r"), "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_an_interrupted_search_goes_on_with_what_it_has(
    place: Path, second: Path, tmp_path: Path, learned: Learned, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, folder, counts = experiment(place, second, sample=10), tmp_path / "r", []
    real = CollectionEvaluator.measure

    def measure(self: CollectionEvaluator, topic: str, variants: Any, probes: Any = ()) -> Any:
        counts.append(len(variants))
        return real(self, topic, variants, probes)

    def interrupt(done: int, total: int, beside: str) -> None:
        if done > 60:
            raise KeyboardInterrupt

    monkeypatch.setattr(CollectionEvaluator, "measure", measure)
    with pytest.raises(KeyboardInterrupt):
        learn(asked, folder, progress=interrupt, **ASKED)
    before = sum(counts)
    counts.clear()
    assert learn(asked, folder, **ASKED).to_json() == learned.to_json()
    again = sum(counts)
    counts.clear()
    learn(asked, tmp_path / "whole", **ASKED)
    assert before > 0
    assert again == sum(counts) - before
    counts.clear()
    assert learn(asked, folder, **ASKED).to_json() == learned.to_json()
    assert not counts


def test_a_sample_is_taken_evenly_and_a_notice_says_so(place: Path) -> None:
    asked = experiment(place, sample=5)
    bench = CollectionEvaluator(asked.collections[0], asked.measures)
    assert bench.topics == ["1", "3", "6", "9", "12"]
    assert "A: 5 of 14 judged topics are used (sample = 5)" in bench.notices()
    for count in (0, 14, 99):
        bench = CollectionEvaluator(replace(asked.collections[0], sample=count), asked.measures)
        assert bench.topics == bench.judged_topics
        assert not any("sample" in notice for notice in bench.notices())
    with pytest.raises(UsageError, match=r"\[collections.A\]: sample = -1: expected a whole number, 0 or more"):
        experiment(place, sample=-1)
