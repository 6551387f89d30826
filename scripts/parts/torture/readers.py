"""Readers of an index that is replaced, changed and compacted without a pause: each answer is one of a state.

Four threads here and two processes open the index anew, or refresh what they have open, and ask. The writer goes round
a circle of states, whose answers it takes down on the first round, while nobody else is there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from scripts.parts.torture.asker import digest
from scripts.parts.torture.samples import ROOT, collection

THREADS, PROCESSES = 4, 2
QUERIES = ("lamp oil storm", "//sec[about(., keeper fog)]", '"lamp oil"', "bell")


def readers(seconds: float, seed: int, folder: Path) -> dict[str, Any]:
    """Replace an index under readers for some seconds; return what they saw."""
    index, circle = folder / "circle.index", Circle(folder, seed)
    known = []
    for turn in range(len(circle)):
        circle.step(index, turn)
        known.append(seen(index))
    stop = folder / "stop"
    counts, problems = Counter[str](), list[str]()

    def read() -> None:
        own, wrong = looked(index, set(known), stop)
        counts.update(own)
        problems.extend(wrong)

    threads = [threading.Thread(target=read) for _ in range(THREADS)]
    command = [sys.executable, "-m", "scripts.parts.torture.readers", str(index), str(stop)]
    processes = [
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(PROCESSES)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(json.dumps(known) + "\n")
        process.stdin.flush()
    for thread in threads:
        thread.start()
    until, turns = time.monotonic() + seconds, 0
    while time.monotonic() < until or turns % len(circle):
        try:
            circle.step(index, turns)
        except Exception as error:
            problems.append(f"writer, turn {turns}: {type(error).__name__}: {error}")
            break
        turns += 1
    stop.touch()
    for thread in threads:
        thread.join()
    for process in processes:
        out, _ = process.communicate()
        own, wrong = json.loads(out) if out else ({}, [f"a reading process ended with code {process.returncode}"])
        counts.update(own)
        problems += wrong
    if seen(index) != known[-1]:
        problems.append("the last state is not the last that was written")
    return {
        "changes": turns, "states": len(set(known)), **counts, "problems": len(problems), "examples": problems[:10],
    }  # fmt: skip


class Circle:
    """States of an index that follow one another in a circle."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.one = collection(folder / "one", range(12), seed)
        self.other = collection(folder / "another", range(40, 52), seed)
        self.more = collection(folder / "more", range(80, 83), seed)

    def __len__(self) -> int:
        return 6

    def step(self, index: Path, turn: int) -> None:
        """Make the next state."""
        import trix

        match turn % len(self):
            case 0 | 4:
                files = self.other if turn % len(self) else self.one
                trix.build(files, index, profile="jats", jobs=1, store=True, overwrite=True)
            case 1 | 5:
                with trix.write(index, jobs=1) as writer:
                    writer.add(self.more)
            case 2:
                with trix.write(index) as writer:
                    writer.delete(["d001", "d003", "d081"])
            case _:
                with trix.write(index) as writer:
                    writer.compact()


def seen(index: Path, opened: Any = None) -> str:
    """Return a digest of what an index answers now; labels may shift by a compaction, and do so only there."""
    import trix

    found = opened if opened is not None else trix.open(index)
    answers = [[(r.doc, r.path, r.score.hex(), r.snippet) for r in found.search(query)] for query in QUERIES]
    return digest((len(found), answers))


def looked(index: Path, known: set[str], stop: Path) -> tuple[dict[str, int], list[str]]:
    """Ask until told to stop; return counts, and what should not have been seen."""
    import trix

    counts, problems = Counter[str](), list[str]()
    opened = trix.open(index)
    while not stop.exists():
        try:
            if counts["answers"] % 2:
                counts["refreshed"] += opened.refresh()
            else:
                opened = trix.open(index)
                counts["opened"] += 1
            if seen(index, opened) not in known:
                problems.append("an answer of no state")
        except Exception as error:
            problems.append(f"{type(error).__name__}: {error}")
        counts["answers"] += 1
    return dict(counts), problems[:20]


if __name__ == "__main__":
    print(json.dumps(looked(Path(sys.argv[1]), set(json.loads(sys.stdin.readline())), Path(sys.argv[2]))))
