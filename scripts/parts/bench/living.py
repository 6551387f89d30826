"""Measure what it costs to keep an index current, on a real collection: medians, ratios within one run.

    scripts/bench living [COLLECTION] [--queries FILE] [--repeat N] [--only PART]... [--json]

add         one document of about 140 kB, durable: in an open writer and as a process; ten documents deleted, durable
update      `trix update` as a process when nothing changed, with 10,000 files
singles     all documents one commit each, mergers included, by the CPU of the build at once
queries     ten segments of which 5 % is deleted, by the same index compacted: in an open index, and opened for it
compact     those ten segments, by the CPU of the build at once

All work is done by one process (``--jobs 1``), each measurement of CPU by a process of its own. COLLECTION and FILE
(lines of kind, number, words) default to the shared data beside the checkout, or under ``TRIX_DATA``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import trix
from scripts.parts.bench.common import COLLECTION, QUERIES, ROOT, missing, unpacked

SETTINGS: dict[str, Any] = {"profile": "generic", "stem": "none", "stop": "none"}
PARTS = ("add", "update", "singles", "queries", "compact")
LIMITS = {
    "add, open writer, ms": 60, "add, process, s": 0.6, "delete ten, ms": 20, "update, nothing changed, s": 1,
    "singles by build, CPU": 8, "compact by build, CPU": 0.5, "queries, worst ratio": 1.25,
}  # fmt: skip
SIZE, FILES, SEGMENTS = 140_000, 10_000, 10


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench living", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collection", nargs="?", default=str(COLLECTION))
    parser.add_argument("--queries", default=str(QUERIES))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if missing("bench", asked.collection, asked.queries):
        return 2
    with tempfile.TemporaryDirectory(prefix="trix-bench-") as scratch:
        found = measure(asked, Path(scratch))
    print(json.dumps(found, indent=1) if asked.json else table(found))
    return 0


def measure(asked: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Measure what is asked for."""
    collection = unpacked(Path(asked.collection), scratch)
    files = sorted(collection.rglob("*.xml"))
    parts = asked.only or PARTS
    found: dict[str, Any] = {
        "collection": {"documents": len(files), "xml_bytes": sum(path.stat().st_size for path in files)}
    }
    whole = scratch / "whole.index"
    build, found["build, s"] = used(lambda: trix.build(files, whole, jobs=1, overwrite=True, **SETTINGS), asked.repeat)
    found["build, CPU s"] = build
    if "add" in parts:
        found |= adding(files, whole, asked.repeat, scratch)
    if "update" in parts:
        found |= updating(files[0], asked.repeat, scratch)
    if "singles" in parts:
        cpu, _ = used(lambda: singles(files, scratch / "singles.index"))
        found |= {"singles, CPU s": cpu, "singles by build, CPU": cpu / build}
    if "queries" in parts or "compact" in parts:
        lived, compacted = scratch / "lived.index", scratch / "compacted.index"
        segments(files, lived)
        takes = []
        for _ in range(asked.repeat):
            shutil.rmtree(compacted, ignore_errors=True)
            shutil.copytree(lived, compacted)
            takes.append(used(lambda: compact(compacted))[0])
        found |= {"compact, CPU s": median(takes), "compact by build, CPU": median(takes) / build}
        if "queries" in parts:
            found |= querying(lived, compacted, Path(asked.queries), asked.repeat)
    return found


def used(do: Callable[[], object], repeat: int = 1) -> tuple[float, float]:
    """Do something in a process of its own, some times; return the medians of its CPU seconds and of its seconds."""
    cpu, seconds = [], []
    for _ in range(repeat):
        began = time.perf_counter()
        pid = os.fork()
        if not pid:
            code = 1
            try:
                do()
                code = 0
            except Exception:
                traceback.print_exc()
            finally:
                os._exit(code)
        _, status, spent = os.wait4(pid, 0)
        if status:
            raise SystemExit("bench: what was to be measured failed, see above")
        seconds.append(time.perf_counter() - began)
        cpu.append(spent.ru_utime + spent.ru_stime)
    return median(cpu), median(seconds)


def adding(files: list[Path], whole: Path, repeat: int, scratch: Path) -> dict[str, float]:
    """Add and delete in an open writer, and as a process."""
    index, new = scratch / "adding.index", scratch / "new"
    shutil.copytree(whole, index)
    new.mkdir()
    alike = sorted(files, key=lambda path: abs(path.stat().st_size - SIZE))[: 2 * repeat]
    copies = [Path(shutil.copy(path, new / f"new-{number}.xml")) for number, path in enumerate(alike)]
    adds, deletes, processes = [], [], []
    with trix.open(index) as opened:
        ids = [opened.files.ids[number] for number in range(len(opened))]
    with trix.write(index, jobs=1) as writer:
        for number, path in enumerate(copies[:repeat]):
            began = time.perf_counter()
            writer.add(path)
            writer.commit()
            adds.append(1000 * (time.perf_counter() - began))
            began = time.perf_counter()
            writer.delete(ids[10 * number : 10 * number + 10])
            writer.commit()
            deletes.append(1000 * (time.perf_counter() - began))
    for path in copies[repeat:]:
        processes.append(command("add", str(index), str(path), "--quiet"))
    return {
        "add, open writer, ms": median(adds), "add, process, s": median(processes), "delete ten, ms": median(deletes),
    }  # fmt: skip


def updating(file: Path, repeat: int, scratch: Path) -> dict[str, float]:
    """Update an index of many small files of which none changed."""
    many = scratch / "many"
    for number in range(FILES):
        path = many / f"{number // 100:03}" / f"{number:05}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<note><p>note {number} of {file.stem}</p></note>", "utf-8")
    index = scratch / "many.index"
    trix.build(many, index, jobs=1, **SETTINGS)
    return {
        "update, nothing changed, s": median(command("update", str(index), "--quiet") for _ in range(repeat)),
    }


def command(*words: str) -> float:
    """Return the seconds of a command."""
    import subprocess

    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "trix", *words], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    return time.perf_counter() - began


def singles(files: list[Path], index: Path) -> None:
    """Add all documents, one commit each, and let segments be merged."""
    with trix.write(index, jobs=1, **SETTINGS) as writer:
        for path in files:
            writer.add(path)
            writer.commit()


def segments(files: list[Path], index: Path) -> None:
    """Make an index of ten segments of which every twentieth document is deleted."""
    step = -(-len(files) // SEGMENTS)
    with trix.write(index, jobs=1, merge=False, **SETTINGS) as writer:
        for at in range(0, len(files), step):
            writer.add([str(path) for path in files[at : at + step]])
            writer.commit()
        with trix.open(index) as opened:
            ids = [opened.files.ids[number] for number in range(0, len(opened), 20)]
        writer.delete(ids)


def compact(index: Path) -> None:
    """Make one segment."""
    with trix.write(index) as writer:
        writer.compact()


def kinds(queries: Path) -> dict[str, tuple[list[str], dict[str, Any]]]:
    """Return kinds of queries: words, context, phrases, structure."""
    rows = [line.split("\t") for line in queries.read_text("utf-8").splitlines()]
    words = [row[2] for row in rows if row[0] == "co"][:30]
    pairs = [row[2].split("|") for row in rows if row[0] == "struct" and "|" in row[2]][:30]
    return {
        "words": (words, {}),
        "words, tower, top 1500": (words, {"context": "root+tower", "strategy": "thorough", "top": 1500}),
        "phrases": ([f'"{" ".join(query.split()[:2])}"' for query in words], {}),
        "feedback": (words[:10], {"expand": "5:5"}),
        "structure": ([f"//sec[about(., {a})]//p[about(., {b})]" for a, b in pairs], {}),
        "path": (["//sec//p", "//fig", "//article//title"], {}),
    }


def querying(lived: Path, compacted: Path, queries: Path, repeat: int) -> dict[str, Any]:
    """Ask both indexes in turn: open ones, and ones that are opened for the query."""
    times: dict[str, list[list[float]]] = {}
    opened = [trix.open(path) for path in (lived, compacted)]
    for name, (asked, options) in kinds(queries).items():
        for query in asked:
            warm, cold = [list[float](), list[float]()], [list[float](), list[float]()]
            for turn in range(repeat + 1):
                for place, path in enumerate((lived, compacted)):
                    took = one(opened[place], query, options)
                    fresh = trix.open(path)
                    first = one(fresh, query, options)
                    if turn:
                        warm[place].append(took)
                        cold[place].append(first)
            times.setdefault(f"{name}, warm", []).append([median(each) for each in warm])
            times.setdefault(f"{name}, cold", []).append([median(each) for each in cold])
    found: dict[str, Any] = {}
    ratios = []
    for name, rows in times.items():
        many, one_segment = (median(row[place] for row in rows) for place in (0, 1))
        ratios.append(many / one_segment)
        found[f"{name}, ms"] = {"segments": many, "compacted": one_segment, "ratio": many / one_segment}
    return {"queries": found, "queries, worst ratio": max(ratios)}


def one(index: Any, query: str, options: dict[str, Any]) -> float:
    """Return the milliseconds of one query with its results named."""
    began = time.perf_counter()
    for result in index.search(query, preset="study", **options):
        _ = result.path, result.label
    return 1000 * (time.perf_counter() - began)


def table(found: dict[str, Any]) -> str:
    """Return the figures for people."""
    lines = ["{documents:,} documents, {xml_bytes:,} bytes".format(**found["collection"])]
    for name, value in found.items():
        if isinstance(value, float):
            lines.append(f"{name:<34} {value:10.3f}" + (f"   at most {LIMITS[name]}" if name in LIMITS else ""))
    for name, row in found.get("queries", {}).items():
        lines.append(f"  {name:<32} {row['segments']:10.3f} by {row['compacted']:10.3f} = {row['ratio']:.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
