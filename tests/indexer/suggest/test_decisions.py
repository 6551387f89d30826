"""Suggested profiles: decisions on counts made by hand, and properties of drafts from random samples."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import trix
from trix.indexer.collection.find import find_sources
from trix.indexer.document.reader import DocumentReader
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.profile.profile import Profile, load_profile
from trix.indexer.suggest.attributes import decide_attributes
from trix.indexer.suggest.compare import compare
from trix.indexer.suggest.counter import count
from trix.indexer.suggest.counts import SampleCounts, TagCounts
from trix.indexer.suggest.decision import Certainty, Decision, Names
from trix.indexer.suggest.documents import decide_id, decide_title
from trix.indexer.suggest.draft import ProfileDraft, draft, suggest
from trix.indexer.suggest.fields import decide_fields
from trix.indexer.suggest.sample import count_sample, sampled
from trix.indexer.suggest.sections import decide_quiet, decide_titles
from trix.indexer.suggest.tags import decide_containers, decide_inline, decide_units
from trix.indexer.words.analyzer import Analyzer
from trix.indexer.write import builder

PROSE = "The harbour froze in the winter of that year and no ship could leave it before the thaw set in. " * 2


def counted(*documents: str) -> SampleCounts:
    """Count documents."""
    counts = SampleCounts()
    for document in documents:
        count(counts, document.encode())
    return counts


def levels(decisions: list[Decision], key: str) -> dict[str, Certainty]:
    """Return how sure the decisions of a key are."""
    return {each.name: each.level for each in decisions if each.key == key}


def test_counts_of_a_small_document_are_those_by_hand() -> None:
    counts = counted("<d a='1'><p>one <k>two</k> three<k>x</k><k>y</k></p><p><k>all</k></p><p/></d>")
    p, k = counts.tags["p"], counts.tags["k"]
    assert (counts.documents, counts.characters, counts.cut) == (1, 16, 0)  # one two three x y all
    assert (p.times, p.filled, p.own, p.mixed, p.parents) == (3, 2, 1, 1, 2)
    assert (k.times, k.alone) == (4, 1)
    assert (k.near, k.amid) == (2, 1)  # two between texts, x after one; y follows x at once
    assert (k.glued, k.touching) == (1, 1)  # three|x, x|y
    assert sorted(p.lengths) == [0, 3, 13] and p.median == 8 and p.mean == 8
    assert p.holds == Counter(k=2) and p.holds_one == Counter(k=1)
    assert counts.root.below["@a"].values == {0: ["1"]}
    assert counts.root.below["p"].times == 3 and counts.root.below["p"].once == 0


def test_what_is_cut_short_is_counted_up_to_the_cut() -> None:
    counts = SampleCounts()
    count(counts, b"<d><p>one</p><p>two</p><p>three</p></d>", 13)
    assert (counts.documents, counts.cut, counts.tags["p"].times, counts.characters) == (1, 1, 1, 3)


def phrase(**changes: Any) -> SampleCounts:
    """Return the counts of a tag of 100 phrases in text, with changes."""
    values: dict[str, Any] = {"times": 100, "filled": 100, "own": 100, "near": 80, "amid": 40} | changes
    return SampleCounts(documents=9, tags={"k": TagCounts("k", lengths=[10] * values["filled"], **values)})


@pytest.mark.parametrize(
    ("changes", "level"),
    [
        ({}, Certainty.SURE),
        ({"near": 75}, Certainty.SURE),
        ({"near": 74}, None),  # three quarters stand in text
        ({"near": 60, "alone": 20}, Certainty.SURE),  # of those that are not all of their parent
        ({"amid": 20}, Certainty.SURE),
        ({"amid": 19}, None),  # a quarter of those near text
        ({"glued": 24}, Certainty.SURE),
        ({"glued": 25}, Certainty.OPEN),  # three in ten of 80
        ({"touching": 15}, Certainty.SURE),
        ({"touching": 16}, Certainty.OPEN),
        ({"times": 9, "filled": 9, "near": 9, "amid": 9}, None),  # too few
    ],
)
def test_a_tag_is_inline_by_its_counts(changes: dict[str, int], level: Certainty | None) -> None:
    counts = phrase(**changes)
    assert levels(decide_inline(counts, Names(counts)), "inline").get("k") == level


def test_a_long_tag_or_one_that_holds_blocks_is_not_inline() -> None:
    counts = phrase()
    counts.tags["k"].lengths = [61] * 100
    assert not decide_inline(counts, Names(counts))
    counts = phrase()
    counts.tags["q"] = TagCounts("q", times=9, filled=9, own=9, lengths=[200] * 9)
    counts.tags["k"].holds["q"] = 5
    assert levels(decide_inline(counts, Names(counts)), "inline") == {"k": Certainty.SURE}  # as faults of markup do
    counts.tags["k"].holds["q"] = 6
    assert not decide_inline(counts, Names(counts))


def test_text_beside_blocks_makes_a_container_and_a_block_in_a_sentence_does_not() -> None:
    for times, level in ((4, Certainty.SURE), (1, Certainty.OPEN)):  # a short one is read as a whole
        beside = f"<d>{f'<p>Seen in one: <fig><c>{PROSE * times}</c></fig></p>' * 12}</d>"
        counts = counted(beside)
        assert levels(decide_containers(counts, Names(counts)), "container") == {"p": level}
    inside = f"<d>{f'<p>Seen <n>{PROSE}</n> in one</p>' * 12}</d>"
    counts = counted(inside)
    assert not decide_containers(counts, Names(counts))


def test_the_presets_tags_in_capitals_are_inline_where_they_stand_in_text() -> None:
    counts = counted(f"<d>{'<p>H<SUB>2</SUB>O of the sea</p>' * 12}</d>")
    assert levels(decide_inline(counts, Names(counts)), "inline") == {"SUB": Certainty.SURE}


def test_short_fields_of_several_tags_are_one_record() -> None:
    counts = counted(f"<d>{'<r><a>Ann</a><y>1999</y></r>' * 12}<p>{PROSE}</p></d>")
    assert levels(decide_units(counts, Names(counts)), "unit") == {"r": Certainty.LIKELY}
    counts = counted(f"<d>{f'<r><a>Ann</a><y>{PROSE}</y></r>' * 12}</d>")
    assert not decide_units(counts, Names(counts))


def documents(number: int = 10) -> list[str]:
    """Return documents with a header of fields, and sections with headings."""
    section = f"<p>{PROSE}</p><p>{PROSE}</p></part>"
    sections = "".join(f"<part><topic>{name}</topic>{section}" for name in ("Winter", "Ice", "Thaw"))
    return [
        f"<d><meta><key>k{each}</key><maintitle>Of harbour {each}</maintitle><dated>20{each + 10}-02-03</dated>"
        f"<size>{each * 7}</size><kind>{'ab'[each % 2]}</kind><made>all</made></meta>{sections}</d>"
        for each in range(number)
    ]


def test_titles_ids_and_fields_are_found_with_their_types() -> None:
    counts = counted(*documents())
    (title,) = decide_title(counts)
    assert (title.value, title.level) == ("/*/meta/maintitle", Certainty.SURE)
    assert title.reason == "/*/meta/maintitle in 100 % of documents; 10 distinct"
    (found,) = decide_id(counts)
    assert (found.value, found.level) == ("/*/meta/key", Certainty.OPEN)
    fields = {each.name: (each.value, each.level) for each in decide_fields(counts)}
    assert fields["title"] == ({"path": ["/*/meta/maintitle"]}, Certainty.SURE)
    assert fields["dated"] == ({"path": "/*/meta/dated", "type": "date"}, Certainty.SURE)
    assert fields["year"] == ({"path": "/*/meta/dated", "type": "year"}, Certainty.SURE)
    assert fields["size"] == ({"path": "/*/meta/size", "type": "integer"}, Certainty.SURE)
    assert fields["kind"] == ({"path": "/*/meta/kind"}, Certainty.SURE)
    assert fields["made"][1] == Certainty.OPEN  # the same in all


def test_a_field_that_fewer_than_three_fifths_have_is_a_comment() -> None:
    for having, level in ((6, Certainty.SURE), (5, Certainty.OPEN)):
        files = [f"<d>{f'<kind>{each % 3}x</kind>' if each < having else ''}<p>{PROSE}</p></d>" for each in range(10)]
        assert levels(decide_fields(counted(*files)), "fields") == {"kind": level}


def test_of_four_documents_nothing_is_said_about_all() -> None:
    counts = counted(*documents(4))
    assert decide_title(counts) == decide_id(counts) == decide_fields(counts) == []
    assert decide_title(counted(*documents(5)))


def test_headings_and_quiet_parts_are_found_by_place_and_counts() -> None:
    counts = counted(*documents())
    (titles,) = decide_titles(counts, Names(counts))
    assert (titles.name, titles.value, titles.level) == ("part", ["topic"], Certainty.SURE)
    files = [each.replace("meta>", "docinfo>") for each in documents()]
    counts = counted(*files)
    assert levels(decide_quiet(counts, Names(counts)), "quiet") == {"docinfo": Certainty.SURE}
    counts = counted(*(each.replace(PROSE, "x") for each in files))  # now most of the text is in it
    assert levels(decide_quiet(counts, Names(counts)), "quiet") == {"docinfo": Certainty.OPEN}


def loaded(suggestion: ProfileDraft, folder: Path) -> Profile:
    """Load the draft."""
    (folder / "derived.toml").write_text(draft(suggestion), encoding="utf-8")
    return load_profile(folder / "derived.toml")


def test_the_draft_is_the_profile_and_the_same_each_time(tmp_path: Path) -> None:
    (tmp_path / "xml").mkdir()
    for number, text in enumerate(documents(30)):
        (tmp_path / "xml" / f"{number:02}.xml").write_text(text)
    sources = find_sources([str(tmp_path / "xml")])
    drafts = {draft(suggest(count_sample(sources, documents=20, size=9_000))) for _ in range(3)}
    assert len(drafts) == 1
    suggestion = suggest(count_sample(sources, documents=20))
    assert suggestion.documents == 20 and len(sampled(sources, 20)) == 20
    assert loaded(suggestion, tmp_path) == suggestion.profile(Certainty.LIKELY)
    before = compare(sources, suggestion.profile(Certainty.LIKELY), Analyzer())
    assert before[0].endswith("before:") and any(line.endswith("after:") for line in before)


def random_tree(draw: random.Random, depth: int = 0) -> str:
    """Return an element with random tags, attributes and text."""
    tag = draw.choice(("a", "b", "title", "ref", "p", "x:y", "x-z", "name", "header"))
    values = ("1", "a b c d", "2001-02-03", "q&quot;" + chr(92))
    named = "".join(f" {name}='{draw.choice(values)}'" for name in ("n", "id", "x:k"))
    inside = []
    for _ in range(draw.randrange(5)):
        if draw.random() < 0.5:
            inside.append(draw.choice(("some words ", "3", "2004", PROSE, " ", 'a"b\\')))
        elif depth < 4:
            inside.append(random_tree(draw, depth + 1))
    return f"<{tag}{named if draw.random() < 0.4 else ''}>{''.join(inside)}</{tag}>"


@pytest.mark.parametrize("seed", range(8))
def test_a_suggested_profile_loads_builds_and_both_readers_agree_under_it(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(seed)
    texts = [f"<d xmlns:x='urn:x'>{''.join(random_tree(draw) for _ in range(12))}</d>" for _ in range(8)]
    suggestion = suggest(counted(*texts))
    assert loaded(suggestion, tmp_path) == suggestion.profile(Certainty.LIKELY)
    (tmp_path / "xml").mkdir()
    for number, text in enumerate(texts):
        (tmp_path / "xml" / f"{number}.xml").write_text(text)
    built = []
    for name, reader in (("markup", MarkupReader), ("trees", DocumentReader)):
        monkeypatch.setattr(builder, "reader_for", reader)
        summary = trix.build(tmp_path / "xml", tmp_path / name, profile=tmp_path / "derived.toml", jobs=1)
        assert summary.documents == 8
        assert trix.check(tmp_path / name) == []
        built.append({path.name: path.read_bytes() for path in (tmp_path / name).glob("*.segment")})
    assert built[0] == built[1] and len(built[0]) == 1


def cards(number: int = 12) -> list[str]:
    """Return cards of a schema whose names say nothing, with a header, addresses, places on a page, times and ids."""
    return [
        f"<k><control><stamp>Entry of {each}</stamp></control><nimi>Harbour {'abcdefghijkl'[each]} in snow</nimi>"
        f"<kind at='{each % 3}'>{'ab'[each % 2]}</kind><web>http://x.org/{each % 4}</web><vpos>{each % 5}</vpos>"
        f"<seen>0{each % 9}:15</seen><made when='19{each + 10}-02-03'>3.2.19{each + 10}</made><link ref='X{each}000'/>"
        f"<mark>same</mark><part><mark>same</mark><p>{PROSE}</p></part></k>"
        for each in range(number)
    ]


def test_what_looks_like_titles_is_the_title_whatever_it_is_called() -> None:
    counts = counted(*cards())
    (title,) = decide_title(counts)
    assert (title.value, title.level) == ("/*/nimi", Certainty.SURE)
    same = counted(*(each.replace("Harbour ", "").replace(" in snow", "") for each in cards()))
    assert not [each for each in decide_title(same) if each.level is Certainty.SURE]  # no words


def test_facets_come_first_and_addresses_places_times_and_ids_are_none() -> None:
    found = decide_fields(counted(*cards()))
    sure = [each.name for each in found if each.level is Certainty.SURE]
    assert sure == ["title", "kind", "kind_at", "made", "stamp", "year"]
    rules = {each.name: each.value for each in found}
    assert rules["year"] == {"path": "/*/made/@when", "type": "year"}  # of two dates that for programs


def test_a_heading_with_one_value_is_none() -> None:
    counts = counted(*cards())
    assert not [each for each in decide_titles(counts, Names(counts)) if each.value == ["mark"]]


def test_text_that_is_in_attributes_is_read_from_them() -> None:
    words = "".join(f"<w x='{at}.5' content='{word}'/>" for at, word in enumerate(PROSE.split()))
    varied = "".join(f"<w x='{at}' content='sea{chr(97 + at % 26)}{chr(97 + at // 26)}'/>" for at in range(60))
    counts = counted(*[f"<page><line>{words}</line><line>{varied}</line></page>"] * 3)
    sure = [each.name for each in decide_attributes(counts, Names(counts)) if each.level is Certainty.SURE]
    assert sure == ["w/@content"]
    assert not suggest(counts).is_empty and suggest(counts).profile().attributes
