"""Inscriptions in EpiDoc: what the stone abbreviates and the editor expands is one word, wherever it is met."""

from __future__ import annotations

from pathlib import Path

import pytest

import trix

HEADER = "<teiHeader><fileDesc><titleStmt><title>Epitaph {0}</title></titleStmt></fileDesc></teiHeader>"
EDITION = (
    "<TEI xmlns='http://www.tei-c.org/ns/1.0'>{0}<text><body><div type='edition'><ab>{1}</ab></div></body></text></TEI>"
)
STONES = {
    "plain": "<lb n='1'/><expan><abbr>D</abbr><ex>is</ex></expan> <expan><abbr>M</abbr><ex>anibus</ex></expan>"
    "<lb n='2'/><expan><abbr>s</abbr><ex>acrum</ex></expan> Marcus",
    "broken": "<expan><supplied reason='lost'><abbr>D</abbr></supplied><ex>is</ex></expan>"
    " <expan><abbr>Ma</abbr><lb n='2' break='no'/><ex>nibus</ex></expan>"
    " <expan><unclear><abbr>sac</abbr></unclear><ex cert='low'>rum</ex></expan>",
    "whole": "Dis Mani<lb break='no'/>bus sac<supplied>r</supplied>um",
    "choice": "<choice><abbr>DM</abbr><expan>Dis Manibus</expan></choice> sacrum",
    "loose": "<abbr>D</abbr><ex>is</ex> <abbr>M</abbr><ex>anibus</ex> sacrum",
}


@pytest.fixture
def stones(tmp_path: Path) -> Path:
    folder = tmp_path / "stones"
    folder.mkdir()
    for name, text in STONES.items():
        (folder / f"{name}.xml").write_text(EDITION.format(HEADER.format(name), text))
    return folder


@pytest.mark.usefixtures("both_readers")
def test_a_formula_in_abbreviations_is_found_as_it_is_spoken(stones: Path, tmp_path: Path) -> None:
    trix.build(stones, tmp_path / "i", profile="auto", stem="none", stop="none", jobs=1)
    with trix.open(tmp_path / "i") as index:
        found = index.search('"dis manibus sacrum"', phrases="exact", strategy="fetch-browse", top="all")
        assert {each.doc for each in found} == {"plain", "broken", "whole", "choice"}
        assert "D is" not in index.show("plain/TEI[1]/text[1]/body[1]/div[1]/ab[1]")
        assert index.show("plain/TEI[1]/text[1]/body[1]/div[1]/ab[1]").split()[:3] == ["Dis", "Manibus", "sacrum"]
        # of a choice both readings stay words of their own
        assert {each.doc for each in index.search("dm", top="all")} == {"choice"}
    assert trix.check(tmp_path / "i") == []


def test_the_reading_page_sets_an_expansion_as_one_word(stones: Path, tmp_path: Path) -> None:
    pytest.importorskip("markupsafe", reason="the extra web is not installed")
    from lxml import html

    from trix.web.reading.document import OpenDocument
    from trix.web.reading.part import part_html
    from trix.web.reading.roles import Roles

    trix.build(stones, tmp_path / "i", profile="tei", jobs=1)
    with trix.open(tmp_path / "i") as index:
        roles = Roles(index.files.profile)
        for name, expected in (("plain", "Dis Manibus sacrum Marcus"), ("broken", "Dis Manibus sacrum")):
            page = html.fromstring(part_html(OpenDocument(index, name, roles), 0))
            assert " ".join("".join(map(str, page.itertext())).split()).endswith(expected)


@pytest.mark.usefixtures("both_readers")
def test_a_parent_decides_on_rules_gaps_titles_and_values_alike(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        'inline = ["word/part", "lost", "side/head/in"]\ndrop = ["line/note"]\ncontainer = ["side/part"]\n'
        'values = ["line/date"]\ntitle = "//head"\nshown.gap = ["line/lost"]\n'
        '[titles]\n"side/part" = "@n"\n"*" = "head"\n[fields]\nname = "//name"\n'
    )
    (tmp_path / "a.xml").write_text(
        "<stone><head><word><part>Epi</part><part>taph</part></word></head><side><head>Gr<in>ave</in>"
        "<note>not in it</note></head><part n='Front'>"
        "<line>Mar<lost/>cus<note>hidden</note> <date>112</date><mark><date>96</date></mark></line>"
        "<note>seen<lost/></note></part></side><name><word><part>Quin</part><part>tus</part></word>"
        " <part>Val</part><part>ens</part></name></stone>"
    )
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile=tmp_path / "own.toml", jobs=1, overwrite=True)
    with trix.open(tmp_path / "i") as index:
        assert index.files.titles[0] == "Epitaph"
        (seen,) = index.search("seen", strategy="thorough", level="//note")
        assert (seen.path, seen.breadcrumb) == (
            "/stone[1]/side[1]/part[1]/note[1]",
            ("Grave", "Front"),
        )
        assert seen.fields["name"] == "Quintus Val ens"
        assert not index.search("hidden") and index.search("marcus")
        assert index.show("a/stone[1]/side[1]/part[1]/line[1]") == "Mar…cus 112 96"
        assert index.show("a/stone[1]/side[1]/part[1]/note[1]") == "seen"
        assert index.search("//line[./date = 112]") and not index.search("//line[.//date = 96]")
