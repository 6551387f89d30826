"""Work for requests in threads: so many at once, so many waiting, none for longer than it may."""

from __future__ import annotations

import asyncio
import ctypes
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from trix.errors import TrixError
from trix.web.place.limits import Limits

T = TypeVar("T")


_PATIENCE = 0.1
"""Seconds for which those who wait let one request have the processor for itself."""


class TooManyError(TrixError):
    """So many requests are waiting that another one is turned away."""


class TooLongError(TrixError):
    """A request was cancelled, as it took longer than it may."""


_AGAIN = 0.25
"""Seconds after which a call that still runs is cancelled once more."""


class _Cancelled(BaseException):
    """Raised inside the thread of a request that took too long; no ``except Exception`` catches it."""


class _Work(threading.Thread):
    """One call in a thread of its own, so that a late cancellation can hit nothing but this call.

    Attributes
    ----------
    cancelled
        Whether the call was cancelled before it ended. Compiled code and C libraries turn the exception into others, or
        lose it, so its type says nothing.
    """

    def __init__(self, call: Callable[[], Any], tell: Callable[[Any, BaseException | None], None]) -> None:
        super().__init__(daemon=True, name="trix-request")
        self._call, self._tell = call, tell
        self._ended = self.cancelled = False

    def run(self) -> None:
        """Call, and tell what came of it; a cancellation that arrives after the call changes nothing."""
        outcome: tuple[Any, BaseException | None] | None = None
        while True:
            try:
                if outcome is None:
                    outcome = self._outcome()
                self._ended = True
                return self._tell(*outcome)
            except _Cancelled as raised:
                outcome = outcome or (None, raised)

    def _outcome(self) -> tuple[Any, BaseException | None]:
        try:
            return self._call(), None
        except BaseException as raised:
            return None, raised

    def cancel(self) -> bool:
        """Stop the call at its next step in Python, after a compiled loop; return whether it still runs.

        Only the thread that starts all work may call this, so that no new thread has this one's identifier meanwhile.
        """
        if self._ended or self.ident is None:
            return False
        self.cancelled = True
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident), ctypes.py_object(_Cancelled))
        return True


class Asking:
    """Runs the work of requests within bounds, one after the other in the order in which they came.

    Threads of one process take turns in any case; several at once would only make all of them late. A request that
    takes its time, though, keeps the others waiting for no more than a moment: then the next one begins beside it.

    A request that was cancelled keeps its place among those at work until its thread has really ended, so the bound
    holds for the machine and not only for those who wait.
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
            raise TooManyError(f"{self.working} requests are being answered; ask again in a moment")
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
        late = loop.call_later(limits.seconds, lambda: cancel())
        answer: asyncio.Future[T] = loop.create_future()

        def settle(value: Any, error: BaseException | None) -> None:
            nonlocal settled
            if settled:
                return
            settled = True
            self.working -= 1
            free.release()
            passing.cancel()
            late.cancel()
            pass_on()
            if answer.done():
                return  # nobody waits any more
            if error is None:
                answer.set_result(value)
            else:
                answer.set_exception(self._too_long() if work.cancelled else error)

        def tell(value: Any, error: BaseException | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, value, error)

        def cancel() -> None:
            nonlocal late
            late.cancel()
            if work.cancel():  # an exception that is lost on its way has to be raised again
                late = loop.call_later(_AGAIN, cancel)

        work = _Work(call, tell)
        work.start()
        try:
            async with asyncio.timeout(limits.seconds + _AGAIN):
                return await answer
        except TimeoutError:  # inside a compiled loop
            raise self._too_long() from None
        except asyncio.CancelledError:  # the client has gone
            cancel()
            raise

    def _too_long(self) -> TooLongError:
        return TooLongError(f"the answer took longer than {self._limits.seconds:g} seconds; ask for less")


async def _both(turn: asyncio.Lock, free: asyncio.Semaphore) -> None:
    """Wait for one's turn and for a free place, or have neither."""
    await turn.acquire()
    try:
        await free.acquire()
    except BaseException:
        turn.release()
        raise
