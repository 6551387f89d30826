"""Selection of variants on training topics, and their evaluation on test topics [IV, section 4].

*Best trained* is the best variant on the reported topics, as if training had used these topics. *Best tested* is the
best variant on the training topics, measured on the test topics. A small difference of the two means robust training.
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
from trix.lab.plan.split import SplitPart, TopicKey
from trix.lab.run.journal import Key, Values
from trix.support.arrays import Floats


@dataclass(frozen=True)
class TopicValues:
    """Values of a measure on a set of topics.

    Parameters
    ----------
    measure
        The measure.
    kept : (n, columns) ndarray
        A row per topic: its value, NaN if undefined, and the measure's parts if any
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
        """The measure's own aggregate over the topics for which it is defined."""
        raw = self.kept[:, 1:] if self.measure.spec.parts else self.values
        known = np.flatnonzero(~np.isnan(self.values))
        return float(aggregate(self.measure, {str(place): raw[place] for place in known.tolist()}).mean)

    def at(self, topics: NDArray[np.bool_]) -> TopicValues:
        """Return the values of the topics selected by a mask, (n,)."""
        return TopicValues(self.measure, self.kept[topics])

    def shared(self, other: TopicValues) -> tuple[TopicValues, TopicValues]:
        """Return both reduced to the topics for which both are defined."""
        both = ~(np.isnan(self.values) | np.isnan(other.values))
        return self.at(both), other.at(both)


def paired(a: TopicValues, b: TopicValues) -> tuple[Floats, Floats]:
    """Return both values of the topics for which both are defined, for paired tests."""
    one, other = a.shared(b)
    return one.values, other.values


class MeasureValues:
    """Values of an experiment.

    Parameters
    ----------
    values
        Values by (collection, topic, settings).
    """

    def __init__(self, values: Mapping[Key, Values]) -> None:
        self._values = values

    def value(self, variant: Variant, topic: TopicKey, name: str) -> float:
        """Return one value by the measure's name, NaN if it is undefined for the topic."""
        value = self._values[(*topic, variant.settings)][name]
        return math.nan if value is None else value

    def each(self, pairs: Iterable[tuple[Variant, TopicKey]], measure: Measure) -> TopicValues:
        """Return the values of (variant, topic) pairs."""
        names = columns(measure)
        rows = [[self.value(variant, topic, name) for name in names] for variant, topic in pairs]
        return TopicValues(measure, np.array(rows, np.float64).reshape(-1, len(names)))

    def of(self, variant: Variant, topics: Sequence[TopicKey], measure: Measure) -> TopicValues:
        """Return the values of a variant on the given topics."""
        return self.each(((variant, topic) for topic in topics), measure)

    def column(self, variant: Variant, topics: Sequence[TopicKey], name: str) -> Floats:
        """Return the values of topics by the measure's name, (n,)."""
        return np.array([self.value(variant, topic, name) for topic in topics], np.float64)

    def mean(self, variant: Variant, topics: Sequence[TopicKey], measure: Measure) -> float:
        """Return the measure's own aggregate over the topics for which it is defined."""
        return self.of(variant, topics, measure).mean

    def best(self, variants: Sequence[Variant], topics: Sequence[TopicKey], measure: Measure) -> Variant:
        """Return the best variant, the first of equal ones.

        Means are rounded to 12 decimals, so that the order of summation does not matter.
        """
        sign = 1 if measure.spec.higher else -1

        def key(variant: Variant) -> float:
            value = self.mean(variant, topics, measure)
            return -math.inf if math.isnan(value) else round(sign * value, 12)

        return max(variants, key=key)


@dataclass(frozen=True)
class TrainingChoice:
    """Selection of training from a family for one part of the topics.

    Parameters
    ----------
    part
        The part, a column of the tables.
    chosen
        Selected variant of each fold; empty without a test.
    best
        Best variant on the reported topics.
    """

    part: SplitPart
    chosen: tuple[Variant, ...]
    best: Variant

    def tested(self, measured: MeasureValues, measure: Measure) -> TopicValues:
        """Return the values of the selected variants on the test topics of their folds, in the part's order."""
        folds = zip(self.chosen, self.part.folds, strict=True)
        return measured.each(((variant, topic) for variant, fold in folds for topic in fold.test), measure)


def train(measured: MeasureValues, variants: Sequence[Variant], part: SplitPart, measure: Measure) -> TrainingChoice:
    """Select variants for one part."""
    chosen = tuple(measured.best(variants, fold.train, measure) for fold in part.folds) if part.tests else ()
    return TrainingChoice(part, chosen, measured.best(variants, part.topics, measure))
