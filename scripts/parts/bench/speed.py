"""Measure building and searching on a real collection; medians, ratios within one run, JSON on demand.

    scripts/bench speed [COLLECTION] [--queries FOLDER] [--repeat N] [--jobs N] [--json]

COLLECTION and the query files (``*.tsv``: kind, number, words) default to the shared data beside the checkout (or
under ``TRIX_DATA``); a ``.tar.xz`` is unpacked first, outside the measurement. Building runs as a process of its own,
whose CPU time and peak memory include its workers, and is held against what parsing and counting words in Python takes
(``scripts/bench floor``); searching runs in one open process,
each query contextualised (root+tower), labels and paths printed. Long answers are
printed by processes of their own: CPU time a line and peak memory, and the same of checking the index.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scripts.parts.bench.common import DATA, ROOT, unpacked

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
BUILD = ["--profile", "generic", "--stem", "none", "--stop", "none", "--quiet", "--overwrite"]


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collection", nargs="?", default=str(DATA / "collections" / "medium-jats-elife.tar.xz"))
    parser.add_argument("--queries", default=str(DATA / "queries"))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--search-only", metavar="INDEX", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.search_only:
        print(json.dumps(searches(asked.search_only, Path(asked.queries), asked.repeat)))
        return 0
    if not Path(asked.collection).exists():
        print(f"bench: {asked.collection}: no such collection; give one, or set TRIX_DATA", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="trix-bench-") as scratch:
        found = measure(asked, Path(scratch))
    print(json.dumps(found, indent=1) if asked.json else table(found))
    return 0


def measure(asked: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Measure everything."""
    collection = unpacked(Path(asked.collection), scratch)
    index = scratch / "bench.index"
    xml_bytes = sum(path.stat().st_size for path in collection.rglob("*.xml"))
    build = [one_build(collection, index, asked.jobs) for _ in range(asked.repeat)]
    watched = one_build(collection, index, asked.jobs, watch=True)  # watching takes time of its own
    found: dict[str, Any] = {
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            **{name: version(name) for name in ("lxml", "numpy")},
            "date": time.strftime("%Y-%m-%d"),
        },
        "collection": {"name": Path(asked.collection).name, "xml_bytes": xml_bytes},
        "build": {key: statistics.median(run[key] for run in build) for key in ("seconds", "cpu_seconds")},
    }
    found["build"] |= {key: watched[key] for key in ("peak_rss_mb", "peak_pss_mb")}
    found["build"]["floor_cpu_seconds"] = floor = statistics.median(one_floor(collection) for _ in range(asked.repeat))
    found["build"]["by_floor"] = found["build"]["cpu_seconds"] / floor
    found["build"]["index_share"] = size(index) / xml_bytes
    one_build(collection, scratch / "stored.index", asked.jobs, "--store")
    found["build"]["stored_share"] = size(scratch / "stored.index") / xml_bytes
    found["process_ms"] = {"search": statistics.median(one_search(index) for _ in range(2 * asked.repeat + 1))}
    found["long"] = long_answers(index)
    again = [
        sys.executable,
        __file__,
        f"--search-only={index}",
        f"--queries={asked.queries}",
        f"--repeat={asked.repeat}",
    ]
    out = subprocess.run(again, env=ENVIRONMENT, check=True, capture_output=True, text=True)
    found["search_ms"] = json.loads(out.stdout)
    return found


def one_build(collection: Path, index: Path, jobs: int, *more: str, watch: bool = False) -> dict[str, float]:
    """Build once; seconds of wall and CPU time, and, if watched, peak memory of all processes together in MB."""
    command = [sys.executable, "-m", "trix", "index", str(collection), str(index), "--jobs", str(jobs), *BUILD, *more]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    process = subprocess.Popen(command, env=ENVIRONMENT)
    peak = shared = 0
    while watch and process.poll() is None:
        resident, proportional = memory(process.pid)
        peak, shared = max(peak, resident), max(shared, proportional)
        time.sleep(0.02)
    if process.wait():
        raise SystemExit(process.returncode)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "peak_rss_mb": peak / 1024,
        "peak_pss_mb": shared / 1024,
    }


def one_floor(collection: Path) -> float:
    """Return the CPU seconds of the least of an index in Python, see `floor.py`."""
    floor = Path(__file__).with_name("floor.py")
    out = subprocess.run([sys.executable, str(floor), str(collection)], check=True, capture_output=True, text=True)
    return float(out.stdout.split()[0])


def memory(root: int) -> tuple[int, int]:
    """Return resident and proportional memory, in kB, of a process and all below it; 0 where there is no /proc."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(entry.parent.name))
    todo, resident, proportional = [root], 0, 0
    while todo:
        pid = todo.pop()
        todo += parents.get(pid, [])
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        fields = {line.split(":")[0]: int(line.split()[1]) for line in lines[1:] if line.endswith("kB")}
        resident += fields.get("Rss", 0)
        proportional += fields.get("Pss", 0)
    return resident, proportional


def one_search(index: Path) -> float:
    """Return the milliseconds of one search as a process."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "trix", "search", str(index), "mouse", "brain", "cortex"]
    subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True)
    return 1000 * (time.perf_counter() - began)


def long_answers(index: Path) -> dict[str, float]:
    """Return CPU milliseconds a line and peak memory in MB of printing everything, and of a check."""
    found: dict[str, float] = {}
    several = ["mouse", "brain", "--preset", "study", "--strategy", "thorough"]
    for name, asked in (("jsonl", several), ("trec", several), ("structure", ["//*", "--preset", "study"])):
        form = ["--format", "trec" if name == "structure" else name]
        seconds, peak, lines = one_process("search", str(index), *asked, "-n", "all", *form)
        found |= {f"{name} lines": lines, f"{name} ms a line": 1000 * seconds / max(lines, 1), f"{name} peak MB": peak}
    seconds, found["check peak MB"], _ = one_process("check", str(index))
    return {**found, "check CPU seconds": seconds}


def one_process(*command: str) -> tuple[float, float, int]:
    """Return CPU seconds, peak memory in MB, and lines of output of a command."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([sys.executable, "-m", "trix", *command], env=ENVIRONMENT, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(process.returncode)
        out.seek(0)
        lines = sum(1 for _ in out)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, lines


def searches(path: str, queries: Path, repeat: int) -> dict[str, float]:
    """Return median milliseconds: to open the index, and of each kind of query in one open process."""
    import trix

    opened = []
    for _ in range(5):
        began = time.perf_counter()
        index = trix.open(path)
        opened.append(1000 * (time.perf_counter() - began))
    found = {"open": statistics.median(opened)}
    for file in sorted(queries.glob("*.tsv")):
        rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
        words = [row[2] for row in rows if row[0] == "co"]
        for top in (10, 1500):
            times: dict[bool, list[float]] = {False: [], True: []}
            for turn in range(repeat + 1):
                for scores_all, medians in times.items():  # by the best documents, and by all: in one loop
                    index.now.strategies.scores_all = scores_all
                    took = [one_query(index, query, top) for query in words]
                    if turn:  # the first turn loads what later ones find in memory
                        medians.append(statistics.median(took))
            index.now.strategies.scores_all = False
            for scores_all, medians in times.items():
                found[f"{file.stem} co top {top}{', all scored' * scores_all}"] = statistics.median(medians)
    for query in ("mitochondria", "membrane protein"):  # what the preset for reading needs of an index
        index.search(query)
    for query in WORDS:
        began = time.perf_counter()
        index.search(query, phrases="exact")
        first = 1000 * (time.perf_counter() - began)
        found[f"first {query}"] = first
        found[query] = statistics.median(one_query(index, query, 10) for _ in range(5))
    return found


WORDS = ('"cell line"', '"gene expression"~8', "neur*", "*ology", "recieve~", "recieve~2", "(mouse | mice)")
"""Phrases, nearness, patterns, fuzzy words, alternatives; the first of a kind reads what later ones have in memory.

The first one is under the preset for reading, the others are contextualised by root+tower.
"""


def one_query(index: Any, query: str, top: int) -> float:
    """Return the milliseconds of one query with all its results printed."""
    out = io.StringIO()
    began = time.perf_counter()
    for r in index.search(query, preset="study", context="root+tower", strategy="thorough", top=top):
        out.write(f"{r.rank}\t{r.score!r}\t{r.doc}\t{r.label}\t{r.path}\n")
    return 1000 * (time.perf_counter() - began)


def processor() -> str:
    """Return the processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def size(folder: Path) -> int:
    """Return the bytes of a folder's files."""
    return sum(path.stat().st_size for path in folder.iterdir())


def table(found: dict[str, Any]) -> str:
    """Return the figures for people."""
    lines = [", ".join(f"{key} {value}" for key, value in found["machine"].items())]
    lines.append(f"{found['collection']['name']}, {found['collection']['xml_bytes'] / 1e6:.1f} MB of XML")
    for group in ("build", "process_ms", "long", "search_ms"):
        lines.append(group)
        lines += [f"  {key:<28} {value:10.3f}" for key, value in found[group].items()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
