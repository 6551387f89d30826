"""Runs as they are written."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from trix.cli.commands.search import SEARCH_FORMATS
from trix.errors import UsageError
from trix.eval.formats import RUN_FORMATS
from trix.eval.formats.runs.head import Submission, task_name
from trix.eval.formats.runs.rows import RunRow, column
from trix.eval.formats.write import write_run

ROWS = [
    RunRow("177", "co/2001/r7022", "/article[1]/bdy[1]/sec[2]", 1, 0.1 + 0.2, "own", 1180, 734, "5.2.1", "sec"),
    RunRow("177", "co/2001/r7022", None, 2, -1e-300, "own", 0, 5000, "5", "article"),
    RunRow("178", "co/1999/x1", "/article[1]", 1, 2.0, "own", 0, 20, "1", "article", "a <snippet>"),
]


def written(rows: list[RunRow], format: str, run_id: str | None = None, **options: object) -> str:
    stream = io.StringIO()
    write_run(rows, stream, format, run_id, **options)  # type: ignore[arg-type]
    return stream.getvalue()


def test_trec_runs_hold_the_path_in_the_third_column() -> None:
    assert written(ROWS, "trec", "trix") == (
        "177 Q0 co/2001/r7022/article[1]/bdy[1]/sec[2] 1 0.30000000000000004 trix\n"
        "177 Q0 co/2001/r7022 2 -1e-300 trix\n"
        "178 Q0 co/1999/x1/article[1] 1 2.0 trix\n"
    )


def test_inex_2009_runs_hold_the_path_in_the_seventh_column() -> None:
    assert written(ROWS, "inex2009").splitlines() == [
        "177 Q0 co/2001/r7022 1 0.30000000000000004 own /article[1]/bdy[1]/sec[2]",
        "177 Q0 co/2001/r7022 2 -1e-300 own",
        "178 Q0 co/1999/x1 1 2.0 own /article[1]",
    ]


def test_passages_are_offset_and_length_in_place_of_the_path() -> None:
    assert written(ROWS, "inex2009", "r", passages=True).splitlines() == [
        "177 Q0 co/2001/r7022 1 0.30000000000000004 r 1180 734",
        "177 Q0 co/2001/r7022 2 -1e-300 r 0 5000",
        "178 Q0 co/1999/x1 1 2.0 r 0 20",
    ]


def test_passages_without_a_place_keep_their_path_or_are_unknown() -> None:
    rows = [RunRow("1", "d", "/a[1]", 1, 2.0, "r", offset=3), RunRow("1", "e", None, 2, 1.0, "r")]
    assert written(rows, "inex2009", passages=True) == "1 Q0 d 1 2.0 r /a[1]\n1 Q0 e 2 1.0 r X X\n"


def test_jsonl_lines_have_the_fields_of_a_search_and_topic_and_run() -> None:
    lines = [json.loads(line) for line in written(ROWS, "jsonl", "r").splitlines()]
    assert lines[0] == {
        "topic": "177", "run": "r", "rank": 1, "score": 0.1 + 0.2, "doc": "co/2001/r7022", "label": "5.2.1",
        "path": "/article[1]/bdy[1]/sec[2]", "tag": "sec", "offset": 1180, "length": 734, "title": None,
        "snippet": None,
    }  # fmt: skip
    assert lines[2]["snippet"] == "a <snippet>"


def test_a_submission_is_well_formed_and_groups_results_by_topic() -> None:
    head = Submission(
        task="CO.Thorough", participant='12 "&"', automatic=False, result_type=None,
        topic_fields=("title", "ontopic-keywords"), description="b < 1\n\nv = 2", collections=("ieee",),
    )  # fmt: skip
    root = etree.fromstring(written(ROWS, "inex", "a<b", submission=head).encode())
    assert dict(root.items()) == {
        "participant-id": '12 "&"', "run-id": "a<b", "task": "CO.Thorough", "query": "manual",
    }  # fmt: skip
    assert dict(root.find("topic-fields").items()) == {
        "title": "yes", "mmtitle": "no", "castitle": "no", "description": "no", "narrative": "no",
        "ontopic_keywords": "yes",
    }  # fmt: skip
    assert root.findtext("description") == "b < 1 v = 2"
    assert [e.text for e in root.iter("collection")] == ["ieee"]
    assert [(t.get("topic-id"), len(t)) for t in root.iter("topic")] == [("177", 2), ("178", 1)]
    first, second = next(root.iter("topic"))
    assert [(e.tag, e.text) for e in first] == [
        ("file", "co/2001/r7022"), ("path", "/article[1]/bdy[1]/sec[2]"), ("rank", "1"), ("rsv", "0.30000000000000004"),
    ]  # fmt: skip
    assert [e.tag for e in second] == ["file", "rank", "rsv"]


def test_a_submission_takes_its_name_from_the_first_row_where_none_is_given() -> None:
    assert etree.fromstring(written(ROWS, "inex").encode()).get("run-id") == "own"


def test_an_empty_run_is_empty_or_a_submission_without_topics() -> None:
    assert [written([], format) for format in ("trec", "inex2009", "jsonl")] == ["", "", ""]
    assert len(etree.fromstring(written([], "inex", "r").encode()).findall("topic")) == 0


@pytest.mark.parametrize("format", RUN_FORMATS)
def test_topics_are_written_as_they_come(format: str) -> None:
    stream = io.StringIO()
    lengths = []

    def rows() -> Iterator[RunRow]:
        for topic in ("1", "2", "3"):
            lengths.append(len(stream.getvalue()))
            yield RunRow(topic, "d", "/a[1]", 1, 1.0)

    write_run(rows(), stream, format)
    assert lengths[0] == lengths[1] == 0 < lengths[2] < len(stream.getvalue())


@pytest.mark.parametrize("format", RUN_FORMATS)
@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_is_refused(format: str, score: float) -> None:
    with pytest.raises(UsageError, match=r"topic 1, rank 2, d/a\[1\]: the score is -?(nan|inf)"):
        written([RunRow("1", "d", "/a[1]", 2, score)], format)


def test_an_unknown_format_is_named_with_its_neighbour() -> None:
    with pytest.raises(UsageError, match=r"format treck: unknown; known are .* \(did you mean trec\?\)"):
        written(ROWS, "treck")
    with pytest.raises(UsageError, match="passages: goes with `format` inex2009, not with trec"):
        written(ROWS, "trec", passages=True)


@pytest.mark.parametrize("format", ["trec", "inex2009"])
def test_blanks_in_ids_never_shift_columns(format: str) -> None:
    row = RunRow("a b", "Moby Dick\u00a0\t1", "/a[1]", 1, 1.0, "my run")
    (line,) = written([row], format).splitlines()
    assert len(line.split()) == (6 if format == "trec" else 7)
    assert line.startswith("a%20b Q0 Moby%20Dick%C2%A0%091")
    assert "my%20run" in line


@pytest.mark.parametrize("format", RUN_FORMATS)
def test_names_that_are_not_utf8_can_be_written(format: str) -> None:
    text = written([RunRow("1", "caf\udce9 <&>\x01", "/a[1]", 1, 1.0, "r")], format)
    text.encode()
    if format == "inex":
        assert etree.fromstring(text.encode()).findtext(".//file") == "caf%E9 <&>%01"
    if format == "jsonl":
        assert json.loads(text)["doc"] == "caf\udce9 <&>\x01"


def test_numpy_numbers_are_written_like_pythons() -> None:
    np = pytest.importorskip("numpy")
    row = RunRow("1", "d", "/a[1]", np.int64(1), np.float64(0.1), "r", np.int64(3), np.int64(4))
    plain = RunRow("1", "d", "/a[1]", 1, 0.1, "r", 3, 4)
    for format in RUN_FORMATS:
        assert written([row], format) == written([plain], format)
    assert written([row], "inex2009", passages=True) == "1 Q0 d 1 0.1 r 3 4\n"


@given(st.floats(allow_nan=False, allow_infinity=False), st.text(min_size=1, max_size=12))
def test_scores_and_ids_survive_in_every_format(score: float, doc: str) -> None:
    row = RunRow("1", doc, "/a[1]", 1, score, "r")
    columns = written([row], "inex2009").split()
    assert len(columns) == 7
    assert columns[2] == column(doc)
    assert math.copysign(1, float(columns[4])) == math.copysign(1, score)
    assert float(columns[4]) == score
    assert json.loads(written([row], "jsonl"))["doc"] == doc
    assert json.loads(written([row], "jsonl"))["score"] == score
    root = etree.fromstring(written([row], "inex").encode())
    assert float(root.findtext(".//rsv", "")) == score


@pytest.mark.parametrize(
    ("strategy", "cas", "year", "expected"),
    [
        ("focused", None, None, "Focused"),
        ("relevant-in-context", None, 2008, "RelevantInContext"),
        ("relevant-in-context", None, 2006, "AllInContext"),
        ("fetch-browse", None, 2005, "CO.FetchBrowse"),
        ("focused", None, 2005, "CO.Focussed"),
        ("thorough", "svcas", 2005, "SVCAS"),
        ("thorough", "VVCAS", 2004, "VCAS"),
        ("thorough", "VVCAS", 2003, "VCAS"),
        ("thorough", "SSCAS", 2002, "CAS"),
        ("thorough", None, 2002, "CO"),
    ],
)
def test_tasks_have_the_names_of_their_year(strategy: str, cas: str | None, year: int | None, expected: str) -> None:
    assert task_name(strategy, cas, year) == expected


def test_an_unknown_strategy_has_no_task() -> None:
    with pytest.raises(UsageError, match="known are thorough, focused"):
        task_name("best")


def test_a_search_can_be_printed_in_every_format_of_runs() -> None:
    assert set(RUN_FORMATS) <= set(SEARCH_FORMATS)
