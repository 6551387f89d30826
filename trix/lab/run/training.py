"""Choosing on some topics, testing on others [IV, section 4].

*Best trained* is the best variant on the very topics that are shown, what training on them would reach. *Best tested*
is the variant that was best on the training topics, measured on the others. Their difference says how robust training
is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trix.eval.evaluate import aggregate
from trix.eval.measures.core.registry import Measure
from trix.lab.plan.experiment import Variant
from trix.lab.plan.split import Part, Topic
from trix.lab.run.journal import Key, Values

Vector = NDArray[np.float64]


class Measured:
    """The values of an experiment.

    Parameters
    ----------
    values
        By (collection, topic, settings).
    """

    def __init__(self, values: Mapping[Key, Values]) -> None:
        self._values = values

    def value(self, variant: Variant, topic: Topic, name: str) -> float:
        """Return one value by the measure's name, NaN where it is not defined for the topic."""
        value = self._values[(*topic, variant.settings)][name]
        return math.nan if value is None else value

    def vector(self, variant: Variant, topics: Sequence[Topic], measure: Measure) -> Vector:
        """Return the values of topics, (n,)."""
        return self.column(variant, topics, repr(measure))

    def column(self, variant: Variant, topics: Sequence[Topic], name: str) -> Vector:
        """Return the values of topics by the measure's name, (n,)."""
        return np.array([self.value(variant, topic, name) for topic in topics], np.float64)

    def mean(self, variant: Variant, topics: Sequence[Topic], measure: Measure) -> float:
        """Return the measure's own aggregate over topics, without those it is not defined for."""
        values = self.vector(variant, topics, measure)
        return mean(measure, values)

    def best(self, variants: Sequence[Variant], topics: Sequence[Topic], measure: Measure) -> Variant:
        """Return the best variant, of equal ones the first.

        Means are compared as rounded to 12 decimals, so that the order of a sum decides nothing.
        """
        sign = 1 if measure.spec.higher else -1

        def key(variant: Variant) -> float:
            value = self.mean(variant, topics, measure)
            return -math.inf if math.isnan(value) else round(sign * value, 12)

        return max(variants, key=key)


def mean(measure: Measure, values: Vector) -> float:
    """Return the measure's own aggregate of the values that are not NaN."""
    known = {str(i): float(v) for i, v in enumerate(values.tolist()) if not math.isnan(v)}
    return float(aggregate(measure, dict(known)).mean)


@dataclass(frozen=True)
class Trained:
    """A family in one column of the tables.

    Parameters
    ----------
    part
        The column.
    chosen
        What training chose, a variant for each fold; empty without a test.
    best
        The best on the topics that are shown.
    """

    part: Part
    chosen: tuple[Variant, ...]
    best: Variant

    def tested(self, measured: Measured, measure: Measure) -> Vector:
        """Return the values of the chosen variants on the topics that their folds test, in the part's order."""
        return np.concatenate(
            [
                measured.vector(variant, fold.test, measure)
                for variant, fold in zip(self.chosen, self.part.folds, strict=True)
            ]
        )


def train(measured: Measured, variants: Sequence[Variant], part: Part, measure: Measure) -> Trained:
    """Choose from variants for one column."""
    chosen = tuple(measured.best(variants, fold.train, measure) for fold in part.folds) if part.tests else ()
    return Trained(part, chosen, measured.best(variants, part.topics, measure))
