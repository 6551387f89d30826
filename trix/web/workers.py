"""Processes that answer at one address: one watches over them, and gives each connection to the one with fewest.

Processes that all accept at one socket share it badly: whichever wakes first takes every connection that waits, and
those who asked at the same time wait behind each other while another core has nothing to do. Here the process that
watches accepts, and hands connections on over a pair of sockets; back come a byte when a process can answer, and a byte
for each connection that ended.
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
"""Seconds from the beginning of a process to that of the one that takes its place, at least."""

_PAUSE = 0.05
"""Seconds for which connections are left waiting where none can be taken."""

Work = Callable[..., None]


class _Worker:
    """One of the processes, as the one that watches sees it."""

    def __init__(self, begin: Callable[[socket.socket], BaseProcess]) -> None:
        self.channel, theirs = socket.socketpair()
        with theirs:
            self.process = begin(theirs)
        self.channel.setblocking(False)
        self.began = time.monotonic()
        self.ready, self.connections = False, 0

    def listen(self) -> bool:
        """Learn what it says; return whether it is still there."""
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
        """Give it a connection; return whether it takes any."""
        try:
            socket.send_fds(self.channel, [_GIVEN], [connection.fileno()])
        except OSError:
            return False
        self.connections += 1
        return True


class Workers:
    """Processes that answer, and are followed by others should they die.

    Parameters
    ----------
    listening
        The socket at which connections are accepted.
    count
        How many processes.
    work
        Function that each runs, with its end of the channel and the `arguments`; it calls `receive`.
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
        """Keep the processes at work until the end is asked for.

        Parameters
        ----------
        begun
            Called when the first of them can answer.
        ended
            Called with the id of a process that ended before it was told to.
        last_words
            Seconds that they have to end.
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

    def _begin(self, number: int) -> _Worker:
        def begin(channel: socket.socket) -> BaseProcess:
            process = self._spawn.Process(target=self._work, args=(channel, *self._arguments), daemon=True)
            process.start()
            return process

        worker = _Worker(begin)
        self._selector.register(worker.channel, selectors.EVENT_READ, number)
        return worker

    def _listen(self, number: int) -> None:
        worker = self._workers[number]
        if not worker.listen():
            worker.ready = False
            self._selector.unregister(worker.channel)
            worker.channel.close()

    def _replace(self, ended: Callable[[int], None]) -> None:
        """Start a process in the place of each that has ended."""
        for number, worker in enumerate(self._workers):
            if worker.channel.fileno() < 0 and time.monotonic() - worker.began >= _AGAIN:
                worker.process.join(0)
                ended(worker.process.pid or 0)
                self._workers[number] = self._begin(number)

    def _accept(self) -> None:
        """Accept a connection and give it to the process that has fewest."""
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
    """Answer on the connections that are given, from inside the loop of a server that has begun."""
    loop = asyncio.get_running_loop()
    channel.setblocking(False)

    def tell(said: bytes) -> None:
        with suppress(OSError):  # nobody watches any more
            channel.send(said)

    def take() -> None:
        """Take one; those that are open have their turn before the next."""
        try:
            said, handles, _, _ = socket.recv_fds(channel, 1, 1)
        except BlockingIOError:
            return
        except OSError:
            said, handles = b"", []
        if not said:  # who watched has gone, and with it the address
            loop.remove_reader(channel)
            connections.server.should_exit = True
        elif not handles:  # the system lets this process open no more, and has closed it
            connections.ended()
        for handle in handles:
            connections.take(socket.socket(fileno=handle))

    connections.ended = lambda: tell(_ENDED)
    loop.add_reader(channel, take)
    tell(_READY)
