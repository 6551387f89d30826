"""What a place has done since it began: requests, by address and status, and how long they took.

Each process that answers counts in a row of numbers of its own, and all rows lie in memory that they share. Whichever
of them is asked tells of all, nothing is locked, and a process that takes the place of another goes on counting.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds, upper bounds of the classes in which times are counted."""

STATUSES = (200, 206, 303, 304, 307, 400, 401, 403, 404, 405, 406, 410, 413, 416, 429, 500, 503)
"""Statuses that are told apart; any other counts as 500."""

OTHER = "other"
"""Where requests are counted that came to no page and no endpoint: files, and addresses that there are not."""

_NAME = "trix.address"
"""Under which handlers leave in the scope of a request what its address is called."""

_COLUMNS = len(STATUSES) + len(BOUNDS) + 2


class Metrics:
    """Counts requests.

    Parameters
    ----------
    addresses
        What addresses are called; there are few.
    rows
        Memory for `numbers` of them for each process; of its own unless it is given.
    process
        Which row is this process's.

    Examples
    --------
    >>> metrics = Metrics(["/api/v1/search"])
    >>> metrics.count("/api/v1/search", 200, 0.02)
    >>> print(metrics.text().splitlines()[2])
    trix_requests_total{endpoint="/api/v1/search",status="200"} 1
    """

    def __init__(self, addresses: Sequence[str], rows: Any = None, process: int = 0) -> None:
        self._addresses = {name: place for place, name in enumerate([*addresses, OTHER])}
        size = numbers(addresses)
        self._rows = np.frombuffer(rows, np.float64).reshape(-1, size) if rows is not None else np.zeros((1, size))
        self._own = self._rows[process]
        self._counts = self._own[1:].reshape(-1, _COLUMNS)
        self.work(0)

    def work(self, many: int) -> None:
        """Tell how many requests this process is answering."""
        self._own[0] = many

    def count(self, address: str, status: int, seconds: float) -> None:
        """Count a request.

        Parameters
        ----------
        address
            What its address is called.
        status, seconds
            Of the answer.
        """
        row = self._counts[self._addresses.get(address, self._addresses[OTHER])]
        row[STATUSES.index(status if status in STATUSES else 500)] += 1
        row[len(STATUSES) + bisect_left(BOUNDS, seconds)] += 1
        row[-1] += seconds

    def text(self) -> str:
        """Return what all processes have counted in the text format of Prometheus."""
        whole = self._rows.sum(axis=0)
        counts = whole[1:].reshape(-1, _COLUMNS)
        asked = [(name, counts[place]) for name, place in self._addresses.items() if counts[place].any()]
        lines = ["# HELP trix_requests_total Requests that were answered.", "# TYPE trix_requests_total counter"]
        for name, row in sorted(asked, key=lambda each: each[0]):
            for status, count in zip(STATUSES, row.tolist(), strict=False):
                if count:
                    lines.append(f'trix_requests_total{{endpoint="{name}",status="{status}"}} {count:.0f}')
        lines += ["# HELP trix_request_seconds How long they took.", "# TYPE trix_request_seconds histogram"]
        for name, row in sorted(asked, key=lambda each: each[0]):
            so_far = row[len(STATUSES) : -1].cumsum().tolist()
            for bound, count in zip([*BOUNDS, "+Inf"], so_far, strict=True):
                lines.append(f'trix_request_seconds_bucket{{endpoint="{name}",le="{bound}"}} {count:.0f}')
            lines.append(f'trix_request_seconds_sum{{endpoint="{name}"}} {row[-1]:.6f}')
            lines.append(f'trix_request_seconds_count{{endpoint="{name}"}} {so_far[-1]:.0f}')
        lines += ["# HELP trix_requests_working Requests at work or waiting.", "# TYPE trix_requests_working gauge"]
        lines += [f"trix_requests_working {whole[0]:.0f}", "# TYPE trix_processes gauge"]
        return "\n".join([*lines, f"trix_processes {len(self._rows)}"]) + "\n"


def numbers(addresses: Sequence[str]) -> int:
    """Return how many numbers a process needs for its row: requests at work, and the counts of each address."""
    return 1 + (len(addresses) + 1) * _COLUMNS


def called(scope: Any, address: str) -> None:
    """Say what the address of a request is called, for whoever counts."""
    scope[_NAME] = address


class Counted:
    """Middleware that counts every request, whatever becomes of it.

    Parameters
    ----------
    app
        What answers.
    metrics
        Where it is counted.
    working
        Tells how many requests are at work.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, working: Callable[[], int]) -> None:
        self._app, self._metrics, self._working = app, metrics, working

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        began, status, counted = time.perf_counter(), 500, False

        def count() -> None:
            nonlocal counted
            counted = True
            self._metrics.count(scope.get(_NAME, OTHER), status, time.perf_counter() - began)
            self._metrics.work(self._working())

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body" and not message.get("more_body"):
                count()  # before who asked has all of it, and asks what was counted
            await send(message)

        self._metrics.work(self._working())
        try:
            await self._app(scope, receive, watched)
        finally:
            if not counted:
                count()
