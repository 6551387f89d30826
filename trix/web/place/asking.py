"""Work for requests in threads: so many at once, so many waiting, none for longer than it may."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from trix.errors import TooLongError, TrixError
from trix.support.deadline import Deadline, within
from trix.web.place.limits import Limits

T = TypeVar("T")


_PATIENCE = 0.1
"""Seconds for which those who wait let one request have the processor for itself."""


class TooManyError(TrixError):
    """So many requests are waiting that another one is turned away."""


_GRACE = 0.25
"""Seconds after its deadline for which a request waits for the work to end by itself."""


class _Work(threading.Thread):
    """One call in a thread of its own, which ends at a deadline, see `trix.support.deadline`."""

    def __init__(
        self, call: Callable[[], Any], deadline: Deadline, tell: Callable[[Any, BaseException | None], None]
    ) -> None:
        super().__init__(daemon=True, name="trix-request")
        self._call, self._deadline, self._tell = call, deadline, tell

    def run(self) -> None:
        """Call, and tell what came of it."""
        try:
            with within(self._deadline):
                value = self._call()
        except BaseException as raised:
            self._tell(None, raised)
        else:
            self._tell(value, None)


class Asking:
    """Runs the work of requests within bounds, one after the other in the order in which they came.

    Threads of one process take turns in any case; several at once would only make all of them late. A request that
    takes its time, though, keeps the others waiting for no more than a moment: then the next one begins beside it.

    Work ends by itself once its deadline has passed, or when its client has gone, at the next place that looks. Until
    then it keeps its place among those at work, so the bound holds for the machine and not only for those who wait.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._turn: asyncio.Lock | None = None
        self._free: asyncio.Semaphore | None = None
        self.working = 0
        """Requests at work or waiting."""

    async def __call__(self, call: Callable[[], T]) -> T:
        """Return what a call returns.

        Raises
        ------
        TooManyError
            Too many are waiting.
        TooLongError
            The call took longer than it may, waiting included.
        """
        limits = self._limits
        if self.working >= limits.at_once + limits.waiting:
            raise TooManyError(f"{self.working} requests are in progress; try again in a moment")
        if self._free is None or self._turn is None:  # they belong to the loop that is running
            self._turn, self._free = asyncio.Lock(), asyncio.Semaphore(limits.at_once)
        turn, free, self.working = self._turn, self._free, self.working + 1
        try:
            async with asyncio.timeout(limits.seconds):
                await _both(turn, free)
        except TimeoutError:
            self.working -= 1
            raise self._too_long() from None
        except BaseException:
            self.working -= 1
            raise
        loop = asyncio.get_running_loop()
        passed = settled = False

        def pass_on() -> None:
            nonlocal passed
            if not passed:
                passed = True
                turn.release()

        passing = loop.call_later(_PATIENCE, pass_on)
        deadline = Deadline(limits.seconds)
        answer: asyncio.Future[T] = loop.create_future()

        def settle(value: Any, error: BaseException | None) -> None:
            nonlocal settled
            if settled:
                return
            settled = True
            self.working -= 1
            free.release()
            passing.cancel()
            pass_on()
            if answer.done():
                return  # nobody waits any more
            if error is None:
                answer.set_result(value)
            else:
                # What is raised on the way out of unfinished work says nothing.
                answer.set_exception(self._too_long() if deadline.has_passed else error)

        def tell(value: Any, error: BaseException | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, value, error)

        _Work(call, deadline, tell).start()
        try:
            async with asyncio.timeout(limits.seconds + _GRACE):
                return await answer
        except TimeoutError:  # inside a library that looks at no deadline
            raise self._too_long() from None
        except asyncio.CancelledError:  # the client has gone
            deadline.end()
            raise

    def _too_long(self) -> TooLongError:
        return TooLongError(f"the request took longer than {self._limits.seconds:g} seconds; try a simpler one")


async def _both(turn: asyncio.Lock, free: asyncio.Semaphore) -> None:
    """Wait for one's turn and for a free place, or have neither."""
    await turn.acquire()
    try:
        await free.acquire()
    except BaseException:
        turn.release()
        raise
