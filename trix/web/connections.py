"""Connections of one process: limited in number, and closed if a client is silent.

A client that connects and sends nothing holds a file descriptor, and uvicorn has no timeout before the first answer.
Without descriptors, asyncio logs a traceback for each connection that it cannot accept, thousands a second. So
connections are accepted here: a new one replaces the longest silent one, and each warning is logged once a minute.
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

from trix.web.site.limits import RequestLimits

_log = logging.getLogger(__name__)

_LOOK = 1.0
"""Seconds between two checks of all connections."""

_STEPS = 3
"""Factor of the timeout while a client reads an answer, compared with waiting for a request."""

_PAUSE = 0.5
"""Pause in seconds if the system cannot open more connections."""

_SPARED = 64
"""File descriptors reserved for files, and for connections that are being closed."""

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nretry-after: 1\r\n"
    b"connection: close\r\n\r\nAll connections are in use; try again in a moment.\n"
)


class RateLimited(logging.Filter):
    """Log filter that passes each warning once a minute, with the number of those suppressed.

    Clients can cause warnings, which must not fill a disk. Errors always pass.
    """

    def __init__(self, seconds: float = 60.0) -> None:
        super().__init__()
        self._seconds, self._said = seconds, dict[str, tuple[float, int]]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log a record."""
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
    """HTTP connection that measures how long its client is silent.

    Parameters
    ----------
    connections
        All connections of the process.
    """

    def __init__(self, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._all, self._left, self._moved = connections, 0, self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the head of a request."""
        super().connection_made(transport)
        self._all.made(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove this connection from the count."""
        super().connection_lost(exc)
        self._all.lost(self)

    def on_response_complete(self) -> None:
        """Start waiting for the head of the next request."""
        self._moved = self.loop.time()
        super().on_response_complete()

    def waits_since(self, now: float) -> float:
        """Return the time of the client's last progress: a complete head, or more of an answer read.

        Work of the server does not count as waiting. Bytes of a body or of an incomplete head are not progress.
        """
        left = self.transport.get_write_buffer_size()
        at_work = self.cycle is not None and not self.cycle.response_complete
        if left < self._left or (at_work and not left):
            self._moved = now
        self._left = left
        return self._moved

    def patience(self, silence: float) -> float:
        """Return the timeout in seconds; longer during an answer, whose progress is seen in large steps."""
        return _STEPS * silence if self._left else silence


class Connections:
    """All connections of a process.

    Parameters
    ----------
    server
        The running server.
    limits
        Number of connections and timeout.
    ended
        Called for each connection that was taken and has ended.
    """

    def __init__(self, server: uvicorn.Server, limits: RequestLimits, ended: Callable[[], None] = lambda: None) -> None:
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

    # -- accepting --------------------------------------------------------------------------------------------------

    def listen(self, listening: socket.socket) -> None:
        """Start accepting connections."""
        listening.setblocking(False)
        self._listening, self._accepting = listening, self._loop.create_task(self._accept(listening))

    def stop(self) -> None:
        """Stop accepting; open connections go on."""
        if self._listening is not None and self._accepting is not None:
            self._accepting.cancel()
            self._listening.close()

    async def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                accepted, _ = await self._loop.sock_accept(listening)
            except ConnectionAbortedError:  # the client has closed it already
                continue
            except OSError as error:
                _log.warning("no connection can be opened: %s; the longest silent one is closed", error.strerror)
                self._make_room()
                await asyncio.sleep(_PAUSE)
                continue
            self.take(accepted)
            await asyncio.sleep(0)  # let open connections go on

    def take(self, accepted: socket.socket) -> None:
        """Serve a connection; at the limit, it replaces the longest silent one."""
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
        if task.cancelled() or task.exception() is not None:  # closed before it started
            self._count -= 1
            self.ended()

    # -- watching ---------------------------------------------------------------------------------------------------

    def made(self, connection: Connection) -> None:
        """Register an open connection."""
        self._open.add(connection)
        if self.server.should_exit:
            connection.shutdown()

    def lost(self, connection: Connection) -> None:
        """Remove a closed connection."""
        self._open.discard(connection)
        self._count -= 1
        self.ended()

    def _watch(self) -> None:
        """Close connections that are silent for too long."""
        now = self._loop.time()
        for connection in list(self._open):
            if now - connection.waits_since(now) > connection.patience(self._limits.silence):
                connection.transport.abort()
        self._watching = self._loop.call_later(_LOOK, self._watch)

    def _make_room(self) -> bool:
        """Close the longest silent connection; return whether there is one."""
        now = self._loop.time()
        waiting = [each for each in self._open if not each.transport.is_closing() and each.waits_since(now) < now]
        if not waiting:
            return False
        min(waiting, key=lambda each: each.waits_since(now)).transport.abort()
        return True


def _descriptors() -> int:
    """Return the number of connections that the limit of file descriptors allows."""
    try:
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        used = len(os.listdir("/dev/fd"))
    except (ImportError, OSError):
        return 1 << 20
    return max(8, (soft if soft != resource.RLIM_INFINITY else 1 << 20) - used - _SPARED)
