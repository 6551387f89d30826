"""Worker processes that measure variants on topics, with a journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from trix.cluster.worker_map import WorkerMap
from trix.eval.measures.core.registry import Measure
from trix.lab.plan.experiment import JudgedCollection, Variant
from trix.lab.run.array_cache import ArrayCache
from trix.lab.run.collection import CollectionEvaluator
from trix.lab.run.journal import Journal, Key, Values
from trix.support.pool import Pool
from trix.support.progress import Progress

AT_ONCE = 64
"""Variants in a task: few, so that a kill loses little, but enough to share basic scores."""


@dataclass(frozen=True)
class TopicTask:
    """Variants to measure on one topic."""

    collection: str
    topic: str
    variants: tuple[Variant, ...]

    def keyed(self, values: Sequence[Values]) -> list[tuple[Key, Values]]:
        """Return the results with their journal keys."""
        return [
            ((self.collection, self.topic, variant.settings), value)
            for variant, value in zip(self.variants, values, strict=True)
        ]


class Measurement(NamedTuple):
    """Values of a task's variants, and the error if its topic could not be measured."""

    values: list[Values]
    fault: str = ""


class EvaluatorSet:
    """Evaluators of collections, opened on first use in each worker process.

    Parameters
    ----------
    collections
        Collections by name.
    measures
        Measures to compute.
    sizes
        Number of first results that are counted by size.
    cache
        As in `CollectionEvaluator`.
    """

    def __init__(
        self,
        collections: Mapping[str, JudgedCollection],
        measures: Sequence[Measure],
        sizes: int = 0,
        cache: ArrayCache | None = None,
    ) -> None:
        self._collections, self._measures, self._sizes, self._cache = collections, measures, sizes, cache
        self._evaluators: dict[str, CollectionEvaluator] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out open evaluators and make paths absolute, since another process opens its own."""
        here = {name: each.absolute() for name, each in self._collections.items()}
        return {**self.__dict__, "_collections": here, "_evaluators": {}}

    def evaluator(self, name: str) -> CollectionEvaluator:
        """Return the evaluator of a collection, opened on first use."""
        if name not in self._evaluators:
            self._evaluators[name] = CollectionEvaluator(
                self._collections[name], self._measures, self._sizes, self._cache
            )
        return self._evaluators[name]

    def __call__(self, task: TopicTask) -> Measurement:
        """Measure the variants of a task."""
        evaluator = self.evaluator(task.collection)
        evaluator.skipped.pop(task.topic, None)
        values = evaluator.measure(task.topic, task.variants)
        return Measurement(values, evaluator.skipped.get(task.topic, ""))


class SweepWorkers:
    """Pool of processes that measure, reused between calls.

    Parameters
    ----------
    evaluators
        Evaluators of the collections.
    journal
        Journal of finished values.
    jobs
        Number of processes; 1 for this process, None for one per processor.
    progress
        Called with the number of finished (topic, variant) pairs and their total.
    client
        A `dask.distributed.Client`; its workers measure and need access to the index, the topics and the assessments.

    Attributes
    ----------
    skipped : dict
        Topic -> error, for topics that could not be measured. They count as topics without results. They are not
        written to the journal, so that the next run tries again.
    """

    def __init__(
        self,
        evaluators: EvaluatorSet,
        journal: Journal,
        jobs: int | None = None,
        progress: Progress | None = None,
        client: Any = None,
    ) -> None:
        self._journal, self._progress = journal, progress
        self._pool = Pool(evaluators, jobs, remedy="finished values are kept; try fewer `jobs`")
        self._worker_map = None if client is None else WorkerMap(evaluators, client)
        self.skipped: dict[tuple[str, str], str] = {}

    def measure(self, topics: Sequence[tuple[str, str]], variants: Sequence[Variant], names: Sequence[str]) -> None:
        """Measure all variants on all topics by the named measures, except for values in the journal."""
        done, wanted = self._journal.done, set(names)
        unique = list({variant.settings: variant for variant in variants}.values())
        tasks, missing = [], 0
        for collection, topic in topics:
            left = [v for v in unique if not wanted <= done.get((collection, topic, v.settings), {}).keys()]
            missing += len(left)
            tasks += [
                TopicTask(collection, topic, tuple(left[at : at + AT_ONCE])) for at in range(0, len(left), AT_ONCE)
            ]
        total = len(topics) * len(unique)
        count = total - missing
        if self._worker_map is not None:
            measured = self._worker_map.results(tasks)
        else:
            measured = self._pool.results(tasks, in_order=False)
        for task, (values, fault) in measured:
            self._journal.add(task.keyed(values), keep=not fault)
            if fault:
                self.skipped[task.collection, task.topic] = fault
            count += len(values)
            if self._progress is not None:
                self._progress(count, total)

    def close(self) -> None:
        """End the processes."""
        self._pool.close()

    def __enter__(self) -> SweepWorkers:
        return self

    def __exit__(self, *error: Any) -> None:
        self._pool.__exit__(*error)
