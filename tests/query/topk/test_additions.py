"""Forms that add what words give, and weighted places, in the pruned top-k: the same bits as of all candidates."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.oracle.generate import Case, cases, options, own_models, place_weights, queries
from tests.oracle.scoring import analysed
from tests.query.test_engine_against_oracle import EXAMPLES, build, relaxed
from tests.query.topk.test_pruning import told, whole_index
from trix.query.language.element_weights import UNIT, ElementWeights
from trix.query.matching.query_words import SentenceLists, SentenceStarts, sentences_with
from trix.query.options import Options
from trix.query.plan import Strategy
from trix.query.term_cache import lists
from trix.query.term_cache.lists import TermCache
from trix.query.topk import ranking
from trix.query.topk.prepared import places_of
from trix.query.topk.ranking import PrunedSearcher

MODELS = ["trix2005", "bm25", "lm-dirichlet"]
LEVELS = [None, None, "document", "content", "minor:sec+p", "//sec[not(.//sec or ancestor::sec)]"]


@pytest.fixture(autouse=True)
def eager() -> Iterator[None]:
    """Lower the thresholds, so that small collections are pruned."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("FEW", "TOGETHER", "TOGETHER_ADMITTED", "PER_RESULT"):
            patch.setattr(ranking, name, 1)
        yield


@st.composite
def added_forms(draw: st.DrawFn, positions: bool) -> list[str]:
    """Draw forms that add what words give, in any order, after a form along the path or none."""
    numbers = st.sampled_from(["f=8", "f=0.5,idf=0", "idf=2", "f=1.5,idf=0.5"])
    found = list[str]()
    if draw(st.booleans()):
        found.append(draw(st.sampled_from(["root:0.5", "cscore:root", "parent", "tower", "root(bm25,k1=0.3,B=0):0.5"])))
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(["titles", *(["sentence", "pairs"] * positions)]))
        if name == "pairs":
            more = ["pairs:f=0.1", "pairs:f=2,within=3", "pairs(bm25,statistics=document)", "pairs(lm-dirichlet,mu=3)"]
            found.append(draw(st.sampled_from(more)))
        else:
            tags = draw(st.sampled_from(["", "title,", "p+note,"])) if name == "titles" else ""
            own = draw(st.sampled_from(["", ",own=1"])) if name == "titles" else ""
            found.append(f"{name}:{tags}{draw(numbers)}{own}")
    return found


def compared(index: trix.Index, query: str, asked: dict[str, Any]) -> Strategy | None:
    """Return the strategy that answered, after its answer was found to be that of all candidates."""
    strategies = index.now.strategies
    strategies.scores_all = False
    try:
        found = index.search(query, **asked)
        short = told(index, query, asked)
    finally:
        strategies.scores_all = True
    assert short == told(index, query, asked), (query, asked)
    strategies.scores_all = False
    return None if found.plan is None else found.plan.strategy


@settings(relaxed, max_examples=max(10, EXAMPLES))
@given(cases(), st.data())
def test_the_first_results_are_those_of_all_candidates(case: Case, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        for _ in range(6):
            query = data.draw(queries(case.collection))
            if not analysed(query.terms, case.collection.chain):
                continue
            asked = data.draw(options(case.positions))
            asked |= {
                "model": data.draw(st.sampled_from(MODELS)), "combine": "sum", "idf_power": 1.0, "preset": "study",
                "context": data.draw(st.one_of(added_forms(case.positions), st.just(["none"]), own_models(1.0, "sum"))),
                "weights": data.draw(st.one_of(st.none(), place_weights())),
                "level": data.draw(st.sampled_from(LEVELS)),
                "statistics": data.draw(st.sampled_from([None, "document", "minor:sec+p", "//p"])),
                "signs": data.draw(st.sampled_from(["weights", "must"])),
                "language": data.draw(st.sampled_from([None, None, None, "en"])),
                "per_document": data.draw(st.sampled_from([None, None, 1, 2])),
                "spread": data.draw(st.sampled_from([None, 3])),
                "size": data.draw(st.sampled_from([None, None, "5:40"])),
                "top": data.draw(st.sampled_from([1, 2, 3, 10, 100])),
            }  # fmt: skip
            try:
                compared(index, str(query), asked)
            except trix.TrixError as error:
                assert "\n" not in str(error)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    """Return an index of random trees."""
    with trix.open(whole_index(random.Random(5), tmp_path_factory.mktemp("added") / "i")) as opened:
        yield opened


ASKED: list[dict[str, Any]] = [
    {"context": "root:0.5>sentence:f=8>pairs:f=0.1>titles:title"}, {"context": "titles:title,f=9"},
    {"context": "sentence:idf=2>sentence:f=0.1"}, {"weights": "title=3,note=0"},
    {"model": "lm-dirichlet", "weights": "title=2.5", "context": "sentence"},
    {"model": "bm25", "weights": "p=0.001", "statistics": "minor:p", "context": "pairs(lm-dirichlet)"},
]  # fmt: skip


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("query", ["alpha beta", "tree alpha gamma", '"alpha beta" (delta | tree)^2', "alpha -beta"])
@pytest.mark.parametrize(
    "more", [{}, {"level": "minor:sec"}, {"strategy": "fetch-browse", "fetch": "best"}, {"where": "year > 1991"}]
)
def test_each_form_is_pruned(index: trix.Index, asked: dict[str, Any], query: str, more: dict[str, Any]) -> None:
    for top in (1, 3, 1000):
        strategy = compared(index, query, {"preset": "study", "top": top, **asked, **more})
        assert strategy is Strategy.TOP_K


def test_a_context_that_asks_for_too_many_words_is_scored_in_full(index: trix.Index) -> None:
    phrases = " ".join(f'"one{number} other{number}"' for number in range(40))
    found = index.search(f"alpha {phrases}", preset="study", context="sentence")
    assert found.plan is not None and "the context asks for many words" in found.plan.reason


def test_occurrences_that_count_for_very_much_are_left_to_other_strategies(
    index: trix.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {"preset": "study", "weights": "p=7,title=3"}
    monkeypatch.setattr(lists, "LARGEST_COUNT", 3000)
    assert compared(index, "alpha beta", asked) is Strategy.ALL
    found = index.search("alpha beta", **asked)
    assert found.plan is not None and ranking.LARGE_COUNTS in found.plan.reason


def test_most_documents_are_not_scored_and_positions_of_few_are_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds that leave nothing out would give the same results."""
    looked, counted = list[int](), list[int]()
    whole, rows = PrunedSearcher._search, SentenceLists.counts

    def searched(self: Any, *given: Any) -> Any:
        found = whole(self, *given)
        counted.append(found[3])
        return found

    def noted(self: Any, contents: Any) -> Any:
        looked.extend(contents.tolist())
        return rows(self, contents)

    monkeypatch.setattr(PrunedSearcher, "_search", searched)
    monkeypatch.setattr(SentenceLists, "counts", noted)
    (tmp_path / "docs").mkdir()
    for number in range(60):
        both = "Alpha beta plum. Plum" if number in (17, 18, 40) else "Alpha plum. Beta plum"
        text = f"<p>{both}</p><p>alpha</p>" if number % 2 or number in (18, 40) else "<p>Alpha plum</p>"
        (tmp_path / "docs" / f"{number:02}.xml").write_text(f"<a><s>{text}</s></a>")
    trix.build(tmp_path / "docs", tmp_path / "i", profile="generic", stem="none", stop="none", jobs=1)
    with trix.open(tmp_path / "i") as made:
        found = made.search("alpha beta", top=2, strategy="focused", context="sentence:f=8,idf=0", preset="study")
        assert {result.doc for result in found} == {"17", "18"}
        assert counted[-1] < 4 * 33  # of the documents with one word alone none is scored
        looked.clear()
        made.search("alpha", top=2, context="sentence:f=8", preset="study")
        assert looked == []  # a word is in some sentence


def test_sentences_of_words_are_those_of_the_index(index: trix.Index) -> None:
    starts = SentenceStarts(index.files)
    found = SentenceLists(index.files, starts)
    for key in ("alpha", "tree", "nowhere"):
        wanted = list[int]()
        for at in sentences_with(index.files, starts, key).tolist():
            begin, end = starts.rows[at >> 32]
            if end > begin:
                wanted.append((at >> 32 << 32) + int(np.searchsorted(starts.starts[begin:end], at)))
        assert found((key,)).tolist() == wanted
    assert wanted == [] and found(("alpha",)).size


def test_weighted_rows_bound_what_elements_hold(index: trix.Index) -> None:
    weights = ElementWeights.of("title=3,note=0")
    options = Options.of(preset="study", weights=str(weights))
    scorer = index.now.searcher.scorer
    kept = TermCache(index.files, scorer.lists)
    found = kept.open([("alpha",)], "content", None, places_of(weights, scorer.places.content(weights)))
    whole = scorer.list_of(("alpha",), options)
    low, high, *_ = found.kept[0].spans
    documents = np.searchsorted(index.files.first_contents, whole.content_numbers, side="right") - 1
    exact = np.bincount(documents, whole.tf)[np.unique(documents)]
    rows = found.columns.rows[low:high]
    assert rows[:, 0].tolist() == np.unique(documents).tolist()
    assert (rows[:, 3] >= exact).all() and (rows[:, 3] < exact + UNIT).all()
    assert found.counts.cf[0] == whole.tf.sum()
    assert kept.open([("alpha",)], "content").counts.cf[0] != found.counts.cf[0]


def test_few_sets_of_weights_are_kept(index: trix.Index) -> None:
    scorer = index.now.searcher.scorer
    kept = TermCache(index.files, scorer.lists)
    for number in range(2 * lists.WEIGHTS):
        weights = ElementWeights.of(f"title={number + 2}")
        kept.open([("alpha",)], "content", None, places_of(weights, scorer.places.content(weights)))
    assert len(kept._stores) == lists.WEIGHTS


UNCOMPILED = """
import sys, trix
from trix.query.topk import ranking
ranking.FEW = ranking.TOGETHER = ranking.PER_RESULT = 1
with trix.open(sys.argv[1]) as index:
    for asked in eval(sys.argv[2]):
        found = index.search("alpha tree beta", preset="study", top=4, **asked)
        print(found.plan.strategy.value, found.elements.tolist(), [score.hex() for score in found.scores.tolist()])
"""


@pytest.mark.slow
def test_sources_give_the_bits_of_the_compiled_loop(index: trix.Index) -> None:
    def run(mode: str) -> str:
        given = [sys.executable, "-W", "error", "-c", UNCOMPILED, str(index.files.path), repr(ASKED)]
        done = subprocess.run(given, env={**os.environ, "TRIX_UNCOMPILED": mode}, capture_output=True, text=True)
        assert not done.returncode, done.stderr
        return done.stdout

    compiled = run("")
    assert compiled.count("pruned top-k") == len(ASKED)
    assert run("1") == compiled
