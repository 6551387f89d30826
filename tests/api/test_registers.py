"""Registers: keys, names and counts against the tree, mentions in their places, any history, several indexes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lxml import etree

import trix
from trix.api.registers import Mention
from trix.errors import ProfileError, UsageError
from trix.indexer.profile.profile import load_profile, profile_of

PROFILE = profile_of(
    {
        "inline": ["persName", "name"],
        "unit": ["author"],
        "container": ["quote"],
        "drop": ["gone"],
        "attributes": ["geo/@key"],
        "registers": {
            "persons": ["persName/@ref", "persName/@key", "author/@ref", "name[@type='person']/@key"],
            "places": ["name[@type='place']/@key", "geo/@key"],
        },
    },
    "test",
    "people",
)
PATHS = {
    "persons": [
        ("persName", "ref", None),
        ("persName", "key", None),
        ("author", "ref", None),
        ("name", "key", "person"),
    ],
    "places": [("name", "key", "place"), ("geo", "key", None)],
}
KEYS = ["#livy", "#livy #ovid", " #ovid", "p:1 p:2", "Smith,  John", " ", "http://x.org/a"]
WORDS = ["Livy", "Ovid", "the  poet", "A. B.", ""]


def random_document(random: Random) -> bytes:
    """Return sections with names in text, names as parts, names in names, and some that are dropped."""

    def name(depth: int) -> str:
        tag = random.choice(["persName", "name", "author", "geo", "i"])
        attributes = "".join(
            f' {each}="{random.choice(values)}"'
            for each, values in (("ref", KEYS), ("key", KEYS), ("type", ["person", "place", "ship"]))
            if random.random() < 0.6
        )
        inner = name(depth + 1) if depth < 3 and random.random() < 0.3 else ""
        return f"<{tag}{attributes}>{random.choice(WORDS)}{inner}</{tag}>"

    def part(depth: int) -> str:
        tag = random.choice(["div", "p", "quote", "gone"]) if depth < 3 else "p"
        pieces = (random.choice([name(1), " went to ", part(depth + 1) if depth < 3 else "on"]) for _ in range(3))
        return f"<{tag}>{''.join(pieces)}</{tag}>"

    return f"<text>{name(1)}{''.join(part(1) for _ in range(4))}</text>".encode()


DOCUMENTS = {f"d{number:02}": random_document(Random(number)) for number in range(16)}


def split(value: str) -> list[str]:
    """Return the keys in a value of `KEYS`."""
    return [value] if "Smith" in value else value.split()


def shown(element: Any) -> str:
    """Return the text of an element, with a blank at the borders of tags that separate words."""
    pieces = [element.text or ""]
    for child in element:
        border = "" if child.tag in ("persName", "name") else " "
        pieces += [border, shown(child), border, child.tail or ""]
    return "".join(pieces)


def expected(names: list[str], register: str) -> dict[str, tuple[str, int, int]]:
    """Return name, mentions and documents of each key, by walking the trees."""
    texts: dict[str, list[str]] = {}
    documents: dict[str, set[str]] = {}
    for doc in names:
        for element in etree.fromstring(DOCUMENTS[doc]).iter():
            text = " ".join(shown(element).split())
            if not text or any(each.tag == "gone" for each in element.iterancestors()):
                continue
            keys: set[str] = set()
            for tag, attribute, kind in PATHS[register]:
                if element.tag == tag and kind in (None, element.get("type")):
                    keys.update(" ".join(key.split()) for key in split(element.get(attribute, "")))
            for key in keys:
                texts.setdefault(key, []).append(text)
                documents.setdefault(key, set()).add(doc)
    found = {}
    for key, each in texts.items():
        name, _ = min(Counter(each).items(), key=lambda pair: (-pair[1], pair[0]))
        found[key] = (name, len(each), len(documents[key]))
    return found


def told(index: trix.Index, register: str) -> dict[str, tuple[str, int, int]]:
    """Return the same from an index."""
    entries = index.register(register)
    found = {entry.key: (entry.name, entry.mentions, entry.documents) for entry in entries}
    assert len(found) == len(entries)
    return found


def write(path: Path, names: list[str], *, merge: bool = True) -> Path:
    """Write an index of some documents."""
    with trix.write(path, profile=PROFILE, merge=merge) as writer:
        for each in names:
            writer.add_document(DOCUMENTS[each], each)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an index of all documents, and two of halves."""
    base = tmp_path_factory.mktemp("registers")
    write(base / "all", [*DOCUMENTS])
    write(base / "one", [*DOCUMENTS][:7])
    write(base / "two", [*DOCUMENTS][7:])
    return base


def test_entries_are_those_of_the_trees(folder: Path) -> None:
    with trix.open(folder / "all") as index:
        assert [*index.registers()] == ["persons", "places"]
        for name in PATHS:
            assert told(index, name) == expected([*DOCUMENTS], name)
            assert len(index.register(name)) > 2
    assert not trix.check(folder / "all")


def test_several_indexes_are_one(folder: Path) -> None:
    with trix.open([folder / "one", folder / "two"]) as both:
        for name in PATHS:
            assert told(both, name) == expected([*DOCUMENTS], name)


def test_any_history_gives_the_same(folder: Path, tmp_path: Path) -> None:
    gone = ["d02", "d09"]
    left = [each for each in DOCUMENTS if each not in gone]
    write(tmp_path / "grown", [*DOCUMENTS][:11], merge=False)
    with trix.write(tmp_path / "grown", merge=False) as writer:
        for each in [*DOCUMENTS][11:]:
            writer.add_document(DOCUMENTS[each], each)
        writer.delete(gone)
    write(tmp_path / "fresh", left)
    with trix.open(tmp_path / "grown") as grown, trix.open(tmp_path / "fresh") as fresh:
        for name in PATHS:
            assert told(grown, name) == told(fresh, name) == expected(left, name)
            for entry in fresh.register(name):
                assert grown.register(name).mentions(entry.key) == fresh.register(name).mentions(entry.key)
    with trix.write(tmp_path / "grown") as writer:
        writer.compact()
    segments = [next((tmp_path / name).glob("*.segment")).read_bytes() for name in ("grown", "fresh")]
    assert segments[0] == segments[1]


def test_mentions_are_where_their_elements_are(folder: Path) -> None:
    with trix.open(folder / "all") as index:
        texts = {name: index.show(name, raw=True) for name in DOCUMENTS}
        for name in PATHS:
            register = index.register(name)
            for entry in register:
                mentions = register.mentions(entry.key)
                assert len(mentions) == entry.mentions
                assert len({each.doc for each in mentions}) == entry.documents
                assert len({(each.doc, each.path, each.offset, each.length, each.text) for each in mentions}) > 0
                for each in mentions:
                    text = texts[each.doc][each.offset : each.offset + each.length]
                    assert " ".join(text.split()).replace(" ", "") == each.text.replace(" ", "") != ""
                assert register.mentions(entry.key, 2, 2) == mentions[1:3]


def test_both_readers_keep_the_same(folder: Path, tmp_path: Path) -> None:
    from trix.indexer.document.parse import parse
    from trix.indexer.document.reader import DocumentReader
    from trix.indexer.markup.reader import MarkupReader

    slow, quick = DocumentReader(PROFILE), MarkupReader(PROFILE)
    for document in DOCUMENTS.values():
        assert (
            slow.read_document(parse(document, "x")).attributes == quick.read_document(parse(document, "x")).attributes
        )


def test_entries_can_be_sorted_and_filtered(folder: Path) -> None:
    with trix.open(folder / "all") as index:
        mentions = [entry.mentions for entry in index.register("persons", sort="mentions")]
        assert mentions == sorted(mentions, reverse=True)
        assert {entry.key for entry in index.register("persons", match="SMI jo")} == {"Smith, John"}
        assert not index.register("persons", match="mith")
        assert repr(index.register("places")).startswith("<Register places, ")
        assert "<table" in index.register("persons")._repr_html_()
        with pytest.raises(UsageError, match="did you mean persons"):
            index.register("person")
        with pytest.raises(UsageError, match="no such key"):
            index.register("persons").mentions("#nobody")
        with pytest.raises(UsageError, match="expected name or mentions"):
            index.register("persons", sort="key")


def test_an_index_without_registers_says_how_to_get_them(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a><p>tree</p></a>")
    trix.build(tmp_path / "a.xml", tmp_path / "index", profile="generic", jobs=1)
    with trix.open(tmp_path / "index") as index:
        assert not index.registers()
        with pytest.raises(UsageError, match=r"its profile generic names none; add \[registers\] to a profile"):
            index.register("persons")


def test_a_source_that_is_gone_leaves_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text('<a><p>of <persName ref="#x">Xenia</persName> again</p></a>')
    trix.build(tmp_path / "a.xml", tmp_path / "index", profile=PROFILE, jobs=1)
    (tmp_path / "a.xml").unlink()
    with trix.open(tmp_path / "index") as index:
        assert index.register("persons").mentions("#x") == [
            Mention("a", "", "1.1", "/a[1]/p[1]", -1, 0, "", "Xenia", "")
        ]
        assert index.notices


def test_presets_name_registers_and_a_profile_can_take_one_away() -> None:
    assert [*load_profile("tei").registers] == ["persons", "places", "organisations", "works"]
    assert [*profile_of({"extends": "tei", "registers": {"places": []}}, "x").registers] == [
        "persons",
        "organisations",
        "works",
    ]
    for bad in ({"persons": "persName"}, {"persons": ["a/b/@ref"]}, {"A b": "a/@b"}, {"persons": 3}, "x"):
        with pytest.raises(ProfileError, match="registers"):
            profile_of({"registers": bad}, "x")
