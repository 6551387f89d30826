"""Deadlines for the work of the current thread.

A caller that needs one, such as a server for each request, passes the work a `Deadline`. Long work calls `check` now
and then: when data are read, in loops over documents, and in compiled loops once in a million steps. So work ends at a
safe point, and no exception is raised into a thread from outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic

from trix.errors import TooLongError


class Deadline:
    """Time by which work must be done; any holder can end the work earlier.

    Parameters
    ----------
    seconds
        Seconds from now; infinity for no deadline.

    Attributes
    ----------
    at
        Time on the clock of `time.monotonic`.
    """

    __slots__ = ("at",)

    def __init__(self, seconds: float = inf) -> None:
        self.at = monotonic() + seconds

    def end(self) -> None:
        """End the work at its next check."""
        self.at = -inf

    @property
    def has_passed(self) -> bool:
        """Whether the deadline has passed."""
        return self.at < inf and monotonic() >= self.at


_NEVER = Deadline()
_CURRENT = ContextVar("deadline", default=_NEVER)


@contextmanager
def within(deadline: Deadline) -> Iterator[None]:
    """Context manager that sets the deadline of this thread."""
    token = _CURRENT.set(deadline)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> float:
    """Return the deadline of this thread on the clock of `time.monotonic`; infinity for none."""
    return _CURRENT.get().at


def check() -> None:
    """Raise `TooLongError` if the deadline has passed.

    >>> with within(Deadline(0)):
    ...     check()
    Traceback (most recent call last):
    trix.errors.TooLongError: the answer took too long
    """
    if _CURRENT.get().has_passed:
        raise TooLongError("the answer took too long")
