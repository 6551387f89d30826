"""Limits of requests and connections."""

from __future__ import annotations

from dataclasses import dataclass

from trix.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class RequestLimits:
    """Limits of one request, and of all together.

    Parameters
    ----------
    query
        Characters of a query, a filter, or any other parameter.
    page
        Results on one page.
    depth
        Rank of the last result that can be asked for.
    feedback
        Documents, elements and keys of feedback, each.
    seconds
        Time limit of a request, after which it is cancelled.
    at_once
        Requests that run at the same time.
    waiting
        Length of the queue; further requests are refused.
    connections
        Open connections of a process, fewer if the system has a lower limit. A new one replaces the longest silent one.
    silence
        Seconds for which a connection may wait for the head of a request; three times as long while its client reads
        an answer.
    """

    query: int = 2_000
    page: int = 100
    depth: int = 10_000
    feedback: int = 100
    seconds: float = 10.0
    at_once: int = 4
    waiting: int = 60
    connections: int = 500
    silence: float = 20.0

    def check_feedback(self, expand: str, name: str) -> None:
        """Check the numbers of a value of `expand` against the limit.

        Raises
        ------
        UsageError
            A number is too large.
        """
        *numbers, last = expand.removeprefix("rm3:").split(":")
        counts = numbers if expand.startswith("rm3:") else [*numbers, last]
        if any(int(number) > self.feedback for number in counts):
            raise UsageError(f"expected numbers up to {self.feedback}", field=name, got=expand)
