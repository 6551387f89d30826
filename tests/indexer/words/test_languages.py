"""Languages of elements: which one each is in, how its words are stemmed, and how one asks for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import trix
from trix.errors import UsageError
from trix.indexer.commit.commit import newest_commit
from trix.indexer.document.reader import DocumentReader
from trix.indexer.languages.chains import Chains, LanguageKeys, word_settings
from trix.indexer.languages.codes import language_of, stemmer_of, stop_lists
from trix.indexer.languages.labels import XML_LANG
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.profile.profile import Profile, load_profile
from trix.indexer.words.analyzer import BOUNDARY

LETTER = """<d xml:lang="en"><p>Houses and die</p><p xml:lang="fr-CA">Les maisons aimées <i>et</i></p>
<p xml:lang="lat">gallia divisa</p><s xml:lang="deu"><p>Die Häuser</p><p xml:lang="">unknown houses</p>
<q><p>Freiheiten</p></q></s><p>houses again</p></d>"""
PLAIN = "<d><p>the house</p><p xml:lang='fr'>les maisons</p></d>"
PROFILE = Profile.from_dict({"inline": ["i"], "unwrap": ["q"], "attributes": ["@n"], "fields": {"language": "/d/@l"}})


def literal(record_paths: list[Any], main: str) -> list[str]:
    """The language of each node by going up from it."""
    found = []
    for node in record_paths:
        at = node
        while at is not None and at.get(XML_LANG) is None:
            at = at.getparent()
        found.append(language_of(at.get(XML_LANG)) if at is not None else main)
    return found


def test_codes() -> None:
    tags = ["fr-CA", "fra", "FRE", "lat", "en_GB", "grc", "", "und", "x-klingon", "english"]
    assert [language_of(tag) for tag in tags] == ["fr", "fr", "fr", "la", "en", "grc", "", "", "", ""]
    assert (stemmer_of("de"), stemmer_of("la")) == ("german", "none")
    assert {"die", "und"} <= set(stop_lists()["de"]) and "la" not in stop_lists()


@pytest.mark.parametrize("made", [DocumentReader, MarkupReader])
@pytest.mark.parametrize("xml", [LETTER, PLAIN, "<d><p xml:lang='fr'>a</p><q xml:lang='de'><p>b</p></q><p>c</p></d>"])
def test_each_element_has_the_language_above_it(made: type[DocumentReader], xml: str) -> None:
    root = etree.fromstring(xml)
    reader = made(PROFILE)
    record = reader.read_document(root)
    languages = record.languages
    assert languages is not None
    steps = reader.steps.names
    elements = [node for node in root.iter() if node.tag not in ("i", "q")]
    tags = [steps[step].rpartition("/")[2] for step in record.step]
    own = [said for said, tag in zip(languages.each(), tags, strict=True) if tag not in ("text()", "@n")]
    assert own == literal(elements, "")


def test_both_readers_say_the_same_of_texts_and_attributes() -> None:
    for profile in (PROFILE, load_profile("tei"), load_profile("generic")):
        for xml in (LETTER, "<d n='1' xml:lang='de'>a<p xml:lang='fr' n='2'>b</p>c<p>&#x2003;d</p><!-- --> e</d>"):
            both = [
                made(profile).read_document(etree.fromstring(xml)).languages for made in (DocumentReader, MarkupReader)
            ]
            assert both[0] is not None and both[1] is not None
            assert both[0].each() == both[1].each()


def test_a_part_of_a_file_is_in_the_language_around_it() -> None:
    root = etree.fromstring("<all xml:lang='fr'><d><p>a</p></d></all>")
    for made in (DocumentReader, MarkupReader):
        found = made(PROFILE).read_document(root[0]).languages
        assert found is not None and set(found.each()) == {"fr"}


def test_keys_are_those_of_each_language() -> None:
    chains = Chains(word_settings("auto", "default"))
    keys = LanguageKeys(chains)
    texts = [("en", "the houses"), ("fr", "les maisons"), ("", "running"), ("la", "divisas"), ("fr", "maisons houses")]
    numbers, counts, words = keys.number_with_words(
        "".join(f"{BOUNDARY}{text}" for _, text in texts), [language for language, _ in texts]
    )
    literally = [chains.of(language).keys(text) for language, text in texts]
    assert [keys.vocabulary[n] for n in numbers] == [key for own in literally for key in own]
    assert counts.tolist() == [len(own) for own in literally]
    assert {keys.words[n] for n in words} == {"houses", "les", "maisons", "running", "divisas"}  # English is stopped
    assert literally == [["hous"], ["le", "maison"], ["run"], ["divisas"], ["maison", "hous"]]


def paths(index: trix.Index, query: str, **options: Any) -> set[str]:
    found = index.search(query, strategy="thorough", top=None, level="content", **options)
    return {result.path.removeprefix("/d[1]") for result in found}


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xml").write_text(LETTER, "utf-8")
    (tmp_path / "docs" / "b.xml").write_text(PLAIN, "utf-8")
    trix.build(tmp_path / "docs", tmp_path / "i.index", stem="auto", profile=PROFILE)
    return tmp_path / "i.index"


def test_a_word_is_looked_up_under_each_language(letters: Path) -> None:
    with trix.open(letters) as index:
        assert paths(index, "maison") == {"/p[2]"}
        assert {r.doc for r in index.search("maison", strategy="thorough")} == {"a", "b"}
        assert paths(index, "Haus") == {"/s[1]/p[1]"} == paths(index, "hauser")
        assert paths(index, "die") == {"/p[1]", "/s[1]/p[1]"}
        assert paths(index, "and") == set()  # on the English list, and in no text of another language
        assert paths(index, "house") == {"/p[1]", "/p[4]", "/s[1]/p[2]"}
        assert paths(index, '"maison aimées"', phrases="exact") == {"/p[2]"}
        assert paths(index, "//p[about(., maison)]") == {"/p[2]"}
        best = next(iter(index.search("maison", strategy="thorough", level="content")))
        assert [best.text[a:b] for a, b in best.matches] == ["maisons"]
    assert trix.check(letters) == []


def test_elements_of_one_language(letters: Path) -> None:
    with trix.open(letters) as index:
        assert paths(index, "house", language="de") == set()
        assert paths(index, "//p", language="la") == {"/p[3]"}
        assert paths(index, "//p", language="en-US") == {"/p[1]", "/p[4]", "/s[1]/p[2]"}
        assert paths(index, "house maison", language="fr") == {"/p[2]"}
        assert index.search("house", language="en", strategy="thorough").matched == len(
            list(index.search("house", language="en", strategy="thorough", top=None))
        )
        with pytest.raises(UsageError, match=r"no element is in this language; choose one of .*fr \(2\)"):
            index.search("house", language="it")
        with pytest.raises(UsageError, match="expected a language code"):
            index.search("house", language="klingon")


def test_what_is_said_nowhere_is_said_by_the_profile_or_by_the_index(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<d l='fr'><p>les maisons</p><p xml:lang='en'>the houses</p></d>")
    (tmp_path / "b.xml").write_text("<d><p>die Häuser</p></d>")
    sources = [tmp_path / "a.xml", tmp_path / "b.xml"]
    trix.build(sources, tmp_path / "i.index", stem="auto", profile=PROFILE, language="de")
    with trix.open(tmp_path / "i.index") as index:
        assert [r.path for r in index.search("maison", language="fr", level="content")] == ["/d[1]/p[1]"]
        assert [r.doc for r in index.search("haus", language="de", level="content")] == ["b"]
        assert [r.doc for r in index.search("die", level="content")] == ["b"]
    with pytest.raises(UsageError, match="expected a language code"):
        trix.build(sources, tmp_path / "j.index", language="german")


def test_no_history_makes_another_index(letters: Path, tmp_path: Path) -> None:
    path = tmp_path / "living.index"
    sources = sorted((tmp_path / "docs").iterdir())
    (tmp_path / "c.xml").write_text("<d xml:lang='it'><p>case</p></d>")
    with trix.write(path, stem="auto", profile=PROFILE) as writer:
        writer.add(tmp_path / "c.xml")
        writer.commit()
        for source in sources:
            writer.add(source)
            writer.commit()
    with trix.open(path) as index:
        assert "it" in index.info()["languages"]
    with trix.write(path) as writer:
        writer.delete("c")
    with trix.open(path) as index, trix.open(letters) as fresh:
        assert index.info()["languages"] == fresh.info()["languages"]
        for query in ("maison", "die", "haus", "//p"):
            for language in (None, "fr", "en", "de"):
                found = [
                    [(r.doc, r.path, r.score) for r in each.search(query, language=language, top=None)]
                    for each in (index, fresh)
                ]
                assert found[0] == found[1]
    with trix.write(path) as writer:
        writer.compact()
    assert trix.check(path) == []
    here, there = newest_commit(path), newest_commit(letters)
    assert [entry.name for entry in here.segments] == [entry.name for entry in there.segments]
    assert here.settings == there.settings


def test_the_plain_and_the_compiled_way_build_the_same(letters: Path, tmp_path: Path) -> None:

    names = []
    trix.build(tmp_path / "docs", tmp_path / "i", stem="auto", profile=PROFILE)
    names.append([entry.name for entry in newest_commit(tmp_path / "i").segments])
    assert names[0] == [entry.name for entry in newest_commit(letters).segments]
