"""What a run is made of, and how results go into notebooks, PyTerrier and ir_measures."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.eval_samples import THEIR_NAMES
from tests.paths import ROOT
from trix.cli import main
from trix.cli.runs import RunLayout, write
from trix.errors import UsageError
from trix.eval.inputs import to_run
from trix.indexer.profile.profile import load_profile
from trix.lab.stats.classes import OTHER, class_counts_of, class_shares, classes_table
from trix.lab.stats.stats import run_statistics
from trix.lab.stats.tables import distributions, plot, tables
from trix.query.display.results import Results
from trix.query.display.tables import SHOWN


@pytest.fixture(scope="module")
def index(place: Path) -> trix.Index:
    return trix.open(place / "a.index")


# -- stats ------------------------------------------------------------------------------------------------------------

RUN = {
    "1": {"a00/article[1]": 9.0, "a00/article[1]/body[1]/sec[1]": 8.0, "a00/article[1]/body[1]/sec[1]/p[2]": 7.0,
          "a01/article[1]/body[1]/sec[2]/p[1]": 6.0, "gone/article[1]": 5.0},
    "2": {"a00/article[1]/body[1]/sec[1]/p[2]": 1.0},
}  # fmt: skip


def test_the_distributions_of_a_run_are_counted_by_hand(index: trix.Index) -> None:
    found = run_statistics(to_run(RUN), index)
    assert (found.topics, found.results, found.unknown, found.known) == (2, 6, 1, 5)
    assert dict(found.depths) == {1: 1, 3: 1, 4: 3}
    assert dict(found.tags) == {"article": 1, "sec": 1, "p": 3}
    assert (found.nested, found.overlapping) == (2, 3)
    root = index.files.document_length(index.files.document("a00"))
    assert max(found.lengths) == root
    assert found.content_elements[0] == 16
    assert sum(found.size_classes()) == 5


def test_only_the_first_results_count_where_that_is_asked(index: trix.Index) -> None:
    found = run_statistics(to_run(RUN), index, top=1)
    assert (found.results, dict(found.tags)) == (2, {"article": 1, "p": 1})


def test_a_document_without_a_path_is_its_root(index: trix.Index) -> None:
    found = run_statistics(to_run({"1": {"a00": 2.0, "a00/article[1]/body[1]": 1.0}}), index)
    assert (found.nested, found.overlapping) == (1, 2)


def test_a_run_of_another_collection_is_refused(index: trix.Index) -> None:
    with pytest.raises(UsageError, match="none of its results is an element of"):
        run_statistics(to_run({"1": {"x/article[1]": 1.0}}), index)


def test_stats_prints_tables_and_json(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(place / "run.txt")
    assert main(["run", str(place / "a.index"), str(place / "topics.tsv"), "--output", out, "-n", "5"]) == 0
    assert main(["stats", out, str(place / "a.index"), "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["results"] == sum(data["sizes"].values()) == sum(data["tags"].values())
    assert data["nested"] == 0
    assert main(["stats", out, str(place / "a.index")]) == 0
    assert "Sizes in characters" in capsys.readouterr().out
    assert main(["stats", out]) == 2
    assert "expected RUN... INDEX" in capsys.readouterr().err


def test_classes_hold_the_equivalent_tags_of_the_profile(index: trix.Index) -> None:
    found = run_statistics(to_run(RUN), index)
    profile = load_profile("ieee")
    found.tags = Counter({"ip1": 2, "p": 1, "ss1": 1, "x:sec": 1})
    assert class_counts_of(found, ["p", "sec", "abs"], profile) == {"p": 3, "sec": 2, "abs": 0, OTHER: 0}
    assert class_counts_of(found, ["ss2"], profile) == {"ss2": 2, OTHER: 3}, "any tag of a class names it"
    assert class_shares(found, ["p"], profile) == {"p": 0.6, OTHER: 0.4}
    with pytest.raises(UsageError, match="sec and ss1 are one class of the profile"):
        class_counts_of(found, ["sec", "ss1"], profile)
    assert classes_table([found, found], ["p"], profile).rows == [
        ["p", "60.0 %", "60.0 %"],
        [OTHER, "40.0 %", "40.0 %"],
    ]


def test_stats_counts_classes(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run.txt")
    assert main(["run", str(place / "a.index"), str(place / "topics.tsv"), "--output", out, "-n", "5"]) == 0
    assert main(["stats", out, str(place / "a.index"), "--classes", "p, sec", "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data["classes"]) == ["p", "sec", "other"] and data["classes"]["p"] == data["tags"].get("p", 0)
    assert main(["stats", out, str(place / "a.index"), "--classes", "p"]) == 0
    assert "Classes of elements, with their equivalents\nclass  results  share" in capsys.readouterr().out


def test_several_runs_stand_side_by_side(index: trix.Index) -> None:
    first = run_statistics(to_run(RUN), index)
    second = run_statistics(to_run({"1": {"a00/article[1]/body[1]": 1.0, "a01/article[1]/body[1]": 0.5}}), index)
    found = distributions([first, second], most_tags=2)
    assert found["Depth (roots have 1)"] == {"1": [1, 0], "2": [0, 2], "3": [1, 0], "4": [3, 0]}
    assert found["Tags"] == {"p": [3, 0], "body": [0, 2], "2 others": [2, 0]}
    assert found["Overlap within a topic"]["inside another result"] == [2, 0]
    assert tables([first, second])[3].rows[1:3] == [["2", "0.0 %", "100.0 %"], ["3", "20.0 %", "0.0 %"]]


@pytest.mark.slow
def test_the_figure_of_the_distributions_is_the_same_twice(
    place: Path, index: trix.Index, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    found = run_statistics(to_run(RUN), index)
    first, again = (plot([found, found], tmp_path / name).read_bytes() for name in ("a.svg", "b.svg"))
    assert first == again
    with pytest.raises(UsageError, match="9 runs; a figure has colours for 8"):
        plot([found] * 9, tmp_path / "c.svg")
    out = str(tmp_path / "run.txt")
    assert main(["run", str(place / "a.index"), str(place / "topics.tsv"), "--output", out, "-n", "5"]) == 0
    assert main(["stats", out, str(place / "a.index"), "--plot", str(tmp_path / "one.png")]) == 0
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    assert main(["stats", out, str(place / "a.index"), "--plot", str(tmp_path / "one.gif")]) == 2
    assert "must end in .svg, .png or .pdf" in capsys.readouterr().err


# -- notebooks --------------------------------------------------------------------------------------------------------


def test_without_results_a_frame_is_empty_and_without_pandas_the_way_out_is_named(
    index: trix.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pandas")
    frame = index.search("nowhere").to_frame()
    assert (len(frame), str(frame["offset"].dtype), str(frame["score"].dtype)) == (0, "int64", "float64")
    assert [*index.run({}).to_frame().columns, "title", "breadcrumb"] == list(frame.columns)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match=r"pip install 'trix-xml\[frames\]'"):
        index.search("tree").to_frame()


def test_results_are_a_small_escaped_table(index: trix.Index) -> None:
    from lxml import html

    results = index.search("tree -edit", strategy="thorough", top=50)
    page: Any = html.fromstring(results._repr_html_())
    assert len(page.findall(".//tbody/tr")) == SHOWN
    assert page.findall(".//tbody/tr")[0].findall("td")[2].text_content().endswith(results[0].doc + results[0].path)
    odd = Results(query='<script>alert("x")</script>')
    assert "<script>" not in odd._repr_html_()


def test_the_table_says_the_query_as_typed_titles_and_marks_and_lets_paths_break(tmp_path: Path) -> None:
    from lxml import html

    (tmp_path / "docs").mkdir()
    front = "<front><article-meta><article-title>On  <i>Squirrels</i> &amp; trees</article-title>"
    (tmp_path / "docs" / "a.xml").write_text(
        f"<article>{front}</article-meta></front><body><p>Squirrels in &lt;trees&gt;.</p></body></article>"
    )
    trix.build(tmp_path / "docs", tmp_path / "i", profile="jats", jobs=1)
    with trix.open(tmp_path / "i") as index:
        results = index.search("squirrels  running", level="//p")
        assert (results.typed, results.query) == ("squirrels  running", "squirrel run")
        assert [result.title for result in results] == ["On Squirrels & trees"]
        assert results[0].to_dict()["title"] == "On Squirrels & trees"
        row = html.fromstring(results._repr_html_()).find(".//tbody/tr")
        assert [mark.text for mark in row.iter("mark")] == ["Squirrels"]
        element = row.findall("td")[2]
        assert element[0].text == "On Squirrels & trees"
        assert element[1].text_content() == "a/article[1]/body[1]/p[1]" and len(element.findall(".//wbr")) == 3
        assert row.findall("td")[3].text_content() == "Squirrels in <trees>."
        asked = ["//p", "//p[about(., Squirrels)]", "nowhere", "squirrels"]
        assert [index.search(query).typed for query in asked] == asked
        assert [found.typed for found in index.run(dict(enumerate(asked))).values()] == asked
        captions = [html.fromstring(index.search(query)._repr_html_()).find(".//caption/span").text for query in asked]
        assert captions == asked


def test_a_long_title_is_cut_at_a_word_and_the_table_has_no_colours_of_its_own(index: trix.Index) -> None:
    from trix.query.display.tables import LONGEST_TITLE
    from trix.support.notebook import STYLE, cell

    cut = cell("several words " * 20, LONGEST_TITLE)
    assert len(cut) <= LONGEST_TITLE and cut.endswith((" several …", " words …"))
    # Whatever is written on a notebook's ground has its ink; all else is a tint that lets the ground through.
    colours = re.findall(r"(?<![-\w])color:([^;}]+)", STYLE) + re.findall(r"background:([^;}]+)", STYLE)
    assert {colour for colour in colours if not colour.startswith("rgba(")} == {"inherit", "none"}
    # Rows that a notebook stripes, and cells that it puts right, have the table's own rules.
    page = index.search("tree")._repr_html_()
    assert "tr:nth-child(n){background:none" in page and "*>tr>*{text-align:start" in page
    assert "@media(max-width:600px)" in page


def test_a_notebook_never_sees_an_exception(index: trix.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    results = index.search("tree", top=3)

    def gone(_: Any) -> str:
        raise OSError("the disk is gone")

    results.show_snippet = gone  # type: ignore[attr-defined]
    assert results._repr_html_().count("<tr>") == 4
    monkeypatch.setattr(index.now.namer, "all_names", gone)
    results._block = None
    assert results._repr_html_().startswith("<pre>&lt;")


# -- other tools ------------------------------------------------------------------------------------------------------


def test_a_run_is_scored_documents_for_ir_measures(place: Path, index: trix.Index) -> None:
    run = index.run({"1": "tree edit", "2": "distance"}, strategy="thorough")
    docs = run.scored_docs()
    assert docs[0]._fields == ("query_id", "doc_id", "score")
    assert [d.doc_id for d in docs if d.query_id == "2"] == [r.doc + r.path for r in run["2"]]


MEASURES = {"AP": "AP", "nDCG@10": "nDCG(trec)@10", "P@5": "P@5", "RR": "RR", "Rprec": "Rprec", "Bpref": "bpref"}
"""Name in ir_measures -> name here."""


@THEIR_NAMES
def test_ir_measures_takes_our_runs_and_files_and_we_take_its_objects(index: trix.Index, tmp_path: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    run = index.run({"1": "tree edit", "2": "distance", "3": "score"}, strategy="thorough")
    units = {topic: [r.doc + r.path for r in results] for topic, results in run.items()}
    grades = {topic: {unit: number % 3 for number, unit in enumerate(units[topic][1:8])} for topic in ("1", "2")}
    grades["1"]["nowhere/a[1]"] = 2
    (tmp_path / "qrels").write_text("".join(f"{t} 0 {u} {g}\n" for t, of in grades.items() for u, g in of.items()))
    with (tmp_path / "run").open("w") as out:
        write(run, RunLayout("trec"), out)
    asked = [ir_measures.parse_measure(name) for name in MEASURES]
    expected = {name: trix.evaluate(grades, run, [ours], trec_ties=True)[ours].mean for name, ours in MEASURES.items()}
    theirs = [ir_measures.Qrel(t, unit, grade) for t, of in grades.items() for unit, grade in of.items()]
    for qrels, ranked in [
        (grades, run.scored_docs()),
        (theirs, run.to_frame().rename(columns={"qid": "query_id", "docno": "doc_id"})),
        (list(ir_measures.read_trec_qrels(str(tmp_path / "qrels"))), ir_measures.read_trec_run(str(tmp_path / "run"))),
    ]:
        rows = ranked if hasattr(ranked, "columns") else list(ranked)
        found = ir_measures.calc_aggregate(asked, qrels, rows)
        assert {str(name): value for name, value in found.items()} == pytest.approx(expected)
        for name, ours in MEASURES.items():
            assert trix.evaluate(qrels, rows, [ours], trec_ties=True)[ours].mean == pytest.approx(expected[name])
            assert trix.evaluate(iter(theirs), {"a": rows}, ours, trec_ties=True)[ours].mean == pytest.approx(
                expected[name]
            )
        for measure, (name, ours) in zip(asked, MEASURES.items(), strict=True):
            assert trix.evaluate(qrels, rows, [measure], trec_ties=True)[ours].mean == pytest.approx(expected[name])
    with pytest.raises(UsageError, match="Measure objects of Trix or ir_measures, not 7"):
        trix.evaluate(grades, run, [7])  # type: ignore[list-item]
    with pytest.raises(UsageError, match=r"topic 1: .* is judged twice"):
        trix.evaluate([*theirs, theirs[0]], run, ["AP"])
    with pytest.raises(UsageError, match=r"topic 1: .* is returned twice"):
        trix.evaluate(theirs, [*run.scored_docs(), run.scored_docs()[0]], ["AP"])


def test_a_retriever_returns_the_frame_of_pyterrier(place: Path, index: trix.Index) -> None:
    pd = pytest.importorskip("pandas")
    from trix.integrations.pyterrier import Retriever

    retriever = Retriever(place / "a.index", context="root", top=4)
    queries = pd.DataFrame({"qid": ["q1", "q2", "q3"], "query": ["tree edit", "nowhere", "score"], "more": [1, 2, 3]})
    frame = retriever.transform(queries)
    assert list(frame.columns) == ["qid", "query", "more", "docno", "score", "rank", "doc", "path"]
    assert frame["qid"].tolist() == ["q1"] * 4 + ["q3"] * 4
    assert frame["rank"].tolist() == [0, 1, 2, 3] * 2
    wanted = index.run({"q1": "tree edit"}, context="root", top=4)["q1"]
    assert frame["docno"].tolist()[:4] == [r.doc + r.path for r in wanted]
    assert frame["score"].tolist()[:4] == wanted.scores.tolist()
    assert frame["more"].tolist() == [1] * 4 + [3] * 4
    assert list(retriever.search("nothing at all").columns) == [*frame.columns[:2], *frame.columns[3:]]
    assert "context='root'" in repr(retriever)


@pytest.mark.filterwarnings("ignore")  # pandas has some about PyTerrier
def test_a_retriever_is_a_step_of_pipelines_and_experiments(place: Path) -> None:
    pt = pytest.importorskip("pyterrier")
    pd = pytest.importorskip("pandas")
    from trix.integrations.pyterrier import COLUMNS, Retriever

    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["tree edit", "score"]})
    plain: Any
    context: Any  # the operators of pipelines come from a library without types
    plain, context = Retriever(place / "a.index"), Retriever(place / "a.index", context="root", strategy="thorough")
    assert isinstance(plain, pt.Transformer)
    assert pt.inspect.transformer_outputs(plain, ["qid", "query"]) == list(COLUMNS)
    everything = context(topics)
    cut = (context % 3)(topics)
    assert cut["docno"].tolist() == everything[everything["rank"] < 3]["docno"].tolist()
    doubled = (context % 3 >> pt.apply.doc_score(lambda row: 2 * row["score"]))(topics)
    assert doubled["score"].tolist() == [2 * score for score in cut["score"]]
    assert (0.5 * plain + 0.5 * plain)(topics)["score"].sum() == pytest.approx(plain(topics)["score"].sum())
    expanded = (pt.apply.query(lambda row: row["query"] + " distance") >> context)(topics)
    assert set(expanded["query"]) == {"tree edit distance", "score distance"}
    relevant = everything.groupby("qid").nth(1)
    qrels = pd.DataFrame({"qid": relevant["qid"], "docno": relevant["docno"], "label": 1})
    found = pt.Experiment([plain, context, context % 1], topics, qrels, ["map", "P_1"], names=["a", "b", "c"])
    grades = {qid: {docno: 1} for qid, docno in zip(qrels["qid"], qrels["docno"], strict=True)}
    run = dict(zip(topics["qid"], topics["query"], strict=True))
    for row, options in enumerate([{}, {"context": "root", "strategy": "thorough"}]):
        expected = trix.evaluate(grades, plain.index.run(run, **options), ["AP"], trec_ties=True)["AP"].mean
        assert found["map"][row] == pytest.approx(expected)
    assert found["map"][2] == found["P_1"][1]


def test_a_retriever_refuses_wrong_options_and_frames_at_once(place: Path) -> None:
    pd = pytest.importorskip("pandas")
    from trix.integrations.pyterrier import Retriever

    with pytest.raises(UsageError, match="modle"):
        Retriever(place / "a.index", modle="bm25")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="expected the columns qid and query; query missing in qid, text"):
        Retriever(place / "a.index").transform(pd.DataFrame({"qid": ["1"], "text": ["x"]}))
    with pytest.raises(UsageError, match="the query id 1 appears twice"):
        Retriever(place / "a.index").transform(pd.DataFrame({"qid": ["1", "1"], "query": ["x", "y"]}))


# -- silver judgements ------------------------------------------------------------------------------------------------

REFS = """<back><ref-list><ref id="r1"><article-title>A method for <i>finding</i> trees</article-title></ref>
<ref id="r2"><article-title>Trees</article-title></ref></ref-list></back>"""
ARTICLE = """<article><body>
<sec><p>One <xref ref-type="bibr" rid="r1 r2">1</xref>.</p><p>No citation.</p>
<fig><caption><p>In a caption <xref ref-type="bibr" rid="r1">1</xref>.</p></caption></fig>
<boxed-text><p>In a box <xref ref-type="bibr" rid="r1">1</xref>.</p></boxed-text>
<p>Two <list><list-item><p>nested <xref ref-type="bibr" rid="r1">1</xref></p></list-item></list></p></sec>
</body>{refs}</article>"""


def test_silver_judgements_come_from_citations(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(3):
        refs = REFS.replace("A method", "A  Method") if number else REFS
        (docs / f"d{number}.xml").write_text(ARTICLE.format(refs=refs))
    (docs / "broken.xml").write_text("<article>")
    line = [sys.executable, "-m", "scripts.parts.prove.silver", str(docs), str(tmp_path / "out")]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "3 articles, 2 works cited, 1 topics, 6 judgements\n"
    assert "broken.xml" in done.stderr
    assert (tmp_path / "out" / "topics.tsv").read_text() == "1\tA method for finding trees\n"
    assert (tmp_path / "out" / "qrels").read_text().splitlines()[:2] == [
        "1 0 d0/article[1]/body[1]/sec[1]/p[1] 1",
        "1 0 d0/article[1]/body[1]/sec[1]/p[3] 1",
    ]
    trix.build(docs, tmp_path / "i", profile=tmp_path / "out" / "silver.profile.toml", jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert index.info()["settings"]["profile"] == "silver"
        assert index.search("finding").matched == 0
