"""Objective of learning: the mean of a measure, or over several collections the mean of its relative gains.

The relative gain of a collection is the mean over its topics divided by the mean under the first values of all
parameters, minus 1. So each collection has the same weight, whatever its number of topics and their difficulty
[EVALUATION, section 6].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trix.lab.plan.split import TopicKey
from trix.lab.run.training import TopicValues, paired
from trix.support.arrays import Floats


class Gains:
    """Objective of learning on a set of topics.

    Parameters
    ----------
    topics
        Topics in the order of the values.
    first
        Values under the first values of all parameters.

    Examples
    --------
    >>> from trix.eval.measures.core.registry import parse_measure
    >>> def values(*each):
    ...     return TopicValues(parse_measure("AP"), np.array([each]).T)
    >>> gains = Gains([("a", "1"), ("a", "2"), ("b", "1")], values(0.25, 0.75, 0.125))
    >>> gains.mean(values(0.25, 1.0, 0.25))  # a gains 1/4, b gains 1
    0.625
    """

    def __init__(self, topics: Sequence[TopicKey], first: TopicValues) -> None:
        names = [collection for collection, _ in topics]
        self._masks = {name: np.array([each == name for each in names]) for name in dict.fromkeys(names)}
        self._first = {name: first.at(mask).mean for name, mask in self._masks.items()}

    @property
    def relative(self) -> bool:
        """Whether there are several collections."""
        return len(self._masks) > 1

    @property
    def without_any(self) -> list[str]:
        """The collections in which the first values reach 0, so that relative gains are undefined."""
        return [name for name in self._masks if not self._counts(name)]

    def mean(self, values: TopicValues) -> float:
        """Return the mean of the measure, or of its relative gains over the collections.

        Collections in which the first values reach 0 are left out.
        """
        if not self.relative:
            return values.mean
        known = [(values.at(mask).mean, self._first[name]) for name, mask in self._masks.items() if self._counts(name)]
        return float(np.mean([mean / first - 1 for mean, first in known])) if known else float("nan")

    def paired(self, a: TopicValues, b: TopicValues) -> tuple[Floats, Floats]:
        """Return the values of the common topics, for paired tests.

        Values of several collections are scaled so that the mean difference equals the mean difference of the relative
        gains.

        >>> from trix.eval.measures.core.registry import parse_measure
        >>> def values(*each):
        ...     return TopicValues(parse_measure("AP"), np.array([each]).T)
        >>> first, other = values(0.25, 0.75, 0.125), values(0.25, 1.0, 0.25)
        >>> new, old = Gains([("a", "1"), ("a", "2"), ("b", "1")], first).paired(other, first)
        >>> (new - old).tolist(), float((new - old).mean())
        ([0.0, 0.375, 1.5], 0.625)
        """
        if not self.relative:
            return paired(a, b)
        both = ~(np.isnan(a.values) | np.isnan(b.values))
        counted = [name for name, mask in self._masks.items() if self._counts(name) and (mask & both).any()]
        # Each topic weighs 1 / (collections * topics of its collection * first mean).
        # `factor` cancels the division by the number of topics in the mean.
        scale = np.zeros(both.size)
        for name in counted:
            mask = self._masks[name] & both
            scale[mask] = 1 / (len(counted) * int(mask.sum()) * self._first[name])
        kept = scale != 0
        factor = scale[kept] * int(kept.sum())
        return a.values[kept] * factor, b.values[kept] * factor

    def _counts(self, name: str) -> bool:
        first = self._first[name]
        return bool(first) and not np.isnan(first)
