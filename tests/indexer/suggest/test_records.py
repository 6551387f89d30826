"""Files that are lists of records: which elements are the documents, what they are called, what sorts them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import trix
from trix.indexer.collection.find import find_sources
from trix.indexer.document.parse import documents
from trix.indexer.profile.profile import Profile
from trix.indexer.suggest.decision import Certainty
from trix.indexer.suggest.draft import ProfileDraft, draft, suggest, tables
from trix.indexer.suggest.sample import count_sample

BIRDS = ("heron", "swift", "kestrel", "plover", "dunlin", "wigeon", "smew", "garganey", "osprey", "merlin")


def suggested(folder: Path, **files: str) -> ProfileDraft:
    """Return what files suggest."""
    for name, text in files.items():
        (folder / f"{name}.xml").write_text(text, encoding="utf-8")
    return suggest(count_sample(find_sources([folder])))


def sure(suggestion: ProfileDraft) -> dict[str, Any]:
    """Return what is sure, as a profile is written."""
    return tables(suggestion, Certainty.SURE)


def sightings(*kinds: str) -> str:
    """Write a list of records of some kinds, with a remark beside them."""
    records = [
        f"<{kind}><name>{bird} of {kind}</name><place>{('pond', 'moor')[n % 2]}</place>"
        f"<note>Seen by day {n}.</note></{kind}>"
        for kind in kinds
        for n, bird in enumerate(BIRDS)
    ]
    return f"<list><remark>Gathered by the county club.</remark>{''.join(records)}</list>"


def test_records_are_documents_with_titles_and_fields_of_their_own(tmp_path: Path) -> None:
    found = suggested(tmp_path, spring=sightings("nest", "call"), autumn=sightings("flock"))
    profile = sure(found)
    assert sorted(profile["document"].split(" | ")) == ["*", "call", "flock", "nest"]
    assert "place" in profile["fields"] and profile["fields"]["title"] == {"path": ["/*/name"]}
    assert f'document = "{profile["document"]}"' in draft(found)
    summary = trix.build(tmp_path, tmp_path / "i", jobs=1)
    assert summary.documents == 32 and summary.profile == "derived"
    with trix.open(tmp_path / "i") as index:
        first = index.search("heron of flock", top=1)[0]
        assert first.title == "heron of flock"
        assert {each.title for each in index.search("seen", where="place = moor", top="all")} == {
            f"{bird} of {kind}" for kind in ("nest", "call", "flock") for bird in BIRDS[1::2]
        }
        assert len(index.search('"county club"', top="all")) == 2  # what stands beside the records is not lost


CHAPTER = "<chapter><title>On the {bird}</title><p>The {bird} is no bird of these parts.</p><p>It is.</p></chapter>"
TALK = "<head>{bird}</head><talk who='{bird}' at='9'><p>Birds!</p></talk>"


@pytest.mark.parametrize(
    "text",
    [
        "<book>" + "".join(CHAPTER.format(bird=bird) for bird in BIRDS) + "</book>",  # one field each
        "<book><title>Birds</title>"
        + "".join(CHAPTER.format(bird=bird).replace("<title>", "<no>7</no><title>") for bird in BIRDS)
        + "</book>",  # and the file has a title
        "<talks>" + "".join(TALK.format(bird=bird) for bird in BIRDS) + "</talks>",
        "<text>" + "".join(f"<p id='{bird}' n='1'>Words of the {bird} that run on.</p>" for bird in BIRDS) + "</text>",
    ],
    ids=["chapters", "titled", "headings between", "paragraphs"],
)  # fmt: skip
def test_parts_of_one_text_are_no_records(tmp_path: Path, text: str) -> None:
    assert "document" not in sure(suggested(tmp_path, a=text))


def test_a_long_list_may_have_a_title_where_its_records_are_rich(tmp_path: Path) -> None:
    item = (
        "<item><title>The {n}th {bird}</title><by>Ann</by><day>2020-01-0{m}</day><at>pond</at><link>x{n}</link></item>"
    )
    items = "".join(item.format(n=n, m=n % 9 + 1, bird=BIRDS[n % 10]) for n in range(30))
    assert sure(suggested(tmp_path, a=f"<feed><title>Sightings</title>{items}</feed>"))["document"] == "item | *"


def test_of_a_file_the_records_and_what_is_left_are_documents() -> None:
    profile = Profile(name="mine", document="b | c | *")
    found = documents(etree.fromstring("<a>one<b>two<b>three</b></b>four<d><c>five</c> six</d></a>"), profile)
    texts = ["".join(each.itertext()) for each in found]
    assert texts == ["twothree", "five", "onefour six"]
    whole = etree.fromstring("<a>one<d>two</d></a>")
    assert list(documents(whole, profile)) == [whole]
    bare = etree.fromstring("<a> <b>two</b> </a>")
    assert [each.tag for each in documents(bare, profile)] == ["b"]


def test_elements_that_an_attribute_tells_apart_give_titles_and_fields(tmp_path: Path) -> None:
    rows = "".join(
        f"<doc><field name='key'>k{n}</field><field name='title'>The song of the {bird}</field>"
        f"<field name='habitat'>{('pond', 'moor')[n % 2]}</field></doc>"
        for n, bird in enumerate(BIRDS)
    )
    profile = sure(suggested(tmp_path, a=f"<add>{rows}</add>"))
    assert profile["title"] == "/*/field[@name='title']"
    assert profile["fields"]["habitat"] == {"path": "/*/field[@name='habitat']"}
    trix.build(tmp_path, tmp_path / "i", jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert index.search("song", where="habitat = pond", top=1)[0].title.startswith("The song of the ")


def test_records_without_titles_go_by_what_tells_them_apart(tmp_path: Path) -> None:
    texts = "".join(f"<text id='{bird}_1' year='2017'><p>Words of all.</p></text>" for bird in BIRDS)
    assert sure(suggested(tmp_path, a=f"<corpus>{texts}</corpus>"))["title"] == "/*/@id"


def test_text_in_attributes_may_have_marks_on_its_letters(tmp_path: Path) -> None:
    """Vowels of Arabic and Hindi are marks, which are no letters by themselves."""
    words = ("بِسْمِ", "اللَّهِ", "الرَّحْمَنِ", "مَالِكِ", "يَوْمِ", "الدِّينِ")
    lines = "".join(f"<v text='{words[n % 6]} {words[n // 6]}'/>" for n in range(36))
    assert sure(suggested(tmp_path, a=f"<s>{lines}</s>"))["attributes"] == ["v/@text"]


def test_names_in_attributes_are_found_and_sort_parts(tmp_path: Path) -> None:
    said = "<p>I rise on the matter of the {bird}, which is of weight to us all.</p>"
    talk = f"<talk speakername='{{who}}' n='{{n}}'>{said}</talk>"
    talks = "".join(
        f"<head>{bird}</head>{talk.format(who=('Ann Bell', 'Rob Low')[n % 2], n=n, bird=bird)}"
        for n, bird in enumerate(BIRDS * 2)
    )
    profile = sure(suggested(tmp_path, a=f"<day>{talks}</day>"))
    assert profile["attributes"] == ["talk/@speakername"]
    assert profile["element_fields"] == {"speakername": "talk/@speakername"}
    assert profile["titles"] == {"talk": ["@speakername"]}
    trix.build(tmp_path, tmp_path / "i", jobs=1)
    with trix.open(tmp_path / "i") as index:
        found = index.search("merlin", where="speakername = 'Rob Low'", top="all")
        assert found and all("talk" in each.path for each in found)


def test_a_field_of_one_kind_of_documents_is_a_field(tmp_path: Path) -> None:
    for n, bird in enumerate(BIRDS):
        state = ("rare", "common")[n % 2]
        (tmp_path / f"a{n}.xml").write_text(
            f"<bird><title>The {bird}</title><state>{state}</state><p>It flies.</p></bird>"
        )
        (tmp_path / f"b{n}.xml").write_text(f"<page><title>On {bird}s</title><p>It says more.</p></page>")
    assert sure(suggested(tmp_path))["fields"]["state"] == {"path": "/*/state"}
