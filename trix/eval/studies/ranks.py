"""Ranks of runs among those of other systems, as campaigns publish them [I, tables 1 and 3]."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from trix.errors import UsageError
from trix.eval.measures.core.registry import Measure
from trix.eval.scores import Scores


def rank_among(value: float, others: Iterable[float], higher: bool = True) -> int:
    """Return the rank of a value among others, from 1: one more than the number of better ones.

    NaN is worse than every number, so equal values share the best of their ranks.

    >>> rank_among(0.3, [0.5, 0.3, 0.1]), rank_among(2.0, [1.0, 4.0], higher=False)
    (2, 2)
    """
    sign = 1 if higher else -1
    mine = -math.inf if math.isnan(value) else sign * value
    return 1 + sum(sign * other > mine for other in others if not math.isnan(other))


def run_ranks(result: Scores, measure: str | Measure, own: Sequence[str] = ()) -> dict[str, int]:
    """Return the rank of each run by a measure, from 1.

    Parameters
    ----------
    result
        Scores of several runs.
    measure
        One of its measures; a number, not a vector.
    own
        Variants of one system. Each is ranked among the other runs alone, as if it were the only one.

    Raises
    ------
    UsageError
        The measure is a vector, or an own run is not in the result.
    """
    means, higher = {}, True
    for run in result.runs:
        score = result[run, measure]
        if score.is_vector:
            raise UsageError(f"{score.measure} is a vector; runs have ranks by a number")
        means[run], higher = float(score.mean), score.measure.spec.higher
    if missing := [run for run in own if run not in means]:
        raise UsageError(f"there is no run {missing[0]!r}; runs: {' '.join(means)}")
    apart = set(own)
    others = {run: value for run, value in means.items() if run not in apart}
    return {
        run: rank_among(value, (others if run in apart else means).values(), higher) for run, value in means.items()
    }
