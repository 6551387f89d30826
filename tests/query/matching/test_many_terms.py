"""Queries of many terms are answered term by term, with the same scores."""

from __future__ import annotations

import tempfile
import tracemalloc
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.oracle.generate import Case, cases, options, queries
from tests.oracle.generate_cas import structured_queries
from tests.oracle.scoring import analysed
from tests.query.scoring.test_printed_formulas import check
from tests.query.test_engine_against_oracle import EXAMPLES, build, compare, expected, relaxed
from trix.query.options import Options
from trix.query.scoring import many
from trix.query.search import Searcher

always = mock.patch.multiple(many, MANY=-1, AT_ONCE=3)


@pytest.mark.slow
@settings(relaxed, max_examples=max(5, EXAMPLES // 4))
@given(cases(), st.data())
def test_term_by_term_and_oracle_agree(case: Case, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index, always:
        for _ in range(4):
            query = data.draw(queries(case.collection))
            if not analysed(query.terms, case.collection.chain):
                continue
            asked = data.draw(options(case.positions))
            wanted = expected(case, query, asked)
            results = compare(index, case, query.text, asked, *wanted)
            for result in results[:2]:
                explanation = index.explain(query.text, result, **asked)
                assert explanation.value == result.score
                check(str(explanation))


@pytest.mark.slow
@settings(relaxed, max_examples=5)
@given(cases(), st.data())
def test_structured_queries_have_the_same_results_term_by_term(case: Case, data: st.DataObject) -> None:
    if not case.collection.nodes:
        return
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        for _ in range(4):
            asked = data.draw(options(case.positions)) | {"strategy": "thorough", "overlap": None, "top": None}
            query = data.draw(structured_queries(case.collection, asked["open_phrases"])).text
            usual = index.search(query, **asked)
            with always:
                found = index.search(query, **asked)
            assert set(found.labels) == set(usual.labels)
            by_label = dict(zip(usual.labels, usual.scores.tolist(), strict=True))
            assert found.scores.tolist() == pytest.approx([by_label[x] for x in found.labels], rel=1e-12, abs=1e-12)


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of 12,000 words, each in two of 2,400 paragraphs."""
    folder = tmp_path_factory.mktemp("words")
    for document in range(20):
        paragraphs = []
        for place in range(120):
            number = document * 120 + place
            text = " ".join(f"w{(number * 10 + step * 7) % 12000}" for step in range(10))
            paragraphs.append(f"<p>{text} all</p>")
        (folder / f"d{document:02}.xml").write_text(f"<a><s>{''.join(paragraphs)}</s></a>")
    trix.build(folder, folder / "i", profile="generic", stem="none", stop="none", jobs=1)
    return folder / "i"


@pytest.mark.slow
def test_ten_thousand_known_words_are_answered_in_little_memory(words: Path) -> None:
    """A row of all candidates for each word would take 10,000 · 2,440 · 16 bytes, 390 MB."""
    query = " ".join(f"w{number}" for number in range(10000))
    with trix.open(words) as index:
        index.search("w1 w2")
        tracemalloc.start()
        results = index.search(query, strategy="thorough", top=None, match="any")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(results) == results.matched > 2000
        assert peak < 100e6
        first = results[-1]
        assert index.explain(query, first).value == first.score


def test_the_number_of_terms_decides_how_they_are_scored_and_nothing_else(words: Path) -> None:
    with trix.open(words) as index:
        searcher = Searcher(index.files)
        for count, rows in ((many.MANY, many.MANY), (many.MANY + 1, 0)):
            asked: dict[str, Any] = {"strategy": "thorough", "context": "root", "top": None}
            query = "all " + " ".join(f"w{number}" for number in range(count - 1))
            parsed, _ = searcher.parse(query, Options.of(**asked))
            scored = searcher.score(parsed, Options.of(**asked))
            assert scored is not None
            assert len(scored.weights) == rows
            with mock.patch.object(many, "MANY", 10**9):
                usual = searcher.score(parsed, Options.of(**asked))
            assert usual is not None
            assert np.array_equal(scored.candidates.element, usual.candidates.element)
            assert scored.scores.tolist() == usual.scores.tolist()
