"""The handbook: articles are whole, their commands run, their pages read well, the assessments fit their words."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from lxml import html as lxml_html

import trix
from tests.each import for_each
from tests.paths import ROOT
from trix.cli import main
from trix.cli.commands import handbook as handbook_command
from trix.errors import UsageError
from trix.eval.measures.core.registry import specs
from trix.handbook import ARTICLES, FIGURES, html, search
from trix.handbook.contents import Chapter, chapters, plain
from trix.handbook.contents import chapter as chapter_named
from trix.handbook.text import render, terminal_style
from trix.query.language.keywords import is_structured
from trix.query.language.nexi import parse_nexi

XLINK = "{http://www.w3.org/1999/xlink}href"
FILES = sorted(ARTICLES.glob("*.xml"))
ID = "id"


def words(path: Path) -> int:
    """Count the words of an article, references included."""
    return len(" ".join(str(text) for text in etree.parse(path).getroot().itertext()).split())


def test_there_are_many_articles_each_with_a_title_of_its_own_and_a_place_in_the_contents() -> None:
    titles = {plain(etree.parse(path).find(".//article-title")) for path in FILES}
    assert len(FILES) >= 40
    assert len(titles) == len(FILES)
    assert sorted(chapter.name for chapter in chapters()) == sorted(path.stem for path in FILES)


@for_each("path", FILES, lambda path: path.stem)
def test_an_article_has_the_parts_of_one(path: Path) -> None:
    root = etree.parse(path).getroot()
    assert [child.tag for child in root if child.tag != "back"] == ["front", "body"]
    assert root.findtext("front/article-meta/abstract/p")
    assert len(root.findall("front/article-meta/kwd-group/kwd")) >= 3
    assert len(root.findall("body/sec")) >= 3
    assert all(section.findtext("title") for section in root.iter("sec"))
    assert root.find("back") is None or root.findall("back/ref-list/ref")
    assert 300 <= words(path) <= 900


@for_each("path", FILES, lambda path: path.stem)
def test_ids_are_unique_and_every_reference_within_an_article_leads_to_one(path: Path) -> None:
    root = etree.parse(path).getroot()
    ids = Counter(element.get(ID) for element in root.iter() if element.get(ID))
    assert [name for name, times in ids.items() if times > 1] == []
    assert [xref.get("rid") for xref in root.iter("xref") if xref.get("rid") not in ids] == []


def test_the_collection_shows_sections_in_sections_lists_figures_tables_and_mixed_content() -> None:
    shown = Counter(element.tag for path in FILES for element in etree.parse(path).getroot().iter())
    for tag in ["list-item", "fig", "table", "def-list", "code", "disp-formula", "fn", "italic", "bold", "sub", "sup"]:
        assert shown[tag], f"no {tag} anywhere"
    assert sum(len(etree.parse(path).findall("body/sec/sec")) for path in FILES) >= 25


@for_each("path", FILES, lambda path: path.stem)
def test_every_reference_is_cited_by_its_number(path: Path) -> None:
    root = etree.parse(path).getroot()
    listed = {(ref.get(ID), f"[{number}]") for number, ref in enumerate(root.iter("ref"), 1)}
    assert {(xref.get("rid"), xref.text) for xref in root.iter("xref") if xref.get("ref-type") == "bibr"} == listed


# -- figures ---------------------------------------------------------------------------------------------------------


@for_each("path", [path for path in FILES if etree.parse(path).find(".//fig") is not None], lambda path: path.stem)
def test_a_figure_has_a_picture_says_what_it_shows_and_is_pointed_to(path: Path) -> None:
    root = etree.parse(path).getroot()
    for figure in root.iter("fig"):
        picture = (path.parent / str(next(figure.iter("graphic")).get(XLINK))).resolve()
        assert picture.parent == FIGURES and picture.is_file()
        assert all(figure.findtext(part) for part in ("label", "caption/title", "caption/p"))
        assert len(str(figure.findtext("alt-text")).split()) >= 15
        pointers = [xref.text for xref in root.iter("xref") if xref.get("rid") == figure.get(ID)]
        assert set(pointers) == {figure.findtext("label")}


def test_every_picture_is_shown_once() -> None:
    shown = Counter(Path(str(graphic.get(XLINK))).name for c in chapters() for graphic in c.root.iter("graphic"))
    assert shown == Counter(path.name for path in FIGURES.glob("*.svg"))
    assert len(shown) >= 12


SVG = "{http://www.w3.org/2000/svg}"


@for_each("path", sorted(FIGURES.glob("*.svg")), lambda path: path.stem)
def test_a_picture_is_whole_by_itself_and_looks_like_the_others(path: Path) -> None:
    root = etree.parse(path).getroot()
    width, height = str(root.get("width")), str(root.get("height"))
    assert root.get("viewBox") == f"0 0 {width} {height}" and width == "640"
    assert root.get("role") == "img" and root.findtext(f"{SVG}title")
    style = str(root.findtext(f"{SVG}style"))
    assert style == etree.parse(min(FIGURES.glob("*.svg"))).getroot().findtext(f"{SVG}style")
    assert "prefers-color-scheme: dark" in style
    assert min(map(int, re.findall(r"(\d+)px", style))) >= 12
    classes = set(re.findall(r"\.(\w+)", style))
    for element in root.iter(f"{SVG}*"):
        assert element.tag.removeprefix(SVG) in {"svg", "title", "style", "text", "tspan", "rect", "path", "circle"}
        assert set(str(element.get("class", "")).split()) <= classes
        assert not {"fill", "stroke", "style", "href", XLINK, "font-size"} & set(element.keys())
        if element.tag in (f"{SVG}text", f"{SVG}rect") and element.get("x"):
            right = float(str(element.get("x"))) + float(element.get("width", 0))
            assert 0 <= right <= 640 and 0 <= float(str(element.get("y"))) <= float(height)


# -- links and contents ----------------------------------------------------------------------------------------------


@for_each("path", FILES, lambda path: path.stem)
def test_links_between_chapters_lead_somewhere(path: Path) -> None:
    targets = [link.get(XLINK) for link in etree.parse(path).getroot().iter("ext-link")]
    assert [target for target in targets if not (ARTICLES / str(target)).is_file()] == []


@for_each("path", FILES, lambda path: path.stem)
def test_no_notation_of_other_markup_is_left_in_the_text(path: Path) -> None:
    text = "".join(str(t) for t in etree.parse(path).xpath("//text()[not(ancestor::code or ancestor::monospace)]"))
    assert [sign for sign in ("**", "[[", "]]", "`", "&lt;") if sign in text] == []


def test_every_query_in_nexi_that_is_shown_can_be_read() -> None:
    shown = [
        str(code.text)
        for chapter in chapters()
        for code in chapter.root.iter("code")
        if code.get("language") == "nexi" and is_structured(code.text)
    ]
    assert len(shown) >= 2
    for query in shown:
        parse_nexi(query)


def test_every_command_preset_and_measure_family_has_a_chapter() -> None:
    names = {chapter.name for chapter in chapters()}
    assert {f"preset-{path.stem}" for path in (ROOT / "trix/indexer/profile/presets").glob("*.toml")} <= names
    text = "".join(str(t) for chapter in chapters() for t in chapter.root.itertext())
    kinds = ("measure", "document score", "effort")
    groups = {group for kind in kinds for spec in specs(kind) for group in spec.groups}
    assert len(groups) >= 5
    spoken = {"ric": "relevant in context", "bic": "best in context", "reading": "reading effort"}
    assert [group for group in groups if spoken.get(group, group).lower() not in text.lower()] == []


# -- as text ---------------------------------------------------------------------------------------------------------


@for_each("chapter", chapters(), lambda chapter: chapter.name)
def test_as_text_a_chapter_keeps_all_its_words_and_its_width(chapter: Chapter) -> None:
    shown = render(chapter, 72)
    code = {line.strip() for element in chapter.root.iter("code") for line in (element.text or "").splitlines()}
    long = [line for line in shown.splitlines() if len(line) > 72 and line.strip() not in code and "  " not in line[4:]]
    assert [line for line in long if " " in line.strip()] == []
    for element in chapter.root.iter("title", "p", "term", "td"):
        for word in plain(element).split():
            assert word in shown or len(word) > 8 or element.find(".//fn") is not None, word


def test_styles_are_codes_of_a_terminal_and_end_on_their_line() -> None:
    for line in render(chapter_named("profiles"), 60, terminal_style).splitlines():
        assert len(re.findall(r"\x1b\[[1-9;]+m", line)) == line.count("\x1b[0m")


def test_a_style_that_goes_over_a_line_end_goes_on() -> None:
    shown = render(chapter_named("how-to-search"), 40, lambda text, kind: f"<{text}>" if kind == "code" else text)
    assert "<fetch-browse>" in shown


def test_as_text_a_figure_is_told_in_brackets() -> None:
    shown = " ".join(render(chapter_named("dewey-labels"), 72).split())
    assert "[Figure 1. The way down to 3.2.5. The label of an element begins" in shown
    assert "no other element has to be looked at. The picture: A tree of nine elements in three rows" in shown
    assert "from left to right.]" in shown


# -- as web pages ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the web pages once."""
    return html.write(tmp_path_factory.mktemp("web") / "new" / "pages").parent


def test_there_is_a_page_for_each_chapter_and_an_index_that_leads_to_all(pages: Path) -> None:
    index = lxml_html.parse(str(pages / "index.html")).getroot()
    linked = [a.get("href") for a in index.iter("a")]
    assert linked == [f"{chapter.name}.html" for chapter in chapters()]
    assert sorted(path.name for path in pages.iterdir()) == sorted([*linked, "figures", "index.html", "style.css"])
    assert {path.name: path.read_bytes() for path in (pages / "figures").iterdir()} == {
        path.name: path.read_bytes() for path in FIGURES.iterdir()
    }


@for_each("chapter", chapters(), lambda chapter: chapter.name)
def test_a_page_has_the_text_of_its_article_escaped_and_asks_nothing_of_the_network(
    chapter: Chapter, pages: Path
) -> None:
    page = lxml_html.parse(str(pages / f"{chapter.name}.html")).getroot()
    text = "".join(page.text_content().split())
    for element in chapter.root.iter("title", "p", "td", "code", "term", "kwd-group"):
        if element.tag != "kwd-group" and element.find(".//fn") is None:
            assert "".join("".join(element.itertext()).split()) in text
    links = [element.get(name) for element in page.iter() for name in ("href", "src") if element.get(name)]
    here = {f"#{element.get('id')}" for element in page.iter() if element.get("id")}
    assert [link for link in links if not (pages / link).is_file() and link not in here] == []
    assert list(page.iter("script")) == []
    assert [image.get("alt") for image in page.iter("img")] == [plain(alt) for alt in chapter.root.iter("alt-text")]


def test_a_chapter_of_many_sections_lists_them_and_a_short_one_does_not(pages: Path) -> None:
    for name, listed in (("prum", ["problem", "model", "measures", "example", "use"]), ("overlap", [])):
        page = lxml_html.parse(str(pages / f"{name}.html")).getroot()
        assert [a.get("href") for nav in page.find_class("inside") for a in nav.iter("a")] == [f"#{i}" for i in listed]
        assert {a.get("href") for a in page.find_class("anchor")} >= {f"#{i}" for i in listed}


def test_an_anchor_takes_no_room_in_its_heading_and_headings_end_without_a_blank(pages: Path) -> None:
    anchors = lxml_html.parse(str(pages / "overlap.html")).getroot().find_class("anchor")
    assert anchors
    for anchor in anchors:
        before = anchor.getprevious()
        words = anchor.getparent().text if before is None else before.tail or before.text_content()
        assert words == words.rstrip(), "a blank lets the anchor fall on a line of its own"
    assert re.search(r"\.anchor \{[^}]*position: absolute", (pages / "style.css").read_text())


def test_columns_of_numbers_are_marked_and_every_table_can_be_scrolled(pages: Path) -> None:
    page = lxml_html.parse(str(pages / "granularity-levels.html")).getroot()
    (table,) = page.iter("table")
    for row in table.iter("tr"):
        assert [cell.get("class") for cell in row] == [None, "n", "n", "n", "n"]
    mixed = lxml_html.parse(str(pages / "dewey-labels.html")).getroot()
    assert [cell for cell in mixed.iter("td", "th") if cell.get("class")] == []
    assert re.search(r"td\.n \{[^}]*text-align: right", (pages / "style.css").read_text())
    for name in ("granularity-levels", "phrases", "prum"):
        for table in lxml_html.parse(str(pages / f"{name}.html")).getroot().iter("table"):
            assert table.getparent().get("class") == "scroll" and table.getparent().get("tabindex") == "0"


def test_a_picture_keeps_a_size_on_a_narrow_screen_at_which_its_smallest_words_can_be_read(pages: Path) -> None:
    narrow = (pages / "style.css").read_text().partition("@media (max-width: 36rem)")[2].partition("@media")[0]
    least = 16 * float(re.search(r"\.picture img \{ min-width: ([\d.]+)rem", narrow)[1])  # type: ignore[index]
    smallest = min(int(px) for path in FIGURES.glob("*.svg") for px in re.findall(r"(\d+)px", path.read_text()))
    assert smallest * least / 640 >= 10
    assert "scrolls sideways" in narrow


def test_a_picture_that_is_opened_by_itself_has_a_dark_ground_below_light_words() -> None:
    for path in FIGURES.glob("*.svg"):
        dark = path.read_text().partition("prefers-color-scheme: dark")[2]
        assert "svg { background: #1b1c1e }" in dark and "text { fill: #ddd }" in dark


# -- the search box --------------------------------------------------------------------------------------------------


def test_the_box_stands_on_every_page_and_its_index_holds_all_sections_and_no_markup(pages: Path) -> None:
    index = lxml_html.parse(str(pages / "index.html")).getroot()
    (form,) = index.iter("form")
    assert form.get("hidden") is not None, "without scripts there is no box"
    data, script = index.iter("script")
    assert data.get("type") == "application/json" and script.get("src") is None and script.get("type") is None
    entries = json.loads(data.text)
    there = {entry["at"] for entry in entries}
    for chapter in chapters():
        page = lxml_html.parse(str(pages / f"{chapter.name}.html")).getroot()
        assert [box.get("action") for box in page.iter("form")] == ["index.html"]
        ids = [section.get("id") for section in page.iter("section")]
        assert {f"{chapter.name}.html", *(f"{chapter.name}.html#{name}" for name in ids)} <= there
    said = {entry["at"]: entry for entry in entries}
    removing = said["overlap.html#details"]
    assert removing["heading"] == "Removing it › What the reader sees"
    assert removing["chapter"] == "Struggling with the overlap"
    everything = " ".join(entry["text"] for entry in entries)
    assert "<" in everything and "<" not in data.text, "nothing in a text can end the script"
    assert not re.search(r"https?:|fetch\(|XMLHttp|import|innerHTML|eval\(", script.text)


def browser() -> str:
    """Return a browser that runs without a window."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no browser to try the script in")
    return found


def opened(address: str, folder: Path) -> Any:
    """Return a page as a browser has it after its scripts have run."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    made = subprocess.run(
        [browser(), *flags, f"--user-data-dir={folder / 'profile'}", "--dump-dom", address],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if not made.stdout:
        pytest.skip("the browser does not run here")
    return lxml_html.fromstring(made.stdout)


@pytest.mark.slow  # three browsers
def test_from_a_file_a_question_finds_its_section(pages: Path, tmp_path: Path) -> None:
    address = (pages / "index.html").as_uri()
    page = opened(f"{address}?q=gr%C3%A9edy+way+OVERLAP", tmp_path)
    assert page.find(".//form").get("hidden") is None
    assert page.get_element_by_id("contents").get("hidden") is not None
    first, *others = page.find_class("places")[0]
    assert first.find("a").get("href") == "overlap.html#removal"
    assert {mark.text.casefold() for mark in first.iter("mark")} <= {"overlap", "overlapping", "greedy", "way"}
    assert len(others) == 11
    nothing = opened(f"{address}?q=qzxv%3Cb%3E", tmp_path)
    assert "Nothing in the handbook" in nothing.get_element_by_id("found").text_content()
    plain_page = opened(address, tmp_path)
    assert plain_page.get_element_by_id("contents").get("hidden") is None
    assert plain_page.get_element_by_id("found").text_content() == ""


def test_a_folder_that_cannot_be_written_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write the handbook there"):
        html.write(tmp_path / "file" / "pages")


# -- searching -------------------------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the user an empty cache folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(search.sys, "platform", "linux")
    return tmp_path / "cache" / "trix"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache folder in which the handbook was searched."""
    folder = tmp_path_factory.mktemp("searched")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        patch.setattr(search.sys, "platform", "linux")
        search.search("overlap")
    return folder / "trix"


@pytest.fixture
def searched(cache: Path, made: Path) -> Path:
    """Give the user a copy of it."""
    return shutil.copytree(made, cache)


def test_a_question_finds_its_chapter_and_the_index_is_made_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places, _ = search.search("how is overlap removed", 3)
    assert len(places) == 3
    assert places[0].chapter == "overlap"
    assert places[0].headings[0] == "Struggling with the overlap"
    assert len({place.headings for place in places}) == 3
    assert len(list(cache.glob("handbook-*.index"))) == 1
    monkeypatch.setattr(search, "_build", lambda _: pytest.fail("the index was made again"))
    assert search.search("how is overlap removed", 3)[0] == places


def test_another_version_makes_an_index_of_its_own_and_removes_the_old_one(
    searched: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old,) = searched.glob("handbook-*.index")
    monkeypatch.setattr(search.trix, "__version__", "99")
    search.search("overlap")
    (new,) = searched.glob("handbook-*.index")
    assert new != old


def test_a_damaged_index_is_made_again(searched: Path) -> None:
    (index,) = searched.glob("handbook-*.index")
    for file in index.iterdir():
        file.write_bytes(file.read_bytes()[:3])
    assert search.search("overlap")[0]
    assert trix.check(index) == []


def test_where_nothing_can_be_written_a_temporary_folder_serves(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder would be")
    assert search.search("overlap")[0]
    assert (tmp_path / "cache").is_file()


# -- the command -----------------------------------------------------------------------------------------------------


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Call the command and return its exit code, standard output and standard error."""
    code = main(["handbook", *arguments])
    out, errors = capsys.readouterr()
    return code, out, errors


def test_away_from_a_terminal_the_handbook_is_a_list_of_its_chapters(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys)
    assert code == 0
    assert all(chapter.name in out and chapter.title in out for chapter in chapters())
    assert "\x1b" not in out


@pytest.mark.parametrize("name", ["dewey-labels", "Dewey labels", "dewey-labels.xml"])
def test_the_name_of_a_chapter_shows_it(capsys: pytest.CaptureFixture[str], name: str) -> None:
    code, out, _ = said(capsys, *name.split())
    assert code == 0
    assert out.startswith("Dewey labels: an address that knows its ancestors\n")


@pytest.mark.usefixtures("searched")
def test_other_words_are_searched_and_nothing_found_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "tolerance", "irrelevance", "-n", "2")
    assert code == 0
    assert "Tolerance to irrelevance" in out
    assert out.count("trix handbook ") == 2
    code, out, errors = said(capsys, "qzxv")
    assert (code, out) == (2, "")
    assert "qzxv: not found in the handbook" in errors


def test_web_pages_are_written_and_the_index_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "--html", str(tmp_path / "web"))
    assert (code, out) == (0, f"{tmp_path / 'web' / 'index.html'}\n")
    assert said(capsys, "overlp", "--html", str(tmp_path / "web"))[2].endswith("(did you mean overlap?)\n")


def test_on_a_terminal_everything_goes_through_the_pager(monkeypatch: pytest.MonkeyPatch) -> None:
    paged: list[str] = []
    monkeypatch.setattr(handbook_command.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("pydoc.pager", paged.append)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert main(["handbook"]) == 0
    assert all(chapter.title in paged[0].replace("\n", " ") for chapter in chapters())
    assert "\x1b[1m" in paged[0]
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["handbook", "overlap"]) == 0
    assert paged[1].startswith("Struggling with the overlap\n")


def test_the_browser_opens_the_page(
    cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import webbrowser

    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not opened.append(address))
    assert said(capsys, "nexi", "--browser")[0] == 0
    assert opened == [(cache / "handbook" / "nexi.html").as_uri()]
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert "found no browser" in said(capsys, "--browser")[2]
