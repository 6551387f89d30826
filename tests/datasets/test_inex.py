"""The synthetic INEX: the same bytes for a seed, and files that all readers, the index and the evaluator agree on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from trix.api.resolver import Resolver
from trix.datasets import model
from trix.datasets.inex import SyntheticInex, make
from trix.datasets.markup import SCHEMAS
from trix.datasets.systems import ANSWERS, SYSTEMS, gains
from trix.datasets.topics import topic_id
from trix.datasets.vocabulary import FUNCTION_WORDS, Draws, background, invented_words
from trix.errors import UsageError
from trix.eval.convert import resolve_qrels, write_offset_qrels
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement, Qrels
from trix.eval.formats.read import read_qrels, read_run
from trix.indexer.document.parse import parse
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import document_text
from trix.indexer.profile.profile import load_profile
from trix.support.element_path import ancestors, tag

TOPICS, DOCUMENTS = 6, 20


class Collection(NamedTuple):
    """A collection that was made, its index, a resolver of its elements, and the elements of each document."""

    made: SyntheticInex
    profile: str
    opened: trix.Index
    resolver: Resolver
    elements: dict[str, dict[str, tuple[int, int]]]

    def qrels(self, year: int) -> Path:
        """Return the assessments of a year."""
        offsets = self.made.folder / str(year) / "offsets.qrels"
        return offsets if offsets.exists() else self.made.folder / str(year) / "assessments"

    def runs(self, year: int) -> dict[str, Path]:
        """Return the runs of a year by system."""
        return {path.stem: path for path in (self.made.folder / str(year) / "runs").iterdir()}


@pytest.fixture(scope="module", params=SCHEMAS)
def collection(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    """Make and index a collection of each schema."""
    folder = tmp_path_factory.mktemp("inex")
    made = make(folder / "made", schema=request.param, documents=DOCUMENTS, topics=TOPICS, seed=3)
    summary = trix.build(folder / "made" / "documents", folder / "index", jobs=1)
    assert summary.documents == DOCUMENTS and not summary.skipped
    with trix.open(folder / "index") as index:
        resolver = Resolver(index)
        ids = [SCHEMAS[request.param].document_id(number) for number in range(DOCUMENTS)]
        elements = {doc: dict(resolver.places(doc)) for doc in ids}
        yield Collection(made, summary.profile, index, resolver, elements)


def digest(folder: Path) -> str:
    """Return a checksum of names and bytes of all files but the README, which names the arguments."""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "README.txt":
            whole.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_same_seed_makes_the_same_bytes(schema: str, tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        make(tmp_path / name, schema=schema, documents=4, topics=2, seed=seed)
    assert digest(tmp_path / "a") == digest(tmp_path / "b") != digest(tmp_path / "c")


def test_the_bytes_are_the_same_on_every_machine(tmp_path: Path) -> None:
    make(tmp_path / "made", documents=4, topics=2)
    assert digest(tmp_path / "made")[:16] == "614277de020250a0"


def test_the_index_recognises_the_schema(collection: Collection) -> None:
    assert collection.profile == SCHEMAS[collection.made.schema].profile


def test_topics_have_the_ids_and_fields_of_their_year(collection: Collection) -> None:
    needs = model.draw_needs(3, TOPICS)
    for year in collection.made.years:
        topics = trix.read_topics(collection.made.folder / str(year) / "topics")
        assert topics.notices == [] and topics.format == "inex"
        assert topics.ids == [topic_id(need, year) for need in needs]
        for need, topic in zip(needs, topics, strict=True):
            assert topic.year_hint == year
            assert topic.description and topic.narrative
            assert need.words[0] in topic.title
            assert bool(topic.castitle) is (year >= 2005 or need.number % 2 == 1)
            kind = "CAS" if need.number % 2 else "CO"
            if year < 2006:
                assert topic.query_type == ("CO+S" if kind == "CO" and year == 2005 else kind)
            for query in filter(None, (topic.castitle, topic.query("words") if year == 2002 else topic.title)):
                assert len(collection.opened.search(query, top=5)) > 0, query


def test_assessments_are_read_without_a_notice_and_know_the_same_documents(collection: Collection) -> None:
    for year in collection.made.years:
        qrels = read_qrels(collection.qrels(year))
        grades = read_qrels(collection.made.folder / f"{year}/documents.qrels")
        assert qrels.notices == grades.notices == []
        assert list(qrels) == list(grades)
        for topic, judged in qrels.items():
            relevant = {document.doc for document in judged.relevant_documents}
            assert relevant == {doc for doc, grade in grades[topic].grades.items() if grade > 0} != set()
            assert set(judged.documents) == set(grades[topic].grades)


def test_every_assessed_element_is_in_its_document_with_that_size(collection: Collection) -> None:
    seen = 0
    for year in collection.made.years:
        for judged in read_qrels(collection.qrels(year)).topics.values():
            for doc, element in judged.elements():
                span = collection.elements[doc][element.path]
                assert element.size in (None, span[1] - span[0])
                if element.rsize is not None:
                    assert 0 < element.rsize <= span[1] - span[0]
                seen += 1
    assert seen > 100 or collection.made.schema == "wikipedia-2009"


def test_every_form_of_the_assessments_says_the_same(collection: Collection) -> None:
    relevant = []
    for year in collection.made.years:
        qrels = read_qrels(collection.qrels(year))
        assert all(
            collection.resolver.length(document.doc) == document.length
            for judged in qrels.topics.values()
            for document in judged.documents.values()
            if document.length is not None
        )
        if year >= 2006:  # the earlier forms have no passages
            qrels = resolve_qrels(qrels, collection.resolver)
            assert qrels.notices == []
            relevant.append([line.split(" ", 1)[1] for line in write_offset_qrels(qrels).splitlines()])
    assert all(lines == relevant[0] for lines in relevant)


def test_grades_of_2002_to_2005_follow_the_relevant_characters(collection: Collection) -> None:
    if collection.made.schema != "ieee":
        pytest.skip("assessments of elements are those of IEEE articles")
    by_year = {year: list(read_qrels(collection.qrels(year)).topics.values()) for year in collection.made.years}
    for oldest, old, new in zip(by_year[2002], by_year[2004], by_year[2005], strict=True):
        for doc, element in new.elements():
            coverage, graded = oldest.element(doc, element.path), old.element(doc, element.path)
            assert coverage is not None and graded is not None
            assert coverage.coverage == ("L" if element.density < 2 / 3 else coverage.coverage) != "N"
            assert graded.s in (1, 2, 3) and graded.s <= 1 + (element.density >= 1 / 3) + (element.density >= 2 / 3)
            for above in ancestors(element.path):
                outer = old.element(doc, above)
                assert outer is not None and (outer.e or 0) >= (graded.e or 0)


def test_relevant_text_has_the_words_of_its_need_and_ends_with_a_paragraph(collection: Collection) -> None:
    year = collection.made.years[-1]
    qrels = resolve_qrels(read_qrels(collection.qrels(year)), collection.resolver) if year >= 2006 else None
    if qrels is None:
        pytest.skip("the last assessments of IEEE articles have no passages")
    needs = {topic_id(need, year): need for need in model.draw_needs(3, TOPICS)}
    reader = DocumentReader(load_profile("wikipedia"))
    inside = outside = inside_words = outside_words = 0
    for topic, judged in qrels.items():
        for document in judged.relevant_documents:
            path = collection.made.folder / "documents" / f"{document.doc}.xml"
            text = document_text(reader.read_document(parse(path.read_bytes(), str(path))).annotated)
            places = collection.resolver.places(document.doc)
            ends = {end for name, (_, end) in places if tag(name) == "p"}
            for start, end in document.intervals.tolist():
                assert text[start].isupper() and end in ends
                words = text[start:end].lower().split()
                inside += sum(word.strip(".") in needs[topic].words for word in words)
                inside_words += len(words)
            words = text.lower().split()
            outside += sum(word.strip(".") in needs[topic].words for word in words)
            outside_words += len(words)
    outside, outside_words = outside - inside, outside_words - inside_words
    assert inside / inside_words > 4 * outside / outside_words


def test_runs_are_read_without_a_notice_and_name_elements_without_overlap(collection: Collection) -> None:
    for year in collection.made.years[-2:]:
        runs = collection.runs(year)
        assert set(runs) == set(SYSTEMS)
        for name, path in runs.items():
            run = read_run(path)
            assert (run.name, run.notices) == (name, [])
            for ranking in run.rankings.values():
                spans = (
                    [collection.elements[d][p] for d, p in zip(ranking.docs, ranking.paths, strict=True)]
                    if ranking.paths
                    else list(zip(ranking.starts.tolist(), ranking.ends.tolist(), strict=True))
                )
                taken: dict[str, list[tuple[int, int]]] = {}
                for doc, span in zip(ranking.docs, spans, strict=True):
                    assert 0 <= span[0] < span[1] <= (collection.resolver.length(doc) or 0)
                    assert all(span[1] <= first or last <= span[0] for first, last in taken.setdefault(doc, []))
                    taken[doc].append(span)
                assert {tag(path) for path in ranking.paths or ()} <= ANSWERS


MEASURES = {
    2002: ["inex2002", "AP"],
    2004: ["AP", "nxCG@25", "MAep"],
    2005: ["AP", "MAep", "PRUM"],
    2006: ["AP", "MAep"],
    2008: ["AiP", "iP@0.01"],
    2010: ["AiP", "iP@0.10", "char_f1", "art_f1"],
}


def test_the_evaluator_ranks_the_systems_as_they_were_made(collection: Collection) -> None:
    for year in collection.made.years:
        for measure in MEASURES.get(year, []):
            scores = trix.evaluate(
                read_qrels(collection.qrels(year)), collection.runs(year), [measure], resolver=collection.resolver
            )
            means = {name: float(scores[name, measure].mean) for name in SYSTEMS}
            assert means["good"] > means["middle"] > means["poor"] >= 0, (year, measure)


def test_a_run_of_the_index_beats_chance(collection: Collection) -> None:
    year = collection.made.years[-1]
    topics = trix.read_topics(collection.made.folder / f"{year}/topics")
    run = collection.opened.run(topics, top=50, strategy="focused")
    runs = {"trix": run, "poor": collection.runs(year)["poor"]}
    scores = trix.evaluate(read_qrels(collection.qrels(year)), runs, ["AP"], resolver=collection.resolver)
    assert float(scores["trix", "AP"].mean) > float(scores["poor", "AP"].mean)


# -- the model -------------------------------------------------------------------------------------------------------


def test_words_differ_and_the_frequent_ones_are_frequent() -> None:
    words = invented_words()
    assert len(set(words)) == len(words) and not set(words) & set(FUNCTION_WORDS)
    draws = Draws("words")
    drawn = [background(draws) for _ in range(20_000)]
    counts = [sum(word in some for word in drawn) for some in (set(words[:10]), set(words[10:20]), set(words[200:210]))]
    assert counts[0] > counts[1] > 3 * counts[2] > 0
    assert 0.37 < sum(word in FUNCTION_WORDS for word in drawn) / len(drawn) < 0.43


def test_the_gain_of_an_element_has_the_printed_value() -> None:
    judged = DocumentJudgement("d", 1000, 600, iv.as_intervals([(100, 700)]))
    places = [("/a[1]", (0, 1000)), ("/a[1]/s[1]", (100, 700)), ("/a[1]/s[2]", (700, 1000))]
    assert gains(places, judged) == pytest.approx([0.6 * 600 / 900, 600 / 900, 0])
    assert gains(places, None) == [0, 0, 0]


@given(st.integers(0, 10**6), st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_highlights_are_runs_of_paragraphs_in_one_to_three_sections(seed: int, sizes: list[int]) -> None:
    found = model.draw_highlights(Draws(seed), sizes)
    sections = [section for section, size in enumerate(sizes) for _ in range(size)]
    assert 1 <= len({sections[highlight.first] for highlight in found}) <= 3
    for highlight in found:
        assert highlight.first <= highlight.last and sections[highlight.first] == sections[highlight.last]
        whole = highlight.last - highlight.first + 1 == sizes[sections[highlight.first]]
        assert highlight.section == (sections[highlight.first] if whole else None)
        assert not (whole and highlight.second_sentence)
    for one, other in pairwise(found):
        same = sections[one.last] == sections[other.first]
        assert one.last + same < other.first


@settings(max_examples=5)
@given(
    seed=st.integers(0, 2**40),
    schema=st.sampled_from(list(SCHEMAS)),
    documents=st.integers(1, 5),
    topics=st.integers(1, 5),
)
def test_any_small_collection_is_read(
    seed: int, schema: str, documents: int, topics: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    made = make(folder / "made", seed=seed, schema=schema, documents=documents, topics=topics)
    assert len(list((folder / "made/documents").rglob("*.xml"))) == documents
    assert made.relevant >= topics and made.passages >= made.relevant
    for year in made.years:
        offsets = folder / f"made/{year}/offsets.qrels"
        qrels: Qrels = read_qrels(offsets if offsets.exists() else folder / f"made/{year}/assessments")
        assert qrels.notices == [] and len(qrels) == topics
        assert all(judged.any_relevant for judged in qrels.topics.values())
        for path in (folder / f"made/{year}/runs").iterdir():
            assert read_run(path).notices == []


def test_the_library_refuses_a_file_in_the_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file"):
        make(tmp_path / "file", documents=1, topics=1)
