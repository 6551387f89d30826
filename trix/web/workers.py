"""Worker processes at one address, and a supervisor that gives each connection to the one with the fewest.

If all workers accept on one socket, the first to wake takes every waiting connection while other cores are idle. Here
the supervisor accepts, and passes connections over socket pairs. A worker sends back a byte when it is ready, and a
byte for each connection that ends.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import selectors
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.process import BaseProcess
from typing import Any

from trix.web.connections import Connections, rate_limited

_log = logging.getLogger(__name__)
_log.addFilter(rate_limited)

_READY, _ENDED, _GIVEN = b"r", b"e", b"g"

_AGAIN = 1.0
"""Shortest time between the start of a worker and that of its replacement, in seconds."""

_PAUSE = 0.05
"""Pause in seconds if no connection can be accepted."""

Work = Callable[..., None]


class _ServerWorker:
    """Worker process as seen by the supervisor."""

    def __init__(self, begin: Callable[[socket.socket], BaseProcess]) -> None:
        self.channel, theirs = socket.socketpair()
        with theirs:
            self.process = begin(theirs)
        self.channel.setblocking(False)
        self.began = time.monotonic()
        self.ready, self.connections = False, 0

    def listen(self) -> bool:
        """Read its messages; return whether it is alive."""
        try:
            said = self.channel.recv(4096)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.ready |= _READY in said
        self.connections -= said.count(_ENDED)
        return bool(said)

    def give(self, connection: socket.socket) -> bool:
        """Send it a connection; return whether that succeeded."""
        try:
            socket.send_fds(self.channel, [_GIVEN], [connection.fileno()])
        except OSError:
            return False
        self.connections += 1
        return True


class ServerProcesses:
    """Worker processes, replaced if they die.

    Parameters
    ----------
    listening
        The socket that accepts connections.
    count
        Number of processes.
    work
        Function of each process; it gets its end of the channel and the `arguments`, and calls `receive`.
    arguments
        Plain values.
    """

    def __init__(self, listening: socket.socket, count: int, work: Work, *arguments: Any) -> None:
        self._listening, self._work, self._arguments = listening, work, arguments
        self._spawn = multiprocessing.get_context("spawn")
        self._selector = selectors.DefaultSelector()
        self._ending = False
        self._workers = [self._begin(number) for number in range(count)]

    def run(self, begun: Callable[[], None], ended: Callable[[int], None], last_words: float) -> None:
        """Supervise the processes until a signal ends them.

        Parameters
        ----------
        begun
            Called when the first process is ready.
        ended
            Called with the id of a process that died.
        last_words
            Seconds for the processes to finish after the signal.
        """
        woken, waking = socket.socketpair()
        waking.setblocking(False)
        signal.set_wakeup_fd(waking.fileno())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._end)
        self._listening.setblocking(False)
        self._selector.register(woken, selectors.EVENT_READ)
        accepting = False
        while not self._ending:
            for key, _ in self._selector.select(_AGAIN):
                if isinstance(key.data, int):
                    self._listen(key.data)
                elif key.fileobj is self._listening:
                    self._accept()
            if not accepting and any(worker.ready for worker in self._workers):
                accepting = True
                self._selector.register(self._listening, selectors.EVENT_READ)  # until then connections wait
                begun()
            self._replace(ended)
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join(last_words)

    def _end(self, *_: Any) -> None:
        self._ending = True

    def _begin(self, number: int) -> _ServerWorker:
        def begin(channel: socket.socket) -> BaseProcess:
            process = self._spawn.Process(target=self._work, args=(channel, *self._arguments), daemon=True)
            process.start()
            return process

        worker = _ServerWorker(begin)
        self._selector.register(worker.channel, selectors.EVENT_READ, number)
        return worker

    def _listen(self, number: int) -> None:
        worker = self._workers[number]
        if not worker.listen():
            worker.ready = False
            self._selector.unregister(worker.channel)
            worker.channel.close()

    def _replace(self, ended: Callable[[int], None]) -> None:
        """Replace processes that have died."""
        for number, worker in enumerate(self._workers):
            if worker.channel.fileno() < 0 and time.monotonic() - worker.began >= _AGAIN:
                worker.process.join(0)
                ended(worker.process.pid or 0)
                self._workers[number] = self._begin(number)

    def _accept(self) -> None:
        """Accept a connection and pass it to the process with the fewest."""
        there = [worker for worker in self._workers if worker.channel.fileno() >= 0]
        try:
            connection, _ = self._listening.accept() if there else (None, None)
        except (BlockingIOError, ConnectionAbortedError):  # it has gone already
            return
        except OSError as error:
            _log.warning("no connection can be opened: %s; they wait", error.strerror)
            connection = None
        if connection is None:
            time.sleep(_PAUSE)
            return
        with connection:
            for worker in sorted(there, key=lambda each: (not each.ready, each.connections)):
                if worker.give(connection):
                    return


def receive(connections: Connections, channel: socket.socket) -> None:
    """Take connections from the supervisor, inside the event loop of a running server."""
    loop = asyncio.get_running_loop()
    channel.setblocking(False)

    def tell(said: bytes) -> None:
        with suppress(OSError):  # the supervisor has gone
            channel.send(said)

    def take() -> None:
        """Take one connection; open ones are served before the next."""
        try:
            said, handles, _, _ = socket.recv_fds(channel, 1, 1)
        except BlockingIOError:
            return
        except OSError:
            said, handles = b"", []
        if not said:  # the supervisor has gone, and with it the listening socket
            loop.remove_reader(channel)
            connections.server.should_exit = True
        elif not handles:  # this process has no file descriptors left, so the system has closed the connection
            connections.ended()
        for handle in handles:
            connections.take(socket.socket(fileno=handle))

    connections.ended = lambda: tell(_ENDED)
    loop.add_reader(channel, take)
    tell(_READY)
