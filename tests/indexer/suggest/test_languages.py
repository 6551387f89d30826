"""How words are stemmed where nothing is asked: Porter's stemmer, or each language's own, and the line that says it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import trix
from tests.conftest import Cli
from trix.indexer.collection.find import find_sources
from trix.indexer.profile.profile import profile_of
from trix.indexer.suggest.languages import Languages, detected, languages_of

GERMAN = (
    "Die Häuser der alten Stadt stehen dicht an dem Fluss, und wer in den Gassen geht, der hört das Wasser. "
    "Es ist nicht weit bis zu dem Hafen, aus dem die Schiffe nach dem Norden fuhren, als der Handel noch groß war. "
)
FRENCH = (
    "Les maisons de la vieille ville sont au bord de la rivière, et celui qui marche dans les rues entend les eaux. "
    "Il n'est pas loin du port, d'où les navires partaient pour le nord quand le commerce était encore grand. "
)
ENGLISH = (
    "The houses of the old town stand close by the river, and who walks in the lanes can hear the water. "
    "It is not far from the harbour, out of which the ships went to the north when there was still a great trade. "
)
LATIN = (
    "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani, tertiam qui ipsorum lingua "
    "Celtae, nostra Galli appellantur. Hi omnes lingua, institutis, legibus inter se differunt. "
)
CODES = " ".join(
    f"org.apache.maven.plugins maven-compiler plugin artifact{n} version release snapshot" for n in range(40)
)


@pytest.mark.parametrize(
    ("text", "language"), [(GERMAN, "de"), (FRENCH, "fr"), (ENGLISH, "en"), (CODES, ""), ("word " * 9, "")]
)
def test_a_piece_is_in_a_language_or_it_is_unclear(text: str, language: str) -> None:
    assert [*detected([text])] == [language]


def test_a_language_without_a_stop_list_has_to_come_several_times() -> None:
    assert [*detected([LATIN, LATIN])] == [""] and [*detected([LATIN] * 3)] == ["la"]


def test_words_without_a_label_are_in_the_language_of_four_fifths() -> None:
    assert Languages(plain=Counter(de=80, fr=20)).main == "de"
    assert Languages(plain=Counter(de=79, fr=21)).main == ""
    assert not Languages(plain=Counter(de=79, fr=21)).are_foreign  # unclear, so as ever
    assert (
        Languages(labelled=Counter(fr=11, en=89)).are_foreign and Languages(labelled=Counter(fr=11, en=89)).main == "en"
    )
    assert not Languages(labelled=Counter(fr=10, en=90)).are_foreign
    assert Languages().main == "" and not Languages().are_foreign


def written(folder: Path, *texts: str) -> Path:
    """Write documents of one paragraph."""
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{folder.name}{number}.xml").write_text(f"<text><p>{text}</p></text>", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("texts", "stem", "language", "said"),
    [
        (
            (GERMAN, GERMAN),
            "auto",
            "de",
            "of 2 documents: de 100 % of the words; words are stemmed by language",
        ),
        ((ENGLISH, ENGLISH), "porter", "en", None),
        ((GERMAN, FRENCH), "porter", "en", None),
    ],
)
def test_a_build_stems_by_the_language_that_is_clear(
    tmp_path: Path, texts: tuple[str, ...], stem: str, language: str, said: str | None
) -> None:
    summary = trix.build(written(tmp_path / "c", *texts), tmp_path / "i", jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert (index.files.settings["stem"], index.files.settings["language"]) == (stem, language)
    lines = [notice.removeprefix("languages ") for notice in summary.notices if notice.startswith("languages")]
    assert lines == [*filter(None, [said])]


def test_what_is_asked_is_done_and_a_language_that_is_named_is_stemmed(tmp_path: Path) -> None:
    docs = written(tmp_path / "c", GERMAN)
    for asked, language, stem in (("porter", None, "porter"), ("none", None, "none"), (None, "de", "auto")):
        summary = trix.build(docs, tmp_path / "i", jobs=1, overwrite=True, stem=asked, language=language)
        with trix.open(tmp_path / "i") as index:
            assert index.files.settings["stem"] == stem
            assert bool(index.search("haus")) == (stem == "auto")
        assert any(notice.startswith("languages") for notice in summary.notices) == (stem == "auto")


def test_the_command_asks_for_nothing_either(tmp_path: Path, run_cli: Cli) -> None:
    code, _, err = run_cli("index", written(tmp_path / "c", GERMAN), tmp_path / "i", "-j", "1")
    assert code == 0 and "languages of 1 document: de 100 % of the words" in err


def test_additions_are_stemmed_as_the_first_documents(tmp_path: Path) -> None:
    with trix.write(tmp_path / "i") as writer:
        writer.add(written(tmp_path / "a", GERMAN))
    with trix.write(tmp_path / "i") as writer:
        writer.add(written(tmp_path / "b", ENGLISH))
    trix.build([tmp_path / "a", tmp_path / "b"], tmp_path / "fresh", stem="auto", language="de", jobs=1)
    with trix.open(tmp_path / "i") as grown, trix.open(tmp_path / "fresh") as fresh:
        for query in ("haus", "houses", "ships"):
            assert [(r.path, r.score) for r in grown.search(query)] == [(r.path, r.score) for r in fresh.search(query)]


def test_a_field_of_the_profile_labels_documents(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(f"<text><language>de</language><p>{ENGLISH}</p></text>")
    profile = profile_of({"fields": {"language": "/text/language"}}, "here")
    found = languages_of(find_sources([tmp_path]), profile=profile)
    assert found.main == "de" and not found.plain
