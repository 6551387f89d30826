"""What the official evaluator of INEX 2009/10 printed, reproduced number by number."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Cli
from tests.paths import ROOT
from trix.errors import FormatError
from trix.eval.evaluate import evaluate
from trix.eval.formats.read import read_qrels, read_run
from trix.eval.studies.official import official_report

DATA = json.loads((ROOT / "tests" / "data" / "official_tool.json").read_text())
QUIRKS = json.loads((ROOT / "tests" / "data" / "official_quirks.json").read_text())
SLOT = {"r": "F", "i": "T2I(300)", "b": "BEP"}
COUNTS = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")


def ours(name: str, task: str) -> str:
    """Return our name of a measure that the tool prints for a task."""
    if task in "ft":
        name = {"MAiP": "AiP"}.get(name, name)
        if name.startswith("iP["):
            name = f"iP@{name[3:-1]}"
        if task == "t":
            base, _, cutoff = name.partition("@")
            name = f"{base}(task=thorough)" + (f"@{cutoff}" if cutoff else "")
        return name
    if name in ("AgP", "MAgP"):
        return f"AgP[{SLOT[task]}]"
    if name.startswith("gP["):
        return f"gP[{SLOT[task]}]@{name[3:-1]}"
    return f"gR@{name[3:-1]}" if name.startswith("gR[") else name


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, lines in (DATA["inputs"] | QUIRKS["inputs"]).items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.parametrize("name", DATA["outputs"])
def test_every_number_of_the_tool_is_reproduced(name: str, files: Path) -> None:
    case: dict[str, Any] = DATA["outputs"][name]
    task = case["task"]
    names = {printed: ours(printed, task) for printed in case["values"] if printed != "num_q"}
    curve = {"f": "iP", "t": "iP(task=thorough)"}.get(task) or f"igP[{SLOT[task]}]"
    result = evaluate(
        read_qrels(files / case["qrels"]),
        read_run(files / case["run"]),
        [*names.values(), curve],
        official=True,
        only_shared=not case["complete"],
    )
    for printed, name_ in names.items():
        if printed in ("num_rel", "rel_size") and task in "rbi" and not case["complete"]:
            continue  # sums over all topics there; see the report below
        score = result[name_]
        for topic, value in case["values"][printed].items():
            got = score.mean if topic == "all" else score.topics[topic]
            assert got == pytest.approx(value, abs=1e-12), (printed, topic)
    assert len(result[curve].topics) == case["values"]["num_q"]["all"]
    np.testing.assert_allclose(result[curve].mean, case["curve"], atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", DATA["outputs"])
def test_the_default_conduct_agrees_where_no_quirk_is_involved(name: str, files: Path) -> None:
    case = DATA["outputs"][name]
    task = case["task"]
    names = {
        p: ours(p, task)
        for p, v in case["values"].items()
        if "all" in v and p not in ("num_q", "num_rel", "rel_size") and not p.startswith("gP[")
    }
    result = evaluate(
        files / case["qrels"], files / case["run"], list(names.values()), only_shared=not case["complete"]
    )
    for printed, name_ in names.items():
        assert result[name_].mean == pytest.approx(case["values"][printed]["all"], abs=1e-12), printed


@pytest.mark.parametrize("name", DATA["outputs"])
def test_the_printed_report_has_the_lines_of_the_tool(name: str, files: Path) -> None:
    case = DATA["outputs"][name]
    report = official_report(files / case["qrels"], files / case["run"], case["task"], complete=case["complete"])
    printed: dict[str, dict[str, float]] = {}
    for line in report.splitlines()[1:-1]:
        measure, topic, value = line.split()
        printed.setdefault(measure, {})[topic] = float(value)
    curve = [v["all"] for m, v in printed.items() if m.startswith("ircl_prn")]
    np.testing.assert_allclose(curve, case["curve"], atol=1e-12, rtol=0)
    expected = case["values"]
    assert [m for m in printed if not m.startswith("ircl_prn")] == list(expected)
    for measure, values in expected.items():
        assert printed[measure] == pytest.approx(values, abs=1e-12), measure


@pytest.mark.parametrize(
    "case", QUIRKS["outputs"], ids=lambda c: "-".join([c["task"], c["run"], *map(str, c["options"].values())])
)
def test_odd_input_gives_the_report_of_the_tool_to_the_letter(
    case: dict[str, Any], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Topics out of order, without relevant text or missing, lines that come twice, passages without a place."""
    monkeypatch.chdir(files)  # the head names the file as it was given
    conduct = {"complete": case["complete"], **case["options"]}
    assert official_report("odd.qrels", case["run"], case["task"], **conduct).splitlines() == case["text"]


def write(folder: Path, qrels: str, run: str) -> tuple[Path, Path]:
    (folder / "q").write_text(qrels)
    (folder / "r").write_text(run)
    return folder / "q", folder / "r"


def test_a_topic_without_relevant_text_is_nan_for_the_tool_and_left_out_by_us(tmp_path: Path) -> None:
    q, r = write(tmp_path, "1 Q0 A 10 100 0 0:10\n2 Q0 A 0 100\n", "1 Q0 A 1 1 x 0 10\n2 Q0 A 1 1 x 0 10\n")
    names = ["char_rec", "art_rec", "AiP", "AgP[F]", "gR@1", "art_f1", "char_f1"]
    official = evaluate(q, r, names, official=True)
    assert [math.isnan(official[n].topics["2"]) for n in names] == [True, True, False, True, True, False, False]
    assert math.isnan(official["AgP[F]"].mean) and official["AiP"].topics["2"] == 0
    r.write_text("1 Q0 A 1 1 x 0 10\n")
    missing = evaluate(q, r, ["AgP[F]", "gR@1"], official=True)
    assert missing["gR@1"].topics["2"] == 0.0 and math.isnan(missing["AgP[F]"].topics["2"])
    result = evaluate(q, r, names)
    assert result["AgP[F]"].mean == 1 and list(result["AgP[F]"].topics) == ["1"]
    assert any("without anything relevant" in n for n in result.notices)


def test_the_tool_follows_the_file_and_we_follow_the_ranks(tmp_path: Path) -> None:
    q, r = write(tmp_path, "1 Q0 A 10 100 0 0:10\n1 Q0 B 0 100\n", "1 Q0 B 2 1 x 0 10\n1 Q0 A 1 2 x 0 10\n")
    official = evaluate(q, r, ["iP@0"], official=True)
    assert official["iP@0"].mean == 0.5
    assert [n for n in official.notices if "order" in n or "rank" in n] == [
        f"{r}: 1 topic: the lines are not in order; the official tool follows them"
    ]
    result = evaluate(q, r, ["iP@0"])
    assert result["iP@0"].mean == 1.0
    assert any("not in order" in n for n in result.notices)


def test_a_topic_in_two_blocks_counts_text_twice_for_the_tool_and_is_refused_by_us(tmp_path: Path) -> None:
    q, r = write(
        tmp_path,
        "1 Q0 A 10 100 0 0:10\n2 Q0 A 10 100 0 0:10\n",
        "1 Q0 A 1 9 x 0 10\n2 Q0 A 1 9 x 0 10\n1 Q0 A 2 8 x 0 10\n",
    )
    result = evaluate(q, r, ["char_rec", "iP", "rel_ret_size"], official=True)
    assert result["rel_ret_size"].topics["1"] == 20 and result["char_rec"].topics["1"] == 2.0
    assert result["iP"].topics["1"].tolist() == [1.0] * 101
    assert any("recall point 200 is impossible" in n for n in result.notices)
    with pytest.raises(FormatError, match=r"line 3: topic 1: the passage 0\+10 of A overlaps"):
        evaluate(q, r, ["char_rec"])
    assert evaluate(q, r, ["char_rec"], lenient=True)["char_rec"].topics["1"] == 1.0


@pytest.mark.parametrize("line", ["1 Q0 A 1 9 x X X", "1 Q0 A 1 9 x -1 0"])
def test_a_passage_without_a_place_costs_the_tool_18_characters_and_us_nothing(line: str, tmp_path: Path) -> None:
    q, r = write(tmp_path, "1 Q0 A 10 100 0 0:10\n", f"{line}\n1 Q0 A 2 8 x 0 10\n")
    assert evaluate(q, r, ["char_prec"], official=True)["char_prec"].mean == pytest.approx(10 / 28)
    result = evaluate(q, r, ["char_prec"])
    assert result["char_prec"].mean == 1.0
    assert any("without a place" in n for n in result.notices)


@pytest.mark.parametrize("official", [False, True])
@pytest.mark.parametrize("place", ["X X", "-1 0", "X"])
def test_an_entry_point_without_a_place_earns_nothing(place: str, official: bool, tmp_path: Path) -> None:
    q, r = write(tmp_path, "1 Q0 A 30 100 29 29:30\n1 Q0 B 9 100 3 3:9\n", f"1 Q0 A 1 9 x {place}\n1 Q0 B 2 8 x 3 0\n")
    result = evaluate(q, r, ["gP[BEP]@1", "gP[BEP]@2", "gP[BEPD(1,L=100)]@1", "gP[BEPD(1,L=100)]@2"], official)
    assert [score.mean for score in result.scores["x"].values()] == [0.0, 0.5, 0.0, 0.5]


def test_reading_from_an_entry_point_without_a_place_begins_with_the_document(tmp_path: Path) -> None:
    q, r = write(tmp_path, "1 Q0 A 50 100 50 50:50\n", "1 Q0 A 1 9 x X X\n1 Q0 A 1 9 x 40 10\n")
    # the first row that has a place is the entry point: 40..50 is read before what is relevant, then 50..100
    assert evaluate(q, r, ["gP[ChP(20,reading=bep)]@1"]).scores["x"].popitem()[1].mean == 0.5


def test_thorough_charges_nothing_for_what_has_no_place_in_a_relevant_article(tmp_path: Path) -> None:
    lines = "1 Q0 A 1 9 x X X\n1 Q0 B 2 8 x X X\n1 Q0 A 3 7 x 0 10\n"
    q, r = write(tmp_path, "1 Q0 A 10 100 0 0:10\n1 Q0 B 0 100\n", lines)
    result = evaluate(q, r, ["ret_size(task=thorough)", "ret_size"], official=True)
    assert [s.mean for s in result.scores["x"].values()] == [28.0, 46.0]


def test_declared_characters_make_an_article_relevant_for_the_tool(tmp_path: Path) -> None:
    q, r = write(tmp_path, "1 Q0 A 0 100 0 0:10\n1 Q0 B 5 100 0 0:5\n", "1 Q0 A 1 9 x 0 10\n1 Q0 B 2 8 x 0 5\n")
    assert evaluate(q, r, ["gR@1"], official=True)["gR@1"].mean == 0.0
    assert evaluate(q, r, ["gR@1"])["gR@1"].mean == 0.5


def test_a_judgement_given_twice_adds_up_for_the_tool_and_is_united_by_us(tmp_path: Path) -> None:
    q, r = write(tmp_path, "1 Q0 A 10 100 0 0:10\n1 Q0 A 10 100 0 5:10\n", "1 Q0 A 1 9 x 0 15\n")
    official = evaluate(q, r, ["rel_size", "num_rel", "rel_ret_size"], official=True)
    assert [official[n].mean for n in ("rel_size", "num_rel", "rel_ret_size")] == [20, 2, 20]
    result = evaluate(q, r, ["rel_size", "char_rec"])
    assert result["rel_size"].mean == 15 and result["char_rec"].mean == 1.0
    assert any("judged twice" in n for n in result.notices)


def test_relevant_characters_beyond_the_length_are_clamped_with_a_notice(tmp_path: Path) -> None:
    q, r = write(tmp_path, "1 Q0 A 300 100 0\n", "1 Q0 A 1 9 x 0 15\n")
    result = evaluate(q, r, ["rel_size"])
    assert result["rel_size"].mean == 100
    assert any("clamped" in n for n in result.notices)


def test_past_the_end_of_the_list_the_tool_repeats_gp_and_we_go_on_with_zeros(files: Path) -> None:
    q, r = files / "tiny.qrels", files / "tiny.run"
    official = evaluate(q, r, ["gP[F]@3", "gP[F]@6"], official=True)
    assert official["gP[F]@6"].topics["1"] == official["gP[F]@3"].topics["1"]
    result = evaluate(q, r, ["gP[F]@3", "gP[F]@6"])
    assert result["gP[F]@6"].topics["1"] == pytest.approx(result["gP[F]@3"].topics["1"] / 2)


def test_articles_that_come_back_are_refused_with_their_line(tmp_path: Path) -> None:
    q, r = write(
        tmp_path, "1 Q0 A 10 100 0 0:10\n1 Q0 B 0 100\n", "1 Q0 A 1 9 x 0 5\n1 Q0 B 2 8 x 0 5\n1 Q0 A 3 7 x 5 5\n"
    )
    for official in (False, True):
        with pytest.raises(FormatError, match="line 3: topic 1: article A comes back"):
            evaluate(q, r, ["AgP[F]"], official)
    result = evaluate(q, r, ["AgP[F]", "AgP[T2I]"], lenient=True)
    assert sum("1 result dropped" in n for n in result.notices) == 1


def test_two_entry_points_of_one_article_are_refused(tmp_path: Path) -> None:
    q, r = write(tmp_path, "1 Q0 A 10 100 0 0:10\n", "1 Q0 A 1 9 x 0 0\n1 Q0 A 2 8 x 50 0\n")
    with pytest.raises(FormatError, match="line 2: topic 1: article A has a second entry point"):
        evaluate(q, r, ["AgP[BEP]"])


def test_lenient_keeps_the_first_of_overlapping_passages_and_counts_the_rest(tmp_path: Path) -> None:
    lines = ["1 Q0 A 1 9 x 0 10", "1 Q0 A 2 8 x 5 10", "1 Q0 A 3 7 x 12 3", "1 Q0 A 4 6 x 20 5", "1 Q0 A 5 5 x 0 30"]
    q, r = write(tmp_path, "1 Q0 A 30 100 0 0:30\n", "\n".join(lines))
    result = evaluate(q, r, ["ret_size"], lenient=True)
    assert result["ret_size"].mean == 18
    assert any("2 results dropped, the first at line 2" in n for n in result.notices)


@pytest.mark.parametrize("task", "ftrbi")
def test_a_run_without_any_judged_topic_gets_nan_and_counts_of_nothing(task: str, tmp_path: Path) -> None:
    q, r = write(tmp_path, "1 Q0 A 10 100 0 0:10\n", "7 Q0 A 1 1 x 0 10\n")
    lines = [line.split() for line in official_report(q, r, task).splitlines()[1:-1]]
    values = {name: value for name, _, value in lines}
    over_all = {"num_rel": "1", "rel_size": "10"} if task in "rbi" else {}
    for name, value in values.items():
        assert value == over_all.get(name, "0" if name in (*COUNTS, "num_q") else "NaN"), name
    assert sum(name.startswith("ircl_prn") for name in values) == (101 if task in "ft" else 11)


def test_an_error_aborts_the_report_of_that_run_only(tmp_path: Path, run_cli: Cli) -> None:
    q, good = write(tmp_path, "1 Q0 A 10 100 0 0:10\n", "1 Q0 A 1 9 good 0 10\n")
    bad = tmp_path / "bad"
    bad.write_text("1 Q0 A 1 9 bad 0 10\n1 Q0 A 2 8 bad 5 10\n")
    code, out, err = run_cli("eval", q, good, bad, tmp_path / "gone", good, "--official", "--task", "f")
    assert code == 3 and out == official_report(q, good, per_topic=False) * 2
    assert "bad, line 2: topic 1: the passage 5+10 of A overlaps" in err.splitlines()[0]
    assert "gone" in err.splitlines()[1] and len(err.splitlines()) == 2
    code, out, err = run_cli("eval", q, bad, "--official", "--task", "f", "--lenient")
    assert code == 0 and "char_prec\tall\t1.0\n" in out and "1 result dropped" in err


def test_the_numbers_of_the_tool_are_options_of_their_tasks(files: Path, run_cli: Cli) -> None:
    for options, task in ((("--beta", "2"), "r"), (("--irr", "20"), "i"), (("-n", "20"), "b")):
        run = "odd.bic.run" if task == "b" else "odd.run"
        case = next(c for c in QUIRKS["outputs"] if c["task"] == task and c["options"] and c["run"] == run)
        code, out, _ = run_cli("eval", files / "odd.qrels", files / run, "--official", "--task", task, "-q", *options)
        assert code == 0 and out.splitlines()[1:] == case["text"][1:]
        assert out.startswith(f'<eval run-id="odd" file="{files / run}">\n')
        code, _, err = run_cli("eval", files / "odd.qrels", files / run, "--official", "--task", "f", *options)
        assert code == 2 and f"belongs to --official --task {task}" in err
    code, _, err = run_cli("eval", files / "odd.qrels", files / run, "--official", "--task", "i", "--irr", "0")
    assert (code, err) == (2, "trix: error: --irr 0: expected a number above 0\n")


def test_the_report_reads_runs_as_other_evaluations_do(tmp_path: Path, run_cli: Cli) -> None:
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml" / "A.xml").write_text("<a><s>0123456789</s><s>abcdefghij</s></a>")
    q, paths = write(tmp_path, "1 Q0 A 10 20 0 0:10\n2 Q0 A 10 20 0 0:10\n", "1 Q0 A 1 9 x /a[1]/s[1]\n")
    with_index = ("--official", "--task", "f", "--index", tmp_path / "xml", "--text", "inex")
    code, out, _ = run_cli("eval", q, paths, *with_index)
    assert code == 0 and "char_prec\tall\t1.0\n" in out and "ret_size\tall\t10\n" in out
    ends = tmp_path / "ends"
    ends.write_text("1 Q0 A 1 9 x 5 10\n")
    code, out, err = run_cli("eval", q, ends, "--official", "--task", "f", "--passage-end", "--strict")
    assert code == 1 and "ret_size\tall\t5\n" in out and "1 topic (2) not in the run" in err
    code, _, err = run_cli("eval", q, ends, "--official", "--task", "f", "-m", "AP", "--format", "json")
    assert code == 2 and "--measure, --format: without effect" in err
