"""Titles of sections and breadcrumbs: by the rules of presets, by those of nobody, and literally by XPath."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

import trix
from tests.conftest import Cli
from trix.errors import ProfileError
from trix.indexer.profile.profile import Profile, load_profile
from trix.indexer.read.headings import LONGEST, Headings

SAMPLES = {
    "jats sec": (
        "jats",
        "<article><body><sec><label>2.</label><title>Results</title><p/></sec></body></article>",
        "//p",
        ["2. Results"],
    ),
    "jats abstract": (
        "jats",
        "<article><front><article-meta><abstract><p/></abstract></article-meta></front></article>",
        "//p",
        ["Abstract"],
    ),
    "jats figure": (
        "jats",
        "<article><fig><label>Figure 1.</label><caption><title>Cells.</title><p/></caption></fig></article>",
        "//p",
        ["Figure 1. Cells"],
    ),
    "jats letter": (
        "jats",
        "<article><sub-article><front-stub><title-group><article-title>Decision letter</article-title>"
        "</title-group></front-stub><body><p/></body></sub-article></article>",
        "//p",
        ["Decision letter"],
    ),
    "tei head": (
        "tei",
        "<TEI><text><body><div type='act'><head>I.<note>So the folio.</note> Akt</head><sp>"
        "<speaker>NORA.</speaker><p/></sp></div></body></text></TEI>",
        "//p",
        ["I. Akt", "NORA"],
    ),
    "tei number": (
        "tei",
        "<TEI><text><div type='edition' n='urn:x'><div type='textpart' subtype='book' n='2'><l/></div>"
        "</div></text></TEI>",
        "//l",
        ["book 2"],
    ),
    "tcp": (
        "tei",
        "<ETS><TEXT><BODY><DIV1 TYPE='part'><HEAD>The History.</HEAD><HEAD>PART II.</HEAD><P/></DIV1>"
        "</BODY></TEXT></ETS>",
        "//P",
        ["The History"],
    ),
    "docbook": (
        "docbook",
        "<refentry><refsect1><title>Parameters</title><variablelist><varlistentry><term>x</term>"
        "<listitem><para/></listitem></varlistentry></variablelist></refsect1></refentry>",
        "//para",
        ["Parameters", "varlistentry x"],
    ),
    "mallard": (
        "mallard",
        "<page><title>Print</title><section><title>Paper jam</title><p/></section></page>",
        "//p",
        ["Paper jam"],
    ),
    "plays": (
        "shakespeare",
        "<PLAY><ACT><TITLE>ACT I</TITLE><SCENE><TITLE>SCENE II.  A hall.</TITLE><SPEECH><SPEAKER>HAMLET"
        "</SPEAKER><LINE/></SPEECH></SCENE></ACT></PLAY>",
        "//LINE",
        ["ACT I", "SCENE II. A hall", "HAMLET"],
    ),
    "canada": (
        "laws",
        "<Statute><Body><Heading><TitleText>Fees</TitleText></Heading><Section><Label>12</Label><Text/>"
        "</Section><Section><MarginalNote>Licence</MarginalNote><Label>13</Label><Subsection><Label>(1)"
        "</Label><Text/></Subsection></Section></Body></Statute>",
        "//Subsection/Text",
        ["Fees", "13 Licence", "Subsection (1)"],
    ),
    "uslm": (
        "laws",
        "<bill><title><num>TITLE I</num><heading>GENERAL.—</heading><section><num>Sec. 101. </num>"
        "<content/></section></title></bill>",
        "//content",
        ["TITLE I GENERAL", "Sec. 101"],
    ),
    "no preset": (
        "generic",
        "<rfc><section title='Scope'><section><name>Terms</name><t/></section></section></rfc>",
        "//t",
        ["Scope", "Terms"],
    ),
}


@pytest.mark.parametrize("sample", SAMPLES)
def test_sections_are_called_by_the_rules_of_their_schema(sample: str) -> None:
    preset, markup, path, expected = SAMPLES[sample]
    root = etree.fromstring(markup)
    headings = Headings(load_profile(preset), lambda each: "".join(each.itertext()))
    assert headings.above(next(iter(root.iterfind(f".{path}"))), root) == expected


def test_a_title_that_is_too_long_is_cut_and_a_text_in_its_place_is_none() -> None:
    headings = Headings(Profile(name="none"), lambda each: each.text or "")
    long, text = "many words " * 20, "many words " * 100
    root = etree.fromstring(f"<a><b><title>{long}</title></b><b><title>{text}</title></b></a>")
    (cut,) = headings.of(root[0])
    assert len(cut) <= LONGEST and cut.endswith("words …") and not headings.of(root[1])


NAMES = st.sampled_from(["sec", "title", "p", "label"])


@st.composite
def trees(draw: st.DrawFn, depth: int = 4) -> Any:
    element = etree.Element(draw(NAMES))
    element.text = draw(st.sampled_from(["", "one", "Two  words.", "7"]))
    if depth:
        element.extend(draw(st.lists(trees(depth - 1), max_size=3)))
    return element


@given(trees())
def test_titles_are_those_that_xpath_selects(root: Any) -> None:
    """Written out: of each section its title children in a row, else its label, behind the name where no word is."""
    profile = Profile.from_dict({"titles": {"sec": ["title", "label"]}})
    headings = Headings(profile, lambda each: "".join(each.itertext()))

    def called(section: Any) -> str:
        for form in ("title", "label"):
            texts = [" ".join(str(each.xpath("string()")).split()) for each in section.xpath(f"./{form}")]
            if text := next(filter(None, texts), "").rstrip("."):
                return text if any(map(str.isalpha, text)) else f"sec {text}"
        return ""

    for element in root.iter():
        sections = [each for each in element.xpath("ancestor-or-self::sec") if each is not root]
        titles = list(filter(None, map(called, sections)))
        expected = [title for at, title in enumerate(titles) if not at or not titles[at - 1].endswith(title)]
        if all(len(title) <= LONGEST for title in expected):
            assert headings.above(element, root) == expected


def test_results_say_where_they_are_and_tags_do_where_no_section_has_a_title(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.xml").write_text(
        "<article><title>Trees</title><sec><title>Growth</title><p>maple leaf</p></sec>"
        "<sec><p>maple root</p></sec></article>"
    )
    trix.build(source, tmp_path / "i", profile="generic")
    with trix.open(tmp_path / "i") as index:
        found = {each.path: each for each in index.search("maple", strategy="thorough")}
        assert found["/article[1]/sec[1]/p[1]"].breadcrumb == found["/article[1]/sec[1]"].breadcrumb == ("Growth",)
        assert found["/article[1]/sec[2]/p[1]"].breadcrumb == ("sec[2]",)
        assert found["/article[1]"].breadcrumb == () and found["/article[1]"].title == "Trees"
        (source / "a.xml").unlink()
    with trix.open(tmp_path / "i") as index:  # where the source has gone, the path still says it
        found = {each.path: each for each in index.search("maple", strategy="thorough")}
        assert found["/article[1]/sec[1]/p[1]"].breadcrumb == ("sec",) and index.notices


@pytest.mark.parametrize(
    ("titles", "reason"),
    [
        ("title", "expected a table"),
        ({"sec[": "title"}, r"titles.sec\["),
        ({"sec": 3}, "expected a list of forms"),
        ({"sec": "title[2]"}, "expected a child"),
        ({"sec": "preceding-sibling::a/b"}, "expected preceding-sibling::TAG"),
    ],
)
def test_wrong_rules_are_refused_in_one_line(titles: object, reason: str) -> None:
    with pytest.raises(ProfileError, match=reason) as error:
        Profile.from_dict({"titles": titles}, "own.toml")
    assert str(error.value).startswith("own.toml: titles") and "\n" not in str(error.value)


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Return an index of one article with a section of two paragraphs."""
    (tmp_path / "a.xml").write_text(
        "<article><title>Trees &amp; men</title><sec><title>Growth</title><p>The maple and its leaves, "
        "&lt;leaf&gt; by leaf.</p><p>tree edit, edit</p></sec></article>"
    )
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="generic", stem="porter", jobs=1)
    return tmp_path / "i"


def test_every_face_of_results_has_title_and_sections(index: Path, run_cli: Cli) -> None:
    line = ("search", index, "maple leaf", "--level", "content", "-n", "1", "--format")
    table = [text.strip() for text in run_cli(*line, "table")[1].splitlines()]
    assert table[0].endswith("  Trees & men")
    assert table[1:4] == ["Growth", "The maple and its leaves, <leaf> by leaf.", "a/article[1]/sec[1]/p[1]"]
    (found,) = map(json.loads, run_cli(*line, "jsonl")[1].splitlines())
    assert (found["title"], found["breadcrumb"]) == ("Trees & men", ["Growth"])
    assert [found["snippet"][begin:end] for begin, end in found["marks"]] == ["maple", "leaf", "leaf"]
    (row,) = csv.DictReader(run_cli(*line, "csv")[1].splitlines())
    assert (row["title"], row["breadcrumb"], json.loads(row["marks"])) == ("Trees & men", "Growth", found["marks"])
    with trix.open(index) as opened:
        results = opened.search("maple leaf", level="content", top=1)
        frame = results.to_frame()
        assert (frame["title"][0], frame["breadcrumb"][0]) == ("Trees & men", ["Growth"])
        assert "breadcrumb" not in results.to_frame(titles=False)
        shown = results._repr_html_()
        assert "Trees &amp; men" in shown and "Growth" in shown and "&lt;<mark>leaf</mark>&gt;" in shown
        assert results[0].to_dict() == found


@pytest.mark.parametrize("phrases", ["content", "exact"])
def test_marks_of_a_phrase_are_where_the_phrase_is(index: Path, phrases: str) -> None:
    with trix.open(index) as opened:
        (result,) = opened.search('"tree edit"', level="content", phrases=phrases)
        marked = [result.snippet[begin:end] for begin, end in result.snippet_matches]
    assert marked == (["tree", "edit"] if phrases == "exact" else ["tree", "edit", "edit"])
