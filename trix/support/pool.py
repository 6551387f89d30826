"""Worker processes: started alike, ended with the process that started them, interrupted by Ctrl-C without a trace.

Each worker has a thread in this process that sends it a task, waits for the result, and takes the next task. So no
message waits behind another one, and a worker that dies is the end of its pipe, at once and wherever it was.
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
"""Tasks for each process that are under way or wait: more would hold results in memory, fewer would let it wait."""


class _EndedError(Exception):
    """A worker process was ended from outside."""


class _Worker:
    """A worker process, with the pipe to it."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        methods = multiprocessing.get_all_start_methods()
        context: Any = multiprocessing.get_context("fork" if "fork" in methods else None)
        self._pipe, theirs = context.Pipe()
        with theirs:  # the worker alone keeps its end, so that the pipe ends with it
            self.process = context.Process(target=_run, args=(work, theirs), daemon=True)
            self.process.start()

    def do(self, task: Any) -> Any:
        """Return the result of a task, or raise its error."""
        try:
            self._pipe.send((task,))
            error, result = self._pipe.recv()
        except (EOFError, OSError):  # the pipe ended, between two messages or inside one
            raise _EndedError from None
        if error is not None:
            raise error
        return result

    def end(self) -> None:
        """End the process, which does nothing or was killed."""
        with suppress(ConnectionError):
            self._pipe.send(None)
        self.process.join()
        self._pipe.close()


class Pool(Generic[Task, Result]):
    """Processes that do one kind of work; they start with the first tasks, and are kept until the pool is closed.

    Leaving the ``with`` block by an exception, as by an interrupt, ends what is under way at once.

    Parameters
    ----------
    work
        Does a task; each process has a copy of it.
    jobs
        Processes; 1 does the work in this one, None means as many as there are processors.
    remedy
        What can be done where a process is ended from outside, for the message.
    suspect
        Returns, for the message, what may have ended it, of the tasks that were under way or waited.

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
        """Yield each task with its result, in the order of the tasks or as they come.

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
        """Let the processes end what they do, and end them."""
        self._end(at_once=False)

    def __enter__(self) -> Pool[Task, Result]:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        self._end(at_once=kind is not None)

    def _begin(self) -> ThreadPoolExecutor:
        """Start the processes, unless they run; the threads start with the first tasks, after all forks."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.jobs)
            with interrupts_held():  # a process that is just starting would not know yet how to take one
                for _ in range(self.jobs):
                    self._workers.append(_Worker(self._work))
                    self._idle.put(self._workers[-1])
        return self._threads

    def _do(self, task: Task) -> Result:
        """Have a task done by an idle worker; one of them is idle, as there are as many threads."""
        worker = self._idle.get()
        try:
            result: Result = worker.do(task)
        except _EndedError:
            self._kill()  # the others would go on with tasks whose results nobody takes
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
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Let an interrupt wait until the block is left: where it would be lost, or be printed by somebody else."""
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
    """Do the tasks that come from a pipe, in a worker process; it ends with the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started it hears it too, and ends it
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):  # the process that started it has gone
        while (given := tasks.recv()) is not None:
            try:
                tasks.send((None, work(*given)))
            except BaseException as error:  # also of a result that cannot be sent, of which nothing was sent yet
                if not isinstance(error, TrixError):
                    error.add_note(traceback.format_exc())  # the traceback itself stays in this process
                tasks.send((error, None))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)
