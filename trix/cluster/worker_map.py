"""Map over tasks on the workers of a cluster, the counterpart of `trix.support.pool.Pool`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import uuid4

from trix.cluster.clusters import await_workers
from trix.cluster.tasks import results
from trix.support.lru_cache import LruFunction

Task = TypeVar("Task")
Result = TypeVar("Result")

KEPT = 2
"""Number of functions that a worker caches."""


class WorkerMap(Generic[Task, Result]):
    """Workers of a cluster that apply one function to tasks.

    Parameters
    ----------
    work
        Function that does a task; each worker unpickles it at its first task and caches it.
    client
        Client of the cluster.
    """

    def __init__(self, work: Callable[[Task], Result], client: Any) -> None:
        self._work, self._client, self._key = work, client, uuid4().hex

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Yield (task, result) pairs in the order of completion.

        Raises
        ------
        UsageError
            The cluster is gone, or a task ended all workers that tried it.
        """
        todo = list(tasks)
        await_workers(self._client)
        jobs = [_Job(self._key, self._work, task) for task in todo]
        for number, found in results(self._client, do_job, jobs):
            yield todo[number], found


@dataclass(frozen=True)
class _Job:
    """A task with its function."""

    key: str
    work: Callable[[Any], Any]
    task: Any


def do_job(job: _Job) -> Any:
    """Do a task; runs on a worker."""
    return _kept(_KeyedWork(job.key, job.work))(job.task)


@dataclass(frozen=True, eq=False)
class _KeyedWork:
    """A function with a key, for the cache."""

    key: str
    work: Callable[[Any], Any]

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _KeyedWork) and self.key == other.key


_kept: LruFunction[_KeyedWork, Callable[[Any], Any]] = LruFunction(lambda keyed: keyed.work, KEPT)
