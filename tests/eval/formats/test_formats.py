"""Runs and assessments of every campaign, read by content."""

from __future__ import annotations

import gzip
import io
import lzma
from pathlib import Path

import pytest

from trix.errors import FormatError, TrixError, UsageError
from trix.eval.data.qrels import TOO_SMALL
from trix.eval.data.quantisation import quantisation, read_toml
from trix.eval.data.runs import Rankings
from trix.eval.evaluate import evaluate
from trix.eval.formats.read import qrels_format, read_qrels, read_run
from trix.eval.formats.runs.registry import format_of
from trix.eval.formats.write import rows_of, write_run


def put(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_a_trec_run_may_hold_documents_and_elements(tmp_path: Path) -> None:
    run = read_run(put(tmp_path, "r", "01 Q0 d1 1 2.5 me\n01 Q0 co/2001/r7/article[1]/bdy[1] 2 1e-3 me\n"))
    ranking = run["01"]
    assert run.name == "me" and ranking.docs == ["d1", "co/2001/r7"]
    assert ranking.paths == ["", "/article[1]/bdy[1]"] and ranking.units()[1] == "co/2001/r7/article[1]/bdy[1]"
    assert ranking.scores is not None and ranking.scores.tolist() == [2.5, 0.001]


def test_the_columns_of_2009_tell_elements_ranges_passages_and_entry_points_apart(tmp_path: Path) -> None:
    lines = ["/article/bdy[1]", "/a[1]/s[1] /a[1]/s[3]", "9760 1848", "126", "X X", "-1 0"]
    text = "".join(f"1 Q0 {i} {i} 1 r {columns}\n" for i, columns in enumerate(lines, 1))
    ranking = read_run(put(tmp_path, "r", text))["1"]
    assert ranking.paths == ["/article[1]/bdy[1]", "/a[1]/s[1]", "", "", "", ""]
    assert ranking.lasts == ["", "/a[1]/s[3]", "", "", "", ""]
    assert ranking.starts is not None and ranking.starts.tolist() == [-1, -1, 9760, 126, -1, -1]
    assert ranking.ends is not None and ranking.ends.tolist() == [-1, -1, 11608, 126, -1, -1]


def test_the_last_column_may_be_the_end_of_the_passage(tmp_path: Path) -> None:
    path = put(tmp_path, "r", "1 Q0 d 1 1 r 10 30\n")
    ends = read_run(path, passage_end=True)["1"].ends
    assert ends is not None and ends.tolist() == [30]


def test_ranks_order_a_run_and_equal_ranks_stay_in_file_order(tmp_path: Path) -> None:
    run = read_run(put(tmp_path, "r", "1 Q0 c 2 9 r\n1 Q0 b 2 8 r\n1 Q0 a 1 1 r\n"))
    assert run["1"].docs == ["a", "c", "b"] and run["1"].tie_groups().tolist() == [0, 1, 1]
    assert run["1"].take(run.file_order["1"]).docs == ["c", "b", "a"]


def test_scores_order_a_run_whose_ranks_say_nothing(tmp_path: Path) -> None:
    run = read_run(put(tmp_path, "r", "1 Q0 a 0 1 r\n1 Q0 b 0 2 r\n"))
    assert run["1"].docs == ["b", "a"] and "the ranks are all the same" in run.notices[0]


def test_equal_ranks_are_one_level_whatever_the_scores(tmp_path: Path) -> None:
    for scores in ("98", "89"):
        run = read_run(put(tmp_path, "r", f"1 Q0 a 1 {scores[0]} r\n1 Q0 b 1 {scores[1]} r\n"))
        assert run["1"].tie_groups().tolist() == [0, 0] and run["1"].tie_groups("score").tolist() == [0, 1]
        assert [n for n in run.notices if "one level, sorted by score" in n] == run.notices != []
        # one relevant of two in the only level: ESL(1) = j + s i / (k + 1) = 0 + 1 * 1 / 2
        found = evaluate({"1": {"a": 1, "b": 0}}, run, ["ESL(1)"])
        assert found["ESL(1)"].mean == 0.5
    assert not read_run(put(tmp_path, "r", "1 Q0 a 1 9 r\n1 Q0 b 1 9 r\n")).notices


def test_scores_that_contradict_the_ranks_are_said(tmp_path: Path) -> None:
    notice = "1 topic: the scores contradict the ranks; the ranks count (trec_eval uses the scores: `trec_ties`)"
    path = put(tmp_path, "r", "1 Q0 a 1 3 r\n1 Q0 b 2 7 r\n2 Q0 a 1 7 r\n2 Q0 b 2 3 r\n")
    run = read_run(path)
    assert run.notices == [f"{path}: {notice}"] and run["1"].docs == ["a", "b"]
    assert evaluate({"1": {"b": 1}}, run, ["RR"])["RR"].mean == 0.5
    assert evaluate({"1": {"b": 1}}, run, ["RR"], trec_ties=True)["RR"].mean == 1.0
    # documents with their passages in reading order, as in context: the scores rise and fall within a document
    assert not read_run(put(tmp_path, "r", "1 Q0 a 1 3 r 0 5\n1 Q0 a 2 7 r 9 5\n1 Q0 b 3 4 r 0 5\n")).notices
    # nor do the last digits of equal scores, which differ by the order of a sum, or scores without an end
    assert not read_run(put(tmp_path, "r", "1 Q0 a 1 0.3 r\n1 Q0 b 2 0.30000000000000004 r\n")).notices
    assert not read_run(put(tmp_path, "r", "1 Q0 a 1 inf r\n1 Q0 b 2 inf r\n1 Q0 c 3 -inf r\n")).notices
    assert read_run(put(tmp_path, "r", "1 Q0 a 1 -inf r\n1 Q0 b 2 0 r\n")).notices
    # equal ranks say nothing of the order
    assert not read_run(put(tmp_path, "r", "1 Q0 a 1 9 r\n1 Q0 b 2 3 r\n1 Q0 c 2 4 r\n")).notices


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 Q0 d 1 high r", "the score is not a number: 'high'"),
        ("1 Q0 d 1 nan r", "the score is not a number: 'nan'"),
        ("1 Q0 d first 1 r", "the rank is not a whole number: 'first'"),
        ("1 Q0 d 1", "6, 7 or 8 columns expected"),
        ("1 Q0 d 1 1 r 5 -3", "the length of the passage is negative: -3"),
        ("1 Q0 d 1 1 r here 3", "a path, or an offset"),
        ("1 Q0 d 1 1 r /a[x]", "not an element path: /a[x]"),
    ],
)
def test_a_bad_line_is_named_or_dropped_and_counted(line: str, reason: str, tmp_path: Path) -> None:
    path = put(tmp_path, "r", f"1 Q0 good 1 9 r\n\n{line}\n")
    with pytest.raises(FormatError) as error:
        read_run(path)
    assert str(error.value).startswith(f"{path}, line 3: {reason}")
    run = read_run(path, lenient=True)
    assert len(run["1"]) == 1 and run.notices == [
        f"{path}: 1 result dropped, the first at line 3: {error.value.reason}"
    ]


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_empty_files_are_errors(content: str, tmp_path: Path) -> None:
    path = put(tmp_path, "f", content)
    for read in (read_run, read_qrels):
        with pytest.raises(FormatError, match="the file is empty"):
            read(path)


def test_compressed_files_are_told_by_content(tmp_path: Path) -> None:
    text = b"1 Q0 d 1 1 r\n"
    (tmp_path / "a").write_bytes(gzip.compress(text))
    (tmp_path / "b").write_bytes(lzma.compress(text))
    assert all(read_run(tmp_path / n)["1"].docs == ["d"] for n in "ab")
    (tmp_path / "c").write_bytes(gzip.compress(text * 1000)[:-20])
    with pytest.raises(FormatError, match="c: the compressed data are cut short"):
        read_run(tmp_path / "c")
    with pytest.raises(FormatError, match="cannot be read"):
        read_run(tmp_path / "missing")


SUBMISSION = """<?xml version="1.0" encoding="ISO-8859-1"?>
<inex-submission participant-id="12" run-id="VSM" task="Focused" query="automatic" result-type="element">
<topic-fields title="yes" mmtitle="no" castitle="no"/><description>None</description>
<collections><collection>wikipedia</collection></collections>
<topic topic-id="289"><collections><collection>w</collection></collections>
<result><file>10003</file><path>/article[1]/body[1]</path><rank>2</rank><rsv>0.5</rsv></result>
<result><in>x</in><file>10004.xml</file><path>/article[1]</path><rank>1</rank></result></topic>
<topic topic-id="290"><result><file>1</file><path>/article[1]</path><rsv>.1</rsv></result><result><file>2</file>
<path>/article[1]</path><rsv>.7</rsv></result></topic>
<topic topic-id="289"><result><file>7</file><passage start="/article[1]/p[1]" end="/article[1]/p[2]/text()[1].5"/>
<rank>0</rank></result></topic></inex-submission>"""


@pytest.mark.parametrize(
    "text",
    [
        SUBMISSION,
        SUBMISSION.replace("\n", " "),
        SUBMISSION.replace("<topic-fields", "<!--x--><a").replace('castitle="no"/>', 'castitle="no"/>'),
    ],
)
def test_xml_submissions_are_read_with_their_variations(text: str, tmp_path: Path) -> None:
    path = put(tmp_path, "s.xml", text)
    assert format_of(path) == "inex"
    run = read_run(path)
    assert run.name == "VSM" and run["289"].docs == ["10004", "10003", "7"] and run["290"].docs == ["2", "1"]
    assert run["289"].lasts == ["", "", "/article[1]/p[2]/text()[1].5"]


def test_submissions_name_the_line_of_a_fault(tmp_path: Path) -> None:
    path = put(tmp_path, "s.xml", SUBMISSION.replace("<rank>2</rank>", "<rank>two</rank>"))
    with pytest.raises(FormatError, match=r"s.xml, line 6: the rank is not a whole number: 'two'"):
        read_run(path)
    path = put(tmp_path, "t.xml", SUBMISSION.replace("</topic>", "", 1))
    with pytest.raises(FormatError, match="not well-formed XML"):
        read_run(path)
    path = put(tmp_path, "u.xml", "<other/>")
    with pytest.raises(FormatError, match="root inex-submission"):
        read_run(path)


def test_jsonl_runs_are_read(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "r",
        '{"topic": 7, "run": "j", "doc": "d", "path": "/a[1]", "offset": 3, "length": 4, '
        '"rank": 1, "score": 0.5, "label": "1"}\n',
    )
    ranking = read_run(path)["7"]
    assert ranking.paths == ["/a[1]"] and ranking.ends is not None and ranking.ends.tolist() == [7]
    with pytest.raises(FormatError, match="line 1: score is not a number: 'x'"):
        read_run(put(tmp_path, "s", '{"topic": "7", "doc": "d", "score": "x"}\n'))


def text_of(run: Rankings, format: str) -> str:
    stream = io.StringIO()
    write_run(rows_of(run, format), stream, format, passages=format == "inex2009" and run.form == "passages")
    return stream.getvalue()


@pytest.mark.parametrize("format", ["trec", "inex2009", "inex", "jsonl"])
def test_runs_of_documents_survive_writing_and_reading(format: str, tmp_path: Path) -> None:
    run = read_run(put(tmp_path, "r", "1 Q0 d 1 0.1 me\n1 Q0 e 2 0.05 me\n2 Q0 f 1 3 me\n"))
    again = read_run(put(tmp_path, "w", text_of(run, format)))
    assert again.form == "documents" and {t: r.docs for t, r in again.items()} == {"1": ["d", "e"], "2": ["f"]}


@pytest.mark.parametrize("format", ["inex2009", "inex", "jsonl"])
def test_ranges_of_elements_survive_writing_and_reading(format: str, tmp_path: Path) -> None:
    run = read_run(put(tmp_path, "r", "1 Q0 d 1 0.1 me /a[1]/p[1] /a[1]/p[3]\n1 Q0 d 2 0.05 me /a[1]/p[5]\n"))
    again = read_run(put(tmp_path, "w", text_of(run, format)))["1"]
    assert (again.paths, again.lasts) == (["/a[1]/p[1]", "/a[1]/p[5]"], ["/a[1]/p[3]", ""])


@pytest.mark.parametrize("format", ["inex2009", "jsonl"])
def test_passages_survive_writing_and_reading(format: str, tmp_path: Path) -> None:
    run = read_run(put(tmp_path, "r", "1 Q0 d 1 0.1 me 7 11\n1 Q0 e 2 0.05 me 0 3\n1 Q0 f 3 0.01 me X X\n"))
    again = read_run(put(tmp_path, "w", text_of(run, format)))["1"]
    assert again.starts is not None and again.starts.tolist() == [7, 0, -1]
    assert again.ends is not None and again.ends.tolist() == [18, 3, -1]


@pytest.mark.parametrize(("format", "place"), [("trec", "7 11"), ("inex", "7 11"), ("trec", "/a[1]/p[1] /a[1]/p[3]")])
def test_formats_without_passages_refuse_them(format: str, place: str, tmp_path: Path) -> None:
    run = read_run(put(tmp_path, "r", f"1 Q0 d 1 0.1 me {place}\n"))
    with pytest.raises(UsageError, match=f"topic 1: the {format} format holds no passages; use inex2009 or jsonl"):
        text_of(run, format)


@pytest.mark.parametrize("format", ["trec", "inex2009", "inex", "jsonl"])
def test_runs_of_elements_survive_writing_and_reading(format: str, tmp_path: Path) -> None:
    run = read_run(put(tmp_path, "r", "1 Q0 d/a[1]/b[2] 1 0.1 me\n1 Q0 e/a[1] 2 0.05 me\n2 Q0 f/a[1] 1 3 me\n"))
    again = read_run(put(tmp_path, "w", text_of(run, format)))
    assert again.name == "me" and {t: r.units() for t, r in again.items()} == {t: r.units() for t, r in run.items()}
    assert all(again[t].scores.tolist() == run[t].scores.tolist() for t in run)


def test_offset_qrels_are_read(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "q",
        "2009001 Q0 1528075 49158 58542 126 126:28761 28893:20397\n101 Q0 d1 0 1246\n101\tQ0  d2 300 100 5\n",
    )
    qrels = read_qrels(path)
    document = qrels["2009001"].documents["1528075"]
    assert (document.length, document.bep, document.relevant_length) == (58542, 126, 49158)
    assert not qrels["101"].documents["d1"].relevant and qrels["101"].documents["d2"].relevant_length == 100
    assert qrels.form == "offsets" and qrels.notices == [
        f"{path}: relevant characters above the length, clamped (line 3)"
    ]
    with pytest.raises(FormatError, match="line 1: a passage is OFFSET:LENGTH, found '7-9'"):
        read_qrels(put(tmp_path, "p", "1 Q0 d 5 100 5 5:2 7-9\n"))


def test_trec_qrels_refuse_a_unit_judged_twice(tmp_path: Path) -> None:
    path = put(tmp_path, "q", "1 0 a 1\n1 0 b 0.5\n1 0 a 0\n")
    with pytest.raises(FormatError, match="line 3: topic 1: a is judged twice"):
        read_qrels(path)
    assert read_qrels(path, lenient=True)["1"].grades == {"a": 1, "b": 0.5}


ASSESSED_2004 = """<!DOCTYPE assessments SYSTEM "../../assessments.dtd">
<assessments pool='17' topic='163'><file file='co/2001/r7022'>
<path path='/article[1]/bdy[1]/sec[6]' exhaustiveness='3' specificity='3' inferred='true' inpool='true'/>
<path path='/article[1]' exhaustiveness='3' specificity='1' inconsistant='true'/>
<path path='/article[1]/bdy[1]'/></file></assessments>"""
ASSESSED_2005 = """<?xml version="1.0"?><assessments pool="181" topic="203" version="2">
<inex_topic topic_id="203" query_type="CO+S" ct_no="1"><title>x</title></inex_topic>
<file collection="ieee" name="co/2001/r7022"><element path="/article[1]" exhaustivity="1" size="1000" rsize="275"/>
<element path="/article[1]/p[1]" exhaustivity="2" size="266" rsize="266"/>
<element path="/article[1]/p[2]/it[1]" exhaustivity="?" size="9" rsize="9"/><!-- Ignored --></file>
<file collection="ieee" name="co/2001/empty"/></assessments>"""
ASSESSED_2006 = """<assessments pool="1" topic="289" version="1" whitespace-text-node="strip">
<file collection="wikipedia" name="10003"><best-entry-point path="/article[1]/p[1]/text()[1].4"/>
<passage start="/article[1]/p[1]" end="/article[1]/p[2]" size="30"/>
<element path="/article[1]/p[1]" exhaustivity="2" size="20" rsize="20"/></file></assessments>"""
ASSESSED_2002 = """<assessments topic="05"><file file="co/2000/r7108">
<path path="/article[1]" relevance="3" coverage="E"/><path path="/article[1]/p[1]" relevance="2" coverage="S"/>
</file></assessments>"""


def test_assessments_of_all_years_are_read(tmp_path: Path) -> None:
    for year in (2002, 2004, 2005, 2006):
        put(tmp_path, f"{year}.xml", globals()[f"ASSESSED_{year}"])
    assert qrels_format(tmp_path / "2004.xml") == "assessments"
    qrels = read_qrels(tmp_path)
    assert list(qrels) == ["05", "163", "203", "289"] and qrels.form == "elements"
    e2004 = qrels["163"].documents["co/2001/r7022"].elements
    assert [(e.e, e.s, e.relevant) for e in e2004.values()] == [(3, 3, True), (0, 0, False), (0, 0, False)]
    d2005 = qrels["203"].documents["co/2001/r7022"]
    assert d2005.elements["/article[1]/p[2]/it[1]"].e == TOO_SMALL and (d2005.length, d2005.declared) == (1000, 275)
    assert not qrels["203"].documents["co/2001/empty"].relevant
    d2006 = qrels["289"].documents["10003"]
    assert d2006.pointers == [("/article[1]/p[1]", "/article[1]/p[2]", 30)] and d2006.relevant
    assert d2006.bep_pointer == "/article[1]/p[1]/text()[1].4"
    values = [quantisation("gen")(e) for e in qrels["05"].documents["co/2000/r7108"].elements.values()]
    assert values == [1.0, 0.5]


def test_a_second_assessment_of_a_topic_is_left_out_with_a_notice(tmp_path: Path) -> None:
    put(tmp_path, "a.xml", ASSESSED_2004)
    put(
        tmp_path,
        "b.xml",
        ASSESSED_2004.replace("exhaustiveness='3' specificity='3'", "exhaustiveness='1' specificity='1'"),
    )
    qrels = read_qrels(tmp_path)
    assert qrels["163"].documents["co/2001/r7022"].elements["/article[1]/bdy[1]/sec[6]"].e == 3
    assert "assessed a second time" in qrels.notices[0]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('rsize="266"', 'rsize="267"', "rsize 267 is not between 0 and size 266"),
        ('exhaustivity="2"', 'exhaustivity="x"', "exhaustivity"),
        ('path="/article[1]/p[1]"', 'path="/article[1]"', "is judged twice"),
        ('path="/article[1]/p[1]"', 'path="p"', "not an element path"),
    ],
)
def test_a_wrong_assessment_is_named(old: str, new: str, reason: str, tmp_path: Path) -> None:
    path = put(tmp_path, "a.xml", ASSESSED_2005.replace(old, new))
    with pytest.raises(FormatError, match=f"line 4: .*{reason}"):
        read_qrels(path)


def test_quantisations_have_the_printed_values() -> None:
    from trix.eval.data.qrels import ElementJudgement

    def values(name: str) -> list[float]:
        pairs = [(3, 3), (2, 3), (1, 3), (3, 2), (2, 2), (1, 2), (3, 1), (2, 1), (1, 1), (0, 0)]
        return [quantisation(name)(ElementJudgement(path="/a[1]", e=e, s=s)) for e, s in pairs]

    assert values("strict") == [1] + [0] * 9
    assert values("gen") == [1, 0.75, 0.5, 0.75, 0.5, 0.25, 0.75, 0.5, 0.25, 0]
    assert values("sog") == values("so") == [1, 0.9, 0.75, 0.75, 0.5, 0.25, 0.25, 0.1, 0.1, 0]
    assert values("s3_e321") == [1, 1, 1] + [0] * 7 and values("e3s321") == [1, 0, 0, 1, 0, 0, 1, 0, 0, 0]
    small = ElementJudgement(path="/a[1]", e=TOO_SMALL, size=10, rsize=5)
    high = ElementJudgement(path="/a[1]", e=2, size=10, rsize=10)
    assert [quantisation(q)(small) for q in ("strict", "gen", "genLifted", "s")] == [0, 0, 0.5, 0.5]
    assert [quantisation(q)(high) for q in ("strict", "gen", "genLifted", "s")] == [1, 2, 3, 1]
    with pytest.raises(UsageError, match="did you mean strict"):
        quantisation("strikt")
    with pytest.raises(UsageError, match="is not defined for assessments with sizes"):
        quantisation("sog")(high)


def test_users_define_their_own_quantisations(tmp_path: Path) -> None:
    from trix.eval.data.qrels import ElementJudgement

    own = read_toml(
        put(tmp_path, "q.toml", '[mine]\nes = { "33" = 1.0, "23" = 0.4 }\nexhaustivity = { "2" = 1, "?" = 0.1 }\n')
    )
    assert quantisation("mine", own)(ElementJudgement(path="/a[1]", e=2, s=3)) == 0.4
    assert quantisation("mine", own)(ElementJudgement(path="/a[1]", e=TOO_SMALL, size=4, rsize=2)) == 0.05
    for bad in ("mine = 1", '[mine]\nes = { "43" = 1 }', '[mine]\nes = { "33" = -1 }', "[mine]\nother = 1", "["):
        with pytest.raises(TrixError):
            read_toml(put(tmp_path, "bad.toml", bad))
