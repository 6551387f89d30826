"""Rescoring: anybody's run of elements, contextualised."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.oracle.contexts import contextualised
from tests.oracle.organising import organised
from tests.oracle.reading import Label, read
from trix.cli import main
from trix.errors import FormatError, UsageError

A = b"<a x='y'><s><p>one</p><p>two</p></s><s><p>three</p></s></a>"
FILES = {"d/a.xml": A, "d/b c.xml": b"<a><s><p>four</p></s><p>five</p></a>"}
PROFILE = {"attributes": ["a/@x"]}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    folder = tmp_path_factory.mktemp("rescore")
    for name, text in FILES.items():
        (folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "docs" / name).write_bytes(text)
    (folder / "p.toml").write_text('attributes = ["a/@x"]\n')
    trix.build(folder / "docs", folder / "i", profile=folder / "p.toml", stem="none", stop="none")
    with trix.open(folder / "i") as opened:
        yield opened


RUN = {"t": {"d/a/a[1]/s[1]/p[1]": 0.8, "d/a/a[1]/s[1]": 0.4, "d/a/a[1]/s[2]/p[1]": 0.6, "d/b c/a[1]": 0.5}}


def scores(run: Any, topic: str = "t") -> dict[str, float]:
    return {result.doc + result.path: result.score for result in run[topic]}


def test_an_element_absent_from_the_run_counts_with_0_and_is_not_returned(index: trix.Index) -> None:
    run = index.rescore(RUN, context="tower")
    assert scores(run) == pytest.approx(
        {
            "d/b c/a[1]": 0.5,
            "d/a/a[1]/s[1]/p[1]": (0.8 + 0.4 + 0) / 3,
            "d/a/a[1]/s[1]": (0.4 + 0) / 2,
            "d/a/a[1]/s[2]/p[1]": (0.6 + 0 + 0) / 3,
        }
    )
    assert [result.rank for result in run["t"]] == [1, 2, 3, 4]
    assert list(scores(run))[:2] == ["d/b c/a[1]", "d/a/a[1]/s[1]/p[1]"]
    assert run["t"][0].text == "four\nfive"
    assert run.dropped == 0


def test_without_a_context_a_run_keeps_its_scores(index: trix.Index) -> None:
    assert scores(index.rescore(RUN)) == RUN["t"]


FORMS = ["root:1.5", "root+tower", "vertical:f=2", "horizontal:gamma=1,alpha=0.1,all=1", "vertical:all=1>parent"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("strategy", ["thorough", "focused", "fetch-browse", "relevant-in-context", "best-in-context"])
def test_a_rescored_run_agrees_with_the_literal_reading(index: trix.Index, form: str, strategy: str) -> None:
    collection = read([(name[:-4], text) for name, text in FILES.items()], PROFILE)
    basic: dict[Label, float] = {
        x: RUN["t"][node.document + node.path]
        for x, node in collection.nodes.items()
        if node.document + node.path in RUN["t"]
    }
    new = contextualised(collection, basic, [form])
    order = organised(basic, new, strategy, None, "root", None)
    run = index.rescore(RUN, context=form, strategy=strategy, top=None)
    assert [result.label for result in run["t"]] == [".".join(map(str, x)) for x in order]
    for x, result in zip(order, run["t"], strict=True):
        assert result.score == pytest.approx(new[x], abs=1e-12)


def test_contexts_by_paths_and_levels_are_those_of_the_index(index: trix.Index) -> None:
    plain = index.run({"t": "one two three"}, strategy="thorough")
    for context in ("adhoc://s=2,//p", "horizontal:alpha=.04,gamma=1,level=//p", "horizontal:level=document"):
        asked = index.run({"t": "one two three"}, strategy="thorough", context=context)
        assert scores(index.rescore(plain, context=context)) == pytest.approx(scores(asked), abs=1e-15)
    with pytest.raises(UsageError, match="nosuch"):
        index.rescore(plain, context="horizontal:level=nosuch")
    assert any("level" in notice for notice in index.rescore(plain, context="horizontal:level=//nosuch").notices)


def test_an_own_run_without_context_rescored_is_the_run_with_context(index: trix.Index) -> None:
    topics = {"1": "one five", "2": "two y"}
    thorough: dict[str, Any] = {"strategy": "thorough", "top": None}
    again = index.rescore(index.run(topics, **thorough), context="root+tower", **thorough)
    wanted = index.run(topics, context="root+tower", **thorough)
    assert list(again) == list(wanted)
    for topic in topics:
        assert scores(again, topic) == pytest.approx(scores(wanted, topic), abs=1e-12)
    assert any("@x" in name for name in scores(again, "2"))


@pytest.mark.parametrize("form", ["trec", "inex2009", "inex", "jsonl"])
def test_every_format_goes_in_and_comes_out(
    index: trix.Index, tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.tsv").write_text("1\tone five\n2\ttwo y\n")
    path = str(index.files.path)
    source, target, reference = (str(tmp_path / name) for name in ("in", "out", "wanted"))
    known = ["--strategy", "thorough", "--format", form]
    assert main(["run", path, str(tmp_path / "t.tsv"), "--output", source, *known]) == 0
    assert main(["rescore", source, path, "--context", "tower", "--output", target, "--format", form]) == 0
    assert main(["run", path, str(tmp_path / "t.tsv"), "--context", "tower", "--output", reference, *known]) == 0
    assert capsys.readouterr().err == ""
    assert Path(target).read_text() == Path(reference).read_text()


def test_what_is_no_element_of_the_index_is_dropped_counted_and_said(
    index: trix.Index, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run.gz"
    lines = [
        "1 Q0 d/a 1 0.9 me /a[1]/s[1]/p[1]",
        "1 Q0 d/a 2 0.8 me /a[1]/s[9]",
        "1 Q0 gone 3 0.7 me /a[1]",
        "1 Q0 d/a 4 0.6 me /a[1]/s[7]",
        "2 Q0 d/a 1 0.5 me 3 7",
        "2 Q0 d/a 2 0.4 me /a[1]/s[1] /a[1]/s[2]",
        "3 Q0 d/b%20c 1 0.3 me /a[1]/p[1]",
    ]
    run.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert main(["rescore", str(run), str(index.files.path), "--context", "parent"]) == 3
    captured = capsys.readouterr()
    assert captured.out.splitlines() == [
        "1 Q0 d/a/a[1]/s[1]/p[1] 1 0.45 me",
        "3 Q0 d/b%20c/a[1]/p[1] 1 0.15 me",
    ]
    assert "2 results dropped, their paths are not in the index; the first: topic 1, d/a/a[1]/s[9]" in captured.err
    assert "1 result dropped, their documents are not in the index; the first: topic 1, gone/a[1]" in captured.err
    assert "1 result dropped, passages, not elements; the first: topic 2, d/a" in captured.err
    assert "1 result dropped, ranges of elements; the first: topic 2, d/a/a[1]/s[1]" in captured.err


def test_a_document_run_speaks_of_roots_and_a_root_twice_counts_once(index: trix.Index) -> None:
    run = index.rescore({"t": {"d/a": 2.0, "d/b c": 1.0, "d/a/a[1]": 0.5}}, context="tower")
    assert scores(run) == {"d/a/a[1]": 2.0, "d/b c/a[1]": 1.0}


def test_a_run_without_scores_gets_1_by_rank(index: trix.Index) -> None:
    run = index.rescore({"t": ["d/b c/a[1]", "d/a/a[1]/s[1]"]})
    assert scores(run) == {"d/b c/a[1]": 1.0, "d/a/a[1]/s[1]": 0.5}
    assert run.notices == ["no scores in topic t; 1/rank stands for them"]


def test_scores_below_0_are_noticed(index: trix.Index) -> None:
    run = index.rescore({"t": {"d/a/a[1]/s[1]": -3.0}}, context="tower")
    assert scores(run) == {"d/a/a[1]/s[1]": -1.5}
    assert run.notices == ["scores below 0 in topic t; elements that are not in the run have 0, which is more"]


def test_wrong_options_and_files_are_named_in_one_line(index: trix.Index, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^unknown option model; known for a rescored run are preset, context"):
        index.rescore(RUN, model="bm25")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="'towr'"):
        index.rescore(RUN, context="towr")
    (tmp_path / "run").write_text("1 Q0 d/a 1 x me /a[1]\n")
    with pytest.raises(FormatError, match="line 1: the score is not a number: 'x'"):
        index.rescore(tmp_path / "run")
    run = index.rescore(tmp_path / "run", lenient=True)
    assert "1 result dropped" in run.notices[0]
    with pytest.raises(UsageError, match="not finite"):
        index.rescore({"t": {"d/a/a[1]": float("inf")}})


def test_a_topic_that_loses_all_results_stays_empty(index: trix.Index) -> None:
    run = index.rescore({"t": {"gone/a[1]": 1.0}, "u": {"d/a/a[1]": 1.0}}, run_id="new")
    assert [len(run[topic]) for topic in run] == [0, 1]
    assert (run.run_id, run.dropped) == ("new", 1)


def test_jsonl_has_all_fields(index: trix.Index, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run").write_text("1 Q0 d/a/a[1]/s[1] 1 0.5 me\n")
    assert main(["rescore", str(tmp_path / "run"), str(index.files.path), "--format", "jsonl", "--run-id", "r"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row == {"topic": "1", "run": "r", "rank": 1, "score": 0.5, "doc": "d/a", "label": "1.2",
                   "path": "/a[1]/s[1]", "tag": "s", "offset": 0, "length": 6, "title": "",
                   "snippet": "one two"}  # fmt: skip
