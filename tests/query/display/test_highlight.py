"""Highlighting: matched words as ranges of characters, in texts, XML, snippets and JSON."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import trix
from tests.oracle.generate import WORDS, Case, cases, queries
from tests.oracle.scoring import Scorer, analysed
from tests.query.test_engine_against_oracle import EXAMPLES, build, relaxed
from trix.cli import main
from trix.errors import UsageError
from trix.indexer.document.parse import parse
from trix.indexer.document.text_nodes import mark_ranges, text_nodes
from trix.indexer.profile.profile import Profile
from trix.indexer.words.analyzer import split_words
from trix.indexer.words.located import locate_words
from trix.query.display.highlight import Highlighter
from trix.query.language.terms import Query, Term

DOCUMENT = """<a x='water H2O'><t>Water is H<sub>2</sub>O</t>
<p>the soft\u00adware of re&#x301;sum\u00e9s, ﬁsh &amp; Straße</p>
<p>Hin<lb break='no'/>
  dung and <meta>water</meta>ice</p>
<s><p>tree edit tree</p><p>edit the tree</p><p>a tree</p></s></a>"""
PROFILE = """inline = ["sub"]
drop = ["meta"]
join = ["lb[@break='no']"]
attributes = ["a/@x"]
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    folder = tmp_path_factory.mktemp("highlight")
    (folder / "docs").mkdir()
    (folder / "docs" / "d.xml").write_text(DOCUMENT, encoding="utf-8")
    (folder / "docs" / "n.xml").write_text(
        '<a xmlns="urn:n" xmlns:x="urn:x"><p>a <x:b>word</x:b>, words</p></a>', encoding="utf-8"
    )
    (folder / "p.toml").write_text(PROFILE)
    trix.build(folder / "docs", folder / "i", profile=folder / "p.toml", stop="none", positions=True)
    with trix.open(folder / "i") as opened:
        yield opened


def matched(index: trix.Index, query: str, path: str, **options: Any) -> list[str]:
    """Return the words highlighted in an element."""
    results = index.search(query, strategy="thorough", top=None, **options)
    result = next(result for result in results if result.path == path)
    return [result.text[begin:end] for begin, end in result.matches]


@pytest.mark.parametrize(
    ("query", "path", "words"),
    [
        ("h2o", "/a[1]/t[1]", ["H2O"]),
        ("software", "/a[1]/p[1]", ["soft\u00adware"]),
        ("résumé", "/a[1]/p[1]", ["re\u0301sum\u00e9s"]),
        ("fish strasse", "/a[1]/p[1]", ["ﬁsh", "Straße"]),
        ("hindung", "/a[1]/p[2]", ["Hindung"]),
        ("water", "/a[1]", ["Water"]),
        ("ice -hindung", "/a[1]/p[2]", ["ice"]),
        ("water", "/a[1]/@x", ["water"]),
        ("h2o", "/a[1]/@x", ["H2O"]),
        ('"tree edit"', "/a[1]/s[1]", ["tree", "edit", "tree", "edit", "tree"]),
        ("editing", "/a[1]/s[1]/p[2]", ["edit"]),
        ('"the edit" -tree', "/a[1]/s[1]", ["edit", "the"]),
    ],
)
def test_the_words_that_matched_are_ranges_of_the_elements_text(
    index: trix.Index, query: str, path: str, words: list[str]
) -> None:
    assert matched(index, query, path) == words


def test_exact_phrases_are_highlighted_where_they_stand(index: trix.Index) -> None:
    assert matched(index, '"edit tree"', "/a[1]/s[1]/p[1]", phrases="exact") == ["edit", "tree"]
    assert matched(index, '"tree edit"', "/a[1]/s[1]", phrases="exact") == ["tree", "edit"]


def test_two_keys_of_one_character_are_one_range() -> None:
    assert list(locate_words("a½")) == [("a1", 0, 2), ("2", 1, 2)]


def test_marks_are_put_around_text(index: trix.Index) -> None:
    assert index.show("d/a[1]/t[1]", highlight="h2o water") == "[Water] is [H2O]"
    assert index.show("d/a[1]/@x", highlight="h2o") == "water [H2O]"
    assert index.show("d/a[1]/t[1]", highlight="+water -h2o", marks=("<", ">")) == "<Water> is H2O"
    assert index.show("d", highlight="ice").count("[") == 1


def test_xml_is_marked_without_breaking_tags(index: trix.Index) -> None:
    assert index.show("d/a[1]/t[1]", xml=True, highlight="h2o") == (
        "<t>Water is <mark>H</mark><sub><mark>2</mark></sub><mark>O</mark></t>"
    )
    shown = index.show("d/a[1]/p[2]", xml=True, highlight="hindung ice")
    assert shown == (
        '<p><mark>Hin</mark><lb break="no"/>\n  <mark>dung</mark> and <meta>water</meta><mark>ice</mark></p>'
    )
    assert index.show("d/a[1]/p[2]/lb[1]", xml=True, highlight="hindung") == '<lb break="no"/>'
    assert "<mark>" not in index.show("d/a[1]/p[2]", xml=True)


def test_marks_are_in_the_namespace_of_where_they_stand(index: trix.Index) -> None:
    assert index.show("n/a[1]/p[1]", xml=True, highlight="word") == (
        '<p xmlns="urn:n" xmlns:x="urn:x">a <x:b><mark>word</mark></x:b>, <mark>words</mark></p>'
    )


def test_jsonl_has_the_matches_on_demand(index: trix.Index, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["search", str(index.files.path), "h2o", "--strategy", "thorough", "--format", "jsonl"]
    assert main(asked) == 0
    assert all("matches" not in json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert main([*asked, "--highlight"]) == 0
    rows = {row["path"]: row["matches"] for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert rows == {"/a[1]/t[1]": [[9, 12]], "/a[1]": [[9, 12]], "/a[1]/@x": [[6, 9]]}


def test_a_batch_has_the_matches_on_demand(
    index: trix.Index, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.tsv").write_text("7\tsoftware\n")
    asked = ["run", str(index.files.path), str(tmp_path / "t.tsv"), "--highlight"]
    assert main([*asked, "--format", "jsonl"]) == 0
    row = json.loads(capsys.readouterr().out.splitlines()[0])
    assert (row["topic"], row["path"], row["matches"]) == ("7", "/a[1]/p[1]", [[4, 13]])
    assert main(asked) == 2
    assert "--highlight: only the format jsonl holds matches" in capsys.readouterr().err


def test_a_table_marks_the_words_of_snippets(index: trix.Index, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", str(index.files.path), "edit", "--format", "table", "--highlight"]) == 0
    assert "tree [edit] tree" in capsys.readouterr().out
    assert main(["search", str(index.files.path), "edit", "--format", "csv", "--highlight"]) == 2
    assert "--highlight: only the formats table and jsonl" in capsys.readouterr().err


def test_show_highlights_on_the_command_line(index: trix.Index, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(index.files.path)
    assert main(["show", path, "d/a[1]/s[1]", "--highlight", '"tree edit"', "--phrases", "exact"]) == 0
    assert capsys.readouterr().out == "[tree] [edit] tree\nedit the tree\na tree\n"
    assert main(["show", path, "d/a[1]/s[1]/p[3]", "--highlight", "tree", "--xml"]) == 0
    assert capsys.readouterr().out == "<p>a <mark>tree</mark></p>\n"
    assert main(["show", path, "d/a[1]/s[1]/p[3]", "--highlight", "-tree"]) == 0
    captured = capsys.readouterr()
    assert (captured.out, "only minus terms" in captured.err) == ("a tree\n", True)
    assert main(["show", path, "d", "--highlight", '"tree']) == 2
    assert "the quote is never closed" in capsys.readouterr().err


def test_without_sources_there_are_no_matches_and_one_notice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d.xml").write_text("<a><p>x</p><p>x</p></a>")
    trix.build(tmp_path / "d.xml", tmp_path / "i")
    (tmp_path / "d.xml").unlink()
    assert main(["search", str(tmp_path / "i"), "x", "--format", "jsonl", "--highlight"]) == 0
    captured = capsys.readouterr()
    assert all(json.loads(line)["matches"] == [] for line in captured.out.splitlines())
    assert captured.err.count("no snippets for results") == 1


def test_a_changed_source_is_named_and_the_others_keep_their_snippets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    for name in "abcdef":
        (tmp_path / "docs" / f"{name}.xml").write_text(f"<a><p>word {name}</p><p>word</p></a>")
    trix.build(tmp_path / "docs", tmp_path / "i")
    (tmp_path / "docs" / "b.xml").write_text("<a><p>word changed</p></a>")
    search = ["search", str(tmp_path / "i"), "word", "--strategy", "thorough", "-n", "all", "--format", "jsonl"]
    assert main([*search, "--highlight"]) == 0
    captured = capsys.readouterr()
    rows = [json.loads(line) for line in captured.out.splitlines()]
    assert {row["doc"] for row in rows if not row["snippet"]} == {"b"}
    assert all(bool(row["matches"]) == bool(row["snippet"]) for row in rows) and len(rows) == 18
    (line,) = captured.err.splitlines()
    assert "no snippets for results in b: " in line and "b.xml: the source has changed" in line
    for name in "acde":
        (tmp_path / "docs" / f"{name}.xml").unlink()
    with trix.open(tmp_path / "i") as opened:
        for _ in range(2):
            assert [r.doc for r in opened.search("word", strategy="thorough", top=None) if r.snippet] == ["f"] * 3
        (notice,) = opened.notices
        assert re.search(r"results in \w, \w, \w and 2 more documents: .*/docs/\w\.xml: the source has", notice)


def test_exact_phrases_need_positions(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text("<a>x</a>")
    trix.build(tmp_path / "d.xml", tmp_path / "i", positions=False)
    with (
        trix.open(tmp_path / "i") as opened,
        pytest.raises(UsageError, match=r"^phrases exact: the index has no positions; build it with `positions`"),
    ):
        opened.show("d", highlight="x", phrases="exact")


def test_snippets_know_where_the_words_are(tmp_path: Path) -> None:
    filler = "<p>long   way\n of many other words and no end of it at all</p>" * 9
    (tmp_path / "d.xml").write_text(f"<a>{filler}<p>the\n  wanted\n\n thing</p><p>wanted</p>{filler}</a>")
    trix.build(tmp_path / "d.xml", tmp_path / "i", profile="generic", stop="none")
    with trix.open(tmp_path / "i") as opened:
        for query in ("wanted", "long wanted", '"wanted thing"'):
            result = next(r for r in opened.search(query, strategy="thorough", top=None) if r.path == "/a[1]")
            words = [result.snippet[begin:end] for begin, end in result.snippet_matches]
            shown = re.findall(r"\w+", result.snippet)
            if query.startswith('"'):
                assert words == ["wanted", "thing"]
            else:
                assert words == [word for word in shown if word in query.split()]


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=3), st.characters(categories=["L", "M", "N"]))),
    st.sampled_from(["", " ", "\u00ad"]),
    st.sampled_from(["", "∣", "a"]),
)
def test_located_words_are_the_words(parts: list[str], between: str, join: str) -> None:
    text = between.join(parts)
    found = list(locate_words(text, join))
    assert [word for word, _, _ in found] == split_words(text, join)
    for word, begin, end in found:
        assert 0 <= begin < end <= len(text)
        assert word in split_words(text[begin:end], join)


@pytest.mark.parametrize(
    "text", ["각", "각한", "ｶﾞ", "ΐ", "Å\u0328", "≠alpha", "=\u0338alpha", "´a", "ạ\u0308", "(a)⒜", "İ"]
)
def test_characters_that_fold_together_stay_together(text: str) -> None:
    assert [word for word, _, _ in locate_words(text)] == split_words(text)


def count_of_oracle(case: Case, query: Any, label: tuple[int, ...]) -> Counter[str]:
    """Return kf of every positive single key."""
    scorer = Scorer(case.collection)
    keys = {term.keys[0] for term in analysed(query.terms, case.collection.chain) if term.sign != "-"}
    return Counter({key: scorer.kf((key,), label) for key in keys if scorer.kf((key,), label)})


@pytest.mark.slow
@settings(parent=relaxed, max_examples=max(1, EXAMPLES // 3))
@given(cases(), st.data())
def test_highlighting_holds_on_random_collections(case: Case, data: st.DataObject) -> None:
    """As many occurrences as kf of each key, texts that give the key, and marks that can be taken away again."""
    nodes = {".".join(map(str, x)): x for x in case.collection.nodes}
    chain = case.collection.chain
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        for _ in range(3):
            query = data.draw(queries(case.collection))
            terms = analysed(query.terms, chain)
            single = all(len(term.keys) == 1 for term in terms)
            wanted = {key for term in terms if term.sign != "-" for key in term.keys}
            if not terms:
                continue
            for result in index.search(query.text, strategy="thorough", top=None, accents="keep"):
                highlighter = result._results.view.highlighter
                hits = index.now.viewer.hits(highlighter, result.document, result.element)
                if single:
                    assert Counter(hit.key for hit in hits) == count_of_oracle(case, query, nodes[result.label])
                assert {hit.key for hit in hits} <= wanted
                assert result.matches == sorted(result.matches)
                for begin, end in result.matches:
                    assert 0 <= begin < end <= len(result.text)
                if not any("lb" in entry for entry in case.profile.get("join", [])):  # type: ignore[attr-defined]
                    for begin, end in result.matches:
                        assert wanted & set(chain.keys(result.text[begin:end]))
                snippet = result.snippet
                for begin, end in result.snippet_matches:
                    assert 0 <= begin < end <= len(snippet)
                for xml in (True, False):
                    unit = result.doc + result.path
                    plain = index.show(unit, xml)
                    marked = index.show(unit, xml, highlight=query.text, marks=("\x0e", "\x0f"))
                    assert re.sub("</?mark>|\x0e|\x0f", "", marked) == plain
                    if not xml:
                        assert len(re.findall("\x0e", marked)) == len(result.matches)
                    elif "text()" not in result.path and "@" not in result.path:
                        etree.fromstring(re.sub(r"&(gap|word);", "", marked))


@pytest.mark.slow
@settings(parent=relaxed, max_examples=max(1, EXAMPLES // 3))
@given(cases())
def test_text_nodes_put_together_are_the_documents_text(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        for number in range(len(index)):
            document = index.now.viewer.texts.document(number)
            nodes = list(text_nodes(document.root, index.files.profile))
            assert "".join(getattr(node.element, node.slot) for node in nodes) == document.text
            assert [node.begin for node in nodes] == [0, *(node.end for node in nodes)][: len(nodes)]


def test_a_document_inside_a_file_is_marked_alone(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text("<all>word<doc>a word</doc>word<doc><p>word two</p></doc></all>")
    (tmp_path / "p.toml").write_text('document = "doc"\n')
    trix.build(tmp_path / "d.xml", tmp_path / "i", profile=tmp_path / "p.toml", stop="none")
    with trix.open(tmp_path / "i") as opened:
        shown = [opened.show(unit, xml=True, highlight="word") for unit in ("d#1", "d#2")]
    assert shown == ["<doc>a <mark>word</mark></doc>", "<doc><p><mark>word</mark> two</p></doc>"]


def test_marks_in_a_tree_keep_text_and_tails() -> None:
    root = parse(b"<a>one<b>two</b>three<c/>four</a>", "x")
    nodes = list(text_nodes(root, Profile.from_dict({"name": "none"}, "x")))
    mark_ranges(nodes, [(0, 2), (2, 4), (5, 9), (11, 12), (14, 15)])
    assert etree.tostring(root, encoding="unicode") == (
        "<a><mark>on</mark><mark>e</mark><b><mark>t</mark>w<mark>o</mark></b><mark>thr</mark>ee<c/>"
        "<mark>f</mark>ou<mark>r</mark></a>"
    )


def test_a_highlighter_reads_only_content_elements_that_hold_a_key(index: trix.Index) -> None:
    assert Highlighter(index.files, Query((Term((index.files.analyzer.keys("ice")[0],)),))).contents.size == 1
