"""The search of a published site in Chromium: the engine's results, typing, filters, the chain, axe, no script."""

from __future__ import annotations

import functools
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import Browser, expect

import trix
from tests.chromium import MARKS, Opens, chromium, windows
from tests.web.test_right_to_left import ARABIC, HEBREW
from trix.handbook.contents import ARTICLES
from trix.publish.names import page_paths
from trix.publish.site import publish
from trix.publish.units import quiet_elements, units_of
from trix.query.matching.section_titles import titles_by_profile

pytestmark = MARKS

RANKS = """async (queries) => {
  const at = (name) => import(new URL(`static/${name}.js`, location));
  const [{ Files }, { understand, rank, hitsOf }] = await Promise.all([at("files"), at("search")]);
  const files = new Files(new URL("./", location));
  const [entry, rows, names] = [await files.entry(), await files.rows(), await files.documents()];
  const found = [];
  for (const q of queries) {
    const ranking = rank(rows, await understand(files, q, false), entry);
    const hits = ranking.documents.slice(0, 10).flatMap((document) =>
      hitsOf(rows, ranking, document, entry.most).map(({ row, score }) =>
        [names[document][0], row - rows.first[document], score]));
    found.push(hits.slice(0, 10));
  }
  return found;
}"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    """Index some chapters of the handbook, and two texts from right to left."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "xml").mkdir()
    for path in sorted(ARTICLES.glob("*.xml")):
        if not path.name.startswith(("how-to", "preset")):
            shutil.copy(path, folder / "xml")
    (folder / "xml" / "hebrew.xml").write_text(HEBREW, "utf-8")
    (folder / "xml" / "arabic.xml").write_text(ARABIC, "utf-8")
    trix.build(folder / "xml", folder / "i", jobs=1, profile="jats")
    return trix.open(folder / "i")


@pytest.fixture(scope="module")
def address(index: trix.Index, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Publish below a path of a static server."""
    place = tmp_path_factory.mktemp("server")
    publish(index, place / "deep" / "site", title="The handbook")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(place)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/deep/site/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def opens(browser: Browser, address: str) -> Iterator[Opens]:
    """Return what opens a page of the site in a fresh window; complaints and requests elsewhere fail the test."""
    with windows(browser, address, ("error", "warning")) as opened:
        yield opened


def queries(index: trix.Index) -> list[str]:
    """Return titles, words and pairs of words of the collection."""
    titles = [index.files.titles[number] for number in range(len(index))]
    words = sorted(index.files.words.fitting("*"), key=len)[:: max(1, len(index.files.words.fitting("*")) // 120)]
    pairs = [f"{one} {other}" for one, other in zip(words, reversed(words), strict=True)]
    return [
        *titles,
        *words,
        *pairs[:60],
        "+overlap results -granularity",
        "user-centred query",
        "how is overlap removed",
    ]


def test_results_and_scores_are_those_of_the_engine(index: trix.Index, opens: Opens) -> None:
    asked = queries(index)
    got = opens("404.html").evaluate(RANKS, asked)
    units = units_of(index.files, titles_by_profile(index.files), quiet_elements(index.files))
    docs = [index.files.ids[number] for number in range(len(index))]
    paths = dict(zip(docs, page_paths(docs), strict=True))
    same = 0
    for query, mine in zip(asked, got, strict=True):
        wanted = [
            (
                paths[hit.doc],
                int(np.searchsorted(units.element, hit.element) - units.documents[hit.document]),
                hit.score,
            )
            for hit in list(index.search(query, preset="static", per_document=3, top=40))[:10]
        ]
        same += len(mine) == len(wanted) and all(
            (page, row) == (other, at) and abs(score - theirs) < 1e-9
            for (page, row, score), (other, at, theirs) in zip(mine, wanted, strict=True)
        )
    assert len(asked) > 150
    assert same >= 0.95 * len(asked)


def test_typing_finds_and_back_goes_back(opens: Opens, address: str) -> None:
    page = opens()
    page.keyboard.press("/")
    page.keyboard.type("overlap remov")
    expect(page.locator(".hit").first).to_be_visible()
    expect(page).to_have_url(f"{address}?q=overlap+remov")
    expect(page.get_by_role("status").first).to_contain_text("documents")
    assert page.locator(".document h2").first.inner_text()
    page.keyboard.press("Enter")
    page.go_back()
    expect(page.locator(".welcome")).to_be_visible()


def test_an_unknown_word_finds_the_nearest(opens: Opens) -> None:
    page = opens("?q=overlpa")
    expect(page.locator(".meant strong")).to_have_text("overlap")
    expect(page.locator(".snippet mark").first).to_contain_text("verlap")


def test_a_phrase_is_in_each_passage(opens: Opens) -> None:
    page = opens("?q=%22content%20element%22")
    expect(page.locator(".hit").first).to_be_visible()
    for snippet in page.locator(".document[aria-busy]").all():
        assert snippet
    assert "content element" in page.locator(".hit .snippet").first.inner_text().lower()
    other = opens("?q=%22element%20stemming%20overlap%22")
    expect(other.get_by_role("status").first).to_have_text("No results.")


def test_a_filter_narrows_and_is_taken_away(opens: Opens) -> None:
    page = opens("?q=overlap%20%D7%A9%D7%9C%D7%95%D7%9D")
    expect(page.locator(".facets a").first).to_be_visible()
    before = page.get_by_role("status").first.inner_text()
    page.locator(".facets a").first.click()
    expect(page.locator(".facets a.chosen")).to_be_visible()
    assert page.get_by_role("status").first.inner_text() != before
    page.locator(".facets a.chosen").click()
    expect(page.get_by_role("status").first).to_have_text(before)


def test_the_chain_leads_through_a_document(opens: Opens) -> None:
    page = opens("?q=overlap")
    page.locator(".hit a.go").first.click()
    expect(page.locator("nav.lead .count")).to_contain_text(" of ")
    assert page.locator(".part mark").count() > 2
    assert page.locator(".passage").count() >= 1
    assert page.locator(".contents a[class^=s]").count() >= 1
    at = page.url
    page.locator("nav.lead .next").click()
    if page.locator(".part .passage").count() > 1:
        assert page.url != at
    page.keyboard.press("b")
    expect(page.locator(".document").first).to_be_visible()


def test_without_scripts_documents_and_contents_work(opens: Opens) -> None:
    page = opens(java_script_enabled=False)
    assert "Searching needs JavaScript" in page.content()
    page.locator(".welcome a.all").click()
    page.locator(".listed a", has_text="verlap").first.click()
    page.locator(".contents a").nth(1).click()
    assert "#" in page.url
    assert page.locator(f"[id='{page.url.rpartition('#')[2]}']").count() == 1


def test_right_to_left(opens: Opens) -> None:
    page = opens("?q=%D7%A9%D7%9C%D7%95%D7%9D")
    expect(page.locator("li.document").first).to_have_attribute("dir", "rtl")
    page.locator("li.document h2 a").first.click()
    expect(page.locator("article")).to_have_attribute("dir", "rtl")


def test_a_printed_page_has_no_bars(opens: Opens) -> None:
    page = opens("read/overlap.html?q=overlap")
    expect(page.locator("nav.lead")).to_be_visible()
    page.emulate_media(media="print")
    for bar in ("nav.lead", "header.top", ".contents"):
        expect(page.locator(bar).first).to_be_hidden()


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(opens: Opens, scheme: str, width: int) -> None:
    found = find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("axe-playwright-python, which brings axe-core, is not installed")
    axe = (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")
    faults = {}
    for path in (
        "",
        "?q=overlap",
        "?q=overlpa",
        "documents.html",
        "404.html",
        "read/overlap.html?q=overlap",
        "read/hebrew.html",
    ):
        page = opens(path, width=width, color_scheme=scheme, bypass_csp=True)
        if "q=" in path:
            expect(page.locator(".hit, nav.lead").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        page.evaluate(axe)
        for fault in page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]:
            faults[path, fault["id"]] = [node["html"][:160] for node in fault["nodes"][:2]]
        page.close()
    assert faults == {}
