"""One measure of many variants on all topics, in memory: what a search for parameters looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trix.eval.measures.core.registry import Measure
from trix.lab.plan.experiment import Variant, columns
from trix.lab.plan.split import TopicKey
from trix.lab.run.training import TopicValues
from trix.lab.run.workers import Crew
from trix.support.arrays import Floats
from trix.support.pool import Pool
from trix.support.progress import Progress

TOPICS = 16
"""Topics in a task: enough that the variants are handed over once for several, few enough that processes end alike."""


@dataclass(frozen=True)
class Row:
    """Variants, by their settings, to be measured on some topics."""

    topics: tuple[TopicKey, ...]
    settings: tuple[str, ...]


class Grader:
    """Measures variants on the pools of topics, see `trix.lab.run.matched.Pool`.

    Parameters
    ----------
    crew
        Who measures.
    measure
        The measure.
    probes
        The variants whose first results are in the pools.
    """

    def __init__(self, crew: Crew, measure: Measure, probes: Sequence[Variant]) -> None:
        self._crew, self._probes = crew, tuple(probes)
        self.measure, self.columns = measure, columns(measure)
        self._variants: dict[str, Variant] = {}

    def __call__(self, row: Row) -> tuple[Floats, dict[TopicKey, str]]:
        """Return the values, (topics, settings, columns), NaN where they are not defined, and why topics failed."""
        variants = [self._variants.setdefault(each, Variant("", (), each)) for each in row.settings]
        values, faults = np.full((len(row.topics), len(variants), len(self.columns)), np.nan), dict[TopicKey, str]()
        for place, (collection, topic) in enumerate(row.topics):
            evaluator = self._crew.evaluator(collection)
            evaluator.skipped.pop(topic, None)
            for k, found in enumerate(evaluator.measure(topic, variants, self._probes)):
                values[place, k] = [np.nan if (value := found[name]) is None else value for name in self.columns]
            if topic in evaluator.skipped:
                faults[collection, topic] = evaluator.skipped[topic]
        return values, faults


class Board:
    """The values that have been asked for, by variant.

    Parameters
    ----------
    grader
        What measures.
    topics
        All topics, in the order of the values.
    jobs, progress
        See `trix.lab.run.workers.Workers`.

    Attributes
    ----------
    skipped : dict
        Topics that could not be measured, and why.
    """

    def __init__(
        self, grader: Grader, topics: Sequence[TopicKey], jobs: int | None = None, progress: Progress | None = None
    ) -> None:
        self._topics, self._progress, self._grader = topics, progress, grader
        self._pool = Pool(grader, jobs)
        self._values: dict[str, Floats] = {}
        self.skipped: dict[TopicKey, str] = {}

    def measure(self, variants: Sequence[Variant]) -> None:
        """Measure what is missing."""
        settings = tuple(dict.fromkeys(v.settings for v in variants if v.settings not in self._values))
        if not settings:
            return
        shape = len(settings), len(self._topics), len(self._grader.columns)
        found, places = np.full(shape, np.nan), dict[Row, slice]()
        for at in range(0, len(self._topics), TOPICS):
            places[Row(tuple(self._topics[at : at + TOPICS]), settings)] = slice(at, at + TOPICS)
        for row, (values, faults) in self._pool.results(places, in_order=False):
            found[:, places[row]] = values.swapaxes(0, 1)
            self.skipped |= faults
        self._values |= dict(zip(settings, found, strict=True))
        if self._progress is not None:
            count = len(self._values) * len(self._topics)
            self._progress(count, count)

    def of(self, variant: Variant) -> TopicValues:
        """Return the values of a variant that was measured on all topics."""
        return TopicValues(self._grader.measure, self._values[variant.settings])

    def __len__(self) -> int:
        return len(self._values)

    def __enter__(self) -> Board:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.__exit__(*error)  # type: ignore[arg-type]
