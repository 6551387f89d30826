"""The compiled reader: the same elements, words and characters as the walk over the tree."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any
from unicodedata import category

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trix.indexer.document.outline import SOLID, WORD, CharacterBits
from trix.indexer.document.parse import parse
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import DocumentRecord, blank_places, document_text
from trix.indexer.document.tree import LazyTree, TreeMaker
from trix.indexer.markup.names import AmbiguousMarkup
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.profile.profile import PRESETS, Profile, load_profile
from trix.indexer.profile.selector import Selector
from trix.indexer.words.analyzer import Analyzer, KeyTable, has_word

RULES = Profile.from_dict(
    {"name": "rules", "inline": ["b", "x"], "blank": ["math", "x"], "drop": ["note"], "unit": ["row", "i"]}
)
SAYS = Profile.from_dict(
    {
        "name": "says",
        "own_text": "keys",
        "container": ["sec", "a"],
        "unwrap": ["i", "x[@k]"],
        "inline": ["i"],
        "values": ["b", "math", "note[@l='/>']"],
        "attributes": ["row/@k", "*/@m:l"],
        "join": ["x"],
        "namespaces": {"m": "urn:m"},
    }
)
PRESET_TAGS = {
    "jats": ["p", "sec", "xref", "math", "ref", "year", "bold", "title", "object-id"],
    "tei": ["lb", "seg", "gap", "bibl", "date", "hi", "head", "formula", "revisionDesc", "expan", "abbr", "supplied"],
    "docbook": ["para", "alt", "row", "year", "keycap", "literal", "indexterm"],
    "laws": ["content", "page", "Text", "YYYY", "date", "br", "meta", "num"],
    "mallard": ["p", "credit", "years", "gui", "app", "comment"],
    "wikipedia": ["p", "row", "math", "link", "person", "revision"],
}
PRESET_ATTRIBUTES = ["", " ref-type='fig'", " break='no'", " rend='decorInit'", " wordnetid='1'", " role='tex'"]
PRESET_ATTRIBUTES += [" unit='char'", " type='translator copyright'"]
TAGS = ["a", "b", "i", "math", "note", "row", "x", "sec", "m:a", "été"]
LINKS: list[dict[str, str]] = [
    {},
    {"target": "//@l", "id": "//@k | //@l"},
    {"target": "//x[not(@k)]/@l | //b/@k | //i[@k='/' or contains(@l, '>')]/@k"},
    {"target": "//b/i", "id": "//a//@k"},
]
PREFIXED = [{"target": "//*[@k]/@m:l", "id": "//@l"}, {"target": "//x[@m:l='v']/@l", "id": "//@m:l"}]
BLANK = ["", " ", "\n\t", "<!-- c -->", "&#x2003;"]
TEXTS = [*BLANK, "word", "two words", "&lt;&amp;&gt;", "&#x1F600;é", "&#xA0;", "<![CDATA[<b>]]>"]
TEXTS += ["<?p i?>", "a&#13;b", "&e;", "&apos;&quot;'\"", "a\r\nb"]
ATTRIBUTES = [
    "",
    ' k=" "',
    ' k="&amp;e; &#10;ü"',
    ' k="&e;"',
    ' m:l="ü"',
    ' l="ü" m:l="v"',
    ' k="/"',
    " k='\"'",
    " k=\"a>b\" l='/>'",
    ' xmlns:q="urn:q"',
    " k='&apos;&quot;'",
    ' k = "/"',
    ' k= "/" ',
    '  k="a\tb"',
    '\nk="/"\nl="x"',
]


def columns(record: DocumentRecord, reader: DocumentReader) -> dict[str, Any]:
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
        "below": reader.count_below([record]),
        "entities": record.entities,
        "attributes": record.attributes,
        "annotated": record.annotated,
        "stray": record.stray,
        "anchors": record.anchors and [each if isinstance(each, list) else each.tolist() for each in record.anchors],
    }


@st.composite
def elements(draw: st.DrawFn, tags: list[str], attributes: list[str], depth: int = 0) -> str:
    tag, named = draw(st.sampled_from(tags)), draw(st.sampled_from(attributes))
    texts = draw(st.sampled_from([BLANK, TEXTS] if depth < 4 else [TEXTS]))
    inside = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(0, 4 if depth < 4 else 0))):
        inside += draw(elements(tags, attributes, depth + 1)) + draw(st.sampled_from(texts))
    return f"<{tag}{named}>{inside}</{tag}>"


@st.composite
def selectors(draw: st.DrawFn) -> Selector:
    namespace = draw(st.sampled_from([None, None, None, "urn:m", "urn:q", ""]))
    attribute = draw(st.sampled_from([None, None, "k", "l", "{urn:m}l"]))
    value = draw(st.sampled_from([None, "/", "ü", '"'])) if attribute else None
    parent = draw(selectors()) if draw(st.integers(0, 3)) == 0 else None
    return Selector(
        draw(st.sampled_from([*(tag.rpartition(":")[2] for tag in TAGS), "*"])), namespace, attribute, value, parent
    )


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """Any profile, also such as say contradictory things of a tag by different selectors."""
    rules: Any = {
        key: tuple(draw(st.lists(selectors(), max_size=3)))
        for key in ("unwrap", "blank", "drop", "inline", "unit", "container", "join_elements", "values")
    }
    named = st.tuples(selectors(), st.sampled_from(["k", "l", "{urn:m}l"]))
    declared = draw(st.sampled_from([{}, {"m": "urn:m"}, {"q": "urn:q"}]))
    links = draw(st.sampled_from([*LINKS, *(PREFIXED if "m" in declared else [])]))
    return Profile(
        name="any",
        own_text=draw(st.sampled_from(["any", "keys"])),
        stray_text=draw(st.sampled_from([0.0, 0.1, 0.5, 1.0])),
        attributes=tuple(
            (replace(s, attribute=None, value=None, parent=None), name) for s, name in draw(st.lists(named, max_size=2))
        ),
        namespaces=declared,
        links=links,
        **rules,
    )


def same_in_both(element: str, profile: Profile) -> None:
    data = f'<!DOCTYPE r [<!ENTITY e "in">]><r xmlns:m="urn:m">{element} &gone; </r>'.encode()
    root = parse(data, "x.xml")
    plain, compiled = DocumentReader(profile, links=True), MarkupReader(profile, links=True)
    for part in (root, root[0]):
        assert columns(compiled.read_document(part), compiled) == columns(plain.read_document(part), plain)
    for prologue in ("", '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE r SYSTEM "r.dtd">\n'):
        file = f'{prologue}<r xmlns:m="urn:m">{element} &gone; </r>\n'.encode()
        root = parse(file, "x.xml")
        tree = TreeMaker()(file, "x.xml")
        assert bool(tree.markup) == ("\r" not in element)
        assert columns(compiled.read(tree), compiled) == columns(plain.read_document(root), plain)


@settings(max_examples=300, deadline=None)
@given(elements(TAGS, ATTRIBUTES), st.one_of(st.sampled_from([load_profile("generic"), RULES, SAYS]), profiles()))
@example(
    '<a><a m:l="ü"></a><a><a><b><b>word</b>word</b></a></a></a>', SAYS
)  # a value after an attribute that is a unit
def test_both_readers_see_the_same(element: str, profile: Profile) -> None:
    same_in_both(element, profile)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_both_readers_see_the_same_under_every_preset(data: st.DataObject) -> None:
    preset = data.draw(st.sampled_from(PRESETS))
    tags = [*PRESET_TAGS.get(preset, []), "p", "sub", "b", "table"]
    same_in_both(data.draw(elements(tags, PRESET_ATTRIBUTES)), load_profile(preset))


@pytest.mark.parametrize(
    "body",
    [
        "<b xmlns='urn:b' m:l='x' xmlns:m='urn:m'>text</b>",  # names that mean something else below
        "<row k='&e;'>text</row> &gone;",  # a reference in an attribute that is asked for
        "".join(f"<t{n}>x</t{n}>" for n in range(1100)),  # more tags than the table has room for
    ],
)
def test_what_the_markup_does_not_say_is_left_to_the_tree(body: str) -> None:
    document = f"<!DOCTYPE a [<!ENTITY e 'in'>]><a><p>{body}</p><row k='1'>x</row></a>"
    root = parse(document.encode(), "x.xml")
    plain, compiled = DocumentReader(SAYS), MarkupReader(SAYS)
    with pytest.raises(AmbiguousMarkup):
        compiled.read_markup(LazyTree.of(root))
    assert columns(compiled.read_document(root), compiled) == columns(plain.read_document(root), plain)


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_documents_are_read_from_their_markup_under_every_preset(preset: str) -> None:
    body = "<p a='x'>one &nbsp; <b xmlns='urn:b'>two</b><![CDATA[<three>]]><m:i rend='x' xmlns:m='urn:m'/></p>"
    root = parse(f"<!DOCTYPE a [<!ENTITY e 'in'>]><a><!-- no --><?no no?>{body}&e;</a>".encode("utf-16"), "x.xml")
    reader = MarkupReader(load_profile(preset))
    assert document_text(reader.read_markup(LazyTree.of(root)).annotated) == "one  two<three>in"


def test_every_character_says_of_itself_whether_a_text_with_it_holds_a_word() -> None:
    table = CharacterBits(SOLID | WORD).table_for(np.arange(0x110000, dtype=np.uint32))
    rng = random.Random(3)
    alone = [code for code in range(0x3200) if not 0xD800 <= code < 0xE000]
    assert [code for code in alone if bool(table[code] & WORD) != has_word(chr(code))] == []
    assert [code for code in alone if bool(table[code] & SOLID) == chr(code).isspace()] == []
    others = [chr(code) for code in range(0xD800) if not table[code] & WORD]
    for _ in range(3000):
        assert not has_word("".join(rng.choices(others, k=8)))
    assert not any(category(chr(code))[0] in "LN" for code in range(table.size, 0x110000))


@pytest.mark.parametrize("every", [SOLID, SOLID | WORD])
def test_characters_are_looked_at_in_blocks_when_a_document_has_one_of_them(every: int) -> None:
    whole = CharacterBits(every).table_for(np.arange(0x110000, dtype=np.uint32))
    some = CharacterBits(every)
    for code in (0x42, 0x3041, 0x2003, 0x1D400, 0x10FFFF):
        block = slice(code >> 8 << 8, (code >> 8) + 1 << 8)
        assert some.table_for(np.array([0x61, code], np.uint32))[block].tolist() == whole[block].tolist()
    assert not some.table_for(np.zeros(0, np.uint32))[0x4E00] and whole[0x4E00]


def test_references_to_characters_are_read_in_both_notations() -> None:
    from trix.core.markup import NAMES, scan_markup

    data = np.frombuffer(b"<a>&#13;&#x1F60a;&#xD;&amp;</a>", np.uint8)
    tags, places = np.zeros(data.size, np.int32), np.zeros(data.size, np.int32)
    codes = np.zeros(data.size, np.uint32)
    names, heads = np.zeros((NAMES, 2), np.int32), np.zeros(data.size, np.int32)
    assert scan_markup(data, False, tags, heads, places, codes, names) == (2, 1, 1, True)
    assert codes[:4].tolist() == [13, 0x1F60A, 13, 38] and tags[:2].tolist() == [0, -1] and places[1] == 4


def test_a_document_larger_than_the_room_kept_gets_more() -> None:
    root = parse(b"<a>" + b"<p>word</p><q/>" * 20_000 + b"</a>", "x.xml")
    reader = MarkupReader(RULES)
    record = reader.read_document(root)
    assert len(record.content) == 20_000 and record.length == 80_000
    assert list(record.position[1:3]) == [1, 3] and list(record.same[1:3]) == [1, 2]


def test_attributes_more_than_the_room_kept_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    links = {"target": "//x[contains(@k, '7')]/@l", "id": "//row/@k"}
    profile = replace(SAYS, links=links)
    compiled, plain = MarkupReader(profile, links=True), DocumentReader(profile, links=True)
    many = "".join(f"<x k='{n}' l='to {n}'>a</x><row k='{n}' m:l='{n}'>b</row>" for n in range(3000))
    for most in (50_000, 2, 2):  # all that is known is forgotten, and known again
        monkeypatch.setattr("trix.indexer.markup.names._MOST_CLASSES", most)
        for body in (many, many[:2000].rpartition("<x")[0], "<x>a</x>"):
            root = parse(f"<a xmlns:m='urn:m'>{body}</a>".encode(), "x.xml")
            assert columns(compiled.read_markup(LazyTree.of(root)), compiled) == columns(
                plain.read_document(root), plain
            )


def test_elements_of_more_classes_than_tags_have_room_are_read_in_their_parents() -> None:
    rules = {"inline": ["row[@k='1999']/x[@l]", "b/x", "a/row/b"], "drop": ["row[@k='7']/x[@l='2']", "x/b"]}
    profile = Profile.from_dict({"name": "many", **rules})
    compiled, plain = MarkupReader(profile), DocumentReader(profile)
    many = "".join(f"<row k='{n}'>a<x l='{n % 3}'>b<b>c</b>d</x>&e;<b>e<x>f</x></b></row>" for n in range(3000))
    for _ in range(2):
        root = parse(f"<a>{many}</a>".encode(), "x.xml")
        assert columns(compiled.read_markup(LazyTree.of(root)), compiled) == columns(plain.read_document(root), plain)
