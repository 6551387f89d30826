"""The home page and the list of documents: examples that have answers, fields as entrances, every title once."""

from __future__ import annotations

import html
import random
import re
from pathlib import Path
from urllib.parse import unquote_plus

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

from starlette.testclient import TestClient

import trix
from trix.web.app import app
from trix.web.pages.home import examples
from trix.web.site.site import Site

PROFILE = """
title = "/play/title"
[fields]
year = { type = "integer", path = "/play/year" }
kind = "/play/kind"
"""
TITLES = ("Éclat", "zebras", "apple trees", "«Bees» of summer", "12 angry men", "Apples again", "Österreich", "")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    folder: Path = tmp_path_factory.mktemp("home")
    (folder / "plays").mkdir()
    for number in range(240):
        title = TITLES[number] if number < len(TITLES) else f"Orchard garden {number:03}"
        kind = "<kind>comedy</kind>" if number % 3 else "<kind>tragedy</kind>"
        text = f"<act><p>Orchard garden trees {number}.</p><p>Words &amp; more.</p><p>Even more.</p></act>"
        (folder / "plays" / f"p{number}.xml").write_text(
            f"<play><title>{title}</title><year>{1600 + number % 4}</year>{kind}{text}</play>", "utf-8"
        )
    (folder / "p.toml").write_text(PROFILE, "utf-8")
    trix.build(folder / "plays", folder / "i", profile=str(folder / "p.toml"), jobs=1)
    return trix.open(folder / "i")


@pytest.fixture(scope="module")
def client(index: trix.Index) -> TestClient:
    place = Site(index, title="Plays", description="Comedies <b> and tragedies.")
    return TestClient(app(place), base_url="http://127.0.0.1")


def links(page: str, kind: str) -> list[tuple[str, str]]:
    """Return addresses and texts of the links in the first element of a class."""
    part = re.search(rf'class="[^"]*\b{kind}\b.*?</(?:p|div|nav|ol)>', page, re.DOTALL)
    found = re.findall(r'<a [^>]*?href="([^"]+)"[^>]*>(.*?)</a>', part[0], re.DOTALL) if part else []
    return [(html.unescape(address), html.unescape(re.sub(r"<[^>]+>", "", text)).strip()) for address, text in found]


def test_examples_are_a_word_a_phrase_and_a_path_that_have_answers(client: TestClient, index: trix.Index) -> None:
    page = client.get("/").text
    assert "Comedies &lt;b&gt; and tragedies." in page
    shown = links(page, "examples")
    assert [text for _, text in shown] == examples(index) and len(shown) == 3
    assert shown[1][1].startswith('"') and shown[2][1].startswith("//act[about(., ")
    for address, _ in shown:
        assert 'class="hit' in client.get(address).text


def test_fields_are_entrances_to_their_documents(client: TestClient) -> None:
    entrances = {text: address for address, text in links(client.get("/").text, "entrances")}
    assert entrances["comedy 160"] == "/documents?in=kind%3Acomedy" and "1600 60" in entrances
    page = client.get(entrances["tragedy 80"]).text
    assert "1 to 80 of 80" in page and page.count("<li ") == 80
    assert links(page, "chosen") == [("/documents", "kind: tragedy")]
    assert "of 20" in client.get("/documents?in=kind:tragedy&in=year:1600").text


def test_all_documents_are_listed_once_in_the_order_of_their_titles(client: TestClient) -> None:
    address, seen = "/documents", list[str]()
    while address:
        page = client.get(address).text
        seen += [text for _, text in links(page, "listed")]
        after = re.search(r'<a rel="next" href="([^"]+)"', page)
        address = html.unescape(after[1]) if after else ""
    assert len(seen) == 240 and len(set(seen)) == 240
    assert seen[:5] == ["12 angry men", "apple trees", "Apples again", "«Bees» of summer", "Éclat"]
    assert seen[-1] == "zebras" and seen[-2] == "p7"  # without a title it has its id
    letters = links(client.get("/documents").text, "letters")
    assert [text for _, text in letters] == ["All", "#", "A", "B", "E", "O", "P", "Z"]
    assert [text for _, text in links(client.get(letters[2][0]).text, "listed")] == ["apple trees", "Apples again"]
    second = client.get("/documents?letter=O&from=101").text
    assert "101 to 200 of 233" in second and unquote_plus(links(second, "pages")[0][0]) == "/documents?letter=O"


def test_the_profile_gives_title_and_description_unless_the_place_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('[collection]\ntitle = "Aalto letters"\ndescription = "1,200 letters."\n')
    (tmp_path / "more.toml").write_text('extends = "own.toml"\ncollection.title = "More letters"\n')
    (tmp_path / "a.xml").write_text("<doc><p>Dear sister.</p></doc>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile=str(tmp_path / "more.toml"), jobs=1)
    for own, told, title, description in (("", "", "More letters", "1,200 letters."), ("T", "D", "T", "D")):
        with TestClient(app(Site(trix.open(tmp_path / "i"), title=own, description=told))) as client:
            page = client.get("/").text
        assert f"<h1>{title}</h1>" in page and f'<p class="tagline">{description}</p>' in page


def test_mistakes_in_addresses_are_told(client: TestClient) -> None:
    assert client.get("/documents?letter=Q").status_code == 400
    assert client.get("/documents?where=year+%3E").status_code == 400
    assert "0 of 0" in client.get("/documents?where=year+%3E+1700").text


def test_a_list_in_any_language_is_in_order() -> None:
    from trix.support.collation import sort_key

    draw = random.Random(1)
    titles = ["Été", "ete", "Ετος", "élan", "Zoo", "zoo 2", "Ångström", "angle", "שלום"]
    draw.shuffle(titles)
    assert sorted(titles, key=lambda title: (sort_key(title), title)) == [
        "angle", "Ångström", "élan", "ete", "Été", "Zoo", "zoo 2", "Ετος", "שלום",
    ]  # fmt: skip
