"""Horizontal windows of any width: equal surroundings give equal scores, to the last bit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from trix.query.context.horizontal import WIDE, Horizontal, distance_weights, window_sums, window_weights
from trix.query.matching.candidates import Candidates

SCORES = (0.0, 0.1, 0.1 + 0.2, 1 / 3, 0.7, 2.5, -0.4, 1e-9)


def flat(documents: list[list[float | None]], gap: int = 0) -> tuple[Candidates, NDArray[np.float64]]:
    """Return documents of content elements below their roots; an element with None does not match."""
    parent: list[int] = []
    number: list[int] = []
    scores: list[float] = []
    root, ordinal = 0, 0
    for document in documents:
        root = len(parent)
        parent.append(-1)
        number.append(-1)
        scores.append(0.25)
        # The ends always match, so that the candidates know how long the document is.
        for place, score in enumerate(document):
            if score is not None or place in (0, len(document) - 1):
                parent.append(root)
                number.append(ordinal + place)
                scores.append(score or 0.0)
        ordinal += len(document) + gap
    return Candidates.of_tree(parent, number), np.array(scores)


def exact(document: list[float | None], form: Horizontal) -> list[float]:
    """Return RS(x) of every 50th element that matches, by the formula in fractions [IV, eq. 3]."""
    found = []
    s = [Fraction(score or 0.0) for score in document]
    matching = [x for x, score in enumerate(document) if score is not None or x in (0, len(document) - 1)]
    for x in matching[::50]:
        g = {y: max(-Fraction(form.alpha) * (x - y) ** 2 + Fraction(form.gamma), Fraction(0)) for y in range(len(s))}
        below = sum(g[y] for y in g if y != x)
        above = sum(g[y] * s[y] for y in g if y != x)
        found.append(float(s[x] + Fraction(form.f) * (above / below if below else 0)))
    return found


FORMS = [
    Horizontal(alpha=0.0, gamma=1.0),
    Horizontal(alpha=1e-6, gamma=0.025, f=1.75),  # 158 to each side
    Horizontal(alpha=3e-7, gamma=0.021, f=3.0),  # 264
]
documents = st.lists(st.one_of(st.sampled_from(SCORES), st.none()), min_size=WIDE + 60, max_size=WIDE + 260)


@pytest.mark.parametrize("form", FORMS, ids=str)
@settings(max_examples=15, deadline=None)
@given(document=documents, before=documents, gap=st.integers(0, 10**6))
def test_equal_elements_have_equal_scores_wherever_they_stand(
    form: Horizontal, document: list[float | None], before: list[float | None], gap: int
) -> None:
    """The same document thrice, once at another distance from the collection's begin, and once turned round."""
    candidates, s = flat([document, before, document, document[::-1]], gap)
    scores = form.apply(candidates, s)
    root = np.flatnonzero(candidates.parent < 0)
    first, third, fourth = (scores[a + 1 : b] for a, b in ((0, root[1]), (root[2], root[3]), (root[3], len(s))))
    assert first.tolist() == third.tolist()
    assert first.tolist() == fourth[::-1].tolist()
    assert first[::50].tolist() == pytest.approx(exact(document, form), rel=1e-12, abs=1e-14)


@settings(max_examples=20, deadline=None)
@given(documents)
def test_where_distance_does_not_matter_equal_scores_stay_equal(document: list[float | None]) -> None:
    candidates, s = flat([document])
    scores = Horizontal(alpha=0.0, gamma=0.025).apply(candidates, s)
    for value in set(s[1:].tolist()):
        assert len(set(scores[1:][s[1:] == value].tolist())) == 1


@pytest.mark.parametrize("width", [WIDE + 1, 1000, 60_000, 1_100_000])
def test_windows_of_every_width_are_summed(width: int) -> None:
    """Few members that lie far apart, against fractions: beyond a million, 64 bits do not do."""
    alpha, gamma = 1.0 / (width + 0.5) ** 2, 1.0
    distances = np.array([0, 1, width // 2, width - 1, width, 2 * width], np.int32)
    s = np.array([0.5, -0.25, 1e-7, 0.9, 0.3, 3.0])
    first, last = np.zeros(6, np.int32), np.full(6, 2 * width, np.int32)
    g = distance_weights(alpha, gamma, 2 * width)
    assert len(g) == width + 1
    sums = window_sums(distances, first, last, s, g, alpha, gamma)
    weights = window_weights(distances, first, last, g, alpha, gamma)
    for i, x in enumerate(distances.tolist()):
        near = [(y, t) for y, t in zip(distances.tolist(), s.tolist(), strict=True) if 0 < abs(x - y) <= width]
        above = sum((Fraction(gamma) - Fraction(alpha) * (x - y) ** 2) * Fraction(t) for y, t in near)
        assert sums[i] == pytest.approx(float(above), rel=1e-11, abs=1e-13)
        below = g[1 : min(x, width) + 1].sum() + g[1 : min(2 * width - x, width) + 1].sum()
        assert weights[i] == pytest.approx(below, rel=1e-11)
