"""Studies I to V on small synthetic collections, and the printed numbers against each other."""

from __future__ import annotations

import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from tests.paths import ROOT
from trix.papers.base.collection import PaperCollection, synthetic
from trix.papers.base.paper import Reproduction
from trix.papers.base.printed import ComparedTable, Printed, number_of
from trix.papers.catalogue import MODULES
from trix.papers.experiments import grids, i, ii, iii, iv
from trix.papers.reproduce import reproduce

STUDIES = ["study-i", "study-ii", "study-iii", "study-iv", "study-v"]


@cache
def small(name: str) -> Reproduction:
    return reproduce(name, documents=12, topics=6, jobs=1)


def table(name: str, label: str, title: str = "") -> ComparedTable:
    return next(each for each in small(name).tables if each.label == label and title in each.printed.title)


@pytest.mark.parametrize("name", STUDIES)
def test_every_printed_number_has_one_computed_beside_it(name: str) -> None:
    found = small(name)
    assert found.synthetic and found.tables and found.statements and name in MODULES
    for each in found.tables:
        for row in each.pairs():
            assert len(row) == len(each.printed.head) - 1
            for pair in row:
                if number_of(pair.printed):
                    assert pair.here != "", f"{each.label}, {pair.row}, {pair.column}"


@pytest.mark.parametrize(("name", "label"), [("study-iv", "figure 2"), ("study-v", "figure 1")])
def test_examples_that_need_no_collection_have_the_printed_numbers(name: str, label: str) -> None:
    pairs = [pair for row in table(name, label).pairs() for pair in row if number_of(pair.printed)]
    assert len(pairs) >= 8 and not [pair for pair in pairs if pair.differs]


def test_the_aggregate_is_the_mean_of_the_quantisations() -> None:
    seven = [float(value) for value in table("study-i", "table 2").rows["CO_avrg"]]
    known = [value for value in seven if value == value]  # a small collection may have nothing for a quantisation
    mean = sum(known) / len(known)
    assert table("study-i", "table 1").rows["no overlap, b=0.4"][0] == pytest.approx(mean, abs=1e-12)


def test_a_rank_is_among_the_other_systems_alone() -> None:
    rows = table("study-i", "table 1").rows
    assert {str(cells[1]) for cells in rows.values()} <= {"1", "2", "3", "4"}
    best = max(rows.values(), key=lambda cells: float(cells[0]))
    assert best[1] == min(str(cells[1]) for cells in rows.values())


def test_a_level_has_the_values_of_a_run_on_its_recall_base(tmp_path: Path) -> None:
    folder = synthetic(tmp_path / "data", (2005,), "ieee", 12, 6)
    with PaperCollection(folder, (2005,), "ieee", tmp_path, jobs=1) as collection:
        base = collection.recall_base(2005, "CO", "minor")
        run = collection.run(2005, "CO", "root", level="minor", context="cscore:root")
        from trix.eval.evaluate import evaluate

        mean = evaluate(base.grades, run, ["AP"])["AP"].mean
    root = list(iii.CONTEXTS).index("Root") + 1
    assert table("study-iii", "table 1", "MAP").rows["Minor"][root] == pytest.approx(mean, abs=1e-12)


def test_each_year_of_study_iv_has_its_own_collection() -> None:
    (elements_2004, elements_2005, *_) = table("study-iv", "table 1").rows["content element"]
    assert elements_2004 != elements_2005


def test_the_grids_of_study_iv_are_those_of_the_examples() -> None:
    for name, family in iv.FAMILIES.items():
        example = tomllib.loads((ROOT / "examples" / f"study-iv-{name}.toml").read_text(encoding="utf-8"))
        assert example["family"] == [family]
        assert tuple(example["measures"]) == iv.MEASURES


# The printed numbers, copied from a damaged scan, against each other.


def numbers(printed: Printed, row: str) -> list[float]:
    return [found.value for cell in printed.rows[row] if (found := number_of(cell))]


def test_printed_means_of_study_i_are_those_of_the_quantisations() -> None:
    for run, row in (("CO_avrg", "no overlap, b=0.4"), ("CO_avrg_part_overlap", "partial overlap, b=0.4")):
        seven = numbers(i.OFFICIAL, run)
        assert sum(seven) / 7 == pytest.approx(numbers(i.CO, row)[0], abs=0.0006)


def test_printed_differences_of_study_ii_follow_from_the_means() -> None:
    for printed in ii.MEASURES.values():
        means = [numbers(printed, name)[0] for name in ii.NAMES]
        for j, name in enumerate(ii.NAMES):
            assert numbers(printed, name)[1:] == pytest.approx([means[j] - means[k] for k in range(j)], abs=0.0016)


def test_printed_changes_of_study_iii_follow_from_the_means() -> None:
    for level in iii.LEVELS:
        base, *means = numbers(iii.MAP, level)
        assert numbers(iii.CHANGE, level) == pytest.approx([100 * (m - base) / base for m in means], abs=1.1)


def test_the_best_of_each_printed_grid_of_study_iv_is_best_trained() -> None:
    def best(printed: Printed) -> float:
        return max(value for row in printed.rows for value in numbers(printed, row))

    columns = dict(zip(iv.VERTICAL_MAP.head[1:], numbers(iv.VERTICAL_MAP, "best trained"), strict=True))
    for (level, year), printed in grids.VERTICAL.items():
        assert best(printed) == pytest.approx(columns[f"{level} {year}"], abs=0.051)
    for year in ("2004", "2005"):
        assert max(numbers(grids.MAJOR, year)) == pytest.approx(columns[f"major {year}"], abs=0.051)
    for printed, trained in zip(grids.HORIZONTAL.values(), numbers(iv.HORIZONTAL_MAP, "best trained"), strict=True):
        assert best(printed) == pytest.approx(trained, abs=0.051)


def test_printed_grids_of_study_iv_are_smooth() -> None:
    every = [*grids.VERTICAL.values(), *grids.HORIZONTAL.values(), grids.MAJOR]
    jumps = [
        (printed.label, row, abs(a - b))
        for printed in every
        for row in printed.rows
        for a, b in pairwise(numbers(printed, row))
    ]
    assert not [jump for jump in jumps if jump[2] > 2.1]
