"""Preparation of each data set of the catalogue from a tiny source: documents, topics, judgements, passages, errors."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.datasets.catalogue.tiny import SOURCES, mapped_evidence, write
from trix.datasets.catalogue import MODULES, data_set, listing, shown
from trix.datasets.catalogue.parts import PreparedPart, parts
from trix.datasets.catalogue.prepare import prepare
from trix.errors import UsageError
from trix.eval.formats.read import read_qrels
from trix.eval.formats.topics.read import read_topics
from trix.indexer.document.parse import parse
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import document_text
from trix.indexer.profile.profile import load_profile


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prepare all data sets, each in a folder of its name."""
    folder = tmp_path_factory.mktemp("prepared")
    for name, make in SOURCES.items():
        make(folder / "sources" / name)
        prepare(data_set(name), folder / "sources" / name, folder / name)
    return folder


def relevant(folder: Path) -> dict[str, list[str]]:
    """Return topic -> relevant units, as the evaluator reads them."""
    return {key: list(topic.grades) for key, topic in read_qrels(folder / "elements.qrels").topics.items()}


def passages(folder: Path, documents: Path, profile: str = "generic") -> dict[str, list[str]]:
    """Return topic -> relevant texts, as the index counts characters."""
    reader = DocumentReader(load_profile(profile))
    found: dict[str, list[str]] = {}
    for key, topic in read_qrels(folder / "passages.qrels").topics.items():
        for doc, judged in topic.documents.items():
            path = documents / f"{doc}.xml"
            text = document_text(reader.read_document(parse(path.read_bytes(), str(path))).annotated)
            assert judged.length == len(text)
            found.setdefault(key, []).extend(text[begin:end] for begin, end in judged.intervals.tolist())
    return found


def described(folder: Path) -> dict[str, Any]:
    """Return the description of a prepared folder."""
    found: dict[str, Any] = json.loads((folder / "dataset.json").read_text())
    return found


def test_every_data_set_is_described_and_has_a_tiny_source() -> None:
    assert set(SOURCES) == set(MODULES) == {row["name"] for row in listing()}
    for name in MODULES:
        of = data_set(name)
        assert of.name == name and of.judges in {"people", "model", "structure"}
        assert set(shown(of)) >= {"home", "licence", "citation", "needs", "mapping", "tried on"}
    with pytest.raises(UsageError, match=r"craf: no such data set to prepare; .*did you mean craft\?"):
        data_set("craf")


@pytest.mark.parametrize("name", SOURCES)
def test_the_index_has_every_judged_element(name: str, prepared: Path, tmp_path: Path) -> None:
    folder, about = prepared / name, described(prepared / name)
    profile = folder / about["profile"] if about["profile"].endswith(".toml") else about["profile"]
    for part in parts(folder):
        place = tmp_path / (part.name or "all")
        trix.build(part.documents, place, profile=profile, stem=about["stem"], jobs=1)
        units = {unit.id: unit.text for unit in part.units()}
        judged = {unit for _, unit, _ in part.judgements}
        holding = {unit for unit in judged if unit not in units}  # a paragraph around another one
        assert judged and (not holding or name == "evidence-inference")
        with trix.open(place) as index:
            run = index.run(
                [(key, units[unit]) for key, unit, _ in part.judgements if unit in units][:1], level=part.level
            )
            (found,) = run.values()
            assert {doc + path for doc, path in zip(found.docs, found.paths, strict=True)} & judged
        assert read_topics(folder / part.name / "topics.tsv").ids == list(part.topics)
        assert len(part.judgements) == next(
            each["counts"]["elements"] for each in about["parts"] if each["name"] == part.name
        )


def test_xquad_keeps_languages_apart_and_marks_answers(prepared: Path) -> None:
    folder = prepared / "xquad"
    assert [part.name for part in parts(folder)] == ["en", "de"]
    assert relevant(folder / "de") == {"q1": ["de-01/article[1]/p[1]"]}
    assert passages(folder / "de", folder / "documents/de") == {"q1": ["die Mauer"]}
    assert 'xml:lang="de"' in (folder / "documents/de/de-01.xml").read_text(encoding="utf-8")
    assert (folder / "en/topics.tsv").read_text() == "q1\tWhat does it climb?\n"


def test_qmsum_turns_spans_into_turns(prepared: Path) -> None:
    folder = prepared / "qmsum"
    assert [part.name for part in parts(folder)] == ["train", "val"]
    turns = [f"quarry/meeting[1]/turn[{n}]" for n in (2, 3, 5)]
    assert relevant(folder / "train") == {"quarry-1": turns}
    assert passages(folder / "train", folder / "documents") == {
        "quarry-1": ["Turn 1 about gravel.Turn 2 about gravel.", "The bell  rings."]
    }


def test_obliqa_nests_provisions_and_tells_numbers_that_are_there_twice_by_their_texts(prepared: Path) -> None:
    folder = prepared / "obliqa"
    gates = "regulation-03/regulation[1]/provision[1]/provision[1]/provision"
    assert relevant(folder) == {
        "a": [f"{gates}[1]/p[1]", f"{gates}[2]/p[1]"],
        "b": ["regulation-03/regulation[1]/provision[3]/p[1]"],
    }
    assert described(folder)["notices"][-1] == "1 judged passages are not in the documents"
    assert any("ObliQA_dev.json: not the version that was tried" in each for each in described(folder)["notices"])


def test_qrcd_joins_passages_to_verses(prepared: Path) -> None:
    folder = prepared / "qrcd"
    verses = [f"chapter-005/chapter[1]/verse[{n}]" for n in (2, 3, 4)]
    assert relevant(folder / "train") == {"7": verses}
    assert passages(folder / "train", folder / "documents") == {"7": ["fish swimred", "blue"]}
    assert (folder / "documents/chapter-005.xml").read_text().count("<verse") == 4


def test_evidence_is_the_smallest_paragraph_with_the_letters_of_an_accepted_span(prepared: Path) -> None:
    folder = prepared / "evidence-inference"
    section = "article[1]/body[1]/sec[1]"
    assert relevant(folder) == {
        "1": [f"PMC1/{section}/p[1]", f"PMC1/{section}/p[2]/fig[1]/caption[1]/p[1]"],
        "4": [f"PMC2/{section}/p[2]"],
    }
    assert (folder / "topics.tsv").read_text() == "1\tcalm tea water\n4\tcalm tea water\n"
    assert described(folder)["notices"][-1].startswith("1 of 4 marked spans are in no paragraph")
    copied = prepared / "sources/evidence-inference/annotations/xml_files/PMC1.nxml"
    assert (folder / "documents/PMC1.xml").read_bytes() == copied.read_bytes()


def test_evidence_that_is_mapped_already_is_taken_as_it_is(tmp_path: Path) -> None:
    mapped_evidence(tmp_path / "source/half")
    made = prepare(data_set("evidence-inference"), tmp_path / "source", tmp_path / "made")
    assert relevant(tmp_path / "made") == {"1": ["PMC1/article[1]/body[1]/sec[1]/p[1]"]}
    assert made["notices"] == []


def test_craft_finds_paragraphs_at_annotations_and_leaves_out_titles_and_rare_concepts(prepared: Path) -> None:
    folder = prepared / "craft"
    assert relevant(folder) == {
        "UBERON:0002107": [f"{doc}/article[1]/body[1]/sec[1]/p[{n}]" for doc in ("11", "12") for n in (1, 2)]
    }
    assert (folder / "topics.tsv").read_text() == "UBERON:0002107\tliver organ\n"
    assert "2 of 8 annotations are outside paragraphs" in described(folder)["notices"][-1]


def test_entries_of_an_index_lead_to_their_pages(prepared: Path) -> None:
    folder = prepared / "tcp-indexes"
    body = "K1/ETS[1]/EEBO[1]/TEXT[1]/BODY[1]/DIV1[1]"
    assert relevant(folder) == {"K1-1": [f"{body}/P[1]"], "K1-2": [f"{body}/P[2]", f"{body}/P[3]"]}
    assert (folder / "topics.tsv").read_text() == "K1-1\tBees their love of honey\nK1-2\tWasps want all honey\n"
    found = passages(folder, folder / "documents", str(folder / "profile.toml"))
    assert found["K1-1"] == ["Of bees and of the ho∣ney that they keep."]
    assert found["K1-2"][0].startswith("Of wasps") and found["K1-2"][0].rstrip().endswith("Of flies.")
    assert [path.name for path in (folder / "documents").iterdir()] == ["K1.xml"]


def test_silver_judgements_are_those_of_the_structure(prepared: Path) -> None:
    citing = {f"a{n}/article[1]/body[1]/sec[1]/p[{p}]" for n in range(3) for p in (1, 2)}
    assert {key: set(units) for key, units in relevant(prepared / "silver-citations").items()} == {"1": citing}
    assert {len(units) for units in relevant(prepared / "silver-captions").values()} == {2}
    headed = PreparedPart(prepared / "silver-headings")
    assert list(headed.topics.values()) == ["Sharpen garden shears", "Oil wooden handles"]
    assert headed.level.startswith("minor:") and "mallard" in (prepared / "silver-headings/profile.toml").read_text()


def test_the_same_source_gives_the_same_bytes_from_a_folder_and_an_archive(prepared: Path, tmp_path: Path) -> None:
    source = prepared / "sources/qmsum"
    for kind in ("zip", "gztar"):
        packed = shutil.make_archive(str(tmp_path / kind), kind, source.parent, source.name)
        made = prepare(data_set("qmsum"), packed, tmp_path / f"made-{kind}")
        assert made == described(prepared / "qmsum")


def test_parts_are_named(prepared: Path) -> None:
    with pytest.raises(UsageError, match="name one of the parts train, val"):
        PreparedPart(prepared / "qmsum")
    with pytest.raises(UsageError, match=r"no part vall; known are train, val \(did you mean val\?\)"):
        PreparedPart(prepared / "qmsum", "vall")
    with pytest.raises(UsageError, match="is not a prepared data set"):
        PreparedPart(prepared / "sources")


def broken(folder: Path) -> None:
    """Write a file that is no JSON where a meeting is expected."""
    write(folder / "data/ALL/val/a.json", "{")


def without_turns(folder: Path) -> None:
    """Write a meeting without its turns."""
    write(folder / "data/ALL/val/a.json", "{}")


def without_questions(folder: Path) -> None:
    """Write a meeting without questions."""
    write(folder / "data/ALL/val/a.json", '{"meeting_transcripts": [], "specific_query_list": []}')


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (broken, "cannot be read as QMSum: Expecting property name"),
        (without_turns, "cannot be read as QMSum: 'meeting_transcripts' is missing"),
        (without_questions, "no judged topic was found for val"),
        (lambda folder: folder.mkdir(), r"expected data/ALL/val/\*\.json; QMSum is the repository with data/ALL"),
        (lambda folder: None, "no such file or folder"),
        (lambda folder: write(folder, "text"), "is not an archive; expected a folder, a zip or a tar file"),
    ],
)
def test_a_wrong_source_is_an_error_of_one_line_and_leaves_nothing(make: Any, reason: str, tmp_path: Path) -> None:
    make(tmp_path / "source")
    (tmp_path / "out").mkdir()
    with pytest.raises(UsageError, match=reason) as error:
        prepare(data_set("qmsum"), tmp_path / "source", tmp_path / "out/made")
    assert "\n" not in str(error.value) and str(tmp_path / "source") in str(error.value)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_folder_that_is_not_empty_is_left_alone(prepared: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(UsageError, match="the folder is not empty; name a new one"):
        prepare(data_set("qmsum"), prepared / "sources/qmsum", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
