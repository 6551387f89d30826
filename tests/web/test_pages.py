"""Pages are whole without scripts, say what is wrong, and hold what they promise to whoever asks."""

from __future__ import annotations

import asyncio
import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from lxml import html as lxml_html

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("httpx", reason="starlette's client needs it")
import httpx
from starlette.testclient import TestClient

import trix
from tests import web_samples
from trix.errors import TooLongError, UsageError
from trix.support.deadline import check
from trix.web.app import app
from trix.web.pages.state import SearchState, read
from trix.web.safety.middleware import HEADERS
from trix.web.serving import ServerConfig, address_of, listen
from trix.web.site.limits import RequestLimits
from trix.web.site.site import Site
from trix.web.site.throttle import Throttle, TooManyError

pytestmark = pytest.mark.reading


@pytest.fixture(scope="module")
def coast(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return web_samples.make(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="module")
def client(coast: Path) -> Iterator[TestClient]:
    with TestClient(app(web_samples.place(coast)), raise_server_exceptions=True) as made:
        yield made


def text_of(page: str) -> str:
    root: Any = lxml_html.fromstring(page)
    return " ".join(root.text_content().split())


def links(page: str, kind: str) -> list[str]:
    return [unescape(each) for each in re.findall(rf'class="{kind}" href="([^"]*)"', page)]


def test_a_page_shows_the_query_with_its_corrections_and_leads_to_the_words_as_typed(client: TestClient) -> None:
    page = client.get("/?q=lighthuose+ship&top=2").text
    assert "Showing results for lighthouse ship . Search instead for lighthuose ship ." in text_of(page).replace(
        "ship.", "ship ."
    )
    assert "no document has" not in page and "Did you mean" not in page and 'value="lighthuose ship"' in page
    meant = client.get("/?q=lighthouse+ship&top=2").text
    assert links(page, "go")[0].partition("#")[2] == links(meant, "go")[0].partition("#")[2]
    assert "Showing results" not in meant
    following = unescape(re.findall(r'rel="next" href="([^"]*)"', page)[0])
    assert "Showing results for lighthouse ship" in text_of(client.get(following).text).replace("  ", " ")
    why = client.get(links(page, "why")[0])
    assert why.status_code == 200 and "lighthous" in why.text
    assert "<mark>lighthouse</mark>" in client.get(links(page, "go")[0]).text
    assert "Showing results for lighthouse ship" in text_of(client.get("/?q=lighthuose+ship&view=concordance").text)


def test_the_words_as_typed_are_asked_for_once_and_not_for_the_next_question(client: TestClient) -> None:
    page = client.get("/?q=lighthuose+ship").text
    kept = unescape(re.findall(r'class="meant">.*?href="([^"]*)"', page)[0])
    assert kept == "/?q=lighthuose+ship&spelling=keep"
    asked = client.get(kept).text
    assert "Showing results" not in asked and "No document contains lighthuose." in text_of(asked)
    box = asked[asked.index('role="search"') : asked.index("</form>")]
    assert 'name="q"' in box and 'name="spelling"' not in box  # the next question is corrected again
    assert 'name="spelling" value="keep"' in asked  # other settings are for the same question
    assert all("spelling=keep" not in each for each in links(asked, "like"))


def test_the_first_page_tells_what_is_here_and_offers_words(client: TestClient) -> None:
    page = client.get("/").text
    assert "3 documents" in page and 'role="search"' in page
    offered = re.search(r'class="examples">.*?href="([^"]+)"', page, re.DOTALL)
    assert offered and client.get(unescape(offered[1])).status_code == 200


def test_results_stand_under_their_documents_with_marks_sizes_and_a_map(client: TestClient) -> None:
    page = client.get("/?q=lighthouse&top=20").text
    said = text_of(page)
    assert "The long coast" in said and "Ships & lights" in said and "Chapter 4" in said
    assert "<mark>lighthouse</mark>" in page and 'class="map"' in page and "characters" in said
    results = trix.open(web_samples_index(client)).search(
        "lighthouse", group="document", top=20, per_document=3, spread="all"
    )
    assert page.count('class="hit ') == len(results)


def web_samples_index(client: TestClient) -> str:
    return str(client.app.state.site.index.files.paths[0])  # type: ignore[attr-defined]


def test_a_passage_leads_to_its_place_in_the_document(client: TestClient) -> None:
    go = links(client.get("/?q=lighthouse").text, "go")[0]
    page = client.get(go)
    label = go.partition("#")[2]
    assert page.status_code == 200 and f'id="{label}" class="passage' in page.text.replace("  ", " ")


def test_every_state_is_in_the_address(client: TestClient) -> None:
    fields = {"year": 1, "journal": 1}
    asked = read(
        [("q", "a b"), ("view", "flat"), ("in", "year:2014"), ("in", "no:1"), ("model", "bm25"), ("from", "21")],
        RequestLimits(), fields,
    )  # fmt: skip
    assert asked == SearchState("a b", "flat", (("year", "2014"),), 21, 0, "document", {"model": "bm25"})
    assert asked.address() == "/?q=a+b&view=flat&in=year%3A2014&model=bm25&from=21"
    assert asked.with_facet("year", "2014").address() == "/?q=a+b&view=flat&model=bm25"
    assert asked.options() == {"model": "bm25", "where": 'year = "2014"'}


def test_pages_follow_each_other_without_a_gap(client: TestClient) -> None:
    seen: list[str] = []
    address = "/?q=harbour&view=flat&top=5"
    while address:
        page = client.get(address).text
        seen += links(page, "go")
        following = re.search(r'rel="next" href="([^"]+)"', page)
        address = unescape(following[1]) if following else ""
    results = trix.open(web_samples_index(client)).search("harbour", top="all")
    assert len(seen) == len(results) > 10
    assert [each.rpartition("#")[2] for each in seen] == results.labels


def test_a_list_that_ends_says_what_the_others_are(client: TestClient) -> None:
    index = trix.open(web_samples_index(client))
    every = index.search("harbour", top="all")
    assert len(every) < every.matched and every.others.startswith("the others are larger or smaller, overlap")
    assert index.search("harbour", top=1).others == ""  # more follow
    assert index.search("harbour", top=5, from_=len(every)).others.startswith("the others")
    assert index.search("harbour", preset="study", overlap="full", top="all").others == ""
    last = text_of(client.get(f"/?q=harbour&view=flat&from={len(every)}").text)
    assert f"{len(every)} of {every.matched} are shown; the others are larger" in last
    assert "the others" not in client.get("/?q=harbour&view=flat").text


def test_a_part_has_the_part_before_and_the_next_at_its_top_and_its_bottom(client: TestClient) -> None:
    for part, ways in (
        (1, {"next": "?part=2"}), (2, {"prev": "", "next": "?part=3"}), (3, {"prev": "?part=2", "next": "?part=4"}),
    ):  # fmt: skip
        page = client.get(f"/read/long?part={part}").text
        for side in ("before", "after"):
            (more,) = re.findall(rf'<p class="more {side}">(.*?)</p>', page)
            assert dict(re.findall(r'rel="(\w+)" href="/read/long([^"]*)"', more)) == ways
    assert 'class="more' not in client.get("/read/short").text


def test_a_mistake_is_marked_under_its_character_and_the_query_stays(client: TestClient) -> None:
    answer = client.get("/", params={"q": 'ship "light'})
    assert answer.status_code == 400
    caret = re.search(r"<code>(.*?)<mark>(.*?)</mark>(.*?)</code>", answer.text)
    assert caret and (unescape(caret[1]), unescape(caret[2]), caret[3]) == ("ship ", '"', "light")
    assert 'value="ship &#34;light"' in answer.text
    mended = unescape(re.findall(r'Try instead: <a href="([^"]*)"', answer.text)[0])
    assert mended == "/?q=ship+%22light%22" and client.get(mended).status_code == 200
    for other in ("/?q=%2B", "/?q=ship&where=titel+~+ship"):  # nothing of the first can be mended
        address = unescape(re.findall(r'Try instead: <a href="([^"]*)"', client.get(other).text)[0])
        assert client.get(address).status_code == 200, other


def test_a_structured_query_is_answered_in_the_same_box(client: TestClient) -> None:
    page = client.get("/", params={"q": "//section[about(., lighthouse)]"})
    assert page.status_code == 200 and "<mark>lighthouse</mark>" in page.text


def test_a_word_that_nothing_holds_is_answered_with_those_that_could_be_meant(client: TestClient) -> None:
    page = client.get("/?q=lighthose").text
    meant = re.search(r'class="meant">.*?href="([^"]+)"', page, re.DOTALL)
    assert meant and "lighthouse" in client.get(unescape(meant[1])).text


def test_scripts_get_the_answer_alone(client: TestClient) -> None:
    part = client.get("/?q=lighthouse&top=20", headers={"x-part": "1"})
    assert "<html" not in part.text and "Chapter 4" in part.text and "x-part" in part.headers["vary"]
    assert client.get("/?q=%22x", headers={"x-part": "1"}).status_code == 200  # told in its place


def test_what_a_browser_has_already_is_not_sent_again_until_the_index_changes(tmp_path: Path) -> None:
    index = web_samples.make(tmp_path)
    with TestClient(app(web_samples.place(index))) as client:
        first = client.get("/?q=lighthouse")
        again = client.get("/?q=lighthouse", headers={"if-none-match": first.headers["etag"]})
        assert again.status_code == 304 and again.content == b""
        assert client.get("/?q=lighthouse").content == first.content
        with trix.write(index) as writer:
            writer.delete("long")
        changed = client.get("/?q=lighthouse", headers={"if-none-match": first.headers["etag"]})
        assert changed.status_code == 200 and "The long coast" not in changed.text


def test_who_asks_the_same_at_the_same_time_gets_what_is_made_once(
    coast: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    search = trix.Index.search

    def slow(index: trix.Index, query: str, **options: Any) -> trix.Results:
        asked.append(query)
        time.sleep(0.3)
        return search(index, query, **options)

    monkeypatch.setattr(trix.Index, "search", slow)

    async def ask() -> list[str]:
        transport = httpx.ASGITransport(app(web_samples.place(coast)))
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            answers = await asyncio.gather(*(client.get("/?q=ship") for _ in range(5)))
        return [answer.text for answer in answers]

    pages = asyncio.run(ask())
    assert asked == ["ship"] and len(set(pages)) == 1 and "<mark>ship" in pages[0]


def test_suggestions_are_options(client: TestClient) -> None:
    offers = client.get("/suggest?q=ligh").text
    assert 'data-text="lighthouse"' in offers and 'role="option"' in offers
    assert client.get("/suggest?q=").text.strip() == ""


def test_a_title_that_only_one_has_is_opened_and_one_of_many_is_searched_for(tmp_path: Path) -> None:
    (tmp_path / "coast.toml").write_text(web_samples.PROFILE)
    for name, title in (("one", "Tides & moons"), ("two", "Tide tables")):
        sections = "".join(f"<section><title>{each}</title><p>{name}</p></section>" for each in (title, "Notes"))
        (tmp_path / f"{name}.xml").write_text(f"<doc><title>The {name}</title>{sections}</doc>".replace("&", "&amp;"))
    trix.build(tmp_path, tmp_path / "i", jobs=1, profile=str(tmp_path / "coast.toml"))
    place = web_samples.place(tmp_path / "i")
    with TestClient(app(place)) as client:
        told = {text: client.get("/suggest", params={"q": text}).text for text in ("tid", "notes", "the o")}
        links = {each: unescape(link) for text in told.values() for link, each in LINKED.findall(text)}
        assert set(links) == {"Tides &amp; moons", "Tide tables", "The one"}
        assert '<div class="offer section"' in told["notes"] and "<a " not in told["notes"]
        assert "<small>in The one</small>" in told["tid"]
        assert client.get(links["The one"], follow_redirects=False).status_code == 200
        go = client.get(links["Tides &amp; moons"], follow_redirects=False)
        label = client.get("/where/one", params={"at": "/doc[1]/section[1]"}).json()["label"]
        assert go.status_code == 303 and go.headers["location"] == f"/read/one#{label}"


LINKED = re.compile(r'<a [^>]*href="([^"]+)"[^>]*data-text="([^"]+)"')


def test_why_tells_the_numbers_of_the_library(client: TestClient) -> None:
    with trix.open(web_samples_index(client)) as index:
        result = index.search("lighthouse")[0]
        value = index.explain("lighthouse", result).value
        page = client.get("/why", params={"q": "lighthouse", "unit": result.doc + result.path}).text
    assert f'<span class="value">{value:.4f}</span>' in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("ship light", "It contains ship (2×), light (1×). light counts most: 4 of"),
        ("ships zebra", "It contains ships (2×). It does not contain zebra."),
        ("+ship", "It contains ship (2×)."),
    ],
)
def test_why_begins_with_sentences(client: TestClient, query: str, said: str) -> None:
    path = "short/doc[1]/section[1]/p[1]"
    page = client.get("/why", params={"q": query, "unit": path, "preset": "study"}, headers={"x-part": "1"}).text
    told = text_of(page[: page.index('<ul class="tree">')])
    assert told.startswith(said)
    with_context = client.get("/why", params={"q": query, "unit": path, "context": "root:1"}).text
    assert "with its context" in with_context
    assert "with its context" not in page


def test_a_concordance_has_a_line_for_each_occurrence(client: TestClient) -> None:
    page = client.get("/?q=lamp&view=concordance").text
    with trix.open(web_samples_index(client)) as index:
        lines = list(index.concordance("lamp", top=50))
    assert page.count('<td class="hit">') == len(lines) > 0
    at = re.search(r'<td class="hit"><a href="([^"]+)"', page)
    assert at and client.get(unescape(at[1])).status_code == 200


def test_the_chain_leads_through_all_passages_and_back(client: TestClient) -> None:
    index = trix.open(web_samples_index(client))
    results = index.search("lighthouse", strategy="relevant-in-context", top="all", per_document="all")
    wanted = [result.label for result in results if result.doc.endswith("long")]
    page = client.get("/read/long?q=lighthouse").text
    followed, address = [], links(page, "down")[0]
    while not address.endswith("#top"):
        path, _, label = address.partition("#")
        followed.append(label)
        page = client.get(path).text
        passage = page[page.index(f'id="{label}"') :]
        arrow = re.search(r'<a class="(?:down|up)" href="([^"]+)"', passage)
        assert arrow
        address = unescape(arrow[1])
    assert followed == wanted and len(followed) == 15


def test_labels_paths_and_ids_lead_to_their_part(client: TestClient) -> None:
    with trix.open(web_samples_index(client)) as index:
        label = index.search("lighthouse", top="all", per_document="all")
        last = max((each for each in label if each.doc.endswith("long")), key=lambda each: each.offset)
    for at in (last.label, last.path):
        answer = client.get("/read/long", params={"at": at}, follow_redirects=False)
        assert answer.status_code == 303
        assert re.search(rf"part=\d+#{re.escape(last.label)}$", answer.headers["location"])
    by_id = client.get("/read/short?id=s2", follow_redirects=False).headers["location"]
    with trix.open(web_samples_index(client)) as index:
        assert by_id.rpartition("#")[2] == index.search("//section[about(., quoted)]")[0].label
    assert client.get("/read/short?id=nobody").status_code == 404
    where = client.get("/where/long", params={"at": last.label}).json()
    assert where == {
        "path": last.path, "label": last.label, "start": last.offset, "end": last.offset + last.length
    }  # fmt: skip


def test_the_contents_have_the_heat_of_what_matches(client: TestClient) -> None:
    page = client.get("/read/long?q=lighthouse").text
    told = {title: bool(heat) for heat, title in re.findall(r'data-part="\d+"( class="s\d"[^>]*)?>(Chapter \d+)', page)}
    assert len(told) == 60
    assert {title for title, heat in told.items() if heat} == {f"Chapter {n}" for n in range(4, 61, 4)}


@pytest.mark.parametrize(
    "address",
    ["/read/none", "/read/", "/read/long?part=9999", "/read/long?part=x", "/read/long?at=9.9.9",
     "/read/long?part=00000000019999", "/read/long?part=²", "/read/long?at=²", "/read/long?at=1.²",
     "/read/../../etc/passwd", "/nothing", "/static/../app.py", "/image/short?name=nothing", "/handbook/none"],
)  # fmt: skip
def test_what_is_not_there_is_said_on_a_page(client: TestClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 404 and "<h1>" in answer.text


@pytest.mark.parametrize(
    "address", ["/?top=0", "/?q=x&top=1000", "/?q=x&from=99999999", "/?q=x&model=none", "/?q=x&where=%28"]
)
def test_what_is_wrong_is_said_in_a_line(client: TestClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 400 and "Traceback" not in answer.text


def test_a_query_that_is_too_long_is_refused(client: TestClient) -> None:
    assert client.get("/", params={"q": "a" * 2001}).status_code == 400


def test_pages_can_only_be_read(client: TestClient) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert client.request(method, "/").status_code == 405


def test_every_answer_has_the_headers_that_keep_it_safe(client: TestClient) -> None:
    for address in ("/", "/?q=%22", "/nothing", "/static/main.js", "/read/short", "/suggest?q=a", "/about"):
        headers = client.get(address).headers
        assert {name: headers.get(name) for name in HEADERS} == HEADERS
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_no_page_has_scripts_styles_or_addresses_of_its_own(client: TestClient) -> None:
    pages = ["/", "/?q=trouble", "/read/hostile?q=trouble", "/read/short?q=light", "/about", "/handbook/"]
    for address in pages:
        page: Any = lxml_html.fromstring(client.get(address).text)
        assert [each.get("src") for each in page.iter("script")] == ["/static/main.js"]
        assert not list(page.iter("style", "iframe", "object", "embed", "base", "meta[@http-equiv]"))
        for element in page.iter():
            if not isinstance(element.tag, str):
                continue
            assert not [name for name in element.attrib if name.startswith("on") or name == "style"]
            for name in ("href", "src", "action"):
                value = element.get(name, "/")
                assert value.startswith(("/", "#", "https://example.org/")), value


def test_a_hostile_document_does_nothing_and_is_shown(client: TestClient) -> None:
    page = client.get("/read/hostile?q=trouble").text
    assert "alert(1)" in text_of(page) and "<script>alert" not in page
    tags = " ".join(re.findall(r"<[^>]*>", page)).lower()
    for bad in (
        "javascript:",
        "data:",
        "evil.example",
        "onclick",
        "onload",
        "onerror=",
        "style=",
        "etc/passwd",
        "hostname",
    ):
        assert bad not in tags, bad
    assert "trouble" in page and page.count("<mark>") > 3


def test_images_are_those_beside_the_source(client: TestClient) -> None:
    page = client.get("/read/short").text
    image = re.search(r'<img loading="lazy" src="([^"]+)" alt="([^"]*)"', page)
    assert image and image[2] == "A lamp."
    answer = client.get(unescape(image[1]))
    assert answer.headers["content-type"] == "image/png" and "sandbox" in answer.headers["content-security-policy"]
    for name in (
        "../secret.png",
        "..%2Fsecret.png",
        "/etc/passwd",
        "long.xml",
        "../coast/../secret.png",
        "x\0.png",
        "C:lamp.png",
    ):
        assert client.get("/image/short", params={"name": name}).status_code == 404


def test_a_link_of_the_folder_does_not_lead_out_of_it(tmp_path: Path) -> None:
    index = web_samples.make(tmp_path)
    (tmp_path / "coast" / "way.png").symlink_to(tmp_path / "secret.png")
    with TestClient(app(web_samples.place(index))) as client:
        assert client.get("/image/short?name=way.png").status_code == 404


def test_no_path_of_the_machine_leaves_it(tmp_path: Path) -> None:
    source = tmp_path / "somewhere"
    source.mkdir()
    (source / "a.xml").write_text("<doc><title>A thing</title><p>words of it</p></doc>")
    trix.build(source, tmp_path / "x.index", jobs=1)
    (source / "a.xml").write_text("<doc>other</doc>")
    with TestClient(app(web_samples.place(tmp_path / "x.index"))) as client:
        for address in ("/?q=words", "/about", "/read/a", "/read/a?q=words", "/xml/a",
                        "/why?q=words&unit=a/doc[1]", "/?q=words&view=concordance", "/?like=a"):  # fmt: skip
            answer = client.get(address)
            assert str(tmp_path) not in answer.text and str(tmp_path) not in str(answer.headers)
        assert client.get("/read/a").status_code == 410


def test_xml_of_an_element_is_text(client: TestClient) -> None:
    answer = client.get("/xml/short", params={"at": "/doc[1]/section[2]"})
    assert answer.headers["content-type"].startswith("text/plain") and answer.text.startswith("<section")
    assert "<num>" not in answer.text


def test_about_has_the_counts_and_the_fields(client: TestClient) -> None:
    page = client.get("/about").text
    assert "<dd>3</dd>" in page and "coast" in page
    assert re.search(r"<code>section</code> <span class=\"n\">\d+</span>", page)


def test_the_handbook_is_served(client: TestClient) -> None:
    chapters = re.findall(r'href="(/handbook/[\w-]+\.html)"', client.get("/handbook/").text)
    assert len(chapters) > 10
    assert all(client.get(each).status_code == 200 for each in chapters)
    assert client.get("/handbook/style.css").headers["content-type"].startswith("text/css")


def test_a_theme_takes_the_place_of_words_templates_and_files(coast: Path, tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "static").mkdir()
    (tmp_path / "words.toml").write_text('search = "Suche"\nlanguage = "de"\n')
    (tmp_path / "templates" / "error.html").write_text("<h1>hoppla</h1>")
    (tmp_path / "static" / "icon.svg").write_text("<svg/>")
    with TestClient(app(web_samples.place(coast, theme=tmp_path))) as client:
        assert '<html lang="de" dir="ltr">' in client.get("/").text
        assert client.get("/nothing").text == "<h1>hoppla</h1>"
        assert client.get("/static/icon.svg").text == "<svg/>"
        assert client.get("/static/style.css").status_code == 200


def test_all_words_of_the_templates_are_there(client: TestClient) -> None:
    from trix.web.pages.templates import HERE, Pages

    words = Pages(client.app.state.site).words  # type: ignore[attr-defined]
    asked = set()
    for path in [*(HERE / "templates").glob("*.html"), *(HERE / "pages").glob("*.py")]:
        asked |= set(re.findall(r"say\(['\"](\w+)['\"]", path.read_text(encoding="utf-8")))
    assert asked - set(words) == set() and len(asked) > 40


# -- one commit for one request ---------------------------------------------------------------------------------------


def test_a_changed_index_is_seen_by_the_next_request_and_not_by_this_one(tmp_path: Path) -> None:
    index = web_samples.make(tmp_path)
    place = web_samples.place(index)
    held = place.index
    before = place.commit_of(held)
    with TestClient(app(place)) as client:
        assert 'class="hit ' not in client.get("/?q=zebra").text
        (tmp_path / "coast" / "new.xml").write_text(
            "<doc><title>A zebra</title><p>" + "zebra words " * 30 + "</p></doc>"
        )
        with trix.write(index) as writer:
            writer.add(tmp_path / "coast" / "new.xml")
        assert client.get("/read/new").status_code == 200
        assert "A zebra" in client.get("/?q=zebra").text
    assert len(held) == 3 and len(place.index) == 4
    assert place.commit_of(held) == before != place.commit_of(place.index)
    assert held.search("zebra").matched == 0 and place.index is place.index


def test_a_damaged_newest_commit_leaves_the_older_one_answering(tmp_path: Path) -> None:
    index = web_samples.make(tmp_path)
    place = web_samples.place(index)
    for ending in ("msgpack", "copy"):
        (index / f"commit-000099.{ending}").write_bytes(b"nonsense")
    with TestClient(app(place)) as client:
        assert client.get("/?q=lighthouse").status_code == 200
        assert 'role="alert"' in client.get("/about").text
    assert place.damaged


# -- bounds ------------------------------------------------------------------------------------------------------------


def endless() -> None:
    """Work as a search does: for ever, with a look at the deadline now and then."""
    while True:
        time.sleep(0.005)
        check()


async def until_free(asking: Throttle) -> None:
    """Wait until no work is left."""
    for _ in range(200):
        if not asking.working:
            break
        await asyncio.sleep(0.05)
    assert asking.working == 0


def test_a_request_that_takes_too_long_ends() -> None:
    ended = threading.Event()

    def forever() -> None:
        try:
            endless()
        finally:
            ended.set()

    async def ask() -> None:
        asking = Throttle(RequestLimits(seconds=0.05))
        with pytest.raises(TooLongError, match="longer than"):
            await asking(forever)
        await until_free(asking)

    asyncio.run(ask())
    assert ended.wait(5)


def test_a_request_whose_client_has_gone_ends() -> None:
    ended = threading.Event()

    def forever() -> None:
        try:
            endless()
        finally:
            ended.set()

    async def ask() -> None:
        asking = Throttle(RequestLimits(seconds=600))
        asked = asyncio.create_task(asking(forever))
        await asyncio.sleep(0.05)
        asked.cancel()
        await until_free(asking)

    asyncio.run(ask())
    assert ended.is_set()


def test_a_late_request_took_too_long_whatever_its_work_raised(coast: Path) -> None:
    def broken() -> None:
        try:
            endless()
        except TooLongError as raised:
            raise SystemError("a result with an exception set") from raised

    async def ask() -> None:
        asking = Throttle(RequestLimits(seconds=0.05))
        with pytest.raises(TooLongError):
            await asking(broken)
        await until_free(asking)

    asyncio.run(ask())
    place = web_samples.place(coast, seconds=0.05)
    asked = place.run

    async def slow(call: Any) -> Any:
        return await asked(broken)

    place.run = slow  # type: ignore[method-assign]
    with TestClient(app(place)) as client:
        for address in ("/?q=ship", "/read/short?q=ship", "/api/v1/search?query=ship"):
            assert client.get(address).status_code == 503


def test_work_that_looks_at_no_deadline_keeps_its_place_and_nobody_waiting() -> None:
    release = threading.Event()

    async def ask() -> None:
        asking = Throttle(RequestLimits(seconds=0.05))
        with pytest.raises(TooLongError):
            await asking(lambda: release.wait(60))
        assert asking.working == 1  # it keeps its place as long as it runs
        release.set()
        await until_free(asking)

    asyncio.run(ask())


def test_a_request_that_ends_at_its_deadline_frees_its_place_once() -> None:
    async def ask() -> int:
        asking, late = Throttle(RequestLimits(at_once=2, seconds=0.02)), 0
        for number in range(80):
            try:
                assert await asking(lambda: (time.sleep(0.0185 + (number % 8) / 2_000), check())[1]) is None  # noqa: B023
            except TooLongError:
                late += 1
        for _ in range(100):
            if not asking.working:
                break
            await asyncio.sleep(0.02)
        assert asking.working == 0
        running, most, lock = 0, 0, threading.Lock()

        def count() -> None:
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            time.sleep(0.3)
            with lock:
                running -= 1

        patient = Throttle(RequestLimits(at_once=2, seconds=30))
        patient._free, patient._turn = asking._free, asking._turn
        await asyncio.gather(*(patient(count) for _ in range(5)))
        assert most == 2
        return late

    assert asyncio.run(ask()) > 0


def test_more_requests_than_may_wait_are_turned_away() -> None:
    release = threading.Event()

    async def ask() -> list[object]:
        asking = Throttle(RequestLimits(at_once=1, waiting=1))
        begun = [asyncio.create_task(asking(release.wait)) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(TooManyError):
            await asking(lambda: 1)
        release.set()
        return list(await asyncio.gather(*begun))

    assert asyncio.run(ask()) == [True, True]


def test_work_is_done_in_the_order_in_which_it_comes_and_what_is_slow_lets_others_pass() -> None:
    release, done = threading.Event(), list[object]()

    def work(name: object) -> None:
        if name == "slow":
            release.wait(10)
        done.append(name)

    async def ask() -> None:
        asking = Throttle(RequestLimits(at_once=2))
        slow = asyncio.create_task(asking(lambda: work("slow")))
        quick = [asyncio.create_task(asking(lambda name=name: work(name))) for name in range(20)]  # type: ignore[misc]
        await asyncio.sleep(0.01)
        assert not done  # the first has a moment for itself
        await asyncio.gather(*quick)
        assert done == list(range(20)) and not slow.done()
        release.set()
        await slow
        assert asking.working == 0

    asyncio.run(ask())


def test_who_goes_away_while_waiting_keeps_nobody_waiting() -> None:
    release = threading.Event()

    async def ask() -> None:
        asking = Throttle(RequestLimits(at_once=1))
        first = asyncio.create_task(asking(lambda: release.wait(10)))
        gone, last = asyncio.create_task(asking(lambda: 1)), asyncio.create_task(asking(lambda: 2))
        await asyncio.sleep(0.15)  # the turn has passed on, the place has not
        gone.cancel()
        release.set()
        assert await last == 2 and await first and asking.working == 0

    asyncio.run(ask())


def test_errors_of_the_work_are_those_of_the_answer() -> None:
    def fail() -> None:
        raise UsageError("no")

    async def ask() -> None:
        asking = Throttle(RequestLimits())
        with pytest.raises(UsageError):
            await asking(fail)
        assert await asking(lambda: 7) == 7 and asking.working == 0

    asyncio.run(ask())


def test_a_busy_place_says_so(coast: Path) -> None:
    place = web_samples.place(coast, at_once=1, waiting=0)
    with TestClient(app(place)) as client:
        place.throttle.working = 1
        answer = client.get("/?q=x")
        assert answer.status_code == 429 and answer.headers["retry-after"]
        place.throttle.working = 0
        assert client.get("/?q=ship").status_code == 200


def test_a_page_that_is_kept_is_the_same_however_it_is_sent(coast: Path) -> None:
    with TestClient(app(web_samples.place(coast))) as client:
        for address in ("/?q=lighthouse", "/read/long?q=lighthouse", "/suggest?q=lig"):
            answers = [client.get(address, headers={"accept-encoding": how}) for how in ("gzip", "identity") * 2]
            other = [client.get(address + "&v=1", headers={"accept-encoding": how}) for how in ("identity", "gzip")]
            assert [each.headers.get("content-encoding") for each in answers] == ["gzip", None] * 2
            assert len({each.text for each in answers}) == 1 and answers[0].text.strip()
            assert other[0].text == other[1].text and other[1].headers["content-encoding"] == "gzip"
            assert {each.headers["vary"] for each in (*answers[::2], other[1])} == {"x-part, Accept-Encoding"}


def test_kept_pages_are_told_apart_by_the_address_as_it_was_sent(tmp_path: Path) -> None:
    for number, name in enumerate(("h#ash", "h%23ash", "h", "h?q=1", "a#1", "a#2")):
        (tmp_path / f"{name}.xml").write_text(f"<doc><title>Number {number}</title><p>Words of {number}.</p></doc>")
    trix.build(tmp_path, tmp_path / "i", jobs=1, profile="generic", store=True)
    with TestClient(app(web_samples.place(tmp_path / "i"))) as client:
        for _ in range(2):  # made, and kept
            for number, path in enumerate(("h%23ash", "h%2523ash", "h", "h%3Fq=1", "a%231", "a%232")):
                assert f"Number {number}</h1>" in client.get(f"/read/{path}").text
            assert client.get("/read/h?q=1").text != client.get("/read/h%3Fq=1").text


def test_nothing_but_the_address_decides_which_kept_page_is_sent(coast: Path) -> None:
    with TestClient(app(web_samples.place(coast))) as client:
        wanted = {path: client.get(path).text for path in ("/read/short", "/read/long", "/?q=ship", "/?q=lamp")}
        for host in ("here/read/short?x=", "here/?q=ship#", "short/read", "", "a b", "[::1", "\xff"):
            for path, page in wanted.items():
                assert client.get(path, headers=[(b"host", host.encode("latin-1"))]).text == page
        for headers in ({"accept-language": "de"}, {"cookie": "x=y"}, {"accept": "text/plain"}, {"x-part": "2"}):
            assert {path: client.get(path, headers=headers).text for path in wanted} == wanted
        assert client.get("/?q=ship", headers={"x-part": "1"}).text != wanted["/?q=ship"]


# -- who may ask ------------------------------------------------------------------------------------------------------


def test_a_token_is_asked_of_everybody(coast: Path) -> None:
    with TestClient(app(web_samples.place(coast, token="öpen sesame"))) as client:
        for address in ("/", "/?q=ship", "/read/short", "/static/main.js", "/nothing"):
            answer = client.get(address)
            assert answer.status_code == 401 and "lighthouse" not in answer.text
        assert client.get("/?token=wrong").status_code == 401
        answer = client.get("/?q=ship&token=%C3%B6pen+sesame", follow_redirects=False)
        assert answer.status_code == 303 and answer.headers["location"] == "/?q=ship"
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "sesame" not in cookie
        assert client.get("/?q=ship").status_code == 200


def test_a_bearer_token_opens(coast: Path) -> None:
    with TestClient(app(web_samples.place(coast, token="abc"))) as client:
        assert client.get("/", headers={"authorization": "Bearer abc"}).status_code == 200
        assert client.get("/", headers={"authorization": "Bearer abd"}).status_code == 401
        answer = client.get("//evil.example/?token=abc", follow_redirects=False)
        assert not answer.headers.get("location", "/").startswith("//")


def sent(place: Site, target: str, *headers: tuple[bytes, bytes]) -> tuple[int, dict[str, str]]:
    """Return status and headers of the answer to a request whose bytes are sent as they are."""
    path, _, query = target.encode().partition(b"?")
    answers: list[Any] = []

    async def receive() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        answers.append(message)

    scope = {"type": "http", "method": "GET", "scheme": "http", "path": unquote(path.decode()), "raw_path": path,
             "query_string": query, "headers": list(headers), "root_path": "", "http_version": "1.1"}  # fmt: skip
    asyncio.run(app(place)(scope, receive, send))
    return answers[0]["status"], {name.decode(): value.decode() for name, value in answers[0]["headers"]}


@pytest.mark.parametrize("token", ["abc", "öpen sesame", "日本語", " padded ", "caf\udce9", 'a"b;c,=', "%41+"])
def test_a_token_of_any_characters_opens_in_a_header_and_in_an_address(coast: Path, token: str) -> None:
    place = web_samples.place(coast, token=token)
    forms = [token.encode("utf-8", "surrogateescape")]
    with suppress(UnicodeEncodeError):
        forms.append(token.encode("latin-1"))
    for form in forms:
        assert sent(place, "/", (b"authorization", b"Bearer " + form))[0] == 200
    for wrong in (b"", b" ", b"?" * len(token.strip()), forms[0].strip() + b"x", forms[0].strip()[:-1]):
        assert sent(place, "/", (b"authorization", b"Bearer " + wrong))[0] == 401
    assert sent(place, "/?token=")[0] == sent(place, "/?token=%20")[0] == 401
    address = address_of("127.0.0.1", 80, token).partition(":80")[2]
    status, headers = sent(place, address)
    assert address.isascii() and (status, headers["location"]) == (303, "/")
    assert sent(place, "/", (b"cookie", headers["set-cookie"].partition(";")[0].encode()))[0] == 200


def test_an_address_with_the_token_leads_on_without_it_whatever_else_is_in_it(coast: Path) -> None:
    place = web_samples.place(coast, token="abc")
    for target in ("/read/caf%E9?q=%C3%A9&like=%E9", "/read/a%0Ab%5Cc?q=x", "/read/h%23ash?q=a+b"):
        assert sent(place, f"{target}&token=abc")[1]["location"] == target
    for target in ("//evil.example/", "/%5Cevil.example/", "/\\evil.example/", "/%2F%2Fevil.example/", "/%09/evil"):
        location = sent(place, f"{target}?token=abc")[1]["location"]
        assert re.match(r"/[^/\\\s]", location), location


OTHERS = [
    "a/b=c",
    'x={"a":"b"}',
    "=",
    ";;;",
    "a",
    'q="',
    "trix-token",
    "trix-token=",
    "trix-token=x",
    "é=ü",
    "a=b, c=d",
]


@pytest.mark.parametrize("other", OTHERS)
def test_cookies_of_other_applications_are_of_no_weight(coast: Path, other: str) -> None:
    place = web_samples.place(coast, token="abc")
    own = sent(place, "/?token=abc")[1]["set-cookie"].partition(";")[0]
    for cookie in (f"{other}; {own}", f"{own}; {other}", f"{other};{own};{other}"):
        assert sent(place, "/", (b"cookie", cookie.encode()))[0] == 200
    assert sent(place, "/", (b"cookie", other.encode()), (b"cookie", own.encode()))[0] == 200
    assert sent(place, "/", (b"cookie", other.encode()))[0] == 401


def test_a_place_of_this_machine_is_not_asked_under_other_names(coast: Path) -> None:
    with TestClient(app(web_samples.place(coast), hosts=["127.0.0.1", "localhost"])) as client:
        assert client.get("/", headers={"host": "evil.example"}).status_code == 400
        assert client.get("/", headers={"host": "localhost:8474"}).status_code == 200


def test_a_port_that_is_taken_is_said(coast: Path) -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(UsageError, match="port"):
        listen("127.0.0.1", taken.getsockname()[1]).close()
    assert ServerConfig(indexes=[str(coast)]).app().state.site.title == "coast"


def test_an_index_that_is_gone_is_no_traceback(tmp_path: Path) -> None:
    index = web_samples.make(tmp_path)
    place = web_samples.place(index)
    shutil.rmtree(tmp_path / "coast")
    with TestClient(app(place)) as client:  # the sources are kept in the index
        assert client.get("/read/short").status_code == 200
        assert client.get("/image/short?name=lamp").status_code == 404


def test_while_a_query_is_typed_its_last_word_may_go_on(client: TestClient) -> None:
    def hits(query: str, part: str) -> str:
        return client.get(f"/?q={query}", headers={"x-part": part}).text

    assert "<mark>lighthouse</mark>" in hits("lighth", "typing") and "Showing results for" not in hits(
        "lighth", "typing"
    )
    assert "<mark>lighthouse</mark>" not in hits("lighth", "1")  # it is what was meant, as soon as it is asked
    assert hits("ship", "typing") == hits("ship", "typing")
    assert "<mark>ship</mark>" in hits("ship", "typing")  # a word of the index is as it is
    assert "<mark>lighthouse</mark>" in hits("ship+lighth", "typing")
    assert 'role="alert"' in hits("%22lighth", "typing")
    assert client.get("/?q=lighth").text == client.get("/?q=lighth").text
