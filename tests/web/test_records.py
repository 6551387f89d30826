"""Fields of records have labels, headings the rank of their tags, and quiet parts are folded away."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("markupsafe", reason="the extra web is not installed")
from lxml import html as lxml_html

import trix
from trix.web.reading.chain import chain
from trix.web.reading.document import OpenDocument
from trix.web.reading.part import part_html
from trix.web.reading.roles import Roles

pytestmark = pytest.mark.reading

TRIAL = """<clinical_study><id_info><nct_id>NCT1</nct_id></id_info><brief_title>Insulin at night</brief_title>
<sponsors><lead_sponsor><agency>Trix</agency><agency_class>Other</agency_class></lead_sponsor></sponsors>
<brief_summary><textblock>Insulin is given at night, and sugar is measured in the morning.</textblock></brief_summary>
<overall_status>Completed</overall_status><phase>Phase 2</phase><enrollment type="Actual">120</enrollment>
<condition>Diabetes</condition><condition>Obesity</condition></clinical_study>"""

RECORD = """<Document><Focus>Gout</Focus><CUIs><CUI>C1</CUI></CUIs><Origin><streetName>Main Street</streetName>
<city label="Town">Tampere</city></Origin><Pairs><Pair><Question>What is gout ?</Question><Answer>Gout is a disease of
the joints that comes suddenly and hurts very much, most often at night.</Answer></Pair></Pairs></Document>"""

SONG = """<lied><titel>Lied</titel><strophe><vers>Sah ein Knab ein Röslein stehn,</vers>
<vers>Röslein auf der Heiden,</vers><vers>war so jung und morgenschön,</vers></strophe></lied>"""

PAGE = """<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Ships</title></head><body><nav><p>Home</p></nav>
<h1>Ships</h1><p>Of ships.</p><h2>Sails</h2><p>Of linen.</p><h3>Hemp</h3><p>Of rope.</p>
<div><h2>Engines</h2><p>Of steam.</p></div></body></html>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Any]:
    def made(xml: str, profile: str) -> Any:
        folder = tmp_path_factory.mktemp("records")
        (folder / "a.xml").write_text(xml, "utf-8")
        trix.build(folder / "a.xml", folder / "i", jobs=1, profile=profile)
        index = trix.open(folder / "i")
        opened = OpenDocument(index, index.files.ids[0], Roles(index.files.profile))
        return lxml_html.fragment_fromstring(part_html(opened, 0), create_parent="div")

    return made


def texts(found: list[Any]) -> list[str]:
    return [" ".join(each.text_content().split()) for each in found]


def test_a_field_has_its_label_and_prose_has_none(page: Callable[[str, str], Any]) -> None:
    tree = page(RECORD, "generic")
    fields = texts(tree.xpath("//*[@class='field']"))
    assert fields == ["Focus: Gout", "CUI: C1", "Street name: Main Street", "Town: Tampere"]
    assert texts(tree.xpath("//*[@class='record']/div[1]")) == ["Origin"]
    assert "Question" not in tree.text_content() and "Answer" not in tree.text_content()
    assert texts(page(SONG, "generic").xpath("//*[contains(@class, 'label')]")) == ["Titel:"]  # no line has one


def test_a_trial_reads_as_in_the_register(page: Callable[[str, str], Any]) -> None:
    tree = page(TRIAL, "trials")
    fields = texts(tree.xpath("/div/*[starts-with(@class, 'field')]"))
    assert fields == [
        "Overall status: Completed", "Phase: Phase 2", "Enrollment (Actual): 120", "Condition: Diabetes", "Obesity",
    ]  # fmt: skip
    assert texts(tree.xpath("//h2")) == ["Summary"]  # which the profile alone knows
    assert texts(tree.xpath("//summary")) == ["About this document: Id info, Sponsors"]
    assert "Agency class: Other" in " ".join(tree.text_content().split())


def test_headings_have_the_rank_of_their_tags_below_the_title(page: Callable[[str, str], Any]) -> None:
    tree = page(PAGE, "xhtml")
    headings = [(each.tag, each.text_content()) for each in tree.iter("h1", "h2", "h3", "h4")]
    assert headings == [("h2", "Sails"), ("h3", "Hemp"), ("h2", "Engines")]
    (details,) = tree.xpath("//details")
    assert texts([details]) == ["About this document: NavHome"]


def test_quiet_parts_are_folded_in_their_place_and_open_where_a_word_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        "<article><body><sec><title>Ships</title><p>Of sails.</p></sec></body><back><ack><title>Thanks</title>"
        "<p>To all.</p></ack><ref-list><title>References</title><ref><mixed-citation>Roe, Hemp.</mixed-citation></ref>"
        "</ref-list></back></article>"
    )
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile="jats")
    index = trix.open(tmp_path / "i")
    opened = OpenDocument(index, "a", Roles(index.files.profile))
    made = part_html(opened, 0)
    assert re.findall("<details[^>]*><summary>[^<]*", made) == [
        '<details class="details named"><summary>Thanks', '<details class="details named"><summary>References',
    ]  # fmt: skip
    links, highlighter = chain(opened, "hemp", {})
    assert '<details class="details named" open><summary>Ref' in part_html(opened, 0, links, highlighter)


def test_a_record_in_attributes_is_shown_without_the_tags_that_are_written_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        '<post Title="On ships" Body="&lt;p&gt;Is it &lt;b&gt;linen&lt;/b&gt;?&lt;/p&gt;"/>'
    )
    (tmp_path / "own.toml").write_text('title = "/*/@Title"\nattributes = ["post/@Title", "post/@Body"]\n')
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, profile=tmp_path / "own.toml")
    with trix.open(tmp_path / "i") as index:
        opened = OpenDocument(index, "a", Roles(index.files.profile))
        tree = lxml_html.fragment_fromstring(part_html(opened, 0), create_parent="div")
        assert texts(tree.xpath("//*[@class='attribute']")) == ["Title: On ships", "Body: Is it linen ?"]
        assert index.search("linen")[0].snippet.split() == ["On", "ships", "Is", "it", "linen", "?"]
