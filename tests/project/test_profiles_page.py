"""The page on profiles cannot lie: its TOML loads, and its two-line examples come out as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import etree

from tests.paths import ROOT
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import key_text
from trix.indexer.profile.profile import load_profile
from trix.indexer.words.analyzer import BOUNDARY, Analyzer

PAGE = ROOT / "docs" / "profiles.md"
BLOCKS = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S) if PAGE.is_file() else []

EXAMPLES = {
    'inline = ["sub", "b"]': ("<p>H<sub>2</sub>O <q>is</q>wet</p>", [("p", "h2o is wet")]),
    'unwrap = ["xref"]': ("<p>shown<sup><xref>12</xref></sup></p>", [("p", "shown 12")]),
    'blank = ["math"]': ("<p>where <math>x</math> is</p>", [("p", "where is")]),
    "drop = [\"note[@type='editorial']\"]": (
        '<a><p>x</p><note type="editorial">no</note><p>y</p><note type="other">z</note></a>',
        [("p", "x"), ("p", "y"), ("note", "z")],
    ),
    'join = ["U+2223"': ('<p>Gold∣smith, Gold<lb break="no"/> smith</p>', [("p", "goldsmith goldsmith")]),
    'unit = ["ref"]': ("<a><ref><name>Smith</name><year>2009</year></ref></a>", [("ref", "smith 2009")]),
    'container = ["p"]': (
        "<a><p>See <b>this</b>: <fig><label>one</label></fig> and that.</p></a>",
        [("text()", "see this"), ("label", "one"), ("text()", "and that")],
    ),
    'own_text = "keys"': ("<group><name>A</name>, <name>B</name></group>", [("name", "a"), ("name", "b")]),
    'attributes = ["fig/@alt"]': ('<fig alt="A map"><p>x</p></fig>', [("@alt", "a map"), ("p", "x")]),
}


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[0][:30])
def test_every_toml_block_of_the_page_is_a_profile(tmp_path: Path, block: str) -> None:
    (tmp_path / "block.toml").write_text(block, encoding="utf-8")
    load_profile(tmp_path / "block.toml")


@pytest.mark.parametrize("start", EXAMPLES)
def test_the_examples_of_the_rules_come_out_as_the_page_says(tmp_path: Path, start: str) -> None:
    if not PAGE.is_file():
        pytest.skip("the documentation is not in this installation")
    block = next(block for block in BLOCKS if block.startswith(start))
    (tmp_path / "block.toml").write_text(block, encoding="utf-8")
    profile = load_profile(tmp_path / "block.toml")
    text, expected = EXAMPLES[start]
    reader = DocumentReader(profile)
    record = reader.read_document(etree.fromstring(text))
    analyzer = Analyzer("none", "none", join=profile.join_characters)
    words = [" ".join(analyzer.words(part)) for part in key_text(record.annotated).split(BOUNDARY)[1:]]
    assert [
        (reader.steps.names[record.step[place]], found) for place, found in zip(record.content, words, strict=True)
    ] == (expected)


def test_drop_does_not_count_in_labels_and_blank_does() -> None:
    for rule, positions in [("drop", [1, 2]), ("blank", [1, 3])]:
        profile = load_profile("generic").from_dict({rule: ["note"]})
        record = DocumentReader(profile).read_document(etree.fromstring("<a><p>x</p><note>no</note><p>y</p></a>"))
        assert record.position[1:].tolist() == positions
