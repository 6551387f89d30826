"""Facets of the search page: fields of every collection, ranges, and a box for values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from lxml import html as lxml_html

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("httpx", reason="starlette's client needs it")
from starlette.testclient import TestClient

import trix
from tests import web_samples
from trix.web.app import app

PROFILE = """
[fields]
type = "name(/*)"
year = {path = "/*/year", type = "integer"}
author = {path = "/*/author", many = true}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with documents, an index of them, and one without fields of its own."""
    base = tmp_path_factory.mktemp("facets")
    for number in range(60):
        path = base / "c" / ("old" if number % 3 else "new") / f"d{number:02}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        authors = f"<author>Writer{number // 2:02} Jane</author><author>Common Ann</author>"
        tag = "play" if number % 2 else "note"
        path.write_text(f"<{tag}><year>{1900 + number}</year>{authors}<p>tree {'leaf ' * number}</p></{tag}>")
    (base / "own.toml").write_text(PROFILE)
    trix.build(base / "c", base / "own", profile=base / "own.toml", jobs=1)
    trix.build(base / "c", base / "generic", profile="generic", jobs=1)
    (base / "notes").mkdir()
    for number in range(20):
        (base / "notes" / f"{number}.xml").write_text(f"<note><p>tree {'leaf ' * number}</p></note>")
    trix.build(base / "notes", base / "flat", jobs=1)
    return base


@pytest.fixture
def client(folder: Path, request: pytest.FixtureRequest) -> Iterator[TestClient]:
    """Return a client of one of the indexes."""
    with TestClient(app(web_samples.place(folder / request.param)), raise_server_exceptions=True) as made:
        yield made


def facets(page: str) -> dict[str, dict[str, int]]:
    """Return the facets of a page: of each field its values and their documents."""
    root: Any = lxml_html.fromstring(page)
    found = {}
    for section in root.xpath('//details[contains(@class, "facets")]/section'):
        values = ((each.xpath("string(span[1])"), each.xpath("string(span[2])")) for each in section.iter("a"))
        found[section.findtext("h3")] = {value: int(count or 0) for value, count in values}
    return found


@pytest.mark.parametrize("client", ["own"], indirect=True)
def test_ranges_stand_in_order_and_lead_to_their_documents(client: TestClient) -> None:
    page = client.get("/?q=tree").text
    found = facets(page)
    assert list(found) == ["type", "year", "author", "folder"]  # the root says what the type says
    assert found["year"] == {f"{year}–{year + 4}": 5 for year in range(1900, 1960, 5)}
    assert found["folder"] == {"old": 40, "new": 20}
    address = next(unescape(each) for each in re.findall(r'href="([^"]*1910[^"]*)"', page))
    narrowed = client.get(address).text
    assert facets(narrowed)["type"] == {"note": 3, "play": 2} and list(facets(narrowed)["year"])[2] == "1910–1914"
    assert facets(narrowed)["year"] == found["year"]


@pytest.mark.parametrize("client", ["own"], indirect=True)
def test_values_are_found_by_their_words(client: TestClient) -> None:
    page = client.get("/?q=tree").text
    assert 'name="find.author"' in page and 'name="find.year"' not in page and 'name="find.type"' not in page
    found = client.get("/?q=tree&find.author=writer1&in=type:play").text
    assert facets(found)["author"] == {f"Writer1{number} Jane": 1 for number in range(10)}
    root: Any = lxml_html.fromstring(found)
    (form,) = root.xpath('//form[@class="find"]')
    sent = [(each.get("name"), each.get("value")) for each in form.iter("input")]
    assert sent == [("q", "tree"), ("in", "type:play"), ("find.author", "writer1")]
    assert "find.author=writer1" in unescape(found).split('rel="next" href="')[1].split('"')[0]
    assert "No value contains these words." in client.get("/?q=tree&find.author=nobody").text
    assert client.get("/?q=tree&find.author=...&find.none=x").status_code == 200


@pytest.mark.parametrize("client", ["own"], indirect=True)
def test_the_value_that_was_chosen_comes_first_in_a_document(client: TestClient) -> None:
    page = client.get("/?q=tree&in=author:Common+Ann&top=3").text
    assert (
        re.findall(r'<p class="fields"><span[^>]*>([^<]*)', page)[0].startswith("note") or "Common Ann, Writer" in page
    )
    assert page.count("Common Ann, Writer") == len(re.findall(r'<li class="document"', page))


@pytest.mark.parametrize(
    ("client", "names"), [("generic", ["root", "folder"]), ("flat", ["size"])], indirect=["client"]
)
def test_a_collection_without_fields_of_its_own_has_facets(client: TestClient, names: list[str]) -> None:
    found = facets(client.get("/?q=tree").text)
    wanted = {"root": {"note": 30, "play": 30}, "folder": {"old": 40, "new": 20}}
    assert list(found) == names and all(found[name] == wanted.get(name, found[name]) for name in names)
    assert names != ["size"] or sum(found["size"].values()) == 20
    assert "modified" in client.get("/about").text
    told = client.get("/api/v1/facets?query=tree&facet=root,size").json()
    assert sum(each["documents"] for each in told["ranges"]["size"]) == sum(
        each["documents"] for each in told["facets"]["size"]
    )
    assert "root" not in told["ranges"]
    assert set(client.get("/api/v1/info").json()["fields"]) >= {"id", "folder", "modified"}
