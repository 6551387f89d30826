"""Documents with unusual file names, or without text, are found and read like any other, wherever they are named."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("httpx", reason="starlette's client needs it")
from starlette.testclient import TestClient

import trix
from tests import web_samples
from trix.cli import main
from trix.web.app import app

pytestmark = pytest.mark.reading

NAMES = [
    b"caf\xe9", b"dir\xff/in\nside", b"\xed\xa0\x80", b"line\nbreak", b"end\n", b"cr\rname", b"tab\there", b"bell\x07",
    "\u2028separator".encode(), "a\x85b".encode(), b" lead", b"trail ", b"plus+and space", b"a?b=c&d", b"h#ash",
    b"h%23ash", b"per%cent%", b"quo\"te'<b>", b"back\\slash", b"semi;colon", b"br[1]", "n\u0303".encode(), b"1.1",
]  # fmt: skip
"""Bytes of file names without their ending; every other document has no title, so that it is called by its id."""

TEXT = "A lighthouse stands on the rock and is seen by all ships that pass there, as long as its lamp burns. " * 2


def text_of(title: str, number: int) -> str:
    heading = f"<title>{title}</title>" if title else ""
    return f"<doc>{heading}<section id='s1'><title>Of lamps</title><p>{TEXT} Number {number}.</p></section></doc>"


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    folder = tmp_path_factory.mktemp("strange")
    (folder / "strange.toml").write_text(web_samples.PROFILE)
    try:
        for number, name in enumerate(NAMES):
            path = os.fsencode(folder / "xml") + b"/" + name + b".xml"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            Path(os.fsdecode(path)).write_text(text_of("" if number % 2 else f"Title {number}", number))
    except (OSError, ValueError):
        pytest.skip("the file system does not take such names")
    (folder / "xml" / "empty.xml").write_text("<a/>")
    (folder / "xml" / "blank.xml").write_text("<a> <b/> </a>")
    trix.build(folder / "xml", folder / "strange.index", jobs=1, profile=str(folder / "strange.toml"))
    return trix.open(folder / "strange.index")


@pytest.fixture(scope="module")
def client(strange: trix.Index) -> Iterator[TestClient]:
    with TestClient(app(web_samples.place(strange.files.paths[0])), raise_server_exceptions=False) as made:
        yield made


def ids_of(index: trix.Index) -> list[str]:
    return [index.files.ids[number] for number in range(len(index))]


def in_address(name: str) -> str:
    return quote(os.fsencode(name), safe="/")


def test_the_ids_are_the_names_of_the_files(strange: trix.Index) -> None:
    assert {os.fsencode(each) for each in ids_of(strange)} == {*NAMES, b"empty", b"blank"}


def test_every_address_on_every_page_leads_somewhere(client: TestClient, strange: trix.Index) -> None:
    ids = ids_of(strange)
    waiting = ["/", "/about", "/?q=lighthouse&top=100", "/?q=lighthouse&view=flat&top=100", "/suggest?q=lighth", "/api",
               "/?q=lighthouse&view=concordance&top=100", *(f"/read/{in_address(each)}" for each in ids)]  # fmt: skip
    seen, refused, begun = set(waiting), list[tuple[str, int]](), len(waiting)
    for count, address in enumerate(waiting):  # it grows meanwhile
        answer = client.get(address, follow_redirects=False)
        if answer.status_code not in (200, 303):
            refused.append((address, answer.status_code))
        page = answer.content.decode("utf-8")  # strictly: nothing but UTF-8 is sent
        found = [answer.headers["location"]] if "location" in answer.headers else []
        if answer.headers.get("content-type", "").startswith("text/html") and count < begun:
            found += [unescape(each) for each in re.findall(r'(?:href|src|action|data-parts|data-xml)="([^"]*)"', page)]
            wheres = re.findall(r'data-where="([^"]*)"', page)
            found += [f"{unescape(each)}?at={strange.files.document(doc_of(address)) + 1}" for each in wheres]
            found = [each for each in found if each.split("?")[0] not in ("/where/empty", "/where/blank")]
        for each in (each.partition("#")[0] for each in found):
            if each.startswith("/") and not each.startswith(("/static", "/handbook")) and each not in seen:
                seen.add(each)
                waiting.append(each)
    assert refused == [], refused
    for kind in ("read", "part", "xml", "where"):
        visited = {os.fsdecode(unquote_to_bytes(each.split("?")[0][len(kind) + 2 :])) for each in seen
                   if each.startswith(f"/{kind}/")}  # fmt: skip
        assert visited | ({"empty", "blank"} if kind == "where" else set()) == set(ids), kind
    for kind in (r"/\?like=", r"/why\?.*unit="):
        assert sum(re.match(kind, each) is not None for each in seen) >= len(NAMES), kind


def doc_of(address: str) -> str:
    return os.fsdecode(unquote_to_bytes(address.partition("?")[0].removeprefix("/read/")))


def test_every_endpoint_answers_about_every_document(client: TestClient, strange: trix.Index) -> None:
    found = {each["doc"] for each in client.get("/api/v1/search?query=lighthouse&top=100").json()["results"]}
    assert {os.fsencode(each) for each in found} == set(NAMES)
    for address in (
        "passages?query=lighthouse&top=100&characters=90000",
        "concordance?query=lighthouse&top=100",
        "info",
    ):
        for accept in ("application/json", "application/jsonl"):
            answer = client.get(f"/api/v1/{address}", headers={"accept": accept})
            assert answer.status_code == 200 and [json.loads(line) for line in answer.content.decode().splitlines()]
    for doc in ids_of(strange):
        name, empty = in_address(doc), doc in ("empty", "blank")
        assert client.get(f"/api/v1/documents/{name}").json()["id"] == doc
        element = "" if empty else "/doc[1]/section[1]/p[1]"
        for form, media in (("json", "application/json"), ("xml", "application/xml"), ("html", "text/html"),
                            ("text", "text/plain")):  # fmt: skip
            answer = client.get(f"/api/v1/elements/{name}{element}?format={form}")
            assert answer.status_code == 200 and answer.headers["content-type"].startswith(media), (doc, form)
            assert ("lighthouse" in answer.text) is not empty
        unit = quote(os.fsencode(doc + element), safe="")
        if not empty:
            answer = client.get(f"/api/v1/explain?query=lighthouse&element={unit}")
            assert answer.status_code == 200 and answer.json()["value"] > 0
            assert client.get(f"/api/v1/search?like={unit}&top=3").json()["matched"] > 0
        missing = client.get(f"/api/v1/documents/{name}%FF")
        assert missing.status_code == 404 and missing.headers["content-type"] == "application/problem+json"
        json.loads(missing.content.decode())
        wrong = client.get(f"/api/v1/explain?query=lighthouse&element={unit}%FF")
        assert wrong.status_code == 400 and "no such" in json.loads(wrong.content.decode())["detail"]


MISSING = [
    "/read/{}", "/part/{}", "/xml/{}", "/where/{}?at=1", "/image/{}?name=x", "/handbook/{}", "/static/{}", "/{}",
    "/read/caf%E9?at=/doc[1]/none[1]", "/read/caf%E9?at={}", "/read/caf%E9?id={}", "/read/empty?id={}",
    "/image/caf%E9?name={}",
]  # fmt: skip

ASKED = [
    "/?q={}", "/?q=lighthouse&like={}", "/?q=x&where={}", "/?q=x&in={}", "/?q=x&context={}",
    "/?q={}&view=concordance", "/?q=x&sort={}", "/?{}={}", "/suggest?q={}", "/why?q={}&unit={}",
    "/why?q=lighthouse&unit={}", "/read/line%0Abreak?q={}", "/read/line%0Abreak?part={}", "/api/v1/search?query={}",
    "/api/v1/search?{}={}", "/api/v1/suggest?text={}", "/api/v1/explain?query=lighthouse&element={}",
    "/api/v1/elements/h%23ash?highlight={}", "/api/v1/facets?query=x&facet={}", "/api/v1/{}",
]  # fmt: skip


@pytest.mark.parametrize("path", MISSING)
@pytest.mark.parametrize("name", ["none%00", "none%01%0A", "none%FF", "%ED%A0%80none", "none%EF%BF%BF", "none%0A"])
def test_what_is_not_there_is_not_there_whatever_it_is_called(client: TestClient, path: str, name: str) -> None:
    answer = client.get(path.format(name))
    assert answer.status_code == 404 and "<h1>" in answer.content.decode("utf-8")


@pytest.mark.parametrize(
    "text", ["%00", "%01", "%FF", "%ED%A0%80", "%EF%BF%BF", "a%0Ab", "%C2%85", "%22%FF%22", "//%FF"]
)
def test_no_parameter_fails_whatever_characters_it_has(client: TestClient, text: str) -> None:
    for address in ASKED:
        answer = client.get(address.format(text, text))
        assert answer.status_code in (200, 400, 404), address
        answer.content.decode("utf-8")


def test_assistants_can_name_every_document_that_they_are_told_of(strange: trix.Index, client: TestClient) -> None:
    mcp = pytest.importorskip("trix.integrations.mcp", reason="mcp is not installed")
    tools = mcp.Tools(strange, "")
    for told in (tools.search("lighthouse", top=100), tools.passages("lighthouse", 90_000, per_document=None)):
        told.encode("utf-8")
        *_, opened = told.split("To be opened in a browser: ")
        assert len(opened.split()) == len(NAMES)
        for address in opened.split():
            assert client.get(address).status_code == 200
        units = re.findall(r"^\((.+?)(?:, [\d,]+ characters)?\)$", told, re.MULTILINE)
        assert len(units) == len(NAMES) and all(each.isprintable() for each in units)
        texts = {tools.read(each) for each in units}
        assert len(texts) == len(NAMES) and all("lighthouse" in each for each in texts)
        assert all("Of lamps" in tools.outline(each.partition("/doc")[0].split(".")[0]) for each in units
                   if "/doc" in each)  # fmt: skip
    with pytest.raises(Exception, match="no such document"):
        tools.read("none")
    assert tools.read("empty") and tools.outline("blank")


def test_commands_print_and_take_every_name(
    strange: trix.Index, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    index = str(strange.files.paths[0])

    def run(*arguments: str) -> bytes:
        assert main([*arguments]) == 0
        return capfdbinary.readouterr().out

    search = "search", index, "lighthouse", "-n", "all", "--per-document", "all", "--format"
    lines = run(*search, "jsonl").decode("utf-8").splitlines()  # strictly: JSON is UTF-8
    assert {os.fsencode(json.loads(line)["doc"]) for line in lines} == set(NAMES)
    for form in ("trec", "inex", "inex2009"):
        (tmp_path / form).write_bytes(run(*search, form))
        read = {os.fsencode(doc) for each in trix.read_run(tmp_path / form).values() for doc in each.docs}
        assert {doc if doc in NAMES else unquote_to_bytes(doc) for doc in read} == set(NAMES), form
    for form in ("table", "csv"):
        assert all(name in run(*search, form) for name in (b"caf\xe9", b"h%23ash"))
    for doc in ids_of(strange):
        assert (b"lighthouse" in run("show", index, doc, "--xml")) is (doc not in ("empty", "blank"))
    gone = json.loads(run("delete", index, "caf\udce9", "--dry-run", "--json").decode("utf-8"))
    assert gone["delete"] == ["caf\udce9"]


def test_a_document_without_text_has_no_score(client: TestClient, strange: trix.Index) -> None:
    for doc in ("empty", "blank"):
        with pytest.raises(trix.TrixError, match="has no text"):
            strange.explain("lighthouse", doc)
        assert client.get(f"/why?q=lighthouse&unit={doc}").status_code == 400
        assert "has no words" in client.get(f"/?like={doc}").text
