"""Serving: an address that is listened at, processes that answer, an end without loss."""

from __future__ import annotations

import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette

from trix.api.index import open_index
from trix.errors import UsageError
from trix.web.app import app
from trix.web.connections import Connections
from trix.web.pages.routes import warm
from trix.web.place.limits import Limits
from trix.web.place.metrics import clear_after_kill, reported_together
from trix.web.place.place import Place
from trix.web.workers import Workers, receive

_LAST_WORDS = 10
"""Seconds that requests have to be answered after the end was asked for."""

_SWITCHING = 0.001
"""Seconds after which a thread that makes a page lets the one pass that talks to the network, if that wants to. Python
takes five, each time that one reads or sends: a page that is there already would wait for it several times."""

_COLLECTING = 20_000, 20, 20
"""Objects made until Python looks for circles among them; with its own 700, that takes a tenth of a page's time."""

LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
"""Names under which this machine alone asks."""


@dataclass(frozen=True, kw_only=True)
class Served:
    """What is served, and how; plain values, since processes hand it on.

    Parameters
    ----------
    indexes
        Folders of indexes, read as one collection.
    limits
        See `Limits`.
    token, theme, title, description, hosts
        See `Place` and `trix.web.app.app`.
    """

    indexes: Sequence[str]
    limits: dict[str, Any] = field(default_factory=dict)
    token: str | None = None
    theme: str | None = None
    title: str = ""
    description: str = ""
    hosts: Sequence[str] = ()

    def app(self) -> Starlette:
        """Return the application.

        Raises
        ------
        TrixError
            An index cannot be opened.
        """
        made = app(self.place(), hosts=self.hosts)

        def begin() -> None:
            warm(made.state.house)
            gc.freeze()  # what is loaded stays

        threading.Thread(target=begin, daemon=True, name="trix-warming").start()
        return made

    def place(self) -> Place:
        """Return the place.

        Raises
        ------
        TrixError
            An index cannot be opened.
        """
        return Place(
            open_index(list(self.indexes)), limits=Limits(**self.limits), token=self.token,
            theme=Path(self.theme) if self.theme else None, title=self.title,
            description=self.description,
        )  # fmt: skip


def is_loopback(address: str) -> bool:
    """Whether an IP address is one that only this machine reaches.

    >>> [is_loopback(each) for each in ("127.0.0.2", "::1", "::ffff:127.0.0.1", "0.0.0.0", "192.0.2.1")]
    [True, True, True, False, False]
    """
    found = ip_address(address.partition("%")[0])
    return found.is_loopback or bool(isinstance(found, IPv6Address) and (old := found.ipv4_mapped) and old.is_loopback)


def names_of(host: str, address: str, more: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names under which a place may be asked; none means any.

    Parameters
    ----------
    host
        What it was told to listen at.
    address
        The IP address that this stands for.
    more
        Names that are allowed besides.

    Examples
    --------
    >>> names_of("127.0.0.2", "127.0.0.2")
    ('127.0.0.2', '127.0.0.1', 'localhost', '::1', '[::1]')
    >>> names_of("0.0.0.0", "0.0.0.0"), names_of("0.0.0.0", "0.0.0.0", ["library.example.org"])[:2]
    ((), ('library.example.org', '127.0.0.1'))
    """
    if not is_loopback(address):
        return (*more, *LOOPBACK) if more else ()
    own = [name for each in (host, address) for name in ((each, f"[{each}]") if ":" in each else (each,))]
    return tuple(dict.fromkeys((*more, *own, *LOOPBACK)))


def address_of(host: str, port: int, token: str | None = None) -> str:
    """Return where a place is opened.

    >>> address_of("::1", 8474), address_of("127.0.0.1", 80, "öpen sesame&")
    ('http://[::1]:8474/', 'http://127.0.0.1:80/?token=%C3%B6pen%20sesame%26')
    """
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={quote(token, '', errors='surrogateescape')}" if token else "")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket at an address.

    Raises
    ------
    UsageError
        The port is taken, or the address is not this machine's.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        reason = f"cannot listen on it: {error.strerror or error}; 0 takes a free port"
        raise UsageError(reason, field="port", got=port) from None
    # Connections inherit it; asyncio sets it only where a socket names its protocol, and these do not.
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.set_inheritable(True)
    return made


class _Server(uvicorn.Server):
    """A server that ends by itself when it is told to, and takes its connections from `Connections`."""

    def __init__(self, config: uvicorn.Config, limits: Limits, begun: Callable[[Connections], None]) -> None:
        super().__init__(config)
        self._limits, self._begun = limits, begun
        self._connections: Connections | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, and say where connections are given to."""
        await super().startup(sockets=sockets)
        self._connections = Connections(self, self._limits)
        self._begun(self._connections)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections, and end those that there are."""
        if self._connections is not None:
            self._connections.stop()
        await super().shutdown(sockets=sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End by a signal without being killed by it in the end."""

        def end(number: int, frame: FrameType | None) -> None:
            self.handle_exit(number, frame)

        before = {each: signal.signal(each, end) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def serve(served: Served, listening: socket.socket, workers: int = 1, begun: Callable[[], None] = lambda: None) -> None:
    """Serve until the process is told to end.

    Parameters
    ----------
    served
        What.
    listening
        The socket; see `listen`.
    workers
        Processes that answer.
    begun
        Called when requests are answered.
    """
    common: dict[str, Any] = {
        "log_level": "warning", "access_log": False, "timeout_graceful_shutdown": _LAST_WORDS,
        "server_header": False, "proxy_headers": False, "timeout_keep_alive": 15, "lifespan": "off",
        "http": "h11", "ws": "none",
    }  # fmt: skip
    _prepare()
    limits = Limits(**served.limits)
    if workers == 1:

        def listen_at(connections: Connections) -> None:
            connections.listen(listening)
            begun()

        _Server(uvicorn.Config(served.app(), **common), limits, listen_at).run(sockets=[])
        return
    if not hasattr(socket, "send_fds"):
        raise UsageError("this system cannot pass connections to other processes; expected 1", field="workers")
    served.place()  # what is wrong with the index is said once, here
    with reported_together() as ended:
        Workers(listening, workers, _work, served, common).run(begun, ended, _LAST_WORDS + 2)


def _prepare() -> None:
    """Set this process up for making pages, one after the other."""
    sys.setswitchinterval(_SWITCHING)
    gc.set_threshold(*_COLLECTING)


def _work(channel: socket.socket, served: Served, common: dict[str, Any]) -> None:
    """Answer in a process of its own, on the connections that it is given."""
    _prepare()
    config = uvicorn.Config(served.app(), **common)
    _Server(config, Limits(**served.limits), lambda connections: receive(connections, channel)).run(sockets=[])
    clear_after_kill()
