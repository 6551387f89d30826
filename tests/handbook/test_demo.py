"""The demonstration leaves what it says it leaves, and its numbers are those of its files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import trix
from trix.cli import main
from trix.errors import UsageError
from trix.eval.evaluate import evaluate
from trix.handbook import demo
from trix.handbook.demo import CONTEXTS, TASKS, Demonstration, DemoTask, demonstrate, table

pytestmark = pytest.mark.slow  # each test needs a demonstration, which is seconds of work


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Demonstration:
    """Run the demonstration once."""
    return demonstrate(tmp_path_factory.mktemp("demo") / "new" / "folder")


def test_everything_is_in_the_folder(shown: Demonstration) -> None:
    folder = shown.folder
    assert trix.check(folder / "handbook.index") == []
    assert len(list((folder / "articles").glob("*.xml"))) == shown.summary.documents >= 40
    assert (folder / "topics.xml").is_file()
    assert (folder / "assessments" / "offsets.qrels").is_file()
    runs = sorted(path.stem for path in (folder / "runs").iterdir())
    assert runs == sorted(f"{task.name}-{context}" for task in TASKS for context in CONTEXTS)
    assert (folder / "results.txt").read_text(encoding="utf-8").rstrip("\n") == table(shown)


def test_there_are_three_tasks_without_and_with_three_contexts(shown: Demonstration) -> None:
    assert [task.options["strategy"] for task in TASKS[:3]] == ["focused", "thorough", "fetch-browse"]
    assert len(CONTEXTS) == 4
    assert CONTEXTS[demo.BASELINE] == "none"


def test_the_table_is_that_of_the_files(shown: Demonstration) -> None:
    for task in TASKS:
        for context in CONTEXTS:
            run = shown.folder / "runs" / f"{task.name}-{context}.run"
            result = evaluate(shown.folder / "assessments" / "offsets.qrels", run, list(task.measures.values()))
            assert result.notices == []
            for head, measure in task.measures.items():
                # a run file has its own order, so nothing but the rounding of its text can differ
                assert shown.cells[task.name, head][context].mean == pytest.approx(result[measure].mean, abs=1e-12)


def test_every_value_is_a_share_and_something_is_found(shown: Demonstration) -> None:
    values = [cell.mean for cells in shown.cells.values() for cell in cells.values()]
    assert all(0 < value < 1 for value in values)
    assert not any(cells[demo.BASELINE].significant for cells in shown.cells.values())


def test_the_table_has_a_row_for_each_context_and_marks_the_best(shown: Demonstration) -> None:
    lines = table(shown, lambda text: f"<{text}>").splitlines()
    assert [line.split()[0] for line in lines[3:]] == list(CONTEXTS)
    assert sum(line.count("<") for line in lines) >= len(shown.cells)
    assert max(map(len, table(shown).splitlines())) <= 80
    plain = table(shown).splitlines()
    starts = [match.start() for match in re.finditer(r"\S+", plain[1])][1:]
    for line in plain[3:]:
        assert [match.start() for match in re.finditer(r"\d\.\d{4}", line)] == starts


def test_figures_are_drawn_where_matplotlib_is(shown: Demonstration) -> None:
    pytest.importorskip("matplotlib")
    assert [path.read_bytes()[:4] for path in shown.figures] == [b"\x89PNG"] * len(TASKS)


def test_without_matplotlib_there_are_no_figures_and_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "find_spec", lambda name: None)
    monkeypatch.setattr(demo, "TASKS", demo.TASKS[:1])
    without = demonstrate(tmp_path)
    assert without.figures == []
    assert {name for name, _ in without.cells} == {"focused"}


def test_a_second_demonstration_replaces_the_first_and_leaves_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = DemoTask("few", "a few", {"strategy": "focused"}, {"P": "char_prec"}, "iP")
    monkeypatch.setattr(demo, "TASKS", (few,))
    (tmp_path / "thesis.tex").write_text("precious")
    first = demonstrate(tmp_path)
    (tmp_path / "topics.xml").write_text("spoilt")
    second = demonstrate(tmp_path)
    assert table(first) == table(second)
    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_what_is_being_done_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "TASKS", demo.TASKS[:1])
    told: list[str] = []
    demonstrate(tmp_path, told.append)
    assert told[0] == "copying the handbook"
    assert "focused, context root" in told


def test_a_place_where_nothing_can_be_written_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write the demonstration there"):
        demonstrate(tmp_path / "file")


def test_the_command_prints_questions_the_table_and_what_to_try_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", str(tmp_path / "out")]) == 0
    out, errors = capsys.readouterr()
    assert errors == ""
    assert out.count("$ trix search") == 2
    assert (tmp_path / "out" / "results.txt").read_text(encoding="utf-8").rstrip("\n") in out
    assert "not how well" in out
    assert f"trix shell {tmp_path / 'out' / 'handbook.index'}" in out
    assert "\x1b" not in out
