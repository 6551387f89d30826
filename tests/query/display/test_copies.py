"""Copies of the same text are folded under the best of them: over documents, segments, indexes and pages."""

from __future__ import annotations

import csv
import io
import json
import random
from itertools import pairwise
from pathlib import Path

import pytest

import trix
from tests.conftest import Cli
from trix.query.display.copies import words_alone

WORDS = ["oak", "acorn", "bark", "leaf", "ship", "mast", "sail"]


def documents(folder: Path, many: int, seed: int = 3) -> list[Path]:
    """Write documents of paragraphs, of which some stand in several documents with other white space and signs."""
    chance, found = random.Random(seed), []
    known = [f"The oak {' '.join(chance.choices(WORDS, k=9))} number {n}" for n in range(5)]
    for number in range(many):
        texts = [f"An oak {' '.join(chance.choices(WORDS, k=9))} {number} {n}" for n in range(3)]
        texts += [text.replace(" ", chance.choice([" ", "\n  ", ", "])) for text in chance.sample(known, 2)]
        chance.shuffle(texts)
        path = folder / f"d{number:02}.xml"
        path.write_text(
            "<doc>" + "".join(f"<sec><p>{text}.</p><p>No {n}.</p></sec>" for n, text in enumerate(texts)) + "</doc>"
        )
        found.append(path)
    return found


ASKED = {"level": "//p", "preset": "reading", "size": ":"}


def literally(opened: trix.Index, query: str) -> list[tuple[str, list[str]]]:
    """Return the address of each result and of its copies, by reading all texts."""
    found: dict[str, list[str]] = {}
    for each in opened.search(query, copies="keep", top="all", **ASKED):  # type: ignore[arg-type]
        found.setdefault(words_alone(each.text), []).append(each.doc + each.path)
    return [(first, rest) for first, *rest in found.values()]


def shown(results: trix.Results) -> list[tuple[str, list[str]]]:
    return [(each.doc + each.path, [copy.address for copy in each.copies]) for each in results]


def check(opened: trix.Index) -> None:
    """Hold what is true of folded results, on one page and on several."""
    expected = literally(opened, "oak acorn")
    everything = opened.search("oak acorn", top="all", **ASKED)  # type: ignore[arg-type]
    assert shown(everything) == expected and any(len(copies) > 1 for _, copies in expected)
    assert [each.rank for each in everything] == list(range(1, len(expected) + 1))
    assert all(one.score >= other.score for one, other in pairwise(everything))
    assert everything.matched == len(expected) + everything.folded
    for size in (1, 4, 7):
        for begin in range(1, len(expected) + size, size):
            page = opened.search("oak acorn", top=size, from_=begin, **ASKED)  # type: ignore[arg-type]
            there = expected[begin - 1 : begin - 1 + size]
            assert [unit for unit, _ in shown(page)] == [unit for unit, _ in there]
            assert [each.rank for each in page] == list(range(begin, begin + len(there)))
            for (_, copies), (_, all_copies) in zip(shown(page), there, strict=True):
                assert copies == all_copies[: len(copies)], "those among the results that were looked at"


def test_copies_are_folded_under_the_best_result_of_their_text(tmp_path: Path) -> None:
    trix.build(documents(tmp_path, 12), tmp_path / "i", profile="generic", jobs=1)
    with trix.open(tmp_path / "i") as opened:
        check(opened)


def test_copies_are_folded_over_segments_and_over_indexes(tmp_path: Path) -> None:
    paths = documents(tmp_path, 12)
    trix.build(paths[:6], tmp_path / "i", profile="generic", jobs=1)
    trix.build(paths[6:], tmp_path / "j", profile="generic", jobs=1)
    with trix.open([tmp_path / "i", tmp_path / "j"]) as opened:
        check(opened)
        several = shown(opened.search("oak acorn", top="all", **ASKED))  # type: ignore[arg-type]
    with trix.write(tmp_path / "i", jobs=1) as writer:
        for path in paths[6:]:
            writer.add(path)
    with trix.open(tmp_path / "i") as opened:
        check(opened)
        assert shown(opened.search("oak acorn", top="all", **ASKED)) == several  # type: ignore[arg-type]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    for name in "ab":
        (tmp_path / f"{name}.xml").write_text("<doc><sec><p>The oak is here.</p></sec></doc>")
    trix.build([tmp_path / "a.xml", tmp_path / "b.xml"], tmp_path / "i", profile="generic", jobs=1)
    return tmp_path / "i"


@pytest.mark.reading
def test_only_who_reads_gets_copies_folded(two: Path) -> None:
    with trix.open(two) as opened:
        assert len(opened.search("oak")) == 1
        assert len(opened.search("oak", preset="study", strategy="focused")) == 2
        assert len(opened.search("oak", copies="keep")) == 2
        assert len(opened.run({"1": "oak"}, preset="reading")["1"]) == 2


@pytest.mark.reading
def test_an_element_inside_of_another_is_no_copy(two: Path) -> None:
    with trix.open(two) as opened:
        found = opened.search("oak", strategy="thorough", per_document="all")
        assert [each.doc for each in found] == ["a"] * len(found) and len(found) > 1
        assert all([copy.doc for copy in each.copies] == ["b"] * len(found) for each in found[:1])


@pytest.mark.reading
def test_a_source_that_has_gone_is_no_copy(two: Path) -> None:
    (two.parent / "b.xml").unlink()
    with trix.open(two) as opened:
        assert [each.doc for each in opened.search("oak")] == ["a", "b"]


@pytest.mark.reading
def test_the_command_tells_the_copies(two: Path, run_cli: Cli) -> None:
    _, out, _ = run_cli("search", two, "oak", "--format", "jsonl")
    (line,) = map(json.loads, out.splitlines())
    assert [unit.partition("/")[0] for unit in line["copies"]] == ["b"]
    _, out, _ = run_cli("search", two, "oak", "--format", "table")
    assert f"and 1 copy: {line['copies'][0]}" in out
    _, out, _ = run_cli("search", two, "oak", "--format", "csv")
    assert json.loads(next(csv.DictReader(io.StringIO(out)))["copies"]) == line["copies"]
    _, out, _ = run_cli("search", two, "oak", "--format", "jsonl", "--copies", "keep")
    assert len(out.splitlines()) == 2 and "copies" not in json.loads(out.splitlines()[0])
