"""`trix register`: what there is, entries, mentions, and errors of one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import trix
from trix.cli import main


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("register")
    (folder / "a.xml").write_text(
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p>Then <persName ref="#livy">Livy</persName> of '
        '<placeName key="padua">Padua</placeName> read <persName ref="#ovid #livy">both</persName>.</p>'
        "</body></text></TEI>"
    )
    trix.build(folder / "a.xml", folder / "index", profile="tei", jobs=1)
    return str(folder / "index")


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["register", *arguments]) == code
    out, error = capsys.readouterr()
    return error if code else out


def test_registers_entries_and_mentions(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert [line.split() for line in said(capsys, index).splitlines()] == [
        ["entries", "mentions", "register"], ["2", "3", "persons"], ["1", "1", "places"], ["0", "0", "organisations"],
        ["0", "0", "works"],
    ]  # fmt: skip
    assert said(capsys, index, "persons", "--sort", "mentions").splitlines()[1].split() == ["2", "1", "Livy", "#livy"]
    assert said(capsys, index, "persons", "--match", "OV", "--json") == (
        '{"key": "#ovid", "name": "both", "mentions": 1, "documents": 1}\n'
    )
    assert said(capsys, index, "persons", "--match", "nobody").splitlines() == ["mentions  documents  name  key"]
    lines = said(capsys, index, "persons", "#livy", "-n", "1").splitlines()
    assert lines == ["a/TEI[1]/text[1]/body[1]/p[1]", "    Then [Livy] of Padua read both."]
    assert [json.loads(line)["text"] for line in said(capsys, index, "persons", "#livy", "--json").splitlines()] == [
        "Livy", "both"
    ]  # fmt: skip


def test_mistakes_are_one_line(index: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = said(capsys, index, "ships", code=2)
    assert wrong == "trix: error: ships: no such register; there are persons, places, organisations, works\n"
    assert "no such key in the register persons (did you mean #livy?)" in said(capsys, index, "persons", "#liv", code=2)
    (tmp_path / "a.xml").write_text("<a><p>tree</p></a>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="generic", jobs=1)
    assert "names none; add [registers] to a profile" in said(capsys, str(tmp_path / "i"), code=2)
