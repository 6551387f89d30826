"""HTTP server: socket, worker processes, graceful shutdown."""

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
from trix.web.site.limits import RequestLimits
from trix.web.site.metrics import clear_after_kill, reported_together
from trix.web.site.site import Site
from trix.web.workers import ServerProcesses, receive

_LAST_WORDS = 10
"""Seconds for open requests after a shutdown is requested."""

_SWITCHING = 0.001
"""Switch interval of threads, in seconds. With Python's default of 5 ms, the event loop waits for a thread that renders
a page at each read and write, several times for one cached page."""

_COLLECTING = 20_000, 20, 20
"""Thresholds of the garbage collector; with Python's default of 700 objects it takes a tenth of a page's time."""

LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
"""Names of loopback addresses."""


@dataclass(frozen=True, kw_only=True)
class ServerConfig:
    """Configuration of a server, in plain values that can be sent to worker processes.

    Parameters
    ----------
    indexes
        Folders of indexes, served as one collection.
    limits
        See `RequestLimits`.
    token, theme, title, description, hosts
        See `Site` and `trix.web.app.app`.
    """

    indexes: Sequence[str]
    limits: dict[str, Any] = field(default_factory=dict)
    token: str | None = None
    theme: str | None = None
    title: str = ""
    description: str = ""
    hosts: Sequence[str] = ()

    def app(self) -> Starlette:
        """Open the index and return the application.

        Raises
        ------
        TrixError
            An index cannot be opened.
        """
        made = app(self.site(), hosts=self.hosts)

        def begin() -> None:
            warm(made.state.server)
            gc.freeze()  # objects loaded so far are permanent; collections skip them

        threading.Thread(target=begin, daemon=True, name="trix-warming").start()
        return made

    def site(self) -> Site:
        """Open the index and return the site.

        Raises
        ------
        TrixError
            An index cannot be opened.
        """
        return Site(
            open_index(list(self.indexes)), limits=RequestLimits(**self.limits), token=self.token,
            theme=Path(self.theme) if self.theme else None, title=self.title,
            description=self.description,
        )  # fmt: skip


def is_loopback(address: str) -> bool:
    """Whether an IP address is a loopback address.

    >>> [is_loopback(each) for each in ("127.0.0.2", "::1", "::ffff:127.0.0.1", "0.0.0.0", "192.0.2.1")]
    [True, True, True, False, False]
    """
    found = ip_address(address.partition("%")[0])
    return found.is_loopback or bool(isinstance(found, IPv6Address) and (old := found.ipv4_mapped) and old.is_loopback)


def names_of(host: str, address: str, more: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the host names that a server answers to; empty for any.

    Parameters
    ----------
    host
        Name or address to listen on.
    address
        Its IP address.
    more
        Further allowed names.

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
    """Return the URL of the home page.

    >>> address_of("::1", 8474), address_of("127.0.0.1", 80, "öpen sesame&")
    ('http://[::1]:8474/', 'http://127.0.0.1:80/?token=%C3%B6pen%20sesame%26')
    """
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={quote(token, '', errors='surrogateescape')}" if token else "")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address.

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
    # Connections inherit the option; asyncio sets it only on sockets with an explicit protocol, unlike these.
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.set_inheritable(True)
    return made


class _HttpServer(uvicorn.Server):
    """uvicorn server that takes its connections from `Connections`, and shuts down without re-raising signals."""

    def __init__(self, config: uvicorn.Config, limits: RequestLimits, begun: Callable[[Connections], None]) -> None:
        super().__init__(config)
        self._limits, self._begun = limits, begun
        self._connections: Connections | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and pass the `Connections` on."""
        await super().startup(sockets=sockets)
        self._connections = Connections(self, self._limits)
        self._begun(self._connections)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting connections, and close the open ones."""
        if self._connections is not None:
            self._connections.stop()
        await super().shutdown(sockets=sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Shut down on a signal without re-raising it afterwards."""

        def end(number: int, frame: FrameType | None) -> None:
            self.handle_exit(number, frame)

        before = {each: signal.signal(each, end) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def serve(
    config: ServerConfig, listening: socket.socket, workers: int = 1, begun: Callable[[], None] = lambda: None
) -> None:
    """Serve until a signal ends the process.

    Parameters
    ----------
    config
        The configuration.
    listening
        The socket, see `listen`.
    workers
        Number of worker processes.
    begun
        Called when the server is ready.
    """
    common: dict[str, Any] = {
        "log_level": "warning", "access_log": False, "timeout_graceful_shutdown": _LAST_WORDS,
        "server_header": False, "proxy_headers": False, "timeout_keep_alive": 15, "lifespan": "off",
        "http": "h11", "ws": "none",
    }  # fmt: skip
    _prepare()
    limits = RequestLimits(**config.limits)
    if workers == 1:

        def listen_at(connections: Connections) -> None:
            connections.listen(listening)
            begun()

        _HttpServer(uvicorn.Config(config.app(), **common), limits, listen_at).run(sockets=[])
        return
    if not hasattr(socket, "send_fds"):
        raise UsageError("this system cannot pass connections to other processes; expected 1", field="workers")
    config.site()  # raises errors of the index once, here
    with reported_together() as ended:
        ServerProcesses(listening, workers, _work, config, common).run(begun, ended, _LAST_WORDS + 2)


def _prepare() -> None:
    """Tune thread switching and garbage collection of this process for rendering pages."""
    sys.setswitchinterval(_SWITCHING)
    gc.set_threshold(*_COLLECTING)


def _work(channel: socket.socket, config: ServerConfig, common: dict[str, Any]) -> None:
    """Run a worker process on the connections that it receives."""
    _prepare()
    server = uvicorn.Config(config.app(), **common)
    _HttpServer(server, RequestLimits(**config.limits), lambda connections: receive(connections, channel)).run(
        sockets=[]
    )
    clear_after_kill()
