"""Fields of elements: what they say, against a literal reading of the tree; filters and facets in every strategy."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import trix
from tests.conftest import Cli
from trix.errors import ProfileError, TrixError
from trix.indexer.document.reader import DocumentReader
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.profile.profile import Profile, profile_of

RULES: dict[str, Any] = {
    "name": "plays",
    "inline": ["i"],
    "unwrap": ["w"],
    "drop": ["x"],
    "container": ["p"],
    "fields": {"year": {"path": "/*/@year", "type": "integer"}},
    "element_fields": {
        "speaker": {"path": ["sp/speaker", "sp/@who"], "many": True},
        "act": {"path": "div[@type='act']/@n", "type": "integer"},
        "hand": "@hand",
        "kind": "body/div/@type",
    },
}
PROFILE = profile_of(RULES, "test", "plays")
WORDS = ["tree", "leaf", "root", "bark", "moss"]


def random_document(random: Random) -> bytes:
    """Return a play: acts, speeches, notes and style, in any nesting."""

    def attributes(tag: str) -> str:
        found = f' hand="{random.choice("ABC")}"' if random.random() < 0.15 else ""
        found += f' xml:lang="{random.choice(["en", "fr", "la-x"])}"' if random.random() < 0.1 else ""
        if tag == "div":
            found += f' type="{random.choice(["act", "scene"])}"' if random.random() < 0.7 else ""
            found += f' n="{random.randint(1, 30)}"' if random.random() < 0.7 else ""
        if tag == "sp" and random.random() < 0.5:
            found += f' who="#{random.choice("hop")}"'
        return found

    def words() -> str:
        return " ".join(random.choices(WORDS, k=random.randint(0, 4)))

    def element(tag: str, depth: int) -> str:
        inner = ""
        if tag in ("div", "sp", "w", "body") and depth < 6:
            for _ in range(random.randint(1, 4)):
                child = random.choice(["div", "div", "sp", "sp", "speaker", "l", "p", "w", "x"])
                inner += element(child, depth + 1)
        elif tag == "speaker":
            inner = f"{random.choice(['HAM', 'Ham <i>let</i>', 'OPH', ''])}<x>note</x>"
        else:
            inner = f"{words()} <i>{words()}</i><note{attributes('note')}>{words()}</note> {words()}"
        return f"<{tag}{attributes(tag)}>{inner}</{tag}>"

    body = "".join(element("body", 1) for _ in range(random.randint(1, 2)))
    return f'<play year="{random.randint(1590, 1615)}">{body}</play>'.encode()


def literal(root: Any, element: Any, name: str, profile: Profile) -> list[str]:
    """Return what an element says in a field: that of the nearest element, at it or above it, that says something."""
    number = [*profile.element_fields].index(name)
    rule = profile.element_fields[name]
    while element is not None:
        for way in (each for each in profile.ways if each.field == number):
            if way.attribute is not None:
                fits = way.selector.fits(element, root)
                texts = [element.get(way.attribute)] if fits and way.attribute in element.attrib else []
            else:
                children = [child for child in element if way.selector.fits(child, root)]
                texts = ["".join(text for text in child.xpath(".//text()[not(ancestor::x)]")) for child in children]
            values = [value for text in texts if (value := rule.canonical(text)) is not None]
            if values:
                return list(dict.fromkeys(values)) if rule.many else values[:1]
        element = None if element is root else element.getparent()
    return []


@given(st.integers(0, 10**9))
@settings(max_examples=60, deadline=None)
def test_both_readers_say_what_the_tree_says(seed: int) -> None:
    root = etree.fromstring(random_document(Random(seed)))
    elements = [each for each in root.iter() if isinstance(each.tag, str)]
    for make in (DocumentReader, MarkupReader):
        reader = make(PROFILE)
        record = reader.read_document(root)
        rows = reader.places(root, elements)
        for name, said in record.element_fields.items():
            assert said.places[0] == 0 and (np.diff(said.places) > 0).all()
            for element, row in zip(elements, rows, strict=True):
                if row >= 0:
                    run = int(np.searchsorted(said.places, row, side="right")) - 1
                    assert list(said.values[run]) == literal(root, element, name, PROFILE), (name, element.tag)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with documents and an index of them."""
    base = tmp_path_factory.mktemp("elements")
    (base / "c").mkdir()
    for number in range(24):
        (base / "c" / f"d{number:02}.xml").write_bytes(random_document(Random(number)))
    trix.build(base / "c", base / "index", profile=PROFILE, jobs=1)
    return base


FILTERS: list[tuple[str, Callable[[dict[str, Any]], bool]]] = [
    ("speaker = ham", lambda said: "HAM" in said["speaker"]),
    ("speaker != ham", lambda said: "HAM" not in said["speaker"]),
    ("not speaker exists and act = 3..12", lambda said: not said["speaker"] and 3 <= said.get("act", 0) <= 12),
    ("hand in (A, B) or lang = fr", lambda said: said["hand"] in ("A", "B") or said["lang"] == "fr"),
    ("year >= 1600 and not hand = A", lambda said: said["year"] >= 1600 and said["hand"] != "A"),
    ("speaker ~ let or kind = act", lambda said: "Ham let" in said["speaker"] or said["kind"] == "act"),
    ("year < 1602", lambda said: said["year"] < 1602),
]

ASKED: list[tuple[str, dict[str, Any]]] = [
    ("tree leaf", {"preset": "study"}),
    ("tree leaf moss", {"preset": "reading", "top": 7}),
    ("tree bark", {"preset": "study", "strategy": "thorough", "overlap": "full", "top": 30}),
    ("tree root", {"preset": "study", "strategy": "fetch-browse", "top": 40}),
    ("+tree leaf", {"preset": "study", "strategy": "best-in-context"}),
    ("tree moss", {"preset": "study", "sort": "act,-score", "top": 25}),
    ("tree", {"preset": "study", "match": "all", "context": "none", "top": 5}),
    ("//sp[about(., tree)]", {"preset": "study", "top": 12}),
    ("//div//p", {"preset": "study", "strategy": "thorough", "overlap": "full", "top": 9}),
]


def said_of(index: trix.Index, result: Any) -> dict[str, Any]:
    """Return what is said of a result, by fields of which none is missing."""
    fields = {"hand": "", "lang": "", "kind": "", "speaker": [], **result.fields}
    return fields | {"lang": index.files.language_of(result.element)}


@pytest.mark.parametrize(("query", "options"), ASKED)
def test_a_filter_takes_results_away_in_every_strategy(folder: Path, query: str, options: dict[str, Any]) -> None:
    with trix.open(folder / "index") as index:
        strategies, seen = index.now.strategies, 0
        for text, holds in FILTERS:
            found = index.search(query, where=text, **options)
            assert all(holds(said_of(index, each)) for each in found)
            strategies.scores_all = True
            try:
                slow = index.search(query, where=text, **options)
                counted = index.search(query, where=text, facet=["year", "speaker", "act"], **options)
            finally:
                strategies.scores_all = False
            pairs = [[(each.element, each.score) for each in results] for results in (found, slow, counted)]
            assert pairs[0] == pairs[1] == pairs[2]
            assert found.matched == slow.matched
            if options.get("overlap") == "full":  # nothing but the filter decides
                whole = {**options, "top": 100_000}
                wanted = {each.element for each in index.search(query, **whole) if holds(said_of(index, each))}
                assert {each.element for each in index.search(query, where=text, **whole)} == wanted
                seen += len(wanted)
        assert seen or options.get("overlap") != "full"


def test_a_facet_counts_the_matching_elements(folder: Path) -> None:
    with trix.open(folder / "index") as index:
        options: dict[str, Any] = {"preset": "study", "strategy": "thorough", "overlap": "full", "context": "none"}
        every = list(index.search("tree", top=100_000, **options))
        found = index.search("tree", facet=["speaker", "act", "lang", "year"], top=3, where="hand = A", **options)
        of_a = [each for each in every if said_of(index, each)["hand"] == "A"]
        speakers = Counter(name for each in of_a for name in said_of(index, each)["speaker"])
        documents = {
            name: len({each.document for each in of_a if name in said_of(index, each)["speaker"]}) for name in speakers
        }
        assert {each.value: (each.documents, each.elements) for each in found.facets["speaker"]} == {
            name: (documents[name], count) for name, count in speakers.items()
        }
        assert [each.elements for each in found.facets["speaker"]] == sorted(speakers.values(), reverse=True)
        ranges = {each.value: (each.documents, each.elements) for each in found.facets["act"].ranges()}
        assert ranges
        for text, (_, elements) in ranges.items():
            low, _, high = text.partition("..")
            inside = [
                each for each in of_a if "act" in each.fields and int(low) <= each.fields["act"] <= int(high or low)
            ]
            assert len(inside) == elements
            assert len({each.document for each in inside}) == ranges[text][0]
        assert sum(each.elements for each in found.facets["year"]) == len(of_a)
        own = index.search("tree", facet=["hand"], where="hand = A", top=1, **options)
        assert {each.value for each in own.facets["hand"]} == {"A", "B", "C"}
        assert not index.search("absent", facet=["speaker", "year"]).facets["speaker"][:3]
        kept = pickle.loads(pickle.dumps(found.facets["speaker"]))
        assert kept == found.facets["speaker"] and kept.of_elements
        assert index.search("tree", facet=["speaker"]).plan.strategy.value == "all candidates"
        assert index.search("tree", where="speaker = ham").plan.strategy.value == "pruned top-k"


def test_any_history_gives_the_same(tmp_path: Path) -> None:
    documents = {f"d{number:02}": random_document(Random(number)) for number in range(16)}
    gone = ["d03", "d04", "d12"]
    for ids in ([f"d{number:02}" for number in range(9)], [f"d{number:02}" for number in range(9, 16)]):
        with trix.write(tmp_path / "grown", profile=PROFILE, merge=False) as writer:
            for each in ids:
                writer.add_document(documents[each], each)
            writer.delete(gone, ignore_missing=True)
    with trix.write(tmp_path / "fresh", profile=PROFILE) as writer:
        for each in sorted({*documents} - {*gone}):
            writer.add_document(documents[each], each)

    def said(path: Path) -> dict[str, Any]:
        with trix.open(path) as index:
            columns = {name: index.fields.of_element(name) for name in index.fields.of_elements}
            return {
                name: (column.values, column.firsts.tolist(), column.counts.tolist(), column.codes.tolist())
                for name, column in columns.items()
            }

    assert said(tmp_path / "grown") == said(tmp_path / "fresh")
    with trix.write(tmp_path / "grown") as writer:
        writer.compact()
    assert said(tmp_path / "grown") == said(tmp_path / "fresh")
    assert not trix.check(tmp_path / "grown")
    segments = [next((tmp_path / name).glob("*.segment")).read_bytes() for name in ("grown", "fresh")]
    assert segments[0] == segments[1]


def test_the_command_line_takes_them(folder: Path, run_cli: Cli) -> None:
    lines = run_cli("info", folder / "index", "--fields")[1].splitlines()
    assert (
        next(line for line in lines if line.startswith("speaker ")).split("  ")[1].strip()
        == "string, many, of elements"
    )
    options = ("--where", "speaker = ham", "--facet", "act,speaker", "--sort", "act", "--format", "table", "-n", 2)
    out = run_cli("search", folder / "index", "tree", *options)[1]
    assert "speaker HAM" in out and "speaker  documents, elements" in out
    code, _, err = run_cli("delete", folder / "index", "--where", "speaker = ham", "--dry-run")
    assert code and "there is no field speaker" in err and err.count("\n") == 1


def test_what_is_wrong_is_said_in_a_line(folder: Path) -> None:
    for table, reason in [
        ({"a": "sp//who"}, "'sp//who': expected tag"),
        ({"a": "sp/@*"}, "expected an attribute's name"),
        ({"a": "q:sp/@who"}, "the prefix 'q' is not declared"),
        ({"year": "@year"}, "documents have a field of this name"),
        ({"A": "@a"}, "element_fields.A: expected a name of small letters"),
        ({"a": {"path": "@a", "kind": "date"}}, "unknown key 'kind'"),
    ]:
        with pytest.raises(ProfileError) as raised:
            profile_of({**RULES, "element_fields": table}, "my.toml", "my")
        assert reason in str(raised.value) and str(raised.value).startswith("my.toml: element_fields.")
    heir = profile_of({"extends": "tei", "fields": {"speaker": "/*/@who"}}, "heir.toml", "heir")
    assert "speaker" in heir.fields and "speaker" not in heir.element_fields and "hand" in heir.element_fields
    with trix.open(folder / "index") as index:
        with pytest.raises(TrixError, match=r"there is no field speakr .did you mean speaker"):
            index.search("tree", where="speakr = ham")
        found = index.search("tree", where="speaker = hamm")
        assert "where: no element has speaker = hamm (did you mean HAM?)" in found.notices
