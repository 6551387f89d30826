"""Horizontal context: the neighbours in document order at one level [IV, eq. 3].

The weight falls with the square of the distance, so only a window of neighbours counts. Each side is summed from near
to far and the two sums are added last: mirror images get equal scores to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.core import match
from trix.query.context.form import ContextTerm, LevelNumbering, MeanForm, Ordinals, Sides, Surroundings, form_text
from trix.query.context.path_weights import row_sum
from trix.query.matching.candidates import Candidates
from trix.support.arrays import Floats, Int32s, Mask

WIDE = 128
"""Largest window, in neighbours on a side, that is summed one by one; wider ones are summed by moments."""


class ContentLevel:
    """The level of content elements, which needs no index."""

    def among(self, candidates: Candidates) -> Mask:
        """Return the candidates that are content elements, ``(n,)``."""
        return candidates.content

    def ordinals(self, candidates: Candidates, places: NDArray[np.intp]) -> Ordinals:
        """Return content numbers, and the first and the last of their documents, ``(k,)`` each."""
        root = candidates.root[places]
        return Ordinals(candidates.begin[places], candidates.begin[root], candidates.end[root] - np.int32(1))

    def sides(self, candidates: Candidates, places: NDArray[np.intp]) -> Sides:
        """Return the ranges of content numbers before and after some candidates in their documents."""
        root = candidates.root[places]
        return Sides(candidates.begin[root], candidates.begin[places], candidates.end[places], candidates.end[root])


@dataclass(frozen=True, slots=True, kw_only=True)
class Horizontal(MeanForm):
    """RS(x) = s(x) + f·Σ g s / Σ g over the other members of a level in x's document [IV, eq. 3].

    g = max(-α d² + γ, 0) falls with the distance d in document order. Only members of the level get a new score.

    Parameters
    ----------
    alpha, gamma, f
        α, γ and f.
    all
        Score members that do not match, too.
    level
        The granularity level; all but ``content`` need an index, see `bind`.
    numbering
        The level over one index.
    """

    alpha: float = 1e-5
    gamma: float = 0.025
    f: float = 1.0
    all: bool = False
    level: str = "content"
    numbering: LevelNumbering = field(default=ContentLevel(), compare=False, repr=False)

    def bind(self, surroundings: Surroundings) -> Horizontal:
        """Bind the form and its level to an index."""
        return self if self.level == "content" else replace(self, numbering=surroundings.apart(self.level))

    def sums(self, candidates: Candidates, s: Floats) -> tuple[Floats, Floats]:
        """Return Σ g s and Σ g of every candidate; 0 for candidates outside the level."""
        numerator, denominator = np.zeros(len(s)), np.zeros(len(s))
        members, (ordinal, first, last) = self._level(candidates)
        # One table of weights for all: as long as the longest document needs.
        g = self._g(first, last)
        if len(g):
            numerator[members] = window_sums(ordinal, first, last, s[members], g, self.alpha, self.gamma)
            denominator[members] = window_weights(ordinal, first, last, g, self.alpha, self.gamma)
        return numerator, denominator

    def context(self, candidates: Candidates, s: Floats, place: int) -> tuple[ContextTerm, ...]:
        """Return the terms of one candidate's sums: left neighbours, right ones, then one term for members without
        score.
        """
        members, (ordinal, first, last) = self._level(candidates)
        g = self._g(first, last)
        i = int(np.searchsorted(members, place))
        if i == len(members) or members[i] != place or not len(g):
            return ()
        distance = np.abs(ordinal - ordinal[i])
        near = np.flatnonzero((ordinal >= first[i]) & (ordinal <= last[i]) & (distance < len(g)))
        # From near to far on each side, as the kernel adds.
        left, right = near[near < i][::-1], near[near > i]
        silent = []
        for side, room in ((left, ordinal[i] - first[i]), (right, last[i] - ordinal[i])):
            # Members that are no candidates have no score, but their weights count.
            distances = np.arange(1, min(int(room), len(g) - 1) + 1)
            silent += g[np.setdiff1d(distances, distance[side])].tolist()
        terms = [ContextTerm(int(members[j]), float(g[distance[j]]), float(s[members[j]])) for j in (*left, *right)]
        if silent:
            terms.append(ContextTerm(None, row_sum(silent), 0.0, len(silent)))
        return tuple(terms)

    def members(self, candidates: Candidates) -> Mask:
        """Return the candidates that the form scores: those of the level, ``(n,)``."""
        return self.numbering.among(candidates)

    def _level(self, candidates: Candidates) -> tuple[NDArray[np.intp], Ordinals]:
        """Return indices and ordinals of the level's candidates."""
        members = np.flatnonzero(self.numbering.among(candidates))
        return members, self.numbering.ordinals(candidates, members)

    def _g(self, first: Int32s, last: Int32s) -> Floats:
        longest = int((last - first).max(initial=0))
        return distance_weights(self.alpha, self.gamma, longest)

    def __str__(self) -> str:
        text = form_text("horizontal", self, alpha=1e-5, gamma=0.025, f=1.0)
        if self.level == "content":
            return text
        return f"{text}{',' if ':' in text else ':'}level={self.level}"


def distance_weights(alpha: float, gamma: float, longest: int) -> Floats:
    """Return g(d) = -α d² + γ for d = 0, 1, ... as long as it is positive and d is at most ``longest``.

    >>> distance_weights(0.04, 1.0, 100).round(2).tolist()
    [1.0, 0.96, 0.84, 0.64, 0.36]
    """
    reach = float(longest)
    if alpha > 0.0:
        # g is positive up to √(γ/α); one more, as the root may be rounded down. The last line cuts exactly.
        reach = min(reach, (gamma / alpha) ** 0.5 + 1.0)
    d = np.arange(int(reach) + 1, dtype=np.float64)
    g = -alpha * d**2 + gamma
    return g[: int(np.count_nonzero(g > 0.0))]


def window_weights(
    ordinal: Int32s,
    first: Int32s,
    last: Int32s,
    g: Floats,
    alpha: float,
    gamma: float,
) -> Floats:
    """Return the sum of g over all other members of the level in the document: the denominators, ``(m,)``.

    The parameters are those of `window_sums`.
    """
    width = len(g) - 1
    if width > WIDE:
        return _wide_weights(np.minimum(ordinal - first, width), np.minimum(last - ordinal, width), alpha, gamma)
    # g depends on the distance alone, so sums over k neighbours are looked up, for each side.
    total = np.concatenate(([0.0], np.cumsum(g[1:])))
    denominator: Floats = total[np.minimum(ordinal - first, width)] + total[np.minimum(last - ordinal, width)]
    return denominator


def window_sums(
    ordinal: Int32s,
    first: Int32s,
    last: Int32s,
    s: Floats,
    g: Floats,
    alpha: float,
    gamma: float,
) -> Floats:
    """Return Σ g(x,y) s(y) over the members y that have a score: the numerators.

    Parameters
    ----------
    ordinal
        ``(m,)`` ascending ordinals of the scored members, in document order.
    first, last
        ``(m,)`` ordinals of the first and the last member of each one's document.
    s
        ``(m,)`` scores.
    g
        Weights by distance; a window has ``len(g) - 1`` members on each side.
    alpha, gamma
        Parameters of g.

    Returns
    -------
    ndarray
        ``(m,)`` sums.
    """
    if len(g) - 1 > WIDE:
        return _wide_sums(ordinal, first, last, s, len(g) - 1, alpha, gamma)
    return match.window_sums(ordinal, first, last, s, g)


def _wide_weights(left: Int32s, right: Int32s, alpha: float, gamma: float) -> Floats:
    """Sum g over k members on each side by Σ d² = k(k+1)(2k+1)/6, in integers up to the last step."""
    # 2k³ fits into 64 bits up to here; beyond, Python's numbers are exact.
    kind: Any = np.int64 if max(left.max(initial=0), right.max(initial=0)) < 1 << 20 else object
    squares: Any = sum(k * (k + 1) * (2 * k + 1) // 6 for k in (left.astype(kind), right.astype(kind)))
    return np.asarray(gamma * (left + right) - alpha * squares.astype(np.float64), dtype=np.float64)


def _wide_sums(
    ordinal: Int32s,
    first: Int32s,
    last: Int32s,
    s: Floats,
    width: int,
    alpha: float,
    gamma: float,
) -> Floats:
    """Sum wide windows in linear time, so that equal windows give equal sums to the last bit.

    Σ (γ - α d²) s = γ Σ s - α Σ d² s. For y at the ordinals u around x at e, Σ d² s = Σ u² s - 2e Σ u s + e² Σ s.
    Each of these is a difference of running sums. These are sums of integers, hence exact: scores are counted in 2^-60
    of the greatest, and split into parts so small that Σ d² s of a window fits into 64 bits. Running sums may overflow,
    but their differences are right. So rounding depends only on the window's scores and distances, not on its place in
    the collection.
    """
    _, exponent = np.frexp(np.abs(s).max(initial=0.0))
    counted = np.rint(np.ldexp(s, _BITS - int(exponent))).astype(np.int64)
    # Windows as ranges of places: neighbours without a score are no members of the array.
    start = np.searchsorted(ordinal, np.maximum(first, ordinal - width))
    stop = np.searchsorted(ordinal, np.minimum(last, ordinal + width), side="right")
    largest = (2 * width**3).bit_length()  # of Σ d² over a window
    part = 62 - largest
    kind: Any = np.int64 if part > 0 else object  # Python's numbers for a window of a million
    part = part if part > 0 else _BITS + 1
    e = ordinal.astype(kind)
    near, far = np.zeros(len(s)), np.zeros(len(s))
    for shift in reversed(range(0, _BITS + 1, part)):
        rest = counted >> shift
        # The highest part keeps the sign; the others are plain bits.
        digits = (rest if shift + part > _BITS else rest & ((1 << part) - 1)).astype(kind)
        m0, m1, m2 = (_between(digits * e**power, start, stop) for power in range(3))
        # From the highest part down; the element itself is not its own neighbour.
        near += np.ldexp((m0 - digits).astype(np.float64), shift)
        far += np.ldexp((m2 - 2 * e * m1 + e * e * m0).astype(np.float64), shift)
    return np.asarray(np.ldexp(gamma * near - alpha * far, int(exponent) - _BITS), dtype=np.float64)


_BITS = 60
"""Number of bits of a scaled score; the largest score determines the scale."""


def _between(values: NDArray[Any], start: NDArray[np.intp], stop: NDArray[np.intp]) -> NDArray[Any]:
    """Return the sums of values from start to stop."""
    total = np.concatenate((np.zeros(1, values.dtype), np.cumsum(values)))
    return np.asarray(total[stop] - total[start])
