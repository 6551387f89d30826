"""Pages, verses and lines: found as a walk over the document finds them, kept over changes, shown, cited, addressed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lxml import etree

import trix
from tests.each import for_each
from trix.errors import ProfileError, QueryError, UsageError
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import document_text
from trix.indexer.document.text_nodes import text_nodes
from trix.indexer.document.tree import LazyTree
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.places.find import MilestoneReader
from trix.indexer.places.spans import DocumentPlaces
from trix.indexer.profile.milestones import chain_of
from trix.indexer.profile.profile import Profile, load_profile

RANDOM = {
    "drop": ["note"],
    "blank": ["math"],
    "inline": ["b"],
    "milestones": {
        "page": ["pb/@n", "mark[@unit='page']/@n"],
        "book": "k/@n",
        "chapter": {"at": "c/@n", "within": "book"},
        "verse": {"at": "v/@n", "within": "chapter", "end": ["ve"]},
        "line": {"at": ["l/@n", "b/lb/@n"], "end": ["l", "div"]},
    },
}


def drawn(random: Random, depth: int = 0) -> str:
    """Return a random element with milestones."""
    pieces = []
    for _ in range(random.randint(1, 5)):
        n = f' n="{random.randint(1, 9)}"' if random.random() < 0.8 else ""
        text = random.choice(["", " ", "one", " two ", "three", "\n"])
        name = random.choice(
            ["p", "div", "l", "note", "math", "b", *(["pb", "k", "c", "v", "v", "ve", "lb", "mark"] * 2)]
        )
        if name in ("p", "div", "l", "note", "math", "b") and depth < 4:
            pieces.append(f"<{name}{n}>{text}{drawn(random, depth + 1)}</{name}>")
        elif name not in ("note", "math", "p", "div"):
            unit = random.choice([' unit="page"', ""]) if name == "mark" else ""
            pieces.append(f"<{name}{n}{unit}/>")
        pieces.append(random.choice(["", " ", "word", " x ", "y"]))
    return "".join(pieces)


def walked(root: Any, profile: Profile) -> dict[str, list[tuple[str, ...] | None]]:
    """Return for each name the number at each character of the document's text, by a walk over the tree."""
    rules = profile.milestones
    order = sorted(rules, key=lambda name: len(chain_of(rules, name)))
    now: dict[str, tuple[str, int] | None] = dict.fromkeys(rules)
    of_slot: dict[tuple[Any, str], dict[str, tuple[str, ...] | None]] = {}
    clock = 0

    def replace(name: str, number: str) -> None:
        now[name] = (number, clock) if number else None
        for inner in rules:
            if inner != name and name in chain_of(rules, inner):
                now[inner] = None

    def note(node: Any, slot: str) -> None:
        said: dict[str, tuple[str, ...] | None] = {}
        for name in rules:
            held = [now[each] for each in chain_of(rules, name)]
            said[name] = None if held[-1] is None else tuple(each[0] for each in held if each is not None)
        of_slot[node, slot] = said

    def walk(node: Any) -> None:
        nonlocal clock
        clock += 1
        begun = clock
        for name in order:
            number, ends = rules[name].number(node, root), rules[name].ends(node, root)
            if number or ((ends or number is not None) and now[name] is not None):
                replace(name, number or "")
        note(node, "text")
        for child in node:
            walk(child)
            note(child, "tail")
        for name in order:
            held = now[name]
            if rules[name].ends(node, root) and held is not None and held[1] >= begun:
                replace(name, "")

    walk(root)
    found: dict[str, list[tuple[str, ...] | None]] = {name: [] for name in rules}
    for part in text_nodes(root, profile):
        for name in rules:
            found[name] += [of_slot[part.element, part.slot][name]] * (part.end - part.begin)
    return found


def compare(
    places: DocumentPlaces, text: str, by_walk: dict[str, list[tuple[str, ...] | None]], random: Random
) -> None:
    for name, numbers in by_walk.items():
        spans = places.spans(name)
        solid = [number for number, character in zip(numbers, text, strict=True) if not character.isspace()]
        of_spans: list[tuple[str, ...] | None] = [None] * len(text)
        for begin, end, number in zip(spans.begin.tolist(), spans.end.tolist(), spans.numbers, strict=True):
            for at in range(begin, min(end, len(text))):
                of_spans[at] = number
        kept = [number for number, character in zip(of_spans, text, strict=True) if not character.isspace()]
        assert kept == solid, name
        for _ in range(4):
            begin, end = sorted(random.sample(range(len(text) + 1), 2)) if text else (0, 0)
            inside = [n for n, c in zip(numbers[begin:end], text[begin:end], strict=True) if n and not c.isspace()]
            if not text[begin:end].strip():
                continue
            both = spans.overlapping(begin, end)
            assert (both and tuple(spans.numbers[at] for at in both)) == ((inside[0], inside[-1]) if inside else None)


def test_both_readers_find_the_places_that_a_walk_over_the_document_finds() -> None:
    profile = Profile.from_dict(RANDOM)
    readers = DocumentReader(profile), MarkupReader(profile)
    finder = MilestoneReader(profile)
    for seed in range(60):
        random = Random(seed)
        root = etree.fromstring(f"<a>{drawn(random)}</a>")
        by_walk = walked(root, profile)
        for reader in readers:
            record = reader.read_document(root)
            rows = finder.read(LazyTree.of(root), reader, record.text)
            compare(DocumentPlaces(profile.milestones, rows), document_text(record.annotated), by_walk, random)


BIBLE = """<usfx><book id="GEN"><h>Genesis</h><c id="1"/><p><v id="1"/>In the beginning.<ve/> <v id="2"/>The
earth.<ve/></p><s>A heading</s><c id="2"/><p><v id="1-2"/>Thus the heavens <f>note</f> were finished.<ve/></p></book>
<book id="JHN"><h>John</h><c id="3"/><p><v id="16"/>For God so loved the world.<ve/></p></book></usfx>"""
OSIS = """<osis xmlns="http://www.bibletechnologies.net/2003/OSIS/namespace"><osisText><div type="book" osisID="John">
<chapter osisID="John.3"><verse osisID="John.3.15">Everyone.</verse>
<verse osisID="John.3.16 John.3.17">God so loved.</verse></chapter></div><div type="book" osisID="1John">
<chapter sID="a" osisID="1John.1"/><p><verse sID="b" osisID="1John.1.1"/>The word of life.<verse eID="b"/> Amen.</p>
</div></osisText></osis>"""
TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Poems</title>
<author>Oak, Ann</author></titleStmt><sourceDesc><bibl><date when="1850"/></bibl></sourceDesc></fileDesc></teiHeader>
<text><body><pb n="213"/><div><head>Trees</head><lg><l n="4">An oak stands here,</l><l>a linden there,</l><pb n="214"/>
<l n="6">an ash.</l></lg></div><div><p>Prose of bees.</p><pb/><p>No page of wasps.</p></div></body></text></TEI>"""
STONE = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div type="edition"><div type="textpart" n="a"><ab>
<lb n="1"/>Dis <lb n="2"/>manibus</ab></div><div type="textpart" n="b"><ab><lb n="1"/>vixit</ab></div></div>
<div type="translation"><p>To the gods.</p></div></body></text></TEI>"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], trix.Index]:
    folder = tmp_path_factory.mktemp("places")
    opened: dict[str, trix.Index] = {}

    def of(preset: str) -> trix.Index:
        if preset not in opened:
            xml = {"usfx": BIBLE, "osis": OSIS, "tei": TEI, "epidoc": STONE}[preset]
            (folder / preset).mkdir()
            (folder / preset / "d.xml").write_text(xml, "utf-8")
            trix.build(folder / preset, folder / f"{preset}.index", profile=preset, jobs=1)
            opened[preset] = trix.open(folder / f"{preset}.index")
        return opened[preset]

    return of


WHERE = [
    ("usfx", "beginning", {"verse": "Genesis 1:1–2"}),
    ("usfx", "heading", {"chapter": "Genesis 1"}),
    ("usfx", "heavens", {"verse": "Genesis 2:1-2"}),
    ("usfx", "loved", {"verse": "John 3:16"}),
    ("osis", "loved", {"verse": "John 3:16–17"}),
    ("osis", "life", {"verse": "1 John 1:1"}),
    ("tei", "stands", {"page": "p. 213", "line": "l. 4"}),
    ("tei", "linden", {"page": "p. 213"}),
    ("tei", "bees", {"page": "p. 214"}),
    ("tei", "wasps", {}),
    ("epidoc", "manibus", {"line": "part a, ll. 1–2"}),
    ("epidoc", "vixit", {"line": "part b, l. 1"}),
    ("epidoc", "gods", {}),
]


@for_each("case", WHERE)
def test_results_say_where_they_stand(case: tuple[str, str, dict[str, str]], built: Any) -> None:
    preset, word, places = case
    result = built(preset).search(word, level="content")[0]
    assert result.places == places
    assert result.to_dict().get("places", {}) == places


def test_a_place_is_shown_and_cited_by_its_number(built: Any) -> None:
    assert built("usfx").show("d#1#verse=2:1") == "Thus the heavens note were finished."
    assert built("osis").show("d#verse=John 3.16") == "God so loved."
    assert built("usfx").show("d#1#verse=Genesis 1:1..2:1").split()[0] == "In"
    assert " ".join(built("usfx").show("d#1#verse=Genesis 1:1..2").split()) == "In the beginning. The earth."
    tei = built("tei")
    assert tei.show("d#line=4") == "An oak stands here,"
    shown = " ".join(tei.show("d#page=213..214").split())
    assert shown == "Trees An oak stands here, a linden there, an ash. Prose of bees."
    assert tei.show("d#page=214", xml=True).startswith("<body")  # the smallest element that holds it
    assert tei.prose("d#line=6") == "an ash."
    assert tei.unit("d#line=6").places == {"page": "p. 214", "line": "l. 6"}
    cited = tei.cite("d#page=213")
    assert cited.text.startswith("Oak, Ann (1850). Poems. p. 213, ll. 4: “") or "p. 213" in cited.text
    assert cited.address == "d#page=213"
    assert (cited.csl()["page"], cited.pages) == ("213", ("213", "213"))
    whole = tei.cite("d/TEI[1]/text[1]/body[1]/div[1]")
    assert whole.text == (
        "Oak, Ann (1850). Poems. Trees, pp. 213–214, ll. 4–6: “Trees An oak stands here, a linden there, an ash.” "
        "d/TEI[1]/text[1]/body[1]/div[1]"
    )
    assert whole.csl()["page"] == "213-214" and (whole.csl()["label"], whole.csl()["locator"]) == ("line", "4-6")
    assert "  pages = {213--214},\n" in whole.bibtex()
    assert "SP  - 213\r\nEP  - 214\r\n" in whole.ris()
    verse = built("osis").cite("d#verse=John 3:16").csl()
    assert (verse["label"], verse["locator"]) == ("verse", "John 3:16–17")


NAMED = [
    ("usfx", "John 3:16", "p", "John 3:16"),
    ("usfx", "jhn 3.16", "p", "John 3:16"),
    ("usfx", "Genesis 1:1-2", "p", "Genesis 1:1–2"),
    ("usfx", "Gen. 2:2", "p", "Genesis 2:1-2"),
    ("osis", "John 3:16", "verse", "John 3:16–17"),
    ("osis", "1 John 1:1", "p", "1 John 1:1"),
    ("osis", "1John 1", "p", "1 John 1:1"),
]


@for_each("case", NAMED)
def test_a_reference_finds_the_smallest_element_that_holds_it(case: tuple[str, str, str, str], built: Any) -> None:
    preset, query, tag, verse = case
    first = built(preset).search(query, preset="reading")[0]
    assert (first.known, first.tag, first.places["verse"]) == ("place", tag, verse)
    for other in ("Mark 3:16", "John 3:99", "heading 1", "3:16", "loved world 3"):
        assert not [each for each in built(preset).search(other, preset="reading") if each.known == "place"]


WRONG = [
    ("d#page=7", "d: there is no page 7; there are 2, the first 213, the last 214"),
    (
        "d#pag=7",
        "d#pag=7: there are no places called pag (did you mean page?); places are page, folio, column, chapter",
    ),
]


@for_each("case", WRONG)
def test_a_place_that_is_not_there_is_a_line_that_says_what_is(case: tuple[str, str], built: Any) -> None:
    with pytest.raises(UsageError) as error:
        built("tei").show(case[0])
    assert str(error.value).startswith(case[1])


def test_places_are_those_of_a_fresh_build_after_any_changes(tmp_path: Path) -> None:
    """Documents come one by one, one goes, what is left is merged: the segment is that of a build from what is left."""
    texts = {f"{n}": f"<a>{drawn(Random(n))} end</a>" for n in range(6)}
    (tmp_path / "p.toml").write_text(
        'drop = ["note"]\n[milestones]\npage = "pb/@n"\nbook = "k/@n"\nchapter = {at = "c/@n", within = "book"}\n'
    )
    for name, xml in texts.items():
        (tmp_path / f"{name}.xml").write_text(xml)
    files = [str(tmp_path / f"{name}.xml") for name in texts]
    profile = str(tmp_path / "p.toml")
    trix.build(files[:1], tmp_path / "grown", profile=profile, jobs=1)
    for file in files[1:]:
        with trix.write(tmp_path / "grown", merge=False) as writer:
            writer.add(file)
    with trix.write(tmp_path / "grown", merge=False) as writer:
        writer.delete("2")
    with trix.open(tmp_path / "grown") as index:
        before = [index.files.places(number).spans("chapter") for number in range(5)]
    with trix.write(tmp_path / "grown") as writer:
        writer.compact()
    trix.build([file for file in files if not file.endswith("2.xml")], tmp_path / "fresh", profile=profile, jobs=2)
    with trix.open(tmp_path / "grown") as grown, trix.open(tmp_path / "fresh") as fresh:
        assert grown.files.commit.segments[0].name == fresh.files.commit.segments[0].name
        for number in range(5):
            for one, other in zip(fresh.files.places(number).spans("chapter"), before[number], strict=True):
                assert list(one) == list(other)
    assert not list(trix.check(tmp_path / "grown"))


ASKED = [
    ("page = 3", lambda held: any(number[-1] == "3" for number in held["page"])),
    ("page = 3..5", lambda held: any("3" <= number[-1] <= "5" for number in held["page"])),
    ("page = ..<4", lambda held: any(number[-1] < "4" for number in held["page"])),
    ("page > 6", lambda held: any(number[-1] > "6" for number in held["page"])),
    ("page in (1, 9)", lambda held: any(number[-1] in "19" for number in held["page"])),
    ("not page exists", lambda held: not held["page"]),
    ("page != 3", lambda held: not any(number[-1] == "3" for number in held["page"])),
    ("chapter = 2:4..5", lambda held: not {("2", "4"), ("2", "5")}.isdisjoint(held["chapter"])),
    ("chapter = 2:5", lambda held: ("2", "5") in held["chapter"]),
    ("chapter >= 2:5", lambda held: any(len(number) == 2 and number >= ("2", "5") for number in held["chapter"])),
    ("folder = . and (page = 3 or not chapter = 2:5)", lambda held: any(number[-1] == "3" for number in held["page"])
     or ("2", "5") not in held["chapter"]),
    ("folder = x or page = 2", lambda held: any(number[-1] == "2" for number in held["page"])),
]  # fmt: skip


def test_a_filter_lets_through_what_overlaps_a_place_by_a_walk_over_the_document(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for n in range(8):
        (tmp_path / "docs" / f"{n}.xml").write_text(f"<a>{drawn(Random(100 + n))}<p>word</p>{drawn(Random(n))}</a>")
    (tmp_path / "p.toml").write_text(
        'drop = ["note"]\ncontainer = ["a", "div", "l"]\nblank = ["math"]\n'
        '[milestones]\npage = "pb/@n"\nbook = "k/@n"\n'
        'chapter = {at = "c/@n", within = "book"}\n'
    )
    trix.build(tmp_path / "docs", tmp_path / "i", profile=str(tmp_path / "p.toml"), jobs=1)
    with trix.open(tmp_path / "i") as index:
        texts = index.now.viewer.texts
        walks = [walked(texts.document(number).root, index.files.profile) for number in range(len(index))]
        for query in ("word", "word x", "//p"):
            ways: list[dict[str, Any]] = [
                {"strategy": "thorough", "top": 1000},
                {"strategy": "thorough", "match": "all", "top": 1000},
            ]
            for way in ways if query != "//p" else ways[:1]:
                every = list(index.search(query, preset="study", **way))
                assert every
                for where, holds in ASKED:
                    expected = []
                    for each in every:
                        text = texts.document(each.document).text
                        inside = range(each.offset, each.offset + each.length)
                        solid = [at for at in inside if not text[at].isspace()]
                        numbers = {
                            name: [of[at] for at in solid if of[at]] for name, of in walks[each.document].items()
                        }
                        if holds(numbers):
                            expected.append((each.doc, each.path, each.score))
                    found = index.search(query, preset="study", where=where, facet="root", **way)
                    assert [(each.doc, each.path, each.score) for each in found] == expected, (query, where)
                    assert sum(value.documents for value in found.facets["root"]) == len(
                        {doc for doc, _, _ in expected}
                    )
        first = index.search("word", preset="study", where="page = 3", top=3)
        assert all("3" in each.places["page"] for each in first)
        with pytest.raises(QueryError, match="places have numbers"):
            index.search("word", where="page ~ 3")


def test_a_profile_without_milestones_has_no_places_and_no_section(tmp_path: Path) -> None:
    (tmp_path / "d.xml").write_text("<a><pb n='1'/><p>word</p></a>")
    trix.build(tmp_path / "d.xml", tmp_path / "i", profile="generic", jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert index.search("word")[0].places == {}
        assert not [name for name in index.files.section_sizes() if name.startswith("places")]
        with pytest.raises(UsageError, match="a profile names places under"):
            index.show("d#page=1")


FAULTS = [
    ({"page": 3}, "milestones.page: at = 3: expected a text or a list of texts"),
    ({"Page": "pb/@n"}, "milestones.Page: expected a name of small letters"),
    ({"page": {"at": "pb/@n", "in": "x"}}, "unknown key 'in'"),
    ({"page": "pb//x/@n"}, "milestones.page: 'pb//x': expected tag"),
    ({"page": {"at": "pb/@n", "within": "book"}}, "milestones.page: within = 'book': there are no such milestones"),
    ({"a": {"at": "x", "within": "b"}, "b": {"at": "y", "within": "a"}}, "they are within each other in a circle"),
    ({"page": {"label": "p."}}, "milestones.page: at"),
    ({"page": {"at": "pb/@n", "label": ["p."]}}, "milestones.page: label = ['p.']: expected a text, or two"),
]


@for_each("case", FAULTS)
def test_a_mistake_in_milestones_is_a_line_that_says_where(case: tuple[dict[str, Any], str]) -> None:
    with pytest.raises(ProfileError) as error:
        Profile.from_dict({"milestones": case[0]}, "here")
    assert case[1] in str(error.value) and "\n" not in str(error.value)


def test_milestones_are_written_as_they_are_read() -> None:
    for preset in ("tei", "epidoc", "osis", "usfx"):
        profile = load_profile(preset)
        again = Profile.from_dict(
            {"milestones": profile.to_dict()["milestones"], "namespaces": dict(profile.namespaces)}
        )
        assert again.milestones == profile.milestones
