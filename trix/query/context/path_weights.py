"""Weighted means of the scores on the path from the root to an element.

Every form except the horizontal one is a table g(k, d): the weight of the ancestor at depth k for an element of depth
d. A :class:`PathWeights` encodes this table in a few numbers; :func:`path_scores` applies it. Sums run from the root
downwards, in the order of the formulas.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.core import topk
from trix.query.matching.candidates import Candidates

DEPTHS_PER_TABLE = 16
"""Depth step of the tables of weights; tables have rounded depths, so that queries share them."""


class PathWeights(NamedTuple):
    """The weights g(k, d) of a path, k = 0 at the root, k = d at the element itself.

    Parameters
    ----------
    head
        Weights from the root downwards.
    middle
        Weight of the positions in neither list.
    tail
        Weights from the element itself upwards.
    shared
        The middle positions share ``middle``: each gets middle/(d - 2).
    tail_wins
        Which list counts if both reach a position.
    own
        Whether the element itself is part of the mean. If so, the mean is the new score; if not, the mean times f is
        added to the old score.
    """

    head: tuple[float, ...]
    middle: float
    tail: tuple[float, ...]
    shared: bool = False
    tail_wins: bool = True
    own: bool = True

    @property
    def roots_only(self) -> bool:
        """Whether the root is the only ancestor that can have a weight."""
        return self.middle == 0 and not any(self.head[1:]) and not any(self.tail[1:])

    def row(self, depth: int) -> list[float]:
        """Return g(0, d), g(1, d), ... for an element of the given depth.

        >>> PathWeights(head=(2.0,), middle=1.0, tail=()).row(3)
        [2.0, 1.0, 1.0, 1.0]
        >>> PathWeights((3.0,), 5.0, (0.0, 2.0), shared=True, tail_wins=False, own=False).row(4)
        [3.0, 2.5, 2.5, 2.0]
        """
        # The row ends before the element if that is no part of the mean.
        stop = depth + 1 if self.own else depth
        # Positions before `turn` are head or middle, the others tail.
        turn = depth + 1 - len(self.tail)
        if not self.tail_wins:
            turn = max(turn, min(len(self.head), stop))
        turn = min(max(turn, 0), stop)
        # Between parent and root of an element at depth d there are d - 2 ancestors.
        middle = self.middle / (depth - 2) if self.shared and depth > 2 else self.middle
        return [self.head[k] if k < len(self.head) else middle for k in range(turn)] + [
            self.tail[depth - k] for k in range(turn, stop)
        ]


class _Tables(NamedTuple):
    """The weights as arrays, for depths 0 to ``size`` - 1."""

    head: NDArray[np.float64]
    tail: NDArray[np.float64]
    sums: NDArray[np.float64]  # (size,) the sum of each row


@lru_cache(maxsize=64)
def _tables(weights: PathWeights, size: int) -> _Tables:
    sums = np.zeros(size)
    for depth in range(size):
        sums[depth] = weight_sum(weights.row(depth))
    return _Tables(np.array(weights.head, dtype=np.float64), np.array(weights.tail, dtype=np.float64), sums)


def weight_arrays(weights: PathWeights, deepest: int) -> tuple[NDArray[np.float64], ...]:
    """Return the sums of the rows, the head and the tail as arrays for a kernel, for a range of depths."""
    tables = _tables(weights, deepest + 1)
    return tables.sums, tables.head, tables.tail


def row_sum(values: list[float]) -> float:
    """Add in the given order. (The builtin ``sum`` compensates since Python 3.12, which gives other bits.)"""
    total = 0.0
    for value in values:
        total += value
    return total


def weight_sum(weights: list[float]) -> float:
    """Return Σ g, which is 0 if the decimal numbers add up to 0.

    In binary, tenths do not: their sum would be a denominator of noise.

    >>> row_sum([0.1, 0.2, -0.3]) == 0.0, weight_sum([0.1, 0.2, -0.3]), weight_sum([0.5, -1.5])
    (False, 0.0, -1.0)
    """
    total = row_sum(weights)
    if total == 0.0 or abs(total) > 1e-9 * row_sum([abs(weight) for weight in weights]):
        return total
    from fractions import Fraction

    return 0.0 if sum(Fraction(repr(weight)) for weight in weights) == 0 else total


def path_scores(
    candidates: Candidates,
    s: NDArray[np.float64],
    weights: PathWeights,
    f: float = 1.0,
    around: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Contextualise every candidate by its path.

    Parameters
    ----------
    candidates
        n elements.
    s
        ``(n,)`` scores.
    weights
        g. If its sum is 0, the score stays.
    f
        Factor of the mean, if the element itself is not part of it.
    around
        ``(n,)`` scores of ancestors; None for `s`.

    Returns
    -------
    ndarray
        ``(n,)`` new scores.
    """
    if not len(candidates):
        return s.copy()
    # Rounded up, so that queries of different depth share cached tables.
    size = _table_size(candidates.depth)
    tables = _tables(weights, size)
    # By default one model scores both, and the ancestors' scores are those of the chain so far.
    around = s if around is None else around
    return topk.path_scores(
        candidates.depth,
        s,
        around,
        tables.head,
        tables.tail,
        tables.sums,
        weights.middle,
        weights.shared,
        weights.tail_wins,
        weights.own,
        f,
    )


def _table_size(depth: NDArray[np.int32]) -> int:
    return (int(depth.max()) // DEPTHS_PER_TABLE + 1) * DEPTHS_PER_TABLE


# -- upper bounds -----------------------------------------------------------------------------------------------------

# A mean of scores lies between the smallest and the largest one; a known score of the root makes that bound tighter.


class Shares(NamedTuple):
    """Possible shares of the root in the mean, and whether some elements have no mean, so that their scores stay.

    Each array has an entry by maximum depth, over elements from depth 1 to that depth.
    """

    least: NDArray[np.float64]
    most: NDArray[np.float64]
    stays: NDArray[np.bool_]


@lru_cache(maxsize=64)
def shares_of_root(weights: PathWeights, deepest: int) -> Shares | None:
    """Return the shares of the root by maximum depth; None with a negative weight.

    >>> [of.tolist() for of in shares_of_root(PathWeights((2.0,), 1.0, ()), 2)]
    [[0.0, 0.6666666666666666, 0.5], [0.0, 0.6666666666666666, 0.6666666666666666], [False, False, False]]
    """
    rows = [weights.row(depth) for depth in range(1, deepest + 1)]
    if any(weight < 0 for row in rows for weight in row):
        return None
    # A row without weight has no mean: NaN, which fmin and fmax pass over.
    shares = np.array([row[0] / sum(row) if sum(row) else np.nan for row in rows])
    least, most, stays = np.zeros((3, deepest + 1))
    least[1:], most[1:] = np.fmin.accumulate(shares), np.fmax.accumulate(shares)
    stays[1:] = np.logical_or.accumulate(np.isnan(shares))
    return Shares(np.nan_to_num(least), np.nan_to_num(most), stays.astype(np.bool_))
