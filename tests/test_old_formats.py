"""Indexes that earlier versions wrote are still read, and answer as they did.

`data/format-N.zip` holds an index of format N as it was written then (documents, sources, positions, attributes, a
namespace; from format 3 on also links, several segments and a deleted document), `data/format-N.json` the answers that
it gave. `format-2` was written when format 2 was young, before all that comparisons need was kept; `format-2-last` by
the last Trix that wrote it. None of them is ever built anew.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from tests.segments import flipped
from trix.errors import IndexError_
from trix.indexer.commit.clearing import LOCK
from trix.indexer.commit.commit import MANIFEST, newest_commit

DATA = Path(__file__).parent / "data"
FORMATS = sorted(path.stem for path in DATA.glob("format-*.zip"))


def unpacked(name: str, folder: Path) -> Path:
    with zipfile.ZipFile(DATA / f"{name}.zip") as archive:
        archive.extractall(folder)
    return folder / "golden.index"


@pytest.fixture(params=FORMATS)
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """Return an old index, and what it answered."""
    return unpacked(request.param, tmp_path), json.loads((DATA / f"{request.param}.json").read_text("utf-8"))


def answers(path: Path, known: dict[str, Any]) -> list[Any]:
    with trix.open(path) as index:
        found = [index.search(asked["query"], **asked["options"]) for asked in known["answers"]]
        return [[[r.label, r.doc, r.path, r.score, r.offset, r.length] for r in results] for results in found]


def expected(known: dict[str, Any]) -> list[Any]:
    results = [asked["results"] for asked in known["answers"]]
    assert all(results)
    return results


def shows_its_texts(path: Path, known: dict[str, Any]) -> bool:
    """Whether texts read as they did; how they are laid out may change."""
    with trix.open(path) as index:
        return all("".join(index.show(unit).split()) == "".join(text.split()) for unit, text in known["texts"].items())


def test_an_old_index_answers_as_it_did(golden: tuple[Path, dict[str, Any]]) -> None:
    path, known = golden
    assert answers(path, known) == expected(known)


def test_an_old_index_shows_its_texts_and_is_sound(golden: tuple[Path, dict[str, Any]]) -> None:
    path, known = golden
    assert shows_its_texts(path, known)
    assert trix.check(path) == []


@pytest.mark.parametrize("name", ["format-2-last", "format-3"])
def test_compaction_brings_an_old_index_up_to_date_and_changes_no_answer(
    name: str, tmp_path: Path, run_cli: Cli
) -> None:
    path, known = unpacked(name, tmp_path), json.loads((DATA / f"{name}.json").read_text("utf-8"))
    assert run_cli("compact", path)[0] == 0
    (entry,) = newest_commit(path).segments
    assert not entry.deleted
    assert not (path / MANIFEST).exists()
    assert answers(path, known) == expected(known)
    assert shows_its_texts(path, known)
    assert trix.check(path) == []
    with trix.open(path) as index:
        assert index.notices == []


def test_compaction_of_an_index_without_all_values_says_to_build_it_anew(tmp_path: Path, run_cli: Cli) -> None:
    path = unpacked("format-2", tmp_path)
    before = {file.name: file.read_bytes() for file in path.iterdir()}
    code, out, err = run_cli("compact", path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "without the values that comparisons need; build it anew" in err
    assert {file.name: file.read_bytes() for file in path.iterdir() if file.name != LOCK} == before


def test_several_segments_and_a_deleted_document_are_in_the_golden_index(tmp_path: Path) -> None:
    commit = newest_commit(unpacked("format-3", tmp_path))
    assert [len(entry.deleted) for entry in commit.segments] == [1, 0, 0]


def test_an_index_of_format_2_is_read_only_and_says_so(tmp_path: Path, run_cli: Cli) -> None:
    path = unpacked("format-2-last", tmp_path)
    before = {file.name: file.read_bytes() for file in path.iterdir()}
    said = f"{path}: an index of format 2, which can be read but not changed; trix compact {path} brings it up to date"
    with trix.open(path) as index:
        assert index.notices == [said]
    assert said in run_cli("search", path, "lamp")[2]
    (tmp_path / "new.xml").write_text("<play><title>New</title></play>")
    for arguments in (("add", path, tmp_path / "new.xml"), ("delete", path, "one"), ("update", path, tmp_path)):
        code, out, err = run_cli(*arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "format 2 can be read but not changed" in err and f"trix compact {path}" in err
    assert {file.name: file.read_bytes() for file in path.iterdir()} == before


def test_an_upgraded_index_takes_changes(tmp_path: Path, run_cli: Cli) -> None:
    path = unpacked("format-2-last", tmp_path)
    assert run_cli("compact", path)[0] == 0
    (tmp_path / "new.xml").write_text("<play><title>Zephyr</title></play>")
    assert run_cli("add", path, tmp_path / "new.xml")[0] == 0
    assert run_cli("delete", path, "one")[0] == 0
    with trix.open(path) as index:
        assert {result.doc for result in index.search("zephyr oil lamp", top=None)} == {"two", "new"}
        assert index.info()["links"] == {"count": 0, "open": 1}  # it led to what is deleted
    assert trix.check(path) == []


@pytest.mark.slow
def test_a_damaged_file_of_format_2_is_a_line_and_never_an_answer(tmp_path: Path) -> None:
    path = unpacked("format-2-last", tmp_path)
    known = json.loads((DATA / "format-2-last.json").read_text("utf-8"))
    for file in sorted(path.iterdir()):
        data = file.read_bytes()
        for place in {0, len(data) // 2, len(data) - 1} if data else ():
            file.write_bytes(flipped(data, place, 1))
            try:
                assert answers(path, known) == expected(known)
            except IndexError_ as error:
                assert file.name in str(error) and "\n" not in str(error)
            (fault,) = trix.check(path)
            assert file.name in fault
        file.write_bytes(data)
