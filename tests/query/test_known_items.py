"""Known items: what a query names by its title, number or id comes first; against a literal search over all titles."""

from __future__ import annotations

import json
import random
import re
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import trix
from tests.conftest import Cli
from trix.errors import QueryError, UsageError

pytestmark = pytest.mark.reading

PROFILE = """
title = "/book/name"
id = "/book/@id"
unit = ["label", "title", "name", "code"]
quiet = ["header"]
[titles]
"*" = ["label title", "title"]
Section = ["preceding-sibling::Heading", "label"]
[fields]
author = "/book/header/author"
[levels]
parts = "//sec"
"""
WORDS = ("tree", "edit", "the", "of", "distance", "Bäume", "label", "oak", "bark", "leaf")
BOOK = """<book id="law-7">
<name>Act on Trees</name><header><code>10.1234/trees.7</code><author>Ann Tree</author></header>
<sec><label>12</label><title>Planting of trees</title><p>{long}</p></sec>
<sec><label>13</label><title>Felling</title><p>A tree that is old may be felled by its owner.</p>
  <sec><label>13.2.1</label><title>The planting of hedges</title><p>Planting of trees is no such planting.</p>
  <title>Thorns and thistles as hedges</title><p>They are planted alike.</p></sec></sec>
<Heading>Final provisions of this act</Heading>
<Section><label>303</label><p>It comes into force.</p></Section>
<Section><label>304</label><p>It is cited as the act on trees.</p></Section>
</book>"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("known")
    (folder / "laws").mkdir()
    (folder / "laws" / "a.xml").write_text(BOOK.format(long="Whoever plants a tree digs a hole. " * 300), "utf-8")
    (folder / "laws" / "b.xml").write_text(
        "<book id='law-8'><name>Act on Hedges</name><sec><label>12</label><title>Hedges and trees</title>"
        "<p>Planting of trees, planting of trees, and their felling.</p></sec></book>",
        "utf-8",
    )
    (folder / "p.toml").write_text(PROFILE, "utf-8")
    trix.build(str(folder / "laws"), str(folder / "i"), profile=str(folder / "p.toml"))
    with trix.open(str(folder / "i")) as opened:
        yield opened


def first(index: trix.Index, query: str, **options: Any) -> tuple[str, str]:
    """Return the address of the first result, and what of it the query is."""
    results = index.search(query, **options)
    return (results[0].doc + results[0].path, results[0].known) if len(results) else ("", "")


PLANTING = "law-7/book[1]/sec[1]"


@pytest.mark.parametrize(
    ("query", "address", "kind"),
    [
        ("Planting of trees", PLANTING, "section"),
        ('"planting of TREES"', PLANTING, "section"),
        ("12 Planting of trees", PLANTING, "section"),
        ("Section 12. Planting of trees", PLANTING, "section"),
        ("planting trees", PLANTING, "section"),  # small words decide nothing
        ("planting of hedges", "law-7/book[1]/sec[2]/sec[1]", "section"),
        ("Felling", "law-7/book[1]/sec[2]", "section"),
        ("thorns and thistles as hedges", "law-7/book[1]/sec[2]/sec[1]", "section"),  # its second title
        ("THORNS AND THISTLES AS HEDGES", "law-7/book[1]/sec[2]/sec[1]", "section"),  # no operator
        ("final provisions of this act", "law-7/book[1]/Section[1]", "section"),
        ("act on trees", "law-7/book[1]", "title"),
        ("law-8", "law-8/book[1]", "id"),
        ("10.1234/TREES.7", "law-7/book[1]", "id"),
        ("https://doi.org/10.1234/trees.7", "law-7/book[1]", "id"),
        ("§ 303", "law-7/book[1]/Section[1]", "number"),
        ("Section 304", "law-7/book[1]/Section[2]", "number"),
        ("sec. 12 act on hedges", "law-8/book[1]/sec[1]", "number"),
        ("13.2.1", "law-7/book[1]/sec[2]/sec[1]", "number"),
        ("ann tree", "law-7/book[1]", "field"),
        ("Tree, Ann", "law-7/book[1]", "field"),
        ("trees planting", PLANTING, "words"),
        ("provisions of this act", "law-7/book[1]/Section[1]", "words"),
    ],
)
def test_what_a_query_names_comes_first(index: trix.Index, query: str, address: str, kind: str) -> None:
    assert first(index, query) == (address, kind)
    assert first(index, query, preset="study")[1] == ""
    assert not any(index.run({"1": query})["1"].known.values())


@pytest.mark.parametrize(
    "query",
    [
        "planting",
        '"trees planting"',
        "provisions of these",
        "of the",
        "12",
        "2024",
        "tree -planting of trees",
        "part of speech",
        "thistles thorns hedges",
    ],
)
def test_what_is_no_whole_title_names_nothing(index: trix.Index, query: str) -> None:
    assert not index.search(query).known


def test_options_decide_what_is_returned(index: trix.Index) -> None:
    assert first(index, "planting of trees", where="author ~ tree") == (PLANTING, "section")
    assert not index.search("planting of trees", where="author ~ smith").known
    assert not index.search("planting of trees", level="//p").known
    assert first(index, "planting of trees", level="parts") == (PLANTING, "section")
    assert not index.search("planting of trees", size="1:600").known  # that of the preset does not count
    assert not index.search("planting of trees", sort="author").known
    assert not index.search("planting of trees", known_items=False).known
    assert not index.search("//sec[about(., planting of trees)]").known
    grouped = index.search("planting of trees", group="document")
    assert [grouped[0].path, grouped[0].doc] == ["/book[1]/sec[1]", "law-7"] and grouped.known
    assert index.search("planting of trees", top=1).known and len(index.search("planting of trees", top=1)) == 1


def test_a_title_may_have_a_dash_between_blanks(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<book><sec><title>Trees - their planting</title><p>Dig.</p></sec></book>", "utf-8")
    (tmp_path / "p.toml").write_text(PROFILE, "utf-8")
    trix.build(str(tmp_path / "a.xml"), str(tmp_path / "i"), profile=str(tmp_path / "p.toml"))
    with trix.open(str(tmp_path / "i")) as index:
        assert first(index, "Trees - their planting")[1] == "section"
        for query in ("Trees - their digging", 'trees their "planting'):
            with pytest.raises(QueryError):
                index.search(query)


def test_it_is_told(index: trix.Index, run_cli: Cli) -> None:
    results = index.search("planting of trees")
    assert "the first result is the section with this title" in results.notices
    assert results[0].to_dict()["known"] == "section" and "known" not in results[1].to_dict()
    explanation = index.explain("planting of trees", results[0])
    assert explanation.value == results[0].score
    with pytest.raises(UsageError):
        index.explain("law-8", index.search("law-8")[0])
    where = index.files.path
    line = json.loads(run_cli("search", where, "law-8", "--explain", "--format", "jsonl")[1].splitlines()[0])
    assert line["known"] == "id" and "explanation" not in line
    assert (
        "the query is its title" in run_cli("search", where, "planting of trees", "--explain", "--format", "table")[1]
    )
    assert run_cli("search", where, "planting of trees", "--format", "csv")[1].count("law-7") >= 1


def test_of_a_frequent_word_only_titles_spelt_as_usual_are_read(
    index: trix.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert index.search("FELLING").known
    monkeypatch.setattr("trix.query.naming.known_items.RARE", 0)
    with trix.open(index.files.path) as anew:
        assert not anew.search("felling").known  # its title is "13 Felling"
        assert anew.search("act on trees").known and anew.search("planting of trees").known


# -- the oracle: every title of every section, literally -------------------------------------------------------------


def literal_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold().replace("ä", "a"))


def literal_titles(root: Any) -> list[tuple[str, str]]:
    """Return the path of each section with a title, and the title, as the profile's rules say."""
    found = []
    for each in root.iterdescendants("sec", "part"):
        label, title = each.findtext("label"), each.findtext("title")
        if title and re.search(r"[^\W\d_]{2}", title):
            found.append((root.getroottree().getpath(each), f"{label} {title}" if label else title))
    return found


def without_small(words: list[str]) -> list[str]:
    return [word for word in words if word not in ("the", "of")] or words


def literally_says(title: str, text: str) -> bool:
    """Whether a title is a text, with its number or without, small words alike."""
    words, asked = literal_words(title), without_small(literal_words(text))
    numbered = [words[1:]] if words[0].isdigit() else []
    return any(without_small(own) == asked for own in [words, *numbered])


def literally_named(titles: list[tuple[str, str, str]], text: str) -> list[tuple[str, str]]:
    """Return the sections with a title: the first of each document where these are many, none where those are, too."""
    wanted = [(doc, path) for doc, path, title in titles if literally_says(title, text)]
    if len(wanted) > 5:
        once = dict(reversed(wanted))
        wanted = [each for each in wanted if once[each[0]] == each[1]] if len(once) <= 5 else []
    return wanted or literally_with_words(titles, text)


def literally_with_words(titles: list[tuple[str, str, str]], text: str) -> list[tuple[str, str]]:
    """Return the sections with all words of a text in their titles, shorter titles first; none where they are many."""
    asked = {*without_small(literal_words(text))}
    wanted = [
        (len(literal_words(title)), at) for at, (*_, title) in enumerate(titles) if asked <= {*literal_words(title)}
    ]
    return [titles[at][:2] for _, at in sorted(wanted)] if len(asked) > 1 and len(wanted) <= 5 else []


def random_book(draw: random.Random) -> str:
    def section(depth: int) -> str:
        title = " ".join(draw.choices(WORDS, k=draw.randint(2, 4)))
        label = f"<label>{draw.randint(1, 9)}</label>" if draw.random() < 0.4 else ""
        text = " ".join(draw.choices(WORDS, k=draw.randint(1, 60)))
        inner = "".join(section(depth + 1) for _ in range(draw.randint(0, 2))) if depth < 2 else ""
        tag = draw.choice(("sec", "part"))
        titled = f"{label}<title>{title}</title>" if draw.random() < 0.8 else ""
        return f"<{tag}>{titled}<p>{text}</p>{inner}</{tag}>"

    return f"<book>{''.join(section(0) for _ in range(draw.randint(1, 4)))}</book>"


def normal(path: str) -> str:
    return re.sub(r"([A-Za-z])(?=/|$)", r"\1[1]", path)


def inside(one: tuple[str, str], other: tuple[str, str]) -> bool:
    return one[0] == other[0] and (one[1] + "/").startswith(other[1] + "/")


def limited(results: list[tuple[str, str]], most: int, head: int) -> list[tuple[str, str]]:
    shown: list[tuple[str, str]] = []
    for each in results:
        if len(shown) < head and sum(each[0] == other[0] for other in shown) < most:
            shown.append(each)
    return shown + [each for each in results if each not in shown]


@pytest.mark.parametrize("seed", range(6))
def test_titles_come_first_as_a_literal_search_finds_them(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over one segment, over several with deleted documents, and over two indexes."""
    monkeypatch.setattr("trix.query.naming.known_items.RARE", 1 << 30)
    draw, names = random.Random(seed), count()
    books = {f"d{next(names)}": random_book(draw) for _ in range(6)}
    (tmp_path / "p.toml").write_text(PROFILE.replace('id = "/book/@id"\n', ""), "utf-8")

    def build(ids: list[str], name: str) -> str:
        folder = tmp_path / f"{name}.docs"
        folder.mkdir()
        for each in ids:
            (folder / f"{each}.xml").write_text(books[each], "utf-8")
        trix.build(str(folder), str(tmp_path / name), profile=str(tmp_path / "p.toml"))
        return str(tmp_path / name)

    whole = build([*books], "whole")
    grown = build([*books][:3], "grown")
    extra = tmp_path / "extra"
    extra.mkdir()
    (extra / "gone.xml").write_text(random_book(draw), "utf-8")
    for each in [*books][3:]:
        (extra / f"{each}.xml").write_text(books[each], "utf-8")
    with trix.write(grown) as writer:
        writer.add(extra)
    with trix.write(grown) as writer:
        writer.delete(["gone"])
    two = [build([*books][:2], "one"), build([*books][2:], "two")]
    titles = [
        (each, normal(path), title)
        for each, xml in books.items()
        for path, title in literal_titles(etree.fromstring(xml.encode()))
    ]
    asked = [title for _, _, title in titles] + [re.sub(r"^\d+ ", "", title).upper() for _, _, title in titles]
    asked += [" ".join(draw.choices(WORDS, k=2)) for _ in range(20)]
    with trix.open(whole) as one, trix.open(grown) as many, trix.open(two) as several:
        named = 0
        for text in (each for each in dict.fromkeys(asked) if {*literal_words(each)} - {"the", "of"}):
            kept: list[tuple[str, str]] = []
            for item in literally_named(titles, text):
                if not any(inside(item, other) or inside(other, item) for other in kept):
                    kept.append(item)
            rest = [(each.doc, each.path) for each in one.search(text, top=None, known_items=False)]
            rest = [each for each in rest if not any(inside(each, item) or inside(item, each) for item in kept)]
            expected = limited(kept + rest, 3, 10)[:7] if kept else rest[:7]
            for index in (one, many, several):
                found = index.search(text, top=7)
                assert [(each.doc, each.path) for each in found] == expected, text
                assert set(found.known.values()) <= {"section", "words"} and len(found.known) == min(len(kept), 7)
            named += bool(kept)
        assert named > 3


def test_an_identifier_names_a_document_in_any_case_and_a_key_an_element(tmp_path: Path) -> None:
    (tmp_path / "abc-0198.xml").write_text(
        "<strings><RoofTooLow.label>Das Dach ist zu tief</RoofTooLow.label></strings>"
    )
    (tmp_path / "abc-0199.xml").write_text("<strings><Title>See ABC-0198 on roofs with a label</Title></strings>")
    trix.build(tmp_path, tmp_path / "i", jobs=1)
    with trix.open(tmp_path / "i") as strings:
        assert first(strings, "ABC-0198") == ("abc-0198/strings[1]", "id")
        assert first(strings, "RoofTooLow.label") == ("abc-0198/strings[1]/RoofTooLow.label[1]", "tag")
        assert first(strings, "Title") == ("", "")  # a word, and no key
