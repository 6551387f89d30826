"""An HTTP server of a folder that sends some of its files wrong, or not at all."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

Fault = Callable[[BaseHTTPRequestHandler, bytes], None]
"""Answers a request for a file with these bytes in a way of its own."""


class Served:
    """What a server sends.

    Attributes
    ----------
    url
        Where.
    faults
        By the end of a file's name (or ``/`` for the list of files): what is wrong with an answer, and how often.
    asked
        Requests by name.
    over
        Set when the server ends.
    """

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url, self.over = folder, url, Event()
        self.faults: dict[str, tuple[Fault, int]] = {}
        self.asked: Counter[str] = Counter()

    def fault(self, name: str) -> Fault | None:
        """Return what is wrong with the next answer to a request."""
        for end, (fault, times) in self.faults.items():
            if name.endswith(end) and times:
                self.faults[end] = fault, times - 1
                return fault
        return None


def whole(request: BaseHTTPRequestHandler, data: bytes) -> None:
    """Send all bytes."""
    request.send_response(200)
    request.send_header("Content-Length", str(len(data)))
    request.end_headers()
    request.wfile.write(data)


def flipped(request: BaseHTTPRequestHandler, data: bytes) -> None:
    """Send all bytes, one of them in the middle another one."""
    middle = len(data) // 2
    whole(request, data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])


def cut(request: BaseHTTPRequestHandler, data: bytes) -> None:
    """Send half, as if it were all."""
    whole(request, data[: len(data) // 2])


def broken_off(request: BaseHTTPRequestHandler, data: bytes) -> None:
    """Send half, and hang up."""
    request.send_response(200)
    request.send_header("Content-Length", str(len(data)))
    request.end_headers()
    request.wfile.write(data[: len(data) // 2])


def endless(request: BaseHTTPRequestHandler, data: bytes) -> None:
    """Send the bytes, and more, without an end."""
    request.send_response(200)
    request.end_headers()
    while True:  # until the client hangs up
        request.wfile.write(data)


def silent(request: BaseHTTPRequestHandler, data: bytes) -> None:
    """Say nothing."""
    request.server.served.over.wait(30)  # type: ignore[attr-defined]


def then_silent(request: BaseHTTPRequestHandler, data: bytes) -> None:
    """Send half, and then nothing more."""
    broken_off(request, data)
    request.wfile.flush()
    silent(request, data)


class _Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        served: Served = self.server.served  # type: ignore[attr-defined]
        name = self.path.rpartition("/")[2]
        path = served.folder / name
        served.asked[name or "/"] += 1
        if not name or path == served.folder or self.path.strip("/") == served.folder.name:
            links = "".join(f'<a href="{served.url}/{each}">{each}</a>' for each in sorted(os.listdir(served.folder)))
            data, name = links.encode(), "/"
        elif path.is_file():
            data = path.read_bytes()
        else:
            self.send_error(404)
            return
        try:
            (served.fault(name) or whole)(self, data)
        except OSError:
            return

    def do_HEAD(self) -> None:
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """Serve a folder for the time of a block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
    server.daemon_threads = True
    served = Served(folder, f"http://127.0.0.1:{server.server_port}/{folder.name}")
    server.served = served  # type: ignore[attr-defined]
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield served
    finally:
        served.over.set()
        server.shutdown()
        server.server_close()
