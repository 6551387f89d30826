"""Properties that are computed once."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from trix.support.lru_cache import OnceProperty

THREADS = 4


class Slow:
    made = 0

    @OnceProperty
    def rows(self) -> list[int]:
        """Rows."""
        self.made += 1
        time.sleep(0.01)  # others come meanwhile
        return []


def test_threads_that_ask_at_once_get_one_object() -> None:
    slow, barrier = Slow(), threading.Barrier(THREADS)

    def ask(_: int) -> list[int]:
        barrier.wait()
        return slow.rows

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(ask, range(THREADS)))
    assert all(each is found[0] for each in found) and slow.made == 1
    assert slow.rows is found[0] and Slow.rows.__doc__ == "Rows."
