"""`trix datasets`: the list, what is known of a data set, collections, and errors of one line."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import Cli
from tests.datasets.catalogue.tiny import SOURCES
from trix.datasets.catalogue import MODULES, qrcd


def test_the_command_lists_and_makes(run_cli: Cli, tmp_path: Path) -> None:
    code, out, err = run_cli("datasets")
    rows = [line.split("\t") for line in out.splitlines()]
    assert (code, err) == (0, "") and {len(row) for row in rows} == {5}
    assert [row[0] for row in rows] == [*MODULES, "inex"]
    line = ["datasets", "make", "inex", tmp_path / "made", "--documents", "3", "--topics", "2", "--schema", "wikipedia"]
    code, out, err = run_cli(*line)
    assert (code, err) == (0, "") and "3 documents, 2 topics" in out
    readme = (tmp_path / "made/README.txt").read_text()
    assert "--seed 2005 --schema wikipedia --documents 3 --topics 2" in readme and "Markov chain" in readme
    code, out, err = run_cli(*line)
    assert (code, out) == (2, "") and "made: the folder is not empty" in err and err.count("\n") == 1


def test_a_data_set_is_shown(run_cli: Cli) -> None:
    code, out, err = run_cli("datasets", "show", "qmsum")
    assert (code, err) == (0, "") and "licence   MIT" in out and "level     //turn" in out
    assert out.count("sha256    ") == 3
    assert run_cli("datasets", "show", "inex")[1].startswith("name      inex\n")


def test_a_data_set_is_prepared_indexed_run_and_evaluated(
    run_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    SOURCES["qrcd"](tmp_path / "source")
    code, out, err = run_cli("datasets", "prepare", "qrcd", "source", "made")
    assert code == 0 and out.splitlines()[0] == "made: train: 1 document, 1 topic, 3 elements, 2 passages"
    assert "CC BY-NC-ND" in out and "qrcd_v1.1_train.json: not the version that was tried" in err
    lines = [line.strip() for line in (tmp_path / "made/README.txt").read_text().splitlines() if "trix " in line]
    monkeypatch.chdir(tmp_path / "made")
    for line in lines:
        code, out, _ = run_cli(*shlex.split(line)[1:])
        assert code in (0, 3), line
    assert [line.split()[0] for line in out.splitlines()][-3:] == ["AP", "RR", "P@10"]
    assert "bm25" in out and "standard" in out
    code, out, err = run_cli("datasets", "prepare", "qrcd", "../source", ".")
    assert (code, out) == (2, "") and ".: the folder is not empty" in err and err.count("\n") == 1


@pytest.mark.parametrize("known", [True, False])
def test_a_data_set_is_downloaded_where_that_is_asked(
    known: bool, run_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SOURCES["qrcd"](tmp_path / "QRCD-main")
    packed = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", tmp_path, "QRCD-main"))
    address = packed.as_uri() if known else (tmp_path / "gone.zip").as_uri()
    monkeypatch.setattr(qrcd, "RECORD", replace(qrcd.RECORD, download=address))
    code, out, err = run_cli("datasets", "prepare", "qrcd", "--download", tmp_path / "made")
    assert (code, "train: 1 document" in out, (tmp_path / "made").exists()) == (
        (0, True, True) if known else (2, False, False)
    )
    if not known:
        assert f"{address}: cannot be downloaded" in err and err.count("\n") == 1
    code, out, err = run_cli("datasets", "prepare", "tcp-indexes", "--download", tmp_path / "books")
    assert (code, out) == (2, "") and "tcp-indexes: no address of an archive is known; see https" in err


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("prepares qmsum x y", "prepares: expected show, prepare or make (did you mean prepare?)"),
        ("show", "expected a data set: trix datasets show NAME"),
        ("show qmsun", "qmsun: no such data set to prepare; known are evidence-inference"),
        ("prepare qmsum x", "expected a data set, its files, and a new folder"),
        ("prepare qmsum x y --download", "expected a data set, its files, and a new folder"),
        ("prepare qmsum nowhere y", "nowhere: no such file or folder"),
        ("make", "expected a data set and a folder"),
        ("make inexx x", "inexx: no such data set to make; known are inex (did you mean inex?)"),
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
