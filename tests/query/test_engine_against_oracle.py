"""The engine against the literal oracle, on random collections, queries and options.

Set ``TRIX_ORACLE_EXAMPLES`` for more collections than a test run of everything can afford.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

import trix
from tests.oracle.contexts import contextualised
from tests.oracle.generate import Case, Query, cases, options, queries
from tests.oracle.organising import organised
from tests.oracle.reading import Label, Profile
from tests.oracle.scoring import analysed, scorer_of, with_open_phrases
from tests.oracle.words import Asked

EXAMPLES = int(os.environ.get("TRIX_ORACLE_EXAMPLES", "40"))
SEARCHES = 8
TOLERANCE = 1e-12

if not hasattr(trix, "build"):
    pytest.skip("the engine is not here yet", allow_module_level=True)

relaxed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),  # tracing for explanations takes minutes
)


def toml(profile: Profile) -> str:
    """Write a profile as TOML; JSON strings and lists are TOML too."""
    return "".join(f"{rule} = {_toml_value(value)}\n" for rule, value in profile.items())


def _toml_value(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml_value(of)}" for key, of in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def build(case: Case, folder: Path) -> Path:
    """Write a case to a folder and index it."""
    for name, xml in case.files.items():
        path = folder / "collection" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(xml)
    (folder / "profile.toml").write_text(toml(case.profile), encoding="utf-8")
    (folder / "stop.txt").write_text("\n".join(case.stop), encoding="utf-8")
    trix.build(
        folder / "collection",
        folder / "case.index",
        profile=str(folder / "profile.toml"),
        stem=case.stem,
        stop=str(folder / "stop.txt") if case.stop else "none",
        positions=case.positions,
        jobs=1,
    )
    return folder / "case.index"


def dewey(label: Label) -> str:
    return ".".join(map(str, label))


def expected(case: Case, query: Query, options: dict[str, Any]) -> tuple[list[Label], dict[Label, float]]:
    """Return what the oracle finds: labels in order, and scores."""
    scorer = scorer_of(case.collection, options, case.aliases)
    terms = analysed(query.terms, case.collection.chain)
    if options["open_phrases"]:
        terms = with_open_phrases(terms)
    basic = scorer.scores(terms, options["combine"])
    asked = Asked(scorer, terms, options["combine"], rules=case.titles)
    scores = contextualised(case.collection, basic, options["context"], case.aliases, asked)
    order = organised(basic, scores, options["strategy"], options["overlap"], options["fetch"], options["top"])
    return order, {**basic, **scores}


def on_the_edge(scores: dict[Label, float]) -> bool:
    """Tell whether a score lies so near a border of rounding to 12 decimals that its last bits decide."""
    return any(abs(abs(s) * 1e12 % 1 - 0.5) < 1e-2 for s in scores.values())


def compare(
    index: Any, case: Case, query: str, options: dict[str, Any], order: list[Label], scores: dict[Label, float]
) -> list[Any]:
    """Compare one search with what the oracle finds; return its results."""
    note(f"{query!r} {options}")
    results = list(index.search(query, accents="keep", **options))
    found = [result.label for result in results]
    if found != [dewey(x) for x in order] and on_the_edge(scores):
        return results
    assert found == [dewey(x) for x in order]
    assert [result.rank for result in results] == list(range(1, len(results) + 1))
    for x, result in zip(order, results, strict=True):
        node = case.collection.nodes[x]
        assert (result.doc, result.path, result.tag) == (node.document, node.path, node.tag)
        assert (result.offset, result.length) == (node.offset, node.length)
        assert result.score == pytest.approx(scores[x], rel=TOLERANCE, abs=TOLERANCE)
    return results


@relaxed
@given(cases(), st.data())
def test_engine_and_oracle_agree_on_random_collections(case: Case, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        for _ in range(SEARCHES):
            query = data.draw(queries(case.collection))
            terms = analysed(query.terms, case.collection.chain)
            if terms:
                asked = data.draw(options(case.positions))
                compare(index, case, query.text, asked, *expected(case, query, asked))


@relaxed
@given(cases())
def test_engine_and_oracle_see_the_same_elements_and_texts(case: Case) -> None:
    """Every element is returned by a query of all keys, so texts and counts can be compared too."""
    nodes = case.collection.nodes
    content = [node for node in nodes.values() if node.is_content]
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        info = index.info()
        assert info["documents"] == len(case.files)
        assert info["elements"] == len(nodes)
        assert info["content_elements"] == len(content)
        assert info["keys"] == len({key for node in content for key in node.keys})
        assert info["postings"] == sum(len(set(node.keys)) for node in content)
        assert info["tokens"] == sum(len(node.keys) for node in content)
        keyed = [node for node in content if node.keys]
        if case.stem != "none" or not keyed:
            return
        query = " ".join(sorted({key for node in keyed for key in node.keys}))
        results = {
            result.label: result for result in index.search(query, strategy="thorough", top=None, accents="keep")
        }
        reached = {x for x in nodes if any(node.label[: len(x)] == x for node in keyed)}
        assert set(results) == {dewey(x) for x in reached}
        for x in reached:
            result = results[dewey(x)]
            assert index.show(result.doc + result.path, raw=True) == nodes[x].text
