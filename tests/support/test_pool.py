"""Worker processes: their results in order or as they come, and their end, whoever brings it about."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.paths import ROOT
from trix.errors import FormatError, UsageError
from trix.support.pool import Pool, processors


def late(number: int) -> tuple[int, int]:
    """Take the longer the smaller the number is."""
    time.sleep(0.2 if number == 0 else 0.0)
    return number * number, os.getpid()


def test_results_come_in_order_or_as_they_are_there_each_with_its_task() -> None:
    with Pool(late, 2) as pool:
        ordered = list(pool.results(range(20)))
        assert [(task, square) for task, (square, _) in ordered] == [(n, n * n) for n in range(20)]
        loose = list(pool.results(range(20), in_order=False))
        assert sorted((task, square) for task, (square, _) in loose) == [(n, n * n) for n in range(20)]
        assert loose[0][0] != 0  # the slow one does not hold up the others
    unhurried = []
    with Pool(late, 2) as pool:
        for task, _ in pool.results(range(1, 20), in_order=False):
            unhurried.append(task)
            time.sleep(0.02)  # all that was begun is done by then
    assert sorted(unhurried) == list(range(1, 20))
    workers = {process for _, (_, process) in (*ordered, *loose)}
    assert os.getpid() not in workers and 1 <= len(workers) <= 2  # kept from one question to the next


@pytest.mark.parametrize(("jobs", "tasks"), [(1, 5), (3, 1), (3, 0)])
def test_one_job_or_one_task_is_done_in_this_process(jobs: int, tasks: int) -> None:
    with Pool(late, jobs) as pool:
        assert [process for _, (_, process) in pool.results(range(1, tasks + 1))] == [os.getpid()] * tasks


def test_no_more_is_begun_than_the_processes_can_take_up_soon() -> None:
    begun: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(50):
            begun.append(number)
            yield number

    with Pool(late, 2) as pool:
        next(pool.results(tasks()))
        assert len(begun) <= 5


def fail(number: int) -> int:
    """Refuse one of the numbers."""
    if number == 3:
        raise FormatError("is bad", "f", number)
    return number


def test_an_error_of_a_worker_comes_out_as_it_is() -> None:
    with pytest.raises(FormatError, match="f, line 3: is bad") as error, Pool(fail, 2) as pool:
        list(pool.results(range(1, 9)))
    assert error.value.line == 3


def die(number: int) -> int:
    """End like a process that the system kills for its memory."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_killed_worker_is_an_error_of_one_line_and_the_pool_can_go_on() -> None:
    with Pool(die, 2, remedy="try less") as pool:
        for _ in range(2):
            with pytest.raises(UsageError, match=r"^a worker process was ended from outside .*; try less$"):
                list(pool.results(range(1, 9)))
        assert [task for task, _ in pool.results([1, 2])] == [1, 2]


def die_while_sending(number: int) -> bytes:
    """End while a long result is on its way, or soon after."""
    if number == 3:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGKILL)).start()
        return bytes(100_000_000)
    return b""


def test_a_worker_that_is_killed_while_it_sends_a_result_is_an_error_of_one_line() -> None:
    with Pool(die_while_sending, 2) as pool, pytest.raises(UsageError, match=r"^a worker process was ended"):
        for _ in pool.results(range(1, 10_000)):
            time.sleep(0.001)


def test_an_unexpected_error_of_a_worker_says_where_it_was_raised() -> None:
    with pytest.raises(ZeroDivisionError) as error, Pool((1).__truediv__, 2) as pool:
        list(pool.results([2, 1, 0]))
    assert "pool.py" in error.value.__notes__[0]


def test_a_result_that_cannot_be_sent_is_an_error_and_the_pool_goes_on() -> None:
    with Pool(make_unsendable, 2) as pool:
        with pytest.raises((AttributeError, TypeError), match="pickle"):
            list(pool.results([1, 2]))
        assert [result for _, result in pool.results([0, 0])] == [None, None]


def make_unsendable(number: int) -> object:
    """Return what no other process can have, or None for 0."""
    return threading.Lock() if number else None


SLEEPERS = textwrap.dedent("""
    import os, sys, time
    from trix.support.pool import Pool

    def sleep(number):
        os.write(1, f"{os.getpid()}\\n".encode())  # one write: two workers that print may mix their lines
        time.sleep(60)

    try:
        with Pool(sleep, 2) as pool:
            list(pool.results(range(8)))
    except KeyboardInterrupt:
        sys.exit(130)
""")


def begin(tmp_path: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a process with two workers that sleep; return it and their ids."""
    script = tmp_path / "sleepers.py"
    script.write_text(SLEEPERS)
    process = subprocess.Popen(
        [sys.executable, str(script)], env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    return process, [int(process.stdout.readline()) for _ in range(2)]


def gone(process: int) -> bool:
    """Wait until a process is no more."""
    for _ in range(500):
        with suppress(OSError):
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
            if state not in "ZX":
                time.sleep(0.02)
                continue
        return True
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("end", "code"),
    [
        (lambda process: os.killpg(process, signal.SIGINT), 130),  # Ctrl-C reaches all of them
        (lambda process: os.kill(process, signal.SIGINT), 130),
        (lambda process: os.kill(process, signal.SIGKILL), -signal.SIGKILL),
    ],
)
def test_workers_end_at_once_with_the_process_that_started_them(
    tmp_path: Path, end: Callable[[int], None], code: int
) -> None:
    process, workers = begin(tmp_path)
    end(process.pid)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (code, "")
    assert all(map(gone, workers))


def test_there_is_a_processor() -> None:
    assert processors() >= 1


def test_no_thread_of_a_pool_outlives_it() -> None:
    before = set(threading.enumerate())
    for _ in range(20):
        with Pool(len, 2) as pool:
            assert [found for _, found in pool.results(["a", "bc", "def"])] == [1, 2, 3]
        assert set(threading.enumerate()) <= before  # one that writes to a closed pipe may write to another file
