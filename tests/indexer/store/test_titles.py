"""Titles of sections in an index, and suggestions of them: against literal readings of trees and of what is found."""

from __future__ import annotations

import copy
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import trix
from tests.conftest import Cli
from trix.indexer.checking.index import check
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import DocumentRecord
from trix.indexer.document.tree import LazyTree
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.profile.profile import PRESETS, Profile, load_profile
from trix.indexer.read import element_text
from trix.indexer.read.compressed_text import titles_of
from trix.indexer.read.element_text import ElementText
from trix.indexer.read.headings import TOO_LONG, Headings
from trix.indexer.store.titles import title_words
from trix.indexer.write.titles import TitleReader

WORDS = ["On", "bees", "and", "apes", "Müller", "1.", "2", "results", "𝔸lpha"]
texts = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
TAGS = ["sec", "title", "label", "caption", "fig", "p", "b", "Heading", "Section", "note", "head", "name"]
TITLES = """
[titles]
"*" = ["label title", "title", "head"]
fig = ["label caption/title", "label"]
Section = ["preceding-sibling::Heading", "label", "@n"]
"sec[@k]" = ["'Constant'"]
"""


@st.composite
def trees(draw: st.DrawFn, depth: int = 4) -> Any:
    element = etree.Element(draw(st.sampled_from(TAGS)))
    element.text = draw(texts)
    if draw(st.integers(0, 9)) == 0:
        element.set("k", "1")
    if depth:
        for child in draw(st.lists(trees(depth - 1), max_size=3)):
            child.tail = draw(texts)
            element.append(child)
    return element


def profile_of(folder: Path, text: str = TITLES) -> Profile:
    (folder / "own.toml").write_text(text)
    return load_profile(folder / "own.toml")


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Profile:
    return profile_of(tmp_path_factory.mktemp("titles"))


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Profile:
    return profile_of(tmp_path_factory.mktemp("nested"), NESTED)


@settings(max_examples=60, deadline=None)
@given(trees())
def test_sections_have_the_titles_of_their_breadcrumbs(profile: Profile, root: Any) -> None:
    reader = DocumentReader(profile)
    record = reader.read_document(root)
    places = partial(reader.places, root)
    found = TitleReader(profile, ElementText(profile)).read(LazyTree.of(root), reader)
    assert [place for _, place in found] == sorted(place for _, place in found)
    headings, literal = Headings(profile, ElementText(profile).slowly), []
    for element in list(root.iterdescendants()):
        (place,) = places([element])
        assert place == place_by_path(element, root, record, reader.steps.names)
        if place >= 0:
            titles = headings.of(element)
            if titles and titles[-1] == "Constant":
                titles.pop()
            literal += [
                (title, place)
                for title in dict.fromkeys(titles)
                if any(len(word) > 1 and word.isalpha() for word in title_words(title.removeprefix(f"{element.tag} ")))
            ]
    assert sorted(found) == sorted(literal)
    compiled = MarkupReader(profile, reader.steps)
    compiled.read_document(root)
    assert TitleReader(profile, ElementText(profile)).read(LazyTree.of(root), compiled) == found


NESTED = """
inline = ["b"]
container = ["head"]
[titles]
"*" = ["label caption/title", "name", "label title", "title", "fig/caption/title", "head", "label"]
sec = ["fig/head title", "title"]
"fig[@k]" = ["label"]
p = []
"""


@settings(max_examples=300, deadline=None)
@given(trees(), st.sampled_from(["nested", *PRESETS]), st.booleans())
def test_titles_from_markup_are_those_from_trees(nested: Profile, root: Any, name: str, entity: bool) -> None:
    profile = nested if name == "nested" else load_profile(name)
    if entity:
        for title in list(root.iter("title"))[::2]:
            title.append(etree.Entity("who"))
    reader = DocumentReader(profile)
    reader.read_document(root)
    found = TitleReader(profile, ElementText(profile)).read(LazyTree.of(root), reader)
    compiled = MarkupReader(profile)
    compiled.read_document(root)
    assert compiled.scan is not None
    assert TitleReader(profile, ElementText(profile)).read(LazyTree.of(root), compiled) == found


@settings(max_examples=200, deadline=None)
@given(trees(), st.sampled_from(["own", *PRESETS]))
def test_titles_by_path_are_those_of_all_elements(profile: Profile, root: Any, name: str) -> None:
    asked = profile if name == "own" else load_profile(name)
    headings, literal = Headings(asked, ElementText(asked).slowly), {}
    outside = etree.Element("sec")  # a document is a part of a file
    etree.SubElement(outside, "title").text = "On apes"
    outside.append(root)
    for element in root.iterdescendants():
        if titles := headings.of(element):
            steps = [element, *element.iterancestors()]
            path = ""
            for each in steps[: steps.index(root)]:
                path = f"/{each.tag}[{1 + len(list(each.itersiblings(each.tag, preceding=True)))}]{path}"
            literal[path] = tuple(titles)
    assert titles_of(root, headings) == literal


def place_by_path(element: Any, root: Any, record: DocumentRecord, steps: Sequence[str]) -> int:
    """Return the row that has the path of an element; -1 without one."""
    path = ""
    while element is not root:
        same = sum(1 for _ in element.itersiblings(element.tag, preceding=True)) + 1
        path = f"/{element.tag}[{same}]{path}"
        element = element.getparent()
    above: list[str] = []
    for row, (depth, step, same) in enumerate(zip(record.depth, record.step, record.same, strict=True)):
        above = [*above[: depth - 1], f"/{steps[step]}[{same}]"] if depth else []
        if "".join(above) == path:
            return row
    return -1


@settings(max_examples=60, deadline=None)
@given(trees(2), st.sampled_from(PRESETS))
def test_a_text_is_what_reading_the_element_gives(element: Any, preset: str) -> None:
    text_of = ElementText(load_profile(preset))
    found = " ".join(text_of(element).split())
    assert found == " ".join(text_of.slowly(element).split()) or found == as_a_content_element(text_of, element)


@settings(max_examples=60, deadline=None)
@given(trees(2), st.sampled_from(PRESETS), st.integers(0, 12))
def test_of_a_text_that_is_long_enough_the_end_may_be_missing(element: Any, preset: str, enough: int) -> None:
    text_of = ElementText(load_profile(preset))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(element_text, "_LOOKED_AT", 1)
        found = " ".join(text_of(element, enough).split())
    assert found == " ".join(text_of(element).split()) or len(found) > enough


def test_a_long_part_of_a_law_that_is_called_title_is_none_and_is_not_read_to_its_end() -> None:
    profile, looked = load_profile("generic"), list[int]()
    text_of = ElementText(profile)

    def shown(element: Any) -> str:
        looked.append(len(text_of(element, TOO_LONG)))
        return text_of(element, TOO_LONG)

    law = etree.fromstring(f"<main><title>{'<p>Some words.</p>' * 1000}</title></main>")
    short = etree.fromstring(f"<main><title>{'<p>word</p>' * 70}</title></main>")
    assert Headings(profile, shown).of(law) == [] and TOO_LONG < looked[0] < 4 * TOO_LONG
    assert Headings(profile, shown).of(short) == Headings(profile, text_of.slowly).of(short) != []


def as_a_content_element(text_of: ElementText, element: Any) -> str:
    """Return how an element is shown that has a word of its own, without that."""
    copied = copy.deepcopy(element)
    copied.text = f"word {copied.text or ''}"
    return " ".join(text_of.slowly(copied).split()).removeprefix("word").strip()


def test_no_blank_stands_behind_the_bracket_of_a_title() -> None:
    text_of = ElementText(load_profile("generic"))
    assert text_of(etree.fromstring("<title>(<c>1</c>) <c>Fees</c>, <c>costs</c><c>and</c> more</title>")) == (
        "(1) Fees, costs and more"
    )


DOCUMENT = "<book><title>{0}</title>{1}</book>"


def document(title: str, sections: list[str]) -> str:
    return DOCUMENT.format(title, "".join(f"<sec><title>{each}</title><p>word</p></sec>" for each in sections))


documents = st.lists(st.tuples(texts, st.lists(texts, max_size=4)), min_size=1, max_size=5)


def literally(living: list[tuple[str, list[str]]], text: str, kind: str) -> list[tuple[str, int]]:
    """Return the titles with all words of a text, the last as a beginning, and how often they are, most first."""
    words = title_words(text)
    begun = "" if text[-1:].isspace() else words.pop() if words else ""
    every = [title for title, _ in living] if kind == "title" else [each for _, own in living for each in own]
    ends = ".,:;" if kind == "section" else ""
    counted = Counter(" ".join(title.split()).rstrip(ends) for title in every)
    fitting = [
        (title, count)
        for title, count in counted.items()
        for own in [title_words(title)]
        if all(word in own for word in words) and any(word.startswith(begun) for word in own)
        if kind == "title" or any(len(word) > 1 and word.isalpha() for word in own)
    ]
    return sorted(fitting, key=lambda each: (-each[1], each[0])) if words or begun else []


@settings(max_examples=12, deadline=None)
@given(documents, st.data())
def test_suggestions_are_those_of_what_lives_whatever_the_history(
    first: list[tuple[str, list[str]]], data: st.DataObject
) -> None:
    asked = data.draw(st.lists(st.sampled_from(["o", "b", "on b", "bees a", "and ", "mull", "x", "𝔸"]), min_size=1))
    gone = data.draw(st.sets(st.integers(0, len(first) - 1), max_size=len(first) - 1))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        profile_of(folder, 'title = "/book/title"\n[titles]\nsec = ["title"]\n')
        for number, (title, sections) in enumerate(first):
            how = {"merge": bool(number % 2)} if number else {"profile": folder / "own.toml"}
            with trix.write(folder / "i", **how) as writer:
                writer.add_document(document(title, sections), id=f"d{number}")
        with trix.write(folder / "i", merge=False) as writer:
            for number in gone:
                writer.delete(f"d{number}")
        living = [each for number, each in enumerate(first) if number not in gone]
        for _ in range(2):
            assert check(folder / "i") == []
            with trix.open(folder / "i") as index:
                for text in asked:
                    for kind in ("title", "section"):
                        found = index.now.suggester.titles(text, kind, 20)
                        expected = literally(living, text, kind)[:20]
                        assert [(each.text, each.frequency) for each in found] == expected
                        for each in found:
                            shown = index.show(each.doc + each.path)
                            assert " ".join(shown.split()).startswith(each.text)
            with trix.write(folder / "i") as writer:
                writer.compact()


SEVERAL = (
    "<book><title>Book</title><sec><title/><title>First <b>heading</b></title><title>Second heading</title>"
    "<p>ash</p></sec><fig><caption><p>none</p></caption><caption><title>Map</title><title>Plan</title></caption>"
    "<p>ash</p></fig></book>"
)


@pytest.mark.usefixtures("both_readers")
def test_of_several_children_of_one_name_the_first_with_text_is_the_title(tmp_path: Path) -> None:
    profile_of(tmp_path, '[titles]\n"*" = ["title", "caption/title"]\n')
    (tmp_path / "a.xml").write_text(SEVERAL)
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile=tmp_path / "own.toml", jobs=1)
    with trix.open(tmp_path / "i") as index:
        suggested = [each.text for begun in ("first", "second", "map", "plan") for each in index.suggest(begun)]
        assert [each for each in suggested if " " in each or each[0].isupper()] == ["First heading", "Map"]
        found = index.search("ash", strategy="thorough")
        assert {each.breadcrumb for each in found if each.tag == "p"} == {("First heading",), ("Map",)}


def test_titles_of_several_indexes_are_counted_together(tmp_path: Path) -> None:
    profile_of(tmp_path, 'title = "/book/title"\n[titles]\nsec = ["title"]\n')
    for name, sections in (("a", ["On bees", "On apes"]), ("b", ["On bees"])):
        (tmp_path / f"{name}.xml").write_text(document(f"Book {name}", sections))
        trix.build(tmp_path / f"{name}.xml", tmp_path / f"{name}.index", profile=tmp_path / "own.toml", jobs=1)
    with trix.open([tmp_path / "a.index", tmp_path / "b.index"]) as index:
        found = index.suggest("on")
        assert [(each.text, each.kind, each.frequency, each.doc, each.path) for each in found] == [
            ("On bees", "section", 2, "a", "/book[1]/sec[1]"),
            ("On apes", "section", 1, "a", "/book[1]/sec[2]"),
        ]
        assert [(each.text, each.kind) for each in index.suggest("boo")] == [
            ("book", "word"), ("Book a", "title"), ("Book b", "title"),
        ]  # fmt: skip


def test_without_a_preset_names_in_parts_are_no_titles(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        "<rfc><section><name>Security Considerations</name><t>none</t><name>Security of others</name></section>"
        "<section><t>secure speech</t><name>Secure Speaker</name></section>"
        "<author><name><given>Secure</given> <family>Person</family></name></author></rfc>"
    )
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="generic")
    found = trix.open(tmp_path / "i").suggest("secur")
    assert [each.text for each in found if each.kind == "section"] == ["Security Considerations"]


def test_the_command_prints_suggestions(tmp_path: Path, run_cli: Cli) -> None:
    profile_of(tmp_path, 'title = "/book/title"\n[titles]\nsec = ["title"]\n')
    (tmp_path / "a.xml").write_text(document("On woods", ["Oaks", "Oaks"]))
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile=tmp_path / "own.toml", jobs=1)
    code, out, err = run_cli("suggest", tmp_path / "i", "oa")
    assert (code, err) == (0, "")
    assert out == "1  word     oaks\n2  section  Oaks  a/book[1]/sec[1]\n"
    code, out, _ = run_cli("suggest", tmp_path / "i", "wo", "--json", "-n", 5)
    assert code == 0 and [json.loads(line) for line in out.splitlines()] == [
        {"text": "woods", "kind": "word", "frequency": 1},
        {"text": "word", "kind": "word", "frequency": 1},
        {"text": "On woods", "kind": "title", "frequency": 1, "doc": "a", "path": ""},
    ]
    assert run_cli("suggest", tmp_path / "i", "wo", "-n", "0")[0] == 2


@pytest.mark.parametrize(
    "xml",
    [
        "<rss><channel><title>Here</title><item><title>News</title></item></channel></rss>",
        "<feed><title>Here</title><entry><title>News</title></entry></feed>",
        "<html><head><title>Here</title></head><body><h1>Other</h1></body></html>",
        "<kml><Document><name>Here</name><Placemark><name>Hill</name></Placemark></Document></kml>",
        "<score-partwise><work><work-title>Here</work-title></work></score-partwise>",
        "<ead><eadheader/><archdesc><did><unittitle>Here</unittitle></did></archdesc></ead>",
        "<mods><titleInfo><title>Here</title></titleInfo></mods>",
    ],
)
def test_documents_of_common_schemas_without_a_preset_have_their_titles(tmp_path: Path, xml: str) -> None:
    (tmp_path / "a.xml").write_text(xml)
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile="generic")
    assert trix.open(tmp_path / "i").files.titles[0] == "Here"
