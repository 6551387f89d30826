"""Feedback by a relevance model: the formula by hand, a literal oracle over trees, segments, explanations."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trix
from tests.oracle.generate import Case, cases
from tests.oracle.organising import rank_key
from tests.oracle.reading import Collection, Label
from tests.query.scoring.test_models import fed_back
from tests.query.test_engine_against_oracle import EXAMPLES, build, relaxed
from trix.errors import UsageError
from trix.query.context.words import Pairs
from trix.query.expand import RelevanceModel, read_feedback
from trix.query.language.terms import Query, Term
from trix.query.matching.query_words import words_of
from trix.query.relevance_model import ModelExpansion

FILES = {
    "a.xml": "<a><p>tree edit tree</p><p>distance of xml</p></a>",
    "b.xml": "<a><p>xml xml tree</p><p>image</p></a>",
    "c.xml": "<a><p>nothing</p></a>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    folder = tmp_path_factory.mktemp("model")
    (folder / "docs").mkdir()
    for name, text in FILES.items():
        (folder / "docs" / name).write_text(text)
    trix.build(folder / "docs", folder / "i", profile="generic", stem="none", stop="none", positions=True)
    return trix.open(folder / "i")


def literally(
    collection: Collection, ranking: list[Label], scores: dict[Label, float], e: int, t: int
) -> list[tuple[str, float]]:
    """Return P(w|R) of the t most probable keys: each element's words one by one, its share of the scores each."""
    first = ranking[:e]
    positive = [max(scores[x], 0.0) for x in first]
    total = sum(positive)
    p: dict[str, float] = dict.fromkeys((key for node in collection.nodes.values() for key in node.keys), 0.0)
    for x, score in zip(first, positive, strict=True):
        keys = [
            key for y, node in collection.nodes.items() if node.is_content and y[: len(x)] == x for key in node.keys
        ]
        for key in keys:
            p[key] += (score / total if total else 1 / len(first)) / len(keys)
    best = sorted((key for key in p if p[key]), key=lambda key: (-round(p[key], 12), key.encode()))[:t]
    return [(key, p[key] / sum(p[key] for key in best)) for key in best]


def test_the_formula_by_hand(index: trix.Index) -> None:
    """Two paragraphs hold "tree": "tree edit tree" and "xml xml tree", with scores s and r."""
    asked: dict[str, Any] = {"model": "bm25", "B": 0, "level": "//p", "statistics": "//p"}
    s, r = (result.score for result in index.search("tree", **asked))
    found = index.search("tree", **asked, expand="rm3:5:2:0.25")
    assert isinstance(found.expansion, ModelExpansion)
    tree = (s * 2 / 3 + r * 1 / 3) / (s + r)
    xml = r * 2 / 3 / (s + r)
    assert len(found.expansion.elements) == 2
    assert [key for key, _ in found.expansion.keys] == ["tree", "xml"]
    assert [p for _, p in found.expansion.keys] == pytest.approx([tree / (tree + xml), xml / (tree + xml)])
    (own,) = (x.score for x in index.search("xml", **asked) if x.doc == "a")
    (score,) = (x.score for x in found if x.path.endswith("p[2]") and x.doc == "a")  # "distance of xml"
    assert score == pytest.approx(0.75 * xml / (tree + xml) * own)
    assert found.notices[-1].startswith("model of 2 elements adds tree (P = 0.")


def test_with_all_of_the_query_nothing_is_added_but_its_scale(index: trix.Index) -> None:
    plain = index.search('tree "edit distance"^2 -image', top=None)
    found = index.search('tree "edit distance"^2 -image', top=None, expand="rm3:3:3:1")
    assert [x.path for x in found] == [x.path for x in plain]


def test_each_score_is_explained_exactly(index: trix.Index) -> None:
    for model in ("trix2005", "bm25", "lm-dirichlet"):
        asked: dict[str, Any] = {"model": model, "expand": "rm3:2:3:0.5", "context": "root:0.5"}
        results = index.search("+tree -edit xml", **asked)
        assert len(results)
        for result in results:
            told = index.explain("+tree -edit xml", result, **asked)
            assert told.value == result.score
            assert "added by feedback, (1-λ)·P(w|R)" in str(told)


@pytest.mark.parametrize("expand", ["rm3:2:4:0.5", "2:4"])
def test_what_operators_demand_holds_for_the_longer_query(index: trix.Index, expand: str) -> None:
    asked: dict[str, Any] = {"operators": "boolean", "strategy": "thorough"}
    found = index.search("tree AND NOT xml", **asked, expand=expand)
    assert found.expansion is not None
    plain = index.search("tree AND NOT xml", **asked)
    assert {x.path for x in plain} == {x.path for x in found} == {"/a[1]/p[1]"}


def test_nothing_found_adds_nothing(index: trix.Index) -> None:
    assert index.search("absent", expand="rm3:5:5:0.5").expansion is None
    asked = index.search("tree", expand="rm3:5:5:0.5", level="//image")
    assert asked.notices[-1] == "feedback: there are no results to estimate a model from"


@pytest.mark.parametrize(("text", "same"), [("rm3:10:30:0.5", "rm3:10:30:0.5"), ("rm3:010:3:1.0", "rm3:10:3:1")])
def test_one_form_has_one_text(text: str, same: str) -> None:
    found = read_feedback(text)
    assert isinstance(found, RelevanceModel)
    assert str(found) == same
    assert read_feedback(same) == found


@pytest.mark.parametrize(
    "text", ["rm3", "rm3:1:2", "rm3:0:2:0.5", "rm3:1:2:1.5", "rm3:1:2:-0.5", "rm3:1:2:x", "RM3:1:2:0"]
)
def test_what_is_no_form_is_refused_in_a_line(index: trix.Index, text: str) -> None:
    with pytest.raises(UsageError, match=f"expand: expected D:T, .* or rm3:E:T:SHARE.*; got {text}"):
        index.search("tree", expand=text)


def test_segments_with_deletions_give_the_model_of_a_fresh_build(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"profile": "generic", "stem": "none", "stop": "none"}
    docs = tmp_path / "docs"
    docs.mkdir()
    for name, text in FILES.items():
        (docs / name).write_text(text)
    trix.build(docs, tmp_path / "fresh", **settings)
    with trix.write(tmp_path / "lived", **settings) as writer:
        writer.add_document("<a><p>tree tree gone</p></a>", id="0")
    for name, text in FILES.items():
        with trix.write(tmp_path / "lived") as writer:
            writer.add_document(text, id=name[0])
    with trix.write(tmp_path / "lived") as writer:
        writer.delete("0")
    with trix.open(tmp_path / "lived") as lived, trix.open(tmp_path / "fresh") as fresh:
        one, other = (each.search("tree xml", expand="rm3:3:4:0.5", model="bm25") for each in (lived, fresh))
        assert len(lived.files.live) > 1
        assert [(x.doc, x.path, x.score) for x in one] == [(x.doc, x.path, x.score) for x in other]
        assert isinstance(one.expansion, ModelExpansion)
        assert isinstance(other.expansion, ModelExpansion)
        assert one.expansion.keys == other.expansion.keys


@pytest.mark.slow
@settings(parent=relaxed, max_examples=max(1, EXAMPLES // 2), suppress_health_check=list(HealthCheck))
@given(cases(), st.data())
def test_models_are_what_is_printed(case: Case, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        for _ in range(5):
            e, t = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 6))
            answered = fed_back(index, case, data, f"rm3:{e}:{t}:0.5")
            if answered is None:
                continue
            _, _, scores, found = answered
            ranking = sorted(scores, key=lambda x: rank_key(scores, x))
            assert isinstance(found.expansion, ModelExpansion)
            wanted = literally(case.collection, ranking, scores, e, t)
            assert [key for key, _ in found.expansion.keys] == [key for key, _ in wanted]
            assert [p for _, p in found.expansion.keys] == pytest.approx([p for _, p in wanted], rel=1e-9)


def test_forms_of_words_ask_for_the_query_as_it_was_asked() -> None:
    query = Query((Term(("tree",)), Term(("edit",)))).with_added([Term(("label",)), Term(("leaf",))])
    assert [word.text for word in words_of(query)] == ["tree", "edit"]
    assert str(Pairs().query(query)) == '"tree edit"'
