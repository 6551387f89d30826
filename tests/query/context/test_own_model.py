"""Contexts whose scores are made by a model of their own."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.oracle.generate import Case, Query, cases, options, own_models, queries
from tests.oracle.scoring import analysed
from tests.query.scoring.test_models import FILES
from tests.query.scoring.test_printed_formulas import check
from tests.query.test_engine_against_oracle import EXAMPLES, build, compare, expected, relaxed
from trix.errors import UsageError
from trix.query.context.ancestors import CScore, Tower, Vector, Vertical
from trix.query.context.chain import parse_context
from trix.query.context.parse import parse_form
from trix.query.options import Options
from trix.query.scoring import many

FIRST = "a/a[1]/s[1]"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    folder = tmp_path_factory.mktemp("own")
    (folder / "docs").mkdir()
    for name, text in FILES.items():
        (folder / "docs" / name).write_text(text)
    trix.build(folder / "docs", folder / "i", profile="generic", stem="none", stop="none")
    with trix.open(folder / "i") as opened:
        yield opened


def score(index: trix.Index, query: str, path: str, **options: Any) -> float:
    results = index.search(query, strategy="thorough", top=None, **options)
    return next(result.score for result in results if result.doc + result.path == path)


def bm25(kf: int, dl: int, avgdl: float, m: int, N: int, k1: float = 1.2, B: float = 0.75) -> float:
    return kf * (k1 + 1) / (kf + k1 * (1 - B + B * dl / avgdl)) * math.log(1 + (N - m + 0.5) / (m + 0.5))


# -- numbers -----------------------------------------------------------------------------------------------------------


def test_a_root_has_its_own_parameters_and_statistics(index: trix.Index) -> None:
    """ "edit" is once in a section of 6 keys and twice in the document a, the only one of four that holds it."""
    own = bm25(1, 6, 11 / 3, 2, 3, 0.6, 0.2)
    root = bm25(2, 8, 22 / 4, 1, 4, 0.3, 0.0)
    asked: dict[str, Any] = {"model": "bm25", "k1": 0.6, "B": 0.2, "statistics": "//s"}
    form = "root(k1=.3,B=0,statistics=document):1.25"
    assert score(index, "edit", FIRST, context=form, **asked) == pytest.approx((own + 1.25 * root) / 2.25, rel=1e-13)
    # the root itself keeps the score of the search
    assert score(index, "edit", "a/a[1]", context=form, **asked) == score(index, "edit", "a/a[1]", **asked)
    added = own + 0.5 * root
    form = "cscore(k1=.3,B=0,statistics=document):root,w=0.5"
    assert score(index, "edit", FIRST, context=form, **asked) == pytest.approx(added, rel=1e-13)


def test_an_element_counts_with_its_own_score_and_its_ancestors_with_theirs(index: trix.Index) -> None:
    paragraph, section, root = "a/a[1]/s[1]/p[1]", FIRST, "a/a[1]"
    trix2005 = [score(index, "tree", path) for path in (paragraph, section, root)]
    of_bm25 = [score(index, "tree", path, model="bm25") for path in (paragraph, section, root)]
    found = [score(index, "tree", path, context="tower(bm25)") for path in (paragraph, section, root)]
    assert found[2] == trix2005[2]
    assert found[1] == pytest.approx((of_bm25[2] + trix2005[1]) / 2, rel=1e-13)
    assert found[0] == pytest.approx((of_bm25[2] + of_bm25[1] + trix2005[0]) / 3, rel=1e-13)
    assert score(index, "tree", paragraph, context="parent(bm25)") == pytest.approx(
        (of_bm25[1] + trix2005[0]) / 2, rel=1e-13
    )


def test_each_part_of_a_chain_has_a_model_of_its_own(index: trix.Index) -> None:
    s, tfidf, jm = (
        [score(index, "tree", path, model=model) for path in ("a/a[1]/s[1]/p[1]", FIRST, "a/a[1]")]
        for model in ("bm25", "tfidf", "lm-jm")
    )
    chain = "cscore(tfidf):parent>cscore(lm-jm):root"
    found = score(index, "tree", "a/a[1]/s[1]/p[1]", model="bm25", context=chain)
    assert found == pytest.approx(s[0] + tfidf[1] + jm[2], rel=1e-13)


def test_what_a_form_leaves_out_is_as_in_the_search(index: trix.Index) -> None:
    plain: dict[str, Any] = {"model": "bm25", "k1": 0.4, "B": 0.3, "weights": "s=2"}
    for form in ("tower", "root:1.5", "vertical:f=0.5", "horizontal", "siblings"):
        name, colon, rest = form.partition(":")
        own = f"{name}(bm25,k1=0.4){colon}{rest}"
        wanted = index.search("tree edit", **plain, context=form, strategy="thorough")
        found = index.search("tree edit", **plain, context=own, strategy="thorough")
        assert [(each.label, each.score) for each in found] == [(each.label, each.score) for each in wanted]


def test_terms_many_or_few_and_both_backends_give_the_same(index: trix.Index) -> None:
    asked: dict[str, Any] = {"context": "root(bm25,statistics=document):2>parent(tfidf)", "strategy": "thorough"}
    found = []
    for most in (many.MANY, -1):
        with mock.patch.object(many, "MANY", most), trix.open(index.files.path) as opened:
            results = opened.search('tree "edit distance" -image', **asked)
            found.append([(result.label, result.score) for result in results])
            explanation = opened.explain('tree "edit distance" -image', results[-1], **asked)
            assert explanation.value == results[-1].score
            check(str(explanation))
    assert all(each == found[0] for each in found)


def test_explanations_show_the_model_of_each_member(index: trix.Index) -> None:
    form = "root(bm25,k1=0.3,B=0,statistics=document):1.25"
    explained = str(index.explain("edit", FIRST, context=form))
    assert f"context {form}: Σ g·s / Σ g" in explained
    assert "basic weight s: sum over 1 term(s), statistics of document: k1 = 0.3; B = 0.0" in explained
    assert "kf = 2; dl = 8; avgdl = 5.5; m = 1; N = 4" in explained


def test_structured_queries_and_feedback_know_the_models_of_forms(index: trix.Index) -> None:
    asked: dict[str, Any] = {"model": "bm25", "context": "cscore(tfidf):root"}
    (first, *_) = index.search("//s[about(., edit)]", **asked)
    path = first.doc + first.path
    wanted = score(index, "edit", path, model="bm25") + score(index, "edit", f"{first.doc}/a[1]", model="tfidf")
    assert first.score == pytest.approx(wanted, rel=1e-13)
    results = index.search("edit", expand="1:2", **asked)
    assert index.explain("edit", results[0], expand="1:2", **asked).value == results[0].score


# -- text --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "form", "settings", "canonical"),
    [
        (
            "root( bm25 , statistics = document,B=0, k1=.3 ):1.25",
            Vector(head=(1.25,)),
            {"model": "bm25", "statistics": "document", "k1": 0.3, "B": 0.0},
            "root(bm25,k1=0.3,B=0,statistics=document):1.25",
        ),
        ("tower(BM25)", Tower(1), {"model": "bm25"}, "tower(bm25)"),
        ("root+tower(lm-jm,lambda=.4)", Tower(2), {"model": "lm-jm", "lambda_": 0.4}, "root+tower(lm-jm,lambda=0.4)"),
        (
            "vertical(idf_power=2,statistics=//p[not(.//p or (.//s))]):f=2",
            Vertical(f=2.0),
            {"statistics": "//p[not(.//p or (.//s))]", "idf_power": 2.0},
            "vertical(idf-power=2,statistics=//p[not(.//p or (.//s))]):f=2",
        ),
        ("cscore (v=1):root", CScore("root"), {"v": 1.0}, "cscore(v=1):root"),
    ],
)
def test_forms_are_read_and_written(text: str, form: Any, settings: dict[str, Any], canonical: str) -> None:
    parsed: Any = parse_form(text)
    assert (parsed.form, dict(parsed.settings), str(parsed)) == (form, settings, canonical)
    assert parse_form(canonical) == parsed
    assert str(parse_context(f"{text} > tower")) == f"{canonical}>tower"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("root(bm52):1", "'bm52' is no model; expected one of .* .did you mean bm25"),
        ("root():1", "'' is no model"),
        ("root(bm25,k=3)", "unknown key 'k'"),
        ("root(bm25,tfidf)", "'tfidf' is not KEY=VALUE"),
        ("root(k1=1,k1=2)", "k1 is given twice"),
        ("root(B=2)", "B=2 is wrong; expected a number from 0 to 1"),
        ("root(bm25", "a parenthesis is not closed"),
        ("none(bm25)", "none takes no model of its own"),
        ("nexi(bm25):f=2", "nexi takes no model of its own"),
        ("rot(bm25)", r"unknown form 'rot' .did you mean root"),
        ("root(bm25):x", "'x' is not a number"),
        ("root(lm-jm,idf-power=2)", "idf_power"),
        ("root(bm25,combine=einstein)", "combine"),
    ],
)
def test_mistakes_are_one_line_that_shows_the_whole_form(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        Options.of(context=text)
    assert (
        (caught.value.field == "context" and caught.value.got == text) or text.startswith("root(lm") or "einst" in text
    )
    assert "\n" not in str(caught.value)


def test_levels_of_forms_are_checked_before_the_search(index: trix.Index) -> None:
    with pytest.raises(UsageError, match="statistics"):
        index.search("tree", context="root(statistics=absent)")
    with pytest.raises(UsageError, match="no level whose statistics"):
        index.search("tree", context="root(statistics=level)")
    assert index.search("tree", context="root(statistics=level)", level="//s")
    with pytest.raises(UsageError, match="expected 1 with `model` lm-jm"):
        index.search("tree", idf_power=2, context="root(lm-jm)")


def test_a_rescored_run_has_no_query_for_a_model() -> None:
    with pytest.raises(UsageError, match="needs a query, and a rescored run has none"):
        Options.of("rescore", context="root(bm25):1.25")


# -- the oracle --------------------------------------------------------------------------------------------------------


def agree(index: trix.Index, case: Case, query: Query, asked: dict[str, Any]) -> None:
    """Compare what both backends find with the oracle's, to the last bit with each other's, and explain some of it."""
    wanted = expected(case, query, asked)
    found = []
    results = compare(index, case, query.text, asked, *wanted)
    found.append(np.array([result.score for result in results]))
    assert all(np.array_equal(scores, found[0]) for scores in found)
    for result in results[-2:]:
        explanation = index.explain(query.text, result, **asked)
        assert explanation.value == result.score
        check(str(explanation))


@settings(relaxed, max_examples=max(5, EXAMPLES // 4))
@given(cases(), st.data())
def test_both_backends_and_their_explanations_agree_with_the_oracle(case: Case, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        for _ in range(3):
            query = data.draw(queries(case.collection))
            if not analysed(query.terms, case.collection.chain):
                continue
            asked = data.draw(options(case.positions))
            asked["context"] = [data.draw(own_models(asked["idf_power"], asked["combine"]))]
            agree(index, case, query, asked)


def test_queries_without_words_have_no_scores_by_any_model(index: trix.Index) -> None:
    results = index.search("//s", context="cscore(bm25):root")
    assert [result.score for result in results] == [0.0] * 3
    assert index.explain("//s", results[0], context="cscore(bm25):root").value == 0.0


def test_segments_give_the_numbers_of_a_fresh_build(index: trix.Index, tmp_path: Path) -> None:
    """Two segments, one with a document that is deleted, against the same four documents built at once."""
    order = ("a.xml", "b.xml", "c.xml", "d.xml")
    (tmp_path / "docs").mkdir()
    for name in ("a.xml", "b.xml"):
        (tmp_path / "docs" / name).write_text(FILES[name])
    (tmp_path / "docs" / "bb.xml").write_text("<a><s>tree tree edit</s></a>")
    trix.build(tmp_path / "docs", tmp_path / "i", profile="generic", stem="none", stop="none", jobs=1)
    with trix.write(tmp_path / "i") as writer:
        writer.delete("bb")
        for name in order[2:]:
            writer.add_document(FILES[name], id=name.removesuffix(".xml"))
    with trix.open(tmp_path / "i") as living:
        assert len(living.files.live) > 1
        for statistics in ("document", "//s", "minor:s"):
            for context in ("root(bm25,k1=0.3,B=0,statistics=document):1.25", f"parent(tfidf,statistics={statistics})"):
                asked: dict[str, Any] = {"model": "bm25", "statistics": statistics, "weights": "s=0.3,//a/p=2"}
                asked |= {"context": context, "strategy": "thorough", "top": None, "idf_power": 1.25}
                wanted = [(each.label, each.score) for each in index.search("tree edit image", **asked)]
                assert [(each.label, each.score) for each in living.search("tree edit image", **asked)] == wanted
