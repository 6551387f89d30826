"""Horizontal context: the neighbours in document order at one level [Arvola 2011, eq. 3].

The weight falls with the square of the distance, so only a window of neighbours counts. Each side is summed from near
to far and the two sums are added last: mirror images get equal scores to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from trix import kernels
from trix.query.candidates import Candidates
from trix.query.context_form import Explained, Numbering, Ordinals, Sides, Surroundings, Term, explained, form_text
from trix.query.context_path import row_sum

WIDE = 128
"""Windows of more neighbours on a side are summed by moments instead of one by one."""


class ContentLevel:
    """The content elements, which candidates know without an index."""

    def among(self, candidates: Candidates) -> NDArray[np.bool_]:
        """Return which candidates are content elements, ``(n,)``."""
        return candidates.content

    def ordinals(self, candidates: Candidates, places: NDArray[np.intp]) -> Ordinals:
        """Return content numbers, and the first and the last of their documents, ``(k,)`` each."""
        root = candidates.root[places]
        return candidates.begin[places], candidates.begin[root], candidates.end[root] - np.int32(1)

    def sides(self, candidates: Candidates) -> Sides:
        """Return the ranges of content numbers before and behind each candidate in its document."""
        root = candidates.root
        return candidates.begin[root], candidates.begin, candidates.end, candidates.end[root]


@dataclass(frozen=True, slots=True, kw_only=True)
class Horizontal:
    """RS(x) = s(x) + f·Σ g s / Σ g over the other members of a level in x's document [Arvola 2011, eq. 3].

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
    numbering: Numbering = field(default=ContentLevel(), compare=False, repr=False)

    def bind(self, surroundings: Surroundings) -> Horizontal:
        """Return the form with its level as it is in one index."""
        return self if self.level == "content" else replace(self, numbering=surroundings.apart(self.level))

    def apply(self, candidates: Candidates, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the new scores, ``(n,)``."""
        out = s.copy()
        members, ordinal, first, last = self._level(candidates)
        g = self._g(first, last)
        if not len(g):
            return out
        numerator = window_sums(ordinal, first, last, s[members], g, self.alpha, self.gamma)
        denominator = window_weights(ordinal, first, last, g)
        mean = np.divide(numerator, denominator, out=np.zeros(len(members)), where=denominator > 0)
        out[members] = np.where(denominator > 0, s[members] + self.f * mean, s[members])
        return out

    def terms(self, candidates: Candidates, s: NDArray[np.float64], place: int) -> Explained:
        """Return the numbers behind the new score of one candidate: left neighbours, right ones, then the silent."""
        own = float(s[place])
        members, ordinal, first, last = self._level(candidates)
        g = self._g(first, last)
        i = int(np.searchsorted(members, place))
        if i == len(members) or members[i] != place or not len(g):
            return Explained((), 0.0, 0.0, self.f, own, own)
        near = np.flatnonzero((ordinal >= first[i]) & (ordinal <= last[i]) & (np.abs(ordinal - ordinal[i]) < len(g)))
        left, right = near[near < i][::-1], near[near > i]
        silent = []
        for side, room in ((left, ordinal[i] - first[i]), (right, last[i] - ordinal[i])):
            distances = np.arange(1, min(int(room), len(g) - 1) + 1)
            silent += g[np.setdiff1d(distances, np.abs(ordinal[side] - ordinal[i]))].tolist()
        terms = [
            Term(int(members[j]), float(g[abs(ordinal[j] - ordinal[i])]), float(s[members[j]])) for j in (*left, *right)
        ]
        if silent:
            terms.append(Term(None, row_sum(silent), 0.0, len(silent)))
        numerator = window_sums(ordinal, first, last, s[members], g, self.alpha, self.gamma)[i]
        denominator = window_weights(ordinal, first, last, g)[i]
        return explained(tuple(terms), float(numerator), float(denominator), self.f, own)

    def members(self, candidates: Candidates) -> NDArray[np.bool_]:
        """Return which candidates the form is applied to: those of the level, ``(n,)``."""
        return self.numbering.among(candidates)

    def _level(
        self, candidates: Candidates
    ) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return places and ordinals of the level's candidates, and the ordinals at the ends of their documents."""
        members = np.flatnonzero(self.numbering.among(candidates))
        return members, *self.numbering.ordinals(candidates, members)

    def _g(self, first: NDArray[np.int32], last: NDArray[np.int32]) -> NDArray[np.float64]:
        longest = int((last - first).max(initial=0))
        return distance_weights(self.alpha, self.gamma, longest)

    def __str__(self) -> str:
        text = form_text("horizontal", self, alpha=1e-5, gamma=0.025, f=1.0)
        if self.level == "content":
            return text
        return f"{text}{',' if ':' in text else ':'}level={self.level}"


def distance_weights(alpha: float, gamma: float, longest: int) -> NDArray[np.float64]:
    """Return g(d) = -α d² + γ for d = 0, 1, ... as long as it is positive and d is at most ``longest``.

    >>> distance_weights(0.04, 1.0, 100).round(2).tolist()
    [1.0, 0.96, 0.84, 0.64, 0.36]
    """
    reach = float(longest)
    if alpha > 0.0:
        reach = min(reach, (gamma / alpha) ** 0.5 + 1.0)
    d = np.arange(int(reach) + 1, dtype=np.float64)
    g = -alpha * d**2 + gamma
    return g[: int(np.count_nonzero(g > 0.0))]


def window_weights(
    ordinal: NDArray[np.int32], first: NDArray[np.int32], last: NDArray[np.int32], g: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sum of g over all other members of the level in the document: the denominators, ``(m,)``."""
    total = np.concatenate(([0.0], np.cumsum(g[1:])))
    width = len(g) - 1
    denominator: NDArray[np.float64] = (
        total[np.minimum(ordinal - first, width)] + total[np.minimum(last - ordinal, width)]
    )
    return denominator


def window_sums(
    ordinal: NDArray[np.int32],
    first: NDArray[np.int32],
    last: NDArray[np.int32],
    s: NDArray[np.float64],
    g: NDArray[np.float64],
    alpha: float,
    gamma: float,
) -> NDArray[np.float64]:
    """Return Σ g(x,y) s(y) over the members y that have a score: the numerators.

    Parameters
    ----------
    ordinal
        ``(m,)`` ascending numbers of the scored members in document order.
    first, last
        ``(m,)`` numbers of the first and the last member of each one's document.
    s
        ``(m,)`` scores.
    g
        Weights by distance; a window is ``len(g) - 1`` to each side.
    alpha, gamma
        What g was made of.

    Returns
    -------
    ndarray
        ``(m,)`` sums.
    """
    if len(g) - 1 > WIDE:
        return _wide_sums(ordinal, first, last, s, len(g) - 1, alpha, gamma)
    if kernels.use_numba():
        from trix.query.kernels_context import window_sums as compiled

        return compiled(ordinal, first, last, s, g)
    sums = []
    for step in (-1, 1):
        total, here, hop = np.zeros(len(s)), np.arange(len(s)), 1
        while len(here):
            there = here + step * hop
            here, there = here[(there >= 0) & (there < len(s))], there[(there >= 0) & (there < len(s))]
            distance = np.abs(ordinal[there] - ordinal[here])
            near = (distance < len(g)) & (ordinal[there] >= first[here]) & (ordinal[there] <= last[here])
            here, there = here[near], there[near]
            total[here] += g[distance[near]] * s[there]
            hop += 1
        sums.append(total)
    return sums[0] + sums[1]


def _wide_sums(
    ordinal: NDArray[np.int32],
    first: NDArray[np.int32],
    last: NDArray[np.int32],
    s: NDArray[np.float64],
    width: int,
    alpha: float,
    gamma: float,
) -> NDArray[np.float64]:
    """Sum wide windows in linear time.

    With u the distance of y, and e that of x, from a common origin, Σ (γ - α(e-u)²) s is a sum of the moments Σs, Σus
    and Σu²s. The origin is the middle of a block as long as the window, so that no number gets larger than what it
    is subtracted from and the result keeps its digits.
    """
    here = ordinal.astype(np.float64)
    low, high = np.maximum(first, ordinal - width), np.minimum(last, ordinal + width)
    edge = first + (ordinal - first) // width * width
    middle = edge + width / 2.0
    moments = [np.concatenate(([0.0], np.cumsum(s * (here - middle) ** p))) for p in range(3)]
    sums = []
    for begin, end, shift in (
        (low, edge, -width),
        (edge, ordinal, 0),
        (ordinal + 1, np.minimum(edge + width, high + 1), 0),
        (edge + width, high + 1, width),
    ):
        start, stop = np.searchsorted(ordinal, begin), np.searchsorted(ordinal, np.maximum(begin, end))
        e = here - (middle + shift)
        m0, m1, m2 = (moment[stop] - moment[start] for moment in moments)
        sums.append((gamma - alpha * e**2) * m0 + 2.0 * alpha * e * m1 - alpha * m2)
    return np.asarray((sums[0] + sums[1]) + (sums[2] + sums[3]), dtype=np.float64)
