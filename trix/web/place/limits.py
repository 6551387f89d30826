"""The bounds of a place that anybody may ask."""

from __future__ import annotations

from dataclasses import dataclass

from trix.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much one request may ask for, and all of them together.

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
        How long one request may be worked on; then it is cancelled.
    at_once
        Requests that are worked on at one time.
    waiting
        Requests that may wait for these; more are turned away.
    connections
        Connections that a process has open, fewer where the system says so; the longest silent one gives way to a new.
    silence
        Seconds for which a connection may wait for the head of a request; three times as long for its client to take
        more of an answer.
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
        """Refuse more feedback than the place bears; `expand` is a value of that setting, as it is kept.

        Raises
        ------
        UsageError
            A number of it is too large.
        """
        *numbers, last = expand.removeprefix("rm3:").split(":")
        counts = numbers if expand.startswith("rm3:") else [*numbers, last]
        if any(int(number) > self.feedback for number in counts):
            raise UsageError(f"expected numbers up to {self.feedback}", field=name, got=expand)
