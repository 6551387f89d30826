"""Invented words with Zipf frequencies, and seeded draws that every Python version repeats."""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")

_FREQUENT = "the of and in to a is that for as with are by it from this on an be which or at"
FUNCTION_WORDS = tuple(_FREQUENT.split())
"""English function words, the most frequent words of every text. With them the language is recognised as English."""

SIZE = 4000
"""Number of invented words."""

_FUNCTION = 0.4  # share of function words in running text
_SHIFT = 2.7  # of the Zipf-Mandelbrot law, which flattens the first ranks
_ONSETS, _VOWELS, _ENDS = "bdfgklmnprstz", "aeiou", "klmnr"
_SYLLABLES = [onset + vowel for onset in _ONSETS for vowel in _VOWELS]
_STEP = 1237  # coprime to the number of pairs of syllables, so that words of near ranks look different


class Draws:
    """Seeded draws. Only `random.Random.random` is used, since Python guarantees its sequence.

    Parameters
    ----------
    seed
        Parts of the seed. Different parts give independent draws.

    Examples
    --------
    >>> [Draws(1, "a").below(1000) for _ in range(2)] == [Draws(1, "b").below(1000) for _ in range(2)]
    False
    >>> Draws(1).share() == Draws(1).share()
    True
    """

    def __init__(self, *seed: object) -> None:
        self.share = random.Random("/".join(map(str, seed))).random
        """Draw a number in [0, 1)."""

    def below(self, n: int) -> int:
        """Draw a whole number from 0 to n - 1."""
        return int(self.share() * n)

    def between(self, low: int, high: int) -> int:
        """Draw a whole number in the given range, with both ends."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self.share() < probability

    def among(self, items: Sequence[T]) -> T:
        """Draw an item."""
        return items[self.below(len(items))]

    def several(self, items: Sequence[T], n: int) -> list[T]:
        """Draw n different items, in the order of the draws."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(min(n, len(left)))]


def invented(rank: int) -> str:
    """Return the invented word of a rank; words of different ranks differ in their first four letters.

    >>> [invented(rank) for rank in (0, 1, 2, 3500)]
    ['babak', 'gubin', 'nobul', 'rirakok']
    """
    pair = rank * _STEP % len(_SYLLABLES) ** 2
    first, second = divmod(pair, len(_SYLLABLES))
    more = _SYLLABLES[rank % 61] if rank > SIZE // 2 else ""
    return _SYLLABLES[first] + _SYLLABLES[second] + more + _ENDS[(rank + pair) % len(_ENDS)]


@cache
def invented_words() -> tuple[str, ...]:
    """Return all invented words, by falling frequency."""
    return tuple(map(invented, range(SIZE)))


@cache
def _cumulated() -> list[float]:
    """Return the cumulated Zipf weights of the invented words."""
    return list(accumulate(1 / (rank + 1 + _SHIFT) for rank in range(SIZE)))


def background(draws: Draws) -> str:
    """Draw a word of running text: a function word, or an invented word by Zipf's law."""
    if draws.chance(_FUNCTION):
        return FUNCTION_WORDS[int(draws.share() * draws.share() * len(FUNCTION_WORDS))]
    weights = _cumulated()
    return invented_words()[bisect(weights, draws.share() * weights[-1])]
