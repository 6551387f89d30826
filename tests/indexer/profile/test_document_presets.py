"""The presets of topics, pages, finding aids, papers of parliaments, and inscriptions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import trix
from trix.indexer.document.parse import parse
from trix.indexer.profile.detect import pick, signature
from trix.indexer.profile.profile import load_profile

TOPIC = """<task id="t" xml:lang="en"><title>Oiling</title><shortdesc>How to oil a loom.</shortdesc><prolog><author>Ann
Webster</author><metadata><keywords><keyword>oil</keyword></keywords></metadata></prolog><taskbody><steps><step>
<cmd>Open
the <uicontrol>Lid</uicontrol>.</cmd><info>It is <b>h</b>eavy.<note>Mind your hands.</note></info></step></steps>
<draft-comment>Is that so?</draft-comment></taskbody><related-links><link href="x"><linktext>More</linktext></link>
</related-links></task>"""

PAGE = """<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>Looms</title><meta name="author"
content="Ann Webster"/><style>p { x }</style></head><body><nav><a href="a">Contents</a></nav><section><h2>Warps</h2><p>
Warps are <em>k</em>ept taut.</p><ul><li>Loose words<p>A paragraph.</p></li></ul><img alt="A loom" src="l.png"/>
</section>
<script>alert(1)</script></body></html>"""

AID = """<ead xmlns="urn:isbn:1-931666-22-9"><eadheader><filedesc><titlestmt><titleproper>Guide to the Loom
Papers</titleproper></titlestmt></filedesc></eadheader><archdesc level="collection"><did><unitid>L
1</unitid><unittitle>Loom Papers</unittitle><unitdate normal="1890/1899">the nineties</unitdate><origination>
<persname>Webster,
Ann</persname></origination></did><controlaccess><subject>Wool</subject></controlaccess><dsc><c level="series"><did>
<unittitle>Letters</unittitle></did><c level="file"><did><unittitle>To weavers</unittitle><container>3</container></did>
<scopecontent><p>Of <persname>Eve</persname>'s work.</p></scopecontent></c></c></dsc></archdesc></ead>"""

ACT = """<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0/WD17"><act><meta>
<identification source="#x"><FRBRWork><FRBRdate date="2001-05-01" name="x"/><FRBRcountry value="no"/>
<FRBRnumber value="7"/></FRBRWork>
<FRBRExpression><FRBRlanguage language="eng"/></FRBRExpression></identification></meta><preface><p><docTitle>Loom
Act</docTitle></p></preface><body><section eId="s1"><num>1</num><heading>Keeping</heading><content><p>Looms are kept
<ref href="#d">d</ref>ry.</p></content></section></body></act></akomaNtoso>"""

STONE = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Epitaph</title></titleStmt>
<publicationStmt><p/></publicationStmt><sourceDesc><msDesc><physDesc><objectDesc><supportDesc><support>
<material>marble</material>
</support></supportDesc></objectDesc></physDesc><history><origin><origDate notBefore="0101">2nd
c.</origDate></origin></history></msDesc></sourceDesc></fileDesc></teiHeader><text><body>
<div type="edition"><ab>text<supplied reason="lost">or</supplied> hic <lb/>iacet</ab></div><div type="translation">
<p>Here lies a
weaver.</p></div></body></text></TEI>"""

ACT_BODY = "/akomaNtoso[1]/act[1]/body[1]"

SAMPLES = {"dita": TOPIC, "xhtml": PAGE, "ead": AID, "akomantoso": ACT, "epidoc": STONE}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("documents")
    for name, xml in SAMPLES.items():
        (made / name).mkdir()
        (made / name / "a.xml").write_text(xml, "utf-8")
    return made


def built(folder: Path, name: str, place: Path) -> trix.Index:
    trix.build(folder / name, place / name, profile="auto", stem="none", stop="none", jobs=1, overwrite=True)
    return trix.open(place / name)


def picked(xml: str) -> str:
    """Return the preset that a collection of one document is read by."""
    return pick([signature(parse(xml.encode(), "a.xml"))])[0]


def test_a_mixture_of_a_preset_and_what_it_extends_is_the_latter() -> None:
    stone = signature(parse(STONE.encode(), "a.xml"))
    text = signature(parse(b'<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/><text/></TEI>', "b.xml"))
    assert [pick({stone: some, text: 10 - some})[0] for some in (10, 6, 5, 4, 0)] == ["epidoc", "epidoc", *["tei"] * 3]
    other = signature(parse(b"<notes/>", "c.xml"))
    assert pick({stone: 3, text: 2, other: 5})[0] == "generic"


@pytest.mark.parametrize("name", SAMPLES)
def test_auto_finds_the_preset_and_no_other(name: str) -> None:
    assert picked(SAMPLES[name]) == name


@pytest.mark.parametrize(
    "xml",
    [
        "<reference><title>x</title><para>y</para></reference>",
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/><text><body><div><ab>x</ab></div></body></text></TEI>',
        "<html><p>x</p></html>",
        "<map><point/></map>",
        "<act><num>1</num></act>",
    ],
)
def test_what_looks_alike_is_something_else(xml: str) -> None:
    assert picked(xml) not in SAMPLES


TITLES_AND_FIELDS: dict[str, tuple[str, dict[str, Any]]] = {
    "dita": ("Oiling", {"title": "Oiling", "author": ["Ann Webster"], "subject": ["oil"], "language": "en"}),
    "xhtml": ("Looms", {"title": "Looms", "author": ["Ann Webster"], "language": "en"}),
    "ead": (
        "Guide to the Loom Papers",
        {"title": "Loom Papers", "number": "L 1", "author": ["Webster, Ann"], "date": "1890", "type": "collection",
         "subject": ["Wool"]},
    ),
    "akomantoso": (
        "Loom Act",
        {"title": "Loom Act", "type": "act", "number": "7", "date": "2001-05-01", "year": 2001, "country": "no",
         "language": "eng"},
    ),
    "epidoc": ("Epitaph", {"title": "Epitaph", "year": 101, "material": ["marble"]}),
}  # fmt: skip


@pytest.mark.usefixtures("both_readers")
@pytest.mark.parametrize("name", SAMPLES)
def test_titles_and_fields_are_those_of_the_schema(name: str, folder: Path, tmp_path: Path) -> None:
    with built(folder, name, tmp_path) as index:
        title, fields = TITLES_AND_FIELDS[name]
        document = next(iter(index))
        assert document.title == title
        assert {key: document.fields.get(key) for key in fields} == fields


@pytest.mark.usefixtures("both_readers")
@pytest.mark.parametrize(
    ("name", "query", "path", "text", "above"),
    [
        ("dita", "lid", "/task[1]/taskbody[1]/steps[1]/step[1]/cmd[1]", "Open the Lid.", ()),
        ("dita", "hands", "/task[1]/taskbody[1]/steps[1]/step[1]/info[1]/note[1]/text()[1]", "Mind your hands.", ()),
        ("xhtml", "kept", "/html[1]/body[1]/section[1]/p[1]", "Warps are kept taut.", ("Warps",)),
        ("xhtml", "loose", "/html[1]/body[1]/section[1]/ul[1]/li[1]/text()[1]", "Loose words", ("Warps",)),
        ("ead", "weavers", "/ead[1]/archdesc[1]/dsc[1]/c[1]/c[1]/did[1]", "To weavers 3", ("Letters", "To weavers")),
        ("akomantoso", "dry", f"{ACT_BODY}/section[1]/content[1]/p[1]", "Looms are kept dry.", ("1 Keeping",)),
        ("epidoc", "textor", "/TEI[1]/text[1]/body[1]/div[1]/ab[1]", "textor hic iacet", ("Edition",)),
    ],
)  # fmt: skip
def test_parts_are_found_under_their_titles(
    name: str, query: str, path: str, text: str, above: tuple[str, ...], folder: Path, tmp_path: Path
) -> None:
    with built(folder, name, tmp_path) as index:
        found = [each for each in index.search(query, strategy="thorough", top=None) if each.path == path]
        assert [" ".join(each.text.split()) for each in found] == [text]
        assert tuple(title for title in found[0].breadcrumb if title in above) == above


@pytest.mark.parametrize(("name", "word"), [("dita", "really"), ("dita", "that"), ("xhtml", "alert"), ("xhtml", "x")])
def test_what_no_reader_sees_is_not_indexed(name: str, word: str, folder: Path, tmp_path: Path) -> None:
    with built(folder, name, tmp_path) as index:
        assert not len(index.search(f'"{word}"', top=None))


@pytest.mark.parametrize("name", SAMPLES)
def test_each_says_what_is_quiet_and_has_levels(name: str) -> None:
    profile = load_profile(name)
    assert profile.quiet and {"minor", "major"} <= profile.levels.keys() and profile.about
    assert etree.XML(SAMPLES[name]) is not None
