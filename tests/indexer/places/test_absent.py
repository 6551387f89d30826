"""Filters on places that no document has: a line says so, and what there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import trix
from trix.errors import QueryError, UsageError

PROFILE = """
name = "pages"
extends = "generic"
[milestones]
page = "pb/@n"
leaf = "leaf/@n"
chapter = "c/@n"
verse = { at = "v/@n", within = "chapter", join = ":" }
"""


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[trix.Index]:
    (tmp_path / "pages.toml").write_text(PROFILE)
    (tmp_path / "a.xml").write_text('<doc><pb n="9"/><p>the oak</p><pb n="10"/><p>an oak</p></doc>')
    (tmp_path / "b.xml").write_text('<doc><pb n="2"/><p>oak <c n="3"/><v n="1"/>one <v n="2"/>two</p></doc>')
    trix.build([tmp_path / "a.xml", tmp_path / "b.xml"], tmp_path / "i", profile=tmp_path / "pages.toml", jobs=1)
    with trix.open(tmp_path / "i") as index:
        yield index


def test_a_filter_on_a_place_that_nothing_has_says_which_there_are(opened: trix.Index) -> None:
    def said(where: str) -> list[str]:
        return [each for each in opened.search("oak", where=where).notices if each.startswith("where")]

    assert said("page = 9999") == ["where: no text has page = 9999; there are p. 2 to p. 10"]
    assert said("page = 11..20") == ["where: no text has page = 11..20; there are p. 2 to p. 10"]
    assert said("page > 10") == ["where: no text has page > 10; there are p. 2 to p. 10"]
    assert said("page in (9, 70)") == ["where: no text has page = 70; there are p. 2 to p. 10"]
    assert said("verse = 3:7 or page = 2") == ["where: no text has verse = 3:7; there are ch. 3:1 to ch. 3:2"]
    assert said("chapter = 4") == ["where: no text has chapter = 4; there is ch. 3"]
    assert said("leaf exists") == ["where: no text has leaf; no document has any leaf"]
    assert said("page = 9") == said("page > 9") == said("verse = 1") == said("not page = 2") == []


def test_names_of_places_that_an_index_has_not_are_told_apart_from_fields(opened: trix.Index, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match=r"no field folio, nor a place; places are chapter, leaf, page, verse; fields"):
        opened.search("oak", where="folio = 2")
    with pytest.raises(QueryError, match=r"nor a place \(did you mean verse\?\); places are"):
        opened.search("oak", where="vers = 2")
    with pytest.raises(UsageError, match="there is no page 9999; there are 2, the first 9, the last 10"):
        opened.show("a#page=9999")
    trix.build(tmp_path / "a.xml", tmp_path / "none", profile="generic", jobs=1)
    with trix.open(tmp_path / "none") as none:
        with pytest.raises(
            QueryError, match=r"no field page, and there are no places, .* no \[milestones\]; fields are"
        ):
            none.search("oak", where="page = 2")
        with pytest.raises(QueryError, match=r"no field pagination; fields are"):
            none.search("oak", where="pagination = 2")
