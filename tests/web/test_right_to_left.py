"""Texts from right to left on pages: by their language, by their letters, and as a browser sets them."""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("httpx", reason="starlette's client needs it")
from lxml import html as lxml_html
from starlette.testclient import TestClient

import trix
from tests import web_samples
from trix.web.app import app
from trix.web.reading.direction import direction, isolated, of_language

CHROMIUM = os.environ.get("TRIX_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = pytest.mark.reading

HEBREW = """<article xml:lang="he"><front><article-meta>
<title-group><article-title>שִׁיר הַשִּׁירִים</article-title></title-group></article-meta></front>
<body><sec id="one"><title>מבוא</title>
<p id="p1">שָׁלוֹם לָעוֹלָם, ראו Smith 2010. המילה שלום כאן ללא ניקוד, כמו בעיתון,
והיא נמצאת גם בסוף הפסקה הארוכה הזאת: שלום.</p>
<p id="p2" xml:lang="en">In English the word שָׁלוֹם means peace.</p><p id="p3">Only Latin letters, unmarked.</p>
<p id="p4">הקוד <monospace>x = 1</monospace> בתוך משפט, <foreign xml:lang="de">ein Wort</foreign> ועוד.</p>
<table-wrap><table><tbody><tr><td>שלום</td><td>17</td></tr><tr><td>peace</td><td>4</td></tr></tbody></table></table-wrap>
</sec></body></article>"""
ARABIC = """<article><front><article-meta><title-group><article-title>الأدب العربي الحديث</article-title></title-group>
</article-meta></front><body><sec><title>مقدمة</title>
<p>XML هو موضوع هذا الكِتَاب، وقد كتب عنه كثيرون. هذا كتاب آخر في المدرسة.</p></sec></body></article>"""
ENGLISH = """<article xml:lang="en"><front><article-meta>
<title-group><article-title>שלום, or peace</article-title></title-group></article-meta></front>
<body><sec><title>Greetings</title>
<p>שלום is how people greet each other in Hebrew, and كتاب is a book in Arabic.</p></sec></body></article>"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("leftward")
    (folder / "docs").mkdir()
    for name, text in {"hebrew": HEBREW, "arabic": ARABIC, "english": ENGLISH}.items():
        (folder / "docs" / f"{name}.xml").write_text(text, "utf-8")
    trix.build(folder / "docs", folder / "i", profile="jats", stop="none")
    return folder / "i"


@pytest.fixture(scope="module")
def client(index: Path) -> Iterator[TestClient]:
    with TestClient(app(web_samples.place(index))) as made:
        yield made


def tree(client: TestClient, address: str) -> Any:
    return lxml_html.fromstring(client.get(address).text)


def set_in(element: Any) -> str:
    """Return the direction that an element has from itself or from what is around it."""
    return next(each.get("dir") for each in [element, *element.iterancestors()] if each.get("dir"))


def saying(root: Any, text: str) -> Any:
    """Return the innermost element whose text begins with a text."""
    return [each for each in root.iter() if "".join(each.itertext()).strip().startswith(text)][-1]


@pytest.mark.parametrize(
    ("text", "language", "way"),
    [
        ("peace", "", "ltr"), ("שלום", "", "rtl"), ("ܫܠܡܐ", "", "rtl"), ("12 (–)", "", "auto"), ("", "he", "auto"),
        ("… שלום is a word", "", "ltr"), ("XML هو موضوع هذا", "", "rtl"), ("שָׁלוֹם abcd", "", "ltr"),
        ("Smith, London: שלום", "he", "rtl"), ("Smith, London", "he", "ltr"), ("שלום", "en", "rtl"),
        ("שלום means a", "en-GB", "ltr"), ("shalom, שלום שלום", "he-Latn", "ltr"), ("سلام abcdefg", "fa-AF", "rtl"),
    ],
)  # fmt: skip
def test_a_language_decides_where_a_text_has_its_letters_and_else_most_letters_do(
    text: str, language: str, way: str
) -> None:
    assert direction(text, language) == way


def test_languages_and_scripts_are_known_by_their_tags() -> None:
    for tag in (
        "ar",
        "he",
        "fa",
        "ur",
        "yi",
        "syr",
        "ps",
        "dv",
        "ckb",
        "ar-EG",
        "AR_eg",
        "uz-Arab",
        "pa-Arab-PK",
        "iw",
    ):
        assert of_language(tag) == "rtl", tag
    for tag in ("en", "el", "grc", "ja", "he-Latn", "ar-Latn-t-he", "ku"):
        assert of_language(tag) == "ltr", tag
    for tag in ("", "und", "zxx", "mul"):
        assert of_language(tag) == ""


def test_words_from_right_to_left_are_isolated_in_sentences() -> None:
    assert isolated("did you mean שלום (2) or <x> שָׁלוֹם רב (1)?") == (
        "did you mean <bdi>שלום</bdi> (2) or &lt;x&gt; <bdi>שָׁלוֹם רב</bdi> (1)?"
    )
    assert isolated("a < b") == "a &lt; b"


def test_a_document_is_read_in_its_direction_and_what_is_in_another_one_in_that(client: TestClient) -> None:
    root = tree(client, "/read/hebrew?q=שלום")
    assert root.get("dir") == "ltr" and root.xpath("//article")[0].get("dir") == "rtl"
    ways = {
        "שִׁיר": "rtl", "מבוא": "rtl", "שָׁלוֹם לָעוֹלָם": "rtl", "In English": "ltr", "Only Latin": "ltr", "x = 1": "ltr",
        "הקוד": "rtl", "ein Wort": "ltr",
    }  # fmt: skip
    for text, way in ways.items():
        assert set_in(saying(root.xpath("//article")[0], text)) == way, text
    (table,) = root.xpath("//article//table")
    assert set_in(table) == "rtl" and {set_in(row) for row in table.iter("tr")} == {"rtl"}
    assert [set_in(cell) for cell in table.iter("td")] == ["rtl", "rtl", "ltr", "rtl"]
    assert set_in(root.xpath("//nav[@class='contents']")[0]) == "rtl"
    assert [each.text for each in root.xpath("//article//mark")] == ["שָׁלוֹם", "שלום", "שלום", "שָׁלוֹם", "שלום"]


def test_a_document_that_names_no_language_goes_by_its_letters(client: TestClient) -> None:
    article = tree(client, "/read/arabic").xpath("//article")[0]
    assert article.get("dir") == "rtl" and set_in(saying(article, "XML هو")) == "rtl"
    article = tree(client, "/read/english?q=שלום").xpath("//article")[0]
    assert article.get("dir") == set_in(saying(article, "שלום is how")) == set_in(article.find(".//h1")) == "ltr"


def test_numbers_and_brackets_stay_on_their_side_of_words_from_right_to_left(tmp_path: Path) -> None:
    words = "The name רות (1:4) is a word of <italic>יונה</italic> (2), and <italic>שלום</italic> רב no two."
    (tmp_path / "a.xml").write_text(f"<article><body><sec><p>{words}</p></sec></body></article>", "utf-8")
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="jats", jobs=1)
    with TestClient(app(web_samples.place(tmp_path / "i"))) as client:
        page, answer = client.get("/read/a?q=רות").text, client.get("/?q=רות").text
    assert "The name <bdi><mark>רות</mark></bdi> (1:4) is a word" in page
    assert '<i dir="rtl">יונה</i> (2), and <i>שלום</i> רב no two.' in page
    assert "The name <bdi><mark>רות</mark></bdi> (1:4) is a word of <bdi>יונה</bdi> (2)" in answer


def test_documents_without_such_letters_have_no_more_attributes_than_before(tmp_path: Path) -> None:
    with TestClient(app(web_samples.place(web_samples.make(tmp_path)))) as client:
        (part,) = tree(client, "/read/long?part=2").xpath("//div[@class='part']")
        assert part.xpath(".//@dir") == []


def test_html_for_programs_and_notebooks_says_its_direction(client: TestClient, index: Path) -> None:
    for doc, ways in {"hebrew": "rtl ltr", "arabic": "rtl", "english": ""}.items():
        root = tree(client, f"/api/v1/elements/{doc}?format=html")
        assert {str(way) for way in root.xpath("descendant-or-self::*/@dir")} == {*ways.split()}
        if ways:
            assert set_in(saying(root, "שָׁלוֹם לָעוֹלָם" if doc == "hebrew" else "XML هو")) == "rtl"
    with trix.open(index) as opened:
        table: Any = lxml_html.fromstring(opened.search("שלום")._repr_html_())
    assert {*table.xpath(".//td[@class='x']/@dir | .//span[@class='t' or @class='q']/@dir")} == {"auto"}
    assert not table.xpath(".//td[@class='x' and not(@dir)]")


@pytest.mark.parametrize("view", ["documents", "flat"])
def test_results_are_set_by_the_language_of_their_passages(client: TestClient, view: str) -> None:
    root = tree(client, f"/?q=שלום&view={view}")
    titles = {"".join(h2.itertext()): set_in(h2) for h2 in root.xpath("//li/h2")}
    assert titles == {"שִׁיר הַשִּׁירִים": "rtl", "שלום, or peace": "ltr"}
    for snippet in root.xpath("//p[@class='snippet']"):
        text = "".join(snippet.itertext())
        assert set_in(snippet) == ("ltr" if "is how" in text or text.startswith("In English") else "rtl"), text
    assert root.xpath("//input[@name='q']")[0].get("dir") == "auto"
    assert {mark.text for mark in root.iter("mark")} == {"שלום", "שָׁלוֹם"}


def test_a_concordance_stands_in_the_order_in_which_it_is_read(client: TestClient) -> None:
    said = "".join(re.sub("<[^>]*>", "", HEBREW + ENGLISH).split())
    for query, way in (("שלום", "rtl"), ("book", "ltr")):
        root = tree(client, f"/?q={query}&view=concordance")
        assert root.xpath("//div[@class='kwic']/table")[0].get("dir") == way
        rows = root.xpath("//div[@class='kwic']//tr")
        turned = 0
        for row in rows:
            ways = {each.get("dir") for each in row.iter("bdi", "a")}
            cells = ["".join(cell.itertext()) for cell in row[:3]]
            turned += ways == {"ltr"} != {way}
            before, hit, after = cells if ways == {way} else cells[::-1]  # what is read first is at the other end
            assert "".join(f"{before[-12:]}{hit}{after[:12]}".split()) in said
        assert (len(rows) > 5, turned) == ((True, 3) if query == "שלום" else (False, 0))


def test_suggestions_and_notices_keep_their_words_together(client: TestClient) -> None:
    offers = tree(client, "/suggest?q=של").xpath("//*[contains(@class, 'offer')]")
    assert {offer.get("data-text"): offer.get("dir") for offer in offers} == {
        "שלום": "rtl", "שָׁלוֹם": "rtl", "שלום, or peace": "ltr",
    }  # fmt: skip
    assert "no document has <bdi>מלחמה</bdi>" in client.get("/?q=מלחמה").text
    corrected = client.get("/?q=שלוםם").text
    assert '<strong dir="auto">שלום</strong>' in corrected and 'dir="auto">שלוםם</a>' in corrected
    page = client.get("/?q=שלוםם&spelling=keep").text
    assert re.search(r'class="meant">[^<]*<bdi>שלוםם</bdi>.*<a href="[^"]*" dir="auto">שלום</a>', page)
    (address,) = tree(client, "/?q=שלוםם&spelling=keep").xpath("//p[@class='meant']/a/@href")[:1]
    assert {mark.text for mark in tree(client, address).iter("mark")} == {"שלום", "שָׁלוֹם"}


def test_pages_in_a_language_from_right_to_left_are_turned_as_a_whole(index: Path, tmp_path: Path) -> None:
    (tmp_path / "words.toml").write_text('language = "ar"\n', "utf-8")
    with TestClient(app(web_samples.place(index, theme=tmp_path))) as client:
        for address in ("/", "/?q=book", "/read/english", "/about"):
            assert '<html lang="ar" dir="rtl">' in client.get(address).text
        assert tree(client, "/read/english").xpath("//article")[0].get("dir") == "ltr"


def test_the_style_sheet_has_no_side_that_does_not_turn() -> None:
    sheet = (Path(trix.__file__).parent / "web" / "static" / "style.css").read_text("utf-8")
    sides = re.findall(r"(?:margin|padding|border)-(?:left|right)\b|text-align: (?:left|right)\b", sheet)
    assert sides == []


# -- as a browser sets them ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page(index: Path) -> Iterator[Any]:
    """Give a window that has the pages in reach."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    import uvicorn

    from trix.web.serving import listen

    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app(web_samples.place(index)), log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    with playwright.sync_playwright() as started:
        try:
            browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"Chromium does not start: {str(error).splitlines()[0]}")
        context = browser.new_context(base_url=f"http://127.0.0.1:{listening.getsockname()[1]}")
        yield context.new_page()
        browser.close()
    server.should_exit = True
    thread.join(10)
    listening.close()


needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium; TRIX_CHROMIUM names one")


def box(page: Any, selector: str, text: str = "") -> Any:
    """Return where an element stands."""
    return page.locator(selector, has_text=text).first.bounding_box()


@pytest.mark.browser
@pytest.mark.slow
@needs_chromium
def test_a_browser_begins_lines_bars_and_columns_at_the_right(page: Any) -> None:
    page.goto("/read/hebrew?q=שלום")
    column = box(page, ".document-text")
    title = box(page, "h1")
    assert title["x"] + title["width"] == pytest.approx(column["x"] + column["width"], abs=40)
    edge = """node => {
        const range = document.createRange(); range.selectNodeContents(node); const all = [...range.getClientRects()];
        return [Math.min(...all.map(each => each.left)), Math.max(...all.map(each => each.right))] }"""
    hebrew = page.locator("p", has_text="נמצאת גם בסוף").first.evaluate(edge)
    english = page.locator("p", has_text="In English").first.evaluate(edge)
    assert hebrew[1] > english[1] and english[0] < hebrew[1] - 300 and english[0] < column["x"] + 60
    first, second = box(page, "td", "שלום"), box(page, "td", "17")
    assert first["x"] > second["x"] and box(page, "td", "peace")["x"] > box(page, "td", "4")["x"]
    bar = page.locator(".passage").first.evaluate("node => getComputedStyle(node, '::before').right")
    assert bar.startswith("-")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.browser
@pytest.mark.slow
@needs_chromium
def test_a_browser_puts_what_comes_before_a_word_to_its_right_and_types_from_there(page: Any) -> None:
    page.goto("/?q=שלום&view=concordance")
    row = page.locator(".kwic tr", has_text="בעיתון").last
    left, hit, right = (row.locator(f"td.{name}").bounding_box() for name in ("left", "hit", "right"))
    assert left["x"] > hit["x"] > right["x"]
    foreign = page.locator(".kwic tr", has_text="is how people").first
    assert "is how people" in foreign.locator("td").first.inner_text()
    page.goto("/")
    page.fill("#q", "שלום")
    assert page.locator("#q").evaluate("node => getComputedStyle(node).direction") == "rtl"
    page.fill("#q", "peace")
    assert page.locator("#q").evaluate("node => getComputedStyle(node).direction") == "ltr"
