"""All topics of an experiment, in worker processes, with a journal."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import wait as wait_for
from typing import NamedTuple

from trix.errors import UsageError
from trix.eval.measures.core.registry import Measure
from trix.lab.plan.experiment import Collection, Variant
from trix.lab.run.collection import CollectionEvaluator
from trix.lab.run.journal import Journal, Key, Values

Progress = Callable[[int, int], None]
"""Called with the number of (topic, variant) pairs that are done, and of all."""

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
    """

    def __init__(self, collections: Mapping[str, Collection], measures: Sequence[Measure], sizes: int = 0) -> None:
        self._collections, self._measures, self._sizes = collections, measures, sizes
        self._evaluators: dict[str, CollectionEvaluator] = {}

    def evaluator(self, name: str) -> CollectionEvaluator:
        """Return the evaluator of a collection, opened at its first use."""
        if name not in self._evaluators:
            self._evaluators[name] = CollectionEvaluator(self._collections[name], self._measures, self._sizes)
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
        Called now and then.

    Attributes
    ----------
    skipped : dict
        Topics that could not be measured, and why. They count as topics without results, and are not in the file of
        the journal, so that the next time tries again.
    """

    def __init__(self, crew: Crew, journal: Journal, jobs: int | None = None, progress: Progress | None = None) -> None:
        self._crew, self._journal, self._progress = crew, journal, progress
        self._jobs = jobs or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else jobs or 1
        self._pool: ProcessPoolExecutor | None = None
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
        for task, (values, fault) in self._results(tasks):
            self._journal.add(task.keyed(values), keep=not fault)
            if fault:
                self.skipped[task.collection, task.topic] = fault
            count += len(values)
            if self._progress is not None:
                self._progress(count, total)

    def _results(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Measurement]]:
        if self._jobs == 1 or len(tasks) < 2:
            for task in tasks:
                yield task, self._crew(task)
            return
        if self._pool is None:
            methods = multiprocessing.get_all_start_methods()
            context = multiprocessing.get_context("fork" if "fork" in methods else None)
            self._pool = ProcessPoolExecutor(self._jobs, context, _start, (self._crew,))
        todo = iter(tasks)
        waiting: dict[Future[Measurement], Task] = {}
        try:
            while True:
                for task in islice(todo, 2 * self._jobs - len(waiting)):
                    waiting[self._pool.submit(_work, task)] = task
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
        except BrokenProcessPool:
            raise UsageError(
                "a worker process was ended from outside (out of memory?); what is done is kept, try fewer `jobs`"
            ) from None

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_crew: Crew | None = None


def _start(crew: Crew) -> None:
    """Set up a worker process; it ends when the process that started it does."""
    global _crew
    _crew = crew
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started it hears of Ctrl-C, too, and ends it
    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel

        def watch() -> None:
            wait_for([sentinel])
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()


def _work(task: Task) -> Measurement:
    if _crew is None:
        raise RuntimeError("the worker process was not set up")
    return _crew(task)
