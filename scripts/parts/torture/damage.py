"""Damaged files: whatever is harmed, an index answers as before or says in a line which file is damaged.

Each harm is done to the files of an index in place, everything is asked, and the files are put back.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripts.parts.torture.asker import Answer, Asker
from scripts.parts.torture.samples import Sample, copied

BESIDE = (".states", "lock")
"""Endings of files that no answer depends on."""

WRITTEN = 10
"""Every so many harms, somebody also writes to the harmed index."""


@dataclass
class Harm:
    """What is done to an index: new bytes of files, None for a file that goes."""

    what: str
    files: dict[Path, bytes | None]


@dataclass
class Tally:
    """What came of harms.

    Attributes
    ----------
    counts
        ``harms``; of these ``right`` (all answers were), ``error`` (some were an error line that names the file),
        ``wrong`` and ``crash``; ``unseen``, those that `trix check` did not find; ``written``, those after which
        somebody wrote.
    examples
        Of what must not be, with what was done.
    """

    counts: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def bad(self, kind: str, what: str) -> None:
        """Count something that must not be."""
        self.counts[kind] += 1
        self.examples.append(f"{kind}: {what}")

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        zeros = dict.fromkeys(("harms", "right", "error", "wrong", "crash", "unseen", "written"), 0)
        return {**zeros, **self.counts, "examples": self.examples[:20]}


def pieces(path: Path) -> list[tuple[int, int]]:
    """Return the ranges of a file that mean something of their own: a segment's sections, directory and trailer."""
    from trix.indexer.commit.sections import SectionFile

    size = path.stat().st_size
    if path.suffix != ".segment":
        return [(0, size)]
    file = SectionFile(path, path.stem, size)
    found = [(place[0], place[0] + place[1]) for place in file._places.values()]
    return [span for span in [*found, (file._end, size - 32), (size - 32, size)] if span[1] > span[0]]


def flips(sample: Sample, count: int, chance: random.Random) -> Iterator[Harm]:
    """Yield flips of single bits: first `count` weighted by size, then as many in small files and small parts."""
    files = [path for path in sorted(sample.path.iterdir()) if path.stat().st_size]
    sizes = [path.stat().st_size for path in files]
    parts = [(path, span) for path in files for span in pieces(path)]
    for number in range(2 * count):
        if number < count:
            path = chance.choices(files, sizes)[0]
            low, high = 0, path.stat().st_size
        elif number % 2:
            path = chance.choice(files)
            low, high = 0, path.stat().st_size
        else:
            path, (low, high) = chance.choice(parts)
        at, bit = chance.randrange(low, high), chance.randrange(8)
        data = bytearray(path.read_bytes())
        data[at] ^= 1 << bit
        yield Harm(f"bit {bit} of byte {at} of {path.name}", {path: bytes(data)})


def blows(sample: Sample, count: int, chance: random.Random) -> Iterator[Harm]:
    """Yield greater harms: files cut short, emptied, lengthened, removed, swapped, filled with random bytes."""
    files = sorted(sample.path.iterdir())
    for number in range(count):
        path, other = chance.sample(files, 2)
        data = path.read_bytes()
        match number % 7:
            case 0:
                yield Harm(f"{path.name} cut short", {path: data[: chance.randrange(max(1, len(data)))]})
            case 1:
                yield Harm(f"{path.name} emptied", {path: b""})
            case 2:
                yield Harm(f"{path.name} lengthened", {path: data + chance.randbytes(chance.randint(1, 5000))})
            case 3:
                yield Harm(f"{path.name} removed", {path: None})
            case 4:
                yield Harm(f"{path.name} and {other.name} swapped", {path: other.read_bytes(), other: data})
            case 5:
                yield Harm(f"{path.name} filled with random bytes", {path: chance.randbytes(len(data))})
            case _:  # both of them: what is deleted is told nowhere else
                heads = [path for path in files if path.name.startswith(("commit-", "manifest"))]
                yield Harm("the commit filled with zeros", {path: bytes(path.stat().st_size) for path in heads})


def judged(sound: dict[str, Answer], found: dict[str, Answer], names: list[str]) -> tuple[str, str]:
    """Return what answers are worth: ``right``, ``error``, ``wrong`` or ``crash``, and why.

    An error that is more than a line, or names none of the files that were harmed, is wrong.
    """
    worst = "right", ""
    for name, (kind, text) in found.items():
        if kind == "crash":
            return "crash", f"{name}: {text}"
        if kind == "error":
            if "\n" in text or not any(each in text for each in names):
                return "wrong", f"{name}: {text}"
            worst = "error", text
        elif sound.get(name) != (kind, text):
            return "wrong", name
    if worst[0] == "right" and found.keys() != sound.keys():
        return "wrong", "not everything was answered"
    return worst


def torture(sample: Sample, harms: Iterator[Harm], asker: Asker, scratch: Path, tally: Tally) -> None:
    """Do each harm, ask everything, and put the files back."""
    after = {what: _after(sample, what, asker, scratch) for what in ("update", "compact")}
    for number, harm in enumerate(harms):
        tally.counts["harms"] += 1
        names = [path.name for path in harm.files]
        with harmed(harm):
            kind, why = judged(sample.sound, asker.answers(sample.path), names)
            if kind in ("wrong", "crash"):
                tally.bad(kind, f"{sample.name}, {harm.what}: {why}")
            else:
                tally.counts[kind] += 1
            _seen(sample, harm, asker, tally)
            of_little_use = all(name.endswith(BESIDE) for name in names)
            if of_little_use or number % WRITTEN == 0:
                what = ("update", "compact")[number // WRITTEN % 2]
                _write(sample, harm, what, after[what], asker, scratch, tally)


def _seen(sample: Sample, harm: Harm, asker: Asker, tally: Tally) -> None:
    """Whether `trix check` finds the harm, where there is any to an index."""
    unharmed = [path for path, data in harm.files.items() if data is not None and path.read_bytes() == _before[path]]
    names = [path.name for path in harm.files if path.name != "lock" and path not in unharmed]
    faults = asker.ask("check", str(sample.path))
    if isinstance(faults, str):
        tally.bad("crash", f"{sample.name}, check, {harm.what}: {faults}")
    elif bool(names) != bool(faults) or (names and not any(name in line for name in names for line in faults)):
        tally.bad("unseen", f"{sample.name}, {harm.what}: check says {faults[:2]}")


def _after(sample: Sample, what: str, asker: Asker, scratch: Path) -> str:
    """Return the state of a sound index after somebody wrote to it."""
    index = copied(sample.path, scratch / sample.path.name)
    said = asker.ask("write", str(index), what)
    if said:
        raise SystemExit(f"torture: {what} of the sound index {sample.name} fails: {said}")
    return asker.state(index)


def _write(sample: Sample, harm: Harm, what: str, after: str, asker: Asker, scratch: Path, tally: Tally) -> None:
    """Write to a copy of a harmed index: an error, or the state that a sound one would have."""
    tally.counts["written"] += 1
    index = copied(sample.path, scratch / sample.path.name)
    said = asker.ask("write", str(index), what)
    if said.startswith("crash"):
        tally.bad("crash", f"{sample.name}, {what} after {harm.what}: {said}")
    elif said:
        if "\n" in said or not any(path.name in said for path in harm.files):
            tally.bad("wrong", f"{sample.name}, {what} after {harm.what}: {said}")
    elif (state := asker.state(index)) != after and not any(path.name in state for path in harm.files):
        tally.bad("wrong", f"{sample.name}, {what} after {harm.what}: another state, {state}")


_before: dict[Path, bytes] = {}


class harmed:
    """A harm that lasts for a block."""

    def __init__(self, harm: Harm) -> None:
        self.harm = harm

    def __enter__(self) -> None:
        _before.update({path: path.read_bytes() for path in self.harm.files})
        for path, data in self.harm.files.items():
            if data is None:
                path.unlink()
            else:
                path.write_bytes(data)

    def __exit__(self, *_: object) -> None:
        for path in self.harm.files:
            path.write_bytes(_before[path])


def damage(
    sound: list[Sample], count: int, seed: int, asker: Asker, scratch: Path, told: Callable[[str], None]
) -> dict[str, Any]:
    """Flip ``2 * count`` bits in all, and deal a tenth as many greater blows; return the tallies."""
    found: dict[str, Any] = {}
    for name, kind, many in (("flips", flips, count), ("blows", blows, -(-count // 5))):
        tally = Tally()
        for place, sample in enumerate(sound):
            share = many // len(sound) + (place < many % len(sound))
            chance = random.Random(f"{seed} {name} {place}")
            torture(sample, kind(sample, share, chance), asker, scratch, tally)
            told(f"{name}, {sample.name}: {dict(tally.counts)}")
        found[name] = tally.to_json()
    shutil.rmtree(scratch, ignore_errors=True)
    return found
