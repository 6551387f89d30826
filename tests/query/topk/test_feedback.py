"""Feedback by the pruned top-k gives what rankings of all candidates give: same keys, elements, bits and notices."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from tests.query.topk.test_pruning import (
    DEMANDS,
    SEARCHES,
    SEEDS,
    chosen,
    eager,
    living_index,
    plain_options,
    several_indexes,
    term,
    told,
    whole_index,
)
from trix.indexer.fields.facets import Facet
from trix.query.expand import Feedback
from trix.query.feedback import expand
from trix.query.options import Options
from trix.query.plan import Plan, Strategy
from trix.query.ranking.organise import best, rank_key
from trix.query.relevance_model import relevance_model
from trix.query.strategies.execute import Answer, Strategies
from trix.query.strategies.first_pass import extended

__all__ = ["eager"]

EXPANSIONS = (
    "rm3:1:1:0.5", "rm3:3:4:0.5", "rm3:2:9:0.7", "rm3:500:3:0.2", "rm3:4:2:0", "rm3:5:5:1", "1:1", "2:3", "500:4",
)  # fmt: skip


def over_all_candidates(self: Strategies, asked: Any, options: Options, known: Any = ()) -> Answer:
    """Answer a query by its formulas: all elements are scored without feedback, and again with it."""
    how = options.expand
    assert how is not None
    searcher, plain = self._searcher, replace(options, expand=None)
    scored = searcher.score(asked, plain)
    none, facets = np.zeros(0), {name: Facet() for name in options.facet}
    nothing = Answer(Plan(Strategy.ALL), np.zeros(0, np.int32), none, none, 0, str(asked), facets=facets)
    if scored is None:
        return nothing
    key = rank_key(scored.scores)
    if scored.returned is not None:
        key = np.where(scored.returned, key, -np.inf)
    candidates, found = scored.candidates, int((key > -np.inf).sum())
    if isinstance(how, Feedback):
        roots = np.flatnonzero(candidates.parent < 0)
        greatest = np.maximum.reduceat(key, roots)
        first = roots[best(greatest, min(how.documents, int((greatest > -np.inf).sum())))]
        documents = np.asarray(searcher.index.documents_of(candidates.element[first]), np.int64)
        expansion: Any = expand(searcher.index, scored.query, documents, how)
    else:
        places = best(key, min(how.elements, found))
        expansion = relevance_model(searcher.index, candidates.element[places], scored.scores[places], how)
    longer = extended(asked, expansion)
    again = searcher.score(longer, plain)
    if again is None:
        return nothing._replace(notices=(expansion.notice(),), expansion=expansion)
    answer = self.of_scores(Plan(Strategy.ALL), str(longer), again)
    return answer._replace(notices=(expansion.notice(), *answer.notices), expansion=expansion)


def compare(index: trix.Index, draw: random.Random, searches: int, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Compare drawn queries; return which strategies answered."""
    used = set[str]()
    for _ in range(searches):
        words = " ".join(term(draw) for _ in range(draw.randint(1, 4)))
        given = plain_options(draw) | (draw.choice(DEMANDS) if draw.random() < 0.6 else {})
        asked, given = chosen(draw, words), given | {"expand": draw.choice(EXPANSIONS)}
        short = told(index, asked, given)
        if not isinstance(short, str):
            found = index.search(asked, **given)
            assert found.plan is not None
            used.add(found.plan.strategy.value)
            short = short, found.expansion
        with monkeypatch.context() as patch:
            patch.setattr(Strategies, "execute", over_all_candidates)
            whole = told(index, asked, given)
            if not isinstance(whole, str):
                whole = whole, index.search(asked, **given).expansion
        assert short == whole, (asked, given)
    return used


@pytest.mark.parametrize("made", [whole_index, living_index, several_indexes])
@pytest.mark.parametrize("seed", SEEDS)
def test_feedback_of_the_first_elements_alone(
    seed: int, made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(seed)
    with trix.open(made(draw, tmp_path / "i")) as index:
        used = compare(index, draw, SEARCHES, monkeypatch)
    assert used == {Strategy.TOP_K.value, Strategy.ALL.value}
