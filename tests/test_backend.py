"""Who works decides with which loops: an index, a build, an evaluation; nobody decides for another."""

from __future__ import annotations

import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

import trix
from trix.api import compiling
from trix.errors import UsageError
from trix.support import backend
from trix.support.backend import Backend, adopt, current, prefer_numba, use_numba, using

compiled = pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")


@pytest.fixture(autouse=True)
def said_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(backend.VARIABLE, raising=False)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("backend")
    for number in range(4):
        (folder / f"{number}.xml").write_text(f"<a><s><p>tree and number{number}</p><p>word tree</p></s></a>")
    trix.build(folder, folder / "i", jobs=1)
    return folder / "i"


WORDS = "tree -bush"
"""What is asked; plain words alone are decoded by loops of their own once there is a compiled form."""


def test_auto_is_numpy_until_there_is_much_to_do() -> None:
    own = Backend()
    assert not own.compiled
    own.prefer_numba()
    assert own.compiled == (find_spec("numba") is not None)
    assert not Backend().compiled and not use_numba()


def test_numba_that_others_have_loaded_decides_nothing() -> None:
    pytest.importorskip("numba")
    with using(Backend()):
        assert not use_numba()


def test_where_no_backend_is_in_force_the_environment_says_and_nobody_remembers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prefer_numba()
    assert current() is None and not use_numba()
    if find_spec("numba") is not None:
        monkeypatch.setenv(backend.VARIABLE, "numba")
        assert use_numba()
    monkeypatch.setenv(backend.VARIABLE, "fast")
    with pytest.raises(UsageError, match="TRIX_KERNELS='fast' is unknown; expected numba, numpy or auto"):
        use_numba()


def test_the_environment_is_what_auto_means_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Backend()
    own.prefer_numba()
    monkeypatch.setenv(backend.VARIABLE, "numpy")
    assert not own.compiled
    if find_spec("numba") is not None:
        assert Backend("numba").compiled
        monkeypatch.setenv(backend.VARIABLE, "numba")
    assert not Backend("numpy").compiled


def test_a_backend_that_is_none_is_refused(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="backend 'fast' is unknown; expected auto, numpy or numba"):
        trix.open(index, backend="fast")
    monkeypatch.setattr(backend, "_installed", lambda: False)
    with pytest.raises(UsageError, match="backend 'numba': numba is not installed"):
        trix.open(index, backend="numba")
    assert not Backend().compiled


def test_what_is_in_force_ends_with_the_call_and_is_of_one_thread() -> None:
    mine, other = Backend("numpy"), Backend()
    with pytest.raises(ZeroDivisionError), using(mine):
        with using(other):
            assert current() is other
        assert current() is mine
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(current).result() is None
        with ThreadPoolExecutor(1, initializer=adopt, initargs=(current(),)) as pool:
            assert pool.submit(current).result() is mine
        1 / 0  # noqa: B018
    assert current() is None


@compiled
def test_nobody_who_searches_waits_for_loops_to_be_compiled(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, may_end, ended = list[list[str]](), threading.Event(), threading.Event()

    def compile_elsewhere(command: list[str], **_: object) -> None:
        asked.append(command)
        may_end.wait(20)

    def prefer(own: Backend) -> None:
        own._pays = True
        ended.set()

    monkeypatch.setattr(compiling, "is_compiled", lambda: False)
    monkeypatch.setattr(compiling.subprocess, "run", compile_elsewhere)
    monkeypatch.setattr(Backend, "prefer_numba", prefer)
    with trix.open(index) as one:
        found = [[result.path for result in one.search(WORDS)] for _ in range(5)]
        assert not one.files.backend.compiled
        may_end.set()
        assert ended.wait(20)
        assert one.files.backend.compiled
        assert [result.path for result in one.search(WORDS)] == found[0] == found[4]
    assert [command[1:] for command in asked] == [["-m", "trix.cli.compiling", str(index)]]


@compiled
def test_another_process_compiles_the_loops_by_searching(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[subprocess.CompletedProcess[str]] = []

    def run(command: list[str], env: dict[str, str], **_: object) -> None:
        ran.append(subprocess.run(command, env=env, cwd=index, capture_output=True, text=True))

    monkeypatch.setattr(compiling, "subprocess", SimpleNamespace(run=run, DEVNULL=subprocess.DEVNULL))
    is_compiled = compiling.is_compiled
    monkeypatch.setattr(compiling, "is_compiled", lambda: False)
    with trix.open(index) as one:
        compiling.compile_first(one.files)
        assert one.files.backend.compiled
    (done,) = ran
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert is_compiled()
