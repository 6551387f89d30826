"""Checking an index finds every flipped byte, and says nothing of a sound one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trix
from tests.segments import flipped, opened, rewrite, sections_of, segment_path, write_segment
from trix.indexer.commit.sections import PAGE
from trix.indexer.store.elements import pack


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("check")
    for number in range(4):
        text = " ".join(f"word{n} tree" for n in range(number * 3))
        leaves = "<e>x</e>" * number
        (folder / f"{number}.xml").write_text(f"<a><b>{text}</b><c/><d>tree <i>of</i> life</d>{leaves}</a>")
    trix.build(folder, folder / "i", jobs=1, positions=True, store=True, profile="generic")
    return folder / "i"


def checked(index: Path) -> list[Path]:
    """Return the files that a check reads: the commit, its copy, the segment, the times of its sources."""
    found = [path for path in index.iterdir() if path.suffix in (".msgpack", ".copy", ".segment", ".states")]
    return sorted(found, key=lambda path: path.suffix)


def test_a_sound_index_has_no_faults(index: Path) -> None:
    assert [path.suffix for path in checked(index)] == [".copy", ".msgpack", ".segment", ".states"]
    assert trix.check(index) == []


def test_every_file_is_covered_to_its_first_and_last_byte(index: Path) -> None:
    for path in checked(index):
        data = path.read_bytes()
        for place in (0, len(data) - 1):
            path.write_bytes(flipped(data, place, 1))
            faults = trix.check(index)
            path.write_bytes(data)
            assert len(faults) == 1
            assert path.name in faults[0]


def test_damage_is_said_of_the_section_that_it_is_in(index: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(index, tmp_path / "i")
    rewrite(copy, lambda sections, facts: sections.update({"zzz": bytes(3 * PAGE)}))
    assert trix.check(copy) == []
    path = segment_path(copy)
    place = opened(copy)._places["zzz"][0] + PAGE + 1
    path.write_bytes(flipped(path.read_bytes(), place))
    assert trix.check(copy) == [f"{path}: the checksum does not hold (zzz); the file is damaged"]


def test_missing_and_cut_files_are_a_line_each(index: Path, tmp_path: Path) -> None:
    for path in checked(index):
        for way in ("missing", "cut"):
            folder = shutil.copytree(index, tmp_path / f"{path.name} {way}")
            if way == "missing":
                (folder / path.name).unlink()
            else:
                (folder / path.name).write_bytes(b"cut")
            (fault,) = trix.check(folder)
            assert path.name in fault
    for path in checked(index):
        (folder / path.name).write_bytes(b"cut")
    faults = trix.check(folder)
    assert len(faults) == 2  # which segments there were is lost with the commits
    assert all(path.name in fault for path, fault in zip(checked(index)[1::-1], faults, strict=True))


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_flipped_byte_is_found(index: Path, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(checked(index)))
    before = path.read_bytes()
    path.write_bytes(flipped(before, data.draw(st.integers(0, len(before) - 1)), data.draw(st.integers(1, 255))))
    try:
        faults = trix.check(index)
    finally:
        path.write_bytes(before)
    assert faults
    assert all("\n" not in fault for fault in faults)
    assert path.name in faults[0]


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("documents", lambda rows: rows[:, 0].__iadd__(1), "first elements"),
        ("documents.by_id", lambda order: order.__setitem__(slice(None), order[::-1].copy()), "lead back"),
        ("documents", lambda rows: rows[:, 3].__setitem__(0, 99), "source"),
        ("sources", lambda rows: rows[:, 1].__iadd__(1), "copy"),
    ],
)
def test_tables_that_contradict_each_other_are_found(
    name: str, change: Callable[[Any], object], said: str, index: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(index, tmp_path / "i")
    faults = trix.check(rewrite(folder, lambda sections, facts: change(sections[name])))
    assert any(said in fault for fault in faults), faults


def test_strings_out_of_order_are_found(index: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(index, tmp_path / "i")
    rewrite(folder, lambda sections, facts: sections.update(keys=sections["keys"][::-1]))
    assert any("order" in fault for fault in trix.check(folder))


@pytest.mark.parametrize("name", ["elements.up", "tags", "postings", *(
    pytest.param(name, marks=pytest.mark.slow)
    for name in ("elements.contents", "elements.depth", "elements.step", "positions", "postings.widths", "copies")
)])  # fmt: skip
def test_resealed_damage_is_a_line_and_never_a_traceback(name: str, index: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(index, tmp_path / "i")
    sections, facts = sections_of(folder), dict(opened(folder).facts)
    data = sections[name] if isinstance(sections[name], bytes) else sections[name].tobytes()
    for place in range(0, len(data), max(1, len(data) // 25)):
        changed: Any = flipped(data, place)
        if not isinstance(sections[name], bytes):
            changed = np.frombuffer(changed, sections[name].dtype)
        write_segment(folder, {**sections, name: changed}, facts)
        assert all("\n" not in fault for fault in trix.check(folder))


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("sentences.more", [0, 0], "sentences: not as many as the content elements say"),
        ("sentences.keys", [0], "sentences: a content element has not the keys of its sentences"),
        ("sentences.keys", [4], "sentences: a content element has not the keys of its sentences"),
    ],
)
def test_sentences_hold_the_keys_of_their_content_elements(
    tmp_path: Path, name: str, values: list[int], said: str
) -> None:
    (tmp_path / "a.xml").write_text("<a><b>one two. Three four</b><c>five</c></a>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="generic", stop="none", positions=True)
    assert trix.check(tmp_path / "i") == []

    def wrong(sections: dict[str, Any], facts: dict[str, Any]) -> None:
        data, dtype = pack(np.array(values))
        begin = len(sections["sentences"])
        sections["sentences"] = bytes(sections["sentences"]) + data
        facts["blocks"][0][-1][name] = [begin, begin + len(data), dtype]

    rewrite(tmp_path / "i", wrong)
    (fault,) = trix.check(tmp_path / "i")
    assert fault.endswith(said)
