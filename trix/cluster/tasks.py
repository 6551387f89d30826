"""Execution of tasks on a cluster: submission, waiting, and one-line errors.

Dask repeats a task whose worker dies. A task that fails because of a worker's disk is tried on other workers.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from trix.cluster.clusters import library
from trix.errors import UsageError

Task = TypeVar("Task")
Result = TypeVar("Result")

TRIES = 3
"""Number of workers with full disks on which a task is tried."""

CHECK_INTERVAL = 1.0
"""Seconds without a finished task after which waiting tasks are checked."""

ALONE = 120.0
"""Seconds without any worker after which the wait is given up."""

_FULL = (None, errno.ENOSPC, errno.EDQUOT)


class NoRoom(NamedTuple):
    """Result of a task whose worker has a disk that is full or not writable."""

    worker: str
    what: str


def results(
    client: Any, work: Callable[[Task], Result | NoRoom], tasks: Sequence[Task], homes: Sequence[Sequence[str]] = ()
) -> Iterator[tuple[int, Result]]:
    """Yield (task number, result) in the order of completion; unfinished tasks are cancelled at the end.

    Parameters
    ----------
    client
        Client of the cluster.
    work
        Module-level function that does a task.
    tasks
        Tasks, sent to the workers.
    homes
        Preferred workers of each task; others do it if these are gone.

    Raises
    ------
    UsageError
        A task ended all workers that tried it, there is no disk space for it, or the cluster is gone.
    """
    dask = library()
    unfinished = _UnfinishedTasks(client, work, tasks, homes)
    try:
        while unfinished.waiting:
            future = unfinished.next_done()
            number, attempt = unfinished.waiting.pop(future)
            found = future.result()
            if isinstance(found, NoRoom):
                others = [each for each in client.nthreads() if each != found.worker]
                if attempt + 1 == TRIES or not others:
                    raise UsageError(f"worker {found.worker}: {found.what}; nothing was changed")
                unfinished.submit(number, attempt + 1, others)
                continue
            future.release()
            yield number, found
    except dask.KilledWorker:
        raise UsageError(
            "a task ended all workers that tried it (out of memory?); give the workers more memory"
        ) from None
    except (dask.CancelledError, dask.comm.CommClosedError):
        raise _gone() from None
    finally:
        with suppress(Exception):  # the cluster may be gone
            client.cancel(list(unfinished.waiting))


def _gone() -> UsageError:
    return UsageError("the cluster is gone: its scheduler has ended or cannot be reached; nothing was changed")


class _UnfinishedTasks:
    """Unfinished tasks; `waiting` has the number of each, and its number of earlier attempts."""

    def __init__(self, client: Any, work: Callable[..., Any], tasks: Sequence[Any], homes: Sequence[Any]) -> None:
        self._client, self._work, self._tasks = client, work, tasks
        self._name = f"trix-{work.__name__}-{uuid4().hex[:8]}"
        self._done: Queue[Any] = Queue()
        self._seen = time.monotonic()
        self._homes: dict[Any, Sequence[str]] = {}
        self.waiting: dict[Any, tuple[int, int]] = {}
        for number in range(len(tasks)):
            self.submit(number, 0, homes[number] if homes else ())

    def submit(self, number: int, attempt: int, among: Sequence[str] = ()) -> None:
        """Submit a task, preferably to one of the given workers."""
        where = {"workers": list(among), "allow_other_workers": True} if among else {}
        key = f"{self._name}-{number}-{uuid4().hex[:8]}"
        future = self._client.submit(self._work, self._tasks[number], key=key, pure=False, **where)
        self.waiting[future], self._homes[future] = (number, attempt), among
        future.add_done_callback(self._done.put)

    def next_done(self) -> Any:
        """Return a finished or failed task."""
        while True:
            try:
                future = self._done.get(timeout=CHECK_INTERVAL)
            except Empty:
                self._resubmit_orphans()
                continue
            if future in self.waiting:
                return future

    def _resubmit_orphans(self) -> None:
        """Submit tasks again if their preferred workers are gone, since Dask would keep them waiting."""
        if self._client.status in ("closing", "closed"):
            raise _gone()
        there = self._client.nthreads()
        if there:
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > ALONE:
            raise UsageError(f"all workers are gone, and none came in {ALONE:.0f} seconds; nothing was changed")
        for future, (number, attempt) in list(self.waiting.items()):
            homes = self._homes[future]
            if homes and there and not {*homes} & {*there} and future.status == "pending":
                del self.waiting[future]
                future.cancel()
                self.submit(number, attempt)


@contextmanager
def scratch() -> Iterator[Path]:
    """Context manager with an empty folder on the disk of the worker."""
    folder = Path(tempfile.mkdtemp(prefix="trix-", dir=_disk()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _disk() -> str | None:
    """Return the worker's folder for files; None outside of workers."""
    try:
        return str(library().get_worker().local_directory)
    except ValueError:
        return None


def no_room(error: OSError, folder: str) -> NoRoom:
    """Return the result of a task that could not write.

    Parameters
    ----------
    error
        Error of the system, which may not name the file.
    folder
        Target folder of the task.
    """
    try:
        worker = str(library().get_worker().address)
    except ValueError:
        worker = f"process {os.getpid()}"
    places = [_disk() or tempfile.gettempdir(), folder]
    place = error.filename or min(filter(os.path.isdir, places), key=lambda each: shutil.disk_usage(each).free)
    what = "no space left on the device" if error.errno in _FULL else f"cannot be written: {error.strerror}"
    return NoRoom(worker, f"{place}: {what}")
