"""Runs that other programs sort by their scores: these fall with the ranks, whatever the order of the results."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trix
from tests.conftest import Cli
from trix.cli import runs
from trix.eval.data.runs import CONTRADICTED
from trix.eval.formats import RUN_FORMATS
from trix.query.ranking.falling import falling

WORDS = ["tree", "edit", "label", "order", "plum"]
TOPICS = {"1": "tree edit", "2": "label", "3": "plum order tree"}
STRATEGIES = ("focused", "thorough", "fetch-browse", "relevant-in-context", "best-in-context")
SETTINGS: list[dict[str, Any]] = [
    {"preset": "reading", "size": "any", "spread": 3, "per_document": 1}, {"preset": "reading", "size": "any"}, {},
    {"fetch": "best"}, {"context": "tower", "overlap": "full"}, {"fetch": "sum", "top": 7},
]  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    folder, draw = tmp_path_factory.mktemp("runs"), random.Random(4)
    (folder / "docs").mkdir()
    for number in range(12):
        paragraphs = "".join(f"<p>{' '.join(draw.choices(WORDS, k=draw.randint(1, 9)))}</p>" for _ in range(9))
        text = f'<article year="{draw.randint(1990, 1994)}"><sec>{paragraphs}</sec></article>'
        (folder / "docs" / f"d{number:02}.xml").write_text(text)
    profile = folder / "own.toml"
    profile.write_text('[fields]\nyear = {path = "/article/@year", type = "number"}\n')
    trix.build(folder / "docs", folder / "i", profile=profile, positions=True, jobs=1)
    with trix.open(folder / "i") as opened:
        yield opened


def sorted_by_score(rows: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """Sort as trec_eval does: by scores in single precision, then by the names of the units, both descending."""
    return sorted(rows, key=lambda row: (float(np.float32(row[1])), row[0]), reverse=True)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("given", SETTINGS, ids=str)
def test_who_sorts_a_run_by_its_scores_gets_the_order_of_its_ranks(
    strategy: str, given: dict[str, Any], index: trix.Index, tmp_path: Path
) -> None:
    run = index.run(TOPICS, **{"b": 0.9} | given | {"strategy": strategy})
    assert all(len(results) > 6 for results in run.values())
    for format, passages in product(RUN_FORMATS, (False, True)):
        if passages and format != "inex2009":
            continue
        written = io.StringIO()
        runs.write(run, runs.RunLayout(format, passages=passages, strategy=strategy), written)
        path = tmp_path / f"{format}.run"
        path.write_text(written.getvalue(), encoding="utf-8")
        read = trix.read_run(path)
        assert CONTRADICTED not in read.notices
        for topic, results in run.items():
            ranking = read[topic]
            assert ranking.docs == results.docs
            assert ranking.scores is not None and ranking.scores.tolist() == results.run_scores.tolist()
    for topic, results in run.items():
        units = [doc + path for doc, path in zip(results.docs, results.paths, strict=True)]
        rows = list(zip(units, results.run_scores.tolist(), strict=True))
        by_rank_key = sorted(zip((-results.scores).round(12).tolist(), results.elements.tolist(), strict=True))
        if [element for _, element in by_rank_key] == results.elements.tolist():
            assert all(first >= second for (_, first), (_, second) in pairwise(rows))
            assert results.run_scores == pytest.approx(results.scores, abs=1e-12, rel=0)
        else:
            assert sorted_by_score(rows) == rows
            assert (results.run_scores <= results.scores).all()
            kept = results.run_scores == results.scores
            assert kept[0] and (strategy in ("focused", "thorough") or not kept.all())
        docs = [each for each in run.scored_docs() if each.query_id == topic]
        assert [each.doc_id for each in docs] == units
        assert [each.score for each in docs] == results.run_scores.tolist()
        frame = run.to_frame()
        assert frame[frame.qid == topic]["score"].tolist() == results.run_scores.tolist()


def test_a_deferred_result_is_lowered_and_no_other(index: trix.Index) -> None:
    given: dict[str, Any] = {"strategy": "thorough", "per_document": 1, "spread": 3, "b": 0.9}
    results = index.search("tree edit", preset="study", top=40, **given)
    put_off = results.scores[3:] > results.scores[2]
    assert put_off.any()
    assert results.run_scores[:3].tolist() == results.scores[:3].tolist()
    assert (results.run_scores[3:][put_off] < results.scores[2]).all()
    last = np.flatnonzero(put_off)[-1] + 4
    below = results.scores[last:] < results.run_scores[last - 1]
    assert below.any() and results.run_scores[-1] == pytest.approx(results.scores[-1], rel=1e-5)  # ties apart


@pytest.mark.parametrize(("query", "results"), [("tree edit", 40), ("//p", 20)])
def test_an_order_by_a_field_is_that_of_the_scores_too(query: str, results: int, index: trix.Index) -> None:
    found = index.search(query, preset="study", strategy="thorough", sort="-year", top=results)
    units = [doc + path for doc, path in zip(found.docs, found.paths, strict=True)]
    rows = list(zip(units, found.run_scores.tolist(), strict=True))
    assert len(rows) == results and sorted_by_score(rows) == rows


def test_pages_of_a_run_have_the_scores_of_the_whole(index: trix.Index) -> None:
    given: dict[str, Any] = {"preset": "study", "strategy": "relevant-in-context", "b": 0.9}
    whole = index.search("tree edit", top=20, **given)
    page = index.search("tree edit", from_=8, top=13, **given)
    assert page.elements.tolist() == whole.elements[7:].tolist()
    assert page.run_scores.tolist() == whole.run_scores[7:].tolist()


def test_a_run_in_memory_is_evaluated_as_its_file(index: trix.Index, tmp_path: Path) -> None:
    run = index.run(TOPICS, strategy="fetch-browse", b=0.9)
    with (tmp_path / "a.run").open("w") as out:
        runs.write(run, runs.RunLayout("trec"), out)
    draw = random.Random(2)
    qrels = {
        topic: {doc + path: draw.randint(0, 2) for doc, path in zip(of.docs, of.paths, strict=True)}
        for topic, of in run.items()
    }
    for ties in (False, True):
        found = [trix.evaluate(qrels, each, ["AP", "nDCG@5"], trec_ties=ties) for each in (run, tmp_path / "a.run")]
        assert not any("contradict" in notice for each in found for notice in each.notices)
        assert found[0].to_dict() == found[1].to_dict()


def test_lines_of_a_run_say_the_score_of_the_model_where_it_is_another(
    index: trix.Index, run_cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "topics.txt").write_text("1\tlabel\n")
    asked = (
        "run",
        index.files.path,
        tmp_path / "topics.txt",
        "--strategy",
        "relevant-in-context",
        "--b",
        "0.9",
        "--preset=study",
        "--format",
        "jsonl",
    )
    lines = [json.loads(line) for line in run_cli(*asked, "--explain")[1].splitlines()]
    lowered = [line for line in lines if "model_score" in line]
    assert 0 < len(lowered) < len(lines)
    assert all(line["model_score"] > line["score"] for line in lowered)
    assert all(line.get("model_score", line["score"]) == line["explanation"]["value"] for line in lines)


# -- numbers -----------------------------------------------------------------------------------------------------------

_scores = st.one_of(
    st.sampled_from([0.0, -0.0, 0.5, 0.5 + 1e-14, 1.0, -1.0, 1e-300, 1e30, -1e30, 0.1 + 0.2, 0.3, 1e-45]),
    st.floats(-1e3, 1e3), st.floats(-1e30, 1e30),
)  # fmt: skip


def literal(scores: list[float], elements: list[int]) -> list[float]:
    """Lower one score after the other."""
    ranked = [(-round(score, 12), element) for score, element in zip(scores, elements, strict=True)]
    found: list[float] = []
    for score in scores:
        if not found:
            found.append(score)
        elif all(first <= second for first, second in pairwise(ranked)):
            found.append(min(score, found[-1]))
        else:
            lower = np.nextafter(np.float32(found[-1]), np.float32(-np.inf))
            found.append(score if np.float32(score) <= lower else float(lower))
    return found


@given(st.lists(st.tuples(_scores, st.integers(0, 5)), max_size=30))
def test_scores_fall_as_a_literal_reading_of_the_rule_says(rows: list[tuple[float, int]]) -> None:
    scores, elements = [score for score, _ in rows], [element for _, element in rows]
    found = falling(np.array(scores), np.array(elements, np.int32)).tolist()
    assert found == literal(scores, elements)
    if found != scores:
        assert all(first >= second for first, second in pairwise(found))


def test_scores_beyond_single_precision_never_rise() -> None:
    for scores in ([-1e300, 0.0, 5.0], [1e300, 1e301, 1e39, 2e39], [-3.4e38, -3.4e38, 1.0, -3.5e38]):
        found = falling(np.array(scores), np.array([3, 2, 1, 0][: len(scores)]))
        assert np.isfinite(found).all() and (np.diff(found) <= 0).all() and found[0] == scores[0]
