"""Places, lengths and words of documents, as an index or its sources tell them; end to end with the commands."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path

import pytest

import trix
from tests.conftest import Cli
from trix.api.resolver import Resolver
from trix.errors import SourceError, UsageError
from trix.eval.convert import resolve_qrels
from trix.eval.data.intervals import as_intervals, merge
from trix.eval.data.intervals import length as iv_length
from trix.eval.data.qrels import DocumentJudgement, TopicJudgements
from trix.eval.formats.qrels.assessments import write_passages
from trix.eval.formats.read import read_qrels

A = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article [<!ENTITY trix "Trix system">]>
<article><front id="x">Über XML</front><body>
<sec><title>Trees</title><p>An <b>edit</b> distance<!-- no --> of <i>H<sub>2</sub>O</i> &amp; &trix;.</p></sec>
<sec><p>Nothing<note>aside: ä</note> of interest, &unknown; though.</p></sec></body></article>
"""
B = "<article><body><sec><p>Edit distance of trees.</p></sec></body></article>\n"
PROFILE = 'name = "own"\ninline = ["b", "i", "sub"]\nblank = ["note"]\n'

P_OF_B = "/article[1]/body[1]/sec[1]/p[1]"
P1, P2 = "/article[1]/body[1]/sec[1]/p[1]", "/article[1]/body[1]/sec[2]/p[1]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("resolver")
    (folder / "xml").mkdir()
    (folder / "xml" / "a.xml").write_text(A, encoding="utf-8")
    (folder / "xml" / "b.xml").write_text(B, encoding="utf-8")
    (folder / "own.toml").write_text(PROFILE)
    trix.build(folder / "xml", folder / "index", profile=folder / "own.toml", jobs=1)
    return folder


def text_of(resolver: Resolver, folder: Path, path: str) -> str:
    with trix.open(folder / "index") as index:
        text = index.show("a", raw=True)
    span = resolver.span("a", path)
    assert span is not None
    return text[slice(*span)]


def test_places_are_characters_of_the_documents_text_above_and_below_content_elements(folder: Path) -> None:
    resolver = Resolver(folder / "index")
    assert text_of(resolver, folder, "/article[1]/front[1]") == "Über XML"
    assert text_of(resolver, folder, P1) == "An edit distance of H2O & Trix system."
    assert text_of(resolver, folder, f"{P1}/b[1]") == "edit"
    assert text_of(resolver, folder, f"{P1}/i[1]/sub[1]") == "2"
    assert text_of(resolver, folder, P2) == "Nothing of interest,  though."
    assert text_of(resolver, folder, f"{P2}/note[1]") == ""
    assert resolver.span("a", "") == (0, resolver.length("a"))
    assert resolver.span("a", "/article[1]/sec[1]") is resolver.span("gone", P1) is None
    assert resolver.length("gone") is None


def test_indexed_elements_are_placed_without_the_sources_and_others_say_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml" / "a.xml").write_text(A, encoding="utf-8")
    trix.build(tmp_path / "xml", tmp_path / "index", profile="generic", jobs=1)
    before = Resolver(tmp_path / "index").span("a", P1)
    (tmp_path / "xml" / "a.xml").unlink()
    resolver = Resolver(tmp_path / "index")
    assert resolver.span("a", P1) == before
    with pytest.raises(SourceError, match="moved or cannot be read"):
        resolver.span("a", f"{P1}/b[1]")
    with pytest.raises(SourceError, match="moved or cannot be read"):
        Resolver(tmp_path / "index", "inex").length("a")


def test_xpointers_count_text_nodes_as_xpath_does(folder: Path) -> None:
    resolver = Resolver(folder / "index")
    start = (resolver.span("a", P1) or (0, 0))[0]
    assert resolver.span("a", f"{P1}/text()[1].2") == (start + 2, start + 2)
    assert resolver.span("a", f"{P1}/text()[2]") == (start + 7, start + 16), "the comment ends the text node"
    assert resolver.span("a", f"{P1}/text()[3].1") == (start + 17, start + 17)
    assert resolver.span("a", f"{P1}/b[1]/text()[1].4") == (start + 7, start + 7)
    assert resolver.span("a", f"{P1}/b[1]/text()[1].5") is None
    assert resolver.span("a", f"{P1}/text()[9].0") is resolver.span("a", f"{P1}/text()[0].0") is None
    note = resolver.span("a", f"{P2}/note[1]") or (0, 0)
    assert resolver.span("a", f"{P2}/note[1]/text()[1].5") == (note[0], note[0]), "its text is not the document's"


def test_inex_counts_the_whole_source_and_every_entity_reference_as_one(folder: Path) -> None:
    inex, in_bytes = Resolver(folder / "index", "inex"), Resolver(folder / "index", "inex-bytes")
    p1, p2 = "An edit distance of H2O & e.", "Nothingaside: ä of interest, e though."
    text = f"Über XML\nTrees{p1}\n{p2}"
    assert inex.length("a") == len(text)
    assert in_bytes.length("a") == len(text.encode())
    for path, part in ((P1, p1), (P2, p2)):
        assert inex.span("a", path) == (text.index(part), text.index(part) + len(part))
        at = len(text[: text.index(part)].encode())
        assert in_bytes.span("a", path) == (at, at + len(part.encode()))
    at = text.index(p2) + 4
    assert inex.span("a", f"{P2}/text()[1].4") == (at, at)


def test_runs_of_text_in_containers_are_placed_under_any_counting(tmp_path: Path) -> None:
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml" / "c.xml").write_text("<a><p>Ünder <i>any</i> rule&none;<fig>figure</fig>tail<b>s</b></p></a>")
    (tmp_path / "own.toml").write_text('name = "own"\ninline = ["b", "i"]\ncontainer = ["p"]\n')
    trix.build(tmp_path / "xml", tmp_path / "index", profile=tmp_path / "own.toml", jobs=1)
    spans = [
        [Resolver(tmp_path / "index", text).span("c", f"/a[1]/p[1]/text()[{i}]") for i in (1, 2)]
        for text in ("trix", "inex", "inex-bytes")
    ]
    assert spans == [[(0, 14), (20, 25)], [(0, 15), (21, 26)], [(0, 16), (22, 27)]]
    with trix.open(tmp_path / "index") as index:
        (result,) = index.search("tails")
        assert (result.path, result.offset, result.length) == ("/a[1]/p[1]/text()[2]", 20, 5)


def test_words_are_those_of_the_analysis_with_stopped_ones_under_any_counting(folder: Path) -> None:
    for text in ("trix", "inex", "inex-bytes"):
        resolver = Resolver(folder / "index", text)
        assert resolver.words("a", P1) == 7, "an edit distance of h2o trix system"
        assert resolver.words("a", f"{P1}/b[1]") == 1
        assert resolver.words("a", f"{P2}/note[1]") == 0
        first, last = resolver.word_span("a", P1) or (0, 0)
        inside = resolver.word_span("a", f"{P1}/i[1]/sub[1]") or (0, 0)
        assert (first, last) == (3, 10) and inside == (7, 8)
        assert resolver.words("a", "") == resolver.words("a", "/article[1]") == 14
        assert resolver.words("a", "/x[1]") is resolver.words("gone", "/x[1]") is None


def test_every_element_is_found_at_its_own_place(folder: Path) -> None:
    for text in ("trix", "inex", "inex-bytes"):
        resolver = Resolver(folder / "index", text)
        for path in ("/article[1]", "/article[1]/front[1]", "/article[1]/body[1]/sec[1]", P1, f"{P1}/b[1]"):
            span = resolver.span("a", path)
            assert span is not None and resolver.element_at("a", *span) == path
        start, end = resolver.span("a", P1) or (0, 0)
        assert resolver.element_at("a", start, start) == P1
        assert resolver.element_at("a", start - 1, end) == "/article[1]/body[1]/sec[1]"
        assert resolver.element_at("a", start, 10**6) is resolver.element_at("gone", 0, 1) is None
        # sec and p have the same text; the paragraph is the inner one
        assert resolver.element_at("b", 0, 5) == P_OF_B


def test_members_of_levels_are_paths_by_document_and_whole_documents_have_none(folder: Path) -> None:
    resolver = Resolver(folder / "index")
    assert resolver.elements == 12
    assert resolver.members("document") == {"a": [""], "b": [""]}
    assert resolver.members("//sec")["a"] == ["/article[1]/body[1]/sec[1]", "/article[1]/body[1]/sec[2]"]
    assert resolver.members("content")["b"] == ["/article[1]/body[1]/sec[1]/p[1]"]
    with pytest.raises(UsageError, match="level"):
        resolver.members("[")


def test_a_folder_of_sources_is_indexed_for_the_resolver_alone(folder: Path) -> None:
    resolver = Resolver(folder / "xml", "inex")
    assert resolver.length("b") == len("Edit distance of trees.")
    assert resolver.elements > 0 and "no index" in resolver.notices[0]
    assert sorted(path.name for path in folder.iterdir()) == ["index", "own.toml", "xml"]
    with pytest.raises(UsageError, match="expected one of trix, inex, inex-bytes"):
        Resolver(folder / "index", "utf-16")


# From the command line


def test_paths_become_offsets_and_paths_again(folder: Path, tmp_path: Path, run_cli: Cli) -> None:
    run = tmp_path / "elements.run"
    code, out, _ = run_cli("search", folder / "index", "edit", "distance", "--format", "inex2009", "--run-id", "x")
    assert code == 0
    run.write_text(out + f"1 Q0 a 9 0.001 x {P1}/b[1]\n1 Q0 a 10 0.0001 x {P1}/zz[1]\n")
    for counting in ("trix", "inex", "inex-bytes"):
        passages = tmp_path / "passages.run"
        given = ("--index", folder / "index", "--text", counting)
        code, _, err = run_cli("convert", run, "--to", "inex2009", "--offsets", *given, "--output", passages)
        assert code == 0 and err == f"trix: {run}: 1 result not found in the documents\n"
        columns = [line.split() for line in passages.read_text().splitlines()]
        assert {len(line) for line in columns} == {8} and columns[-1][6:] == ["X", "X"]
        resolver = Resolver(folder / "index", counting)
        assert (int(columns[-2][6]), int(columns[-2][6]) + int(columns[-2][7])) == resolver.span("a", f"{P1}/b[1]")
        code, out, err = run_cli("convert", passages, "--to", "inex2009", "--paths", *given)
        assert code == 0 and "1 passage not found" in err
        wanted = [(line.split()[2], line.split()[6]) for line in run.read_text().splitlines()][:-1]
        innermost = [(doc, P_OF_B if doc == "b" else path) for doc, path in wanted]  # b is one stretch of text
        assert [(line.split()[2], line.split()[6]) for line in out.splitlines()] == innermost


@pytest.mark.parametrize("to", ["trec", "inex"])
def test_offsets_are_refused_where_the_format_has_no_place_for_them(
    to: str, folder: Path, tmp_path: Path, run_cli: Cli
) -> None:
    (tmp_path / "run").write_text(f"1 Q0 a 1 1 x {P1}\n")
    given = ("convert", tmp_path / "run", "--to", to, "--offsets", "--index", folder / "index")
    assert run_cli(*given)[0] == 2 and run_cli(*given, "--paths")[0] == 0


def test_elements_are_evaluated_in_context_by_the_counting_of_the_assessments(
    folder: Path, tmp_path: Path, run_cli: Cli
) -> None:
    inex = Resolver(folder / "index", "inex")
    begin, end = inex.span("a", P1) or (0, 0)
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    length = inex.length("a")
    qrels.write_text(f"1 Q0 a {end - begin} {length} {begin} {begin}:{end - begin}\n1 Q0 b 0 23\n")
    run.write_text(f"1 Q0 a 1 3 x {P1}\n1 Q0 b 2 2 x /article[1]/body[1]\n")
    given = ("eval", qrels, run, "--index", folder / "index", "--format", "json", "-m", "AgP[F] char_prec")
    code, out, err = run_cli(*given, "--text", "inex", "--strict")
    measures = json.loads(out)["runs"][0]["measures"]
    assert (code, err) == (0, "")
    assert measures["AgP[F]"]["mean"] == 1.0
    assert measures["char_prec"]["mean"] == pytest.approx((end - begin) / (end - begin + 23))
    code, out, err = run_cli(*given, "--strict")
    assert code == 1
    assert err == (
        "trix: qrels: 1 of 2 documents have another length there (a); is the counting of text right "
        "(--text inex, inex-bytes)?\n"
    )
    assert json.loads(out)["runs"][0]["measures"]["AgP[F]"]["mean"] < 1.0


def test_pointers_of_2006_become_offset_qrels(folder: Path, tmp_path: Path, run_cli: Cli) -> None:
    xml = tmp_path / "assessments.xml"
    xml.write_text(
        f'<assessments topic="1"><file file="a"><best-entry-point path="{P1}/text()[1].0"/>'
        f'<passage start="{P1}/text()[1].0" end="{P1}/b[1]/text()[1].4" size="7"/></file></assessments>'
    )
    code, out, err = run_cli("convert", xml, "--to", "offset-qrels", "--index", folder / "index", "--text", "inex")
    assert (code, err) == (0, "")
    resolver = Resolver(folder / "index", "inex")
    begin = (resolver.span("a", P1) or (0, 0))[0]
    assert out == f"1 Q0 a 7 {resolver.length('a')} {begin} {begin}:7\n"


@pytest.mark.slow
@pytest.mark.parametrize("counting", ["trix", "inex", "inex-bytes"])
def test_any_passages_and_entries_are_the_same_after_the_form_of_2007(
    counting: str, folder: Path, tmp_path: Path
) -> None:
    resolver = Resolver(folder / "index", counting)
    length = resolver.length("a") or 0
    edges = {edge for _, span in resolver.places("a") for edge in span}
    # Both places are found for themselves: each is asked for, near one another, and with the edges of all elements.
    pairs = [pair for pair in combinations(range(length + 1), 2) if pair[1] - pair[0] <= 4 or edges & {*pair}]
    assert length in edges and len(pairs) > 10 * length
    for start, end in pairs:
        for spans, bep in (((start, end),), None), (((0, start), (start + 1, end)), end - 1):
            disjoint = merge(as_intervals(spans))
            document = DocumentJudgement("a", length, None, disjoint, bep)
            text = write_passages("1", TopicJudgements(documents={"a": document}), resolver, "own")
            (tmp_path / "1.xml").write_text(text, encoding="utf-8")
            judged = read_qrels(tmp_path / "1.xml")
            found = resolve_qrels(judged, resolver)["1"].documents["a"]
            assert found.intervals.tolist() == disjoint.tolist()
            if len(disjoint):
                assert found.bep == (bep if bep is not None else disjoint[0, 0])
                root = judged["1"].documents["a"].elements["/article[1]"]
                assert (root.e, root.size, root.rsize) == (2, length, iv_length(disjoint))


def test_passages_and_entries_point_into_the_text_nodes_where_they_begin_and_end(folder: Path) -> None:
    resolver = Resolver(folder / "index")
    start, end = resolver.span("a", f"{P1}/b[1]") or (0, 0)
    assert resolver.pointer("a", start) == f"{P1}/b[1]/text()[1].0"
    assert resolver.pointer("a", start, end=True) == f"{P1}/text()[1].3"
    assert resolver.pointer("a", end, end=True) == f"{P1}/b[1]/text()[1].4"
    assert resolver.pointer("a", end) == f"{P1}/text()[2].0"
    assert resolver.pointer("a", end + len(" distance")) == f"{P1}/text()[3].0"  # behind the comment
    assert resolver.pointer("gone", 0) is None and resolver.places("gone") == []
    assert dict(resolver.places("a"))[f"{P1}/b[1]"] == (start, end)
    assert dict(resolver.places("a"))[f"{P2}/note[1]"][0] == dict(resolver.places("a"))[f"{P2}/note[1]"][1]


def test_offset_qrels_become_a_folder_of_passages_and_offset_qrels_again(
    folder: Path, tmp_path: Path, run_cli: Cli
) -> None:
    qrels, out = tmp_path / "offsets.qrels", tmp_path / "new" / "passages"
    length = Resolver(folder / "index").length("a")
    qrels.write_text(f"1 Q0 a 7 {length} 9 3:5 9:2\n1 Q0 b 0 23\n2 Q0 a 0 {length}\n2 Q0 b 23 23 4 0:23\n")
    given = ("--index", folder / "index")
    assert run_cli("convert", qrels, "--to", "passage-qrels", *given, "--output", out) == (0, "", "")
    assert sorted(path.name for path in out.iterdir()) == ["topic-1.xml", "topic-2.xml"]
    assert run_cli("convert", out, "--to", "offset-qrels", *given) == (0, qrels.read_text(), "")
    one = out / "topic-2.xml"
    assert run_cli("convert", one, "--to", "passage-qrels", *given) == (0, one.read_text(), "")
    qrels.write_text("1 Q0 a 5 900 800 800:5\n")
    code, _, err = run_cli("convert", qrels, "--to", "passage-qrels", *given)
    assert code == 2 and "topic 1: a has no character 800" in err and "--text" in err


@pytest.mark.parametrize("level", ["minor:sec", "content", "document"])
def test_granulated_assessments_fit_runs_at_the_level(level: str, folder: Path, tmp_path: Path, run_cli: Cli) -> None:
    resolver = Resolver(folder / "index")
    begin, end = resolver.span("a", P1) or (0, 0)
    offsets, qrels, run = tmp_path / "offsets", tmp_path / "qrels", tmp_path / "run"
    offsets.write_text(f"1 Q0 a {end - begin} {resolver.length('a')} {begin} {begin}:{end - begin}\n1 Q0 b 0 23\n")
    given = ("granulate", offsets, "--index", folder / "index", "--level", level)
    assert run_cli(*given, "--output", qrels) == (0, "", "")
    relevant = [line.split()[2] for line in qrels.read_text().splitlines() if line.endswith(" 1")]
    assert relevant == {"minor:sec": ["a/article[1]/body[1]/sec[1]"], "content": ["a" + P1], "document": ["a"]}[level]
    code, out, _ = run_cli("search", folder / "index", "water h2o", "--level", level, "--format", "trec")
    run.write_text(out)
    code, out, err = run_cli("eval", qrels, run, "-m", "AP", "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out)["runs"][0]["measures"]["AP"]["mean"] == 1.0
    code, out, _ = run_cli(*given, "--graded")
    assert code == 0 and all(0 <= int(line.split()[3]) <= 100 for line in out.splitlines())
    code, out, _ = run_cli(*given, "--stats", "--format", "json")
    assert json.loads(out)["topics"] == {"1": {"elements": 1, "documents": 1}}


def test_bare_passages_are_held_against_assessed_elements_with_an_index_only(
    folder: Path, tmp_path: Path, run_cli: Cli
) -> None:
    (tmp_path / "assessed.xml").write_text(
        f'<assessments topic="1"><file collection="c" name="b"><element path="{P_OF_B}" exhaustivity="2" size="23"'
        ' rsize="23"/></file></assessments>'
    )
    run = tmp_path / "passages.run"
    run.write_text("1 Q0 b 1 2.0 r 0 4\n1 Q0 b 2 1.0 r 5 8\n")
    code, _, err = run_cli("eval", tmp_path / "assessed.xml", run, "-m", "AP")
    assert (code, "name an index (--index), or turn the run round with trix convert --paths" in err) == (2, True)
    code, out, err = run_cli("eval", tmp_path / "assessed.xml", run, "-m", "AP", "--index", folder / "index")
    assert (code, out.split()[-1]) == (0, "1.0000")
    assert "1 passage in an element that is there already, left out" in err


def test_roots_are_whole_documents_without_an_index_too(folder: Path, tmp_path: Path, run_cli: Cli) -> None:
    qrels, run = tmp_path / "offsets", tmp_path / "run"
    qrels.write_text("1 Q0 b 8 23 0 0:8\n1 Q0 a 0 60\n")
    given = ("search", folder / "index", "edit distance", "--level", "document", "--strategy", "fetch-browse")
    found = []
    for form in ("trec", "inex2009"):
        code, out, _ = run_cli(*given, "--format", form)
        assert len(out.splitlines()[0].split()) == {"trec": 6, "inex2009": 7}[form]
        run.write_text(out)
        code, out, _ = run_cli("eval", qrels, run, "-m", "AgP[F]", "--format", "json")
        assert code == 0
        found.append(json.loads(out)["runs"][0]["measures"])
    assert found[0] == found[1]
    assert found[0]["AgP[F]"]["mean"] > 0
    assert "AgP" in run_cli("eval", qrels, run)[1]


def test_documents_of_element_assessments_have_the_grade_of_their_root(
    folder: Path, tmp_path: Path, run_cli: Cli
) -> None:
    xml = tmp_path / "assessments.xml"
    xml.write_text(
        '<assessments topic="1"><file file="a"><path path="/article[1]" exhaustiveness="3" specificity="1"/>'
        f'<path path="{P1}" exhaustiveness="3" specificity="3"/></file><file file="b"/></assessments>'
    )
    given = ("granulate", xml, "--index", folder / "index", "--level", "document")
    assert run_cli(*given) == (0, "1 0 a 1\n1 0 b 0\n", "")
    assert run_cli(*given, "--graded") == (0, "1 0 a 3\n1 0 b 0\n", "")


def test_the_elements_of_the_index_are_the_n_of_measures_that_need_it(
    folder: Path, tmp_path: Path, run_cli: Cli
) -> None:
    xml, run = tmp_path / "assessments.xml", tmp_path / "run"
    xml.write_text(
        f'<assessments topic="1"><file file="a"><path path="{P1}" exhaustiveness="3" specificity="3"/></file>'
        "</assessments>"
    )
    run.write_text(f"1 Q0 a 1 3 x {P2}\n")
    given = ("eval", xml, run, "-m", "PRUM", "--format", "json")
    by_index = run_cli(*given, "--index", folder / "index")
    assert by_index[0] == 0
    assert by_index == run_cli(*given, "--elements", 12)


def test_inex2002_with_an_index_says_the_number_that_changes_it(folder: Path, tmp_path: Path, run_cli: Cli) -> None:
    xml, run = tmp_path / "assessments.xml", tmp_path / "run"
    judged = "".join(f'<path path="{path}" exhaustiveness="3" specificity="3"/>' for path in (P1, P2))
    xml.write_text(f'<assessments topic="1"><file file="a">{judged}</file></assessments>')
    run.write_text(f"1 Q0 a 1 3 x {P1}\n")
    given = ("eval", xml, run, "-m", "inex2002(quant=strict)", "--format", "csv")
    index = ("--index", folder / "index")
    without, by_index, by_hand = run_cli(*given), run_cli(*given, *index), run_cli(*given, *index, "--elements", 12)
    # half of what is relevant is returned first: 50 recall points of 1, and 50 of 0 without N
    assert "all,0.5" in without[1] and without[2] == by_hand[2] == ""
    assert by_index[1] == by_hand[1] != without[1]
    assert by_index[2] == (
        "trix: inex2002(quant=strict): N is 12, the elements of the index, so that what a run does not return counts; "
        "another number: --elements\n"
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["eval", "{q}", "{r}", "--index", "{f}/nowhere"], "nowhere"),
        (["eval", "{q}", "{r}", "--text", "inx"], "--text inx: expected one of trix, inex, inex-bytes.*did you mean"),
        (["granulate", "{q}"], r"add --index INDEX or --members FILE"),
        (["granulate", "{q}", "--index", "{f}/index"], "plain grades cannot be granulated"),
        (["convert", "{r}", "--paths"], "the documents are needed .*; add --index INDEX"),
        (["convert", "{q}", "--to", "passage-qrels"], "the documents are needed .*; add --index INDEX"),
        (["convert", "{q}", "--to", "passage-qrels", "--index", "{f}/index"], "has only grades, no passages"),
        (["convert", "{o}", "--to", "passage-qrels", "--index", "{f}/index"], "add --output FOLDER"),
        (["convert", "{o}", "--to", "passage-qrels", "--index", "{f}/index", "-o", "{q}"], "--output .*exists"),
        (["convert", "{r}", "--to", "inexx"], "--to inexx: expected one of .*did you mean inex"),
        (["eval", "{q}", "{r}", "-m", "nDGC"], "did you mean"),
        (["compare", "{q}"], "missing argument 'RUN"),
    ],
)
def test_mistakes_get_one_line_and_exit_code_2(
    line: list[str], said: str, folder: Path, tmp_path: Path, run_cli: Cli
) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1 x\n")
    (tmp_path / "o").write_text("1 Q0 a 0 9\n2 Q0 a 0 9\n")
    given = {"q": tmp_path / "q", "r": tmp_path / "r", "o": tmp_path / "o", "f": folder}
    code, out, err = run_cli(*(word.format(**given) for word in line))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("trix: error: ")
    assert re.search(said, err), err


# The library


def test_runs_of_an_index_are_evaluated_as_the_interface_shows(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 1\n2 0 a 1\n")
    with trix.open(folder / "index") as index:
        run = index.run({"1": "edit distance", "2": "interest"}, level="document", context="tower")
    result = trix.evaluate(trix.read_qrels(tmp_path / "qrels.txt"), run, ["AP", "nDCG@10"], official=False)
    assert result["AP"].mean == 1.0 and result["AP"].topics["1"] == 1.0
    assert len(result.to_frame())
    qrels, elements = trix.read_qrels(tmp_path / "qrels.txt"), {"1": {f"a{P1}": 1.0}}
    with trix.open(folder / "index") as index:
        begin, end = trix.Resolver(index).span("a", P1) or (0, 0)
        length = len(index.show("a"))
        (tmp_path / "offsets.txt").write_text(f"1 Q0 a {end - begin} {length} {begin} {begin}:{end - begin}\n")
        scores = trix.evaluate(tmp_path / "offsets.txt", elements, "AiP", resolver=trix.Resolver(index))
    assert scores["AiP"].mean == 1.0
    both = trix.evaluate(qrels, {"a": run, "b": {"1": {"b": 1.0}}}, ["AP"])
    assert both["b", "AP"].mean == 0.25


def test_closeness_to_entry_points_is_measured_by_the_mean_length_of_the_collection(
    folder: Path, tmp_path: Path, run_cli: Cli
) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    run.write_text("1 Q0 b 1 1 x 0 0\n")
    for counting in ("trix", "inex", "inex-bytes"):
        resolver = Resolver(folder / "index", counting)
        lengths = [resolver.length(doc) or 0 for doc in "ab"]
        assert resolver.mean_length() == sum(lengths) / 2 != lengths[1]
        qrels.write_text(f"1 Q0 b 5 {lengths[1]} 10 10:5\n")
        given = ("--index", folder / "index", "--text", counting, "--format", "json")
        code, out, _ = run_cli("eval", qrels, run, "-m", "AgP[BEPD(2)] AgP[BEPD(2,L=100)]", *given)
        means = [score["mean"] for score in json.loads(out)["runs"][0]["measures"].values()]
        AL = sum(lengths)  # 2 * (a + b) / 2; the distance is 10
        assert code == 0 and means == [pytest.approx(AL / (AL + 10)), pytest.approx(200 / 210)]


def test_an_element_that_the_index_lacks_gets_one_notice(folder: Path, tmp_path: Path, run_cli: Cli) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 Q0 b 5 23 0 0:5\n")
    run.write_text("1 Q0 b 1 1 x /article[1]/zz[1]\n")
    given = ("eval", qrels, run, "-m", "char_prec", "--index", folder / "index")
    lost = "retrieves its document but no text (once)\n"
    assert run_cli(*given)[2] == f"trix: {run}: an element that the index does not have {lost}"
    run.write_text("1 Q0 b 1 1 x X X\n")
    assert run_cli(*given)[2] == f"trix: {run}: a passage without a place (X or -1) {lost}"
