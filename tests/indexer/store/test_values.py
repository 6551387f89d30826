"""The texts that comparisons need, against the texts of the oracle and by example."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.oracle.generate import Case, cases
from tests.oracle.reading import Element, elements_in, said
from tests.oracle.values import streams
from tests.query.test_engine_against_oracle import EXAMPLES, build, relaxed
from trix.indexer.document.partial_text import Opaque
from trix.indexer.document.record import ATTRIBUTE, BELOW, OWN, SEPARATOR, UNIT, DocumentRecord, document_text
from trix.indexer.store.files import IndexFiles
from trix.indexer.store.values import SHORT
from trix.indexer.words.analyzer import BOUNDARY
from trix.indexer.write.columns import encode_values
from trix.query.structured.value_conditions import literal


@settings(relaxed, max_examples=EXAMPLES // 2)
@given(cases())
def test_every_element_has_its_trimmed_text_and_no_other(case: Case) -> None:
    nodes = list(case.collection.nodes.values())
    case = replace(case, profile={**case.profile, "attribute_values": []})  # see test_attribute_values for these
    with tempfile.TemporaryDirectory() as folder:
        index = IndexFiles(build(case, Path(folder)))
        values = index.values_of(np.arange(len(nodes), dtype=np.int32))
        for node, value in zip(nodes, values, strict=True):
            text = node.value
            if isinstance(value, Opaque):
                assert len(text) > SHORT or any(character.isspace() for character in text)
                assert value.equals(text)
                assert not value.equals(text + "x")
                assert not value.equals(text[:-1])
                assert not value.equals(text[:-1] + chr(ord(text[-1]) + 1))
            else:
                assert value == text
        rows, names = index.attributes.rows, index.attributes.names
        expected = list[tuple[int, int, str, str, tuple[str, ...]]]()
        contents = [node for node in nodes if node.is_content]
        for number, node in enumerate(contents):
            if node.tag.startswith("@"):
                expected.append((number, UNIT, node.tag, node.text, ()))
            assert node.element is not None
            expected += [(number, *row) for row in beside(node.element, not node.tag.startswith("#"))]
        found = list[tuple[int, int, str, str, tuple[str, ...]]]()
        texts = rows.texts(np.arange(rows.owner.size))
        for place, (owner, kind, name, above) in enumerate(
            zip(*(column.tolist() for column in (rows.owner, rows.kind, rows.name, rows.above)), strict=True)
        ):
            around = (*found[place - above][4], found[place - above][2]) if above else ()
            found.append((owner, kind, names[name], texts[place], around))
        assert sorted(found) == sorted(expected)


PIECES = st.sampled_from(
    [*" \n\xa0\u2003\u3000aé\ufb01\U00010400", "word " * 9, SEPARATOR, BOUNDARY, f"{ATTRIBUTE}v{ATTRIBUTE}"]
)


@settings(relaxed)
@given(st.lists(st.lists(PIECES, max_size=9).map("".join), min_size=1, max_size=9))
def test_the_streams_are_those_that_strings_make(texts: list[str]) -> None:
    """Every other text is a content element; marks stand where they may."""
    ends = np.cumsum([len(document_text(text)) for text in texts])
    starts, lengths = ends[:-1:2], np.diff(ends)[::2]
    starts = starts[: lengths.size]
    nothing = np.zeros(0, np.int32)
    annotated = "".join(texts)
    columns = (nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing)
    record = DocumentRecord(*columns, text=annotated, length=len(document_text(annotated)))
    made = {name: stream.tolist() for name, stream in encode_values(record, starts, lengths).items()}
    assert made == (streams(record, starts, lengths) if starts.size else {})


def beside(
    element: Element, own: bool, around: tuple[str, ...] = ()
) -> Iterator[tuple[int, str, str, tuple[str, ...]]]:
    """Yield what is no unit below an element: kind, name, value, the compared elements that it is in."""
    for child in elements_in(element):
        child_is = child.kind == "attribute" or child.compared
        direct = own if child.kind == "attribute" or element.kind != "run" else True
        if child_is and said(child):
            yield OWN if direct else BELOW, child.tag, said(child), around
            yield from beside(child, True, (*around, child.tag))
        else:
            yield from beside(child, False, around)


def test_an_attribute_below_a_content_element_belongs_to_that_one(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text('<a><b>x</b><b>y<c><d k="v"/></c></b><b>z</b></a>', encoding="utf-8")
    (tmp_path / "my.toml").write_text('attributes = ["d/@k"]\n')
    trix.build(tmp_path / "a.xml", tmp_path / "a.index", profile=str(tmp_path / "my.toml"), stop="none")
    rows = IndexFiles(tmp_path / "a.index").attributes.rows
    assert (rows.owner.tolist(), rows.kind.tolist(), rows.texts(np.arange(1))) == ([1], [BELOW], ["v"])


LONG = "a text of more than thirty-two characters"
PADDED = f"{' ' * 40}1999{' ' * 40}"


@pytest.mark.parametrize(
    ("xml", "path", "value"),
    [
        ("<a><b>1999</b></a>", "b", "1999"),
        ("<a><b>\n  1999\n</b></a>", "b", "1999"),
        (f"<a><b>{PADDED}</b></a>", "b", "1999"),
        (f"<a>\n<d>\n{' ' * 50}<b>{PADDED}</b>\n</d>\n</a>", "d", "1999"),
        ("<a><d><b>19</b><c>99</c></d><b>x</b></a>", "d", "19 99"),
        ("<a><d>\n<b>19</b>\n<c>99</c>\n</d></a>", "d", "19\n99"),
        (f"<a><b>{LONG}</b></a>", "b", LONG),
        (f"<a><d> <b> {LONG} </b> <c>{LONG}</c> </d></a>", "d", f"{LONG}  {LONG}"),
        (f"<a><d><b>{LONG}</b><c>x</c></d><d><c>y</c></d></a>", "a", f"{LONG} x y"),
        ("<a>é<b>1</b>漢</a>", "a", "é1漢"),
        ("<a>é<x>1</x>漢</a>", "a", "é 1 漢"),
        (f"<a>{LONG}<x>1</x> <x/>é<x/><x/>é</a>", "a", f"{LONG} 1 é é"),
        (f"<a><d>{'x' * 32}<x>1</x></d></a>", "d", f"{'x' * 32} 1"),
        (f"<a><d>{' ' * 40}<x>1</x><x>2</x></d></a>", "d", "1 2"),
        ("<a><d>é<x/>é</d><d>1</d></a>", "a", "é é 1"),
    ],
)
def test_a_text_is_equal_to_itself_without_its_source(tmp_path: Path, xml: str, path: str, value: str) -> None:
    (tmp_path / "a.xml").write_text(xml, encoding="utf-8")
    trix.build(tmp_path / "a.xml", tmp_path / "a.index", profile="generic", stop="none")
    (tmp_path / "a.xml").unlink()
    quote = '"' + value + '"'
    with trix.open(tmp_path / "a.index") as index:
        assert [result.tag for result in index.search(f"//{path}[. = {quote}]", top=1)] == [path]
        assert not list(index.search(f'//{path}[. = {quote[:-1]}x"]'))
        assert trix.check(tmp_path / "a.index") == []


@pytest.mark.parametrize(
    ("left", "operator", "right", "holds"),
    [
        ("2000", ">", "1999", True),
        ("10", ">", "9", True),
        ("1999.0", "=", "1999", True),
        ("-0.5", "<", "0", True),
        (".5", ">=", "0.50", True),
        ("9007199254740993", "=", "9007199254740992", False),
        ("1e3", "=", "1000", False),
        ("1,000", ">", "10", False),
        ("1,000", "!=", "1000", True),
        ("abc", "=", "abc", True),
        ("abc", "=", "Abc", False),
        ("abc", "<", "abd", False),
        ("2001-05-03", "<", "2001-12-01", True),
        ("2001-05-03", "<=", "2001-05-03", True),
        ("2001-02-30", "<", "2001-12-01", False),
        ("2001-02-30", "=", "2001-02-30", True),
        ("2001-05-03", ">", "2000", False),
        ("", "=", "", True),
        ("", "<", "1", False),
    ],
)
def test_numbers_dates_and_strings_compare_each_in_their_way(left: str, operator: str, right: str, holds: bool) -> None:
    assert literal(right).holds(operator, left) is holds  # type: ignore[arg-type]


def test_attributes_inside_a_unit_without_text_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xml").write_text('<a><list><sec label="x"/></list><p>y</p></a>')
    (tmp_path / "p.toml").write_text('unit = ["list"]\nattributes = ["@label"]\n')
    trix.build(tmp_path / "docs", tmp_path / "i", profile=str(tmp_path / "p.toml"), jobs=1)
    index = IndexFiles(tmp_path / "i")
    rows = index.attributes.rows
    assert (rows.owner.tolist(), rows.kind.tolist(), rows.texts(np.arange(1))) == ([0], [UNIT], ["x"])
    assert index.tags == ["@label", "a", "list", "p", "sec"]
