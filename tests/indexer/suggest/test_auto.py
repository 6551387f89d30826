"""What ``auto`` reads off documents that no preset knows: said in three lines, frozen in the index."""

from __future__ import annotations

from pathlib import Path

import pytest

import trix
from tests.conftest import Cli

SUMMARY = """\
profile derived from 12 documents: no preset knows the root elements (poem-card)
derived: inline q
derived fields: title, poet, printed, year"""


def cards(folder: Path, first: int, last: int) -> Path:
    """Write cards of a schema that nobody knows."""
    folder.mkdir()
    for n in range(first, last):
        lines = "".join(f"<line>the <q>tide</q> of line {k} of {n} came in slowly</line>" for k in range(6))
        (folder / f"c{n:03}.xml").write_text(
            f"<poem-card><name>Song number {n} of the sea</name><poet>{('Ann Bell', 'Rob Low')[n % 2]}</poet>"
            f"<printed>19{10 + n}-05-0{1 + n % 9}</printed><text>{lines}</text></poem-card>"
        )
    return folder


def test_the_summary_says_in_three_lines_what_was_read_off(tmp_path: Path, run_cli: Cli) -> None:
    code, _, err = run_cli("index", cards(tmp_path / "c", 0, 12), tmp_path / "i", "-j", "1")
    assert code == 0
    assert [line for line in SUMMARY.splitlines() if line not in err] == []
    with trix.open(tmp_path / "i") as index:
        found = index.search("tide", where="poet = 'Ann Bell' and printed >= 1912", top="all")
        assert {result.doc for result in found} == {f"c{n:03}" for n in range(2, 12, 2)}
        assert not any(result.path.endswith("q[1]") for result in found)
        assert index["c004"].title == "Song number 4 of the sea"


def test_additions_give_the_answers_of_a_fresh_build_under_the_frozen_profile(tmp_path: Path) -> None:
    """The later cards alone would have given another profile."""
    first, later = cards(tmp_path / "first", 0, 12), tmp_path / "later"
    later.mkdir()
    (later / "x.xml").write_text(
        "<poem-card><name>Late</name><text><line>a <q>tide</q> at last</line></text></poem-card>"
    )
    trix.build(first, tmp_path / "grown", jobs=1)
    with trix.write(tmp_path / "grown") as writer:
        writer.add(later)
    with trix.open(tmp_path / "grown") as grown:
        trix.build([first, later], tmp_path / "fresh", profile=grown.files.profile, jobs=1)
        with trix.open(tmp_path / "fresh") as fresh:
            assert fresh.files.profile == grown.files.profile and grown.files.profile.name == "derived"
            for query in ("tide", "late song", "//line[about(., tide)]"):
                mine, others = (index.search(query, top="all", strategy="thorough") for index in (grown, fresh))
                assert [(r.doc, r.path, r.score) for r in mine] == [(r.doc, r.path, r.score) for r in others]


@pytest.mark.parametrize("text", ["<x>word</x>", "<x><y>word</y><y>other</y></x>"])
def test_a_few_plain_documents_are_read_by_generic(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.xml").write_text(text)
    summary = trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1)
    assert summary.profile == "generic"
    assert summary.notices == ["profile generic: no preset knows the root elements (x)"]
