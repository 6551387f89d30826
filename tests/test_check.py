"""Checking an index finds every flipped byte, and says nothing of a sound one."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trix.indexer.store.manifest import MANIFEST, digest_file, read_manifest, write_manifest

import trix


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("check")
    for number in range(4):
        text = " ".join(f"word{n} tree" for n in range(number * 3))
        leaves = "<e>x</e>" * number
        (folder / f"{number}.xml").write_text(f"<a><b>{text}</b><c/><d>tree <i>of</i> life</d>{leaves}</a>")
    trix.build(folder, folder / "i", jobs=1, positions=True, store=True, profile="generic")
    return folder / "i"


def test_a_sound_index_has_no_faults(index: Path) -> None:
    assert trix.check(index) == []


def test_every_file_is_covered_to_its_first_and_last_byte(index: Path) -> None:
    for path in index.iterdir():
        data = path.read_bytes()
        for place in {0, len(data) - 1} if data else set():
            path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            faults = trix.check(index)
            path.write_bytes(data)
            assert len(faults) == 1
            assert path.name in faults[0]


def test_missing_and_cut_files_are_a_line_each(index: Path, tmp_path: Path) -> None:
    shutil.copytree(index, tmp_path / "i")
    names = sorted(read_manifest(index)["files"], key=lambda name: -(index / name).stat().st_size)[:3]
    for name in names[:2]:
        (tmp_path / "i" / name).unlink()
    (tmp_path / "i" / names[2]).write_bytes(b"cut")
    faults = trix.check(tmp_path / "i")
    assert len(faults) == 3
    assert all(any(name in fault for fault in faults) for name in names)


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_flipped_byte_is_found(index: Path, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(p for p in index.iterdir() if p.stat().st_size)))
    before = path.read_bytes()
    place = data.draw(st.integers(0, len(before) - 1))
    path.write_bytes(before[:place] + bytes([before[place] ^ data.draw(st.integers(1, 255))]) + before[place + 1 :])
    try:
        faults = trix.check(index)
    finally:
        path.write_bytes(before)
    assert faults
    assert all("\n" not in fault for fault in faults)
    assert path.name in faults[0]


def reseal(folder: Path) -> None:
    """Make the checksums hold, so that only invariants can tell."""
    manifest = read_manifest(folder)
    for name in manifest["files"]:
        manifest["files"][name] = [(folder / name).stat().st_size, digest_file(folder / name)]
    write_manifest(folder / MANIFEST, manifest)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("documents.npy", lambda rows: rows[:, 0].__iadd__(1), "first elements"),
        ("documents.by_id.npy", lambda order: order.__setitem__(slice(None), order[::-1].copy()), "lead back"),
        ("documents.npy", lambda rows: rows[:, 3].__setitem__(0, 99), "source"),
        ("sources.npy", lambda rows: rows[:, 1].__iadd__(1), "copy"),
    ],
)
def test_tables_that_contradict_each_other_are_found(
    name: str, change: object, said: str, index: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(index, tmp_path / "i")
    table = np.load(folder / name)
    change(table)  # type: ignore[operator]
    np.save(folder / name, table)
    reseal(folder)
    faults = trix.check(folder)
    assert any(said in fault for fault in faults), faults


def test_strings_out_of_order_are_found(index: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(index, tmp_path / "i")
    keys = (folder / "keys.bin").read_bytes()
    (folder / "keys.bin").write_bytes(keys[::-1])
    reseal(folder)
    assert any("order" in fault for fault in trix.check(folder))


@pytest.mark.parametrize("name", ["elements.up", "elements.contents", "elements.depth", "elements.step", "tags.bin",
                                  "postings.bin", "positions.bin", "postings.ends.npy", "copies.bin"])  # fmt: skip
def test_resealed_damage_is_a_line_and_never_a_traceback(name: str, index: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(index, tmp_path / "i")
    data = (folder / name).read_bytes()
    for place in range(0, len(data), max(1, len(data) // 25)):
        (folder / name).write_bytes(data[:place] + bytes([data[place] ^ 0x41]) + data[place + 1 :])
        reseal(folder)
        assert all("\n" not in fault for fault in trix.check(folder))
