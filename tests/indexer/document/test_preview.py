"""The preview shows what the reader makes of a document, in its own labels and keys."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree

from trix.errors import SourceError
from trix.indexer.document.preview import preview, preview_tree
from trix.indexer.profile.profile import Profile, load_profile
from trix.indexer.words.analyzer import Analyzer

ARTICLE = """<!DOCTYPE article [<!ENTITY known "entity">]>
<article><!-- a comment --><front><article-meta><title-group><article-title><bold>Cells</bold></article-title>
</title-group><contrib-group><contrib><name><surname>Grön</surname><given-names>A</given-names></name>
<xref ref-type="aff"><sup>1</sup></xref></contrib></contrib-group></article-meta></front>
<body><sec><title>Water</title><p>H<sub>2</sub>O was reported<sup><xref ref-type="bibr">12</xref></sup>, where
<inline-formula><math>x</math></inline-formula> &known; holds <fig><object-id>10.1/x</object-id><label>Figure 1</label>
<caption><p>A picture.</p></caption></fig> after <xref ref-type="fig">Figure 1</xref>A.</p>
<table><tr><td>one</td><td>two</td></tr></table><p><fig><graphic/></fig></p></sec></body>
<back><ref-list><ref><surname>Smith</surname><year>2009</year></ref></ref-list></back></article>
"""


def show(tmp_path: Path, text: str, profile: Profile, full: bool = False) -> list[str]:
    path = tmp_path / "doc.xml"
    path.write_text(text, encoding="utf-8")
    lines = preview(path, profile, Analyzer("none", "none", join=profile.join_characters), full).splitlines()
    return [re.sub(r" +", " ", line) for line in lines]


def test_an_article_is_shown_as_its_parts(tmp_path: Path) -> None:
    assert show(tmp_path, ARTICLE, load_profile("jats")) == [
        "document 1, profile jats: 23 indexed elements, 9 content elements (*), 23 keys, 112 characters",
        "1 article",
        "1.1 front",
        "1.1.1 article-meta",
        "1.1.1.1 title-group",
        "1.1.1.1.1 * article-title cells [inline bold]",
        "1.1.1.2 contrib-group",
        "1.1.1.2.1 * contrib grön a 1 [unwrapped xref; inline sup]",
        "1.2 body",
        "1.2.1 sec",
        "1.2.1.1 * title water",
        "1.2.1.2 p [container; blank math; unwrapped xref 2; inline inline-formula, sub, sup, xref]",
        "1.2.1.2.1 * #text h2o was reported 12 where entity holds",
        "1.2.1.2.2 fig [blank object-id]",
        "1.2.1.2.2.2 * label figure 1",
        "1.2.1.2.2.3 caption",
        "1.2.1.2.2.3.1 p [container]",
        "1.2.1.2.2.3.1.1 * #text a picture",
        "1.2.1.2.3 * #text after figure 1a",
        "1.2.1.3 table",
        "1.2.1.3.1 * tr one two",
        "1.3 back",
        "1.3.1 ref-list",
        "1.3.1.1 * ref smith 2009",
        "content elements: #text 3, article-title 1, contrib 1, title 1, label 1, tr 1, ref 1",
    ]


def test_elements_below_unwrapped_ones_attributes_and_drops_are_named(tmp_path: Path) -> None:
    mine = Profile.from_dict(
        {"unwrap": ["g"], "drop": ["d"], "attributes": ["p/@n"], "join": ["lb[@break='no']"], "name": "mine"}
    )
    text = "<a><g><p n='seven'>Wör<lb break='no'/>\nter</p><p>x</p></g><d>y</d><p>z</p></a>"
    assert show(tmp_path, text, mine) == [
        "document 1, profile mine: 4 indexed elements, 3 content elements (*), 3 keys, 9 characters",
        "1 a [dropped d; unwrapped g]",
        "1.1 * g[1]/p wörter [joined lb]",
        "1.2 * g[1]/p x",
        "1.3 * p z",
        "content elements: p 3",
    ]


def test_keys_are_shortened_unless_all_are_asked_for(tmp_path: Path) -> None:
    words = " ".join(f"w{i}" for i in range(30))
    generic = load_profile("generic")
    short, full = (show(tmp_path, f"<a>{words}</a>", generic, full)[1] for full in (False, True))
    assert short == f"1 * a {' '.join(words.split()[:12])} ... (30 keys)"
    assert full == f"1 * a {words}"


def test_each_document_of_a_split_file_is_shown(tmp_path: Path) -> None:
    mine = Profile(name="mine", document="rec")
    lines = show(tmp_path, "<all><rec>one</rec><other>no</other><rec>two</rec></all>", mine)
    assert [line for line in lines if "*" in line and "document" not in line] == ["1 * rec one", "2 * rec two"]
    assert "no element rec" in show(tmp_path, "<all/>", mine)[0]


def test_unresolved_entities_and_elements_without_keys_are_said() -> None:
    root = etree.fromstring(
        "<!DOCTYPE a SYSTEM 'x'><a><p>x&nope;y</p><q>!</q></a>", etree.XMLParser(resolve_entities=False)
    )
    lines = preview_tree(root, load_profile("generic"), Analyzer("none", "none")).splitlines()
    assert "1.1  *   p  x y" in lines
    assert "1.2  *   q  (no keys)" in lines
    assert any(line.startswith("unresolved entity references: 1") for line in lines)


def test_a_file_that_cannot_be_read_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none\.xml: cannot be read"):
        preview(tmp_path / "none.xml", load_profile("generic"), Analyzer())
    (tmp_path / "bad.xml").write_text("<a><b></a>", encoding="utf-8")
    with pytest.raises(SourceError, match=r"bad\.xml, line 1: "):
        preview(tmp_path / "bad.xml", load_profile("generic"), Analyzer())
