"""Pages and answers of registers: entries, mentions with links that lead to them, escaping, and what is not there."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

from starlette.testclient import TestClient

import trix
from trix.web.app import app
from trix.web.site.site import Site

PROFILE = """
inline = ["persName"]
[registers]
persons = ["persName/@ref"]
places = ["placeName/@key"]
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    folder: Path = tmp_path_factory.mktemp("registers")
    (folder / "c").mkdir()
    for number in range(60):
        names = [f'<persName ref="#p{number * 3 + more}">Person {number * 3 + more:03}</persName>' for more in range(3)]
        text = f'{"; ".join(names)}, and <persName ref="#x&amp;&lt;y">Xenia &lt;b&gt; &amp; Co</persName> again'
        (folder / "c" / f"d{number:02}.xml").write_text(f"<doc><p>Once {text}.</p></doc>")
    (folder / "p.toml").write_text(PROFILE)
    trix.build(folder / "c", folder / "i", profile=str(folder / "p.toml"), jobs=1)
    return TestClient(app(Site(trix.open(folder / "i"))))


def test_a_register_is_listed_by_pages_letters_and_words(client: TestClient) -> None:
    page = client.get("/register/persons").text
    assert "1 to 100 of 181" in page and "Person 000" in page
    following = html.unescape(re.findall(r'rel="next" href="([^"]+)"', page)[0])
    assert "101 to 181 of 181" in client.get(following).text
    assert "Person" not in re.sub("<h1>.*</h1>", "", client.get("/register/persons?letter=X").text).split("<table")[1]
    assert client.get("/register/persons?match=pers+017").text.count('<td class="key"') == 1
    most = client.get("/register/persons?sort=mentions").text
    assert most.index("Xenia &lt;b&gt; &amp; Co") < most.index("Person 000")
    assert "Nothing here" in client.get("/register/places").text


def test_mentions_lead_to_their_places(client: TestClient) -> None:
    page = client.get("/register/persons", params={"key": "#x&<y"}).text
    assert "60 mentions, 60 documents" in page and "<b>" not in page
    addresses = re.findall(r'class="hit"><a href="([^"]+)"', page)
    assert len(addresses) == 50
    assert 'id="content"' in client.get(html.unescape(addresses[0])).text
    following = html.unescape(re.findall(r'rel="next" href="([^"]+)"', page)[0])
    assert client.get(following).text.count('class="hit"') == 10


def test_the_home_page_leads_to_registers_that_hold_anything(client: TestClient) -> None:
    page = client.get("/").text
    assert 'href="/register/persons"' in page and 'href="/register/places"' not in page
    address = html.unescape(re.findall(r'href="(/register/persons\?key=[^"]+)"', page)[0])
    assert "Xenia" in client.get(address).text


def test_what_is_not_there_is_a_page_that_says_so(client: TestClient) -> None:
    for address in ("/register/ships", "/register/persons?key=nobody"):
        assert client.get(address).status_code == 404
    assert client.get("/register/persons?from=999999").status_code == 400


def test_programs_get_the_same(client: TestClient) -> None:
    def get(**given: str | int) -> dict[str, object]:
        return dict(client.get("/api/v1/registers", params=given).json())

    assert get() == {
        "registers": [
            {"name": "persons", "entries": 181, "mentions": 240},
            {"name": "places", "entries": 0, "mentions": 0},
        ]
    }
    found = get(register="persons", order="mentions", top=1)
    entry = {"key": "#x&<y", "name": "Xenia <b> & Co", "mentions": 60, "documents": 60}
    assert found == {"register": "persons", "matched": 181, "entries": [entry]}
    mention = client.get("/api/v1/registers", params={"register": "persons", "key": "#p4", "top": 1}).json()["mentions"]
    assert [(each["doc"], each["path"], each["text"], each["left"]) for each in mention] == [
        ("d01", "/doc[1]/p[1]", "Person 004", "Once Person 003; ")
    ]
    assert get(register="ships")["field"] == "register"
    assert get(key="#p4")["field"] == "register"
    assert get(register="persons", key="nobody")["status"] == 400
