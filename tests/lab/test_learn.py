"""Learning weights: exact parts, ascents, folds without a document in common, what each part gains, the chain."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lab_samples import EXPERIMENT
from trix.cli import main
from trix.errors import UsageError
from trix.lab.learn import Learned, describe, learn
from trix.lab.plan.experiment import Experiment, variant_at
from trix.lab.plan.split import disjoint_folds
from trix.lab.plan.toml import parse_experiment
from trix.lab.run.array_cache import ArrayCache
from trix.lab.run.collection import CollectionEvaluator
from trix.lab.run.sweep import CACHE

LEVEL = "//p"
LEARN = """
[[learn]]
name = "chain"
model = "bm25"
context = "root(k1={rk},B=0,statistics=document):{w}>siblings(bm25,k1=0.5,B=0):f={s}"
grid.k1 = [1.2, 0.4]
grid.statistics = ["content", "level"]
grid.rk = [1.2, 0.3]
grid.w = [0, 0.5, 1.5]
grid.s = [0, 0.25, 1]
parts.document = ["w", "rk"]

[[learn]]
name = "trix"
context = "vertical:f={f}"
grid.v = [2, 0.5]
grid.f = [0, 0.25, 1]
"""


def experiment(place: Path, text: str = LEARN, **tables: Any) -> Experiment:
    """Return the experiment, which learns at paragraphs."""
    data = tomllib.loads(EXPERIMENT + text)
    data["options"] = {}
    data["collection"]["level"] = LEVEL
    return parse_experiment({**data, **tables}, place)


@pytest.fixture(scope="module")
def learned(place: Path) -> Learned:
    return learn(experiment(place), place / "learned", name="chain", folds=3, restarts=1, jobs=1)


CONTEXTS = (
    "none",
    "root(bm25,k1=0.3,B=0,statistics=document):1.25",
    "root:0.5>vertical(k1=0.6,B=0.5,statistics=//sec):f=0.2,r=0",
    "root(k1=0.1):0.5>siblings(bm25,k1=0.5,B=0):f=0.3>preceding(B=0):2,f=0.25",
    "horizontal(lm-jm):alpha=0.1,f=0.5>tower",
    "siblings:f=0.5",
    "vertical:f=0.5,all=1",
    "root:0.5>sentence:f=4>pairs:f=0.2",
)


@pytest.mark.parametrize(
    "level", ["//p", *(pytest.param(level, marks=pytest.mark.slow) for level in ("content", "document")), None]
)
def test_scores_from_parts_are_those_of_the_search(place: Path, tmp_path: Path, level: str | None) -> None:
    """Cut down to a level, read from a cache, with columns computed once: the rankings are the same."""
    variants = [
        variant_at("f", (), {"model": model, "context": context, "level": level, "statistics": statistics})
        for model in ("bm25", "trix2005", "lm-dirichlet")
        for context in CONTEXTS
        for statistics in ("content", "document", *(["level"] if level else []))
    ]
    asked = experiment(place)
    collection = parse_experiment({**tomllib.loads(EXPERIMENT), "options": {}}, place).collections[0]
    with ArrayCache(tmp_path / "shelf") as cache:
        bench = CollectionEvaluator(collection, asked.measures, 0, cache)
        for topic in bench.topics[::3]:
            wanted = [bench._whole(topic, "title", bench.options(variant)) for variant in variants]
            for _ in range(2):
                assert bench.measure(topic, variants) == wanted
        assert bool(list((tmp_path / "shelf").iterdir())) == (level is not None)
    assert not (tmp_path / "shelf").exists()


def test_a_shelf_without_room_keeps_nothing_and_changes_nothing(place: Path, tmp_path: Path) -> None:
    asked = experiment(place)
    variants = [asked.plan("chain").at(asked.plan("chain").start), asked.baseline]
    found = []
    for limit in (0, 1 << 30):
        with ArrayCache(tmp_path / str(limit), limit) as cache:
            bench = CollectionEvaluator(asked.collections[0], asked.measures, 0, cache)
            found.append([bench.measure(topic, variants, variants[:1]) for topic in bench.topics for _ in range(2)])
            assert bool(list((tmp_path / str(limit)).iterdir())) == bool(limit)
    assert found[0] == found[1]


def test_a_pool_of_everything_measures_as_the_whole(place: Path) -> None:
    """The collection has fewer paragraphs than a probe brings."""
    asked = experiment(place)
    plan = asked.plan("chain")
    bench = CollectionEvaluator(asked.collections[0], asked.measures)
    for topic in bench.topics:
        assert bench.measure(topic, plan.probes, plan.probes) == bench.measure(topic, plan.probes)


def test_a_pool_has_the_first_of_each_probe_and_what_is_judged(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trix.lab.run.matched.DEPTH", 5)
    asked = experiment(place)
    probes = asked.plan("chain").probes[:3]
    bench = CollectionEvaluator(asked.collections[0], asked.measures)
    for topic in bench.topics[::4]:
        (found, *_) = bench.scored(topic, probes, probes)
        assert found is not None
        pool = set(found.candidates.element.tolist())
        wanted = set(bench.judged(topic).elements.tolist())
        for probe in probes:
            scored = bench._scored(topic, "title", bench._query(topic, "title"), [bench.options(probe)])[0]
            assert scored is not None
            wanted |= set(scored.candidates.element[bench.searcher.rank(scored)[:5]].tolist())
        members = set(bench.searcher.levels.apart(LEVEL).members.tolist())
        (whole,) = bench._scored(topic, "title", bench._query(topic, "title"), [bench.options(probes[0])])
        assert whole is not None
        assert pool == wanted & members & set(whole.candidates.element.tolist())


def test_what_was_learned_is_what_a_run_of_the_chain_gives(
    place: Path, learned: Learned, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(tmp_path / "best.run")
    command = ["run", str(place / "a.index"), str(place / "topics.tsv"), *shlex.split(learned.command), "--output", run]
    assert main(command) == 0
    capsys.readouterr()
    (tmp_path / "qrels").write_text((place / "qrels").read_text())
    assert main(["eval", str(tmp_path / "qrels"), run, "-m", "AP", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["runs"][0]["measures"]["AP"]["mean"]
    assert told == learned.trained
    again = experiment(place, "", options=tomllib.loads(learned.options))
    bench = CollectionEvaluator(again.collections[0], again.measures)
    values = [bench.measure(topic, [again.baseline])[0]["AP"] for topic in bench.topics]
    assert np.mean([value or 0.0 for value in values]) == pytest.approx(learned.trained, abs=1e-15)


def test_learning_finds_the_best_there_is(place: Path, learned: Learned) -> None:
    asked = experiment(place)
    plan = asked.plan("chain")
    bench = CollectionEvaluator(asked.collections[0], asked.measures)
    import itertools

    points = [
        tuple(zip((axis.name for axis in plan.axes), values, strict=True))
        for values in itertools.product(*(axis.values for axis in plan.axes))
    ]
    variants = [plan.at(point) for point in points]
    table = np.array([[value["AP"] or 0.0 for value in bench.measure(t, variants)] for t in bench.topics])
    best = table.mean(0).max()
    assert best >= learned.trained >= 0.99 * best  # an ascent may end on a lower hill
    start = table[:, points.index(plan.start)].mean()
    assert learned.start == pytest.approx(start, abs=1e-15)
    assert learned.trained >= start
    assert learned.gain == learned.tested - learned.start


def test_each_part_is_taken_alone_and_left_out(learned: Learned) -> None:
    assert [(each.part, each.axes) for each in learned.parts] == [
        ("document", ("w", "rk")),
        ("k1", ("k1",)),
        ("statistics", ("statistics",)),
        ("s", ("s",)),
    ]
    for each in learned.parts:
        assert each.alone_gain == each.alone - learned.start
        assert each.loss == learned.tested - each.without
        assert 0 <= each.alone_p <= 1
        assert 0 <= each.loss_p <= 1


def test_it_is_the_same_with_more_processes_and_leaves_no_shelf(place: Path, learned: Learned) -> None:
    again = learn(experiment(place), place / "learned2", name="chain", folds=3, restarts=1, jobs=2)
    assert again.to_json() == learned.to_json()
    assert json.loads((place / "learned2" / "learn.json").read_text()) == json.loads(json.dumps(again.to_json()))
    assert not (place / "learned2" / CACHE).exists()


def test_topics_of_a_fold_share_no_document_with_those_that_train() -> None:
    generator = np.random.default_rng(3)
    topics = [("a", str(number)) for number in range(40)]
    documents = {topic: set(map(str, generator.choice(60, 3))) for topic in topics}
    folds = disjoint_folds(topics, 5, documents)
    assert sorted(topic for fold in folds for topic in fold.test) == sorted(topics)
    assert {len(fold.test) for fold in folds} == {8}
    for fold in folds:
        tested = set().union(*(documents[topic] for topic in fold.test))
        assert [t for t in topics if t not in fold.test and not documents[t] & tested] == list(fold.train)


def test_where_all_topics_share_documents_a_notice_says_so(place: Path, tmp_path: Path) -> None:
    lines = (place / "qrels").read_text().splitlines()
    shared = [f"{t} 0 a00/article[1]/body[1]/sec[1]/p[4] 1" for t in range(1, 15)]
    (tmp_path / "qrels").write_text("\n".join([*lines, *shared]) + "\n")
    files = {"index": str(place / "a.index"), "topics": str(place / "topics.tsv"), "qrels": str(tmp_path / "qrels")}
    found = learn(
        experiment(place, collection={**files, "level": LEVEL}),
        tmp_path / "r",
        name="trix",
        folds=2,
        restarts=0,
        jobs=1,
    )
    assert any("share many relevant documents" in notice for notice in found.notices)
    assert sum(found.training) == found.topics


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[learn]]\nname = 'a'\nb = 0.5", r"[[learn]] a: expected parameters, as grid.k1 = [1.2, 0.9, 0.6]"),
        ("[[learn]]\nname = 'a'\ngrid.b = [7]", "b = 7: expected a number from 0 to 1"),
        ("[[learn]]\nname = 'a'\ngrid.w = [7]", "w: is no search option"),
        ("[[learn]]\nname = 'a'\ngrid.b = [0.1]\nparts.x = ['c']", "x: c is no parameter"),
        ("[[learn]]\nname = 'a'\ngrid.b = [0.1]\nparts.x = ['b']\nparts.y = ['b']", "y: b is in two parts"),
        ("[[learn]]\nname = 'a'\ngrid.b = {low = 0, high = 1}", "a range has no fixed values"),
    ],
)
def test_mistakes_are_one_line_with_a_place(place: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        experiment(place, text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_table_that_is_meant_has_to_be_named(place: Path) -> None:
    with pytest.raises(UsageError, match=r"expected the name of a \[\[learn\]\] table; there are: chain, trix"):
        learn(experiment(place), place / "none")
    with pytest.raises(UsageError, match=r"there is no \[\[learn\]\] chian \(did you mean chain\?\)"):
        learn(experiment(place), place / "none", name="chian")


def test_the_command_prints_what_can_be_pasted(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (EXPERIMENT + LEARN).replace('level = "content"', f'level = "{LEVEL}"')
    (place / "learn.toml").write_text(text)
    asked = ["learn", str(place / "learn.toml"), "--name", "trix", "--folds", "2", "--restarts", "1", "--jobs", "1"]
    assert main([*asked, "-o", str(place / "cli")]) == 0
    out = capsys.readouterr().out
    assert "cross-validated: " in out
    assert "each part by itself, and the whole without it" in out
    assert "trix run INDEX TOPICS " in out
    told = tomllib.loads(out[out.index("[options]") :])["options"]
    assert told["context"].startswith("vertical")
    assert main([*asked, "-o", str(place / "cli"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["plan"] == "trix"


def test_without_lightgbm_the_ceiling_is_one_line(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "lightgbm", None)
    with pytest.raises(UsageError, match=r"ceiling: LambdaMART needs LightGBM .*pip install 'trix-xml\[learn\]'"):
        learn(experiment(place), place / "none", name="trix", ceiling=True)


def test_lambdamart_is_told_as_a_ceiling(place: Path) -> None:
    pytest.importorskip("lightgbm")
    found = learn(experiment(place), place / "top", name="trix", folds=2, restarts=0, ceiling=True, jobs=1)
    assert found.ceiling is not None
    assert 0 < found.ceiling <= 1
    assert f"LambdaMART on the same scores, cross-validated: {found.ceiling:.4f}" in describe(found)


def test_statistics_of_a_phrase_are_not_those_of_its_other_reading(place: Path) -> None:
    """A phrase in one content element and the same words side by side are two lists under one name."""
    from trix.lab.run.matched import KeywordTopic, TopicMatcher
    from trix.query.options import Options

    bench = CollectionEvaluator(experiment(place).collections[0], ())
    searcher, matcher = bench.searcher, bench.matcher
    assert isinstance(matcher, TopicMatcher)
    for weights in (None, "title=3"):
        options = Options.of("experiment", model="bm25", weights=weights, level=LEVEL)
        parsed, _ = searcher.parse('"tree edit" distance', options)
        (found,) = matcher.scored(KeywordTopic("t", parsed), [options])  # type: ignore[arg-type]
        wanted = searcher.score(parsed, options)
        assert found is not None
        assert wanted is not None
        places = searcher.rank(found)
        assert found.candidates.element[places].tolist() == wanted.candidates.element[searcher.rank(wanted)].tolist()


def test_a_file_that_another_process_moves_away_disturbs_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os
    from collections.abc import Iterator
    from contextlib import contextmanager

    class Gone:
        def stat(self) -> os.stat_result:
            raise FileNotFoundError

    real = os.scandir

    @contextmanager
    def scandir(path: Path) -> Iterator[list[Any]]:
        with real(path) as entries:
            yield [*entries, Gone()]

    with ArrayCache(tmp_path / "shelf") as cache:
        monkeypatch.setattr(os, "scandir", scandir)
        cache.put("a", [np.arange(3)])
        monkeypatch.undo()
        assert [each.tolist() for each in cache.get("a") or []] == [[0, 1, 2]]
        assert cache.get("b") is None
