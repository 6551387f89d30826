"""Deadlines: when the work of this thread has to be done.

Who sets one, as a server does for each request, hands the work a `Deadline`. Whatever takes long calls `check` now and
then: where data are read, in loops over documents, and in compiled loops once in a million steps. So work ends at a
place that is ready for it, and nothing is raised into a thread from outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic

from trix.errors import TooLongError


class Deadline:
    """When some work has to be done; whoever holds it can end the work before.

    Parameters
    ----------
    seconds
        From now on; infinity for none.

    Attributes
    ----------
    at
        As `time.monotonic` counts.
    """

    __slots__ = ("at",)

    def __init__(self, seconds: float = inf) -> None:
        self.at = monotonic() + seconds

    def end(self) -> None:
        """Let the work end at its next look."""
        self.at = -inf

    @property
    def has_passed(self) -> bool:
        """Whether there is no time left."""
        return self.at < inf and monotonic() >= self.at


_NEVER = Deadline()
_CURRENT = ContextVar("deadline", default=_NEVER)


@contextmanager
def within(deadline: Deadline) -> Iterator[None]:
    """Let what is done inside this block, by this thread, end at a deadline."""
    token = _CURRENT.set(deadline)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> float:
    """Return the deadline of this thread's work, as `time.monotonic` counts; infinity for none."""
    return _CURRENT.get().at


def check() -> None:
    """Raise `TooLongError` where the deadline has passed.

    >>> with within(Deadline(0)):
    ...     check()
    Traceback (most recent call last):
    trix.errors.TooLongError: the answer took too long
    """
    if _CURRENT.get().has_passed:
        raise TooLongError("the answer took too long")
