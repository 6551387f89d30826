"""Which strategy answers a query, and what is said of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import trix
from tests.paths import ROOT
from trix.query.plan import RULES, Plan, Strategy

TOP_K, IN_ORDER, ALL = Strategy.TOP_K, Strategy.IN_ORDER, Strategy.ALL


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    """Return an index of a few documents with a field."""
    folder = tmp_path_factory.mktemp("plan")
    (folder / "docs").mkdir()
    for number in range(12):
        paragraphs = f"<sec><p>tree edit {number}</p><p>image tree</p></sec><p>distance</p>"
        (folder / "docs" / f"{number:02}.xml").write_text(f'<article year="{number}">{paragraphs}</article>')
    (folder / "own.toml").write_text('[fields]\nyear = {path = "/article/@year", type = "number"}\n')
    trix.build(folder / "docs", folder / "index", profile=str(folder / "own.toml"), positions=True, jobs=1)
    with trix.open(folder / "index") as opened:
        yield opened


USUAL = "bounds are known for all that is asked"
COUNTED = "fields are counted"
OTHER_CONTEXT = "the context is not one path to the root, then sentences, titles or pairs"

CASES: list[tuple[str, dict[str, Any], Strategy, str]] = [
    ("tree image", {}, TOP_K, USUAL),
    ("tree +image^2", {"model": "bm25", "context": "root"}, TOP_K, USUAL),
    ("tree", {"preset": "reading"}, TOP_K, USUAL),
    ("tree", {"where": "year > 5", "facet": "year"}, TOP_K, USUAL),
    ("tree", {"strategy": "fetch-browse"}, TOP_K, USUAL),
    ("tree -image", {}, TOP_K, USUAL),
    ("tree +image -edit", {"signs": "must"}, TOP_K, USUAL),
    ("tree AND NOT (image AND distance)", {"operators": "boolean"}, TOP_K, USUAL),
    ("tree image", {"match": "all"}, TOP_K, USUAL),
    ("tree", {"level": "document"}, TOP_K, USUAL),
    ("tree", {"language": "en"}, TOP_K, USUAL),
    ("//sec[about(., tree edit)]//p[about(., image)]", {}, TOP_K, USUAL),
    ("//sec[about(., tree)]", {"cas": "VVCAS"}, TOP_K, USUAL),
    ("//sec[about(., tree)]//p[about(., image)]", {"context": "nexi"}, ALL, "the context is the support"),
    ("tree -image", {"facet": "year"}, TOP_K, USUAL),
    ("tree", {"facet": "year", "level": "content"}, ALL, COUNTED),
    ("-tree -image", {}, ALL, "all words have a minus"),
    ("tree", {"sort": "year"}, ALL, "results are sorted"),
    ("tree", {"top": "all"}, ALL, "all results are wanted"),
    ("tree", {"expand": "2:3"}, TOP_K, USUAL),
    ("tree", {"expand": "rm3:2:3:0.5"}, TOP_K, USUAL),
    ("tree", {"expand": "rm3:2:3:0"}, ALL, "a word has no weight"),
    ("tree", {"strategy": "fetch-browse", "fetch": "sum"}, ALL, "documents are ranked by all their results"),
    ("tree", {"model": "tfidf"}, ALL, "the model has no compiled loop"),
    ("tree", {"context": "siblings"}, ALL, OTHER_CONTEXT),
    ("tree edit", {"context": "sentence>root"}, ALL, OTHER_CONTEXT),
    ("tree edit", {"context": "neighbours"}, ALL, OTHER_CONTEXT),
    ("tree edit", {"context": "root:0.5>sentence:f=8>pairs:f=0.1>titles:p"}, TOP_K, USUAL),
    ("tree edit", {"weights": "p=3", "statistics": "minor:sec", "model": "bm25"}, TOP_K, USUAL),
    ("tree edit", {"weights": "p=3", "context": "siblings"}, ALL, OTHER_CONTEXT),
    ("tree", {"strategy": "best-in-context"}, TOP_K, USUAL),
    ("tree", {"per_document": 2}, TOP_K, USUAL),
    ("tree", {"overlap": "partial"}, ALL, "results may overlap in part"),
    ("//sec", {}, IN_ORDER, "the query has no words"),
    ("//sec", {"strategy": "focused"}, ALL, "the query has no words"),
]


@pytest.mark.parametrize(("query", "options", "strategy", "reason"), CASES)
def test_the_plan_says_which_strategy_answered_and_why(
    index: trix.Index, query: str, options: dict[str, Any], strategy: Strategy, reason: str
) -> None:
    plan = index.search(query, **{"preset": "study", **options}).plan
    assert plan is not None
    assert (plan.strategy, plan.reason) == (strategy, reason)
    assert str(plan) == f"{strategy.value} ({strategy.summary}), because {reason}"


def test_a_search_that_finds_nothing_is_over_at_once(index: trix.Index) -> None:
    for strategy in (None, "fetch-browse"):
        found = index.search("//title[about(., tree)]", preset="study", strategy=strategy)
        assert not found and found.matched == 0
        assert found.plan is not None and found.plan.strategy is TOP_K


def test_few_results_without_pruning_come_from_all_candidates(
    index: trix.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index.now.strategies, "scores_all", True)
    plan = index.search("tree", preset="study").plan
    assert plan == Plan(ALL, ("pruning is switched off",))


def test_reasons_complete_a_sentence() -> None:
    for rule in RULES:
        assert rule.refuses
        assert ALL not in rule.refuses, "nothing refuses to score all candidates"
        assert not rule.reason.endswith(".") and rule.reason[:1] == rule.reason[:1].lower()


def test_the_command_prints_the_plan_with_explanations(index: trix.Index) -> None:
    def printed(*options: str) -> str:
        command = [sys.executable, "-m", "trix", "search", str(index.files.path), "tree", "-n", "1", *options]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert printed("--explain", "--format", "table").splitlines()[-1].startswith("plan: pruned top-k (")
    assert "plan: " not in printed("--format", "table")
    (line,) = printed("--explain", "--format", "jsonl").splitlines()
    assert json.loads(line)["plan"] == {"strategy": "pruned top-k", "reason": "bounds are known for all that is asked"}
    assert "plan" not in json.loads(printed("--format", "jsonl"))


def test_strategies_are_those_that_the_page_on_searching_lists() -> None:
    page = (ROOT / "docs" / "searching.md").read_text(encoding="utf-8")
    for strategy in Strategy:
        assert f"| `{strategy.value}` |" in page
