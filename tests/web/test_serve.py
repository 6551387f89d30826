"""`trix serve` as a process: says where it is, answers, ends when it is told to, and says in a line what is wrong."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from tests.paths import ROOT

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")

import trix
from tests import web_samples
from tests.conftest import Cli
from trix.web.pages.routes import warm
from trix.web.pages.server import PageServer


@pytest.fixture(scope="module")
def coast(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return web_samples.make(tmp_path_factory.mktemp("serve"))


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a place; give its process and its address."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "trix", "serve", *arguments, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            assert "http://" in line, line
            yield process, "http://" + line.partition("http://")[2].split()[0]
        finally:
            process.kill()


def get(address: str) -> str:
    for _ in range(100):
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return str(answer.read().decode())
        except urllib.error.URLError as error:  # processes of their own begin a moment later
            if isinstance(error, urllib.error.HTTPError):
                raise
    raise AssertionError(address)


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "ending"), [("1", signal.SIGTERM), ("1", signal.SIGINT), ("2", signal.SIGTERM)])
def test_a_place_is_served_and_ends_cleanly(coast: Path, workers: str, ending: signal.Signals) -> None:
    with serving(str(coast), "--workers", workers) as (process, address):
        assert "<mark>lighthouse</mark>" in get(address + "?q=lighthouse")
        process.send_signal(ending)
        assert process.wait(30) == 0
        assert process.stderr is not None and process.stderr.read() == ""


def test_what_is_loaded_once_is_loaded_before_somebody_asks(coast: Path) -> None:
    place = web_samples.place(coast)
    server = PageServer(place)
    warm(server)
    assert place.index.now.viewer.texts._opened
    assert server.pages._environment.cache is not None and len(server.pages._environment.cache) > 10


@pytest.mark.slow
def test_whichever_process_is_asked_tells_of_all(coast: Path) -> None:
    with serving(str(coast), "--workers", "2") as (process, address):
        for _ in range(30):  # each over a connection of its own, so both processes answer
            get(address + "?q=lighthouse")
        get(address + "read/short")
        with pytest.raises(urllib.error.HTTPError) as missing:
            get(address + "no/such/page")
        assert b"</html>" in missing.value.read()  # to its end: then it is counted
        missing.value.close()
        asked = 0  # until both processes have started
        while "trix_processes 2.0\n" not in get(address + "api/v1/metrics") and asked < 3000:
            asked += 1
        told = [get(address + "api/v1/metrics") for _ in range(10)]
        for number, text in enumerate(told, asked + 1):
            counts = dict(re.findall(r'requests_total\{endpoint="([^"]+)",status="200"\} (\d+)', text))
            assert counts["/"] == "30" and counts["/read/{doc:path}"] == "1"
            assert counts.get("/api/v1/metrics", "0") == str(number)
            assert 'endpoint="other",status="404"} 1.0\n' in text and "trix_processes 2.0\n" in text
        process.terminate()
        assert process.wait(30) == 0


@pytest.mark.slow
def test_several_indexes_are_one_collection(coast: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    text = "A gull is a bird. " * 20
    (tmp_path / "more" / "gull.xml").write_text(f"<doc><title>Gulls</title><p>{text}</p></doc>")
    profile = str(coast.with_name("coast.toml"))
    trix.build(tmp_path / "more", tmp_path / "more.index", jobs=1, profile=profile, store=True)
    more = [str(tmp_path / "more.index"), "--title", "The shore", "--token", "t0"]
    with serving(str(coast), *more) as (process, address):
        base = address.partition("?")[0]
        assert address.endswith("?token=t0")
        with pytest.raises(urllib.error.HTTPError) as refused:
            get(base)
        refused.value.close()
        request = urllib.request.Request(base + "?q=gull", headers={"Authorization": "Bearer t0"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            page = answer.read().decode()
        assert "The shore" in page and "Gulls" in page
        process.terminate()
        assert process.wait(30) == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only there all of 127.0.0.0/8 is this machine")
def test_every_loopback_address_asks_for_its_name_and_prints_where_it_is(coast: Path) -> None:
    with serving(str(coast), "--host", "127.0.0.2", "--token", "öpen sesame&") as (process, address):
        assert address.startswith("http://127.0.0.2:") and address.isascii()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(address, timeout=30) as answer:
            assert answer.status == 200 and answer.url == address.partition("?")[0]
        evil = urllib.request.Request(address, headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            opener.open(evil, timeout=30)
        assert refused.value.code == 400
        refused.value.close()
        process.terminate()
        assert process.wait(30) == 0
        assert process.stderr is not None and process.stderr.read() == ""  # nobody else reaches it


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "99999"], "--port 99999"),
        (["--port", "x"], "--port x"),
        (["--workers", "0"], "--workers 0"),
        (["--seconds", "0"], "--seconds 0"),
        (["--token", " "], "--token"),
        (["--theme", "/no/such/folder"], "--theme"),
        (["--host", "203.0.113.7", "--port", "0"], "--port"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(coast: Path, run_cli: Cli, arguments: list[str], said: str) -> None:
    code, out, err = run_cli("serve", coast, *arguments)
    assert code == 2 and out == "" and said in err and len(err.splitlines()) == 1


def test_an_index_that_is_not_there_is_said_in_a_line(tmp_path: Path, run_cli: Cli) -> None:
    code, _, err = run_cli("serve", tmp_path / "none", "--port", "0")
    assert code == 2 and len(err.splitlines()) == 1


def test_without_its_libraries_it_says_what_to_install(
    coast: Path, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("trix.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, _, err = run_cli("serve", coast)
    assert code == 2 and "pip install 'trix-xml[web]'" in err


def children(process: int) -> dict[int, int]:
    """Return the processes that a process has begun to answer, and how many sockets each has open."""
    found = {}
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            begun = f"\nPPid:\t{process}\n" in (each / "status").read_text()
            if begun and b"spawn_main" in (each / "cmdline").read_bytes():
                found[int(each.name)] = sum(os.readlink(one).startswith("socket:") for one in each.glob("fd/*"))
    return found


def becomes(true: Callable[[], bool]) -> bool:
    """Tell whether something comes true before long."""
    return any(true() or time.sleep(0.1) for _ in range(300))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not tell which sockets are open")
def test_connections_are_shared_evenly_and_a_process_that_dies_is_followed_by_another(coast: Path) -> None:
    with serving(str(coast), "--workers", "2") as (process, address):
        get(address)
        port = int(address.strip("/").rpartition(":")[2])
        assert becomes(lambda: len(children(process.pid)) == 2)
        time.sleep(2)  # both answer
        idle = children(process.pid)
        with ExitStack() as opened:  # many at once, as from a browser
            for _ in range(16):
                opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            assert becomes(lambda: all(now == idle[each] + 8 for each, now in children(process.pid).items()))
        killed = min(idle)
        os.kill(killed, signal.SIGKILL)
        assert becomes(lambda: len(children(process.pid).keys() - {killed}) == 2)
        assert "<mark>lighthouse</mark>" in get(address + "?q=lighthouse")
        assert becomes(lambda: "trix_processes 2.0\n" in get(address + "api/v1/metrics"))  # without the dead one
        assert re.search(r'requests_total\{endpoint="/",status="200"\} [1-9]', get(address + "api/v1/metrics"))
        left = children(process.pid)
        environment = Path(f"/proc/{min(left)}/environ").read_text()
        folder = Path(environment.partition("PROMETHEUS_MULTIPROC_DIR=")[2].partition("\0")[0])
        assert list(folder.glob("counter_*.db"))
        process.kill()  # who watched has gone: nobody goes on answering at an address that nobody watches
        assert becomes(lambda: not any(_alive(each) for each in left))
        assert becomes(lambda: not folder.exists())


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
