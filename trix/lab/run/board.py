"""One measure of many variants on all topics, in memory: what a search for parameters looks at."""

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
from trix.lab.run.workers import Crew
from trix.support.arrays import Floats
from trix.support.pool import Pool

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
        self._keys: dict[str, str] = {}

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

    def key(self, settings: str) -> str:
        """Return the name under which a journal has a variant on these pools."""
        if settings not in self._keys:
            text = "\n".join([*(probe.settings for probe in self._probes), "", settings])
            self._keys[settings] = f"pool:{hashlib.blake2b(text.encode(), digest_size=12).hexdigest()}"
        return self._keys[settings]


class Board:
    """The values that have been asked for, by variant.

    Parameters
    ----------
    grader
        What measures.
    topics
        All topics, in the order of the values.
    journal
        Where values are kept, so that an interrupted search goes on.
    jobs
        See `trix.lab.run.workers.Workers`.

    Attributes
    ----------
    measured
        The measure.
    skipped : dict
        Topics that could not be measured, and why.
    """

    def __init__(self, grader: Grader, topics: Sequence[TopicKey], journal: Journal, jobs: int | None = None) -> None:
        self._topics, self._grader, self._journal = topics, grader, journal
        self.measured, self._pool = grader.measure, Pool(grader, jobs)
        self._values: dict[str, Floats] = {}
        self.skipped: dict[TopicKey, str] = {}

    def measure(self, variants: Sequence[Variant], watch: Callable[[float], None] | None = None) -> None:
        """Measure what is missing.

        Parameters
        ----------
        variants
            What is asked for.
        watch
            Called with the share that is done.
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

    def _row(self, at: int, found: Iterable[str]) -> Row:
        """Return what is missing of some topics."""
        topics, done = tuple(self._topics[at : at + TOPICS]), self._journal.done
        keys = {each: self._grader.key(each) for each in found}
        return Row(topics, tuple(e for e, key in keys.items() if any((*topic, key) not in done for topic in topics)))

    def _kept(self, settings: str) -> Floats:
        """Return the values of a variant that the journal has, NaN for others."""
        names, key = self._grader.columns, self._grader.key(settings)
        known = [self._journal.done.get((*topic, key), {}) for topic in self._topics]
        return np.array([[each.get(name) for name in names] for each in known], np.float64)

    def _keep(self, row: Row, values: Floats, faults: Container[TopicKey]) -> None:
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
        """Return the values of a variant that was measured on all topics."""
        return TopicValues(self._grader.measure, self._values[variant.settings])

    def __len__(self) -> int:
        return len(self._values)

    def __enter__(self) -> Board:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.__exit__(*error)  # type: ignore[arg-type]
