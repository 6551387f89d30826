"""What `trix reproduce` prints and writes."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import Cli
from trix.errors import UsageError
from trix.papers.base import report
from trix.papers.base.collection import PaperCollection, synthetic
from trix.papers.base.figure import Panel, PaperFigure
from trix.papers.base.paper import Paper, Reproduction
from trix.papers.base.printed import DIFFERENT, ComparedTable, Printed, Statement
from trix.papers.catalogue import MODULES

FIGURE = PaperFigure(
    label="figure 1", title="Curves", kind="lines", x="recall", y="precision",
    panels=[Panel(x=[k / 100 for k in range(101)], series={"a": [k / 100 for k in range(101)]})],
)  # fmt: skip


def made(synthetic: bool) -> Reproduction:
    paper = Paper(
        name="p", title="A paper", source="Somebody", summary="", compute=lambda _: [], missing=("figure 9: lost",)
    )
    printed = Printed(label="table 1", title="MAP", head=("run", "MAP"), rows={"a": ("0.50",), "b": ("0.25",)})
    table = ComparedTable(printed, {"a": [0.501], "b": [0.30]})
    return Reproduction(paper, synthetic, "some data", [table, FIGURE, Statement("a is best", True, "0.5 and 0.3")])


def test_the_text_has_tables_numbers_of_figures_findings_and_what_is_missing() -> None:
    text = report.text(made(synthetic=False))
    assert "A paper [Somebody]\nData: some data\n" in text
    assert f"a    0.50 (0.50)\nb    0.30 (0.25) {DIFFERENT}" in text
    assert "Figure 1. Curves (precision)\nrecall  0      0.1 " in text, "eleven of a hundred points"
    assert "a is best  yes   0.5 and 0.3" in text
    assert text.endswith("Not reproduced\n- figure 9: lost\n")


def test_synthetic_data_have_no_marks_since_nothing_could_agree() -> None:
    text = report.text(made(synthetic=True))
    assert DIFFERENT not in text and "cannot agree" in text


def test_values_are_exact_in_csv_and_json() -> None:
    rows = list(csv.DictReader(io.StringIO(report.text(made(True), "csv"))))
    assert rows[0] == {
        "table": "table 1", "title": "MAP", "row": "a", "column": "MAP", "here": "0.501", "printed": "0.50"
    }  # fmt: skip
    data = json.loads(report.text(made(True), "json"))
    assert data["tables"][0]["rows"][1][0] == {"row": "b", "column": "MAP", "here": 0.3, "printed": "0.25"}
    assert data["findings"] == [{"finding": "a is best", "holds": True, "numbers": "0.5 and 0.3"}]


def test_figures_are_left_out_with_a_notice_where_matplotlib_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "find_spec", lambda _: None)
    found = made(True)
    written = report.write(found, tmp_path / "out")
    assert [path.name for path in written] == ["report.md", "values.csv"]
    assert found.notices == ["figures are left out, they need matplotlib: pip install 'trix-xml[plot]'"]
    assert "figures/" not in written[0].read_text()


def test_each_kind_of_figure_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for kind in ("bars", "stacks"):
        panels = [Panel(title=t, x=["a", "b"], series={"one": [1, 2], "two": [2.0, float("nan")]}) for t in "uvw"]
        figure = PaperFigure(label=kind, title="", kind=kind, x="x", y="y", panels=panels)
        assert "<svg" in figure.draw(tmp_path / f"{kind}.svg").read_text()
    text = report.markdown(Reproduction(made(True).paper, True, "", [figure]), {})
    assert "**u**\n\n| x | a | b |" in text and "**w**" in text, "a table for each panel"
    written = report.write(made(True), tmp_path / "out")
    assert written[-1].name == "figure-1.svg" and "![Curves](figures/figure-1.svg)" in written[0].read_text()


def test_the_command_lists_experiments_and_refuses_others(run_cli: Cli) -> None:
    code, out, _ = run_cli("reproduce")
    assert code == 0 and [line.split()[0] for line in out.splitlines()] == list(MODULES)
    code, _, err = run_cli("reproduce", "studi-iv")
    assert code == 2 and err.startswith("trix: error: studi-iv: no such experiment (did you mean study-iv")
    code, _, err = run_cli("reproduce", "study-iii", "--data", "nowhere")
    assert (
        code == 2
        and err == "trix: error: --data: nowhere: no such folder; expected a collection, see docs/reproduce.md\n"
    )


def test_the_command_runs_on_the_users_data_and_marks_what_differs(run_cli: Cli, tmp_path: Path) -> None:
    folder = synthetic(tmp_path / "data", (2005,), "ieee", 12, 6)
    (folder / "README.txt").unlink()
    outputs = []
    for name in ("one", "two"):
        code, out, err = run_cli("reproduce", "study-iii", "--data", folder, "--output", tmp_path / name, "--jobs", "1")
        assert code == 0, err
        assert f"Data: {folder}\n{DIFFERENT} marks" in out and f"(0.102) {DIFFERENT}" in out
        outputs.append([path.read_bytes() for path in sorted((tmp_path / name).iterdir())])
    assert outputs[0] == outputs[1], "the same bytes"
    assert "indexed into" not in err, "the index of the first run is used again"
    code, _, err = run_cli("reproduce", "study-iii", "--data", folder, "--documents", "9")
    assert (code, err) == (
        2,
        "trix: error: --data: the size is that of a synthetic collection; leave it out for data of your own\n",
    )
    shutil.rmtree(folder / "2005" / "topics")
    with pytest.raises(UsageError, match="no topics"):
        PaperCollection(folder, (2005,), "ieee", tmp_path)
