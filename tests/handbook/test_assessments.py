"""The handbook's topics and assessments: every quotation is found, and every form says the same."""

from __future__ import annotations

from collections import Counter

import pytest

import trix
from scripts.parts.docs import assessments as script
from trix.api.resolver import Resolver
from trix.errors import FormatError
from trix.eval.convert import resolve_qrels, write_offset_qrels
from trix.eval.formats.read import read_qrels
from trix.handbook import ARTICLES, ASSESSMENTS, TOPICS, assessments
from trix.support.element_path import parent


def test_there_are_enough_topics_of_both_kinds_with_all_their_fields() -> None:
    topics = list(trix.read_topics(TOPICS))
    kinds = Counter(topic.query_type for topic in topics)
    assert kinds["CO"] >= 20
    assert kinds["CAS"] >= 12
    for topic in topics:
        assert topic.title and topic.description and topic.narrative
        assert topic.castitle and topic.castitle.startswith("//")
        assert not topic.title.startswith("/")


def test_every_topic_is_assessed_and_every_quotation_is_found() -> None:
    judged = assessments.read()
    texts = assessments.texts(ARTICLES)
    qrels = assessments.offsets(judged, texts)
    assert list(qrels) == [topic.id for topic in trix.read_topics(TOPICS)]
    for topic, docs in judged.items():
        assert sorted(qrels[topic].documents) == sorted(texts)
        assert {d.doc for d in qrels[topic].relevant_documents} == set(docs)
        for doc, said_of in docs.items():
            document = qrels[topic].documents[doc]
            text = "".join(texts[doc].split())
            for first, last in said_of["passages"]:
                assert "".join(first.split()) in text and "".join(last.split()) in text
            assert said_of["exhaustivity"] in (1, 2, 3)
            assert document.bep is not None
            assert any(start <= document.bep < end for start, end in document.intervals.tolist())
            assert document.density < 0.95


@pytest.mark.parametrize(
    ("passage", "reason"),
    [
        (["Elements contain", "no such words"], "do not come after"),
        (["no such words", "each other"], "are missing"),
        (["the", "each the"], "more than once"),
        (["", "each other"], "are missing"),
    ],
)
def test_a_quotation_that_does_not_fit_is_an_error_that_names_it(passage: list[str], reason: str) -> None:
    judged = {"7": {"overlap": {"exhaustivity": 1, "passages": [passage]}}}
    with pytest.raises(FormatError, match=f"topic 7, article overlap: the words .*{reason}"):
        assessments.offsets(judged, {"overlap": "Where the overlap comes from.\n Elements contain\n each the other."})


def test_an_article_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FormatError, match="there is no article nowhere"):
        assessments.offsets({"7": {"nowhere": {}}}, {"overlap": "text"})


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """Make the files of the assessments anew."""
    return dict(script.made())


def test_the_assessments_are_up_to_date(files: dict[str, str]) -> None:
    advice = "run scripts/docs assessments"
    assert script.stale(files) == [], advice
    assert script.superfluous(files) == [], advice


def test_every_form_of_the_assessments_says_the_same() -> None:
    offsets, grades = (read_qrels(ASSESSMENTS / name) for name in ("offsets.qrels", "documents.qrels"))
    passages, new, old, oldest = (
        read_qrels(ASSESSMENTS / name) for name in ("passages-2007", "elements-2005", "elements-2004", "elements-2002")
    )
    assert (offsets.form, grades.form) == ("offsets", "grades")
    assert {form.form for form in (passages, new, old, oldest)} == {"elements"}
    assert [notice for form in (offsets, grades, passages, new, old, oldest) for notice in form.notices] == []
    for topic in offsets:
        relevant = {d.doc: d for d in offsets[topic].relevant_documents}
        assert {doc for doc, grade in grades[topic].grades.items() if grade > 0} == set(relevant)
        for form in (passages, new, old, oldest):
            assert {d.doc for d in form[topic].relevant_documents} == set(relevant)
        for doc, document in relevant.items():
            root = new[topic].documents[doc].elements["/article[1]"]
            assert (root.size, root.rsize) == (document.length, document.relevant_length)
            for form in (old, oldest):
                assert form[topic].documents[doc].elements["/article[1]"].e == grades[topic].grades[doc]
            assert {element.coverage for element in oldest[topic].documents[doc].elements.values()} <= {*"LSE"}


def test_the_xpointers_of_2007_lead_to_the_same_characters_and_entry_points() -> None:
    offsets, passages = read_qrels(ASSESSMENTS / "offsets.qrels"), read_qrels(ASSESSMENTS / "passages-2007")
    resolver = Resolver(ARTICLES)
    found = resolve_qrels(passages, resolver)
    assert found.notices == []
    assert write_offset_qrels(found) == write_offset_qrels(offsets)
    for topic in offsets:
        for doc, document in passages[topic].documents.items():
            assert [size for _, _, size in document.pointers] == [
                end - start for start, end in offsets[topic].documents[doc].intervals.tolist()
            ]
            document.bep_pointer = ""
            for path, element in document.elements.items():
                span = resolver.span(doc, path)
                assert span is not None and element.size == span[1] - span[0]
    for topic, judgements in resolve_qrels(passages, resolver).items():
        for doc, document in judgements.documents.items():
            intervals = offsets[topic].documents[doc].intervals
            assert document.bep == (intervals[0, 0] if len(intervals) else None)


def test_the_grades_of_2004_are_legal() -> None:
    for judgements in read_qrels(ASSESSMENTS / "elements-2004").topics.values():
        for document in judgements.documents.values():
            for path, element in document.elements.items():
                assert element.e in (1, 2, 3) and element.s in (1, 2, 3)
                below = [other for name, other in document.elements.items() if parent(name) == path]
                if below:
                    assert element.e >= max(other.e or 0 for other in below)
                    assert element.s <= max(other.s or 0 for other in below)
