"""Prometheus metrics of the server: requests by endpoint and status, their durations, running requests.

Worker processes share their numbers through files of one folder, as prometheus_client provides. Each of them reports
the sums of all, and a replacement continues from these sums.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from multiprocessing import parent_process
from tempfile import TemporaryDirectory
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from trix.errors import UsageError

OTHER = "other"
"""Endpoint of requests that reached no page and no endpoint of the API: static files, unknown addresses."""

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # prometheus_client reads this variable when it is imported
_MEMORY = "/dev/shm"
_ENDPOINT = "trix.endpoint"  # key in the scope of a request


class Metrics:
    """Metrics of one application, in a registry of its own.

    Parameters
    ----------
    working
        Returns the number of requests at work or waiting.

    Examples
    --------
    >>> metrics = Metrics(lambda: 0)
    >>> metrics.count("/api/v1/search", 200, 0.02)
    >>> print(metrics.text({"documents": 3, "elements": 70}).splitlines()[2])
    trix_requests_total{endpoint="/api/v1/search",status="200"} 1.0
    """

    def __init__(self, working: Callable[[], int]) -> None:
        self._count_working, self._registry = working, CollectorRegistry()
        gauge = partial(Gauge, registry=self._registry)
        self._requests = Counter("trix_requests", "Requests answered.", ["endpoint", "status"], registry=self._registry)
        self._seconds = Histogram(
            "trix_request_seconds", "Seconds to the answer.", ["endpoint"], buckets=_BUCKETS, registry=self._registry
        )
        self._working = gauge("trix_requests_working", "Requests at work or waiting.", multiprocess_mode="livesum")
        gauge("trix_processes", "Processes that answer.", multiprocess_mode="livesum").set(1)
        self._sizes = {
            name: gauge(f"trix_{name}", f"Indexed {name}.", multiprocess_mode="mostrecent")
            for name in ("documents", "elements")
        }

    def look(self) -> None:
        """Record the number of running requests for other processes."""
        self._working.set(self._count_working())

    def count(self, endpoint: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests.labels(endpoint, str(status)).inc()
        self._seconds.labels(endpoint).observe(seconds)

    def text(self, totals: Mapping[str, int]) -> str:
        """Return the metrics in Prometheus' text format; `totals` are the index's ``documents`` and ``elements``."""
        self.look()
        for name, gauge in self._sizes.items():
            gauge.set(totals[name])
        registry = self._registry
        if os.path.isdir(os.environ.get(_FOLDER, "")):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry).decode()


@contextmanager
def reported_together() -> Iterator[Callable[[int], None]]:
    """Share metrics among processes started inside the block; yield a function to call with the id of a dead one.

    Raises
    ------
    UsageError
        There is no folder for temporary files.
    """
    try:  # in memory if possible: a process that writes to a mapped file is killed when the disk is full
        made = TemporaryDirectory(prefix="trix-metrics-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None)
    except OSError as error:
        raise UsageError(f"several processes need a folder for temporary files: {error.strerror}") from None
    with made as folder:
        os.environ[_FOLDER] = folder
        try:
            yield partial(mark_process_dead, path=folder)
        finally:
            del os.environ[_FOLDER]


def clear_after_kill() -> None:
    """Remove the folder in the place of a process that was killed before it could."""
    if (parent := parent_process()) is not None and not parent.is_alive():
        shutil.rmtree(os.environ[_FOLDER], ignore_errors=True)


def called(scope: Any, endpoint: str) -> None:
    """Name the endpoint of a request for its metrics."""
    scope[_ENDPOINT] = endpoint


class Counted:
    """Middleware that counts every request, failed ones too."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        began, status, counted = time.perf_counter(), 500, False

        def count() -> None:
            nonlocal counted
            counted = True
            self._metrics.count(scope.get(_ENDPOINT, OTHER), status, time.perf_counter() - began)
            self._metrics.look()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body" and not message.get("more_body"):
                count()  # before the client has the whole answer and may ask for the metrics
            await send(message)

        self._metrics.look()
        try:
            await self._app(scope, receive, watched)
        finally:
            if not counted:
                count()
