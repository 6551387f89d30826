"""Commands that change an index, run as processes that can be killed, and what must hold whenever one has ended.

A command runs in a fork of this process, which has loaded everything already, in a session of its own; chunks are small
there, so that a small collection has several workers.
"""

from __future__ import annotations

import faulthandler
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.parts.torture.asker import Asker
from scripts.parts.torture.samples import changed, collection, copied, history

ABSENT = "absent"
"""The state of an index that is not there."""

CHUNK = 20_000
PATIENCE = 40.0
"""Seconds after which a command hangs."""


@dataclass
class Command:
    """A command and the index that it changes.

    Attributes
    ----------
    name
        For reports.
    words
        The command line, with ``INDEX`` in the place of the index.
    base
        The index as it is before; None for none.
    before, after
        Its states before and after.
    seconds
        How long it takes.
    repeated
        Whether what it left behind is cleared away by itself, where no writer can open the index.
    """

    name: str
    words: list[str]
    base: Path | None
    before: str = ABSENT
    after: str = ""
    seconds: float = 0.0
    repeated: bool = False

    def on(self, index: Path) -> list[str]:
        """Return the command line for an index."""
        return [str(index) if word == "INDEX" else word for word in self.words]

    def place(self, folder: Path) -> Path:
        """Return a fresh copy of the index in a folder of its own."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        index = folder / "an.index"
        return index if self.base is None else copied(self.base, index)

    def learn(self, asker: Asker, folder: Path) -> Command:
        """Run it undisturbed."""
        if self.base is not None:
            self.before = asker.state(self.base)
        index = self.place(folder)
        began = time.perf_counter()
        code, said = Running(self.on(index), folder.with_suffix(".log")).wait()
        self.seconds = time.perf_counter() - began
        if code:
            raise SystemExit(f"torture: {self.name} fails without being disturbed: {said}")
        self.after = asker.state(index)
        return self


def commands(folder: Path, seed: int, asker: Asker, documents: int) -> list[Command]:
    """Make indexes and name the commands that are to be disturbed."""
    import trix

    files = collection(folder / "files", range(documents), seed)
    other = collection(folder / "other", range(100, 100 + documents), seed)
    extra = collection(folder / "extra", range(300, 306), seed)
    history(folder / "lived.index", files)
    moving = collection(folder / "moving", range(documents), seed)
    trix.build(moving, folder / "moved.index", profile="jats", jobs=1)
    many = folder / "many.index"
    for path in sorted(files.iterdir())[:9]:
        with trix.write(many, profile="jats", merge=False, jobs=1) as writer:
            writer.add(path)
    time.sleep(0.01)  # a time of its own for what changes
    changed(moving, seed)
    quiet = ["--quiet", "--jobs", "2"]
    build = ["--profile", "jats", "--positions", *quiet]
    found = [
        Command("index", ["index", str(files), "INDEX", *build], None, repeated=True),
        Command("overwrite", ["index", str(other), "INDEX", "--overwrite", *build], folder / "lived.index"),
        Command("add", ["add", "INDEX", str(extra), *quiet], folder / "lived.index"),
        Command("add and merge", ["add", "INDEX", str(extra), *quiet], many),
        Command("delete", ["delete", "INDEX", "d000", "d002", "d004", "--quiet"], folder / "lived.index"),
        Command("update", ["update", "INDEX", *quiet], folder / "moved.index"),
        Command("compact", ["compact", "INDEX", "--quiet"], folder / "lived.index"),
    ]
    return [command.learn(asker, folder / "once") for command in found]


class Running:
    """A command that runs.

    Parameters
    ----------
    words
        Its command line.
    log
        Takes what it prints.
    first
        Called in its process before it begins.
    """

    def __init__(self, words: list[str], log: Path, first: Callable[[], object] = bool) -> None:
        self.log = log
        self._ended: int | None = None
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if not self.pid:
            _run(words, log, first)

    def ended(self) -> bool:
        """Whether it is over."""
        if self._ended is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._ended = os.waitstatus_to_exitcode(status)
        return self._ended is not None

    def kill(self, pid: int, number: signal.Signals) -> None:
        """Send a signal to it or to one of its workers."""
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return

    def workers(self) -> list[int]:
        """Return its worker processes."""
        try:
            return [int(pid) for pid in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]
        except OSError:
            return []

    def wait(self) -> tuple[int, str]:
        """Wait for it; return its exit code and what it said. One that hangs is killed."""
        until = time.monotonic() + PATIENCE
        while not self.ended():
            if time.monotonic() > until:
                self.kill(self.pid, signal.SIGUSR1)  # it writes where it hangs into its log
                time.sleep(0.5)
                self.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                self._ended = -999
            time.sleep(0.002)
        assert self._ended is not None
        return self._ended, self.log.read_text("utf-8", "replace")

    def left_running(self) -> bool:
        """Whether a process of its session outlives it for more than a few seconds."""
        until = time.monotonic() + 10
        while _in_session(self.pid):
            if time.monotonic() > until:
                return True
            time.sleep(0.01)
        return False


def _run(words: list[str], log: Path, first: Callable[[], object]) -> None:
    """Be the command's process."""
    code = 70
    try:
        os.setsid()
        handle = os.open(log, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        faulthandler.register(signal.SIGUSR1, all_threads=True)
        from trix.cli import main
        from trix.indexer.write import from_sources

        from_sources.BATCH_BYTES = CHUNK
        first()
        code = main(words)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _in_session(session: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def leftovers(index: Path) -> list[str]:
    """Return what lies in an index and beside it that it does not need."""
    from trix.indexer.commit.commit import commit_numbers, commit_path, newest_commit

    beside = [path.name for path in index.parent.iterdir() if path != index]
    if not commit_numbers(index):
        inside = [path.name for path in index.iterdir() if path.name.startswith(".")] if index.exists() else []
        return beside + inside
    commit = newest_commit(index)
    path = commit_path(index, commit.number)
    needed = {"lock", path.name, path.with_suffix(".copy").name}
    for entry in commit.segments:
        needed |= {entry.file, entry.name + ".states"}
    return beside + sorted({path.name for path in index.iterdir()} - needed)


def state_of(index: Path, asker: Asker) -> str:
    """Return the state of an index that may not be there."""
    from trix.indexer.commit.commit import is_index

    return asker.state(index) if is_index(index) else ABSENT


@contextmanager
def loaded() -> Iterator[None]:
    """Load what commands need, so that a fork begins at once."""
    import trix.cli.commands.change
    import trix.cli.commands.index
    import trix.indexer.build
    import trix.indexer.change.update  # noqa: F401

    yield
