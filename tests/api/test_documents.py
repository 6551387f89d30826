"""Documents as a mapping of an index, many queries at once, frames, pickles, and displays of notebooks."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
from lxml import html

import trix
from trix.errors import NoDocumentError, QueryError, SourceError, TrixError

PROFILE = """
title = "/book/title"
id = "/book/@id"
unit = ["title", "p"]
[titles]
"*" = ["title"]
[fields]
author = { many = true, path = "/book/author" }
year = { type = "integer", path = "/book/year" }
"""


def book(name: str, year: str, text: str) -> str:
    authors = "<author>Ann Oak</author><author>Bo Elm</author>" if name == "a" else ""
    return (
        f"<book id='{name}'><title>On  {name.upper()}</title>{authors}{year}"
        f"<sec><title>Of trees</title><p>{text} Trees stand in the park.</p></sec>"
        "<sec><p>Bees &amp; trees.</p></sec></book>"
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "books").mkdir()
    for name, year, text in (("a", "<year>1999</year>", "Old trees."), ("b", "", "Young trees grow."), ("c", "", "")):
        (tmp_path / "books" / f"{name}.xml").write_text(book(name, year, text), "utf-8")
    (tmp_path / "p.toml").write_text(PROFILE, "utf-8")
    trix.build(tmp_path / "books", tmp_path / "i", profile=str(tmp_path / "p.toml"), jobs=1)
    return tmp_path


def test_an_index_is_a_mapping_of_its_documents(place: Path) -> None:
    with trix.open(place / "i") as index:
        assert (len(index), [each.id for each in index]) == (3, ["a", "b", "c"])
        assert "a" in index and "z" not in index and "a/book[1]" not in index and 7 not in index
        document = index["a"]
        assert (document.id, document.title, document.number) == ("a", "On A", 0)
        assert document.fields == {"author": ["Ann Oak", "Bo Elm"], "year": 1999}
        assert document.text == index.prose("a") and document.xml == index.show("a", xml=True)
        assert document.outline() == index.outline("a") and document.outline()[0].title == "Of trees"
        assert repr(document) == "<Document 'a', 'On A'>" and document == index["a"] != index["b"]
        assert len({index["a"], index["a"], index["b"]}) == 2
        with pytest.raises(KeyError):
            index["z"]
        with pytest.raises(NoDocumentError, match=r"^book: no such document$"):
            index["book"]
        with trix.write(place / "i") as writer:
            writer.delete(["b"])
        assert document.title == "On A" and index.refresh()
        assert [each.id for each in index] == ["a", "c"] and "b" not in index


def test_an_id_like_that_of_a_document_is_offered(place: Path) -> None:
    shutil.copy(place / "books" / "a.xml", place / "books" / "d.xml")
    (place / "books" / "d.xml").write_text("<book id='letters-1850'><p>x</p></book>", "utf-8")
    trix.build(place / "books", place / "j", profile=str(place / "p.toml"), jobs=1)
    with trix.open(place / "j") as index, pytest.raises(TrixError, match=r"did you mean letters-1850\?"):
        index["letters-1851"]


QUERIES = ["trees", "+old trees", "bees", "nowhere", "//sec[about(., young trees)]", '"old trees"']


@pytest.mark.parametrize("jobs", [1, 2])
def test_many_queries_have_the_results_that_each_has(place: Path, jobs: int) -> None:
    with trix.open(place / "i") as index:
        options: dict[str, Any] = {"top": 3, "facet": ["author"], "where": "author ~ elm or not author exists"}
        together = index.search_many(iter(QUERIES), jobs=jobs, **options)
        alone = [index.search(each, **options) for each in QUERIES]
        assert len(together) == len(QUERIES)
        for found, one in zip(together, alone, strict=True):
            assert [result.to_dict() for result in found] == [result.to_dict() for result in one]
            assert (found.typed, found.matched, found.notices) == (one.typed, one.matched, one.notices)
            assert [each.matched_fields for each in found] == [each.matched_fields for each in one]
            assert found.facets == one.facets and repr(found) == repr(one)
        assert index.search_many([]) == []
        with pytest.raises(QueryError, match="column 7"):
            index.search_many(["trees", 'trees "old'], jobs=jobs)


def test_representations_say_what_was_typed(place: Path) -> None:
    with trix.open(place / "i") as index:
        assert repr(index.search("Trees", top=1)).startswith("<Results 1 of ")
        assert repr(index.search("Trees", top=1)).endswith(" for 'Trees'>")
        assert repr(index.passages("Trees")).endswith(" for 'Trees'>")


def test_a_frame_has_a_column_a_field_and_texts_if_asked(place: Path) -> None:
    pandas = pytest.importorskip("pandas")
    with trix.open(place / "i") as index:
        results = index.search("trees", preset="study", top=None)
        frame = results.to_frame(text=True)
        assert list(frame["text"]) == [result.text for result in results]
        assert "text" not in results.to_frame().columns and "fields" not in frame.columns
        for row, result in zip(frame.to_dict("records"), results, strict=True):
            assert (row["docno"], row["title"]) == (result.doc + result.path, result.title)
            if result.doc == "a":
                assert (row["fields.author"], row["fields.year"]) == (["Ann Oak", "Bo Elm"], 1999)
            else:
                assert row["fields.author"] is None and pandas.isna(row["fields.year"])


@pytest.mark.parametrize("query", ["old trees", "bees -old", '"old trees"', "//sec[about(., trees)]"])
def test_results_are_pickled_and_read_their_texts_again(place: Path, query: str) -> None:
    with trix.open(place / "i") as index:
        results = index.search(
            query, facet=["author"], phrases="content", where='author = "Bo Elm" or not author exists'
        )
        again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(results))))
        assert [each.to_dict(matches=True) for each in again] == [each.to_dict(matches=True) for each in results]
        assert [each.text for each in again] == [each.text for each in results]
        assert [each.matched_fields for each in again] == [each.matched_fields for each in results]
        assert {"author": ["Bo Elm"]} in [each.matched_fields for each in results]
        assert (again.query, again.typed, again.matched) == (results.query, results.typed, results.matched)
        assert again.facets == results.facets and again.facets["author"][:1] == results.facets["author"][:1]
        assert again._repr_html_() == results._repr_html_()
        assert [each.doc for each in results] and results[0].text  # the original is as it was


def test_results_of_an_index_that_changed_or_went_have_their_names(place: Path) -> None:
    with trix.open(place / "i") as index:
        kept = pickle.dumps(index.search("trees"))
        paths = [each.doc + each.path for each in index.search("trees")]
    with trix.write(place / "i") as writer:
        writer.delete(["b"])
    changed = pickle.loads(kept)
    assert [each.doc + each.path for each in changed] == paths and changed.scores.size == len(paths)
    with pytest.raises(SourceError, match="the index has changed since these results were pickled; search again"):
        _ = changed[0].text
    shutil.rmtree(place / "i")
    gone = pickle.loads(kept)
    assert [each.doc + each.path for each in gone] == paths
    with pytest.raises(SourceError, match="the index cannot be opened"):
        _ = gone[0].snippet


def test_facets_passages_explanations_and_scores_are_tables_of_notebooks(place: Path) -> None:
    def texts(of: Any, path: str) -> list[str]:
        page: Any = html.fromstring(of._repr_html_())
        return [each.text_content() for each in page.findall(path)]

    with trix.open(place / "i") as index:
        results = index.search("trees <b>", facet=["author"], preset="study")
        assert texts(results.facets["author"], ".//caption/span") == ["author", "2 values"]
        rows: Any = html.fromstring(results.facets["author"]._repr_html_()).findall(".//tbody/tr")
        assert [cell.text_content() for cell in rows[0]] == ["Ann Oak", "1", str(results.facets["author"][0].elements)]
        passages = index.passages("trees")
        assert texts(passages, ".//caption/span")[0] == "trees"
        assert len(texts(passages, ".//tbody/tr")) == len(passages)
        assert passages[0].address in texts(passages, ".//tbody/tr")[0]
        explanation = index.explain("trees", index.search("trees")[0])
        opened = texts(explanation, "./details/summary")
        assert len(opened) == 1 and opened[0].startswith(f"{explanation.value!r} = {explanation.what}")
        run = index.run({"1": "trees", "2": "bees"})
        scores = trix.evaluate({"1": {"a/book[1]/sec[1]/p[1]": 1}}, run, ["AP", "P@10"])
        assert texts(scores, ".//thead/tr/th") == ["run", "AP", "P@10"]
        assert texts(scores, ".//tbody/tr/td")[1] == f"{scores['AP'].mean:.4f}"
        for each in (results.facets["author"], passages, explanation, scores):
            assert "<b>" not in each._repr_html_() or each is explanation
