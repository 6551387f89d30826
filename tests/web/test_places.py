"""Pages, lines and verses on pages: their numbers beside the text, the place that was asked for, and on answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("httpx", reason="starlette's client needs it")
from lxml import html as lxml_html
from starlette.testclient import TestClient

import trix
from tests import web_samples
from trix.web.app import app

TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Poems</title></titleStmt>
</fileDesc></teiHeader><text><body><div><head>Trees</head><pb n="213"/><lg><l n="4">An oak <hi>stands</hi> here,</l>
<l n="5">a linden there,</l><pb n="214"/><l n="6">an ash.</l><l>A yew.</l></lg></div>
<div><ab>One<lb n="7"/>of bees</ab></div></body></text></TEI>"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("placed")
    (folder / "docs").mkdir()
    (folder / "docs" / "poems.xml").write_text(TEI, "utf-8")
    trix.build(folder / "docs", folder / "i", profile="tei", jobs=1)
    with TestClient(app(web_samples.place(folder / "i"))) as made:
        yield made


def test_numbers_stand_beside_the_text(client: TestClient) -> None:
    page: Any = lxml_html.fromstring(client.get("/read/poems").text)
    signs = page.xpath("//span[starts-with(@class, 'milestone')]")
    assert [(sign.get("class"), sign.text or sign.get("data-number"), sign.get("title")) for sign in signs] == [
        ("milestone page", "213", "p. 213"), ("milestone line", "4", "l. 4"), ("milestone line", "5", "l. 5"),
        ("milestone page", "214", "p. 214"), ("milestone line", "6", "l. 6"), ("milestone line", "7", "l. 7"),
    ]  # fmt: skip


def test_a_place_leads_to_its_part_and_is_marked(client: TestClient) -> None:
    led = client.get("/read/poems?place=page%3D213&q=oak", follow_redirects=False)
    assert led.status_code == 303
    assert led.headers["location"] == "/read/poems?q=oak&part=1&place=page%3D213#place"
    page: Any = lxml_html.fromstring(client.get(led.headers["location"]).text)
    marked = page.xpath("//span[@class='at']")
    assert [each.text_content() for each in marked if each.text_content().strip()] == [
        "An oak", "stands", "here,", "a linden there,",
    ]  # fmt: skip
    assert [each.get("id") for each in marked if each.get("id")] == ["place"]
    assert [each.text for each in page.xpath("//span[@class='at']/mark")] == ["oak"]
    missing = client.get("/read/poems?place=page%3D7")
    assert missing.status_code == 404 and "there is no page 7; there are 2, the first 213, the last 214" in missing.text


def test_answers_and_citations_say_where(client: TestClient) -> None:
    page: Any = lxml_html.fromstring(client.get("/?q=linden&level=content").text)
    crumbs = page.xpath("//li[starts-with(@class, 'hit')]//span[@class='crumbs']")[0]
    assert crumbs.text_content().endswith("p. 213, l. 5")
    found = client.get("/api/v1/search?query=linden&level=content&where=page%3D210..213").json()["results"]
    assert [each["places"] for each in found] == [{"page": "p. 213", "line": "l. 5"}]
    cited = client.get("/api/v1/cite/poems%23page=214").json()
    told = client.get("/cite/poems?place=page%3D214").json()
    assert (
        told["address"] == "http://testserver/read/poems?place=page%3D214"
        and "p. 214, ll. 6–7: “an ash. A yew. One of bees”" in told["text"]
    )
    assert cited["page"] == "214" and cited["id"] == "poems#page=214"
