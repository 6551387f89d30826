"""Sets of topics: what makers make of small documents, how sets are written and read."""

from __future__ import annotations

import doctest
import importlib
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.parts.prove import makers, ready, typos
from scripts.parts.prove.sets import read_set, read_sets, write_set
from tests.paths import DATA
from trix.datasets.silver import captions, citations, headings, words
from trix.datasets.silver.words import SilverTopic, drawn, once
from trix.errors import TrixError

DESCRIBED = {"kind": "silver", "profile": "generic", "level": "//p", "measure": "ap", "source": "By hand."}


def collection(folder: Path, **documents: str) -> Path:
    """Write documents into a folder."""
    folder.mkdir()
    for name, text in documents.items():
        (folder / f"{name}.xml").write_text(text, encoding="utf-8")
    return folder


def test_doctests_of_the_scripts_hold() -> None:
    for name in ("systems", "table", "typos", "items", "profiles"):
        found = doctest.testmod(importlib.import_module(f"scripts.parts.prove.{name}"))
        assert found.attempted and not found.failed, name


# -- makers -----------------------------------------------------------------------------------------------------------

FIGURES = """<article><body><sec><title>Results</title>
<p>As <xref ref-type="fig" rid="f1">Figure 1</xref> shows.</p>
<p>Both <xref ref-type="fig" rid="f1 f2">Figures</xref> show <xref ref-type="bibr" rid="f3">3</xref>.</p>
<fig id="f1"><caption>
<title>Growth of yeast colonies.</title><p>See <xref ref-type="fig" rid="f2">2</xref>.</p></caption>
</fig>
<fig id="f2"><caption><p>Shape of frozen water crystals. In three colours.</p></caption></fig>
<fig id="f3"><caption><title>Nobody refers to this figure.</title></caption></fig>
<fig id="f4"><caption><title>Repeated caption of figures.</title></caption></fig>
<fig id="f5"><caption><title>Repeated caption of Figures</title></caption></fig>
</sec></body></article>"""


def test_captions_ask_for_the_paragraphs_that_refer_to_their_figure(tmp_path: Path) -> None:
    docs = collection(tmp_path / "docs", d1=FIGURES, broken="<article>")
    p1, p2 = (f"d1/article[1]/body[1]/sec[1]/p[{n}]" for n in (1, 2))
    expected = [
        SilverTopic("Growth of yeast colonies.", (p1, p2)),
        SilverTopic("Shape of frozen water crystals.", (p2,)),
    ]
    assert captions.topics(docs) == expected


def test_a_caption_is_not_in_what_is_searched(tmp_path: Path) -> None:
    import trix

    docs = collection(tmp_path / "docs", d1=FIGURES)
    made = write_set(
        tmp_path / "set", captions.topics(docs), {**DESCRIBED, "collection": str(docs)}, captions.PROFILE
    )  # fmt: skip
    trix.build(made.xml, tmp_path / "i", profile=made.profile_or_file, jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert index.search("yeast").matched == 0 and index.search("show").matched > 0


LAW = """<Statute><Body>
<Section><MarginalNote>Short title of Act</MarginalNote><Text>{long}</Text></Section>
<Section><MarginalNote>Registered holders of licences</MarginalNote><Text>{long}</Text>
<Subsection><MarginalNote>Renewal of expired licences</MarginalNote><Text>{long}</Text></Subsection></Section>
<Section><MarginalNote>Fees payable yearly</MarginalNote><Text>None.</Text></Section>
<Section><MarginalNote>Duties of inspectors abroad</MarginalNote><Text>{long}</Text></Section>
</Body></Statute>""".format(long="words of the law " * 12)


def test_headings_ask_for_their_lowermost_section() -> None:
    kind = headings.KINDS["canada"]
    root = "d/Statute[1]/Body[1]/Section"
    from lxml import etree

    found = dict(headings.titled("d", etree.fromstring(LAW), kind))
    assert {title: topic.units for title, topic in found.items()} == {
        "Short title of Act": (f"{root}[1]",),
        "Registered holders of licences": (),  # the level has its subsection
        "Renewal of expired licences": (f"{root}[2]/Subsection[1]",),
        "Fees payable yearly": (),  # too short to be looked for
        "Duties of inspectors abroad": (f"{root}[4]",),
    }


@pytest.mark.parametrize("schema", sorted(headings.KINDS))
def test_every_kind_of_headings_has_a_profile_and_a_level_that_hold(schema: str, tmp_path: Path) -> None:
    import trix

    kind = headings.KINDS[schema]
    section, heading = kind.sections[0], kind.heading
    text = f"<{section}><{heading}>Zebras</{heading}><x>Some words of a text</x></{section}>"
    docs = collection(tmp_path / "docs", d=text)
    (tmp_path / "profile.toml").write_text(kind.profile, encoding="utf-8")
    trix.build(docs, tmp_path / "i", profile=tmp_path / "profile.toml", jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert index.search("zebras").matched == 0
        found = index.run({"1": "words"}, level=kind.level)["1"]
        assert list(found.paths) == [f"/{section}[1]"]


def test_citations_are_those_of_the_silver_recipe(tmp_path: Path) -> None:
    text = (
        "<article><body>{}</body><back><ref-list><ref id='r'><article-title>A method for finding trees</article-title>"
        "</ref></ref-list></back></article>"
    ).format("<p><xref ref-type='bibr' rid='r'>1</xref></p>" * 2)
    docs = collection(tmp_path / "docs", **{f"d{n}": text for n in range(3)})
    units = tuple(f"d{n}/article[1]/body[1]/p[{p}]" for n in range(3) for p in (1, 2))
    assert citations.topics(docs) == [SilverTopic("A method for finding trees", units)]


def test_ready_topics_are_those_with_something_relevant(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("7\tone thing\n8\tnothing\n9\tmore\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("7 0 d 1/a[1] 2\n8 0 d/a[1] 0\n9 0 e/a[1] 1\n9 0 d/a[1] 0\n", encoding="utf-8")
    assert ready.topics(tmp_path) == [SilverTopic("one thing", ("d 1/a[1]",)), SilverTopic("more", ("e/a[1]",))]


def test_a_maker_unpacks_its_collection_and_leaves_out_a_small_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = collection(tmp_path / "docs", d1=FIGURES)
    (tmp_path / "collections").mkdir()
    with tarfile.open(tmp_path / "collections" / "small.tar.xz", "w:xz") as archive:
        archive.add(docs, "small/docs")
    monkeypatch.setattr(makers, "DATA", tmp_path)
    maker = replace(makers.of_captions("small", "docs"), stem="none")
    assert maker.make(tmp_path / "set", tmp_path / "unpacked") == (None, 2) and not (tmp_path / "set").exists()
    monkeypatch.setattr(makers, "FEWEST", 2)
    made, count = maker.make(tmp_path / "set", tmp_path / "unpacked")
    assert made == read_set(tmp_path / "set") and count == 2
    assert made.xml == tmp_path / "unpacked" / "small" / "docs" and made.stem == "none"
    assert made.topics() == {"1": "Growth of yeast colonies.", "2": "Shape of frozen water crystals."}
    assert [len(units) for units in made.qrels().values()] == [2, 1]


@pytest.mark.slow
def test_a_set_of_the_collections_is_the_same_every_time(tmp_path: Path) -> None:
    maker = makers.MAKERS["gnome-titles"]
    if not maker.packed.exists():
        pytest.skip(f"{DATA} is not there")
    for name in ("one", "two"):
        maker.make(tmp_path / name, tmp_path / "unpacked")
    for file in ("topics.tsv", "qrels.txt", "profile.toml"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert len(read_set(tmp_path / "one").topics()) >= words.FEWEST


# -- topics and draws -------------------------------------------------------------------------------------------------


def test_titles_that_come_twice_or_say_little_are_no_topics() -> None:
    unit = ("d/a[1]",)
    titled = [
        ("Of the jealousy of trade abroad", SilverTopic("Of the jealousy of trade abroad", unit)),
        (
            "The BALANCE of trade, 1752",
            SilverTopic("The BALANCE of trade, 1752", unit),
        ),  # two words that tell something
        ("Repeated words of titles", SilverTopic("Repeated words of titles", unit)),
        ("Repeated words, of titles!", SilverTopic("Repeated words, of titles!", ())),
        ("Three telling words", SilverTopic("Three telling words", ())),  # asks for nothing
    ]
    assert [topic.words for topic in once(titled)] == ["Of the jealousy of trade abroad"]
    assert [topic.words for topic in once(titled, 2)] == [titled[0][0], titled[1][0]]


def test_draws_keep_their_order_and_are_the_same_every_time() -> None:
    assert drawn([1, 2, 3], 3) == [1, 2, 3]
    assert drawn(list(range(10)), 4) == [0, 1, 2, 4] == sorted(drawn(list(range(10)), 4))
    assert drawn(list(range(10)), 4, seed=2) != [0, 1, 2, 4]


def test_queries_made_of_a_title_are_the_same_every_time() -> None:
    title = "Connecting a wireless network adapter"
    assert [typos.with_typo(title), typos.with_half(title)] == [typos.with_typo(title), typos.with_half(title)]
    words, typed = title.split(), typos.with_typo(title).split()
    changed = [(a, b) for a, b in zip(words, typed, strict=True) if a != b]
    assert len(changed) == 1 and len(changed[0][0]) >= 5 and abs(len(changed[0][0]) - len(changed[0][1])) <= 1
    assert typos.with_typo("a few odd ones") == "a few odd ones"
    half = typos.with_half(title).split()
    assert len(half) == 3 and [word for word in words if word in half] == half


# -- files ------------------------------------------------------------------------------------------------------------


def test_sets_are_read_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "b" / "xml").mkdir(parents=True)
    made = write_set(tmp_path / "b", [SilverTopic('say "words"', ("d 1/a[2]", "d 1/a[1]"))], DESCRIBED)
    (tmp_path / "a").mkdir()  # no set
    assert read_sets(tmp_path) == [made]
    with pytest.raises(TrixError, match="no set is there"):
        read_sets(tmp_path / "a")
    assert made.name == "b" and made.xml == tmp_path / "b" / "xml" and made.profile_or_file == "generic"
    assert made.topics() == {"1": 'say "words"'} and made.qrels() == {"1": {"d 1/a[1]": 1, "d 1/a[2]": 1}}


def set_toml(**changed: str | None) -> Callable[[Path], None]:
    """Return what writes a description with some keys changed, or left out."""
    given = {"name": "s", **DESCRIBED} | changed
    text = "".join(f'{key} = "{value}"\n' for key, value in given.items() if value is not None)

    def write(folder: Path) -> None:
        (folder / "set.toml").write_text(text, encoding="utf-8")

    return write


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (set_toml(level=None, source=None), "set.toml: expected level, source"),
        (set_toml(measure="map"), "expected kind silver or human and measure ap or rr; got silver and map"),
        (set_toml(collection="nowhere"), "nowhere: not there; the set s needs it"),
        (set_toml(level='1" "2'), "set.toml: Expected newline"),
    ],
)
def test_a_wrong_set_says_what_is_wrong(write: Callable[[Path], None], said: str, tmp_path: Path) -> None:
    (tmp_path / "xml").mkdir()
    write_set(tmp_path, [SilverTopic("words", ("d/a[1]",))], DESCRIBED)
    write(tmp_path)
    with pytest.raises(TrixError, match=said.replace("(", r"\(")) as error:
        read_set(tmp_path)
    assert "\n" not in str(error.value)
