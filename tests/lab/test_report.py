"""Reports: tables, grids, figures, and what they say of experiments of every shape."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import html

from tests.lab_samples import EXPERIMENT
from trix.errors import UsageError
from trix.eval.measures.core.registry import parse_measure
from trix.eval.output.plots import FAINT, INK, plot_bars
from trix.eval.output.report import Table
from trix.lab.plan.toml import parse_experiment
from trix.lab.report.figures import WIDTH
from trix.lab.report.grids import collections, curve_of, grid_of
from trix.lab.report.report import STYLE, report, table_html
from trix.lab.report.tables import ReportData, differences_table
from trix.lab.run.load import load
from trix.lab.run.sweep import Sweep, sweep


def of_families(place: Path, name: str, *families: dict[str, Any], **tables: Any) -> Sweep:
    """Return the results of the experiment with other families."""
    data = {**tomllib.loads(EXPERIMENT), "family": list(families), **tables}
    return sweep(parse_experiment(data, place), place / name, jobs=1)


def test_a_report_has_its_tables_in_both_forms_and_is_the_same_twice(swept: Path) -> None:
    report(swept, figures=False)
    first = {name: (swept / name).read_bytes() for name in ("report.md", "report.html")}
    report(swept, figures=False)
    assert first == {name: (swept / name).read_bytes() for name in first}
    text = first["report.md"].decode()
    for heading in ("Against the baseline", "What was chosen", "All measures", "Robustness", "side by side"):
        assert f"## {heading}" in text or heading in text
    page = html.fromstring(first["report.html"])
    assert len(page.findall(".//table")) >= 6


@pytest.mark.slow
def test_figures_are_drawn_the_same_twice_and_named_in_the_page(swept: Path) -> None:
    pytest.importorskip("matplotlib")
    paths = report(swept)
    drawn = {path.name: path.read_bytes() for path in paths if path.suffix == ".svg"}
    assert {"grid-vertical-small.svg", "curve-b-small.svg", "topics-root-small.svg"} <= set(drawn)
    report(swept)
    assert drawn == {path.name: path.read_bytes() for path in paths if path.suffix == ".svg"}
    page = (swept / "report.html").read_text()
    assert all(f"figures/{name}" in page for name in drawn)


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no results of a sweep"):
        report(tmp_path)


def test_of_three_parameters_two_are_shown_and_the_third_stays_at_its_best(place: Path) -> None:
    family = {
        "name": "three",
        "context": "hierarchy:x={x},f={f}",
        "grid": {"b": [0.1, 0.9], "x": [-1, 0, 1], "f": [0.5, 1, 2]},
    }
    found = of_families(place, "three", family)
    it = ReportData(found)
    ((name, topics),) = collections(it)
    grid = grid_of(it, it.experiment.families[0], topics)
    assert name == "small"
    assert grid is not None
    assert (grid.rows.name, grid.columns.name) == ("x", "f")
    best = found.measured.best(it.experiment.families[0].variants, topics, it.experiment.train_on)
    point = dict(best.point)
    assert grid.fixed == (("b", point["b"]),)
    assert grid.at == f"b = {point['b']}"
    row, column = grid.best
    assert grid.means[row, column] == found.measured.mean(best, topics, it.experiment.train_on)
    assert not (grid.means > grid.means[row, column]).any()
    for variant in it.experiment.families[0].variants:
        here = dict(variant.point)
        if here["b"] == point["b"]:
            cell = grid.rows.values.index(here["x"]), grid.columns.values.index(here["f"])
            assert grid.means[cell] == found.measured.mean(variant, topics, it.experiment.train_on)


def test_a_random_sample_has_no_grid_and_its_curve_runs_upwards(place: Path) -> None:
    scattered = {"name": "s", "sample": 8, "grid": {"b": {"low": 0.0, "high": 1.0}, "v": {"low": 0.1, "high": 4.0}}}
    line = {"name": "l", "sample": 5, "grid": {"b": {"low": 0.0, "high": 1.0}}}
    it = ReportData(of_families(place, "sampled", scattered, line))
    it = ReportData(load(it.sweep.folder))
    ((_, topics),) = collections(it)
    first, second = it.experiment.families
    assert grid_of(it, first, topics) is None
    assert curve_of(first) == []
    points = [value for value, _ in curve_of(second)]
    assert points == sorted(points)
    assert len(points) == 5


def test_where_nothing_is_chosen_the_report_does_not_speak_of_training(place: Path) -> None:
    contexts = [{"name": name, "context": f"cscore:{name}"} for name in ("parent", "root", "tower")]
    one = {key: value for key, value in tomllib.loads(EXPERIMENT)["collection"].items() if key != "name"}
    levels = {"Content": {**one, "level": "content"}, "Paragraphs": {**one, "level": "//p"}}
    data = {**tomllib.loads(EXPERIMENT), "family": contexts, "collections": levels, "split": {"kind": "none"}}
    del data["collection"]
    found = sweep(parse_experiment(data, place), place / "fixed", jobs=1)
    report(found.folder, figures=False)
    text = (found.folder / "report.md").read_text()
    assert "trained" not in text.split("## What was run")[0]
    assert "| family | AP | improvement % |" in text
    friedman = text[text.index("Families side by side") :]
    assert "| part | baseline | parent | root | tower | p (Friedman) |" in friedman
    assert friedman.index("| Content |") < friedman.index("| change |") < friedman.index("| Paragraphs |")
    pairs = differences_table(ReportData(found), found.parts[0])
    assert pairs is not None and pairs.head == ["measure", "family", "mean", "baseline", "parent", "root"]
    measured = [repr(measure) for measure in found.experiment.measures]
    assert [row[0] for row in pairs.rows] == [name for name in measured for _ in range(4)]
    for start in range(0, len(pairs.rows), 4):
        means = [row[2] for row in pairs.rows[start : start + 4]]
        for j, row in enumerate(pairs.rows[start : start + 4]):
            signs = [f"{means[j] - means[k]:+.4f}" if k < j else "" for k in range(3)]
            assert [cell.rstrip("*") for cell in row[3:]] == signs
    assert "All measures on Content: differences (row - column)" in text


def test_the_report_says_first_what_was_best(place: Path) -> None:
    found = of_families(place, "best", {"name": "same"}, {"name": "worse", "v": 20.0}, split={"kind": "none"})
    report(found.folder, figures=False)
    base = ReportData(found).baseline(found.parts[0], found.experiment.train_on).mean
    text = (found.folder / "report.md").read_text()
    assert f"No family does better on small than the baseline, AP {base:.4f}." in text
    report(of_families(place, "better", {"name": "same"}, {"name": "root", "context": "root"}).folder, figures=False)
    assert "root does best on small: AP " in (place / "better" / "report.md").read_text()


def test_the_report_says_what_was_run(swept: Path) -> None:
    report(swept, figures=False)
    run = (swept / "report.md").read_text().split("## What was run")[1]
    assert "halves" not in run
    assert "one half of the topics" in run
    assert "trix 0" in run
    assert "| vertical | 9 | context=hierarchy:x={x},f={f} | x: -1 0 1; f: 0.5 1 1.5 |" in run


def test_a_table_of_the_page_puts_numbers_right_and_stars_aside() -> None:
    table = Table("<t>", ["family", "gain %", "name"], [["a", "+1.5**", "x"], ["a", "-2.0", "y"], ["b", ">0.5", "<z>"]])
    page: Any = html.fromstring(table_html(table))
    assert page.find_class("title")[0].getnext().get("class") == "scroll", "a title does not scroll away"
    assert page.find_class("scroll")[0].get("tabindex") == "0"
    cells = [[cell.get("class") for cell in row] for row in page.iter("tr")]
    assert cells == [[None, "n", None], [None, "n", None], ["again", "n", None], [None, "n best", None]]
    texts = ["".join(map(str, cell.itertext())) for cell in page.iter("td")]
    assert texts == [cell for row in table.rows for cell in row]
    assert len(page.findall(".//span[@class='stars']")) == 3


def svg_width(path: Path) -> str:
    """Return the width that a figure says it has."""
    found = re.search(r'width="([\d.]+pt)"', path.read_text())
    assert found
    return found[1]


@pytest.mark.slow
def test_figures_have_one_width_and_colours_for_dark_pages(swept: Path) -> None:
    pytest.importorskip("matplotlib")
    drawn = [path for path in report(swept) if path.suffix == ".svg"]
    assert {path.name.partition("-")[0] for path in drawn} == {"grid", "curve", "topics"}
    assert {svg_width(path) for path in drawn} == {"345.6pt"}
    for path in drawn:
        text = path.read_text()
        dark = text[text.index("@media (prefers-color-scheme: dark)") : text.index("</style>")]
        # Every ink that words and axes have is turned light, and no other colour is black but that of cells.
        assert {INK, FAINT} <= set(re.findall(r"#\w{6}", dark))
        assert f"fill: {INK}" in text.replace(dark, "") and f"stroke: {INK}" in text.replace(dark, "")
        assert "stroke: #000000" not in text


def test_many_topics_and_wide_grids_keep_the_width(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    d = np.linspace(-1, 1, 60)
    topics = [f"t{k}" for k in range(60)]
    measure = parse_measure("AP")
    wide = plot_bars(d, topics, measure, "60", tmp_path / "wide.svg")
    same = plot_bars(d, topics, measure, "60", tmp_path / "same.svg", WIDTH)
    assert svg_width(wide) != svg_width(same) == "345.6pt"
    assert "<!-- t59 -->" in wide.read_text() and "<!-- t59 -->" not in same.read_text()
    assert "<!-- 60 topics, largest gain first -->" in same.read_text()


def test_what_equals_the_baseline_has_no_empty_figure_and_is_said(place: Path) -> None:
    pytest.importorskip("matplotlib")
    found = of_families(place, "equal", {"name": "same"}, {"name": "root", "context": "root:2"}, split={"kind": "none"})
    drawn = [path.name for path in report(found.folder) if path.name.startswith("topics-")]
    assert drawn == ["topics-root-small.svg"]
    assert "As the baseline on every topic of small: same." in (found.folder / "report.md").read_text()
    alone = of_families(place, "alone", {"name": "same"}, split={"kind": "none"})
    assert [path.suffix for path in report(alone.folder)] == [".md", ".html"]
    assert "No family differs from it on any topic of small." in (alone.folder / "report.md").read_text()


def test_the_page_is_dark_where_the_reader_is_and_hints_at_what_a_table_hides() -> None:
    assert "color-scheme: light dark" in STYLE and "@media (prefers-color-scheme: dark)" in STYLE
    rules = STYLE[STYLE.index("body {") :]
    assert not re.findall(r"#[0-9a-f]{3,6}\b", rules), "a colour that the dark page does not change"
    assert set(re.findall(r"var\((--\w+)\)", rules)) <= set(re.findall(r"(--\w+):", STYLE.partition("@media")[2]))
    scroll = rules[rules.index(".scroll {") :].partition("}")[0]
    assert scroll.count("local") == 2 and scroll.count("scroll,") + scroll.count("scroll ") >= 2
