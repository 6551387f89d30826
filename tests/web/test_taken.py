"""What is taken away from pages and the interface: lists of results as files, citations with addresses that last."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

from starlette.testclient import TestClient

from tests import web_samples


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    index: Path = web_samples.make(tmp_path_factory.mktemp("taken"))
    with TestClient(web_samples.app(web_samples.place(index)), base_url="http://127.0.0.1") as made:
        yield made


def test_a_page_of_results_is_a_file_in_each_form(client: TestClient) -> None:
    page = client.get("/?q=lighthouse&view=flat").text
    for form in ("csv", "jsonl", "markdown"):
        assert f"/results?q=lighthouse&amp;view=flat&amp;format={form}" in page
    found = client.get("/results?q=lighthouse&strategy=thorough&format=csv")
    assert found.headers["content-type"].startswith("text/csv")
    assert found.headers["content-disposition"] == 'attachment; filename="results.csv"'
    rows = list(csv.DictReader(io.StringIO(found.text)))
    lines = [
        json.loads(line)
        for line in client.get("/results?q=lighthouse&strategy=thorough&format=jsonl").text.splitlines()
    ]
    lines = [line for line in lines if "rank" in line]
    assert [row["path"] for row in rows] == [line["path"] for line in lines] and len(rows) > 3
    text = client.get("/results?q=lighthouse&strategy=thorough&format=markdown").text
    assert text.count("**lighthouse**") >= 3 and f"`{lines[0]['doc']}{lines[0]['path']}`" in text
    second = client.get("/results?q=lighthouse&strategy=thorough&format=csv&from=3&top=2").text
    assert [row["rank"] for row in csv.DictReader(io.StringIO(second))] == ["3", "4"]
    assert client.get("/results?q=lighthouse&strategy=thorough&format=pdf").status_code == 400
    assert client.get("/results?q=%22lighthouse&format=csv").status_code == 400


def test_the_interface_has_the_same_lists(client: TestClient) -> None:
    rows = client.get("/api/v1/search?query=lighthouse&strategy=thorough&top=3&format=csv")
    assert rows.headers["content-type"].startswith("text/csv") and len(list(csv.reader(io.StringIO(rows.text)))) == 4
    accepted = client.get(
        "/api/v1/search?query=lighthouse&strategy=thorough&top=3", headers={"accept": "text/markdown"}
    )
    assert accepted.text == client.get("/api/v1/search?query=lighthouse&strategy=thorough&top=3&format=markdown").text
    assert accepted.text.startswith("1. **")
    assert client.get("/api/v1/search?query=lighthouse&strategy=thorough&top=3&format=jsonl").text.count("\n") == 3


def test_a_place_in_a_document_is_cited_by_its_id_or_path_without_the_search(client: TestClient) -> None:
    said = client.get("/where/short?at=/doc[1]/section[2]").json()
    cited = client.get(f"/cite/short?at={said['label']}&text=Light").json()
    assert cited["address"] == "http://127.0.0.1/read/short?id=s2"
    day = date.today().isoformat()
    assert cited["text"] == f"Ships & lights. Of lights: “Light” http://127.0.0.1/read/short?id=s2 ({day})"
    place = client.get(cited["address"], follow_redirects=False).headers["location"]
    assert place == f"/read/short#{said['label']}"
    path = "/doc[1]/section[1]/p[1]"
    cited = client.get(f"/cite/short?at={quote(path)}").json()
    assert cited["address"] == f"http://127.0.0.1/read/short?at={quote(path)}"
    whole = client.get("/cite/short").json()
    assert (whole["text"], whole["address"]) == (
        f"Ships & lights. http://127.0.0.1/read/short ({day})", "http://127.0.0.1/read/short",
    )  # fmt: skip


def test_citations_are_files_for_other_programs(client: TestClient) -> None:
    bibtex = client.get("/cite/short?format=bibtex")
    assert bibtex.headers["content-disposition"] == 'attachment; filename="short.bib"'
    assert bibtex.text.startswith("@misc{short,\n  title = {{Ships \\& lights}},\n")
    assert client.get("/cite/short?format=ris").text.startswith("TY  - GEN\r\nTI  - Ships & lights\r\n")
    assert client.get("/cite/short?format=csl").json()[0]["URL"] == "http://127.0.0.1/read/short"
    assert client.get("/cite/short?format=text").text.startswith("Ships & lights. http")
    assert client.get("/cite/short?format=mla").status_code == 400
    assert client.get("/cite/nowhere").status_code == 404


def test_the_interface_cites(client: TestClient) -> None:
    cited = client.get("/api/v1/cite/short/doc[1]/section[2]?quotation=Light&accessed=2026-11-28").json()
    assert cited == {
        "id": "short#s2", "type": "document", "title": "Ships & lights", "note": "Of lights: “Light”",
        "URL": "http://127.0.0.1/read/short?id=s2", "accessed": {"date-parts": [[2026, 11, 28]]},
    }  # fmt: skip
    assert client.get("/api/v1/cite/short?format=bibtex").headers["content-type"].startswith("application/x-bibtex")
    assert client.get("/api/v1/cite/short", headers={"accept": "text/plain"}).text.startswith("Ships & lights.")
    assert client.get("/api/v1/cite/nowhere").status_code == 404


def test_pages_say_where_they_are_printed_from(client: TestClient) -> None:
    for address in ("/?q=lighthouse", "/read/short?q=light"):
        assert '<p class="printed" data-said="Printed on {date} from"></p>' in client.get(address).text
