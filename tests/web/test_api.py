"""The library over HTTP: the same answers, checked parameters, bounds, tags of commits, and nothing of the machine."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import threading
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from starlette.testclient import TestClient

import trix
from tests.conftest import FEW, SETTLED
from trix.api.index import Index
from trix.settings import SETTINGS
from trix.web.api.endpoints import ENDPOINTS, ROOT
from trix.web.api.parameters import wire
from trix.web.app import app
from trix.web.site.limits import RequestLimits
from trix.web.site.site import Site

FUZZED = FEW or (20 if SETTLED else 60)
"""Requests to each endpoint, of those that are allowed and of those that are not."""

PLAY = (
    '<play xml:lang="en"><title>The {0}</title><year>{1}</year><act n="1"><title>Act one</title><p>First of all a {0} '
    "came. Nobody saw the acorn.</p><p>Then the {0} went &lt;script&gt;away&lt;/script&gt;.</p></act>"
    "<act><title>Act two</title><p>Stone and {0}, and acorn.</p></act></play>"
)
PROFILE = """
name = "plays"
extends = "generic"
title = "/play/title"
[fields]
about = "/play/title"
year = { path = "/play/year", type = "integer" }
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("machine-secret")
    for name, year in (("tree", 1999), ("ship", 2001), ("oak é", 2001)):
        (folder / "plays" / name).mkdir(parents=True)
        (folder / "plays" / name / "the play.xml").write_text(PLAY.format(name.split()[0], year))
    (folder / "mine.toml").write_text(PROFILE)
    trix.build(folder / "plays", folder / "my.index", profile=folder / "mine.toml", jobs=1)
    return folder


@pytest.fixture(scope="module")
def index(built: Path) -> Iterator[Index]:
    with trix.open(built / "my.index") as opened:
        yield opened


@pytest.fixture(scope="module")
def client(index: Index) -> Iterator[TestClient]:
    with TestClient(app(Site(index))) as made:  # one event loop for all requests, not one for each
        yield made


def get(client: TestClient, path: str, **parameters: Any) -> Any:
    answered = client.get(ROOT + path, params=parameters)
    assert answered.status_code == 200, answered.text
    return answered.json()


# -- the library, by another way -----------------------------------------------------------------------------------


@pytest.mark.reading
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"top": 2, "from": 2},
        {"context": "root:1.5", "model": "bm25", "k1": 0.9, "strategy": "thorough"},
        {"where": "year > 2000", "facet": "year,about", "sort": "year,-score"},
        {"group": "document"},
        {"lambda": 0.2, "model": "lm-jm", "size": "any", "quiet_parts": "on"},
    ],
)
def test_a_search_gives_what_the_library_gives(client: TestClient, index: Index, settings: dict[str, Any]) -> None:
    query = "acorn tree ship"
    said, results = get(client, "/search", query=query, **settings), index.search(query, **settings)
    told = [{**each.to_dict(), "own": own} for each, own in zip(results, results.own.tolist(), strict=True)]
    assert said["results"] == json.loads(json.dumps(told)) and len(told)
    assert (said["matched"], said["query"], said["typed"]) == (results.matched, results.query, query)
    assert said["from"] == settings.get("from", 1) and said["notices"] == list(results.notices)
    assert {name: [each["value"] for each in counts] for name, counts in said["facets"].items()} == {
        name: [each.value for each in counts] for name, counts in results.facets.items()
    }


@pytest.mark.reading
def test_each_other_endpoint_gives_what_the_library_gives(client: TestClient, index: Index) -> None:
    passages = index.passages("acorn", 300, around=20, size=":200")
    said = get(client, "/passages", query="acorn", characters=300, around=20, size=":200")
    assert said["passages"] == [json.loads(json.dumps(each.to_dict())) for each in passages] and len(passages) > 1
    assert said["characters"] == sum(len(each.text) for each in passages)
    result = index.search("acorn tree")[0]
    explained = get(client, "/explain", query="acorn tree", element=result.label)
    assert explained == index.explain("acorn tree", result).to_json()
    counted = get(client, "/facets", query="acorn", facet="year", where="year > 0")
    assert counted["facets"]["year"] == [each._asdict() for each in index.search("acorn", facet="year").facets["year"]]
    lines = get(client, "/concordance", query="acorn", kwic_sort="left", top=2)["lines"]
    assert lines == [each._asdict() for each in index.concordance("acorn", kwic_sort="left", top=2)] and len(lines) == 2
    found = get(client, "/suggest", text="The s", top=4)["suggestions"]
    assert found == [each.as_dict() for each in index.suggest("The s", 4)] and found
    assert get(client, "/search", like="tree/the play")["results"]


@pytest.mark.reading
def test_answers_say_which_words_were_replaced(client: TestClient) -> None:
    for path, more in {"/search": {}, "/passages": {}, "/facets": {"facet": "year"}, "/concordance": {}}.items():
        said = get(client, path, query="acron trees", **more)
        assert said["corrected"] == "acorn trees"
        if path != "/facets":
            assert said["notices"][0].startswith("no document has acron: showing results for acorn (3)")
        for options in ({"query": "acron", "spelling": "keep"}, {"query": "acorn"}, {"query": '"acron"'}):
            assert "corrected" not in get(client, path, **options, **more)
    assert get(client, "/search", query="acron")["results"] == get(client, "/search", query="acorn")["results"]
    unit = get(client, "/search", query="acorn")["results"][0]["label"]
    explained = [get(client, "/explain", query=query, element=unit) for query in ("acron", "acorn")]
    assert explained[0] == explained[1]


def test_documents_and_elements_have_addresses_with_any_characters(client: TestClient, index: Index) -> None:
    doc = "oak é/the play"
    said = get(client, f"/documents/{quote(doc)}", depth=1)
    assert said["id"] == doc and said["fields"] == {"about": "The oak", "year": 2001}
    assert [each["title"] for each in said["outline"]] == ["Act one", "Act two"]
    act = said["outline"][1]
    for unit in (doc + act["path"], act["label"]):
        element = get(client, f"/elements/{quote(unit)}")
        assert (element["doc"], element["path"], element["tag"]) == (doc, "/play[1]/act[2]", "act")
        assert element["text"] == index.prose(unit) == "Act two\nStone and oak, and acorn."
    address = f"{ROOT}/elements/{quote(doc + '/play[1]/act[1]')}"
    as_xml = client.get(address, params={"format": "xml", "highlight": "acorn"})
    assert as_xml.text == index.show(doc + "/play[1]/act[1]", xml=True, highlight="acorn") and "<mark>" in as_xml.text
    assert client.get(address, headers={"accept": "application/xml"}).text.startswith("<act")
    as_text = client.get(address, headers={"accept": "text/plain;q=1"})
    assert as_text.text == index.prose(doc + "/play[1]/act[1]") and "<script>" in as_text.text
    assert as_text.headers["content-type"] == "text/plain; charset=utf-8"
    as_html = client.get(address, headers={"accept": "text/html"}).text
    assert "&lt;script&gt;away" in as_html and "<script" not in as_html and "Stone" not in as_html
    raw = client.get(f"{ROOT}/elements/{quote(doc)}", params={"format": "text", "raw": "on"}).text
    assert raw == index.show(doc, raw=True)


def test_an_answer_at_a_level_says_which_of_its_elements_count(client: TestClient, index: Index) -> None:
    said = get(client, "/search", query="oak", level="//(play|act)")["notices"]
    assert said == list(index.search("oak", level="//(play|act)").notices)
    assert any("lie inside others; the outermost count" in notice for notice in said)


def test_lists_come_as_lines_where_they_are_wanted(client: TestClient) -> None:
    for path in ("/search", "/passages", "/concordance"):
        answered = client.get(ROOT + path, params={"query": "acorn"}, headers={"accept": "application/jsonl"})
        assert answered.headers["content-type"].startswith("application/jsonl")
        lines = [json.loads(line) for line in answered.text.splitlines()]
        assert len(lines) > 1 and all(each["doc"] for each in lines)


def test_the_place_tells_of_itself(client: TestClient, index: Index) -> None:
    said = get(client, "/info")
    facts = index.info()
    assert said["documents"] == 3 and said["tags"] == facts["tags"] and said["fields"] == dict(index.fields.facts())
    assert get(client, "/info", level="//act")["members"] == 6
    assert get(client, "/health") == {"status": "ok", "commit": said["commit"], "documents": 3}
    text = client.get(f"{ROOT}/metrics").text
    assert re.search(r'trix_requests_total\{endpoint="/api/v1/info",status="200"\} [1-9]', text)
    assert "trix_documents 3.0\n" in text and "trix_requests_working 0.0\n" in text
    for line in text.splitlines():
        assert line.startswith("# ") or re.fullmatch(r'[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [0-9.e+-]+', line), line
    buckets = re.findall(r'bucket\{endpoint="/api/v1/info",le="([^"]+)"\} (\d+)', text)
    counts = [int(count) for _, count in buckets]
    assert buckets[-1][0] == "+Inf" and counts == sorted(counts)


# -- parameters, declared once -------------------------------------------------------------------------------------


def test_every_setting_of_a_search_is_a_parameter_with_the_librarys_default(client: TestClient) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    declared = {each["name"]: each for each in paths[f"{ROOT}/search"]["get"]["parameters"]}
    assert set(declared) == {"query", "format", *(wire(name) for name in SETTINGS)}
    for name, setting in SETTINGS.items():
        told = declared[wire(name)]
        assert told["description"].startswith(setting.help)
        default = setting.default if name == "preset" else setting.default_on("search", "reading")
        assert told["schema"].get("default") == default or setting.default is None
    assert set(paths) == {f"{ROOT}{each.path}" for each in ENDPOINTS} | {f"{ROOT}/health", f"{ROOT}/metrics"}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_wrong_setting_is_named(client: TestClient, name: str) -> None:
    wrong = {"context": "root:", "where": "year >", "facet": "nothing", "sort": ",", "like": "no/such"}
    value = wrong.get(name, "?" if name not in ("level", "statistics", "weights", "language") else "//[")
    answered = client.get(f"{ROOT}/search", params={"query": "" if name == "like" else "tree", wire(name): value})
    said = answered.json()
    assert (answered.status_code, said["status"]) == (400, 400) and said["detail"], said
    assert answered.headers["content-type"] == "application/problem+json"
    if name not in ("like", "level", "statistics", "weights", "language"):
        assert said["field"] == wire(name), said


@pytest.mark.parametrize(
    ("path", "parameters", "field", "detail"),
    [
        ("/search", {}, "query", "missing; expected a query"),
        ("/search", {"query": 'a "b'}, "query", "the quote is never closed"),
        ("/search", {"query": "a", "tops": "3"}, "tops", "did you mean top?"),
        ("/search", {"query": "a", "top": "101"}, "top", "expected a whole number from 1 to 100"),
        ("/search", {"query": "a", "top": "all"}, "top", "expected a whole number from 1 to 100"),
        ("/search", {"query": "a", "from": "9999", "top": "3"}, "from", "no result beyond rank 10,000"),
        ("/search", {"query": "a", "expand": "5:200"}, "expand", "expected numbers up to 100"),
        ("/concordance", {"query": "a", "expand": "rm3:101:5:0.5"}, "expand", "expected numbers up to 100"),
        ("/concordance", {"query": "a", "expand": "1000:1000"}, "expand", "numbers up to 500"),
        (
            "/search",
            {"query": " ".join(f"*{c}*" for c in "abcdefghijklmnop")},
            "query",
            "at most 10 patterns that begin",
        ),
        ("/search", {"query": "a", "expand": "5:" + "9" * 5000}, "expand", "expected"),
        ("/search", {"query": "a", "expand": "5:0005000"}, "expand", "numbers up to 500"),
        ("/search", {"query": "a" * 2001}, "query", "expected at most 2,000 characters, got 2,001"),
        ("/search", {"query": ["a", "b"]}, "query", "expected once"),
        ("/search", {"query": "a", "context": ["root"] * 21}, "context", "expected at most 20 times"),
        ("/search", {"query": "a\0"}, "query", "without the character 0"),
        ("/search", {"query": "a", "where": "yeer = 1"}, "where", "there is no field yeer"),
        ("/facets", {"query": "a"}, "facet", "missing; expected names of fields"),
        ("/explain", {"query": "a"}, "element", "missing; expected a document id"),
        ("/passages", {"query": "a", "characters": "100001"}, "characters", "from 1 to 100000"),
        ("/passages", {"query": "a", "characters": "100", "around": "50"}, "around", "a quarter of `characters`"),
        ("/concordance", {"query": "a", "kwic_sort": "up"}, "kwic_sort", "expected one of document, left, right"),
        ("/info", {"level": "nothing"}, "level", "there is no such level"),
        ("/health", {"a": "b"}, "a", "known are none"),
    ],
)
def test_what_is_wrong_is_said_with_the_parameter_at_fault(
    client: TestClient, path: str, parameters: dict[str, Any], field: str | None, detail: str
) -> None:
    answered = client.get(ROOT + path, params=parameters)
    said = answered.json()
    assert answered.status_code == 400 and said.get("field") == field and detail in said["detail"], said
    assert "etag" not in answered.headers and answered.headers["cache-control"] == "no-store"


def test_what_is_not_there_and_what_is_not_done_are_problems_too(client: TestClient) -> None:
    for path, status in (
        (f"{ROOT}/documents/nothing", 404), (f"{ROOT}/elements/tree/the play/play[1]/act[9]", 404),
        (f"{ROOT}/elements/9.9", 404), (f"{ROOT}/nothing", 404), ("/api/v2/search", 404),
        (f"{ROOT}/elements/tree/the play/foo[1]", 404), (f"{ROOT}/elements/tree/the play/play[2]?format=xml", 404),
        (f"{ROOT}/elements/tree/the play/play[1]/@no?format=text", 404),
        (f"{ROOT}/elements/tree/the play/foo[1]?format=html", 404),
        (f"{ROOT}/elements/{'x' * 3000}", 404),
    ):  # fmt: skip
        answered = client.get(path)
        assert (answered.status_code, answered.headers["content-type"]) == (status, "application/problem+json"), path
    refused = client.post(f"{ROOT}/search", params={"query": "a"})
    assert refused.status_code == 405 and "GET" in refused.headers["allow"]


# -- tags, commits, bounds -----------------------------------------------------------------------------------------


def test_an_answer_is_sent_again_only_after_a_change(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "my.index", tmp_path / "i")
    with trix.open(tmp_path / "i") as opened:
        client = TestClient(app(Site(opened)))
        address = f"{ROOT}/search?query=acorn"
        first = client.get(address)
        tag = first.headers["etag"]
        assert tag.startswith('W/"') and "Accept" in first.headers["vary"]
        again = client.get(address, headers={"if-none-match": f'"other", {tag}'})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        lines = client.get(address, headers={"if-none-match": tag, "accept": "application/jsonl"})
        assert lines.status_code == 200, "what is known is of another form"
        wrong = client.get(f"{address}&top=0", headers={"if-none-match": tag})
        assert wrong.status_code == 400
        with trix.write(tmp_path / "i") as writer:
            writer.add_document(PLAY.format("acorn", 7), id="new")
        changed = client.get(address, headers={"if-none-match": tag})
        assert changed.status_code == 200 and changed.headers["etag"] != tag
        assert any(each["doc"] == "new" for each in changed.json()["results"])
        assert get(client, "/health")["documents"] == 4


def test_a_search_that_takes_too_long_ends_and_its_thread_is_free(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    search, ended = Index.search, threading.Event()

    def again(self: Index, query: str, **options: Any) -> Any:
        try:
            while True:  # a search that is as long as a search can be: nothing here looks at the deadline
                search(self, query, **options)
        finally:
            ended.set()

    monkeypatch.setattr(Index, "search", again)
    place = Site(index, limits=RequestLimits(seconds=0.2))
    with TestClient(app(place)) as client:
        for query in ("tree", "tree -xml", "//sec[about(., tree)]"):
            ended.clear()
            answered = client.get(f"{ROOT}/search", params={"query": query})
            assert answered.status_code == 503 and answered.headers["retry-after"] == "1"
            assert "longer than 0.2 seconds" in answered.json()["detail"]
            assert ended.wait(30), "the work has stopped as well"
        monkeypatch.setattr(Index, "search", search)
        assert client.get(f"{ROOT}/search", params={"query": "tree"}).status_code == 200
        assert place.throttle.working == 0


def test_too_many_requests_are_turned_away(index: Index) -> None:
    place = Site(index, limits=RequestLimits(at_once=1, waiting=2))
    place.throttle.working = 3
    answered = TestClient(app(place)).get(f"{ROOT}/search", params={"query": "tree"})
    assert answered.status_code == 429 and answered.headers["retry-after"] == "1"
    assert TestClient(app(place)).get(f"{ROOT}/health").status_code == 200, "who watches the place is not one of them"


def test_a_token_is_asked_for(index: Index) -> None:
    client = TestClient(app(Site(index, token="secret")))
    assert client.get(f"{ROOT}/search", params={"query": "tree"}).status_code == 401
    known = {"authorization": "Bearer secret"}
    assert client.get(f"{ROOT}/search", params={"query": "tree"}, headers=known).status_code == 200


# -- nothing of the machine ----------------------------------------------------------------------------------------

HOSTILE = [
    "", " ", "?", "../../../etc/passwd", "/etc/passwd", "..%2f..%2f", "file:///etc/passwd", "@/etc/passwd", "-",
    "--help", "<script>alert(1)</script>", "'\"><", "%00", "\x7f", "\ud800", "a" * 1999, "(" * 500, '"' * 3, "\n",
    "//*[about(., x)]", "//" * 300 + "a", "*", "a*", "????", "document('/etc/passwd')", "1.1.1", "0.0", "9" * 40, "-1",
    "nan", "inf", "1e309", "tree/the play/../../..", "tree/the play/@n", "tree/the play/play[1]/act[1]/@n",
    "tree/the play/play[999999999999]", "{{7*7}}", "${jndi:ldap://x}", "year >= 2000 and (about ~ x", "root:1.5",
    "//act//p", "\u202e\u0000", "é",
]  # fmt: skip


def leaks(built: Path, answered: Any) -> bool:
    said = answered.text + "".join(answered.headers.values())
    return "machine-secret" in said or str(Path.home()) in said or "Traceback" in said or "root:x:" in said


def test_xml_of_documents_stands_in_a_sandbox(client: TestClient, index: trix.Index) -> None:
    doc = index.files.ids[0]
    for accept, form in (("application/xml", ""), ("*/*", "?format=xml")):
        answer = client.get(f"/api/v1/elements/{doc}{form}", headers={"accept": accept})
        assert answer.headers["content-type"] == "application/xml"
        policy = {each.strip() for each in answer.headers["content-security-policy"].split(";")}
        assert {"sandbox", "default-src 'none'"} <= policy


@pytest.mark.slow
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda each: each.name)
def test_hostile_requests_learn_nothing_of_the_machine(built: Path, client: TestClient, endpoint: Any) -> None:
    asyncio.run(_ask_hostile(built, httpx.ASGITransport(client.app), endpoint))


async def _ask_hostile(built: Path, place: httpx.ASGITransport, endpoint: Any) -> None:
    """Ask without the threads of a TestClient, which for thousands of requests would be most of the work."""
    client = httpx.AsyncClient(transport=place, base_url="http://testserver")
    for hostile in HOSTILE:
        encoded = quote(hostile, safe="", errors="surrogatepass")
        paths = [endpoint.path.replace("{unit}", encoded)]
        queries = [f"{wire(name)}={encoded}" for name in endpoint.parameters] + [f"{encoded}=1", encoded]
        given = {"query": "tree", "text": "t", "facet": "year", "element": "1.1"}
        base = "&".join(f"{name}={given[name]}" for name in endpoint.required)
        for query in [""] if endpoint.unit else queries:
            name = query.partition("=")[0]
            rest = "&".join(part for part in base.split("&") if part.partition("=")[0] != name)
            answered = await client.get(f"{ROOT}{paths[0]}?{query}&{rest}".rstrip("&?"))
            assert answered.status_code < 500, (hostile, query, answered.text)
            assert not leaks(built, answered), (hostile, query, answered.text)


def test_a_source_that_has_gone_and_a_damaged_index_are_told_without_their_places(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "plays", tmp_path / "machine-secret" / "plays")
    trix.build(tmp_path / "machine-secret" / "plays", tmp_path / "machine-secret" / "i", jobs=1)
    shutil.rmtree(tmp_path / "machine-secret" / "plays")
    with trix.open(tmp_path / "machine-secret" / "i") as opened:
        client = TestClient(app(Site(opened)))
        for path in (
            "/documents/tree/the%20play",
            "/elements/tree/the%20play",
            "/elements/tree/the%20play?format=html",
        ):
            answered = client.get(ROOT + path)
            assert answered.status_code == 410 and not leaks(built, answered), answered.text
        for path in ("/search?query=acorn", "/passages?query=acorn", "/concordance?query=acorn", "/info"):
            answered = client.get(ROOT + path)
            assert answered.status_code == 200 and not leaks(built, answered), answered.text
        like = client.get(f"{ROOT}/search?like=tree/the%20play")
        assert like.status_code == 410 and not leaks(built, like)
        with trix.write(tmp_path / "machine-secret" / "i") as writer:
            writer.add_document("<a>stone</a>", id="new")
        for segment in (tmp_path / "machine-secret" / "i").glob("commit*"):
            segment.write_bytes(b"damaged")
        for path in ("/search?query=acorn", "/health", "/info", "/metrics"):
            assert not leaks(built, client.get(ROOT + path))
        assert client.get(f"{ROOT}/health").json()["status"] == "damaged"


def test_what_trix_itself_gets_wrong_is_a_problem_without_details(
    built: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: Index, *_: Any, **__: Any) -> None:
        raise RuntimeError(f"{built}/machine-secret")

    monkeypatch.setattr(Index, "search", fails)
    client = TestClient(app(Site(index)), raise_server_exceptions=False)
    answered = client.get(f"{ROOT}/search?query=a")
    assert answered.status_code == 500 and not leaks(built, answered)
    assert answered.headers["content-type"] == "application/problem+json"


# -- the description -----------------------------------------------------------------------------------------------


def test_the_page_shows_every_endpoint_and_takes_nothing_from_outside(client: TestClient) -> None:
    text = client.get("/api").text
    assert client.get("/api/").text == text
    for endpoint in ENDPOINTS:
        assert f"GET {ROOT}{endpoint.path}" in text and escape(endpoint.summary) in text
    assert "<script" not in text and "style=" not in text and not re.search(r'(src|href)="(https?:)?//', text)
    for address in re.findall(r'href="(/api/v1/[^"]+)"', text):
        assert client.get(address.replace("&amp;", "&")).status_code == 200, address


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize("path", [each.path for each in ENDPOINTS] + ["/health", "/metrics"])
def test_whatever_the_description_allows_or_forbids_is_answered_as_it_says(
    client: TestClient, path: str, mode: str
) -> None:
    import schemathesis  # takes half a second, of each worker
    from schemathesis.checks import positive_data_acceptance

    operation = schemathesis.openapi.from_asgi("/api/openapi.json", client.app)[ROOT + path]["GET"]
    if mode == "negative" and not operation.query:
        return  # nothing is forbidden

    @settings(max_examples=FUZZED, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
    def holds(case: Any) -> None:
        # A query can be wrong in more ways than a schema can say.
        answered = case.call_and_validate(excluded_checks=[positive_data_acceptance])
        assert answered.status_code < 500 and "machine-secret" not in answered.text

    holds()
