"""Tasks on a cluster: handed out, waited for, and what can go wrong told in one line.

Dask runs a task again that dies with its worker. What only a worker's disk is to blame for is tried on others.
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
"""Workers that a task is tried on whose disks are full."""

LOOK = 1.0
"""Seconds after which tasks are looked after, if none is done."""

ALONE = 120.0
"""Seconds without any worker after which nobody waits any longer."""

_FULL = (None, errno.ENOSPC, errno.EDQUOT)


class NoRoom(NamedTuple):
    """What a task gives back whose worker has a disk that is full, or that cannot be written to."""

    worker: str
    what: str


def results(
    client: Any, work: Callable[[Task], Result | NoRoom], tasks: Sequence[Task], homes: Sequence[Sequence[str]] = ()
) -> Iterator[tuple[int, Result]]:
    """Yield the number of each task and its result, as they come; what is under way is cancelled at the end.

    Parameters
    ----------
    client
        Of the cluster.
    work
        Does a task; a function of a module.
    tasks
        What goes to the workers.
    homes
        The workers that had best do each task; another one does it where they are gone.

    Raises
    ------
    UsageError
        A task ended all workers that tried it, there is no room for it, or the cluster is gone.
    """
    dask = library()
    under_way = _UnderWay(client, work, tasks, homes)
    try:
        while under_way.waiting:
            future = under_way.next_done()
            number, attempt = under_way.waiting.pop(future)
            found = future.result()
            if isinstance(found, NoRoom):
                others = [each for each in client.nthreads() if each != found.worker]
                if attempt + 1 == TRIES or not others:
                    raise UsageError(f"worker {found.worker}: {found.what}; nothing was changed")
                under_way.submit(number, attempt + 1, others)
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
        with suppress(Exception):  # of a cluster that is gone
            client.cancel(list(under_way.waiting))


def _gone() -> UsageError:
    return UsageError("the cluster is gone: its scheduler has ended or cannot be reached; nothing was changed")


class _UnderWay:
    """The tasks that are under way; `waiting` has the number of each, and how often it was tried before."""

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
        """Hand a task out, if possible to one of some workers."""
        where = {"workers": list(among), "allow_other_workers": True} if among else {}
        key = f"{self._name}-{number}-{uuid4().hex[:8]}"
        future = self._client.submit(self._work, self._tasks[number], key=key, pure=False, **where)
        self.waiting[future], self._homes[future] = (number, attempt), among
        future.add_done_callback(self._done.put)

    def next_done(self) -> Any:
        """Return a task that is done, or has failed."""
        while True:
            try:
                future = self._done.get(timeout=LOOK)
            except Empty:
                self._look_after()
                continue
            if future in self.waiting:
                return future

    def _look_after(self) -> None:
        """Hand out again what waits for a worker that has gone: Dask lets it wait where no other was there then."""
        if self._client.status in ("closing", "closed"):
            raise _gone()
        there = self._client.nthreads()
        if there:
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > ALONE:
            raise UsageError(f"all workers have gone, and none came in {ALONE:.0f} seconds; nothing was changed")
        for future, (number, attempt) in list(self.waiting.items()):
            homes = self._homes[future]
            if homes and there and not {*homes} & {*there} and future.status == "pending":
                del self.waiting[future]
                future.cancel()
                self.submit(number, attempt)


@contextmanager
def scratch() -> Iterator[Path]:
    """Give an empty folder on the disk of the worker that runs a task."""
    folder = Path(tempfile.mkdtemp(prefix="trix-", dir=_disk()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _disk() -> str | None:
    """Return the folder that a worker was given for its files; None outside of workers."""
    try:
        return str(library().get_worker().local_directory)
    except ValueError:
        return None


def no_room(error: OSError, folder: str) -> NoRoom:
    """Return what a task gives back that could not write.

    Parameters
    ----------
    error
        What the system said, which may not name the file.
    folder
        Where the task's result was to go.
    """
    try:
        worker = str(library().get_worker().address)
    except ValueError:
        worker = f"process {os.getpid()}"
    places = [_disk() or tempfile.gettempdir(), folder]
    place = error.filename or min(filter(os.path.isdir, places), key=lambda each: shutil.disk_usage(each).free)
    what = "no space left on the device" if error.errno in _FULL else f"cannot be written: {error.strerror}"
    return NoRoom(worker, f"{place}: {what}")
