"""A damaged index: what check says, what repair keeps, and how update brings back what was lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from tests.living_samples import segment_bytes
from trix.errors import IndexError_
from trix.indexer.checking import files
from trix.indexer.checking.repair import repair

ARTICLE = "<article><title>{0}</title><p>The tree of {0}.</p><p>WORDS</p></article>".replace(
    "WORDS", " ".join(f"w{number * number}" for number in range(3000))
)
"""Long enough for postings to lie on pages of their own."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of three segments: three files of which one is deleted, one file, and a document from memory."""
    tmp_path = tmp_path_factory.mktemp("sound")
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("one", "two", "three"):
        (docs / f"{name}.xml").write_text(ARTICLE.format(name))
    trix.build(docs, tmp_path / "i", jobs=1, profile="generic")
    (docs / "four.xml").write_text(ARTICLE.format("four"))
    with trix.write(tmp_path / "i", jobs=1) as writer:
        writer.add(docs / "four.xml")
        writer.commit()
        writer.add_document(ARTICLE.format("memo"), id="memo")
        writer.delete("one")
    (docs / "one.xml").unlink()
    return tmp_path


@pytest.fixture
def index(sound: Path, tmp_path: Path) -> Path:
    """Return a copy of it, beside a copy of its documents."""
    return shutil.copytree(sound, tmp_path / "copy") / "i"


def ids(path: Path) -> list[str]:
    opened = trix.open(path)
    return [opened.files.ids[number] for number in range(len(opened))]


def segment(index: Path, number: int) -> Path:
    return index / trix.open(index).files.commit.segments[number].file


def flip(path: Path, section: str) -> None:
    """Flip a bit in the middle of a section of a segment."""
    from trix.indexer.commit.sections import SectionFile

    begin, size = SectionFile(path, path.stem, path.stat().st_size)._places[section][:2]
    data = bytearray(path.read_bytes())
    data[begin + size // 2] ^= 4
    path.write_bytes(data)


def test_a_sound_index_is_not_repaired(index: Path, run_cli: Cli) -> None:
    before = {path.name: path.read_bytes() for path in index.iterdir()}
    assert run_cli("check", index, "--repair") == (0, f"{index}: sound\n", "")
    code, out, _ = run_cli("check", index, "--repair", "--json")
    assert (code, json.loads(out)) == (0, {"path": str(index), "faults": []})
    assert {path.name: path.read_bytes() for path in index.iterdir()} == before


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty", "missing"])
def test_a_damaged_segment_is_dropped_and_update_brings_its_documents_back(
    damage: str, index: Path, run_cli: Cli
) -> None:
    path, kept = segment(index, 0), {each.name for each in index.glob("*.segment")}
    if damage == "flipped":
        flip(path, "postings")
    elif damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-7] if damage == "cut" else b"")
    code, out, err = run_cli("check", index)
    assert (code, err, out.count("\n")) == (1, "", 1)
    assert str(path) in out
    code, out, err = run_cli("check", index, "--repair")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    lost = ["lost: three", "lost: two"] if damage == "flipped" else ["lost: 2 documents whose ids cannot be read"]
    assert lines[1:-1] == lost
    assert lines[-1].startswith(f"{index}: repaired; 2 documents kept, 2 lost; run trix update {index} to read them")
    assert ids(index) == ["four", "memo"]
    assert set(segment_bytes(index)) == kept - {path.name}
    assert trix.check(index) == []
    code, out, err = run_cli("update", index, "--json")
    assert (code, err) == (0, "")
    assert {name: json.loads(out)[name] for name in ("added", "replaced", "deleted")} == {
        "added": 2,
        "replaced": 0,
        "deleted": 0,
    }
    assert ids(index) == ["four", "memo", "three", "two"]


def test_repair_tells_what_it_did_as_json(index: Path, run_cli: Cli) -> None:
    paths = [segment(index, 0), segment(index, 2)]
    flip(paths[0], "postings")
    paths[1].unlink()
    code, out, _ = run_cli("check", index, "--repair", "--json")
    record = json.loads(out)
    assert code == 0
    assert record["repair"] == {
        "dropped": [path.name for path in paths],
        "lost": ["three", "two"],
        "documents": 3,
        "kept": 1,
        "states": [],
    }
    assert len(record["faults"]) == 2
    assert ids(index) == ["four"]


def test_an_index_of_which_nothing_is_left_has_no_documents(index: Path) -> None:
    for path in index.glob("*.segment"):
        path.write_bytes(b"")
    done = repair(index)
    assert (done.documents, done.kept, done.lost) == (4, 0, [])
    assert ids(index) == []
    assert trix.check(index) == []


def test_a_damaged_commit_is_written_anew(index: Path, run_cli: Cli) -> None:
    path = next(index.glob("commit-*.msgpack"))
    path.write_bytes(path.read_bytes()[:-1])
    before = segment_bytes(index)
    code, out, _ = run_cli("check", index, "--repair")
    assert code == 0
    assert out.splitlines()[-1] == f"{index}: repaired; 4 documents kept, 0 lost"
    assert trix.check(index) == []
    assert (segment_bytes(index), ids(index)) == (before, ["three", "two", "four", "memo"])


def test_an_index_without_a_commit_that_can_be_read_cannot_be_repaired(index: Path, run_cli: Cli) -> None:
    for path in index.glob("commit-*"):
        path.write_bytes(b"")
    code, out, err = run_cli("check", index, "--repair")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "commit-" in err
    assert "damaged" in err
    assert len(list(index.glob("*.segment"))) == 3


def test_repair_is_refused_while_another_writes(index: Path, run_cli: Cli) -> None:
    flip(segment(index, 1), "postings")
    with trix.write(index), pytest.raises(IndexError_, match="writes to it"):
        repair(index)
    assert repair(index).lost == ["four"]


def test_repair_drops_nothing_that_came_while_it_waited(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept is looked at when the lock is held, not before."""
    from trix.indexer.change import session

    original, late = session.lock_index, [True]

    def slow(folder: Path, wait: float = 0.0) -> int:
        if late.pop() if late else False:
            with trix.write(folder, jobs=1) as writer:
                writer.add_document(ARTICLE.format("new"), id="new")
        return original(folder, wait)

    flip(segment(index, 1), "postings")
    monkeypatch.setattr(session, "lock_index", slow)
    assert repair(index).lost == ["four"]
    assert ids(index) == ["three", "two", "memo", "new"]
    assert trix.check(index) == []


def test_checking_while_a_writer_replaces_files_finds_no_fault(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original, late = files._opened, [True]

    def slow(folder: Path, entry: Any) -> Any:
        if late.pop() if late else False:
            with trix.write(folder, jobs=1) as writer:
                writer.compact()
        return original(folder, entry)

    monkeypatch.setattr(files, "_opened", slow)
    assert trix.check(index) == []
    original_numbers, again = files.commit_numbers, [True]

    def old_numbers(folder: Path) -> list[int]:
        found = original_numbers(folder)
        if again.pop() if again else False:
            with trix.write(folder, jobs=1) as writer:
                writer.delete("memo")
        return found

    monkeypatch.setattr(files, "commit_numbers", old_numbers)
    assert trix.check(index) == []


def test_a_document_in_two_segments_is_a_fault(index: Path) -> None:
    """No writer makes one; a segment of another index with the same ids is put beside."""
    from dataclasses import replace

    from trix.indexer.commit.commit import newest_commit, write_commit

    other = index.with_name("other")
    shutil.copytree(index, other)
    with trix.write(other, jobs=1) as writer:
        writer.add_document("<memo>another tree</memo>", id="memo", replace=True)
    foreign = newest_commit(other).segments[-1]
    for name in (foreign.file, foreign.states):
        shutil.copy(other / name, index)
    commit = newest_commit(index)
    write_commit(index, replace(commit, segments=(*commit.segments, foreign)))
    (fault,) = trix.check(index)
    assert "'memo' is also in" in fault
