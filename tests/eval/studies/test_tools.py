"""Comparing, studying, simulating, granulating, converting, drawing; the library's ways in and the commands."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import lzma
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.eval_samples import A163, DOC_163, SEC4, SEC6, TOPIC_163, element_run, sizes_163, topic_163, tree
from trix.cli import main
from trix.cli.messages import error_line
from trix.errors import FormatError, TrixError, UsageError
from trix.eval.convert import cut, resolve_qrels, to_offsets, to_paths, whole_documents, write_offset_qrels
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement, ElementJudgement, Qrels, TopicJudgements
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.evaluate import evaluate
from trix.eval.formats.read import read_run
from trix.eval.measures.passages.shape import histogram
from trix.eval.studies import significance as sig
from trix.eval.studies.compare import compare, matrix
from trix.eval.studies.density import bins, density
from trix.eval.studies.granulate import granulate
from trix.eval.studies.simulate import simulate

numbers = st.lists(st.floats(0, 1).map(lambda x: round(x, 2)), min_size=3, max_size=9)


@settings(max_examples=40, deadline=None)
@given(numbers, st.data())
def test_randomisation_tries_every_sign(a: list[float], data: st.DataObject) -> None:
    b = data.draw(st.lists(st.floats(0, 1).map(lambda x: round(x, 2)), min_size=len(a), max_size=len(a)))
    d = [x - y for x, y in zip(a, b, strict=True)]
    hits = 0
    for mask in range(2 ** len(d)):
        total = sum(x if mask >> i & 1 else -x for i, x in enumerate(d))
        hits += abs(total) >= abs(sum(d)) - 1e-9
    expected = hits / 2 ** len(d) if any(d) else 1.0
    assert sig.randomisation(np.array(a), np.array(b)) == pytest.approx(expected)


def test_the_tests_agree_with_textbook_values() -> None:
    assert sig.t_test(np.array([1.0, 3.0]), np.zeros(2)) == pytest.approx(1 - 2 / math.pi * math.atan(2))
    assert sig.wilcoxon(np.arange(1.0, 6.0), np.zeros(5)) == pytest.approx(2 / 32)
    a = np.array([125.0, 115, 130, 140, 140, 115, 140, 125, 140, 135])
    b = np.array([110.0, 122, 125, 120, 140, 124, 123, 137, 135, 145])
    assert sig.sign_test(a, b) == 1.0
    assert sig.t_test(a, a) == sig.wilcoxon(a, a) == sig.sign_test(a, a) == 1.0
    low, high = sig.bootstrap_interval(a, b)
    assert low < (a - b).mean() < high
    assert sig.effect_size(a, b) == pytest.approx((a - b).mean() / (a - b).std(ddof=1))


def test_friedman_and_conovers_pairs_by_hand() -> None:
    values = np.array([[1.0, 2, 3], [1, 2, 3], [1, 2, 3], [2, 1, 3]])
    found = sig.friedman(values)
    assert found.rank_sums == [5, 7, 12]
    spread = 2 * (4 * 56 - (25 + 49 + 144)) / 6
    assert found.critical == pytest.approx(2.4469118511449692 * math.sqrt(spread))
    assert found.pairs == [(0, 2), (1, 2)] and found.p == pytest.approx(math.exp(-6.5 / 2))


def passage_qrels() -> Qrels:
    text = {"a": (400, [(100, 150)]), "b": (1000, [(0, 500)]), "c": (300, []), "d": (100, [(0, 100)])}
    judged = {
        d: DocumentJudgement(d, n, iv.length(iv.as_intervals(r)), iv.as_intervals(r)) for d, (n, r) in text.items()
    }
    return Qrels({str(t): TopicJudgements(documents=judged) for t in (1, 2, 3)})


def passage_run(*rows: tuple[str, int, int], name: str = "run") -> Rankings:
    ranking = Ranking([r[0] for r in rows], starts=np.array([r[1] for r in rows]), ends=np.array([r[2] for r in rows]))
    return Rankings({str(t): ranking for t in (1, 2, 3)}, name=name)


def test_a_comparison_has_every_test_and_gain_class() -> None:
    good, bad = passage_run(("b", 0, 400), ("a", 100, 150)), passage_run(("c", 0, 9), ("b", 300, 900))
    result = evaluate(
        passage_qrels(), {"good": good, "bad": bad, "worse": passage_run(("c", 0, 5))}, ["AgP[F]", "ANCE"]
    )
    found = compare(result, "bad")
    pair = found.pairs[0]
    assert (pair.run, pair.baseline) == ("good", "bad") and pair.difference > 0 and pair.classes["d>=5"] == 3
    assert pair.p.keys() == {"t", "wilcoxon", "sign", "randomisation"}
    assert pair.adjusted.keys() == {"holm", "bonferroni", "benjamini-hochberg", "tukey"}
    assert found.pairs[2].difference < 0 and found.pairs[2].classes["d>=5"] == 3  # less effort is better
    assert found.friedman.keys() == {"AgP[F]", "ANCE"}
    assert len(compare(result, every_pair=True).pairs) == 6
    with pytest.raises(UsageError, match="there is no run 'x'"):
        compare(result, "x")


def test_the_matrix_holds_measures_and_twins_and_counts_the_runs_that_beat_theirs() -> None:
    runs = {f"r{k}": passage_run(("b", 0, 100 * k), ("a", 100, 110 + 10 * k), ("c", 0, 50)) for k in range(1, 5)}
    found = matrix(passage_qrels(), runs)
    assert found.tau.shape == (12, 12) and found.tau[0, 0] == 1 and found.names[6] == "AgP[F(0.25)] twin"
    assert found.tau[0, 1] == 1 and found.beats["AgP[F(0.25)]"][0] == 4
    assert math.isnan(found.tau[0, 6])  # the twins are all the same run


def test_density_counts_only_what_was_retrieved() -> None:
    study = density(passage_qrels(), passage_run(("b", 400, 600), ("a", 0, 120)))
    assert [d.pairs for d in study.deciles] == [1] * 9 + [0]
    assert [d.retrieved for d in study.deciles] == [1] * 6 + [0] * 4
    sparse = study.deciles[0]
    assert sparse.lower == 0.125 and sparse.run[500].recall == 1 and sparse.twin[500].read == 1
    middle = study.deciles[3]
    assert (middle.run[500].recall, middle.run[500].read) == (1, 1) and middle.twin[500].precision == 0.5
    assert study.distribution.shape == (5, 100) and study.distribution[0, 25:37].mean() == 1


def test_equal_densities_are_in_the_natural_order_of_topics() -> None:
    from trix.eval.studies.density import _pairs

    judged = {
        t: TopicJudgements(documents={"d": DocumentJudgement("d", 100, 50, iv.as_intervals([(0, 50)]))})
        for t in ("10", "2", "100")
    }
    assert [topic for _, topic, _ in _pairs(Qrels(judged))] == ["2", "10", "100"]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 300), st.lists(st.tuples(st.integers(0, 300), st.integers(1, 60)), max_size=4))
def test_bins_hold_all_relevant_characters(length: int, spans: list[tuple[int, int]]) -> None:
    relevant = iv.clip(iv.merge(iv.as_intervals([(s, s + n) for s, n in spans])), length)
    values = bins(relevant, length)
    assert values.sum() * length / 100 == pytest.approx(iv.length(relevant))
    assert values.min() >= -1e-12 and values.max() <= 1 + 1e-12


def test_simulated_runs_of_topic_163() -> None:
    runs = {kind: simulate(topic_163(), kind, "sog")["163"].paths for kind in ("frb", "irb", "reverse", "lo")}
    assert runs["irb"] == [SEC6, SEC4] and runs["reverse"] == [SEC4, SEC6]
    assert runs["frb"] == list(TOPIC_163)
    assert runs["lo"] is not None and set(runs["lo"]) == {p for p in TOPIC_163 if p[-4:-3] != "c" and p.count("/") == 4}
    strict = simulate(topic_163(), "frb", "strict")["163"]
    assert strict.paths == [SEC6]  # what has no value is left out
    with pytest.raises(UsageError, match="unknown simulated run"):
        simulate(topic_163(), "best")


def test_ties_of_simulated_runs_are_in_document_order() -> None:
    listed = ["/a[1]/s[10]/p[2]", "/a[1]/s[2]", "/a[1]/s[10]", "/a[1]", "/a[1]/s[10]/p[1]"]
    qrels = tree(dict.fromkeys(listed, (3, 3)))
    run = simulate(qrels, "frb", "strict")["1"]
    assert run.paths == ["/a[1]", "/a[1]/s[2]", "/a[1]/s[10]", "/a[1]/s[10]/p[1]", "/a[1]/s[10]/p[2]"]
    assert simulate(qrels, "lo", "strict")["1"].paths == ["/a[1]/s[2]", "/a[1]/s[10]/p[1]", "/a[1]/s[10]/p[2]"]


def test_granulated_recall_bases_are_binary_or_graded() -> None:
    members = {DOC_163: [SEC6, SEC4, f"{A163}/fm[1]"], "other": ["/article[1]/sec[1]"]}
    assert granulate(topic_163(), members).grades == {
        "163": {DOC_163 + SEC6: 1, DOC_163 + SEC4: 1, f"{DOC_163}{A163}/fm[1]": 0}
    }
    found = granulate(topic_163(), members, graded=True)
    assert found.grades["163"][DOC_163 + SEC6] == 9 and found.grades["163"][DOC_163 + SEC4] == 4
    assert found.relevant == {"163": (2, 1)} and found.members == 4
    elements = {"/a[1]": ElementJudgement(path="/a[1]", e=2, size=10, rsize=5)}
    qrels = Qrels({"1": TopicJudgements(documents={"d": DocumentJudgement("d", elements=elements)})})
    assert granulate(qrels, {"d": ["/a[1]"]}, graded=True).grades == {"1": {"d/a[1]": 1.5}}


class Library:
    """Knows one document: /a[1] of 100 characters with /a[1]/b[1] (0-40) and /a[1]/b[2] (40-90)."""

    elements = 3
    spans = {"/a[1]": (0, 100), "/a[1]/b[1]": (0, 40), "/a[1]/b[2]": (40, 90), "/a[1]/b[2]/text()[1].5": (45, 45)}  # noqa: RUF012

    def span(self, doc: str, path: str) -> tuple[int, int] | None:
        return self.spans.get(path) if doc == "d" else None

    def length(self, doc: str) -> int | None:
        return 100 if doc == "d" else None

    def words(self, doc: str, path: str) -> int | None:
        span = self.span(doc, path)
        return None if span is None else (span[1] - span[0]) // 5

    def word_span(self, doc: str, path: str) -> tuple[int, int] | None:
        span = self.span(doc, path)
        return None if span is None else (span[0] // 5, span[1] // 5)

    def element_at(self, doc: str, start: int, end: int) -> str | None:
        holding = [(e - s, p) for p, (s, e) in self.spans.items() if s <= start and end <= e and "text" not in p]
        return min(holding)[1] if holding and doc == "d" else None


def test_paths_become_offsets_and_offsets_paths() -> None:
    run = element_run("1", ["/a[1]/b[2]", "/a[1]", "/a[1]/z[9]"], "d")
    placed = to_offsets(run, Library())
    assert placed["1"].starts is not None and placed["1"].starts.tolist() == [40, 0, -1]
    assert "1 result not found" in placed.notices[0]
    run = Rankings({"1": Ranking(["d", "d", "d"], starts=np.array([41, 45, 10]), ends=np.array([50, 60, 60]))})
    assert to_paths(run, Library())["1"].paths == ["/a[1]/b[2]", "/a[1]"]


def test_an_element_that_comes_again_as_a_passage_is_left_out(tmp_path: Path) -> None:
    r = tmp_path / "r"
    r.write_text(
        "1 Q0 d 1 9 x 41 2\n1 Q0 d 2 8 x /a[1]/b[2]\n1 Q0 d 3 7 x /a[1]\n1 Q0 d 4 6 x X X\n1 Q0 d 5 5 x /a[1]\n"
    )
    run = to_paths(read_run(r), Library())
    # the second row is the element of the first; the fifth is the run's own fault, which measures refuse
    assert run["1"].paths == ["/a[1]/b[2]", "/a[1]", "/a[1]"]
    assert [n.partition(": ")[2] for n in run.notices] == [
        "1 passage not found in the documents, left out",
        "1 passage in an element that is there already, left out",
    ]


def test_what_the_documents_lack_is_a_passage_without_a_place_and_stays_one() -> None:
    once = to_offsets(element_run("1", ["/a[1]/b[1]", "/a[1]/zz[1]"], "d"), Library())
    for placed in (once, to_offsets(once, Library())):
        ranking = placed["1"]
        assert ranking.starts is not None and ranking.starts.tolist() == [0, -1] and ranking.paths == ["/a[1]/b[1]", ""]
    assert once.notices == ["run: 1 result not found in the documents"]


def test_an_element_run_is_evaluated_as_passages_with_a_resolver() -> None:
    relevant = iv.as_intervals([(40, 60)])
    qrels = Qrels({"1": TopicJudgements(documents={"d": DocumentJudgement("d", 100, 20, relevant)})})
    run = element_run("1", ["/a[1]/b[2]", "/a[1]/b[1]"], "d")
    result = evaluate(qrels, run, ["char_prec", "AgP[F]"], resolver=Library())
    assert result["char_prec"].mean == pytest.approx(20 / 90)
    with pytest.raises(UsageError, match="element without offsets"):
        evaluate(qrels, run, ["char_prec"])


def test_passages_of_2006_become_offset_qrels() -> None:
    document = DocumentJudgement("d", pointers=[("/a[1]/b[2]", "/a[1]/b[2]", 50)], bep_pointer="/a[1]/b[2]/text()[1].5")
    qrels = resolve_qrels(Qrels({"1": TopicJudgements(documents={"d": document})}), Library())
    assert write_offset_qrels(qrels) == "1 Q0 d 50 100 45 40:50\n"


def test_the_twin_of_a_run_has_every_document_once_and_whole() -> None:
    twin = whole_documents(passage_run(("b", 0, 5), ("a", 3, 4), ("a", 9, 12), ("x", 0, 5)), passage_qrels())["1"]
    assert twin.docs == ["b", "a", "x"] and twin.ends is not None and twin.ends.tolist() == [1000, 400, 0]


def test_results_are_found_by_measure_and_run_and_go_into_frames() -> None:
    pd = pytest.importorskip("pandas")
    qrels = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, 0]})
    run = pd.DataFrame({"qid": ["1", "1"], "docno": ["b", "a"], "score": [2.0, 1.0], "rank": [0, 1]})
    result = evaluate(qrels, run, ["AP", "CG"])
    assert result["AP"].mean == result["MAP"].topics["1"] == 0.5
    frame = result.to_frame()
    assert list(frame.columns) == ["run", "measure", "topic", "value"] and frame.value[0] == 0.5
    two = evaluate(qrels, {"a": run, "b": {"1": {"a": 1.0}}}, ["AP"])
    assert two["a", "AP"].mean == 0.5 and two["b", "AP"].mean == 1 and two["b"]["AP"].mean == 1
    with pytest.raises(UsageError, match="there are 2 runs"):
        two["AP"]
    with pytest.raises(UsageError, match="RR was not asked for"):
        result["RR"]
    with pytest.raises(UsageError, match=r"a column docno or doc_id is missing \(found qid\)"):
        evaluate(qrels, pd.DataFrame({"qid": ["1"]}), ["AP"])


def test_search_results_are_evaluated_as_they_are() -> None:
    class Hit:
        def __init__(self, rank: int, doc: str, path: str) -> None:
            self.rank, self.doc, self.path, self.score, self.offset, self.length = rank, doc, path, 1 / rank, 0, 5

    class Found(dict):  # type: ignore[type-arg]
        run_id = "mine"

    run = Found({"1": [Hit(1, "d", "/a[1]"), Hit(2, "d", "/a[1]/b[1]")]})
    result = evaluate({"1": {"d/a[1]/b[1]": 1}}, run, ["RR"])
    assert result.runs == ["mine"] and result["RR"].mean == 0.5


def test_the_measures_that_fit_are_chosen() -> None:
    names = {repr(m) for m in evaluate(passage_qrels(), passage_run(("b", 0, 5), ("a", 3, 4))).measures}
    assert {"AP", "AgP[F]", "AiP", "ANCE[LE(300)]"} <= names
    names = {repr(m) for m in evaluate(passage_qrels(), passage_run(("b", 0, 5), ("a", 3, 4), ("b", 8, 9))).measures}
    assert "AiP" in names and "AgP[F]" not in names
    names = {repr(m) for m in evaluate(passage_qrels(), passage_run(("b", 0, 5), ("b", 3, 4))).measures}
    assert "AiP(task=thorough)" in names and "AiP" not in names
    names = {repr(m) for m in evaluate(passage_qrels(), passage_run(("b", 5, 5), ("a", 3, 3))).measures}
    assert "AgP[BEP]" in names and "AgP[F]" not in names
    names = {repr(m) for m in evaluate(topic_163(), element_run("163", [SEC6]), sizes=sizes_163()).measures}
    assert "nxCG@10" in names and "PRUM" not in names


def test_the_shape_of_a_run() -> None:
    run = element_run("163", [SEC6, f"{SEC6}/p[1]", SEC4, A163])
    result = evaluate(topic_163(), run, ["overlap%", "set-overlap", "depth"])
    assert [result[n].mean for n in ("overlap%", "set-overlap", "depth")] == [0.5, 1.0, 2.75]
    assert histogram(run) == {"sec": 2, "p": 1, "article": 1} and histogram(run, "depth") == {"1": 1, "3": 2, "4": 1}
    assert evaluate(passage_qrels(), passage_run(("b", 0, 5), ("b", 4, 8)), ["overlap%", "size"])["size"].mean == 4.5


def test_tags_and_depths_of_results_are_counted_where_asked_for(files: Path) -> None:
    (files / "parts").write_text("1 Q0 a/x[1]/s[2] 1 3 parts\n1 Q0 a/x[1]/s[1] 2 2 parts\n2 Q0 c/x[1] 1 1 parts\n")
    given = ["eval", files / "qrels", files / "parts", files / "one", "-m", "AP", "--histograms"]
    assert [line.split() for line in call(*given).splitlines()[4:]] == [
        ["results", "by", "tag"],
        ["tag", "parts", "one"],
        ["----------", "-----", "---"],
        ["s", "2", "0"],
        ["x", "1", "0"],
        ["(document)", "0", "2"],
        [],
        ["results", "by", "depth"],
        ["depth", "parts", "one"],
        ["-----", "-----", "---"],
        ["0", "0", "2"],
        ["1", "1", "0"],
        ["2", "2", "0"],
    ]
    shapes = [run["histograms"] for run in json.loads(call(*given, "-f", "json"))["runs"]]
    assert shapes == [
        {"tag": {"s": 2, "x": 1}, "depth": {"1": 1, "2": 2}},
        {"tag": {"(document)": 2}, "depth": {"0": 2}},
    ]
    assert "parts,results by tag,s,2\n" in call(*given, "-f", "csv")
    assert "histograms" not in json.loads(call(*given[:-1], "-f", "json"))["runs"][0]
    bare = passage_run(("b", 0, 5))
    assert histogram(bare) == {"(passage)": len(bare)} and histogram(bare, "depth") == {}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    (tmp_path / "one").write_text("1 Q0 a 1 2 one\n2 Q0 x 1 2 one\n")
    (tmp_path / "two").write_text("1 Q0 b 1 2 two\n1 Q0 a 2 1 two\n2 Q0 c 1 2 two\n")
    (tmp_path / "offsets").write_text("1 Q0 A 300 1000 120 100:200 500:100\n1 Q0 B 50 400 0 0:50\n")
    (tmp_path / "passages").write_text("1 Q0 A 1 9 p 150 100\n1 Q0 B 2 8 p 0 400\n")
    return tmp_path


def call(*arguments: object) -> str:
    """Run a command and return what it prints; an expected error is raised, not printed."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        main([*map(str, arguments), "--debug"])
    return out.getvalue()


def test_eval_prints_a_table_json_csv_latex_and_markdown(files: Path) -> None:
    q, one, two = files / "qrels", files / "one", files / "two"
    assert call("eval", q, one, two, "-m", "AP", "-m", "P@1 CG").splitlines() == [
        "measure     one            two",
        "-------  ------  -------------",
        "AP       0.5000         0.7500",
        "P@1      0.5000         0.5000",
        "CG       0.5000  0.5000 1.0000",
    ]
    data = json.loads(call("eval", q, one, two, "-m", "AP CG", "-f", "json"))
    assert data["runs"][1]["run"] == "two" and data["runs"][1]["measures"]["AP"] == {
        "mean": 0.75,
        "topics": {"1": 0.5, "2": 1.0},
    }
    assert data["runs"][1]["measures"]["CG"]["topics"]["1"] == [0.0, 1.0]
    assert (
        call("eval", q, one, "-m", "AP", "-f", "csv", "-q")
        == "run,measure,topic,value\none,AP,1,1.0\none,AP,2,0.0\none,AP,all,0.5\n"
    )
    latex = call("eval", q, one, two, "-m", "AP P@1", "-f", "latex")
    assert latex.splitlines()[2:7] == [
        r"run & AP & P@1 \\",
        r"\hline",
        r"one & 0.5000 & 0.5000 \\",
        r"two & \textbf{0.7500} & 0.5000 \\",
        r"\hline",
    ]
    assert "| AP | 0.5000 | 0.7500 |" in call("eval", q, one, two, "-m", "AP", "-f", "markdown")
    assert "nDCG" in call("eval", "--measures")


def test_eval_prints_what_the_official_tool_prints(files: Path) -> None:
    text = call("eval", files / "offsets", files / "passages", "--official", "--task", "r", "-q")
    assert text.startswith(f'<eval run-id="p" file="{files / "passages"}">\nnum_ret\t\t1\t2\n') and text.endswith(
        "</eval>\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["eval", "qrels", "one", "-m", "MPA"], "did you mean MAP"),
        (["eval", "qrels", "one", "-f", "xml"], "--format xml: expected one of table, csv"),
        (["eval", "qrels", "nowhere"], "nowhere: cannot be read"),
        (["eval", "qrels"], "at least one RUN"),
        (["compare", "qrels", "one"], "at least two runs"),
        (["convert", "passages", "--to", "trec"], "no passages; use inex2009"),
        (["convert", "one", "--offsets"], "--index INDEX"),
        (["convert", "one", "--whole-documents"], "--index INDEX, or --qrels QRELS"),
        (["density", "qrels", "one"], "offset qrels are needed"),
        (["eval", "qrels", "one", "--task", "f"], "--task belongs to --official"),
        (["simulate", "qrels", "-k", "x"], "unknown simulated"),
        (["eval", "qrels", "one", "--plot", "x.doc", "-m", "CG"], "must end in .svg"),
    ],
)
def test_a_wrong_command_gets_one_line(arguments: list[str], message: str, files: Path) -> None:
    with pytest.raises(TrixError) as error:
        call(*[files / a if (files / a).exists() or a == "nowhere" else a for a in arguments])
    assert "\n" not in error_line(error.value) and message in error_line(error.value)


def test_compare_density_granulate_simulate_and_convert_run(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(call("compare", files / "qrels", files / "one", files / "two", "-f", "json"))
    assert data["pairs"][0]["difference"] == 0.25
    assert "tau-b" in call("compare", files / "offsets", files / "passages", files / "passages", "--matrix")
    assert json.loads(call("density", files / "offsets", files / "passages", "-f", "json"))["deciles"][0]["pairs"] == 1
    xml = files / "a.xml"
    xml.write_text(
        '<assessments topic="1"><file file="d">'
        '<path path="/a[1]" exhaustiveness="3" specificity="3"/></file></assessments>'
    )
    assert call("simulate", xml, "--quant", "strict") == "1 Q0 d/a[1] 1 1.0 irb-strict\n"
    members = files / "members"
    members.write_text("d/a[1]\nd/a[1]/b[1]\n")
    assert call("granulate", xml, "--members", members) == "1 0 d/a[1] 1\n1 0 d/a[1]/b[1] 0\n"
    assert "relevant elements" in call("granulate", xml, "--members", members, "--stats")
    assert call(
        "convert", files / "passages", "--to", "inex2009", "--whole-documents", "--qrels", files / "offsets"
    ).splitlines() == ["1 Q0 A 1 9.0 p-whole 0 1000", "1 Q0 B 2 8.0 p-whole 0 400"]
    (files / "more").write_text("1 Q0 A 1 9 p 150 100\n1 Q0 x 2 8 p 0 400\n")
    call("convert", files / "more", "--to", "inex2009", "--whole-documents", "--qrels", files / "offsets")
    assert "more: 1 document of unknown length, written as 0 characters" in capsys.readouterr().err
    assert call("convert", files / "passages", "--documents") == "1 Q0 A 1 9.0 p\n1 Q0 B 2 8.0 p\n"
    assert call("convert", files / "offsets", "--to", "trec-qrels", "--fractions") == "1 0 A 0.3\n1 0 B 0.125\n"
    call("convert", files / "passages", "--documents", "--output", files / "out.gz")
    assert gzip.decompress((files / "out.gz").read_bytes()) == b"1 Q0 A 1 9.0 p\n1 Q0 B 2 8.0 p\n"


def test_simulated_runs_have_the_ties_of_the_ideal_base_and_drop_bad_assessments(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    xml, same = files / "a.xml", 'exhaustiveness="3" specificity="3"'
    xml.write_text(
        '<assessments topic="1"><file file="d">'
        f'<path path="/a[1]" {same}/><path path="/a[1]/b[1]" {same}/><path path="/a[1]/b[1]" {same}/>'
        "</file></assessments>"
    )
    with pytest.raises(TrixError, match="judged twice"):
        call("simulate", xml)
    capsys.readouterr()
    for ties, path in (("higher", "/a[1]"), ("deeper", "/a[1]/b[1]")):
        written = files / "ideal"
        assert call("simulate", xml, "--lenient", "--ties", ties, "--write-ideal", written).split()[2] == f"d{path}"
        assert written.read_text() == f"1 Q0 d{path} 1.0\n"
        assert "1 assessment dropped" in capsys.readouterr().err
    with pytest.raises(TrixError, match="--ties wider: expected"):
        call("simulate", xml, "--ties", "wider")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_runs_come_from_standard_input(pack: Any, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = json.loads(call("eval", files / "qrels", files / "one", "-m", "AP", "-f", "json"))
    evaluated = ["eval", files / "qrels", "-", "-m", "AP", "-f", "json"]
    for arguments, name in ((evaluated, "one"), (["convert", "-"], "two")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(pack((files / name).read_bytes()))))
        out = call(*arguments)
        if arguments[0] == "eval":
            assert json.loads(out)["runs"] == expected["runs"]
        else:
            assert out == call("convert", files / "two")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"1 Q0 d one 0.5 r\n")))
    with pytest.raises(FormatError, match=r"^-, line 1: the rank is not a whole number"):
        call("convert", "-")


def test_a_run_is_cut_after_so_many_characters(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text(
        "1 Q0 d 1 4.0 r 10 30\n1 Q0 e 2 3.0 r 0 50\n1 Q0 d 3 2.0 r 60 40\n1 Q0 d 4 1.0 r 5 2\n"
        "1 Q0 f 5 0.5 r X X\n2 Q0 d 1 1.0 r 0 100\n"
    )

    def places(*arguments: str) -> list[list[str]]:
        return [
            line.split()[2:4] + line.split()[6:]
            for line in call("convert", run, "--to", "inex2009", *arguments).splitlines()
        ]

    assert places("--characters", "90") == [["d", "1", "10", "30"], ["e", "2", "0", "50"], ["d", "3", "60", "10"],
                                            ["d", "1", "0", "90"]]  # fmt: skip
    assert places("--characters", "80") == [["d", "1", "10", "30"], ["e", "2", "0", "50"], ["d", "1", "0", "80"]]
    assert places("--article-characters", "35") == [["d", "1", "10", "30"], ["e", "2", "0", "35"],
                                                    ["d", "3", "60", "5"], ["d", "1", "0", "35"]]  # fmt: skip
    assert places("--article-characters", "35", "--characters", "31")[1] == ["e", "2", "0", "1"]
    with pytest.raises(UsageError, match="1 or more, not 0"):
        places("--characters", "0")
    run.write_text("1 Q0 d 1 4.0 r /a[1]\n")
    with pytest.raises(UsageError, match=r"topic 1: only passages can be cut; .*`offsets` `index`"):
        places("--characters", "1000")


def test_a_result_that_was_cut_is_no_longer_its_element() -> None:
    ranking = Ranking(["d", "d"], ["/a[1]", "/a[1]/b[1]"], np.array([0, 50]), np.array([50, 150]))
    found = cut(Rankings({"1": ranking}), 60)["1"]
    assert (found.paths, np.asarray(found.ends).tolist()) == (["/a[1]", ""], [50, 60])


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_figures_are_drawn(suffix: str, files: Path) -> None:
    pytest.importorskip("matplotlib")
    for name, arguments in (
        ("flat", ["eval", "qrels", "one", "two"]),
        ("context", ["eval", "offsets", "passages"]),
        ("difference", ["compare", "qrels", "one", "two"]),
        ("density", ["density", "offsets", "passages"]),
    ):
        target = files / f"{name}.{suffix}"
        call(arguments[0], *[files / a for a in arguments[1:]], "--plot", target)
        assert target.stat().st_size > 5000


@pytest.mark.parametrize("command", ["eval qrels one", "compare qrels one two", "density offsets passages"])
def test_a_figure_of_an_unknown_kind_is_refused_before_anything_is_printed(
    command: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *given = command.split()
    with pytest.raises(TrixError, match=r"plot p.gif: the name must end in .svg, .png or .pdf"):
        main([name, *(str(files / a) for a in given), "--plot", "p.gif", "--debug"])
    assert capsys.readouterr().out == ""


def test_runs_are_compared_with_all_options_of_an_evaluation(files: Path) -> None:
    xml, sizes = files / "a.xml", files / "sizes"
    xml.write_text(
        '<assessments topic="1"><file file="d">'
        + "".join(
            f'<path path="{path}" exhaustiveness="{e}" specificity="{e}"/>'
            for path, e in (("/a[1]", 1), ("/a[1]/b[1]", 3))
        )
        + "</file></assessments>"
    )
    sizes.write_text("d/a[1] 40\nd/a[1]/b[1] 10\n")
    (files / "best").write_text("1 Q0 d/a[1]/b[1] 1 2 best\n1 Q0 d/a[1] 2 1 best\n")
    (files / "tied").write_text("1 Q0 d/a[1] 1 2 tied\n1 Q0 d/a[1]/b[1] 2 2 tied\n")
    (files / "own.toml").write_text('[mine]\nes = { "33" = 1.0 }\n')
    options = [
        "--sizes",
        sizes,
        "-N",
        100,
        "--ties",
        "score",
        "--run-format",
        "trec",
        "--qrels-format",
        "assessments",
        "--quantisations",
        files / "own.toml",
    ]
    given = ["compare", xml, files / "best", files / "tied", "-f", "json", *options, "-m"]
    pairs = json.loads(call(*given, "inex2002(mine) xCG(mine)@1"))["pairs"]
    # n = 1; best: j = i = 0; tied: one level with r = i = 1 and s = x, so P(x) = x / (x + x/2)
    assert [pair["baseline_mean"] for pair in pairs] == [1.0, 1.0]
    assert [pair["mean"] for pair in pairs] == [pytest.approx(2 / 3), 0.0]


def test_documents_that_the_index_counts_differently_are_named() -> None:
    judged = {"d": DocumentJudgement("d", 99, 5, iv.as_intervals([(0, 5)])), "e": DocumentJudgement("e", 7, 0)}
    qrels = Qrels({"1": TopicJudgements(documents=judged)})
    run = Rankings({"1": Ranking(["d"], starts=np.array([0]), ends=np.array([5]))})
    notices = evaluate(qrels, run, ["AgP[F]"], resolver=Library()).notices
    assert notices == [
        "qrels: 1 of 2 documents have another length there (d); "
        "is the counting of text right (`text` inex, inex-bytes)?"
    ]


@pytest.mark.parametrize(("judged", "reason"), [("grades", "plain grades have none"), ("elements", "offset-qrels")])
def test_measures_of_characters_refuse_assessments_without_them(judged: str, reason: str) -> None:
    qrels = Qrels.from_grades({"163": {"d": 1}}) if judged == "grades" else topic_163()
    run = Rankings({"163": Ranking([DOC_163], starts=np.array([0]), ends=np.array([5]))})
    for name in ("AgP[F]", "AiP", "char_prec"):
        with pytest.raises(UsageError, match=reason):
            evaluate(qrels, run, [name])


def test_topic_ids_of_2002_match_their_number() -> None:
    assert evaluate({"05": {"a": 1}}, {"5": {"a": 1.0}}, ["AP"])["AP"].topics == {"05": 1.0}
    assert evaluate({"5": {"a": 1}}, {"05": {"a": 1.0}}, ["AP"])["AP"].topics == {"5": 1.0}
    assert evaluate({"5": {"a": 1}, "05": {"b": 1}}, {"05": {"b": 1.0}, "5": {"a": 1.0}}, ["AP"])["AP"].mean == 1


@settings(max_examples=40, deadline=None)
@given(numbers, st.data())
def test_no_sample_makes_a_test_warn_or_leave_the_unit_interval(a: list[float], data: st.DataObject) -> None:
    from scipy import stats

    b = data.draw(st.lists(st.sampled_from([0.0, 0.1, 0.5, *a]), min_size=len(a), max_size=len(a)))
    x, y = np.array(a), np.array(b)
    for test in (sig.t_test, sig.wilcoxon, sig.sign_test, sig.randomisation):
        assert 0 <= test(x, y) <= 1
    d = x - y
    if d.std() > 1e-6:
        assert sig.t_test(x, y) == pytest.approx(float(stats.ttest_rel(x, y).pvalue))
    sig.friedman(np.column_stack((x, y, x)))
