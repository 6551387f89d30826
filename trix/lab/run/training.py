"""Chooses variants on some topics and tests them on others [IV, section 4].

*Best trained* is the variant that is best on the topics that are reported: what training on those very topics would
reach. *Best tested* is the variant that is best on the training topics, measured on the test topics. The smaller the
difference of the two, the more robust the training.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trix.eval.evaluate import aggregate
from trix.eval.measures.core.registry import Measure
from trix.lab.plan.experiment import Variant, columns
from trix.lab.plan.split import Part, TopicKey
from trix.lab.run.journal import Key, Values
from trix.support.arrays import Floats


@dataclass(frozen=True)
class TopicValues:
    """The values of a measure on some topics.

    Parameters
    ----------
    measure
        What was measured.
    kept : (n, columns) ndarray
        A row a topic: its value, NaN where the measure is not defined for it, and the measure's parts, if it has any
        (`trix.lab.plan.experiment.columns`).
    """

    measure: Measure
    kept: Floats

    @property
    def values(self) -> Floats:
        """The value of each topic, (n,)."""
        found: Floats = self.kept[:, 0]
        return found

    @property
    def mean(self) -> float:
        """The measure's own aggregate of the topics that it is defined for."""
        raw = self.kept[:, 1:] if self.measure.spec.parts else self.values
        known = np.flatnonzero(~np.isnan(self.values))
        return float(aggregate(self.measure, {str(place): raw[place] for place in known.tolist()}).mean)

    def at(self, topics: NDArray[np.bool_]) -> TopicValues:
        """Return the values of the topics that a mask, (n,), marks."""
        return TopicValues(self.measure, self.kept[topics])

    def shared(self, other: TopicValues) -> tuple[TopicValues, TopicValues]:
        """Return both on the topics that both are defined for."""
        both = ~(np.isnan(self.values) | np.isnan(other.values))
        return self.at(both), other.at(both)


def paired(a: TopicValues, b: TopicValues) -> tuple[Floats, Floats]:
    """Return the values of the topics that both have, for tests."""
    one, other = a.shared(b)
    return one.values, other.values


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

    def each(self, asked: Iterable[tuple[Variant, TopicKey]], measure: Measure) -> TopicValues:
        """Return the values of variants, each on one topic."""
        names = columns(measure)
        rows = [[self.value(variant, topic, name) for name in names] for variant, topic in asked]
        return TopicValues(measure, np.array(rows, np.float64).reshape(-1, len(names)))

    def of(self, variant: Variant, topics: Sequence[TopicKey], measure: Measure) -> TopicValues:
        """Return the values of a variant on some topics."""
        return self.each(((variant, topic) for topic in topics), measure)

    def column(self, variant: Variant, topics: Sequence[TopicKey], name: str) -> Floats:
        """Return the values of topics by the measure's name, (n,)."""
        return np.array([self.value(variant, topic, name) for topic in topics], np.float64)

    def mean(self, variant: Variant, topics: Sequence[TopicKey], measure: Measure) -> float:
        """Return the measure's own aggregate over topics, without those it is not defined for."""
        return self.of(variant, topics, measure).mean

    def best(self, variants: Sequence[Variant], topics: Sequence[TopicKey], measure: Measure) -> Variant:
        """Return the best variant, of equal ones the first.

        Means are compared as rounded to 12 decimals, so that the order of a sum decides nothing.
        """
        sign = 1 if measure.spec.higher else -1

        def key(variant: Variant) -> float:
            value = self.mean(variant, topics, measure)
            return -math.inf if math.isnan(value) else round(sign * value, 12)

        return max(variants, key=key)


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

    def tested(self, measured: MeasureValues, measure: Measure) -> TopicValues:
        """Return the values of the chosen variants on the topics that their folds test, in the part's order."""
        folds = zip(self.chosen, self.part.folds, strict=True)
        return measured.each(((variant, topic) for variant, fold in folds for topic in fold.test), measure)


def train(measured: MeasureValues, variants: Sequence[Variant], part: Part, measure: Measure) -> TrainingChoice:
    """Choose from variants for one column."""
    chosen = tuple(measured.best(variants, fold.train, measure) for fold in part.folds) if part.tests else ()
    return TrainingChoice(part, chosen, measured.best(variants, part.topics, measure))
