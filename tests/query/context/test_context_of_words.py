"""Contexts that ask for the words of the query: sentences, titles above, neighbours, pairs."""

from __future__ import annotations

import dataclasses
import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.oracle.generate import STATISTICS, Case, cases, options, own_models, queries
from tests.oracle.scoring import analysed
from tests.oracle.words import cut, sentences
from tests.query.context.test_own_model import agree
from tests.query.scoring.test_printed_formulas import check
from tests.query.test_engine_against_oracle import EXAMPLES, build, relaxed
from trix.errors import UsageError
from trix.indexer.words.analyzer import BOUNDARY
from trix.indexer.words.interner import text_string
from trix.indexer.words.sentences import mark_sentences
from trix.query.context.chain import parse_context
from trix.query.context.parse import parse_form
from trix.query.options import Options

FILES = {
    "a": "<a><title>Trees</title><s><title>Edit distance</title><p>Trees grow. The edit of a tree is far.</p>"
    "<p>Labels and nodes. Their order! Nothing else</p></s></a>",
    "b": "<a><s><p>A tree. An edit. A label</p><p>edit tree label</p></s><s><p>unlike</p></s></a>",
}
TWO, ONE = "b/a[1]/s[1]/p[2]", "b/a[1]/s[1]/p[1]"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    folder = tmp_path_factory.mktemp("words")
    (folder / "docs").mkdir()
    for name, text in FILES.items():
        (folder / "docs" / f"{name}.xml").write_text(text)
    trix.build(folder / "docs", folder / "i", profile="generic", stop="none", positions=True)
    with trix.open(folder / "i") as opened:
        yield opened


def added(index: trix.Index, query: str, path: str, context: str, **options: Any) -> float:
    """Return what a context adds to the score of an element."""
    asked: dict[str, Any] = {"strategy": "thorough", "top": None, **options}
    scores = [
        next(result.score for result in index.search(query, context=form, **asked) if result.doc + result.path == path)
        for form in ("none", context)
    ]
    return scores[1] - scores[0]


# -- numbers -----------------------------------------------------------------------------------------------------------


def test_the_best_sentence_has_a_share_of_the_query(index: trix.Index) -> None:
    assert added(index, "tree edit label", TWO, "sentence:f=4") == pytest.approx(4)
    assert added(index, "tree edit label", ONE, "sentence:f=4,idf=0") == pytest.approx(4 / 3)
    # N = 7 content elements; tree is in 4, edit in 4, label in 3
    g = {"tree": math.log(7 / 4), "edit": math.log(7 / 4), "label": math.log(7 / 3)}
    assert added(index, "tree edit label", ONE, "sentence:f=3") == pytest.approx(3 * g["label"] / sum(g.values()))
    half = 3 * (g["tree"] + g["edit"]) / sum(g.values())
    assert added(index, "tree edit label", "a/a[1]", "sentence:f=3") == pytest.approx(half)  # by that of its paragraph
    twice = 3 * 4 * g["label"] ** 2 / (4 * g["label"] ** 2 + g["tree"] ** 2)
    assert added(index, "label tree label label label", ONE, "sentence:f=3,idf=2") == pytest.approx(twice)


def test_titles_above_are_those_of_ancestors(index: trix.Index) -> None:
    first = "a/a[1]/s[1]/p[1]"
    assert added(index, "tree edit label", first, "titles:f=3,idf=0") == pytest.approx(2)
    assert added(index, "tree edit label", "a/a[1]/s[1]", "titles:f=3,idf=0") == pytest.approx(1)
    assert added(index, "tree edit label", "a/a[1]/s[1]/title[1]", "titles:f=3,idf=0") == pytest.approx(1)
    assert added(index, "tree edit label", "a/a[1]", "titles:f=3,idf=0") == 0
    assert added(index, "tree edit label", first, "titles:title+s,f=3,idf=0") == pytest.approx(1)  # it is in the s


def test_own_titles_count_where_they_are_asked_for(index: trix.Index) -> None:
    """Of the three words the title of the document holds one, that of the section another."""
    own = "titles:f=3,idf=0,own=1"
    assert added(index, "tree edit label", "a/a[1]", own) == pytest.approx(1)
    assert added(index, "tree edit label", "a/a[1]/s[1]", own) == pytest.approx(2)
    assert added(index, "tree edit label", "a/a[1]/s[1]/p[1]", own) == pytest.approx(2)
    assert added(index, "tree edit label", "a/a[1]/s[1]/title[1]", own) == pytest.approx(1)  # it has none, but is one


def test_neighbours_hold_what_an_element_lacks(index: trix.Index) -> None:
    second = "a/a[1]/s[1]/p[2]"
    assert added(index, "tree edit label", second, "neighbours:f=3,idf=0") == pytest.approx(2)
    assert added(index, "tree edit label", ONE, "neighbours:f=3,idf=0") == 0
    assert added(index, "tree edit unlike", TWO, "neighbours:f=3,idf=0") == pytest.approx(1)
    assert added(index, "tree edit unlike", TWO, "neighbours:f=3,idf=0,level=//s") == pytest.approx(1)
    assert added(index, "tree edit unlike", "b/a[1]", "neighbours:f=3,idf=0,level=//s") == 0


def test_pairs_are_scored_as_words_are(index: trix.Index) -> None:
    pair = index.search('"edit tree"', phrases="exact", strategy="thorough")
    score = next(result.score for result in pair if result.doc + result.path == TWO)
    assert added(index, "edit tree", TWO, "pairs:f=2") == pytest.approx(2 * score)
    assert added(index, '"edit tree"', TWO, "pairs:f=2") == pytest.approx(2 * score)  # a phrase is words, too
    assert added(index, "tree edit", TWO, "pairs:f=2") == 0
    near = index.search('"edit tree"~3', strategy="thorough")
    score = next(result.score for result in near if result.doc + result.path == ONE)
    assert added(index, "tree edit", ONE, "pairs:f=2,within=3") == pytest.approx(2 * score)
    assert added(index, "tree", ONE, "pairs:f=2") == 0


def test_words_that_the_collection_lacks_do_not_count(index: trix.Index) -> None:
    for form in ("sentence:f=4", "titles:f=4,idf=0", "neighbours"):
        wanted = added(index, "tree edit", TWO, form)
        assert added(index, "tree zebra edit -label", TWO, form) == pytest.approx(wanted)


def test_alternatives_count_as_one_word(index: trix.Index) -> None:
    assert added(index, "(tree | edit) label", TWO, "sentence:f=4") == pytest.approx(4)
    assert added(index, "(tree | edit) label", ONE, "sentence:f=4,idf=0") == pytest.approx(2)


def test_explanations_name_the_words_that_are_there(index: trix.Index) -> None:
    context = "sentence:f=4>titles:f=2>neighbours>pairs(bm25):f=0.2"
    results = index.search("tree edit label", context=context, strategy="thorough")
    for result in results:
        explanation = index.explain("tree edit label", result, context=context)
        assert explanation.value == result.score
        check(str(explanation))
    best = next(result for result in results if result.doc + result.path == "a/a[1]/s[1]/p[1]")
    text = str(index.explain("tree edit label", best, context=context))
    assert "weight of edit, w·(ln(N/m))^P: w = 1.0; N = 7; m = 4; P = 1.0" in text
    assert "by its pairs of words" in text and 'plain weight of "tree edit"' in text


# -- what is asked wrongly ---------------------------------------------------------------------------------------------


def test_sentences_and_pairs_need_positions(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(FILES["a"])
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="generic", positions=False)
    with trix.open(tmp_path / "i") as index:
        for context in ("sentence", "pairs"):
            with pytest.raises(UsageError, match=r"no positions.* build it with `positions`") as caught:
                index.search("tree edit", context=context)
            assert "\n" not in str(caught.value)
        assert index.search("tree edit", context="titles>neighbours")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sentence:f=-1", "out of range"),
        ("sentence(bm25)", "sentence takes no model of its own"),
        ("titles:1x,f=2", "are no tags"),
        ("titles:title,", "nothing follows the comma"),
        ("neighbours:n=2", "unknown key 'n'"),
        ("pairs:within=0", "no number of elements"),
    ],
)
def test_mistakes_are_one_line(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        parse_form(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "sentence", "sentence:f=4", "sentence:f=4,idf=0.5", "titles", "titles:f=2", "titles:head+st,f=2,idf=0",
        "titles:title+head", "titles:own=1", "titles:head,f=2,own=1",
        "neighbours", "neighbours:f=0.3,level=//p", "neighbours:level=//p", "pairs", "pairs:f=0.2,within=8",
        "pairs(bm25,k1=0.3):f=0.2",
    ],
)  # fmt: skip
def test_forms_are_written_as_they_are_read(text: str) -> None:
    assert str(parse_form(text)) == text
    assert str(parse_context(f"{text} > tower")) == f"{text}>tower"
    assert parse_form(str(parse_form(text))) == parse_form(text)


def test_a_rescored_run_has_no_words() -> None:
    for text in ("sentence", "titles", "neighbours", "pairs"):
        with pytest.raises(UsageError, match="needs a query, and a rescored run has none"):
            Options.of("rescore", context=text)


# -- sentences in the index --------------------------------------------------------------------------------------------

_WORDS = ["a", "B", "J", "fig", "Fig", "\u212aig", "é", "É", "2", "²", "_", "字", "𝐁", "𝐛", "ש", "\u05b8", "\u0301"]
_CHARACTERS = st.sampled_from([*_WORDS, BOUNDARY, "\x02", "\x04", *".!?…\u061f\u06d4。！ \n\t\"'”)«(["])


@settings(relaxed, max_examples=500)
@given(st.lists(_CHARACTERS).map("".join), st.sampled_from(["", ".", "。"]))
def test_texts_are_cut_as_the_rules_say(text: str, join: str) -> None:
    white = str.maketrans("\x02\x04", "  ")  # marks of tags
    contents = [cut(part, join) for part in text.translate(white).split(BOUNDARY)]
    marked = mark_sentences(BOUNDARY + text, join)
    assert text_string(marked.text).translate(white).split(BOUNDARY)[1:] == [
        piece for content in contents for piece in content
    ]
    assert marked.owner.tolist() == [owner for owner, content in enumerate(contents) for _ in content]


@settings(relaxed, max_examples=max(10, EXAMPLES // 2))
@given(cases())
def test_the_index_says_where_sentences_begin(case: Case) -> None:
    nodes = [node for node in case.collection.nodes.values() if node.is_content]
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        if not case.positions or not nodes:
            return
        found = np.concatenate([block.sentence_starts() for block in index.files.blocks[:-1]])
        wanted = []
        for number, node in enumerate(nodes):
            sizes = [len(keys) for keys in sentences(node, case.collection.chain) if keys]
            starts = np.cumsum([0, *sizes[:-1]]).tolist() if len(sizes) > 1 else []
            wanted += [(number << 32) + start for start in starts]
            assert sum(sizes) == len(node.keys)
        assert found.tolist() == wanted


# -- the oracle --------------------------------------------------------------------------------------------------------

_selectors = st.sampled_from(["*", "sec", "{urn:x}p", "fig", "fig[@alt='naïve']", "note[@type='other']", "list", "div"])
_parts = st.sampled_from(
    ["title", "p", "sec/title", "style/p", "em/i", "note", "fig/title/p", "item", "@label", "'word'"]
)
_title_forms = st.lists(
    st.one_of(
        st.lists(_parts, min_size=1, max_size=2).map(" ".join),
        st.sampled_from(["preceding-sibling::p", "preceding-sibling::title"]),
    ),
    max_size=4,
)  # fmt: skip
title_rules = st.dictionaries(_selectors, _title_forms, max_size=4)
"""What sections are called; the same selector without its condition, and a part in what is unwrapped, among others."""


_numbers = st.sampled_from(["f=4", "f=0.3,idf=0", "idf=2", "f=1.5,idf=0.5"])


@st.composite
def forms_of_words(draw: st.DrawFn, positions: bool) -> str:
    """Draw a form that asks for the words of the query."""
    name = draw(st.sampled_from(["titles", "neighbours", *(["sentence", "pairs"] * positions)]))
    if name == "pairs":
        return draw(st.sampled_from(["pairs:f=0.2", "pairs:f=2,within=2", "pairs(tfidf):within=5", "pairs(trix2004)"]))
    tags = draw(st.sampled_from(["", "", "sec+p,", "title,"])) if name == "titles" else ""
    text = f"{name}:{tags}{draw(_numbers)}{draw(st.sampled_from(['', ',own=1'])) if name == 'titles' else ''}"
    if name == "neighbours" and draw(st.booleans()):
        text += f",level={draw(st.sampled_from(STATISTICS))}"
    return text


@settings(relaxed, max_examples=max(10, EXAMPLES))
@given(cases(), title_rules, st.data())
def test_both_backends_and_their_explanations_agree_with_the_oracle(
    case: Case, rules: dict[str, list[str]], data: st.DataObject
) -> None:
    case = dataclasses.replace(case, profile={**case.profile, "titles": rules})
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        for _ in range(4):
            query = data.draw(queries(case.collection))
            if not analysed(query.terms, case.collection.chain):
                continue
            asked = data.draw(options(case.positions))
            forms = data.draw(st.lists(forms_of_words(case.positions), min_size=1, max_size=3))
            if data.draw(st.booleans()):
                forms.insert(0, data.draw(own_models(asked["idf_power"], asked["combine"])))
            if asked["combine"] == "einstein" or (asked["idf_power"] != 1 and "lm" in asked["model"]):
                forms = [form for form in forms if not form.startswith("pairs(")]
            asked["context"] = forms
            agree(index, case, query, asked)


def test_queries_without_words_keep_their_scores(index: trix.Index) -> None:
    context = "sentence>titles>neighbours>pairs"
    results = index.search("//s", context=context)
    assert [result.score for result in results] == [0.0] * 3
    assert index.explain("//s", results[0], context=context).value == 0.0


def test_segments_give_the_numbers_and_the_bytes_of_a_fresh_build(index: trix.Index, tmp_path: Path) -> None:
    """Segments of a document each, one of them deleted, and what they are merged to."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xml").write_text(FILES["a"])
    (tmp_path / "docs" / "aa.xml").write_text("<a><p>Tree. Edit label.</p></a>")
    trix.build(tmp_path / "docs", tmp_path / "i", profile="generic", stop="none", positions=True, jobs=1)
    with trix.write(tmp_path / "i") as writer:
        writer.delete("aa")
        writer.add_document(FILES["b"], id="b")
    asked: dict[str, Any] = {"context": "sentence:f=4>titles>neighbours>pairs", "strategy": "thorough", "top": None}
    wanted = [(each.label, each.score) for each in index.search("tree edit label", **asked)]
    with trix.open(tmp_path / "i") as living:
        assert len(living.files.live) == 2
        assert [(each.label, each.score) for each in living.search("tree edit label", **asked)] == wanted
    with trix.write(tmp_path / "i") as writer:
        writer.compact()
    with trix.open(tmp_path / "i") as compacted:
        assert len(compacted.files.live) == 1
        assert [(each.label, each.score) for each in compacted.search("tree edit label", **asked)] == wanted
        for name in ("sentences", "positions", "postings"):
            sections = (each.files.live[0].segment.sections.section(name) for each in (index, compacted))
            one, other = (bytes(section[0 : len(section)]) for section in sections)
            assert one == other


def test_rules_of_titles_tell_namespaces_apart_that_the_profile_does_not_declare(tmp_path: Path) -> None:
    body = "<p>oak <b/></p><x:p><sec>tree</sec></x:p>"
    (tmp_path / "a.xml").write_text(f'<article xmlns:x="urn:x"><div>{body}</div><p><sec>tree</sec></p></article>')
    (tmp_path / "p.toml").write_text('[titles]\n"*" = []\n"{urn:x}p" = ["preceding-sibling::p"]\n')
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile=str(tmp_path / "p.toml"), jobs=1)
    with trix.open(tmp_path / "i") as index:
        found = index.search("oak tree", preset="study", context="titles:f=4", level="//sec", top=None)
        plain = index.search("oak tree", preset="study", level="//sec", top=None)
    gained = {result.path: result.score - other.score for result, other in zip(found, plain, strict=True)}
    assert gained["/article[1]/p[1]/sec[1]"] == 0 < gained["/article[1]/div[1]/p[2]/sec[1]"]
