"""One kind of work by many workers: `trix.support.pool.Pool` on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import uuid4

from trix.cluster.clusters import await_workers
from trix.cluster.tasks import results
from trix.support.recent import Recent

Task = TypeVar("Task")
Result = TypeVar("Result")

KEPT = 2
"""Kinds of work that a worker has at hand, the most recent ones."""


class Crowd(Generic[Task, Result]):
    """Workers of a cluster that do one kind of work.

    Parameters
    ----------
    work
        Does a task; each worker makes a copy of it at its first task and keeps it.
    client
        Of the cluster.
    """

    def __init__(self, work: Callable[[Task], Result], client: Any) -> None:
        self._work, self._client, self._key = work, client, uuid4().hex

    def results(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Yield each task with its result, as they come.

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
    """A task, and the work that it is for."""

    key: str
    work: Callable[[Any], Any]
    task: Any


def do_job(job: _Job) -> Any:
    """Do a task; run by a worker."""
    return _kept(_Keyed(job.key, job.work))(job.task)


@dataclass(frozen=True, eq=False)
class _Keyed:
    """Work that is found by its key."""

    key: str
    work: Callable[[Any], Any]

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and self.key == other.key


_kept: Recent[_Keyed, Callable[[Any], Any]] = Recent(lambda keyed: keyed.work, KEPT)
