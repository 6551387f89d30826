"""Request queue: threads for requests, limited in number, waiting and time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from trix.errors import TooLongError, TrixError
from trix.support.deadline import Deadline, within
from trix.web.site.limits import RequestLimits

T = TypeVar("T")


_PATIENCE = 0.1
"""Seconds for which a request runs alone before the next one starts beside it."""


class TooManyError(TrixError):
    """The queue of requests is full."""


_GRACE = 0.25
"""Seconds after its deadline in which a thread may end by itself."""


class _Work(threading.Thread):
    """Thread that runs one call until a deadline, see `trix.support.deadline`."""

    def __init__(
        self, call: Callable[[], Any], deadline: Deadline, tell: Callable[[Any, BaseException | None], None]
    ) -> None:
        super().__init__(daemon=True, name="trix-request")
        self._call, self._deadline, self._tell = call, deadline, tell

    def run(self) -> None:
        """Run the call, and report its value or error."""
        try:
            with within(self._deadline):
                value = self._call()
        except BaseException as raised:
            self._tell(None, raised)
        else:
            self._tell(value, None)


class Throttle:
    """Queue that runs requests in order of arrival, within limits.

    Threads of one process take turns anyway, so running several at once would only delay all of them. A slow request
    blocks the others for a moment only: then the next one starts beside it.

    Work ends at the next check after its deadline, or after its client has gone. Until then it counts as running, so
    the limit also bounds the load of the machine.
    """

    def __init__(self, limits: RequestLimits) -> None:
        self._limits = limits
        self._turn: asyncio.Lock | None = None
        self._free: asyncio.Semaphore | None = None
        self.working = 0
        """Number of requests that are running or waiting."""

    async def __call__(self, call: Callable[[], T]) -> T:
        """Run a call in a thread and return its value.

        Raises
        ------
        TooManyError
            The queue is full.
        TooLongError
            The time limit has passed, including waiting.
        """
        limits = self._limits
        if self.working >= limits.at_once + limits.waiting:
            raise TooManyError(f"{self.working} requests are in progress; try again in a moment")
        if self._free is None or self._turn is None:  # they belong to the running event loop
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
                return  # the client has gone
            if error is None:
                answer.set_result(value)
            else:
                # An error raised while unfinished work is cancelled has no meaning.
                answer.set_exception(self._too_long() if deadline.has_passed else error)

        def tell(value: Any, error: BaseException | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, value, error)

        _Work(call, deadline, tell).start()
        try:
            async with asyncio.timeout(limits.seconds + _GRACE):
                return await answer
        except TimeoutError:  # inside a library that does not check deadlines
            raise self._too_long() from None
        except asyncio.CancelledError:  # the client has gone
            deadline.end()
            raise

    def _too_long(self) -> TooLongError:
        return TooLongError(f"the request took longer than {self._limits.seconds:g} seconds; try a simpler one")


async def _both(turn: asyncio.Lock, free: asyncio.Semaphore) -> None:
    """Acquire both the turn and a free slot, or neither."""
    await turn.acquire()
    try:
        await free.acquire()
    except BaseException:
        turn.release()
        raise
