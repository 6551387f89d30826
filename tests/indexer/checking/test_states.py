"""Times of sources beside a segment: damage loses nothing, `check` says so, and the next update or repair mends it."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import msgpack
import pytest

import trix
from tests.conftest import Cli

NAMES = ["ash", "beech", "cedar"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("states")
    (base / "docs").mkdir()
    for name in NAMES:
        (base / "docs" / f"{name}.xml").write_text(f"<a><p>{name} tree</p></a>")
    trix.build(base / "docs", base / "my.index", profile="generic", jobs=1)
    return base / "my.index"


@pytest.fixture
def index(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "my.index"))


def states_of(index: Path) -> Path:
    (path,) = index.glob("*.states")
    return path


def sealed(rows: object) -> bytes:
    body: bytes = msgpack.packb(rows)
    return zlib.crc32(body).to_bytes(4, "little") + body


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "flipped": (lambda data: data[:9] + bytes([data[9] ^ 1]) + data[10:], "is damaged (wrong checksum)"),
    "cut": (lambda data: data[:-2], "is damaged (wrong checksum)"),
    "empty": (lambda data: b"", "is damaged (unknown content)"),
    "of others": (
        lambda data: sealed([(1, 2)]), "is damaged (it has 1 sources, expected 3)"
    ),
    "no list": (lambda data: sealed(7), "is damaged (unknown content)"),
    "no pairs": (lambda data: sealed([1, 2, 3]), "is damaged (unknown content)"),
    "no numbers": (lambda data: sealed([("a", "b")] * 3), "is damaged (unknown content)"),
    "text": (lambda data: b"\0\0\0\0", "is damaged (unknown content)"),
}  # fmt: skip


@pytest.mark.parametrize("how", [*DAMAGE, "missing"])
def test_check_says_what_is_damaged_what_it_means_and_that_the_next_update_mends_it(
    how: str, index: Path, run_cli: Cli
) -> None:
    path = states_of(index)
    change, said = DAMAGE.get(how, (None, "is missing"))
    if change is None:
        path.unlink()
    else:
        path.write_bytes(change(path.read_bytes()))
    after = "no document is lost: the next trix update reads 3 sources once and writes it again"
    assert run_cli("check", index) == (1, f"{path}: the file {said}; {after}\n", "")
    assert trix.check(index) == [f"{path}: the file {said}; {after}"]
    with trix.open(index) as opened:
        assert sorted(opened.search("tree").docs) == NAMES
    code, out, _ = run_cli("update", index)
    assert code == 0 and "3 unchanged" in out
    assert run_cli("check", index) == (0, f"{index}: sound\n", "")


def test_repair_writes_times_anew_and_makes_no_commit(index: Path, run_cli: Cli) -> None:
    states_of(index).write_bytes(b"nonsense")
    before = sorted(path.name for path in index.glob("commit-*"))
    code, out, _ = run_cli("check", index, "--repair")
    assert code == 0 and out.splitlines()[-1] == f"{index}: repaired; 3 documents kept, 0 lost"
    assert run_cli("check", index)[0] == 0
    assert sorted(path.name for path in index.glob("commit-*")) == before
    code, out, _ = run_cli("update", index)
    assert code == 0 and "3 unchanged" in out


def test_times_of_documents_from_memory_are_mended_though_nothing_is_read_for_them(
    tmp_path: Path, run_cli: Cli
) -> None:
    index = tmp_path / "memos.index"
    with trix.write(index, profile="generic") as writer:
        writer.add_document("<memo>a tree</memo>", id="memo")
    states_of(index).unlink()
    assert run_cli("check", index)[0] == 1
    assert run_cli("update", index, tmp_path / "none", "--allow-empty")[0] == 0
    assert run_cli("check", index) == (0, f"{index}: sound\n", "")


def test_every_segment_is_looked_at(index: Path, run_cli: Cli) -> None:
    with trix.write(index, merge=False) as writer:
        writer.add_document("<a><p>oak tree</p></a>", id="oak")
    for path in index.glob("*.states"):
        path.unlink()
    assert len(trix.check(index)) == 2
