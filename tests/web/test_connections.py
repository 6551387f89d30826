"""Connections that send nothing, or take nothing, are closed and keep nobody out; a log does not grow with them."""

from __future__ import annotations

import asyncio
import errno
import logging
import re
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")
import uvicorn

from tests import web_samples
from trix.web import connections as module
from trix.web.connections import Connections, RateLimited, rate_limited
from trix.web.serving import _HttpServer, listen
from trix.web.site.limits import RequestLimits
from trix.web.workers import receive

GET = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"


@pytest.fixture(autouse=True)
def forget() -> None:
    """Let each test hear every warning."""
    rate_limited.__init__()  # type: ignore[misc]


# -- in this process ---------------------------------------------------------------------------------------------------


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer at once, slowly, or with a lot."""
    if scope["path"] == "/slow":
        await asyncio.sleep(1.5)
    body = b"x" * (4_000_000 if scope["path"] == "/large" else 2)
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


Client = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def serve(talk: Callable[[Callable[[], Awaitable[Client]]], Awaitable[None]], **limits: Any) -> None:
    """Serve the small application while a function talks to it by way of connections that it opens."""
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]

    async def run() -> None:
        config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off", ws="none")
        server = _HttpServer(config, RequestLimits(**limits), lambda connections: connections.listen(listening))
        serving = asyncio.create_task(server.serve(sockets=[]))
        writers: list[asyncio.StreamWriter] = []

        async def connect() -> Client:
            client = await asyncio.open_connection("127.0.0.1", port)
            writers.append(client[1])
            return client

        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        try:
            assert server.started, serving
            await talk(connect)
        finally:
            server.should_exit = True
            await asyncio.wait_for(serving, 30)
            for writer in writers:
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()

    asyncio.run(run())
    assert listening.fileno() == -1


async def rest(client: Client, seconds: float = 10.0) -> bytes:
    """Return what comes until the connection is closed."""
    with suppress(ConnectionResetError):
        return await asyncio.wait_for(client[0].read(), seconds)
    return b""


def test_a_head_that_does_not_come_to_its_end_is_not_waited_for() -> None:
    async def talk(connect: Callable[[], Awaitable[Client]]) -> None:
        silent, slow, begun = await connect(), await connect(), time.monotonic()

        async def drip() -> None:
            with suppress(ConnectionError):
                for byte in b"GET / HTTP/1.1\r\nx: " + b"y" * 1000:
                    slow[1].write(bytes([byte]))
                    await slow[1].drain()
                    await asyncio.sleep(0.1)

        dripping = asyncio.create_task(drip())
        assert await rest(silent) == await rest(slow) == b""
        assert 0.9 < time.monotonic() - begun < 6
        await dripping

    serve(talk, silence=1.0)


@pytest.mark.slow
def test_a_body_that_nobody_reads_is_not_waited_for() -> None:
    async def talk(connect: Callable[[], Awaitable[Client]]) -> None:
        client = await connect()
        client[1].write(b"GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n")

        async def drip() -> None:
            with suppress(ConnectionError):
                for _ in range(200):
                    client[1].write(b"z")
                    await client[1].drain()
                    await asyncio.sleep(0.1)

        dripping, begun = asyncio.create_task(drip()), time.monotonic()
        assert (await rest(client)).startswith(b"HTTP/1.1 200")
        assert time.monotonic() - begun < 6
        await dripping

    serve(talk, silence=1.0)


@pytest.mark.slow
def test_an_answer_that_is_not_taken_is_given_up_and_a_slow_one_is_not() -> None:
    async def talk(connect: Callable[[], Awaitable[Client]]) -> None:
        stuck, slow = await connect(), await connect()
        stuck[1].write(GET.replace(b"/ ", b"/large ") * 6)  # its reader stops by itself where nobody reads
        slow[1].write(GET.replace(b"/ ", b"/large ") * 2)
        total = 0
        while total < 8_000_000:
            sip = await asyncio.wait_for(slow[0].read(1 << 16), 10)
            assert sip
            total += len(sip)
            await asyncio.sleep(0.04)  # five seconds in all
        assert 0 < len(await rest(stuck)) < 24_000_000

    serve(talk, silence=0.5)


def test_work_of_the_server_is_no_silence_of_the_client() -> None:
    async def talk(connect: Callable[[], Awaitable[Client]]) -> None:
        client = await connect()
        client[1].write(GET.replace(b"/ ", b"/slow "))
        assert (await client[0].readuntil(b"xx")).startswith(b"HTTP/1.1 200")

    serve(talk, silence=0.5)


def test_the_longest_silent_connection_gives_way_to_a_new_one(caplog: pytest.LogCaptureFixture) -> None:
    async def talk(connect: Callable[[], Awaitable[Client]]) -> None:
        first = [await connect() for _ in range(4)]
        await asyncio.sleep(0.1)
        first[0][1].write(GET.replace(b"/ ", b"/slow "))  # at work
        await asyncio.sleep(0.1)
        more = [await connect() for _ in range(3)]
        for client in more:
            client[1].write(GET)
            assert (await client[0].readuntil(b"xx")).startswith(b"HTTP/1.1 200")
        assert [await rest(client, 2) for client in first[1:]] == [b"", b"", b""]
        assert (await first[0][0].readuntil(b"xx")).startswith(b"HTTP/1.1 200")

    with caplog.at_level(logging.WARNING):
        serve(talk, connections=4)
    assert [record.getMessage() for record in caplog.records] == [
        "4 connections are open, as many as may be; silent ones give way to new ones"
    ]


@pytest.mark.slow
def test_where_all_connections_are_at_work_another_one_is_told_to_come_again() -> None:
    async def talk(connect: Callable[[], Awaitable[Client]]) -> None:
        busy = [await connect() for _ in range(2)]
        for client in busy:
            client[1].write(GET.replace(b"/ ", b"/slow "))
        await asyncio.sleep(0.3)
        refused = await rest(await connect())
        assert refused.startswith(b"HTTP/1.1 503") and b"retry-after: 1" in refused
        for client in busy:
            assert (await client[0].readuntil(b"xx")).startswith(b"HTTP/1.1 200")
        last = await connect()
        last[1].write(GET)
        assert (await last[0].readuntil(b"xx")).startswith(b"HTTP/1.1 200")

    serve(talk, connections=2)


def test_many_failures_to_accept_are_one_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "_PAUSE", 0.001)
    accept, failed = asyncio.SelectorEventLoop.sock_accept, list[int]()

    async def fails(loop: Any, listening: socket.socket) -> Any:
        if len(failed) < 200:
            failed.append(1)
            raise OSError(errno.EMFILE, "Too many open files")
        return await accept(loop, listening)

    monkeypatch.setattr(asyncio.SelectorEventLoop, "sock_accept", fails)

    async def talk(connect: Callable[[], Awaitable[Client]]) -> None:
        client = await connect()
        client[1].write(GET)
        assert (await client[0].readuntil(b"xx")).startswith(b"HTTP/1.1 200")

    with caplog.at_level(logging.WARNING):
        serve(talk)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1 and "Too many open files" in said[0] and len(failed) == 200


def test_a_connection_that_a_process_cannot_take_over_is_counted_as_ended() -> None:
    async def run() -> None:
        server = uvicorn.Server(uvicorn.Config(app, lifespan="off", ws="none"))
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.settimeout(5)
            receive(Connections(server, RequestLimits()), theirs)
            ours.send(b"g")  # the system has kept the connection back
            await asyncio.sleep(0.05)
            assert ours.recv(10) == b"re"
            asyncio.get_running_loop().remove_reader(theirs)

    asyncio.run(run())


def test_a_warning_is_written_once_a_minute_and_says_how_often_it_was_held_back() -> None:
    filter_, now = RateLimited(0.2), time.monotonic()

    def passes(level: int, text: str) -> str:
        record = logging.LogRecord("x", level, "", 1, text, ("a",), None)
        return record.getMessage() if filter_.filter(record) else ""

    assert [passes(logging.WARNING, "one %s") for _ in range(4)] == ["one a", "", "", ""]
    assert passes(logging.WARNING, "two %s") == "two a" and passes(logging.ERROR, "one %s") == "one a"
    assert time.monotonic() - now < 0.2
    time.sleep(0.25)
    assert passes(logging.WARNING, "one %s") == "one a (3 more of this kind before)"


# -- as a process ------------------------------------------------------------------------------------------------------

PLACE = """
import os, sys, threading
from trix.web.serving import ServerConfig, listen, serve
if __name__ == "__main__":
    index, workers, silence, hold = sys.argv[1:]
    listening, held = listen("127.0.0.1", 0), []
    def begun():
        threading.Thread(target=tell, daemon=True).start()
    def tell():
        [each.join() for each in threading.enumerate() if each.name == "trix-warming"]  # which needs files, too
        try:
            while hold == "hold":
                held.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            for each in held[-3:]:
                os.close(each)
        print(listening.getsockname()[1], flush=True)
    serve(ServerConfig(indexes=[index], limits={"silence": float(silence)}), listening, int(workers), begun)
"""


@pytest.fixture(scope="module")
def coast(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return web_samples.make(tmp_path_factory.mktemp("connections"))


@contextmanager
def process(tmp_path: Path, index: Path, *arguments: str, files: int) -> Iterator[int]:
    """Serve in a process with so many file descriptors; its log must stay short."""
    (tmp_path / "place.py").write_text(textwrap.dedent(PLACE))
    line = f'ulimit -n {files}; exec "$0" "$@"'
    command = ["bash", "-c", line, sys.executable, str(tmp_path / "place.py"), str(index), *arguments]
    log = tmp_path / "log"
    with (
        log.open("wb") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT) as started,
    ):
        try:
            assert started.stdout is not None
            yield int(started.stdout.readline())
            started.terminate()
            assert started.wait(30) == 0
        finally:
            started.kill()
    said = log.read_text()
    assert len(said.splitlines()) <= 4 and "Traceback" not in said, said[:2000]


def ask(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), 20) as asking:
        asking.sendall(GET.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"))
        return b"".join(iter(lambda: asking.recv(1 << 16), b""))


posix = pytest.mark.skipif(sys.platform == "win32", reason="there is no ulimit")


@posix
@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_three_hundred_silent_connections_keep_nobody_out_and_are_closed(
    coast: Path, tmp_path: Path, workers: str
) -> None:
    with process(tmp_path, coast, workers, "3", "", files=256) as port, ExitStack() as opened:
        assert b"200 OK" in ask(port)[:20]
        silent = [opened.enter_context(socket.create_connection(("127.0.0.1", port), 20)) for _ in range(300)]
        for _ in range(20):
            assert b"200 OK" in ask(port)[:20]
        for each in silent:
            with suppress(ConnectionResetError):
                assert each.recv(10) in (b"", b"HTTP/1.1 5")
        assert b"200 OK" in ask(port)[:20]


@posix
@pytest.mark.slow
def test_without_free_descriptors_the_log_has_one_line(coast: Path, tmp_path: Path) -> None:
    with process(tmp_path, coast, "1", "3", "hold", files=200) as port, ExitStack() as opened:
        for _ in range(40):
            opened.enter_context(socket.create_connection(("127.0.0.1", port), 20))
        time.sleep(3)
        assert 1 <= len((tmp_path / "log").read_text().splitlines()) <= 2


@posix
@pytest.mark.slow
def test_what_is_no_request_is_written_down_once(coast: Path, tmp_path: Path) -> None:
    with process(tmp_path, coast, "1", "20", "", files=256) as port:
        for nonsense in [
            b"\x16\x03\x01 nonsense\r\n\r\n",
            GET[:-2] + b"connection: upgrade\r\nupgrade: websocket\r\n\r\n",
        ] * 20:
            with socket.create_connection(("127.0.0.1", port), 20) as asking:
                asking.sendall(nonsense)
                assert re.match(rb"HTTP/1.1 (400|200)", asking.recv(100))
