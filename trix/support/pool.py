"""Pool of worker processes, which end with their parent and are interrupted by Ctrl-C without tracebacks.

Each worker has a thread in the parent, which sends it a task, waits for the result, and takes the next task. So no
message waits for another one. A worker that dies ends its pipe, which the thread notices at once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from itertools import chain, islice
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from queue import SimpleQueue
from threading import Thread, current_thread, main_thread
from types import TracebackType
from typing import Any, Generic, TypeVar

from trix.errors import TrixError, UsageError

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2
"""Tasks per process that are submitted at a time: more would keep results in memory, fewer would leave it idle."""


class _EndedError(Exception):
    """A worker process was ended from outside."""


class _Worker:
    """A worker process with its pipe."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        methods = multiprocessing.get_all_start_methods()
        context: Any = multiprocessing.get_context("fork" if "fork" in methods else None)
        self._pipe, theirs = context.Pipe()
        with theirs:  # close the worker's end here, so that the pipe ends with the worker
            self.process = context.Process(target=_run, args=(work, theirs), daemon=True)
            self.process.start()

    def do(self, task: Any) -> Any:
        """Send a task and return its result, or raise its error."""
        try:
            self._pipe.send((task,))
            error, result = self._pipe.recv()
        except (EOFError, OSError):  # the pipe ended, between two messages or inside one
            raise _EndedError from None
        if error is not None:
            raise error
        return result

    def end(self) -> None:
        """End an idle or killed process."""
        with suppress(ConnectionError):
            self._pipe.send(None)
        self.process.join()
        self._pipe.close()


class Pool(Generic[Task, Result]):
    """Pool of processes for one function; they start with the first tasks and end when the pool is closed.

    An exception in the ``with`` block, such as an interrupt, ends running tasks at once.

    Parameters
    ----------
    work
        Function that does a task; each process has a copy.
    jobs
        Number of processes; 1 for this process, None for one per processor.
    remedy
        Advice for the message about a process that was ended from outside.
    suspect
        Returns the possible cause for that message, given the unfinished tasks.

    Examples
    --------
    >>> with Pool(len, 1) as pool:
    ...     [*pool.results(["a", "bcd"])]
    [('a', 1), ('bcd', 3)]
    """

    def __init__(
        self,
        work: Callable[[Task], Result],
        jobs: int | None = None,
        *,
        remedy: str = "try fewer `jobs`",
        suspect: Callable[[Iterable[Task]], str] = lambda tasks: "",
    ) -> None:
        self.jobs = jobs or processors()
        self._work, self._remedy, self._suspect = work, remedy, suspect
        self._workers: list[_Worker] = []
        self._idle = SimpleQueue[_Worker]()
        self._threads: ThreadPoolExecutor | None = None

    def results(self, tasks: Iterable[Task], *, in_order: bool = True) -> Iterator[tuple[Task, Result]]:
        """Yield (task, result) pairs, in the order of the tasks or of completion.

        Raises
        ------
        UsageError
            A process was ended from outside.
        """
        todo = iter(tasks)
        first = list(islice(todo, 2))
        if self.jobs == 1 or len(first) < 2:
            for task in (*first, *todo):
                yield task, self._work(task)
            return
        waiting: dict[Future[Any], Task] = {}
        try:
            threads = self._begin()
            todo = chain(first, todo)
            while True:
                for task in islice(todo, AHEAD * self.jobs - len(waiting)):
                    waiting[threads.submit(self._do, task)] = task
                if not waiting:
                    return
                ready = [next(iter(waiting))] if in_order else wait(waiting, return_when=FIRST_COMPLETED).done
                for future in ready:
                    result = future.result()
                    yield waiting.pop(future), result
        except _EndedError:
            self._end(at_once=True)
            suspected = self._suspect(waiting.values())
            raise UsageError(
                f"a worker process was ended from outside (out of memory?{suspected}); {self._remedy}"
            ) from None

    def close(self) -> None:
        """Wait for running tasks and end the processes."""
        self._end(at_once=False)

    def __enter__(self) -> Pool[Task, Result]:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        self._end(at_once=kind is not None)

    def _begin(self) -> ThreadPoolExecutor:
        """Start the processes if necessary.

        Threads start with the first tasks, after all forks.
        """
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.jobs)
            with interrupts_deferred():  # a starting process has no handler yet
                for _ in range(self.jobs):
                    self._workers.append(_Worker(self._work))
                    self._idle.put(self._workers[-1])
        return self._threads

    def _do(self, task: Task) -> Result:
        """Run a task on an idle worker; there is always one, since there are as many threads as workers."""
        worker = self._idle.get()
        try:
            result: Result = worker.do(task)
        except _EndedError:
            self._kill()  # the results of the other workers are not needed any more
            raise
        finally:
            self._idle.put(worker)
        return result

    def _kill(self) -> None:
        for worker in self._workers:
            worker.process.kill()

    def _end(self, at_once: bool) -> None:
        if self._threads is None:
            return
        if at_once:
            self._kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.end()
        self._workers, self._idle, self._threads = [], SimpleQueue(), None


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Context manager that delays an interrupt to the end of the block, where it would be lost or printed otherwise."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler or current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if came:
        raise KeyboardInterrupt


def _run(work: Callable[[Any], Any], tasks: Connection) -> None:
    """Do the tasks from a pipe, in a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets the signal too and ends this process
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):  # the parent has ended
        while (given := tasks.recv()) is not None:
            try:
                tasks.send((None, work(*given)))
            except BaseException as error:  # also if the result cannot be pickled: nothing was sent yet
                if not isinstance(error, TrixError):
                    error.add_note(traceback.format_exc())  # tracebacks cannot be pickled
                tasks.send((error, None))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)
