"""The table over all sets: ratios and p-values by hand, values by runs, the command, the page."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import numpy as np
import pytest

import trix
from scripts.parts.prove import __main__ as command
from scripts.parts.prove import items, measure, page
from scripts.parts.prove.measure import Measured, measured
from scripts.parts.prove.sets import Set, write_set
from scripts.parts.prove.systems import USUAL, contextual, grid, systems
from scripts.parts.prove.table import Row, details, row, table
from tests.project.test_prove_sets import DESCRIBED, collection
from trix.datasets.silver.words import SilverTopic
from trix.errors import TrixError

TEXTS = (
    "zebras graze on dry plains", "plains of dry grass and water", "grass feeds zebras and antelopes at night",
    "water flows past the plains to lakes", "lakes hold fish and water", "night falls on lakes and plains",
)  # fmt: skip


def small_set(folder: Path) -> Set:
    """Write a set of two documents with three paragraphs each."""
    folder.mkdir(parents=True)
    docs = {
        f"d{n}": "<doc>{}</doc>".format("".join(f"<p>{text}</p>" for text in TEXTS[3 * n : 3 * n + 3]))
        for n in range(2)
    }
    collection(folder / "xml", **docs)
    topics = [
        SilverTopic('dry "plains"', ("d0/doc[1]/p[2]",)),
        SilverTopic("zebras-grass night", ("d0/doc[1]/p[3]", "d1/doc[1]/p[3]")),
        SilverTopic("water lakes", ("d1/doc[1]/p[1]", "d9/doc[1]/p[1]")),
    ]
    return write_set(folder, topics, DESCRIBED)


def by_hand(**changed: list[float]) -> Measured:
    """Return values of five topics: all .5 but for what is changed."""
    values = {each.name: np.full(5, 0.5) for each in systems()}
    values |= {name: np.array(given) for name, given in changed.items()}
    of = Set(folder=Path("s"), name="s", kind="human", profile="generic", level="//p", measure="rr", source="By hand.")
    return Measured(of, [str(n) for n in range(5)], values, [])


def test_ratios_gains_and_p_values_are_those_of_the_hand() -> None:
    best, alone = "BM25 0.9/0.4", "recommended without context"
    found = row(
        by_hand(**{
            best: [0.6] * 5, USUAL: [0.4] * 5, "recommended": [0.7] * 5, alone: [0.7, 0.7, 0.7, 0.7, 0.0],
            "study": [0.3, 0.3, 0.3, 0.3, 1.2],
        })
    )  # fmt: skip
    assert (found.best_name, found.topics, round(found.best, 9), round(found.usual, 9)) == ("0.9/0.4", 5, 0.6, 0.4)
    cell = found.cells["recommended"]
    ratios = cell.mean, cell.of_best, cell.of_usual, cell.gain
    assert [round(value or 0, 9) for value in ratios] == [0.7, round(7 / 6, 9), 1.75, 0.25]
    # All five signs alike are 2 of 2^5 assignments; one difference that is not 0 is as large with either sign.
    assert (cell.p_best, cell.p_usual, cell.p_gain) == (2 / 32, 2 / 32, 1.0)
    # Four times -.3 and once .6 against the best: |sum| >= .6 in all but those whose sum is 0: C(4, 1) * 2 of 32.
    study = found.cells["study"]
    assert (round(study.of_best, 9), study.p_best, study.gain) == (0.8, 24 / 32, None)


def test_the_table_marks_what_is_significant_and_ends_with_minima() -> None:
    one = row(by_hand(**{USUAL: [0.4] * 5}))
    six = np.concatenate([np.full(20, 0.25)])
    values = {each.name: np.full(20, 0.5) for each in systems()} | {"reading": six}
    two = row(Measured(one_set("t"), [str(n) for n in range(20)], values, []))
    lines = table([one, two]).splitlines()
    assert lines[0].startswith("| set | topics | | BM25 1.2/.75 | best BM25 | k1/B | study | standard | reading |")
    assert lines[2].startswith("| s | 5 | MRR | .400 0.80 | .500 | 0.6/0.2 | .500 1.00 | .500 1.00 | .500 1.00 |")
    assert lines[3].startswith("| t | 20 | MAP | .500 1.00 | .500 | 0.6/0.2 | .500 1.00 | .500 1.00 | .250 0.50*** ↓ |")
    assert lines[4].startswith("| least ratio | 25 | | 0.80 | 1.00 | | **1.00** | **1.00** | **0.50** |")
    assert "| t | reading | 0.500 | < 0.001 | 0.500 | < 0.001 | -50.0 % | < 0.001 |" in details([one, two])


def one_set(name: str) -> Set:
    """Return a description without a folder."""
    return Set(folder=Path(name), name=name, kind="silver", profile="x", level="//p", measure="ap", source="By hand.")


def test_values_are_those_of_runs_and_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = small_set(tmp_path / "set")
    found = measured(of, tmp_path / "cache", jobs=1)
    assert found.topics == ["1", "2", "3"] and found.lost == ["d9/doc[1]/p[1]"]
    with measure.indexed(of, tmp_path / "cache" / "indexes", 1) as index:
        for each in systems():
            run = index.run(each.topics(of.topics()), level="//p", top=measure.TOP, jobs=1, **each.options)
            scores = trix.evaluate(of.qrels(), run, ["AP"])["AP"]
            assert found.values[each.name].tolist() == [scores.topics[key] for key in found.topics], each.name
    # What has no context is not measured again.
    asked: list[str] = []
    monkeypatch.setattr(measure, "run_values", lambda evaluator, of, topics, system, jobs: asked.append(system.name))
    monkeypatch.setattr(measure, "study_values", lambda *given: pytest.fail("measured again"))
    again = measured(of, tmp_path / "cache", jobs=1)
    assert asked == [each.name for each in systems() if each.contextual]
    assert all(
        np.array_equal(again.values[each.name], found.values[each.name]) for each in systems() if not each.contextual
    )


def test_systems_are_a_grid_and_what_is_contextual_has_a_twin_without() -> None:
    names = [each.name for each in systems()]
    assert len(grid()) == 12 and USUAL in names and len(names) == len(set(names))
    for each in contextual():
        assert each.alone.name in names and each.alone.options == {**each.options, "context": "none"}
    assert grid()[0].topics({"1": 'a-b "c" +d'}) == {"1": "a b c d"}


def test_the_command_prints_the_table_of_given_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small_set(tmp_path / "sets" / "one")
    small_set(tmp_path / "sets" / "two")
    monkeypatch.setattr(command, "MAKERS", {})
    words = ["--sets", str(tmp_path / "sets"), "--cache", str(tmp_path / "cache"), "--jobs", "1"]
    assert command.main([*words, "--json", "--queries", "2"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(each["set"], each["topics"]) for each in rows] == [("one", 2), ("two", 2)]
    assert set(rows[0]["cells"]) >= {"study", "reading", "recommended"}
    page_ = tmp_path / "page.md"
    page_.write_text(f"before\n<!-- {page.NAME}, by {page.BY} -->\nold\n<!-- end of {page.NAME} -->\nafter\n")
    assert command.main([*words, "--only", "two", "--write", str(page_)]) == 0
    printed = capsys.readouterr()
    assert "| two | 3 | MAP |" in printed.out and "1 judged units are not in the index" in printed.err
    assert printed.out.splitlines()[2] in page_.read_text() and "old" not in page_.read_text()
    assert page_.read_text().startswith("before\n") and page_.read_text().endswith("after\n")
    assert command.main([*words, "--only", "three"]) == 2
    assert capsys.readouterr().err == "prove: --only three: no such set; there are one, two\n"


def test_a_page_without_the_marks_is_refused(tmp_path: Path) -> None:
    found = row(by_hand())
    (tmp_path / "page.md").write_text("nothing\n")
    with pytest.raises(TrixError, match="expected the marks of `every collection`"):
        page.write(tmp_path / "page.md", [found])
    assert page.section([found], date(2026, 1, 2)).startswith("Measured on 2026-01-02 (")


def test_rows_are_as_long_as_their_heads() -> None:
    lines: list[str] = table([row(by_hand())]).splitlines()
    assert len({line.count("|") for line in lines}) == 1
    assert isinstance(row(by_hand()), Row)


# -- known items ------------------------------------------------------------------------------------------------------

LONG = "Something is told here in many plain words about nothing that matters to anybody at all. " * 3


@pytest.mark.reading
def test_known_items_are_found_by_their_titles_and_the_ceiling_counts_what_can_be(tmp_path: Path) -> None:
    section = "<section id='s{n}'><num>Article 30{n}</num><title>{title}</title><p>{text}</p></section>"
    docs = collection(
        tmp_path / "docs",
        d1="<doc>"
        + section.format(n=1, title="Grazing habits of zebras", text=LONG)
        + section.format(n=2, title="Depths of volcanic lakes", text="")  # too short, where others have its words
        + "</doc>",
        d2="<doc>"
        + section.format(n=3, title="Hunting grounds of eagles", text=LONG + " Eagles hunt at volcanic lakes.")
        + "</doc>",
    )
    found = items.known(docs, tmp_path / "cache", 100, 1, False)
    assert (found.titles, found.ceiling) == (3, 1.0)
    assert found.by_default["as it is"] == 1.0 and found.others["numbers"][0] == 3
    assert items.table([found]).splitlines()[2].startswith("| docs | 3 | 1.00 | 1.000 **100 %** |")
    assert "| docs | ids | 3 |" in items.others([found])
