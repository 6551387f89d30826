"""What the interface has done since it began: requests, by endpoint and status, and how long they took."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds, upper bounds of the classes in which times are counted."""


class Metrics:
    """Counts requests.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.count("/api/v1/search", 200, 0.02)
    >>> print(metrics.text().splitlines()[2])
    trix_requests_total{endpoint="/api/v1/search",status="200"} 1
    """

    def __init__(self) -> None:
        self._counting = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()

    def count(self, endpoint: str, status: int, seconds: float) -> None:
        """Count a request.

        Parameters
        ----------
        endpoint
            Its path as it is declared, so that there are few.
        status, seconds
            Of the answer.
        """
        with self._counting:
            self._requests[endpoint, status] += 1
            self._times.setdefault(endpoint, [0] * (len(BOUNDS) + 1))[bisect_left(BOUNDS, seconds)] += 1
            self._seconds[endpoint] += seconds  # type: ignore[assignment]

    def text(self) -> str:
        """Return all of it in the text format of Prometheus."""
        with self._counting:
            requests, seconds = dict(self._requests), dict(self._seconds)
            times = {endpoint: list(counts) for endpoint, counts in self._times.items()}
        lines = ["# HELP trix_requests_total Requests that were answered.", "# TYPE trix_requests_total counter"]
        for (endpoint, status), count in sorted(requests.items()):
            lines.append(f'trix_requests_total{{endpoint="{endpoint}",status="{status}"}} {count}')
        lines += ["# HELP trix_request_seconds How long they took.", "# TYPE trix_request_seconds histogram"]
        for endpoint, counts in sorted(times.items()):
            so_far = 0
            for bound, count in zip([*BOUNDS, "+Inf"], counts, strict=True):
                so_far += count
                lines.append(f'trix_request_seconds_bucket{{endpoint="{endpoint}",le="{bound}"}} {so_far}')
            lines.append(f'trix_request_seconds_sum{{endpoint="{endpoint}"}} {seconds[endpoint]:.6f}')
            lines.append(f'trix_request_seconds_count{{endpoint="{endpoint}"}} {so_far}')
        return "\n".join(lines) + "\n"
