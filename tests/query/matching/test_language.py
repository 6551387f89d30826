"""The language of a query in a collection of several: told by its other words, where a word is stopped in some."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import trix
from trix.query.matching.language import language_of_query

ENGLISH = "<d xml:lang='en'><p>the rights of the child</p><p>the causes of the war</p><p>child rights</p></d>"
FRENCH = "<d xml:lang='fr'><p>les droits de la personne</p><p>un ministre of the crown</p><p>la cause</p></d>"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    folder = tmp_path_factory.mktemp("spoken")
    for name, text in (("en", ENGLISH), ("fr", FRENCH)):
        (folder / f"{name}.xml").write_text(text)
    trix.build(folder, folder / "i", stem="auto", profile="generic", jobs=1)
    with trix.open(folder / "i") as opened:
        yield opened


def found(index: trix.Index, query: str) -> set[str]:
    return {
        f"{r.doc}{r.path.removeprefix('/d[1]')}" for r in index.search(query, level="//p", phrases="exact", top="all")
    }


@pytest.mark.parametrize(
    ("query", "language"),
    [
        ("rights of the child", "en"),
        ("droits of ministre", "fr"),
        ("rights child", ""),  # nothing depends on it
        ("of", ""),  # nothing tells
        ("zebra of", ""),
        ("cause of", ""),  # once in each
    ],
)
def test_the_other_words_tell(index: trix.Index, query: str, language: str) -> None:
    assert language_of_query(query.split(), index.files) == language


def test_what_the_list_of_that_language_has_is_no_word(index: trix.Index) -> None:
    assert found(index, '"rights of the child"') == {"en/p[1]"}
    assert found(index, "rights of the child") == {"en/p[1]", "en/p[3]"}
    assert found(index, "of") == {"fr/p[2]"}
    assert found(index, '"ministre of the crown"') == {"fr/p[2]"}


def test_one_language_has_one_list(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(ENGLISH)
    trix.build(tmp_path / "a.xml", tmp_path / "i", stem="porter", jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert language_of_query(["rights", "of"], index.files) == ""
