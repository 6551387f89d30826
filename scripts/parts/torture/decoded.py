"""Damage that checksums do not show: bytes that change after they were verified, or before they were summed up.

Each trial runs in a fork of this process, with a limit of CPU time and of memory. There a few bytes are changed in
the sections of a segment as they are mapped, or in a block as it is decompressed, and everything is asked. An answer
may be right or wrong, or the line of a damaged index; a crash, a traceback, and a question without an end are bad.
"""

from __future__ import annotations

import faulthandler
import os
import random
import re
import resource
import signal
from collections import Counter
from collections.abc import Callable
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import zstandard

from scripts.parts.torture.asker import QUERIES, Answer, asked
from scripts.parts.torture.samples import collection, history
from trix.indexer.commit.sections import SectionFile

CPU_SECONDS = 60
"""After which a trial counts as endless; a sound index is asked everything in less than 3."""

MEMORY = 4 << 30
"""Bytes of address space that a trial may have above what it begins with."""

MORE: list[tuple[str, dict[str, Any]]] = [
    ("lamp -storm", {}),
    ("lamp -storm oil", {"signs": "must", "strategy": "thorough", "top": "all"}),
    ("(lamp OR keeper) AND NOT fog", {"operators": "boolean"}),
    ("lamp oil storm", {"match": "all", "top": 3}),
    ('"lamp oil"~5 bell', {}),
    ("lam* oil", {"facet": "year", "where": "year > 2005"}),
    ("lamb~ storm", {"sort": "year"}),
    ("lamp oil", {"weights": "title=3", "spread": 3, "per_document": 1}),
    ("lamp storm", {"model": "lm-jm", "size": "20:400"}),
    ("lamp storm", {"statistics": "document", "model": "bm25-2011", "strategy": "relevant-in-context"}),
    ("//sec[about(.//title, lamp) and .//@id = 's1']//p", {"cas": "VVCAS"}),
    ("lamp oil storm", {"context": "root:0.5>sentence:f=8>pairs:f=.1", "top": 5}),
    ("lamp keeper", {"context": "titles:f=2", "top": 5}),
    ("lamp oil", {"weights": "title=3", "top": 5}),
    (
        "storm rope",
        {"context": "titles:f=2", "weights": "title=3", "statistics": "level", "level": "content", "top": 5},
    ),
]
"""What is asked besides `QUERIES`, so that every kernel gets work."""


# -- the harm ---------------------------------------------------------------------------------------------------------


def harm(data: bytearray, chance: random.Random) -> None:
    """Change a few bytes: single bits, extreme values, runs of bytes that say "more follows"."""
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(data))
        match chance.randrange(5):
            case 0:
                data[at] ^= 1 << chance.randrange(8)
            case 1:
                data[at] = chance.choice((0, 1, 127, 128, 254, 255))
            case 2:
                data[at] = chance.randrange(256)
            case 3:
                end = min(at + chance.choice((2, 4, 8, 12)), len(data))
                data[at:end] = bytes([chance.choice((0, 127, 128, 255))]) * (end - at)
            case _:
                end = min(at + 4, len(data))
                data[at:end] = chance.randbytes(end - at)


def harm_mapped(name: str, chance: random.Random) -> None:
    """From now on, change bytes of a section in each segment that is mapped, and believe all checksums."""
    sound = SectionFile._map

    def mapped(self: SectionFile) -> None:
        sound(self)
        begin, size = self._places.get(name, (0, 0))[:2]
        if size:
            data = bytearray(self._view)
            part = data[begin : begin + size]
            harm(part, chance)
            data[begin : begin + size] = part
            self._view = memoryview(bytes(data))

    SectionFile._map = mapped  # type: ignore[method-assign]
    SectionFile._holds = lambda self, page: True  # type: ignore[method-assign]


class _Counted:
    """Decompresses, and changes bytes of what is decompressed in some turns."""

    turn = 0
    turns: frozenset[int] = frozenset()
    chance = random.Random()

    def __init__(self) -> None:
        self._sound = _SOUND()

    def decompress(self, data: Any) -> bytes:
        """Return the bytes; a few of them are others where the turn has come."""
        found = bytearray(self._sound.decompress(data))
        _Counted.turn += 1
        if _Counted.turn in _Counted.turns and found:
            harm(found, _Counted.chance)
        return bytes(found)


_SOUND = zstandard.ZstdDecompressor


def harm_decompressed(turns: frozenset[int], chance: random.Random) -> None:
    """From now on, change bytes of blocks as they are decompressed, in some turns."""
    _Counted.turn, _Counted.turns, _Counted.chance = 0, turns, chance
    zstandard.ZstdDecompressor = _Counted  # type: ignore[assignment, misc]


# -- what is asked ----------------------------------------------------------------------------------------------------


def everything(path: str) -> dict[str, Answer]:
    """Return the answers of an index to all kinds of questions."""
    import trix

    found: dict[str, Answer] = {}
    index = asked(found, "open", lambda: trix.open(path))
    if index is None:
        return found
    shown = list[str]()
    for place, (query, options) in enumerate(QUERIES + MORE):
        results = asked(found, f"{query} {options}", partial(_found, index, query, options))
        if results:
            units = [f"{doc}{where}" for doc, where, *_ in results[0][:1]]
            shown += units if place % 4 == 0 else []
            for unit in units:
                asked(found, f"explain {query} {unit}", partial(_explained, index, query, unit, options))
    for unit in sorted(set(shown)):
        asked(found, f"show {unit}", partial(index.show, unit))
        asked(found, f"xml {unit}", partial(index.show, unit, xml=True))
        asked(found, f"outline {unit}", partial(index.outline, unit))
        asked(found, f"like {unit}", partial(_found, index, "", {"like": unit}))
    asked(found, "suggest", lambda: index.suggest("la"))
    asked(found, "concordance", lambda: list(index.concordance("lamp", top=20)))
    asked(found, "passages", lambda: str(index.passages("lamp oil", top=5)))
    asked(found, "fields", lambda: [str(each) for each in index.fields])
    asked(found, "info", lambda: sorted(index.info()))
    asked(found, "level", lambda: index.info("content"))
    return found


def _explained(index: Any, query: str, unit: str, options: dict[str, Any]) -> str:
    return str(index.explain(query, unit, **options))


def _found(index: Any, query: str, options: dict[str, Any]) -> list[Any]:
    results = index.search(query, **options)
    rows = [(r.doc, r.path, r.label, r.score.hex(), r.offset, r.length, r.snippet, r.title) for r in results]
    return [rows, results.matched, results.notices, str(results.facets)]


# -- trials -----------------------------------------------------------------------------------------------------------


def trial(path: Path, prepare: Callable[[], None], log: Path) -> dict[str, Answer] | str:
    """Ask an index everything in a fork that is prepared first; return the answers, or how it ended."""
    ours, theirs = Pipe(duplex=False)
    pid = os.fork()
    if not pid:
        _ask(path, prepare, theirs, log)
    theirs.close()
    try:
        found: dict[str, Answer] = ours.recv()
    except EOFError:
        found = {}
    ours.close()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code == 0 and found:
        return found
    if -code in (signal.SIGXCPU, signal.SIGKILL):
        return f"endless: {_stack(log)}"
    return f"ended with code {code}: {_stack(log)}"


def _ask(path: Path, prepare: Callable[[], None], reply: Connection, log: Path) -> None:
    code = 1
    try:
        with log.open("wb") as file:
            os.dup2(file.fileno(), 2)
        faulthandler.enable()
        faulthandler.register(signal.SIGXCPU, chain=True)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        prepare()
        reply.send(everything(str(path)))
        reply.close()
        code = 0
    finally:
        os._exit(code)


def _stack(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").splitlines()
    return " | ".join([line.strip() for line in lines if "File" in line or "rror" in line][:6])


def judged(found: dict[str, Answer] | str, sound: dict[str, Answer]) -> tuple[str, str]:
    """Return what became of a trial: ``right``, ``other``, ``error`` or ``crash``, and why."""
    if isinstance(found, str):
        return "crash", found
    worst = "right", ""
    for name, (kind, text) in found.items():
        if kind == "crash" or (kind == "error" and "\n" in text):
            return "crash", f"{name}: {_place(text)}"
        if kind == "error":
            worst = "error", text
        elif worst[0] == "right" and sound.get(name) != (kind, text):
            worst = "other", name
    return worst


def _place(trace: str) -> str:
    """Return the last places of a traceback in Trix, and the exception."""
    places = re.findall(r'File ".*?(trix/[^"]+)", line (\d+), in (\w+)', trace)
    return " < ".join(f"{file}:{line} {name}" for file, line, name in places[:-4:-1]) + ": " + trace.splitlines()[-1]


def decoded(folder: Path, trials: int, seed: int, told: Callable[[str], None]) -> dict[str, Any]:
    """Run trials, half of them in each way; return the counts."""
    folder.mkdir(parents=True, exist_ok=True)
    counts, examples = Counter[str](harms=0, right=0, other=0, error=0, crash=0), dict[str, str]()
    for path in _indexes(folder, seed):
        sound = everything(str(path))
        if faults := [text for kind, text in sound.values() if kind != "right"]:
            raise SystemExit(f"torture: the sound index {path.name} fails: {faults[0]}")
        names, turns = _sections(path), _decompressions(path)
        for number in range(trials // 2):
            chance = random.Random(f"{seed} decoded {path.name} {number}")
            what, prepare = _harm(names, turns, number, chance)
            kind, why = judged(trial(path, prepare, folder / "trial.log"), sound)
            counts.update((kind, "harms"))
            if kind == "crash":
                examples.setdefault(why.partition(": ")[2], f"{path.name}, {what}, trial {number}: {why}")
        told(f"decoded, {path.name}: {dict(counts)}")
    return {**counts, "examples": list(examples.values())}


def _indexes(folder: Path, seed: int) -> list[Path]:
    """Make an index of one segment and one with a history, both with lists by document although they are small."""
    import trix
    from trix.indexer.write.inverted import writer

    many = writer.MANY
    writer.MANY = 24
    try:
        files = collection(folder / "files", range(20), seed)
        trix.build(files, folder / "whole.index", profile="jats", positions=True, store=True, jobs=1)
        history(folder / "lived.index", files)
    finally:
        writer.MANY = many
    return [folder / "whole.index", folder / "lived.index"]


def _harm(names: list[str], turns: int, number: int, chance: random.Random) -> tuple[str, Callable[[], None]]:
    """Return what is harmed, and what does it in the process of a trial."""
    if number % 2:
        name = chance.choice(names)
        return name, lambda: harm_mapped(name, chance)
    if chance.random() < 0.5:
        at = frozenset((chance.randrange(1, turns + 1),))
    else:
        at = frozenset(range(chance.randrange(1, 9), turns + 1, chance.randrange(2, 40)))
    return f"blocks {sorted(at)[:3]}", lambda: harm_decompressed(at, chance)


def _decompressions(path: Path) -> int:
    """Return how many blocks are decompressed while everything is asked."""
    harm_decompressed(frozenset(), random.Random())
    try:
        everything(str(path))
        return _Counted.turn
    finally:
        zstandard.ZstdDecompressor = _SOUND  # type: ignore[misc]


def _sections(path: Path) -> list[str]:
    """Return the names of the sections of a segment that are not empty."""
    names = set[str]()
    for file in path.glob("*.segment"):
        of = SectionFile(file, file.stem, file.stat().st_size)
        names |= {name for name, size in of.sizes.items() if size}
    return sorted(names)
