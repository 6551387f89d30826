"""Worker processes: started alike, ended with the process that started them, interrupted by Ctrl-C without a trace."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from threading import Thread, current_thread, main_thread
from types import TracebackType
from typing import Any, Generic, TypeVar

from trix.errors import UsageError

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2
"""Tasks for each process that are under way or wait: more would hold results in memory, fewer would let it wait."""


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
        self._executor: ProcessPoolExecutor | None = None
        self._stop: Connection | None = None
        self._watch: Thread | None = None

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
            with interrupts_held():  # a process that is just starting would not know yet how to take one
                waiting |= {self._submit(task): task for task in first}
            while True:
                for task in islice(todo, AHEAD * self.jobs - len(waiting)):
                    waiting[self._submit(task)] = task
                if not waiting:
                    return
                ready = [next(iter(waiting))] if in_order else wait(waiting, return_when=FIRST_COMPLETED).done
                for future in ready:
                    result = future.result()
                    yield waiting.pop(future), result
        except BrokenProcessPool:
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

    def _submit(self, task: Task) -> Future[Any]:
        if self._executor is None:
            methods = multiprocessing.get_all_start_methods()
            context = multiprocessing.get_context("fork" if "fork" in methods else None)
            stopped, self._stop = context.Pipe(duplex=False)
            start = (self._work, stopped)
            self._executor = ProcessPoolExecutor(self.jobs, context, _start, start)
            future = self._executor.submit(_do, task)
            if context.get_start_method() == "fork":
                self._watch = _notice_deaths(self._executor, self._stop)
            return future
        return self._executor.submit(_do, task)

    def _end(self, at_once: bool) -> None:
        executor, stop, self._executor, self._stop = self._executor, self._stop, None, None
        if executor is None or stop is None:
            return
        if at_once:
            stop.send_bytes(b"!")  # nobody reads it: to all of them the pipe stays ready
        executor.shutdown(wait=True, cancel_futures=True)
        if self._watch is not None:
            self._watch.join()  # before its pipe is closed: the number may be that of another file then
        stop.close()


def _notice_deaths(executor: Any, stop: Connection) -> Thread:
    """Let a process that dies while it hands over a result end all of them; the executor would wait for the rest of it.

    It would do so for ever, since it holds the other end of that pipe itself, as do processes that live on. All of them
    have been started by now.
    """
    executor._result_queue._writer.close()
    processes = list(executor._processes.values())  # held, since their sentinels close with them

    def watch() -> None:
        wait_for([process.sentinel for process in processes])
        with suppress(OSError):  # nobody is left to hear it
            stop.send_bytes(b"!")

    watching = Thread(target=watch, daemon=True)
    watching.start()
    return watching


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


_work: Callable[[Any], Any] | None = None
"""What a worker process does."""


def _start(work: Callable[[Any], Any], stopped: Connection) -> None:
    """Set up a worker process; it ends when the process that started it does, or says so."""
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started it hears it too, and ends it
    parent = multiprocessing.parent_process()
    ends: list[Any] = [stopped] if parent is None else [stopped, parent.sentinel]

    def watch() -> None:
        wait_for(ends)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _do(task: Any) -> Any:
    if _work is None:
        raise RuntimeError("the worker process was not set up")
    return _work(task)
