"""The pages in a browser: typing, choosing, following the chain by keys, a phone, the dark, no scripts, axe."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("playwright", reason="playwright is not installed")
import uvicorn
from playwright.sync_api import Browser, expect

import trix
from tests import web_samples
from tests.chromium import MARKS, Opens, chromium, windows
from trix.web.app import app
from trix.web.serving import listen

pytestmark = MARKS


@contextmanager
def serving(index: Path) -> Iterator[str]:
    """Serve an index in a thread; the presets of tests are of no weight there."""
    listening = listen("127.0.0.1", 0)
    config = uvicorn.Config(app(web_samples.place(index)), log_level="warning", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)
    listening.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the small collection."""
    folder = tmp_path_factory.mktemp("browser")
    os.environ["TRIX_SERVED_FOLDER"] = str(folder)
    with serving(web_samples.make(folder)) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def opens(browser: Browser, served: str) -> Iterator[Opens]:
    """Return what opens an address in a fresh window; whatever the page complains about fails the test."""
    with windows(browser, served) as opened:
        yield opened


def test_answers_come_while_one_types_and_back_goes_back(opens: Opens) -> None:
    page = opens("/")
    page.keyboard.press("/")
    page.keyboard.type("lighthouse")
    expect(page.locator(".document h2").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?q=lighthouse$"))
    expect(page.get_by_role("status").first).to_contain_text("matching passages")
    page.keyboard.press("Escape")  # what is offered lies over the answers
    page.locator(".views a", has_text="By passage").click()
    expect(page).to_have_url(re.compile("view=flat"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"\?q=lighthouse$"))
    expect(page.locator(".documents.documents .hit").first).to_be_visible()
    page.go_back()
    expect(page.locator(".welcome")).to_be_visible()


def test_suggestions_are_chosen_by_keys(opens: Opens) -> None:
    page = opens("/")
    box = page.get_by_role("combobox")
    box.focus()
    page.keyboard.type("lighth")
    # Offers are drawn anew as one types, so that what was there a moment ago may have no place any more.
    page.wait_for_function(
        "() => { const first = document.querySelector('[role=option]')?.getBoundingClientRect();"
        " return first && first.width > 200 && first.height > 20 }"
    )
    expect(page.get_by_role("option").first).to_contain_text("lighthouse")
    page.keyboard.press("ArrowDown")
    expect(box).to_have_attribute("aria-activedescendant", "offer-1")
    expect(box).to_have_value("lighthouse")
    page.keyboard.press("Escape")
    expect(page.locator("#offers")).to_be_hidden()
    expect(box).to_have_value("lighth")


@pytest.mark.parametrize("by", ["keys", "mouse"])
def test_a_section_among_the_suggestions_is_opened(opens: Opens, by: str) -> None:
    page = opens("/")
    box = page.get_by_role("combobox")
    box.focus()
    page.keyboard.type("of light")
    section = page.locator("a.offer.section").first
    expect(section).to_be_visible()
    title = section.get_attribute("data-text")
    if by == "keys":
        while section.get_attribute("aria-selected") == "false":
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
    else:
        section.click()
    expect(page).to_have_url(re.compile(r"/read/.+#\d"))
    assert title
    expect(page.get_by_role("heading", name=title).first).to_be_in_viewport()


def test_j_and_k_move_and_enter_opens(opens: Opens) -> None:
    page = opens("/?q=lighthouse")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator(".hit.now")).to_have_count(1)
    expect(page.locator(".hit").first).to_have_class(re.compile("now"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/read/"))
    expect(page.locator(".passage.now")).to_be_in_viewport()


def test_n_leads_along_the_chain_over_parts_to_its_end_and_back_to_the_results(opens: Opens) -> None:
    page = opens("/read/long?q=lighthouse")
    for place in range(1, 16):
        page.keyboard.press("n")
        expect(page.locator(".lead .count")).to_have_text(f"{place} / 15")
        expect(page.locator(f'[data-n="{place}"]')).to_be_in_viewport()
    page.keyboard.press("p")
    expect(page.locator(".lead .count")).to_have_text("14 / 15")
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(page.locator("h1")).to_be_in_viewport()
    page.keyboard.press("b")
    expect(page).to_have_url(re.compile(r"/\?q=lighthouse"))


def test_the_arrows_behind_passages_lead_too(opens: Opens) -> None:
    page = opens("/read/long?q=lighthouse")
    page.locator(".chain.begin .down").click()
    expect(page.locator('[data-n="1"]')).to_be_in_viewport()
    page.locator('[data-n="1"] .chain .down').click()
    expect(page.locator('[data-n="2"]')).to_be_in_viewport()
    assert page.url.endswith("#" + (page.locator('[data-n="2"]').get_attribute("id") or ""))


def test_arrows_stand_and_lead_in_the_order_of_the_page(browser: Browser, tmp_path: Path) -> None:
    with serving(web_samples.make_figures(tmp_path)) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 700}, reduced_motion="reduce")
        page.goto(f"{address}/read/figures?q=lamp&size=20:600")
        arrows = page.locator(".part .chain")
        at = "each => each.map(one => one.getBoundingClientRect().top + scrollY)"
        ends, begins = arrows.evaluate_all(at), page.locator("[data-n]").evaluate_all(at)
        order = [place for pair in zip(begins, ends, strict=True) for place in pair]
        assert order == sorted(order) and len(order) == 8
        for place in range(1, 4):
            arrows.nth(place - 1).locator(".down").click()
            expect(page.locator(".lead .count")).to_have_text(f"{place + 1} / 4")
            expect(page.locator(f'[data-n="{place + 1}"]')).to_be_in_viewport()
        arrows.nth(3).locator(".up").click()
        expect(page.locator("h1")).to_be_in_viewport()
        arrows.nth(1).locator(".back").click()
        expect(page).to_have_url(f"{address}/?q=lamp&size=20%3A600")
        page.close()


def test_after_the_last_passage_the_arrow_leads_to_the_beginning_also_from_a_later_part(opens: Opens) -> None:
    page = opens("/read/long?q=lighthouse")
    last = page.locator(".lead ol a").last.get_attribute("href") or ""
    page.goto(last)
    assert "part=" in last and page.locator('.part[data-part="1"]').count() == 0
    page.locator(".part .chain .up").click()
    expect(page).to_have_url(re.compile(r"/read/long\?q=lighthouse#top$"))
    expect(page.locator('.part[data-part="1"]')).to_be_visible()


def test_parts_come_while_one_scrolls(opens: Opens) -> None:
    page = opens("/read/long")
    many = int(re.findall(r"of (\d+)", page.locator(".more.after").inner_text())[0])
    for _ in range(60):
        page.mouse.wheel(0, 6000)
        page.wait_for_timeout(40)
        if not page.locator(".more.after").count():
            break
    assert page.locator(".part").count() == many
    assert [int(each.get_attribute("data-part") or 0) for each in page.locator(".part").all()] == list(
        range(1, many + 1)
    )
    assert "Chapter 60" in (page.locator("article").text_content() or "")


def test_the_contents_lead_to_a_section(opens: Opens) -> None:
    page = opens("/read/long?q=lighthouse")
    page.locator("nav.contents a", has_text="Chapter 3").first.click()
    expect(page.get_by_role("heading", name="Chapter 3", exact=True)).to_be_in_viewport()


def test_addresses_by_path_and_by_label_open_their_part(opens: Opens) -> None:
    page = opens("/read/long#/doc[1]/section[58]")
    expect(page.get_by_role("heading", name="Chapter 58", exact=True)).to_be_in_viewport()
    label = page.url.rpartition("#")[2]
    page = opens(f"/read/long#{label}")
    expect(page.get_by_role("heading", name="Chapter 58", exact=True)).to_be_in_viewport()


def test_sliders_move_the_results_and_why_draws_the_tree(opens: Opens) -> None:
    page = opens("/?q=lighthouse+ship")
    page.locator("details.scoring summary").click()
    slider = page.locator("input[name=k1]")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"k1=1\.\d"))
    assert page.evaluate("document.activeElement.name") == "k1"
    page.locator("a.why").first.click()
    expect(page.locator(".because .tree").first).to_contain_text("score of")


def test_a_mistake_is_told_while_one_types(opens: Opens) -> None:
    page = opens("/?q=ship")
    page.locator("#q").fill('"ship')
    expect(page.get_by_role("alert")).to_contain_text("the quote is never closed")


def test_keys_are_told(opens: Opens) -> None:
    page = opens("/")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()


def test_a_selection_has_its_address(opens: Opens) -> None:
    page = opens("/read/short")
    page.get_by_text("A ship sees").click(click_count=3)
    expect(page.locator("#tools .where")).to_contain_text("/doc[1]/section[1]/p[1]")


def test_all_of_it_works_without_scripts(opens: Opens) -> None:
    page = opens("/", java_script_enabled=False)
    page.locator("#q").fill("lighthouse")
    page.locator("#q").press("Enter")
    page.locator("a.go").first.click()
    assert "/read/" in page.url
    page = opens("/read/long?q=lighthouse", java_script_enabled=False)
    for _ in range(15):
        page.locator(".down").nth(0).click() if "#" not in page.url else page.locator(
            f'[id="{page.url.rpartition("#")[2]}"] .chain a'
        ).last.click()
    assert page.locator(".up").count() == 1
    page.locator(".chain .up").click()
    page.locator(".chain.begin .back").click()
    assert page.locator(".hit").count() > 3


def test_a_hostile_document_does_nothing_in_a_browser(opens: Opens) -> None:
    page = opens("/read/hostile?q=trouble")
    page.keyboard.press("n")
    page.locator("article").hover()
    assert page.locator("article script, article iframe, article style, article svg:not(.map)").count() == 0
    assert "alert(1)" in page.locator("h1").inner_text()


def test_hostile_xhtml_from_the_interface_for_programs_leads_nowhere(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Trap</title>'
        '<meta http-equiv="refresh" content="0; url=/about"/><script>location = "/about"</script></head>'
        '<body onload="location = \'/about\'"><p>A trap of words.</p><svg xmlns="http://www.w3.org/2000/svg">'
        '<script>location = "/about"</script></svg></body></html>'
    )
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile="generic", store=True)
    with serving(tmp_path / "i") as address:
        page = browser.new_page()
        asked = f"{address}/api/v1/elements/a?format=xml"
        page.goto(asked)
        expect(page.locator("p")).to_have_text("A trap of words.")
        page.wait_for_timeout(1000)
        assert page.url == asked
        page.close()


def test_a_changed_index_is_seen_without_a_restart(opens: Opens) -> None:
    folder = Path(os.environ["TRIX_SERVED_FOLDER"])
    page = opens("/?q=pelican")
    assert page.locator(".hit").count() == 0
    text = "<doc><title>The pelican</title><p>" + "A pelican sat on the pier. " * 12 + "</p></doc>"
    (folder / "coast" / "pelican.xml").write_text(text)
    with trix.write(folder / "coast.index") as writer:
        writer.add(folder / "coast" / "pelican.xml")
    page.reload()
    expect(page.locator(".document h2")).to_have_text("The pelican")


@pytest.mark.parametrize(
    "address", ["/", "/?q=lighthouse", "/read/short?q=light", "/about", "/?q=ship&view=concordance"]
)
def test_no_page_is_wider_than_its_window(opens: Opens, address: str) -> None:
    page = opens(address)
    for width in (320, 390, 900, 1440, 3840):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


AXE_PAGES = [
    "/", "/?q=lighthouse", "/?q=lighthouse&view=flat", "/?q=ship&view=concordance", "/?q=lighthose", "/about",
    "/read/long?q=lighthouse", "/read/short?q=light", "/read/hostile", "/handbook/", "/?q=x&model=bm25",
    "/why?q=lighthouse&unit=short/doc[1]/section[1]",
]  # fmt: skip


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_axe_finds_nothing(opens: Opens, scheme: str, width: int) -> None:
    found = find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("axe-playwright-python, which brings axe-core, is not installed")
    axe = (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")
    faults = {}
    for address in AXE_PAGES:
        page = opens(address, width=width, color_scheme=scheme, bypass_csp=True)
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        page.evaluate(axe)
        report = page.evaluate("axe.run({ resultTypes: ['violations'] })")
        for fault in report["violations"]:
            faults[address, fault["id"]] = [node["html"][:160] for node in fault["nodes"][:2]]
        page.close()
    assert faults == {}
