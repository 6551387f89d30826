"""Chooses variants on some topics and tests them on others [IV, section 4].

*Best trained* is the variant that is best on the topics that are reported: what training on those very topics would
reach. *Best tested* is the variant that is best on the training topics, measured on the test topics. The smaller the
difference of the two, the more robust the training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trix.eval.evaluate import aggregate
from trix.eval.measures.core.registry import Measure
from trix.lab.plan.experiment import Variant
from trix.lab.plan.split import Part, TopicKey
from trix.lab.run.journal import Key, Values
from trix.support.arrays import Floats


class MeasureValues:
    """The values of an experiment.

    Parameters
    ----------
    values
        By (collection, topic, settings).
    """

    def __init__(self, values: Mapping[Key, Values]) -> None:
        self._values = values

    def value(self, variant: Variant, topic: TopicKey, name: str) -> float:
        """Return one value by the measure's name, NaN where it is not defined for the topic."""
        value = self._values[(*topic, variant.settings)][name]
        return math.nan if value is None else value

    def vector(self, variant: Variant, topics: Sequence[TopicKey], measure: Measure) -> Floats:
        """Return the values of topics, (n,)."""
        return self.column(variant, topics, repr(measure))

    def column(self, variant: Variant, topics: Sequence[TopicKey], name: str) -> Floats:
        """Return the values of topics by the measure's name, (n,)."""
        return np.array([self.value(variant, topic, name) for topic in topics], np.float64)

    def mean(self, variant: Variant, topics: Sequence[TopicKey], measure: Measure) -> float:
        """Return the measure's own aggregate over topics, without those it is not defined for."""
        values = self.vector(variant, topics, measure)
        return mean(measure, values)

    def best(self, variants: Sequence[Variant], topics: Sequence[TopicKey], measure: Measure) -> Variant:
        """Return the best variant, of equal ones the first.

        Means are compared as rounded to 12 decimals, so that the order of a sum decides nothing.
        """
        sign = 1 if measure.spec.higher else -1

        def key(variant: Variant) -> float:
            value = self.mean(variant, topics, measure)
            return -math.inf if math.isnan(value) else round(sign * value, 12)

        return max(variants, key=key)


def mean(measure: Measure, values: Floats) -> float:
    """Return the measure's own aggregate of the values that are not NaN."""
    known = {str(i): float(v) for i, v in enumerate(values.tolist()) if not math.isnan(v)}
    return float(aggregate(measure, dict(known)).mean)


@dataclass(frozen=True)
class TrainingChoice:
    """What training chose from a family for one part of the topics.

    Parameters
    ----------
    part
        The part, a column of the tables.
    chosen
        What training chose, a variant for each fold; empty without a test.
    best
        The best on the topics that are shown.
    """

    part: Part
    chosen: tuple[Variant, ...]
    best: Variant

    def tested(self, measured: MeasureValues, measure: Measure) -> Floats:
        """Return the values of the chosen variants on the topics that their folds test, in the part's order."""
        return np.concatenate(
            [
                measured.vector(variant, fold.test, measure)
                for variant, fold in zip(self.chosen, self.part.folds, strict=True)
            ]
        )


def train(measured: MeasureValues, variants: Sequence[Variant], part: Part, measure: Measure) -> TrainingChoice:
    """Choose from variants for one column."""
    chosen = tuple(measured.best(variants, fold.train, measure) for fold in part.folds) if part.tests else ()
    return TrainingChoice(part, chosen, measured.best(variants, part.topics, measure))
