"""Torture an index: damage its files, disturb those who write it, and count what comes of it.

    scripts/torture [--flips N] [--decoded N] [--kills N] [--disks N] [--seconds S] [--seed N] [--only PART]... [--json]

damage    N bits are flipped in files weighted by size, and N in small files and small parts; files are cut short,
          emptied, lengthened, removed, swapped, filled with random bytes. After each, every kind of search is asked in
          a process of its own, in indexes of one segment and of several. All answers are right,
          or an error in a line that names the file: wrong answers and crashes are 0. `trix check` finds all harm, and
          who writes to a harmed index fails with a line or makes what he would have made of a sound one.
decoded   N times bytes change after their checksums were verified, or before these were written: in the sections of a
          segment as they are mapped, in blocks as they are decompressed. After each, everything is asked in a process
          of its own. Answers are right, or others, or the line of a damaged index: crashes, tracebacks and questions
          without an end are 0.
kills     Each command that writes is ended N times at random moments: kill -9, kill -9 of a worker, Ctrl-C. The index
          is as it was or as it should become, `trix check` finds nothing, the next writer clears away what was left.
disk      Each command meets N disks that are too small, N limits to the size of files, a disk that is read-only, and
          another writer; eight processes write at the same time.
readers   For S seconds an index is replaced, changed and compacted under four reading threads and two processes.

The same seed does the same harm; moments of kills depend on the machine. The exit code is 1 if anything came that must
not be, and `examples` say what.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.parts.torture.asker import Asker
from scripts.parts.torture.commands import commands, loaded
from scripts.parts.torture.damage import damage
from scripts.parts.torture.decoded import decoded
from scripts.parts.torture.disk import disk
from scripts.parts.torture.kills import kills
from scripts.parts.torture.readers import readers
from scripts.parts.torture.samples import samples

PARTS = ("damage", "decoded", "kills", "disk", "readers")
BAD = ("wrong", "crash", "unseen", "problems")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        prog="scripts/torture", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--flips", type=int, default=1000, metavar="N", help="bits, twice [default: 1000]")
    parser.add_argument("--decoded", type=int, default=2000, metavar="N", help="changes of bytes [default: 2000]")
    parser.add_argument("--kills", type=int, default=200, metavar="N", help="of each command [default: 200]")
    parser.add_argument("--disks", type=int, default=20, metavar="N", help="for each command [default: 20]")
    parser.add_argument("--seconds", type=float, default=60, metavar="S", help="of readers [default: 60]")
    parser.add_argument("--documents", type=int, default=24, metavar="N", help="in each index [default: 24]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=PARTS, action="append", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args(arguments)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="torture-") as folder, Asker() as asker:
        found = run(asked, Path(folder), asker)
    bad = sum(faults(record) for record in found.values())
    found["seconds"] = round(time.perf_counter() - began, 1)
    found["bad"] = bad
    print(json.dumps(found, indent=1) if asked.json else table(found))
    return 1 if bad else 0


def run(asked: argparse.Namespace, folder: Path, asker: Asker) -> dict[str, Any]:
    """Run the parts that are asked for."""
    found: dict[str, Any] = {}
    parts = asked.only or PARTS
    if "damage" in parts:
        sound = samples(folder / "damage", asked.seed, asker, asked.documents)
        found |= damage(sound, asked.flips, asked.seed, asker, folder / "scratch", told)
    if "decoded" in parts:
        found["decoded"] = decoded(folder / "decoded", asked.decoded, asked.seed, told)
    if "readers" in parts:
        (folder / "readers").mkdir()
        found["readers"] = readers(asked.seconds, asked.seed, folder / "readers")
        told(f"readers: {found['readers']}")
    if "kills" in parts or "disk" in parts:
        with loaded():
            ready = commands(folder / "commands", asked.seed, asker, asked.documents)
            trial = folder / "trials" / "trial"
            if "kills" in parts:
                found["kills"] = kills(ready, asked.kills, asked.seed, asker, trial, told)
            if "disk" in parts:
                found["disk"] = disk(ready, asked.disks, asked.seed, asker, trial, told)
    return found


def told(line: str) -> None:
    """Say how far it is."""
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


def faults(record: Any) -> int:
    """Return how much came that must not be."""
    if not isinstance(record, dict):
        return 0
    return sum(value if name in BAD else faults(value) for name, value in record.items())


def table(found: dict[str, Any], indent: str = "") -> str:
    """Return the counts for people."""
    lines = []
    for name, value in found.items():
        if name == "examples":
            lines += [f"{indent}! {line}" for line in value]
        elif isinstance(value, dict) and any(isinstance(each, dict) for each in value.values()):
            lines += [f"{indent}{name}", table(value, indent + "  ")]
        elif isinstance(value, dict):
            counts = ", ".join(f"{count} {what}" for what, count in value.items() if what != "examples")
            lines.append(f"{indent}{name:<16} {counts}")
            lines += [f"{indent}  ! {line}" for line in value.get("examples", [])]
        else:
            lines.append(f"{indent}{name:<16} {value}")
    return "\n".join(lines)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
