"""The handbook: articles are whole, their commands run, their pages read well, the assessments fit their words."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from lxml import etree

from trix.handbook import ARTICLES
from trix.handbook.contents import chapters, plain

FILES = sorted(ARTICLES.glob("*.xml"))
ID = "id"


def words(path: Path) -> int:
    """Count the words of an article, references included."""
    return len(" ".join(str(text) for text in etree.parse(path).getroot().itertext()).split())


def test_there_are_many_articles_each_with_a_title_of_its_own_and_a_place_in_the_contents() -> None:
    titles = {plain(etree.parse(path).find(".//article-title")) for path in FILES}
    assert len(FILES) >= 40
    assert len(titles) == len(FILES)
    assert sorted(chapter.name for chapter in chapters()) == sorted(path.stem for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_article_has_the_parts_of_one(path: Path) -> None:
    root = etree.parse(path).getroot()
    assert [child.tag for child in root if child.tag != "back"] == ["front", "body"]
    assert root.findtext("front/article-meta/abstract/p")
    assert len(root.findall("front/article-meta/kwd-group/kwd")) >= 3
    assert len(root.findall("body/sec")) >= 3
    assert all(section.findtext("title") for section in root.iter("sec"))
    assert root.find("back") is None or root.findall("back/ref-list/ref")
    assert 300 <= words(path) <= 900


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_ids_are_unique_and_every_reference_within_an_article_leads_to_one(path: Path) -> None:
    root = etree.parse(path).getroot()
    ids = Counter(element.get(ID) for element in root.iter() if element.get(ID))
    assert [name for name, times in ids.items() if times > 1] == []
    assert [xref.get("rid") for xref in root.iter("xref") if xref.get("rid") not in ids] == []


def test_the_collection_shows_sections_in_sections_lists_figures_tables_and_mixed_content() -> None:
    shown = Counter(element.tag for path in FILES for element in etree.parse(path).getroot().iter())
    for tag in ["list-item", "fig", "table", "def-list", "code", "disp-formula", "fn", "italic", "bold", "sub", "sup"]:
        assert shown[tag], f"no {tag} anywhere"
    assert any(etree.parse(path).find("body/sec/sec") is not None for path in FILES)
