"""Passages stand on a page in the order of the chain, each with its arrows at its own end."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("httpx", reason="starlette's client needs it")
from starlette.testclient import TestClient

import trix
from tests import web_samples
from trix.web.app import app
from trix.web.reading import document as document_module
from trix.web.reading.chain import Link, chain, links_of
from trix.web.reading.document import OpenDocument
from trix.web.reading.part import part_html
from trix.web.reading.roles import Roles

pytestmark = pytest.mark.reading

SMALL = {"size": "20:600"}
"""The whole text is short enough to be an answer by itself."""

FORMS = """<doc><title>Forms</title><section><media><label>lamp</label><caption><p>lamp</p></caption></media>
<image>lamp</image><xref rid="x"><p>lamp</p></xref><a href="https://example.org/"><note>lamp</note></a><link>lamp</link>
<math><mi>lamp</mi></math><page><p>lamp</p></page><gap><p>lamp</p></gap><void><p>lamp</p></void></section>
<section><num>1 lamp</num><title>A lamp</title><list><item>lamp</item><item><p>lamp</p><p>lamp</p></item></list>
</section><section><table><tr><td>lamp</td><td><p>lamp</p><p>none</p></td></tr><tr><td>lamp</td></tr></table><code>lamp</code>
<deflist><term>lamp</term><def><p>lamp</p></def></deflist><colspec>lamp</colspec><metadata><p>lamp</p></metadata></section>
<p>lamp <b>and</b> <fig><caption n="lamp">lamp</caption></fig> lamp <fn>lamp</fn> <image n="lamp"/> lamp</p>
<section n="lamp"><bibl><ref>lamp</ref></bibl><speech><speaker>lamp</speaker><line>lamp</line></speech>
</section></doc>"""
"""Elements of every kind of role, with a word in each that holds no other."""


@pytest.fixture(scope="module")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    return trix.open(web_samples.make_figures(tmp_path_factory.mktemp("lamps")))


@pytest.fixture(scope="module")
def client(lamps: trix.Index) -> Iterator[TestClient]:
    with TestClient(app(web_samples.place(lamps.files.paths[0]))) as made:
        yield made


def opened_at(index: trix.Index, doc: str) -> OpenDocument:
    return OpenDocument(index, doc, Roles(index.files.profile))


def page_of(opened: OpenDocument, links: list[Link], highlighter: Any = None) -> str:
    return "".join(
        part_html(opened, part.number, links, highlighter, arrows=lambda place: f"[arrow {place}]")
        for part in opened.parts
    )


def shown(page: str) -> tuple[list[int], list[int]]:
    """Return the places of the chain in the order in which their passages begin on a page, and end."""
    return [int(n) for n in re.findall(r'data-n="(\d+)"', page)], [int(n) for n in re.findall(r"\[arrow (\d+)\]", page)]


def test_text_around_a_figure_and_its_caption_are_passages_in_the_order_of_the_page(lamps: trix.Index) -> None:
    opened = opened_at(lamps, "figures")
    links, highlighter = chain(opened, "lamp", SMALL)
    page = page_of(opened, links, highlighter)
    assert shown(page) == ([1, 2, 3, 4], [1, 2, 3, 4])
    flat = re.sub(r"<[^>]*>", "", page)
    assert re.search(r"has more\.\s*\[arrow 1\].*Figure 1\..*ships\.\s*\[arrow 2\].*After the figure", flat, re.DOTALL)
    # What follows a figure without a passage belongs to the same passage as what stands before it.
    assert re.search(r"After the figure.*Nothing of the kind.*The end\..*ships\.\s*\[arrow 3\]", flat, re.DOTALL)
    assert [link.start for link in links] == sorted(link.start for link in links)
    third = page[page.index('data-n="3"') : page.index("[arrow 3]")]
    assert third.count("<mark>lamp</mark>") == 16


def test_an_element_that_holds_no_other_passage_is_one_passage_as_a_whole(lamps: trix.Index) -> None:
    opened = opened_at(lamps, "figures")
    links, _ = chain(opened, "end", {"size": "any"})
    assert [opened.tag(link.element) for link in links] == ["p"] and links[0].element == links[0].last


@pytest.mark.parametrize("profile", ["generic", "jats", "docbook", "laws"])
def test_whatever_a_passage_is_on_the_page_it_is_there_once_and_in_order(
    profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.toml").write_text(f'extends = "{profile}"\ncontainer = ["p", "item"]\nattributes = ["@n"]\n')
    (tmp_path / "a.xml").write_text(FORMS)
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile=str(tmp_path / "a.toml"))
    with trix.open(tmp_path / "i") as index:
        opened = opened_at(index, "a")
        leaves = [each for each in range(opened.low, opened.high) if opened.after(each) == each + 1]
        for seed in range(40):
            if seed == 20:
                monkeypatch.setattr(document_module, "PART", 10)
                opened = opened_at(index, "a")
            chosen = antichain(opened, leaves, random.Random(seed))
            links = links_of(opened, dict.fromkeys(chosen, 1.0))
            page = page_of(opened, links)
            assert shown(page) == ((places := list(range(1, len(links) + 1))), places) and links
            ids = re.findall(r' id="([^"]+)"', page)
            assert len(ids) == len(set(ids)) and {link.label for link in links} <= set(ids)
            assert not re.search(r"<a [^>]*>(?:(?!</a>).)*\[arrow", page, re.DOTALL)  # arrows are links of their own


def antichain(opened: OpenDocument, leaves: list[int], some: random.Random) -> list[int]:
    """Return all leaves, or elements around some of them; none is inside another."""
    chosen: list[int] = []
    for leaf in leaves:
        if chosen and opened.after(chosen[-1]) > leaf:
            continue
        element = leaf
        while some.random() < 0.3 and opened.parent(element) > max([opened.low, *chosen]):
            element = opened.parent(element)
        chosen.append(element)
    return chosen if some.random() < 0.5 else sorted(some.sample(chosen, 1 + len(chosen) // 2))


def test_a_passage_longer_than_a_part_has_its_arrows_where_it_ends(
    lamps: trix.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_module, "PART", 300)
    opened = opened_at(lamps, "figures")
    whole = Link(opened.low, opened.low, 1.0, 9, opened.names([opened.low])[0][0], 0, opened.length, 0)
    parts = [part_html(opened, part.number, [whole], arrows=lambda place: "[arrow]") for part in opened.parts]
    assert len(parts) > 2
    assert ["[arrow]" in part for part in parts] == [False] * (len(parts) - 1) + [True]
    assert ["data-n" in part for part in parts] == [True] + [False] * (len(parts) - 1)


def test_arrows_at_the_end_of_a_passage_lead_on_and_back_to_the_results(client: TestClient) -> None:
    page = client.get("/read/figures?q=lamp&view=flat&size=20:600&top=5").text
    chains = re.findall(r'<span class="chain">.*?</a></span>', page, re.DOTALL)
    ends = [re.findall(r'<a class="(\w+)" href="([^"]*)">([^<]*)</a>', each) for each in chains]
    assert len(ends) == 4
    back = ("back", "/?q=lamp&amp;view=flat&amp;size=20%3A600&amp;top=5", "Back to results")
    assert [end[0] for end in ends] == [back] * 4
    assert [end[1][0::2] for end in ends] == [("down", "Next passage")] * 3 + [("up", "Back to the top")]
    assert ends[-1][1][1] == "/read/figures?q=lamp&amp;size=20%3A600#top"
    # A script that fills the page gets the same arrows.
    address = re.search(r'data-parts="([^"]+)"', page)
    assert address and ("&amp;view=flat&amp;size=20%3A600&amp;top=5" in address[1])
    assert client.get(unescape(address[1])).text.count(back[1]) == 4


def test_the_address_of_a_run_of_text_leads_to_its_passage(client: TestClient, lamps: trix.Index) -> None:
    results = lamps.search("lamp", size="20:600", strategy="relevant-in-context", top="all", per_document="all")
    runs = [result for result in results if result.tag == "#text"]
    links, _ = chain(opened_at(lamps, "figures"), "lamp", SMALL)
    assert len(runs) == 3 and runs[0].label == links[0].label
    for run, wanted in zip(runs, (0, 2, 2), strict=True):
        answer = client.get("/read/figures", params={"q": "lamp", "at": run.label, **SMALL}, follow_redirects=False)
        assert answer.headers["location"] == f"/read/figures?q=lamp&size=20%3A600#{links[wanted].label}"
        assert f'id="{links[wanted].label}" class="passage' in client.get(answer.headers["location"]).text
