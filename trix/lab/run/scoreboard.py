"""In-memory scoreboard: values of one measure for many variants on all topics, for a parameter search."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from trix.eval.measures.core.registry import Measure
from trix.lab.plan.experiment import Variant, columns
from trix.lab.plan.split import TopicKey
from trix.lab.run.journal import Journal
from trix.lab.run.training import TopicValues
from trix.lab.run.workers import EvaluatorSet
from trix.support.arrays import Floats
from trix.support.pool import Pool

TOPICS = 16
"""Topics in a task: enough to share the transfer of variants, few enough to balance the processes."""


@dataclass(frozen=True)
class ScoreTask:
    """Variants, given by their settings, to measure on a group of topics."""

    topics: tuple[TopicKey, ...]
    settings: tuple[str, ...]


class Grader:
    """Measures variants on the pools of topics (`trix.lab.run.matched.ElementPool`).

    Parameters
    ----------
    evaluators
        Evaluators of the collections.
    measure
        The measure.
    probes
        Variants whose first results make up the pools.
    """

    def __init__(self, evaluators: EvaluatorSet, measure: Measure, probes: Sequence[Variant]) -> None:
        self._evaluators_of, self._probes = evaluators, tuple(probes)
        self.measure, self.columns = measure, columns(measure)
        self._variants: dict[str, Variant] = {}
        self._keys: dict[str, str] = {}

    def __call__(self, row: ScoreTask) -> tuple[Floats, dict[TopicKey, str]]:
        """Return the values, (topics, settings, columns), NaN if undefined, and the errors of failed topics."""
        variants = [self._variants.setdefault(each, Variant("", (), each)) for each in row.settings]
        values, faults = np.full((len(row.topics), len(variants), len(self.columns)), np.nan), dict[TopicKey, str]()
        for place, (collection, topic) in enumerate(row.topics):
            evaluator = self._evaluators_of.evaluator(collection)
            evaluator.skipped.pop(topic, None)
            for k, found in enumerate(evaluator.measure(topic, variants, self._probes)):
                values[place, k] = [np.nan if (value := found[name]) is None else value for name in self.columns]
            if topic in evaluator.skipped:
                faults[collection, topic] = evaluator.skipped[topic]
        return values, faults

    def key(self, settings: str) -> str:
        """Return the journal key of a variant on these pools."""
        if settings not in self._keys:
            text = "\n".join([*(probe.settings for probe in self._probes), "", settings])
            self._keys[settings] = f"pool:{hashlib.blake2b(text.encode(), digest_size=12).hexdigest()}"
        return self._keys[settings]


class Scoreboard:
    """Scoreboard of the measured variants.

    Parameters
    ----------
    grader
        Function that measures.
    topics
        All topics, in the order of the values.
    journal
        Journal of the values, from which an interrupted search continues.
    jobs
        As in `trix.lab.run.workers.SweepWorkers`.

    Attributes
    ----------
    measured
        The measure.
    skipped : dict
        Topic -> error, for topics that could not be measured.
    """

    def __init__(self, grader: Grader, topics: Sequence[TopicKey], journal: Journal, jobs: int | None = None) -> None:
        self._topics, self._grader, self._journal = topics, grader, journal
        self.measured, self._pool = grader.measure, Pool(grader, jobs)
        self._values: dict[str, Floats] = {}
        self.skipped: dict[TopicKey, str] = {}

    def measure(self, variants: Sequence[Variant], watch: Callable[[float], None] | None = None) -> None:
        """Measure the variants that are not on the scoreboard yet.

        Parameters
        ----------
        variants
            Requested variants.
        watch
            Called with the finished proportion.
        """
        settings = tuple(dict.fromkeys(v.settings for v in variants if v.settings not in self._values))
        found = {each: self._kept(each) for each in settings}
        rows = {row: at for at in range(0, len(self._topics), TOPICS) if (row := self._row(at, found)).settings}
        done, total = 0, sum(len(row.topics) * len(row.settings) for row in rows)
        for row, (values, faults) in self._pool.results(rows, in_order=False):
            for place, each in enumerate(row.settings):
                found[each][rows[row] : rows[row] + len(row.topics)] = values[:, place]
            self._keep(row, values, faults)
            self.skipped |= faults
            done += len(row.topics) * len(row.settings)
            if watch is not None:
                watch(done / total)
        self._values |= found

    def _row(self, at: int, found: Iterable[str]) -> ScoreTask:
        """Return a task of the missing values of a group of topics."""
        topics, done = tuple(self._topics[at : at + TOPICS]), self._journal.done
        keys = {each: self._grader.key(each) for each in found}
        return ScoreTask(
            topics, tuple(e for e, key in keys.items() if any((*topic, key) not in done for topic in topics))
        )

    def _kept(self, settings: str) -> Floats:
        """Return the values of a variant in the journal, NaN for missing ones."""
        names, key = self._grader.columns, self._grader.key(settings)
        known = [self._journal.done.get((*topic, key), {}) for topic in self._topics]
        return np.array([[each.get(name) for name in names] for each in known], np.float64)

    def _keep(self, row: ScoreTask, values: Floats, faults: Container[TopicKey]) -> None:
        names, keys = self._grader.columns, [self._grader.key(each) for each in row.settings]
        for failed in (False, True):
            self._journal.add(
                (
                    ((*topic, key), {name: None if x != x else x for name, x in zip(names, each, strict=True)})
                    for topic, of_topic in zip(row.topics, values.tolist(), strict=True)
                    if (topic in faults) is failed
                    for key, each in zip(keys, of_topic, strict=True)
                ),
                keep=not failed,
            )

    def of(self, variant: Variant) -> TopicValues:
        """Return the values of a measured variant on all topics."""
        return TopicValues(self._grader.measure, self._values[variant.settings])

    def __len__(self) -> int:
        return len(self._values)

    def __enter__(self) -> Scoreboard:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.__exit__(*error)  # type: ignore[arg-type]
