"""The compiled reader: the same elements, words and characters as the walk over the tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trix.indexer.document.markup_reader import MarkupReader, is_plain, reader_for
from trix.indexer.document.parse import parse
from trix.indexer.document.reader import Reader
from trix.indexer.document.record import DocumentRecord, blank_places, document_text
from trix.indexer.profile.profile import PRESETS, Profile, load_profile
from trix.indexer.words.analyzer import Analyzer, KeyTable

pytest.importorskip("numba")

RULES = Profile.from_dict(
    {"name": "rules", "inline": ["b", "x"], "blank": ["math", "x"], "drop": ["note"], "unit": ["row", "i"]}
)
UNWRAPS = Profile.from_dict(
    {"name": "unwraps", "unwrap": ["b", "i", "sec"], "inline": ["b", "i", "sec"], "blank": ["math"], "unit": ["row"]}
)
PROFILES = [load_profile("generic"), RULES, UNWRAPS]
TAGS = ["a", "b", "i", "math", "note", "row", "x", "sec", "m:a", "été"]
BLANK = ["", " ", "\n\t", "<!-- c -->", "&#x2003;"]
TEXTS = [*BLANK, "word", "two words", "&lt;&amp;&gt;", "&#x1F600;é", "&#xA0;", "<![CDATA[<b>]]>"]
TEXTS += ["<?p i?>", "a&#13;b", "&e;"]
ATTRIBUTES = ["", ' k="/"', " k='\"'", " k=\"a>b\" l='/>'", ' xmlns:q="urn:q"']


def columns(record: DocumentRecord, reader: Reader) -> dict[str, Any]:
    """Return what a record says, in plain lists."""
    found: dict[str, Any] = {n: list(getattr(record, n)) for n in ("depth", "position", "same", "start", "end")}
    keys = KeyTable(Analyzer("none", "none"))
    numbers, counts = keys.number(record.annotated)
    return found | {
        "content": list(record.content),
        "steps": [reader.steps.names[step] for step in record.step],
        "text": document_text(record.annotated),
        "length": record.length,
        "keys": [keys.vocabulary[number] for number in numbers],
        "counts": counts.tolist(),
        "blanks": (blank_places(record.annotated) if record.blanks is None else record.blanks).tolist(),
        "below": reader.taken_below(),
        "entities": record.entities,
    }


@st.composite
def elements(draw: st.DrawFn, depth: int = 0) -> str:
    tag, attributes = draw(st.sampled_from(TAGS)), draw(st.sampled_from(ATTRIBUTES))
    texts = draw(st.sampled_from([BLANK, TEXTS] if depth < 4 else [TEXTS]))
    inside = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(0, 4 if depth < 4 else 0))):
        inside += draw(elements(depth + 1)) + draw(st.sampled_from(texts))
    return f"<{tag}{attributes}>{inside}</{tag}>"


@settings(max_examples=300, deadline=None)
@given(elements(), st.sampled_from(PROFILES))
def test_both_readers_see_the_same(element: str, profile: Profile) -> None:
    data = f'<!DOCTYPE r [<!ENTITY e "in">]><r xmlns:m="urn:m">{element}</r>'.encode()
    root = parse(data, "x.xml")
    plain, compiled = Reader(profile), MarkupReader(profile)
    for part in (root, root[0]):
        assert columns(compiled.read_document(part), compiled) == columns(plain.read_document(part), plain)


@pytest.mark.parametrize(
    "body",
    [
        "one &nbsp; two",  # an unresolved entity reference
        "".join(f"<t{n}>x</t{n}>" for n in range(1100)),  # more tags than the table has room for
        "",
    ],
)
def test_what_the_loops_do_not_know_is_left_to_the_walk(body: str) -> None:
    root = parse(f"<a><p>{body}</p></a>".encode(), "x.xml")
    plain, compiled = Reader(RULES), MarkupReader(RULES)
    assert columns(compiled.read_document(root), compiled) == columns(plain.read_document(root), plain)


def test_references_to_characters_are_read_in_both_notations() -> None:
    from trix.indexer.document.markup_loops import NAMES, scan_markup

    data = np.frombuffer(b"<a>&#13;&#x1F60a;&#xD;&amp;</a>", np.uint8)
    tags, places = np.zeros(data.size, np.int32), np.zeros(data.size, np.int32)
    codes = np.zeros(data.size, np.uint32)
    assert scan_markup(data, tags, places, codes, np.zeros((NAMES, 2), np.int32)) == (2, 4, 1)
    assert codes[:4].tolist() == [13, 0x1F60A, 13, 38] and tags[:2].tolist() == [0, -1] and places[1] == 4


def test_a_document_larger_than_the_room_kept_gets_more() -> None:
    root = parse(b"<a>" + b"<p>word</p><q/>" * 20_000 + b"</a>", "x.xml")
    reader = MarkupReader(RULES)
    record = reader.read_document(root)
    assert len(record.content) == 20_000 and record.length == 80_000
    assert list(record.position[1:3]) == [1, 3] and list(record.same[1:3]) == [1, 2]


def test_only_profiles_of_plain_rules_are_read_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIX_KERNELS", "numba")
    assert [name for name in sorted(PRESETS) if is_plain(load_profile(name))] == ["generic", "ieee", "shakespeare"]
    assert type(reader_for(load_profile("jats"), Reader(RULES).steps)) is Reader
    assert type(reader_for(load_profile("generic"), Reader(RULES).steps)) is MarkupReader
    assert not is_plain(Profile.from_dict({"name": "x", "unwrap": ["p"]})) and is_plain(UNWRAPS)
    for key, value in [("inline", ["p[@a]"]), ("drop", ["{urn:x}p"]), ("own_text", "keys"), ("attributes", ["p/@a"])]:
        assert not is_plain(Profile.from_dict({"name": "x", key: value}))
    assert not is_plain(Profile.from_dict({"name": "x", "namespaces": {"m": "urn:m"}}))
    monkeypatch.setenv("TRIX_KERNELS", "numpy")
    assert type(reader_for(load_profile("generic"), Reader(RULES).steps)) is Reader
