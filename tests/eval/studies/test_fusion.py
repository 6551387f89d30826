"""Fusion of runs: by hand, against ranx, for elements and passages, and by the command."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from tests.eval.studies.test_tools import call
from trix.errors import TrixError, UsageError
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.studies.fusion import METHODS, NORM_NAMES, fuse

A = {"1": {"a": 9.0, "b": 5.0, "c": 1.0}}
B = {"1": {"b": 4.0, "d": 2.0}}


def scores(method: str, *runs: Any, **options: Any) -> dict[str, float]:
    """Return unit -> fused score of topic 1, in order."""
    found = fuse(list(runs), method, **options)["1"]
    assert found.scores is not None and found.ranks is not None
    assert found.ranks.tolist() == list(range(1, len(found) + 1)) and (np.diff(found.scores) <= 1e-12).all()
    return dict(zip(found.units(), found.scores.tolist(), strict=True))


@pytest.mark.parametrize(
    ("method", "options", "expected"),
    [
        ("sum", {"norm": "none"}, {"a": 9, "b": 9, "d": 2, "c": 1}),
        ("sum", {}, {"b": 1.5, "a": 1, "d": 0, "c": 0}),
        ("CombMNZ", {"norm": "none"}, {"b": 18, "a": 9, "d": 2, "c": 1}),
        ("comb_anz", {"norm": "none"}, {"a": 9, "b": 4.5, "d": 2, "c": 1}),
        ("min", {"norm": "none"}, {"a": 9, "b": 4, "d": 2, "c": 1}),
        ("max", {"norm": "none"}, {"a": 9, "b": 5, "d": 2, "c": 1}),
        ("med", {"norm": "none"}, {"a": 9, "b": 4.5, "d": 2, "c": 1}),
        ("gmnz", {"norm": "none", "gamma": 3}, {"b": 72, "a": 9, "d": 2, "c": 1}),
        ("wsum", {"norm": "none", "weights": [1, 3]}, {"b": 17, "a": 9, "d": 6, "c": 1}),
        ("wmnz", {"norm": "none", "weights": [1, 3]}, {"b": 36, "a": 9, "d": 6, "c": 1}),
        ("mixed", {"norm": "none", "weights": [1, 3]}, {"b": 17 * math.sqrt(2), "a": 9, "d": 6, "c": 1}),
        ("sum", {"norm": "max"}, {"b": 5 / 9 + 1, "a": 1, "d": 0.5, "c": 1 / 9}),
        ("sum", {"norm": "sum"}, {"b": 4 / 12 + 1, "a": 8 / 12, "d": 0, "c": 0}),
        ("sum", {"norm": "zmuv"}, {"a": 4 / math.sqrt(32 / 3), "b": 1, "d": -1, "c": -4 / math.sqrt(32 / 3)}),
        ("sum", {"norm": "rank"}, {"b": 2 / 3 + 1, "a": 1, "d": 0.5, "c": 1 / 3}),
        ("sum", {"norm": "borda"}, {"b": 1.75, "a": 1 + 0.375, "d": 0.25 + 0.75, "c": 0.5 + 0.375}),
        ("rrf", {}, {"b": 1 / 62 + 1 / 61, "a": 1 / 61, "d": 1 / 62, "c": 1 / 63}),
        ("rrf", {"k": 0, "weights": [2, 1]}, {"a": 2, "b": 2, "c": 2 / 3, "d": 0.5}),
        ("isr", {}, {"b": 2 * 1.25, "a": 1, "d": 0.25, "c": 1 / 9}),
        ("log_isr", {}, {"b": 1.25 * math.log(2), "a": 0, "d": 0, "c": 0}),
        ("logn_isr", {"sigma": 0.5}, {"b": 1.25 * math.log(2.5), "a": math.log(1.5), "d": math.log(1.5) / 4,
                                      "c": math.log(1.5) / 9}),
        ("rbc", {"phi": 0.5}, {"b": 0.75, "a": 0.5, "d": 0.25, "c": 0.125}),
        ("bordafuse", {}, {"b": 3 + 4, "a": 4 + 1.5, "d": 1 + 3, "c": 2 + 1.5}),
        ("condorcet", {}, {"b": 4, "a": 3, "d": 2, "c": 1}),
    ],
)  # fmt: skip
def test_methods_by_hand(method: str, options: dict[str, Any], expected: dict[str, float]) -> None:
    found = scores(method, A, B, **options)
    if method == "condorcet":  # b and a have a vote each, so a, which the first run has first, may stand first
        assert sorted(found.values()) == [1, 2, 3, 4] and list(found)[-1] != "b"
        return
    assert list(found) == list(expected) and found == pytest.approx(expected)


def test_the_majority_decides_between_two_candidates() -> None:
    votes = [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]]
    runs = [{"1": {doc: float(9 - i) for i, doc in enumerate(vote)}} for vote in votes]
    assert list(scores("condorcet", *runs)) == ["a", "b", "c"]
    assert list(scores("condorcet", *runs, weights=[1, 1, 3])) == ["b", "a", "c"]


RANX = [name for name in METHODS if name != "condorcet"]  # theirs depends on the order of a set


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("norm", ["min-max", "borda"])
def test_methods_and_norms_agree_with_ranx(norm: str) -> None:
    ranx = pytest.importorskip("ranx")
    random = np.random.default_rng(7)
    runs = []
    for _ in range(3):
        runs.append(
            {
                str(t): {f"d{i}": float(s) for i, s in zip(random.permutation(30)[:n], random.random(n), strict=True)}
                for t, n in ((1, 12), (2, 20), (3, 2))
            }
        )
    options: dict[str, dict[str, Any]] = {
        "gmnz": {"gamma": 1.5}, "rbc": {"phi": 0.7}, "logn_isr": {"sigma": 0.2}, "rrf": {"k": 10},
    }  # fmt: skip
    options |= {name: {"weights": [0.5, 1.0, 2.0]} for name in ("wsum", "wmnz", "mixed")}
    for ours in RANX:
        made = [ranx.Run(run, name=f"r{i}") for i, run in enumerate(runs)]
        of_scores = norm if METHODS[ours].of == "scores" else None
        expected = ranx.fuse(made, norm=of_scores, method=ours, params=options.get(ours, {})).to_dict()
        found = fuse(runs, ours, norm=of_scores, **options.get(ours, {}))
        for topic, of in expected.items():
            ranking = found[topic]
            assert ranking.scores is not None
            assert dict(zip(ranking.docs, ranking.scores.tolist(), strict=True)) == pytest.approx(of), (ours, topic)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("norm", [n for n in NORM_NAMES if n not in ("none", "borda", "min-max")])
def test_norms_agree_with_ranx(norm: str) -> None:
    ranx = pytest.importorskip("ranx")
    random = np.random.default_rng(3)
    runs = [{"1": {f"d{i}": float(random.normal()) + 3 for i in range(5 + k)}} for k in range(2)]
    made = [ranx.Run(run, name=f"r{i}") for i, run in enumerate(runs)]
    expected = ranx.fuse(made, norm=norm, method="sum").to_dict()["1"]
    assert scores("sum", *runs, norm=norm) == pytest.approx(expected)


def test_elements_are_told_by_document_and_path_and_passages_by_their_place() -> None:
    def run(*paths: str) -> Rankings:
        n = len(paths)
        return Rankings({"1": Ranking(["d"] * n, list(paths), scores=np.arange(n, 0.0, -1))})

    found = fuse([run("/a[1]", "/a[1]/b[2]"), run("/a[1]/b[2]", "/a[1]/b[3]")])["1"]
    assert found.units() == ["d/a[1]/b[2]", "d/a[1]", "d/a[1]/b[3]"]
    alone = fuse([run("/a[1]", "/a[1]/b[2]"), run("/a[1]/b[2]", "/a[1]/b[3]")], overlap="none")["1"]
    assert alone.units() == ["d/a[1]/b[2]", "d/a[1]/b[3]"]

    def passages(*spans: tuple[int, int]) -> Rankings:
        starts, ends = (np.array(column) for column in zip(*spans, strict=True))
        return Rankings({"1": Ranking(["d"] * len(spans), starts=starts, ends=ends)})

    found = fuse([passages((0, 9), (20, 30)), passages((20, 30), (5, 12))])["1"]
    assert found.starts is not None and found.ends is not None
    assert list(zip(found.starts.tolist(), found.ends.tolist(), strict=True)) == [(20, 30), (0, 9), (5, 12)]
    found = fuse([passages((0, 9), (20, 30)), passages((20, 30), (5, 12))], overlap="none")["1"]
    assert found.starts is not None and found.starts.tolist() == [20, 0]


def test_topics_and_results_come_from_any_run_and_ties_from_the_best_rank() -> None:
    found = trix.fuse({"x": {"1": {"a": 1.0}}, "y": {"2": {"b": 1.0}}}, top=5)
    assert list(found) == ["1", "2"] and found.name == "rrf" and found["2"].docs == ["b"]
    tie = fuse([{"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 2.0, "a": 1.0}}])["1"]
    assert tie.docs == ["a", "b"]
    assert fuse([{"1": {"a": 2.0, "b": 1.0}}, {"1": {"c": 2.0}}], top=2)["1"].docs == ["a", "c"]
    again = Rankings({"1": Ranking(["a", "b", "a"], scores=np.array([3.0, 2.0, 1.0]))})
    assert scores("sum", again, {"1": {"b": 1.0}}, norm="none") == {"a": 3.0, "b": 3.0}


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("combsun", {}, "unknown method of fusion 'combsun' \\(did you mean sum\\?\\)"),
        ("rrf", {"norm": "max"}, "rrf uses ranks, not scores"),
        ("sum", {"norm": "minmax"}, "unknown norm 'minmax' \\(did you mean min-max\\?\\)"),
        ("sum", {"weights": [1, 2]}, "sum takes no weights; methods with weights: wsum"),
        ("wsum", {"weights": [1]}, "there are 2 runs and 1 weights"),
    ],
)
def test_what_does_not_fit_is_said(method: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        fuse([A, B], method, **options)


def test_runs_that_rank_different_things_or_have_no_scores_are_refused() -> None:
    elements = Rankings({"1": Ranking(["d"], ["/a[1]"])}, name="el")
    with pytest.raises(UsageError, match="run ranks documents, but el ranks elements"):
        fuse([A, elements])
    with pytest.raises(UsageError, match="el: topic 1 has results without a score; use a method of ranks"):
        fuse([elements, elements], "sum")
    assert fuse([elements, elements], "sum", norm="rank")["1"].scores is not None
    with pytest.raises(UsageError, match="at least two runs"):
        fuse([A])


def test_the_command_writes_a_run_that_can_be_evaluated(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1 Q0 d/a[1] 1 3 A\n1 Q0 d/a[1]/b[1] 2 2 A\n")
    (tmp_path / "b").write_text("1 Q0 d/a[1]/b[1] 1 3 B\n2 Q0 e/a[1] 1 2 B\n")
    (tmp_path / "p").write_text("1 Q0 d 1 3 P 10 5\n")
    text = call("fuse", tmp_path / "a", tmp_path / "b", "-m", "mnz", "--norm", "none", "--run-id", "both")
    assert text.splitlines() == [
        "1 Q0 d/a[1]/b[1] 1 10.0 both",
        "1 Q0 d/a[1] 2 3.0 both",
        "2 Q0 e/a[1] 1 2.0 both",
    ]
    target = tmp_path / "fused"
    call("fuse", tmp_path / "p", tmp_path / "p", "-o", target)
    assert target.read_text().split()[-2:] == ["10", "5"]
    call("fuse", tmp_path / "a", tmp_path / "b", "--method", "wsum", "--weights", "2,1", "-o", target, "-n", 1)
    assert len(target.read_text().splitlines()) == 2
    (tmp_path / "qrels").write_text("1 0 d/a[1] 1\n")
    assert "AP       1.0000" in call("eval", tmp_path / "qrels", target, "-m", "AP")
    for given, message in (
        (["--weights", "x"], "--weights x: expected numbers"),
        (["--overlap", "partial"], "--overlap"),
        (["-m", "nonsense"], "unknown method of fusion"),
    ):
        with pytest.raises(TrixError, match=message):
            call("fuse", tmp_path / "a", tmp_path / "b", *given)
