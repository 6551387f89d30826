"""The reader: what of XML becomes labels, paths and text, with the namespaces and oddities of real files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from tests.query.test_engine_against_oracle import toml
from trix.indexer.read.texts import SourceTexts
from trix.indexer.store.files import IndexFiles
from trix.query.naming.names import Namer

X = 'xmlns:x="urn:x"'
Row = tuple[str, str, int, str]


class Read:
    """A document as the index has it: elements as (label, path, offset, text), its text, and what keys it has."""

    def __init__(self, xml: str | bytes, folder: Path, **profile: Any) -> None:
        (folder / "docs").mkdir()
        (folder / "docs" / "d.xml").write_bytes(xml.encode() if isinstance(xml, str) else xml)
        (folder / "p.toml").write_text(toml(profile))
        options: dict[str, Any] = {
            "profile": folder / "p.toml",
            "stem": "none",
            "stop": "none",
            "jobs": 1,
            "strict": True,
        }
        trix.build(folder / "docs", folder / "i", **options)
        self.index = IndexFiles(folder / "i")
        assert trix.check(folder / "i") == []
        self.text = SourceTexts(self.index).document(0).text

    @property
    def rows(self) -> list[Row]:
        elements = np.arange(self.index.totals["elements"], dtype=np.int32)
        labels, paths = Namer(self.index).names(elements, np.zeros_like(elements))
        table = self.index.elements
        spans = zip(table.start.tolist(), table.length.tolist(), strict=True)
        texts = [(start, self.text[start : start + length]) for start, length in spans]
        return [(label, path, *text) for label, path, text in zip(labels, paths, texts, strict=True)]

    @property
    def paths(self) -> list[str]:
        return [path for _, path, _, _ in self.rows]

    @property
    def keys(self) -> list[str]:
        (live,) = self.index.live
        return [key.decode() for key in live.segment.keys.all()]


# -- namespaces -----------------------------------------------------------------------------------------------------

RULES = {"drop": ["note"], "unwrap": ["hi"]}


@pytest.mark.parametrize(
    "xml",
    [
        "<a><note>n</note><s><hi>one</hi> two</s><s>three</s></a>",
        '<a xmlns="urn:x"><note>n</note><s><hi>one</hi> two</s><s>three</s></a>',
        f"<x:a {X}><x:note>n</x:note><x:s><x:hi>one</x:hi> two</x:s><x:s>three</x:s></x:a>",
        f'<a {X} xmlns:y="urn:y"><y:note>n</y:note><x:s><hi>one</hi> two</x:s><y:s>three</y:s></a>',
        '<a><note xmlns="urn:n">n</note><s xmlns="urn:x"><hi xmlns="">one</hi> two</s><s>three</s></a>',
    ],
    ids=["none", "default", "prefix", "three", "changed on the way"],
)
def test_prefixes_and_default_namespaces_are_in_no_name_and_rules_fit_any(xml: str, tmp_path: Path) -> None:
    assert Read(xml, tmp_path, **RULES).rows == [
        ("1", "/a[1]", 0, "one twothree"), ("1.1", "/a[1]/s[1]", 0, "one two"), ("1.2", "/a[1]/s[2]", 7, "three"),
    ]  # fmt: skip


def test_same_local_names_of_two_namespaces_count_together(tmp_path: Path) -> None:
    found = Read(f"<a {X}><t>1</t><x:t>2</x:t><u>3</u><t>4</t></a>", tmp_path)
    assert found.paths == ["/a[1]", "/a[1]/t[1]", "/a[1]/t[2]", "/a[1]/u[1]", "/a[1]/t[3]"]


@pytest.mark.parametrize(
    ("entry", "left"),
    [("{urn:x}m", ["m[2]", "m[3]"]), ("{}m", ["m[1]", "m[3]"]), ("z:m", ["m[1]", "m[2]"]), ("m", [])],
)
def test_a_rule_may_be_about_one_namespace_and_what_is_dropped_still_counts(
    entry: str, left: list[str], tmp_path: Path
) -> None:
    xml = f'<a {X} xmlns:y="urn:y"><x:m>1</x:m><m>2</m><y:m>3</y:m><p>4</p></a>'
    found = Read(xml, tmp_path, drop=[entry], namespaces={"z": "urn:y"})
    assert found.paths == ["/a[1]", *(f"/a[1]/{step}" for step in left), "/a[1]/p[1]"]
    assert [label for label, *_ in found.rows] == ["1", *(f"1.{n}" for n in range(1, len(left) + 2))]


ATTRIBUTED = (
    '<a xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:l="http://www.w3.org/1999/xlink">'
    '<g xml:lang="fi" lang="sv" xlink:href="far away" href="near"><c>x</c></g><g l:href="else where"><c>y</c></g></a>'
)


def test_attributes_are_named_with_their_namespace_and_stepped_by_their_local_name(tmp_path: Path) -> None:
    found = Read(ATTRIBUTED, tmp_path, attributes=["g/@xml:lang", "g/@xlink:href"])
    assert [row[:2] for row in found.rows] == [
        ("1", "/a[1]"), ("1.1", "/a[1]/g[1]"), ("1.1.1", "/a[1]/g[1]/@lang"), ("1.1.2", "/a[1]/g[1]/@href"),
        ("1.1.3", "/a[1]/g[1]/c[1]"), ("1.2", "/a[1]/g[2]"), ("1.2.1", "/a[1]/g[2]/@href"),
        ("1.2.2", "/a[1]/g[2]/c[1]"),
    ]  # fmt: skip
    assert found.keys == ["away", "else", "far", "fi", "where", "x", "y"]


def test_an_attribute_without_a_prefix_is_in_no_namespace(tmp_path: Path) -> None:
    assert Read(ATTRIBUTED, tmp_path, attributes=["g/@lang", "@href"]).keys == ["near", "sv", "x", "y"]


@pytest.mark.parametrize(
    ("entry", "left"),
    [("g[@xml:lang]", "y"), ("g[@xml:lang='fi']", "y"), ("g[@lang='fi']", "xy"), ("g[@xlink:href='else where']", "x")],
)
def test_conditions_tell_attributes_of_two_namespaces_apart(entry: str, left: str, tmp_path: Path) -> None:
    assert Read(ATTRIBUTED, tmp_path, drop=[entry]).text == left


def test_declarations_of_namespaces_are_no_attributes(tmp_path: Path) -> None:
    found = Read(f'<a {X} xmlns="urn:d"><p x="1" x:x="2">z</p></a>', tmp_path, attributes=["@xmlns", "@x"])
    assert found.paths == ["/a[1]", "/a[1]/p[1]"]  # on a content element an attribute is no unit
    assert found.keys == ["z"]


# -- comments, instructions, CDATA ----------------------------------------------------------------------------------


def test_comments_and_instructions_have_no_label_no_position_and_no_text(tmp_path: Path) -> None:
    xml = "<?x 1?><!-- 0 --><a><!-- 1 --><p>on<!-- 2 -->e</p><?x 2?>\n<p>t<?x 3?>wo</p><!-- 3 --></a><!-- 4 -->"
    assert Read(xml, tmp_path).rows == [
        ("1", "/a[1]", 0, "one\ntwo"), ("1.1", "/a[1]/p[1]", 0, "one"), ("1.2", "/a[1]/p[2]", 4, "two"),
    ]  # fmt: skip


def test_a_comment_alone_is_no_own_text_and_text_behind_one_is(tmp_path: Path) -> None:
    found = Read("<a><s><!-- x --><p>y</p></s><s><p>z</p><!-- x -->w</s></a>", tmp_path)
    assert found.paths == ["/a[1]", "/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[2]"]


def test_comments_do_not_cut_the_runs_of_a_container(tmp_path: Path) -> None:
    found = Read("<a><p>on<!-- -->e <?x?>two<fig><c>f</c></fig><!-- -->three</p></a>", tmp_path, container=["p"])
    assert [row[1:] for row in found.rows if "text()" in row[1]] == [
        ("/a[1]/p[1]/text()[1]", 0, "one two"), ("/a[1]/p[1]/text()[2]", 8, "three"),
    ]  # fmt: skip


def test_cdata_is_text_like_any_other(tmp_path: Path) -> None:
    found = Read("<a><p><![CDATA[<b>&amp;]]></p><s><![CDATA[ ]]><p>x<![CDATA[]]>y</p></s></a>", tmp_path)
    assert found.rows == [
        ("1", "/a[1]", 0, "<b>&amp; xy"), ("1.1", "/a[1]/p[1]", 0, "<b>&amp;"),
        ("1.2", "/a[1]/s[1]", 8, " xy"), ("1.2.1", "/a[1]/s[1]/p[1]", 9, "xy"),
    ]  # fmt: skip
    assert found.keys == ["amp", "b", "xy"]


# -- entities and the document type ---------------------------------------------------------------------------------

SUBSET = '<!DOCTYPE a [<!ENTITY w "wo"><!ENTITY m "<p>in <b>it</b></p>"><!ENTITY s "&w;rd"><!ELEMENT a ANY>]>'


def test_entities_of_the_internal_subset_are_their_text_and_their_elements(tmp_path: Path) -> None:
    found = Read(f"{SUBSET}<a><p>a &s; &#38; &lt;</p>&m;<p>b</p></a>", tmp_path)
    assert [row[1:] for row in found.rows] == [
        ("/a[1]", 0, "a word & <in itb"), ("/a[1]/p[1]", 0, "a word & <"),
        ("/a[1]/p[2]", 10, "in it"), ("/a[1]/p[3]", 15, "b"),
    ]  # fmt: skip


def test_an_undeclared_entity_in_a_value_is_no_reason_to_lose_the_file(tmp_path: Path) -> None:
    found = Read('<a><g k="far &away; off"><p>x&gone;y</p></g></a>', tmp_path, attributes=["g/@k"])
    assert found.text == "xy"
    assert {"far", "off", "x", "y"} <= set(found.keys)


def test_entities_in_values_are_their_text(tmp_path: Path) -> None:
    found = Read(f'{SUBSET}<a><g k="a &s; &#233;&#10;b"><p>x</p></g></a>', tmp_path, attributes=["g/@k"])
    assert found.keys == ["a", "b", "word", "x", "é"]


# -- encodings, line ends, characters -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "codec"),
    [("", "utf-8"), ("", "utf-8-sig"), ("", "utf-16"), ("UTF-16", "utf-16"), ("utf-16", "utf-16-be"),
     ("ISO-8859-1", "latin-1"), ("windows-1252", "cp1252"), ("UTF-8", "utf-8-sig")],
)  # fmt: skip
def test_offsets_count_characters_whatever_the_encoding(declared: str, codec: str, tmp_path: Path) -> None:
    prolog = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    found = Read(f"{prolog}<a><p>né é</p><p>ü &#x1D400; y</p></a>".encode(codec), tmp_path)
    assert [row[2:] for row in found.rows] == [(0, "né éü \U0001d400 y"), (0, "né é"), (4, "ü \U0001d400 y")]


def test_line_ends_are_one_character_as_xml_has_it_and_white_space_stays(tmp_path: Path) -> None:
    found = Read(b"<a>\r\n<p>x\r\n\ty\rz</p>\n<p>w&#13;&#10; \xc2\xa0v</p></a>\r\n", tmp_path)
    assert found.text == "\nx\n\ty\nz\nw\r\n \u00a0v"
    assert [row[2:] for row in found.rows[1:]] == [(1, "x\n\ty\nz"), (8, "w\r\n \u00a0v")]


@pytest.mark.parametrize("space", [" ", "\n", "\t", "&#xA0;", "&#x3000;", "&#x2028;", "&#x85;"])
def test_white_space_of_unicode_alone_is_no_own_text(space: str, tmp_path: Path) -> None:
    assert Read(f"<a><s>{space}<p>x</p>{space}</s></a>", tmp_path).paths[-1] == "/a[1]/s[1]/p[1]"


@pytest.mark.parametrize("character", ["&#x200B;", "&#xAD;", "&#xFEFF;", "."])
def test_other_characters_are_own_text_even_where_they_show_nothing(character: str, tmp_path: Path) -> None:
    assert Read(f"<a><s>{character}<p>x</p></s></a>", tmp_path).paths == ["/a[1]", "/a[1]/s[1]"]
