"""Which words of a query are held where, against sets; compiled and plain are one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trix.core.match import add_weights, largest_within
from trix.query.matching.candidates import Candidates
from trix.query.matching.matching import TermList, frequencies
from trix.query.matching.query_words import WORDS, term_masks
from trix.query.scoring.statistics import StatisticsScope

LAST = 60
"""Content elements have numbers below it."""

contents = st.lists(st.integers(0, LAST - 1), unique=True, max_size=30).map(sorted)
ranges = st.lists(st.tuples(st.integers(0, LAST), st.integers(0, LAST)).map(sorted), max_size=12)


def listed(numbers: list[int]) -> TermList:
    return TermList(np.array(numbers, np.int32), np.array([number % 3 + 1 for number in numbers], np.int32))


def columns(pairs: list[Any]) -> tuple[Any, Any]:
    both = np.array(pairs, np.int32).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()


@given(st.lists(contents, max_size=6), ranges)
def test_ranges_hold_the_words_of_their_content_elements(words: list[list[int]], asked: list[Any]) -> None:
    begin, end = columns(asked)
    apart = np.unique(np.concatenate([begin, end]))[: len(np.unique(np.concatenate([begin, end]))) // 2 * 2]
    found = term_masks([listed(numbers) for numbers in words])
    masks = found.within(begin, end)
    rows, held = found.by_range(apart[::2], apart[1::2])
    sums = add_weights(np.ones(begin.size), masks, np.arange(len(words), dtype=np.float64) + 0.1)
    assert found.content_numbers.tolist() == sorted({number for numbers in words for number in numbers})

    def mask(low: int, high: int) -> int:
        return sum(1 << word for word, numbers in enumerate(words) if any(low <= each < high for each in numbers))

    assert [int(each) for each in masks] == [mask(low, high) for low, high in asked]
    wanted = [mask(low, high) for low, high in zip(apart[::2].tolist(), apart[1::2].tolist(), strict=True)]
    assert dict(zip(rows.tolist(), map(int, held), strict=True)) == {row: of for row, of in enumerate(wanted) if of}
    for total, of in zip(sums.tolist(), masks.tolist(), strict=True):
        assert total == pytest.approx(1 + sum(word + 0.1 for word in range(len(words)) if of >> word & 1))


def test_there_are_as_many_words_as_bits() -> None:
    found = term_masks([listed([word]) for word in range(WORDS)])
    masks = found.within(np.array([0, WORDS - 1]), np.array([WORDS, WORDS]))
    assert [int(mask) for mask in masks] == [2**WORDS - 1, 2 ** (WORDS - 1)]


@given(contents, ranges)
def test_the_largest_value_of_a_range(numbers: list[int], asked: list[Any]) -> None:
    values = [(number * 7) % 11 / 4 for number in numbers]
    begin, end = columns(asked)
    found = largest_within(np.array(numbers, np.int32), np.array(values), begin, end)
    inside = [[value for at, value in zip(numbers, values, strict=True) if low <= at < high] for low, high in asked]
    assert found.tolist() == [max(each, default=0.0) for each in inside]


@given(contents, st.lists(st.integers(0, LAST), unique=True, max_size=14).map(sorted))
def test_texts_that_hold_a_term(numbers: list[int], ends: list[int]) -> None:
    """Texts that lie apart; every second one is left out, and one is empty."""
    pairs = [(low, high) for low, high in pairwise(ends)][::2]
    pairs = [(low, low) for low, _ in pairs[:1]] + pairs
    begin, end = columns(pairs)
    of = listed(numbers)
    inside = [[tf for at, tf in zip(numbers, of.tf.tolist(), strict=True) if low <= at < high] for low, high in pairs]
    assert StatisticsScope(begin.size, 1, begin, end).counts(of) == (sum(map(bool, inside)), sum(map(sum, inside)))


@given(st.lists(contents, min_size=1, max_size=3), ranges)
def test_frequencies_are_counts(words: list[list[int]], asked: list[Any]) -> None:
    begin, end = columns(sorted(asked))
    nothing = np.zeros(begin.size, np.int32)
    elements = Candidates(nothing, nothing, nothing, nothing, begin, end, nothing.astype(np.bool_))
    lists = [listed(numbers) for numbers in words]
    kf, xi_k = frequencies(elements, lists)
    for row, of in enumerate(lists):
        inside = [(of.content_numbers >= low) & (of.content_numbers < high) for low, high in sorted(asked)]
        assert kf[row].tolist() == [int(of.tf[each].sum()) for each in inside]
        assert xi_k[row].tolist() == [int(each.sum()) for each in inside]
