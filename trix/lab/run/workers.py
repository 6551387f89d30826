"""All topics of an experiment, in worker processes, with a journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from trix.cluster.crowd import Crowd
from trix.eval.measures.core.registry import Measure
from trix.lab.plan.experiment import Collection, Variant
from trix.lab.run.collection import CollectionEvaluator
from trix.lab.run.journal import Journal, Key, Values
from trix.lab.run.shelf import Shelf
from trix.support.pool import Pool
from trix.support.progress import Progress

AT_ONCE = 64
"""Variants in a task: few enough that a kill loses little, many enough that basic scores are shared."""


@dataclass(frozen=True)
class Task:
    """Variants to be measured on one topic."""

    collection: str
    topic: str
    variants: tuple[Variant, ...]

    def keyed(self, values: Sequence[Values]) -> list[tuple[Key, Values]]:
        """Return the results as the journal has them."""
        return [
            ((self.collection, self.topic, variant.settings), value)
            for variant, value in zip(self.variants, values, strict=True)
        ]


class Measurement(NamedTuple):
    """The values of a task's variants, and why its topic could not be measured, if it could not."""

    values: list[Values]
    fault: str = ""


class Crew:
    """The evaluators of some collections; a worker process has one, and opens what it is asked for.

    Parameters
    ----------
    collections
        By name.
    measures
        What to measure.
    sizes
        How many of the first results are counted by size.
    shelf
        See `CollectionEvaluator`.
    """

    def __init__(
        self,
        collections: Mapping[str, Collection],
        measures: Sequence[Measure],
        sizes: int = 0,
        shelf: Shelf | None = None,
    ) -> None:
        self._collections, self._measures, self._sizes, self._shelf = collections, measures, sizes, shelf
        self._evaluators: dict[str, CollectionEvaluator] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is open: another process, in another folder, opens it itself."""
        here = {name: each.absolute() for name, each in self._collections.items()}
        return {**self.__dict__, "_collections": here, "_evaluators": {}}

    def evaluator(self, name: str) -> CollectionEvaluator:
        """Return the evaluator of a collection, opened at its first use."""
        if name not in self._evaluators:
            self._evaluators[name] = CollectionEvaluator(
                self._collections[name], self._measures, self._sizes, self._shelf
            )
        return self._evaluators[name]

    def __call__(self, task: Task) -> Measurement:
        """Measure."""
        evaluator = self.evaluator(task.collection)
        evaluator.skipped.pop(task.topic, None)
        values = evaluator.measure(task.topic, task.variants)
        return Measurement(values, evaluator.skipped.get(task.topic, ""))


class Workers:
    """Processes that measure, kept from one question to the next.

    Parameters
    ----------
    crew
        What they do.
    journal
        What is done, and where it is written.
    jobs
        Processes; 1 does the work here, None means as many as there are processors.
    progress
        Called now and then with the number of (topic, variant) pairs that are done, and of all.
    client
        A `dask.distributed.Client`, whose workers measure then; they see the index, the topics and the assessments.

    Attributes
    ----------
    skipped : dict
        Topics that could not be measured, and why. They count as topics without results, and are not in the file of
        the journal, so that the next time tries again.
    """

    def __init__(
        self,
        crew: Crew,
        journal: Journal,
        jobs: int | None = None,
        progress: Progress | None = None,
        client: Any = None,
    ) -> None:
        self._journal, self._progress = journal, progress
        self._pool = Pool(crew, jobs, remedy="what is done is kept, try fewer `jobs`")
        self._crowd = None if client is None else Crowd(crew, client)
        self.skipped: dict[tuple[str, str], str] = {}

    def measure(self, topics: Sequence[tuple[str, str]], variants: Sequence[Variant], names: Sequence[str]) -> None:
        """Measure what is missing in the journal: the named measures of all variants on all topics."""
        done, wanted = self._journal.done, set(names)
        unique = list({variant.settings: variant for variant in variants}.values())
        tasks, missing = [], 0
        for collection, topic in topics:
            left = [v for v in unique if not wanted <= done.get((collection, topic, v.settings), {}).keys()]
            missing += len(left)
            tasks += [Task(collection, topic, tuple(left[at : at + AT_ONCE])) for at in range(0, len(left), AT_ONCE)]
        total = len(topics) * len(unique)
        count = total - missing
        if self._crowd is not None:
            measured = self._crowd.results(tasks)
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

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: Any) -> None:
        self._pool.__exit__(*error)
