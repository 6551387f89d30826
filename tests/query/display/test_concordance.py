"""Concordances: every occurrence once, against a literal search of the texts; their orders; how they look."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import trix
from tests.conftest import Cli
from trix.errors import UsageError

DOCUMENTS = {
    "a": "<doc><title>Of trees</title> <sec><p>An old tree, and <i>tree</i>s beside it</p> <p>stone</p></sec></doc>",
    "b": "<doc><title>Of editing</title> <sec><p>tree edit distance</p> <p>edit the tree. Edit a tree</p></sec></doc>",
    "c": "<doc><p>nothing</p> <p n='tree'>a tree edit and <b>Tree</b> edits, tree</p></doc>",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("concordance")
    (folder / "xml").mkdir()
    for name, markup in DOCUMENTS.items():
        (folder / "xml" / f"{name}.xml").write_text(markup)
    trix.build(folder / "xml", folder / "i", profile="generic", jobs=1)
    return folder / "i"


@pytest.mark.parametrize(
    "query", ["tree", "tree edit", "//sec[about(., tree)]", "//p[about(., tree edit)]", "distance"]
)
def test_every_occurrence_in_matching_elements_is_there_once(index: Path, query: str) -> None:
    with trix.open(index) as opened:
        lines = list(opened.concordance(query, top=None))
        matching = opened.search(query, strategy="thorough", top=None)
        places = set()
        for result in matching:
            text = opened.show(result.doc, raw=True)
            for word in re.finditer(r"(?i)\b(tree|trees|edit|edits|editing|distance)\b", text):
                inside = result.offset <= word.start() < result.offset + result.length
                wanted = any(
                    word[0].casefold().startswith(each) for each in ("tree", "edit", "distance") if each in query
                )
                if inside and wanted:
                    places.add((result.doc, word.start(), len(word[0])))
        assert [(line.doc, line.offset, line.length) for line in lines] == sorted(places)
        for line in lines:
            text = opened.show(line.doc, raw=True)
            assert text[line.offset : line.offset + line.length] == line.hit
            whole = " ".join(opened.show(line.doc).split())
            assert f"{line.left}{line.hit}{line.right}" in whole or len(whole) > 100
            assert line.path.startswith("/doc[1]/")


def test_the_words_of_a_phrase_are_one_occurrence(index: Path) -> None:
    with trix.open(index) as opened:
        hits = [line.hit for line in opened.concordance('"tree edit"', phrases="exact", top=None)]
    assert hits == ["tree edit", "tree. Edit", "tree edit", "Tree edits"]


def test_lines_are_ordered_by_the_words_beside_them(index: Path) -> None:
    with trix.open(index) as opened:
        right = [line.right for line in opened.concordance("tree", kwic_sort="right", top=None)]
        left = [line.left for line in opened.concordance("tree", kwic_sort="left", top=None)]
        words = [re.findall(r"\w+", each.casefold()) for each in right]
        back = [re.findall(r"\w+", each.casefold())[::-1] for each in left]
        assert words == sorted(words) and back == sorted(back) and len(words) == len(back) > 5
        second = list(opened.concordance("tree", kwic_sort="right", top=2, from_=3))
        assert [line.right for line in second] == right[2:4]
        with pytest.raises(UsageError, match="document, left, right"):
            opened.concordance("tree", kwic_sort="up")


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_occurrences_stand_one_below_the_other(
    index: Path, run_cli: Cli, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    code, out, _ = run_cli("search", index, "tree", "--kwic", "--format", "table")
    lines = out.splitlines()
    assert code == 0 and len(lines) > 5 and max(map(len, lines)) <= width
    middle = {at for line in lines for at in [match.start() for match in re.finditer(r"(?i)tree", line)]}
    (common,) = [at for at in middle if all(line[at : at + 4].casefold() == "tree" for line in lines)]
    assert width // 4 < common < width // 2
    assert all(line.rstrip().endswith(("a", "b", "c")) for line in lines) == (width >= 80)


def test_programs_read_lines_as_json(index: Path, run_cli: Cli) -> None:
    code, out, _ = run_cli("search", index, "distance", "--kwic")
    assert code == 0 and json.loads(out) == {
        "doc": "b", "title": "Of editing", "path": "/doc[1]/sec[1]/p[1]", "offset": 21, "length": 8,
        "left": "Of editing tree edit ", "hit": "distance", "right": " edit the tree. Edit a tree",
    }  # fmt: skip
    code, _, err = run_cli("search", index, "tree", "--kwic", "--format", "trec")
    assert code == 2 and "--kwic" in err
    assert run_cli("search", index, "tree", "--kwic", "--format", "csv", "-n", "2")[1].count("\n") == 3
