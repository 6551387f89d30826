"""Killed commands: at any moment, kill -9, a killed worker or Ctrl-C leave the index as it was or as it should become.

After kill -9 `trix check` finds nothing, the next writer clears away what was left, and no process goes on. A command
that loses a worker, or is interrupted, ends with a line and clears up after itself.
"""

from __future__ import annotations

import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scripts.parts.torture.asker import Asker
from scripts.parts.torture.commands import ABSENT, Command, Running, leftovers, state_of

WAYS = ("kill", "interrupt", "kill a worker", "kill")
"""In turn: half of the trials are plain kills."""


def kills(
    commands: list[Command], count: int, seed: int, asker: Asker, folder: Path, told: Callable[[str], None]
) -> dict[str, Any]:
    """Kill each command `count` times; return a record a command."""
    found: dict[str, Any] = {}
    for command in commands:
        chance = random.Random(f"{seed} {command.name}")
        counts: Counter[str] = Counter()
        problems: list[str] = []
        for number in range(count):
            way = WAYS[number % len(WAYS)]
            outcome, wrong = trial(command, way, chance, asker, folder)
            counts[outcome] += 1
            counts["trials"] += 1
            problems += [f"{way}, trial {number}: {line}" for line in wrong]
        found[command.name] = {**counts, "problems": len(problems), "examples": problems[:10]}
        told("\n  ".join([f"kills, {command.name}: {dict(counts)}, {len(problems)} problems", *problems[:3]]))
    return found


def trial(command: Command, way: str, chance: random.Random, asker: Asker, folder: Path) -> tuple[str, list[str]]:
    """Disturb a command once; return whether the index is ``old`` or ``new``, and what is wrong."""
    index = command.place(folder)
    log = folder.with_suffix(".log")
    running = Running(command.on(index), log)
    _wait_for_the_moment(command, running, index, chance)
    if way == "kill a worker":
        workers = running.workers()
        if workers:
            running.kill(chance.choice(workers), signal.SIGKILL)
    else:
        running.kill(running.pid, signal.SIGINT if way == "interrupt" else signal.SIGKILL)
    code, said = running.wait()
    wrong = []
    if code == -999:
        wrong.append(f"it hangs: {said[-3000:]}")
    if running.left_running():
        wrong.append("a process goes on")
    state = state_of(index, asker)
    outcome = "old" if state == command.before else "new" if state == command.after else "neither"
    if outcome == "neither":
        wrong.append(f"neither old nor new: {state}")
    if code == 0 and outcome != "new" and command.before != command.after:
        wrong.append("it says that it is done, and is not")
    wrong += _unsound(index, state, asker)
    if way != "kill":
        wrong += _ended_badly(way, code, said) + [f"left behind: {name}" for name in leftovers(index)]
    wrong += _next_writer(command, index, state, asker, log)
    return outcome, wrong


def _wait_for_the_moment(command: Command, running: Running, index: Path, chance: random.Random) -> None:
    """Wait for a random moment: of the whole run, or of what comes once it has begun to write."""
    if chance.random() < 0.5:
        time.sleep(chance.uniform(0, 1.1 * command.seconds))
        return
    while not running.ended() and not (index / ".writing").exists() and not any(index.parent.glob(".*.building")):
        time.sleep(0.0005)
    time.sleep(chance.uniform(0, command.seconds))


def _unsound(index: Path, state: str, asker: Asker) -> list[str]:
    return [] if state == ABSENT else [f"check: {line}" for line in asker.ask("check", str(index))]


def _ended_badly(way: str, code: int, said: str) -> list[str]:
    lines = said.splitlines()
    if code < 0 or "Traceback" in said or len(lines) > 1:
        return [f"it ended with code {code} and said {said[-700:]!r}"]
    if code and not lines:
        return [f"it ended with code {code} and said nothing"]
    return [f"it ended with code {code}, an interrupt"] if way == "interrupt" and code not in (0, 130) else []


def _next_writer(command: Command, index: Path, state: str, asker: Asker, log: Path) -> list[str]:
    """Let the next writer come; return what it did not clear away or make good."""
    if state == ABSENT or (command.repeated and state != command.after):
        code, said = Running(command.on(index), log).wait()
        came, wanted = said if code else "", command.after
    else:
        came, wanted = asker.ask("write", str(index), "touch"), state
    wrong = [f"the next writer: {came}"] if came else []
    wrong += [f"left behind after the next writer: {name}" for name in leftovers(index)]
    if state_of(index, asker) != wanted:
        wrong.append("the next writer changed something")
    return wrong + _unsound(index, wanted, asker)
