"""Disks that fill up, folders that cannot be written to, two writers at a time: an error line, and nothing is changed.

A small disk is a tmpfs of a few kilobytes, where this user may mount one; else, and also then, no file may grow beyond
a size. What cannot be written is a disk that is mounted read-only, or a folder without rights.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from scripts.parts.torture.asker import Asker
from scripts.parts.torture.commands import Command, Running, leftovers, state_of
from scripts.parts.torture.samples import collection

FULL = ("no space left", "File too large", "No space left")


def disk(
    commands: list[Command], count: int, seed: int, asker: Asker, folder: Path, told: Callable[[str], None]
) -> dict[str, Any]:
    """Let each command meet `count` disks that are too small, and all others of the page's faults; return records."""
    found: dict[str, Any] = {}
    for command in commands:
        counts: Counter[str] = Counter()
        problems: list[str] = []
        for number in range(count):
            with suppress(_NotAllowed):
                problems += _on_small_disk(command, number / count, asker, folder, counts)
            problems += _with_small_files(command, number / count, asker, folder, counts)
        problems += _read_only(command, asker, folder, counts)
        if command.base is not None:
            problems += _beside_a_writer(command, asker, folder, counts)
        found[command.name] = {**counts, "problems": len(problems), "examples": problems[:10]}
        told(f"disk, {command.name}: {dict(counts)}, {len(problems)} problems")
    found["writers"] = _many_writers(commands, seed, asker, folder)
    told(f"disk, many writers: {found['writers']}")
    return found


class _NotAllowed(Exception):
    """This user may not mount disks."""


@contextmanager
def _mounted(folder: Path, size: int) -> Iterator[Path]:
    """Give a disk of some bytes."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], capture_output=True).returncode:
        raise _NotAllowed
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def _on_small_disk(command: Command, share: float, asker: Asker, folder: Path, counts: Counter[str]) -> list[str]:
    """Run a command on a disk with room for a share of what it needs at most."""
    base = _size(command.base)
    with _mounted(folder.with_name("small"), 64 << 20) as small:
        index = command.place(small / "of")
        peak = _peak(command, index)
    with _mounted(folder.with_name("small"), max(8192, _pages(base + int(share * (peak - base))))) as small:
        try:
            index = command.place(small / "of")
        except (OSError, shutil.Error):
            return []  # no room for the index as it was
        counts["small disks"] += 1
        code, said = Running(command.on(index), folder.with_suffix(".log")).wait()
        return _verdict("a small disk", command, index, code, said, FULL, asker, counts)


def _peak(command: Command, index: Path) -> int:
    running = Running(command.on(index), index.parent.parent.with_suffix(".log"))
    peak = 0
    while not running.ended():
        used = shutil.disk_usage(index.parent)
        peak = max(peak, used.total - used.free)
    return peak


def _pages(size: int) -> int:
    return -(-size // 4096) * 4096


def _size(folder: Path | None) -> int:
    return 0 if folder is None else sum(4096 + _pages(path.stat().st_size) for path in folder.iterdir())


def _with_small_files(command: Command, share: float, asker: Asker, folder: Path, counts: Counter[str]) -> list[str]:
    """Run a command where no file may grow beyond a size, up to that of the greatest of the index."""
    index = command.place(folder)
    counts["small files"] += 1
    limit = int(share * 40_000)

    def first() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    running = Running(command.on(index), folder.with_suffix(".log"), first)
    code, said = running.wait()
    return _verdict(f"files of {limit} bytes", command, index, code, said, FULL, asker, counts, said_at_all=limit > 400)


def _verdict(
    what: str, command: Command, index: Path, code: int, said: str, wanted: tuple[str, ...], asker: Asker,
    counts: Counter[str], *, said_at_all: bool = True,
) -> list[str]:  # fmt: skip
    """Hold a command that may have failed against what must be: done, or an error line and nothing changed."""
    counts["done" if code == 0 else "refused"] += 1
    wrong = []
    state = state_of(index, asker)
    notice = code == 0 and "could not be merged" in said
    if state != (command.before if code else command.after):
        wrong.append(f"ended with {code}, and the index is not as it should be: {state}")
    if code < 0 or len(said.splitlines()) > 1 or (code and said_at_all and not any(each in said for each in wanted)):
        wrong.append(f"ended with {code} and said {said[-500:]!r}")
    if code == 0 and said and not notice:
        wrong.append(f"was done, and said {said[-500:]!r}")
    wrong += [f"left behind: {name}" for name in leftovers(index)]
    if index.exists() and state != "absent":
        wrong += [f"check: {line}" for line in asker.ask("check", str(index))]
    return [f"{what}: {line}" for line in wrong]


def _read_only(command: Command, asker: Asker, folder: Path, counts: Counter[str]) -> list[str]:
    """Run a command where nothing can be written; reading goes on."""
    counts["without rights"] += 1
    log = folder.with_suffix(".log")
    try:
        with _mounted(folder.with_name("small"), 64 << 20) as small:
            index = command.place(small / "of")
            subprocess.run(["mount", "-o", "remount,ro", small], check=True)
            code, said = Running(command.on(index), log).wait()
            return _verdict("read-only disk", command, index, code or 99, said, ("Read-only",), asker, counts)
    except _NotAllowed:
        index = command.place(folder)
    if os.geteuid() == 0:  # whom rights do not stop
        return []
    for path in (index, index.parent):
        if path.exists():
            path.chmod(0o555)
    try:
        code, said = Running(command.on(index), log).wait()
        return _verdict("without rights", command, index, code or 99, said, ("Permission denied",), asker, counts)
    finally:
        for path in (index.parent, index):
            if path.exists():
                path.chmod(0o755)


def _beside_a_writer(command: Command, asker: Asker, folder: Path, counts: Counter[str]) -> list[str]:
    """Run a command while another writer is at work: it is refused, and does its work if it waits."""
    counts["beside a writer"] += 1
    index, log = command.place(folder), folder.with_suffix(".log")
    process = asker.ask("hold", str(index))
    try:
        code, said = Running(command.on(index), log).wait()
        wrong = [] if code else ["it wrote beside another writer"]
        if f"process {process} writes" not in said or len(said.splitlines()) != 1:
            wrong.append(f"beside a writer it said {said[-300:]!r}")
        if command.name == "overwrite":  # has no flag to wait
            return wrong
        waiting = Running([*command.on(index), "--wait", "30"], log)
        time.sleep(0.2)
    finally:
        asker.ask("release")
    code, said = waiting.wait()
    return wrong + _verdict("after waiting", command, index, code, said, (), asker, counts)


def _many_writers(commands: list[Command], seed: int, asker: Asker, folder: Path) -> dict[str, Any]:
    """Let eight processes add a document each at the same time, and wait for one another."""
    import trix

    command = next(command for command in commands if command.name == "add")
    index = command.place(folder)
    files = sorted(collection(folder.with_name("singles"), range(700, 708), seed).iterdir())
    with trix.open(index) as opened:
        before = len(opened)
    started = [
        Running(["add", str(index), str(path), "--wait", "60", "--quiet"], folder.with_name(f"{path.stem}.log"))
        for path in files
    ]
    ended = [running.wait() for running in started]
    with trix.open(index) as opened:
        after = len(opened)
    problems = [f"ended with {code}: {said}" for code, said in ended if code]
    if after != before + len(files):
        problems.append(f"{before} documents and {len(files)} more are {after}")
    problems += asker.ask("check", str(index)) + [f"left behind: {name}" for name in leftovers(index)]
    return {"writers": len(files), "problems": len(problems), "examples": problems[:10]}
