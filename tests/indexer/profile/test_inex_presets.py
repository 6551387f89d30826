"""The presets ieee and wikipedia on documents as these collections have them: titles, quiet parts, fields, units."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import trix
from tests.paths import ROOT

DATA = ROOT / "tests" / "data"


def opened(folder: Path, name: str) -> trix.Index:
    trix.build(DATA / f"{name}.xml", folder / "i", jobs=1)  # the profile is picked by the document
    return trix.open(folder / "i")


def answers(index: trix.Index, query: str, **options: Any) -> list[tuple[str, tuple[str, ...]]]:
    asked: dict[str, Any] = {"preset": "reading", "top": 20, "per_document": "all"}
    found = index.search(query, **asked | options)
    return [(result.path.removeprefix("/article[1]"), result.breadcrumb) for result in found]


def tags(index: trix.Index) -> set[str]:
    """Return the tags of the content elements."""
    table = index.files.elements
    table.everything()
    return {index.files.step_tags[step] for step in table.step[table.is_content].tolist()}


def test_an_article_of_the_ieee(tmp_path: Path) -> None:
    with opened(tmp_path, "ieee") as index:
        assert index.files.profile.name == "ieee"
        result = index.search("pasteboard", per_document="all")[0]
        assert result.title == "Looms and the Origins of Punched Cards"
        assert result.fields == {
            "title": "Looms and the Origins of Punched Cards",
            "journal": "IEEE ANNALS OF THE HISTORY OF COMPUTING",
            "author": ["Ada Weaver Mill University", "Joe Carder"],
            "year": 1995,
            "keyword": ["looms, punched cards"],
        }
        # the introduction and the abstract; neither the reference nor what is said of the author
        found = answers(index, "pasteboard", size="any", strategy="thorough")
        assert found and not any(path.startswith("/bm") for path, _ in found)
        assert ("/fm[1]/abs[1]/p[1]", ("Front matter", "Abstract")) in found
        assert ("/bdy[1]/sec[1]/p[1]", ("Introduction",)) in found
        assert [path for path, _ in answers(index, "spinner museum")] != []
        assert index.search("spinner", preset="reading").notices == (
            "found only in parts that are not returned where there is anything else, as headers and references",
        )
        assert answers(index, "//bb[about(., spinner)]") == [("/bm[1]/bib[1]/bibl[1]/bb[1]", ("References",))]
        figure = (
            "Cards in offices",
            "The census",
            "Figure 1. A clerk at the pantograph punch, from a newspaper of the year",
        )
        found = answers(index, "pantograph", strategy="thorough", size="any")
        assert ("/bdy[1]/sec[2]/ss1[1]/fig[1]/fgc[1]", figure) in found
        assert [path for path, _ in answers(index, "//fgc[about(., pantograph)]")] == [
            "/bdy[1]/sec[2]/ss1[1]/fig[1]/fgc[1]"
        ]
        # style is no element, numbers of references glue to no word, and what is irrelevant is gone
        assert not {"b", "scp", "sub", "super", "doi"} & (tags(index) | set(index.files.tags))
        assert {"st", "ip1", "p", "atl", "snm"} <= tags(index)
        assert len(index.search("mercury2")) == 1 and not len(index.search("1041"))
        assert {each.text for each in index.suggest("ce", top=20) if each.kind == "section"} == {"The census"}


@pytest.mark.parametrize("year", [2009, 2006])
def test_an_article_of_wikipedia(tmp_path: Path, year: int) -> None:
    with opened(tmp_path, f"wikipedia-{year}") as index:
        assert index.files.profile.name == "wikipedia"
        body, section, title = ("bdy", "sec", "st") if year == 2009 else ("body", "section", "title")
        inner = "ss1" if year == 2009 else "section"
        found = answers(index, "waiters", size="any", strategy="thorough")
        above = f"/{body}[1]/{section}[1]/{inner}[1]"
        assert (f"{above}/p[1]", ("History", "Vienna")) in found
        result = index.search("waiters", size="any")[0]
        assert result.title == "Coffeehouse" == result.fields["title"]
        if year == 2009:
            assert result.fields == {
                "title": "Coffeehouse", "subject": ["Coffee culture", "Drinking establishments"],
                "date": "2008-09-28", "year": 2008, "author": "Beanie",
            }  # fmt: skip
            assert not len(index.search("beanie"))  # the revision is no text
            found = answers(index, "drinking newspapers", size="any", strategy="thorough")
            assert found and not any("/header" in path for path, _ in found)
            assert "link" not in index.files.tags and "city" not in index.files.tags
        else:
            assert not len(index.search("kaffeehaus")) and "template" in tags(index)
        assert len(index.search("beans")) and len(index.search("london"))  # links are inside words and sentences
        assert [path for path, _ in answers(index, f"//{title}[about(., vienna)]")] == [f"{above}/{title}[1]"]
        assert [path for path, _ in answers(index, "//ss1[about(., waiters)]")][:1] == [above]  # either name finds it
        assert {each.text for each in index.suggest("vi") if each.kind == "section"} == {"Vienna"}
