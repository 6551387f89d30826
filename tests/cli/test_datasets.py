"""`trix datasets`: the list, a collection, and errors of one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Cli


def test_the_command_lists_and_makes(run_cli: Cli, tmp_path: Path) -> None:
    code, out, err = run_cli("datasets")
    assert (code, err) == (0, "") and out.startswith("inex\t")
    line = ["datasets", "make", "inex", tmp_path / "made", "--documents", "3", "--topics", "2", "--schema", "wikipedia"]
    code, out, err = run_cli(*line)
    assert (code, err) == (0, "") and "3 documents, 2 topics" in out
    readme = (tmp_path / "made/README.txt").read_text()
    assert "--seed 2005 --schema wikipedia --documents 3 --topics 2" in readme and "Markov chain" in readme
    code, out, err = run_cli(*line)
    assert (code, out) == (2, "") and "made: the folder is not empty" in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("built inex x", "built: expected make"),
        ("make", "expected a data set and a folder"),
        ("make inexx x", "inexx: no such data set; known are inex (did you mean inex?)"),
        ("make inex x --schema ieeee", "--schema ieeee: expected one of ieee"),
        ("make inex x --topics 61", "--topics 61: expected a whole number from 1 to 60"),
        ("make inex x --documents 0", "--documents 0: expected a whole number of 1 or more"),
    ],
)
def test_a_wrong_line_says_what_is_expected(
    line: str, reason: str, run_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run_cli("datasets", *line.split())
    assert (code, out) == (2, "") and reason in err and err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
