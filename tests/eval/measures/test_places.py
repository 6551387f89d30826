"""Where results and assessments stand in documents: passages as elements, runs of text as units, grades as numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Cli
from trix.errors import UsageError
from trix.eval.data.qrels import DocumentJudgement, ElementJudgement, Qrels, TopicJudgements
from trix.eval.evaluate import evaluate
from trix.eval.formats.read import read_qrels, read_run
from trix.eval.studies.granulate import granulate

A = "<a><s>one <i>two</i> three</s><s>four</s><s>five six</s></a>"
JUDGED_2005 = """<assessments topic="1"><file name="A">
<element path="/a[1]" exhaustivity="2" size="22" rsize="11"/>
<element path="/a[1]/s[1]" exhaustivity="2" size="13" rsize="3"/>
<element path="/a[1]/s[1]/i[1]" exhaustivity="1" size="3" rsize="3"/>
<element path="/a[1]/s[3]" exhaustivity="2" size="8" rsize="8"/>
</file></assessments>"""
AS_XPOINTERS = """<inex-submission run-id="x"><topic topic-id="1">
<result><file>A</file>
<passage start="/a[1]/s[1]/i[1]/text()[1].1" end="/a[1]/s[1]/i[1]/text()[1].3"/><rank>1</rank></result>
<result><file>A</file><passage start="/a[1]/s[2]" end="/a[1]/s[3]/text()[1].2"/><rank>2</rank></result>
<result><file>A</file><path>/a[1]/s[3]/text()[1]</path><rank>3</rank></result>
</topic></inex-submission>"""
AS_COLUMNS = """1 Q0 A 1 9 x /a[1]/s[1]/i[1]/text()[1].1 /a[1]/s[1]/i[1]/text()[1].3
1 Q0 A 2 8 x /a[1]/s[2] /a[1]/s[3]
1 Q0 A 3 7 x /a[1]/s[3]/text()[1]
"""
AS_OFFSETS = "1 Q0 A 1 9 x 5 2\n1 Q0 A 2 8 x 13 6\n1 Q0 A 3 7 x 17 8\n"
AS_ELEMENTS = "1 Q0 A 1 9 x /a[1]/s[1]/i[1]\n1 Q0 A 2 8 x /a[1]\n1 Q0 A 3 7 x /a[1]/s[3]\n"


@pytest.mark.parametrize("run", [AS_XPOINTERS, AS_COLUMNS, AS_OFFSETS])
def test_passages_of_any_form_are_evaluated_as_the_elements_that_hold_them(
    run: str, tmp_path: Path, run_cli: Cli
) -> None:
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml" / "A.xml").write_text(A)
    q, r, e = tmp_path / "q.xml", tmp_path / "r", tmp_path / "e"
    q.write_text(JUDGED_2005)
    r.write_text(run)
    e.write_text(AS_ELEMENTS)
    code, out, err = run_cli("eval", q, r, "-m", "AP")
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert f"{r}: 3 of its results are passages" in err and "--index" in err and "--paths" in err
    index = ("--index", tmp_path / "xml")
    code, out, err = run_cli("eval", q, r, "-m", "AP inex2002(N=9) xCG", "-f", "csv", *index)
    assert code == 0 and out == run_cli("eval", q, e, "-m", "AP inex2002(N=9) xCG", "-f", "csv")[1]
    assert "x,AP,all,0.75\n" in out  # relevant at ranks 1, 2 and 3 of 4: (1 + 1 + 1) / 4
    assert "3 of its results are passages, evaluated as the smallest elements" in err
    turned = tmp_path / "turned"
    assert run_cli("convert", r, "--to", "inex2009", "--paths", *index, "--output", turned)[0] == 0
    assert [line.split()[6] for line in turned.read_text().splitlines()] == ["/a[1]/s[1]/i[1]", "/a[1]", "/a[1]/s[3]"]
    # grades of a level's members know elements and runs of text, and no other passages
    grades = {"1": {"A/a[1]/s[3]/text()[1]": 1, "A/a[1]/s[1]/i[1]": 1}}
    with pytest.raises(UsageError, match=r"of its results (are passages|is a passage)"):
        evaluate(grades, r, ["AP"])
    members = {"1": {"A/a[1]/s[3]/text()[1]": 2.0, "A/a[1]/s[1]/i[1]": 1.0}}
    assert evaluate(grades, members, ["AP"])["AP"].mean == 1.0


# 01234567890123456789: "one two three" is s[1], "four" s[2]; the passage 4..17 is "two three" and "four"
JUDGED_2007 = """<assessments topic="1" version="2"><file collection="c" name="A">
<best-entry-point path="/a[1]/s[1]/i[1]/text()[1].0"/>
<passage start="/a[1]/s[1]/i[1]/text()[1].0" end="/a[1]/s[2]/text()[1].4" size="13"/>
<element path="/a[1]" exhaustivity="2" size="25" rsize="13"/>
<element path="/a[1]/s[1]" exhaustivity="2" size="13" rsize="9"/>
<element path="/a[1]/s[1]/i[1]" exhaustivity="1" size="3" rsize="3"/>
<element path="/a[1]/s[2]" exhaustivity="1" size="4" rsize="4"/>
</file></assessments>"""
RUNS_OF_TEXT = [f"/a[1]/s[1]/text()[{i}]" for i in (1, 2)] + [f"/a[1]/s[{i}]/text()[1]" for i in (2, 3)]


def test_runs_of_text_are_granulated_by_passages(tmp_path: Path, run_cli: Cli) -> None:
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml" / "A.xml").write_text(A)
    for name, text in (("q.xml", JUDGED_2007), ("q.offsets", "1 Q0 A 13 25 4 4:13\n")):
        (tmp_path / name).write_text(text)
    (tmp_path / "members").write_text("".join(f"A{path}\n" for path in ["/a[1]/s[1]", "/a[1]/s[3]", *RUNS_OF_TEXT]))
    given = ("--members", tmp_path / "members", "--index", tmp_path / "xml")
    binary = ["1 0 A/a[1]/s[1] 1", "1 0 A/a[1]/s[3] 0"]
    binary += [f"1 0 A{path} {grade}" for path, grade in zip(RUNS_OF_TEXT, (0, 1, 1, 0), strict=True)]
    for name in ("q.xml", "q.offsets"):
        code, out, err = run_cli("granulate", tmp_path / name, *given)
        assert (code, out.splitlines()) == (0, binary), err
    # exhaustivity of the element around (2 is 3, 1 is 2) times density; s[1] itself: 3 * 9/13
    code, out, err = run_cli("granulate", tmp_path / "q.xml", *given, "--graded", "--fractions")
    assert [float(line.split()[3]) for line in out.splitlines()] == [pytest.approx(27 / 13), 0, 0, 3, 2, 0]
    assert run_cli("granulate", tmp_path / "q.xml", *given[:2])[0] == 2  # nobody knows the places


def test_runs_of_text_without_passages_are_what_their_element_is_as_a_whole() -> None:
    elements = {
        path: ElementJudgement(path=path, e=2.0, size=size, rsize=rsize)
        for path, size, rsize in (("/a[1]", 30, 13), ("/a[1]/s[1]", 13, 13), ("/a[1]/s[2]", 13, 0))
    }
    qrels = Qrels({"1": TopicJudgements(documents={"d": DocumentJudgement("d", elements=elements)})})
    members = {"d": ["/a[1]/s[1]/text()[1]", "/a[1]/s[2]/text()[1]", "/a[1]/text()[1]", "/a[1]/s[1]/b[1]"]}
    found = granulate(qrels, members, graded=True)
    assert list(found.grades["1"].values()) == [3.0, 0.0, 0.0, 0.0]
    assert list(granulate(qrels, members).grades["1"].values()) == [1.0, 0.0, 0.0, 0.0]
    assert found.notices == [
        "qrels: 1 run of text (text()[i]) in elements that are relevant in part: not relevant, "
        "since the assessments have no passages"
    ]


def test_written_grades_are_read_by_pytrec_eval_and_ir_measures(tmp_path: Path, run_cli: Cli) -> None:
    pytrec_eval, ir_measures = pytest.importorskip("pytrec_eval"), pytest.importorskip("ir_measures")
    offsets, run, qrels = tmp_path / "offsets", tmp_path / "run", tmp_path / "qrels"
    offsets.write_text("1 Q0 A 300 1000 0 0:300\n1 Q0 B 50 400 0 0:50\n1 Q0 C 0 10\n1 Q0 D 1 9000 0 0:1\n")
    run.write_text("1 Q0 B 1 9 x\n1 Q0 C 2 8 x\n1 Q0 A 3 7 x\n")
    for scale, grades, notice in (
        ((), [30, 12, 0, 1], "100 times the fractions"),
        (("--scale", 1000), [300, 125, 0, 1], "1000 times the fractions"),
        (("--scale", 1), [1, 1, 0, 1], "1 times the fractions"),
    ):
        code, _, err = run_cli("convert", offsets, "--to", "trec-qrels", *scale, "--output", qrels)
        assert code == 0 and notice in err and err.count("\n") == 1
        assert [judged.relevance for judged in ir_measures.read_trec_qrels(str(qrels))] == grades
        with qrels.open() as file:
            judged = pytrec_eval.parse_qrel(file)
        assert list(judged["1"].values()) == grades
        theirs = pytrec_eval.RelevanceEvaluator(judged, {"map", "ndcg"}).evaluate({"1": {"B": 9.0, "C": 8.0, "A": 7.0}})
        ours = evaluate(read_qrels(qrels), read_run(run), ["AP", "nDCG(trec)@10"])
        assert ours["AP"].mean == pytest.approx(theirs["1"]["map"], abs=1e-9)
        assert ours["nDCG(trec)@10"].mean == pytest.approx(theirs["1"]["ndcg"], abs=1e-9)
    code, out, err = run_cli("convert", offsets, "--to", "trec-qrels", "--fractions")
    assert (code, err) == (0, "") and out.splitlines()[:2] == ["1 0 A 0.3", "1 0 B 0.125"]
    for wrong, message in (
        (("--to", "trec-qrels", "--scale", 0), "--scale 0: expected a whole number of 1 or more"),
        (("--to", "trec-qrels", "--scale", 2, "--fractions"), "exclude each other"),
        (("--to", "offset-qrels", "--scale", 2), "need --to trec-qrels"),
    ):
        code, out, err = run_cli("convert", offsets, *wrong)
        assert (code, out) == (2, "") and message in err and err.count("\n") == 1
    code, _, err = run_cli("granulate", offsets, "--index", "x", "--stats", "--scale", 2)
    assert code == 2 and "no effect with --stats" in err
