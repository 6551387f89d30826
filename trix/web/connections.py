"""Connections of one process: bounded in number, and closed where a client sends no request or takes no answer.

A client that connects and sends nothing holds a file descriptor, and uvicorn counts time only after the first answer.
Once descriptors run out, asyncio logs a traceback for each connection that it cannot accept, thousands a second. So
connections are accepted here. The longest silent one gives way to a new one, and each warning is logged once a minute.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from trix.web.place.limits import Limits

_log = logging.getLogger(__name__)

_LOOK = 1.0
"""Seconds between two looks at all connections."""

_STEPS = 3
"""How many times longer a client may take no more of an answer than it may send no head."""

_PAUSE = 0.5
"""Seconds for which new connections are left waiting where the system can open no more."""

_SPARED = 64
"""File descriptors that are kept free for files, and for connections that are just being closed."""

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nretry-after: 1\r\n"
    b"connection: close\r\n\r\nAll connections are in use; try again in a moment.\n"
)


class RateLimited(logging.Filter):
    """Filter that passes each warning once a minute, with the number of those that it held back.

    Any client can cause warnings, and warnings must not fill a disk. Errors pass.
    """

    def __init__(self, seconds: float = 60.0) -> None:
        super().__init__()
        self._seconds, self._said = seconds, dict[str, tuple[float, int]]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Pass a record, or hold it back."""
        if record.levelno > logging.WARNING:
            return True
        text, now = str(record.msg), time.monotonic()
        until, held = self._said.get(text, (0.0, 0))
        if now < until:
            self._said[text] = until, held + 1
            return False
        self._said[text] = now + self._seconds, 0
        if held:
            record.msg, record.args = f"{record.getMessage()} ({held:,} more of this kind before)", None
        return True


rate_limited = RateLimited()
"""Filter shared by all loggers of a process."""


class Connection(H11Protocol):
    """HTTP connection that measures how long its client keeps it waiting.

    Parameters
    ----------
    connections
        All connections of the process.
    """

    def __init__(self, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._all, self._left, self._moved = connections, 0, self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the head of a request."""
        super().connection_made(transport)
        self._all.made(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Make room for another connection."""
        super().connection_lost(exc)
        self._all.lost(self)

    def on_response_complete(self) -> None:
        """Begin to wait for the head of the next request."""
        self._moved = self.loop.time()
        super().on_response_complete()

    def waits_since(self, now: float) -> float:
        """Return the time of the client's last progress: a whole head of a request, or more of an answer taken.

        The server's own work does not count as waiting. Bytes of a body, or of an unfinished head, are no progress.
        """
        left = self.transport.get_write_buffer_size()
        at_work = self.cycle is not None and not self.cycle.response_complete
        if left < self._left or (at_work and not left):
            self._moved = now
        self._left = left
        return self._moved

    def patience(self, silence: float) -> float:
        """Return the seconds that it may wait: more for an answer, whose taking is seen in large steps."""
        return _STEPS * silence if self._left else silence


class Connections:
    """All connections of a process.

    Parameters
    ----------
    server
        What answers; it has begun.
    limits
        How many there may be, and how long a client may keep one waiting.
    ended
        Called for each connection that was taken and has ended.
    """

    def __init__(self, server: uvicorn.Server, limits: Limits, ended: Callable[[], None] = lambda: None) -> None:
        self.server, self.ended = server, ended
        self._limits, self._most = limits, min(limits.connections, _descriptors())
        self._loop = asyncio.get_running_loop()
        self._open, self._count = set[Connection](), 0
        self._opening = set[asyncio.Task[Any]]()
        self._listening: socket.socket | None = None
        self._accepting: asyncio.Task[None] | None = None
        for name in (__name__, "uvicorn.error"):
            logging.getLogger(name).addFilter(rate_limited)
        self._watching = self._loop.call_later(_LOOK, self._watch)

    # -- where they come from ---------------------------------------------------------------------------------------

    def listen(self, listening: socket.socket) -> None:
        """Accept connections from here on."""
        listening.setblocking(False)
        self._listening, self._accepting = listening, self._loop.create_task(self._accept(listening))

    def stop(self) -> None:
        """Accept no more; those that are open end as they would."""
        if self._listening is not None and self._accepting is not None:
            self._accepting.cancel()
            self._listening.close()

    async def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                accepted, _ = await self._loop.sock_accept(listening)
            except ConnectionAbortedError:  # it has gone already
                continue
            except OSError as error:
                _log.warning("no connection can be opened: %s; the longest silent one is closed", error.strerror)
                self._make_room()
                await asyncio.sleep(_PAUSE)
                continue
            self.take(accepted)
            await asyncio.sleep(0)  # those that are open have their turn

    def take(self, accepted: socket.socket) -> None:
        """Answer on a connection; where there are as many as may be, the longest silent one gives way."""
        if self._count >= self._most:
            _log.warning("%d connections are open, as many as may be; silent ones give way to new ones", self._count)
            if not self._make_room():
                with accepted, suppress(OSError):
                    accepted.setblocking(False)
                    accepted.send(_FULL)
                self.ended()
                return
        self._count += 1
        connection = Connection(
            self, config=self.server.config, server_state=self.server.server_state,
            app_state=self.server.lifespan.state, _loop=self._loop,
        )  # fmt: skip
        task = self._loop.create_task(self._loop.connect_accepted_socket(lambda: connection, accepted))
        self._opening.add(task)
        task.add_done_callback(self._opened)

    def _opened(self, task: asyncio.Task[Any]) -> None:
        self._opening.discard(task)
        if task.cancelled() or task.exception() is not None:  # it was gone before it began
            self._count -= 1
            self.ended()

    # -- what becomes of them ---------------------------------------------------------------------------------------

    def made(self, connection: Connection) -> None:
        """Watch a connection that has begun."""
        self._open.add(connection)
        if self.server.should_exit:
            connection.shutdown()

    def lost(self, connection: Connection) -> None:
        """Forget a connection that has ended."""
        self._open.discard(connection)
        self._count -= 1
        self.ended()

    def _watch(self) -> None:
        """Close what waits for its client too long."""
        now = self._loop.time()
        for connection in list(self._open):
            if now - connection.waits_since(now) > connection.patience(self._limits.silence):
                connection.transport.abort()
        self._watching = self._loop.call_later(_LOOK, self._watch)

    def _make_room(self) -> bool:
        """Close the connection that has waited for its client longest; return whether there is one."""
        now = self._loop.time()
        waiting = [each for each in self._open if not each.transport.is_closing() and each.waits_since(now) < now]
        if not waiting:
            return False
        min(waiting, key=lambda each: each.waits_since(now)).transport.abort()
        return True


def _descriptors() -> int:
    """Return how many connections the system lets this process have, beside the files that it has open."""
    try:
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        used = len(os.listdir("/dev/fd"))
    except (ImportError, OSError):
        return 1 << 20
    return max(8, (soft if soft != resource.RLIM_INFINITY else 1 << 20) - used - _SPARED)
