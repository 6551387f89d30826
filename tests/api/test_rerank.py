"""A callable of the caller that ranks the first results; models of these tests are small functions."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import trix
from trix.api.rerank import RerankCandidate
from trix.errors import UsageError

WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight")

Model = Callable[[list[RerankCandidate]], Any]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    """Return an index of eight documents: the later ones say `alpha` less often in as many words."""
    folder = tmp_path_factory.mktemp("rerank")
    (folder / "docs").mkdir()
    for number, word in enumerate(WORDS):
        said = " ".join(["alpha"] * (10 - number) + ["beta"] * number)
        section = f"<sec><title>Part {word}</title><p>{said} {word}</p></sec>"
        (folder / "docs" / f"d{number}.xml").write_text(f"<a><title>Doc {word}</title>{section}</a>")
    trix.build(folder / "docs", folder / "i", jobs=1, profile="generic")
    return trix.open(folder / "i")


def asked(index: trix.Index, model: Model | None = None, **options: Any) -> trix.Results:
    return index.search("alpha", level="//p", model="bm25", B=0, rerank=model, **options)


def docs_of(results: trix.Results) -> list[str]:
    return [each.doc for each in results]


def scorer(*scores: float) -> Model:
    return lambda candidates: list(scores[: len(candidates)])


def test_the_first_results_are_ranked_by_the_callable_and_the_others_follow(index: trix.Index) -> None:
    plain = asked(index)
    assert docs_of(plain) == [f"d{number}" for number in range(8)]
    assert not plain.reranked and not plain[0].reranked and plain[0].first_stage == plain[0].score
    found = asked(index, scorer(0.5, 2, 0.5, 7), rerank_top=4)
    assert docs_of(found) == ["d3", "d1", "d0", "d2", "d4", "d5", "d6", "d7"]  # d0 and d2 are tied
    assert found.scores[:4].tolist() == [7, 2, 0.5, 0.5]
    assert found.scores[4:].tolist() == plain.scores[4:].tolist()
    assert found.reranked == 4
    assert [each.reranked for each in found] == [True] * 4 + [False] * 4
    assert [each.rank for each in found] == [*range(1, 9)]
    before = dict(zip(plain.docs, plain.scores.tolist(), strict=True))
    assert [each.first_stage for each in found] == [before[each.doc] for each in found]
    assert (np.diff(found.run_scores.astype(np.float32)) < 0).all()
    assert found[0].text == asked(index)[3].text and found.matched == plain.matched


def test_the_callable_gets_all_candidates_at_once_in_order_of_rank(index: trix.Index) -> None:
    calls: list[list[RerankCandidate]] = []

    def model(candidates: list[RerankCandidate]) -> Any:
        calls.append(candidates)
        return np.arange(len(candidates), dtype=np.float32)

    plain, found = asked(index), asked(index, model, rerank_top=3, top=2)
    assert docs_of(found) == ["d2", "d1"]
    (candidates,) = calls
    assert [each.query for each in candidates] == ["alpha"] * 3
    assert [each.text for each in candidates] == [each.text for each in plain][:3]
    assert [each.score for each in candidates] == plain.scores[:3].tolist()
    assert candidates[1].title == plain[1].title
    assert candidates[1].breadcrumb == plain[1].breadcrumb != ()
    assert "two" in candidates[1].text and candidates[1].breadcrumb[-1] == "Part two"


def test_words_of_a_document_are_the_query_of_a_search_for_results_like_it(index: trix.Index) -> None:
    queries: list[str] = []

    def model(candidates: list[RerankCandidate]) -> list[float]:
        queries.extend(each.query for each in candidates)
        return [0] * len(candidates)

    found = index.search("", like="d3", rerank=model, rerank_top=2)
    assert set(queries) == {found.query} and "beta" in found.query


def test_a_list_is_cut_after_it_was_re_ranked(index: trix.Index) -> None:
    backwards = scorer(*range(8))
    assert docs_of(asked(index, backwards, rerank_top=8, top=2)) == ["d7", "d6"]
    found = asked(index, backwards, rerank_top=8, top=2, from_=3)
    assert docs_of(found) == ["d5", "d4"] and [each.rank for each in found] == [3, 4]
    assert [each.score for each in found] == [5, 4]
    assert [each.first_stage for each in found] == asked(index).scores[[5, 4]].tolist()
    assert docs_of(asked(index, backwards, rerank_top=2, top=3)) == ["d1", "d0", "d2"]
    assert docs_of(asked(index, backwards, rerank_top=2, top=None)) == ["d1", "d0", *(f"d{n}" for n in range(2, 8))]
    assert len(asked(index, backwards, rerank_top=2, from_=9)) == 0


def test_any_scores_give_the_order_that_a_literal_sort_gives(index: trix.Index) -> None:
    chance = random.Random(7)
    plain = docs_of(asked(index))
    for _ in range(20):
        many, scores = chance.randint(1, 9), [chance.choice([-1.5, 0, 1, 2]) for _ in range(8)]
        expected = sorted(plain[:many], key=lambda doc: (-scores[plain.index(doc)], plain.index(doc))) + plain[many:]
        assert docs_of(asked(index, scorer(*scores), rerank_top=many)) == expected


def test_nothing_is_called_where_nothing_matches(index: trix.Index) -> None:
    found = index.search("nowhere", rerank=scorer())
    assert len(found) == 0 and found.reranked == 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_topic_of_a_run_is_re_ranked_in_the_process_of_the_caller(index: trix.Index, jobs: int) -> None:
    topics = {"1": "alpha", "2": "beta seven", "3": "nowhere", "4": "beta"}
    processes: set[int] = set()

    def model(candidates: list[RerankCandidate]) -> list[float]:
        processes.add(os.getpid())
        return [each.text.count("beta") % 3 for each in candidates]

    run = index.run(topics, rerank=model, rerank_top=5, top=6, jobs=jobs)
    assert processes == {os.getpid()}
    for topic, query in topics.items():
        single = index.search(query, preset="study", open_phrases=True, rerank=model, rerank_top=5, top=6)
        assert run[topic].elements.tolist() == single.elements.tolist()
        assert run[topic].scores.tolist() == single.scores.tolist()
        assert run[topic].reranked == single.reranked
    assert [each.score for each in run.scored_docs()] == [s for topic in topics for s in run[topic].run_scores]


def test_a_topic_that_the_callable_fails_over_is_skipped(index: trix.Index) -> None:
    def model(candidates: list[RerankCandidate]) -> list[float]:
        return [1.0] * (len(candidates) if candidates[0].query == "alpha" else 1)

    run = index.run({"1": "alpha", "2": "beta"}, rerank=model)
    assert list(run.skipped) == ["2"] and "one for each result" in run.skipped["2"]
    assert run["1"].reranked and not len(run["2"])
    with pytest.raises(UsageError, match="the callable returned 0"):
        index.run({"1": "alpha", "2": "beta"}, rerank=lambda candidates: [])


WRONG: dict[str, tuple[Any, dict[str, Any]]] = {
    "expected a callable that scores a list of results; got 3": (3, {}),
    "the callable failed over 3 results: ZeroDivisionError: division by zero": (lambda found: 1 / 0, {}),
    "expected 3 numbers, one for each result, in order; the callable returned 2": (lambda found: [1, 2], {}),
    "expected 3 numbers, one for each result, in order; the callable returned 3 x 2": (lambda found: [[1, 2]] * 3, {}),
    "expected 3 numbers, one for each result, in order; the callable returned NoneType": (lambda found: None, {}),
    "expected 3 numbers, one for each result, in order; the callable returned list": (lambda found: ["a"] * 3, {}),
    "expected finite numbers; the callable returned nan for result 2": (lambda found: [1, np.nan, 1], {}),
    "expected finite numbers; the callable returned -inf for result 1": (lambda found: [-np.inf, 0, 1], {}),
    "expected results in the order of their scores; got `sort`": (len, {"sort": ["-score"]}),
    "expected results in the order of their scores; got `strategy` fetch-browse, which keeps documents together": (
        len,
        {"strategy": "fetch-browse"},
    ),
}


@pytest.mark.parametrize("expected", WRONG)
def test_what_is_wrong_is_said_in_one_line(index: trix.Index, expected: str) -> None:
    model, options = WRONG[expected]
    with pytest.raises(UsageError) as fault:
        asked(index, model, rerank_top=3, **options)
    assert str(fault.value) == f"rerank: {expected}"


def test_the_number_of_results_is_checked(index: trix.Index) -> None:
    with pytest.raises(UsageError, match="rerank_top: expected a whole number of 1 or more; got 0"):
        asked(index, len, rerank_top=0)


def test_the_json_form_and_frames_have_the_score_of_the_search_as_well(index: trix.Index) -> None:
    found = asked(index, scorer(1, 2), rerank_top=2)
    fields = found[0].to_dict()
    assert (fields["score"], fields["reranked"], fields["first_stage"]) == (2, True, found[0].first_stage)
    assert found[2].to_dict()["reranked"] is False
    assert "reranked" not in asked(index)[0].to_dict()
    assert found.to_frame()["first_stage"].tolist() == found.first_stage.tolist()
    assert "first_stage" not in asked(index).to_frame()
