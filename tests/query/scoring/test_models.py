"""The models over element lengths and feedback, on a collection small enough to count by hand."""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trix
from tests.oracle.contexts import contextualised
from tests.oracle.feedback import offers
from tests.oracle.generate import Case, cases, options, queries
from tests.oracle.organising import rank_key
from tests.oracle.reading import Label
from tests.oracle.scoring import Term, analysed, scorer_of, with_open_phrases
from tests.oracle.words import Asked
from tests.query.test_engine_against_oracle import EXAMPLES, build, dewey, expected, relaxed
from trix.errors import UsageError
from trix.indexer.store.inverted.by_document import (
    DocumentCounts,
)
from trix.query.options import Options
from trix.query.scoring.models import MODELS

LENGTH_MODELS = tuple(name for name, model in MODELS.items() if not model.bounded)
FILES = {
    "a.xml": "<a><s><p>tree edit tree</p><p>distance of xml</p></s><s><p>edit distance</p></s></a>",
    "b.xml": "<a><s><p>xml xml tree</p></s><p>image of a tree</p></a>",
    "c.xml": "<a><p>image and distance</p><p>tree</p></a>",
    "d.xml": "<a><p>nothing at all</p></a>",
}


def write(folder: Path) -> Path:
    (folder / "docs").mkdir()
    for name, text in FILES.items():
        (folder / "docs" / name).write_text(text)
    return folder / "docs"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    folder = tmp_path_factory.mktemp("models")
    trix.build(write(folder), folder / "i", profile="generic", stem="none", stop="none", positions=True)
    with trix.open(folder / "i") as opened:
        yield opened


# -- lengths -----------------------------------------------------------------------------------------------------------


def test_the_lengths_of_elements_are_the_keys_in_them(index: trix.Index) -> None:
    numbers = np.arange(8)
    assert index.files.elements.tokens(numbers, numbers + 1).tolist() == [3, 3, 2, 3, 4, 3, 1, 3]
    assert index.files.elements.tokens(np.array([0, 0, 3]), np.array([3, 2, 5])).tolist() == [8, 6, 7]


def test_lengths_are_right_whichever_blocks_are_read_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("trix.indexer.write.segment_writer.BLOCK_ELEMENTS", 1)
    trix.build(write(tmp_path), tmp_path / "i", profile="generic", stem="none", stop="none", jobs=1)
    assert trix.check(tmp_path / "i") == []
    for order in ([3, 0, 6, 5], [6, 5, 3, 0], [0, 3, 5, 6]):
        with trix.open(tmp_path / "i") as opened:
            table = opened.files.elements
            wanted = {0: (0, 3, 8), 3: (3, 5, 7), 5: (5, 7, 4), 6: (6, 7, 1)}
            for number in order:
                begin, end, dl = wanted[number]
                assert table.tokens(np.array([begin]), np.array([end])).tolist() == [dl]


def test_check_finds_a_wrong_length(index: trix.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    from trix.indexer.store.elements import Elements

    right = Elements.column

    def wrong(self: Elements, name: str) -> Any:
        found = right(self, name).copy()
        if name == "tokens":
            found[2] += 1
            found[3] -= 1
        return found

    monkeypatch.setattr(Elements, "column", wrong)
    (fault,) = trix.check(index.files.path)
    assert fault.endswith(": elements: a number of keys is not that of the postings")


# -- models ------------------------------------------------------------------------------------------------------------


def score(index: trix.Index, query: str, path: str, **options: Any) -> float:
    results = index.search(query, strategy="thorough", top=None, **options)
    return next(result.score for result in results if result.doc + result.path == path)


def test_each_model_gives_the_value_computed_by_hand(index: trix.Index) -> None:
    """ "tree" is in 4 of 8 content elements (m), 5 times in all (cf); the first sec has kf 2 of dl 6; C = 22."""
    first = "a/a[1]/s[1]"
    C, N, avgdl = 22, 8, 22 / 8
    bm25 = 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 6 / avgdl)) * math.log(1 + 4.5 / 4.5)
    assert score(index, "tree", first, model="bm25") == pytest.approx(bm25, rel=1e-13)
    # "xml" is in 2 of 4 documents of 22 keys, "edit" in 1
    assert score(index, "xml", first, model="bm25-2011") == 0.0
    of_2011 = 2 / (2 + 1.2 * (0.1 + 0.9 * 6 / (22 / 4))) * math.log((4 - 3 + 0.5) / (3 + 0.5))
    assert score(index, "tree", first, model="bm25-2011") == pytest.approx(of_2011, rel=1e-13)
    of_2011 = 1 / (1 + 3 * (0.4 + 0.6 * 6 / (22 / 4))) * math.log((4 - 1 + 0.5) / (1 + 0.5))
    assert score(index, "edit", first, model="bm25-2011", a=3, b=0.4) == pytest.approx(of_2011, rel=1e-13)
    assert score(index, "tree", first, model="tfidf") == pytest.approx(
        (1 + math.log(2)) * math.log(N / 4) / math.sqrt(6), rel=1e-13
    )
    assert score(index, "tree", first, model="lm-jm") == pytest.approx(math.log(1 + 2 * C / (6 * 5)), rel=1e-13)
    assert score(index, "tree", first, model="lm-dirichlet", mu=10.0) == pytest.approx(
        math.log(1 + 2 * C / (10 * 5)) + math.log(10 / 16), rel=1e-13
    )


@pytest.mark.parametrize("model", LENGTH_MODELS)
def test_a_plus_doubles_a_minus_negates_and_the_average_is_the_sum(index: trix.Index, model: str) -> None:
    where = "a/a[1]/s[1]"
    tree, xml = (score(index, word, where, model=model, mu=10.0) for word in ("tree", "xml"))
    for combine in ("average", "sum"):
        found = score(index, "+tree -xml tree absent", where, model=model, mu=10.0, combine=combine)
        assert found == pytest.approx(3 * tree - xml, rel=1e-13)


def test_a_phrase_has_its_own_m_and_cf(index: trix.Index) -> None:
    """ "edit distance" is once in one content element of two keys."""
    found = score(index, '"edit distance"', "a/a[1]/s[2]/p[1]", model="lm-jm")
    assert found == pytest.approx(math.log(1 + 22 / 2), rel=1e-13)
    assert score(index, '"tree edit"', "a/a[1]/s[1]/p[1]", model="lm-jm") == pytest.approx(math.log(1 + 22 / 3))
    exact = score(index, '"edit tree"', "a/a[1]/s[1]/p[1]", model="lm-jm", phrases="exact")
    assert exact == pytest.approx(math.log(1 + 22 / 3))


@pytest.mark.parametrize("model", ["trix2005", "trix2004", *LENGTH_MODELS])
def test_an_explanation_has_the_exact_score_and_the_letters_of_its_formula(index: trix.Index, model: str) -> None:
    asked: dict[str, Any] = {"model": model, "context": "root+tower", "strategy": "thorough", "mu": 10.0}
    for result in index.search('+tree "edit distance" -image', **asked):
        explanation = index.explain('+tree "edit distance" -image', result, **asked)
        assert explanation.value == result.score
        basic = explanation
        while not basic.what.startswith("basic weight"):
            basic = basic.parts[0]
        assert sum(part.value for part in basic.parts) / (3 if model.startswith("trix") else 1) == basic.value
        for part in basic.parts:
            letters = set(part.numbers) | set(basic.numbers)
            wanted = {
                "bm25": {"dl", "avgdl", "m", "N", "k1", "B"},
                "bm25-2011": {"dl", "avgdl", "n", "N", "a", "b"},
                "tfidf": {"dl", "m", "N"},
                "lm-jm": {"dl", "cf", "C", "λ"},
                "lm-dirichlet": {"dl", "cf", "C", "μ"},
                "trix2004": {"ξ_k", "ξ_c", "m", "N", "idf", "v", "b", "l"},
            }.get(model, {"ξ_k", "ξ_c", "m", "N", "idf", "v", "b"})
            assert letters - {"kf", "pf"} == wanted
        if model == "bm25":
            kf, dl, m, N = (basic.parts[0].numbers[name] for name in ("kf", "dl", "m", "N"))
            by_hand = kf * 2.2 / (kf + 1.2 * (0.25 + 0.75 * dl / 2.75)) * math.log(1 + (N - m + 0.5) / (m + 0.5))
            assert basic.parts[0].value == pytest.approx(2 * by_hand, rel=1e-13)


EXTREME: dict[str, list[Any]] = {
    "v": [0, 5e-324, 1e12], "k1": [0, 5e-324, 1e12], "a": [0, 5e-324, 1e12], "mu": [1e-12, 1e12], "b": [0, 5e-324, 1],
    "B": [0, 5e-324, 1], "lambda_": [5e-324, 0.5, 1 - 2**-53], "idf_power": [0, 5e-324, 100],
}  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
def test_the_greatest_and_the_least_parameters_give_numbers_without_a_word(
    model: str, index: trix.Index, recwarn: pytest.WarningsRecorder
) -> None:
    """Also in contexts, with weights of words and places, and among the best documents."""
    draw = random.Random(5)
    for _ in range(60):
        asked = {name: draw.choice(values) for name, values in EXTREME.items() if draw.random() < 0.6}
        if not MODELS[model].has_idf:
            asked.pop("idf_power", None)
        asked["context"] = draw.choice(("none", "root:1e300", "vertical:f=1e12", "tower(lm-dirichlet,mu=1e-12)"))
        asked["top"] = draw.choice((1, 10, None))
        if draw.random() < 0.3:
            asked["weights"] = "p=1000"
        query = draw.choice(("tree edit", "tree^100000 edit", "tree^0.00001", '+"tree edit" -label'))
        try:
            found = index.search(query, model=model, preset="study", combine="sum", **asked)
        except UsageError as error:
            assert "beyond all numbers" in str(error) or "idf" in str(error), (query, asked)
            continue
        assert np.isfinite(found.scores).all()
    assert not [str(each.message) for each in recwarn]


@pytest.mark.parametrize("parameter", ["v", "a", "k1", "mu"])
def test_a_parameter_beyond_all_use_is_refused_in_one_line(parameter: str, index: trix.Index) -> None:
    with pytest.raises(UsageError, match=f"{parameter}: expected a number from .* to 1e12; got 1e.308"):
        index.search("tree", preset="study", **{parameter: 1e308})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=f"{parameter}=1e308 is wrong; expected a number from .* to 1e12"):
        index.search("tree", preset="study", context=f"root({parameter}=1e308)")


def test_options_are_taken_as_notebooks_have_them() -> None:
    asked: dict[str, Any] = {"top": np.int64(3), "b": np.float32(0.5), "lambda": 0.3}
    asked |= {"strategy": "Thorough", "cas": "vvcas"}
    found = Options.of(**asked)
    assert found == Options.of(top=3, b=0.5, lambda_=0.3, strategy="thorough", cas="VVCAS")
    assert (type(found.top), type(found.b)) == (int, float)
    with pytest.raises(UsageError, match="v: expected a number from 0 to 1e12; got 1000"):
        Options.of(v=10**400)


@pytest.mark.parametrize(
    ("given_options", "line"),
    [
        ({"k1": -1}, "k1: expected a number from 0 to 1e12; got -1"),
        ({"B": 1.5}, "B: expected a number from 0 to 1; got 1.5"),
        ({"lambda_": 1}, "lambda_: expected a number between 0 and 1; got 1"),
        ({"lambda_": 0.0}, "lambda_: expected a number between 0 and 1; got 0.0"),
        ({"a": -0.5}, "a: expected a number from 0 to 1e12; got -0.5"),
        ({"match": "some"}, "match: expected one of any, all; got some"),
        ({"mu": 0}, "mu: expected a number from 1e-12 to 1e12; got 0"),
        ({"mu": math.inf}, "mu: expected a number from 1e-12 to 1e12; got inf"),
        ({"k1": "2"}, "k1: expected a number from 0 to 1e12; got 2"),
        ({"model": "bm26"}, f"model: expected one of {', '.join(MODELS)} (did you mean bm25?); got bm26"),
        ({"model": "lm-jm", "combine": "einstein"},
         "combine: expected sum or average with `model` lm-jm, whose weights may exceed 1; got einstein"),
        ({"top": 0}, "top: expected a whole number of 1 or more, or all; got 0"),
        ({"fetch": None}, "fetch: expected one of root, best, sum; got None"),
        ({"open_phrases": "maybe"}, "open_phrases: expected on or off; got maybe"),
        ({"expand": "7"}, "expand: expected D:T, feedback documents and new keys, as 7:5, or rm3:E:T:SHARE, "
            "elements, keys, weight of the query; numbers up to 500; got 7"),
        ({"expand": (0, 5)}, "expand: expected D:T, feedback documents and new keys, as 7:5, or rm3:E:T:SHARE, "
            "elements, keys, weight of the query; numbers up to 500; got (0, 5)"),
    ],
)  # fmt: skip
def test_a_wrong_option_is_named_in_one_line(index: trix.Index, given_options: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError) as raised:
        index.search("tree", **given_options)
    assert str(raised.value) == line


@pytest.mark.parametrize("model", LENGTH_MODELS)
def test_a_search_by_trix2005_does_not_read_lengths(index: trix.Index, model: str) -> None:
    with trix.open(index.files.path) as opened:
        opened.search("tree")
        assert opened.files.elements._running is None
        opened.search("tree", model=model)
        assert opened.files.elements._running is not None


# -- feedback ----------------------------------------------------------------------------------------------------------


def test_feedback_adds_the_keys_of_the_first_documents(index: trix.Index) -> None:
    """ "image" is in b and c; both hold "tree", which is in 3 of 4 documents, and each some keys of its own."""
    results = index.search("image", expand="2:3", top=None)
    assert results.expansion is not None
    assert set(results.expansion.documents) == {"b", "c"}
    found = [(offer.key, offer.r, offer.n) for offer in results.expansion.offers]
    assert found == [("tree", 2, 3), ("a", 1, 1), ("and", 1, 1)]
    assert results.expansion.offers[0].weight == pytest.approx(2 * math.log((2.5 * 1.5) / (1.5 * 0.5)))
    assert results.expansion.offers[1].weight == pytest.approx(math.log((1.5 * 2.5) / (0.5 * 1.5)))
    assert results.query == "image tree a and"
    assert results.notices[-1].startswith("feedback from 2 documents adds tree (r = 2, n = 3, offer weight 3.219), a")
    assert "a" in {result.doc for result in results}


def test_feedback_is_explained_and_the_value_stays_exact(index: trix.Index) -> None:
    for model in ("trix2005", "bm25"):
        asked: dict[str, Any] = {"expand": (2, 2), "model": model, "context": "tower"}
        for result in index.search('"image tree" -edit', **asked):
            explanation = index.explain('"image tree" -edit', result, **asked)
            assert explanation.value == result.score
            assert "added by feedback" in str(explanation)
            assert "r = " in str(explanation)
            assert "weight of edit, added" not in str(explanation)


def test_an_explanation_does_not_look_for_keys_again(index: trix.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []
    right = index.files.document_counts
    monkeypatch.setattr(index.files, "document_counts", lambda *given: (counted.append(1), right(*given))[1])
    for result in index.search("image", expand="2:2"):
        index.explain("image", result, expand="2:2")
    assert counted == [1]
    index.search("image", expand="2:1")
    assert counted == [1, 1]


def test_feedback_that_finds_nothing_says_so(index: trix.Index) -> None:
    results = index.search("nothing at all", expand="1:5")
    assert results.notices == ("feedback from 1 document: no key to add",)
    assert index.search("absent", expand="1:5").expansion is None


def test_feedback_needs_no_sources(tmp_path: Path) -> None:
    folder = write(tmp_path)
    trix.build(folder, tmp_path / "i", profile="generic", stem="none", stop="none")
    folder.rename(tmp_path / "gone")
    with trix.open(tmp_path / "i") as opened:
        assert opened.search("image", expand="2:1").query == "image tree"


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.lists(st.tuples(st.integers(1, 400), st.integers(1, 400)), min_size=1, max_size=9), max_size=7),
    st.integers(0, 6),
)
def test_documents_of_keys_are_counted_as_they_are(lists: list[list[tuple[int, int]]], chosen_every: int) -> None:
    from trix.core.postings import count_documents, held_by, keys_by_document
    from trix.indexer.store.inverted import by_document, forward
    from trix.indexer.store.inverted.postings import encode_postings

    contents = [np.cumsum([gap for gap, _ in each]) - 1 for each in lists]
    tf = [[count for _, count in each] for each in lists]
    starts = np.cumsum([0, *map(len, lists)])[:-1].astype(np.int64)
    if lists:
        data, sizes = encode_postings(np.concatenate(contents), np.concatenate(tf).astype(np.int64), starts)
    else:
        data, sizes = np.zeros(0, np.uint8), np.zeros(0, np.int64)
    document_of = (np.arange(4000) // 7).astype(np.int32)
    documents = int(document_of[-1]) + 1
    ends = np.cumsum(sizes).astype(np.uint32)
    chosen = np.arange(documents) % 7 == chosen_every
    wanted_n = [len(set(document_of[each].tolist())) for each in contents]
    wanted_r = [sum(chosen[d] for d in set(document_of[each].tolist())) for each in contents]
    n, r = count_documents(data, ends, document_of, chosen)
    assert n.tolist() == wanted_n
    assert r.tolist() == wanted_r
    begins, keys = keys_by_document(data, ends, document_of, documents)
    some = np.arange(4000) % 7 == chosen_every
    rows = zip(contents, tf, strict=True)
    postings = [(key, int(c), n) for key, (own, of) in enumerate(rows) for c, n in zip(own, of, strict=True) if some[c]]
    assert [tuple(row) for row in np.stack(held_by(data, ends, some)).T.tolist()] == postings
    for most in (0, forward.LISTED):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(forward, "LISTED", most)
            held_in = forward.PostingsByContent(data, ends, some.size, sum(map(len, tf)))
            for _ in range(3):  # the first question is a pass, the others need none where postings may be listed
                assert [tuple(row) for row in np.stack(held_in(np.flatnonzero(some))).T.tolist()] == postings
    held = {(document, key) for key, each in enumerate(contents) for document in document_of[each].tolist()}
    assert [(d, int(key)) for d in range(documents) for key in keys[begins[d] : begins[d + 1]]] == sorted(held)
    for most in (0, by_document.LISTED):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(by_document, "LISTED", most)
            counts = DocumentCounts(data, ends, document_of, documents)
            for _ in range(3):  # the first question is a pass, the others need none where the keys may be listed
                n, r = counts(np.flatnonzero(chosen))
                assert (n.tolist(), r.tolist()) == (wanted_n, wanted_r)


def fed_back(
    index: trix.Index, case: Case, data: st.DataObject, expand: str
) -> tuple[dict[str, Any], list[Term], dict[Label, float], Any] | None:
    """Ask a query that is drawn with feedback: its options, terms, scores by the oracle, results; None for none."""
    query = data.draw(queries(case.collection))
    asked = {**data.draw(options(case.positions)), "top": None}
    terms = analysed(query.terms, case.collection.chain)
    if not terms:
        return None
    if asked["open_phrases"]:
        terms = with_open_phrases(terms)
    _, scores = expected(case, query, {**asked, "strategy": "thorough", "overlap": None})
    found = index.search(query.text, **asked, expand=expand)
    assert scores or found.expansion is None
    return (asked, terms, scores, found) if scores else None


@pytest.mark.slow
@settings(parent=relaxed, max_examples=max(1, EXAMPLES // 2), suppress_health_check=list(HealthCheck))
@given(cases(), st.data())
def test_feedback_is_what_is_printed(case: Case, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        for _ in range(5):
            d, t = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
            answered = fed_back(index, case, data, f"{d}:{t}")
            if answered is None:
                continue
            asked, terms, scores, found = answered
            ranking = sorted(scores, key=lambda x: rank_key(scores, x))
            keys = {key for term in terms for key in term.keys}
            wanted = offers(case.collection, len(case.files), ranking, d, t, keys)
            assert found.expansion is not None
            assert [offer.key for offer in found.expansion.offers] == [key for key, _ in wanted]
            for offer, (_, weight) in zip(found.expansion.offers, wanted, strict=True):
                assert offer.weight == pytest.approx(weight, rel=1e-12)
            scorer = scorer_of(case.collection, asked)
            longer = [*terms, *(Term("", (key,)) for key, _ in wanted)]
            basic = scorer.scores(longer, asked["combine"], [terms])
            own = Asked(scorer, longer, asked["combine"], [terms], case.titles)
            second = {**basic, **contextualised(case.collection, basic, asked["context"], own=own)}
            for result in found:
                label = next(x for x in second if dewey(x) == result.label)
                assert result.score == pytest.approx(second[label], rel=1e-12, abs=1e-12)
