"""Measure many cores and many workers: one machine with 1 and 2 processes beside a Dask cluster of 1 and 2 workers.

    scripts/bench dask [COLLECTION...] [--queries FILE] [--workers N,N] [--top N] [--json]

Of each collection (by default the shared data beside the checkout, or under ``TRIX_DATA``): seconds to build it and
for a batch of topics, each with those of all processors; milliseconds for one query and for a round of nothing; the
largest memory of a worker. Starting a cluster is measured by itself. Processes of both kinds are of this machine, so
that only their number makes the difference. Its load is printed, since times mean little without it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import trix
from scripts.parts.bench.common import COLLECTION, QUERIES, missing, unpacked
from trix.cluster.clusters import connected

SINGLE = 20
"""Queries that are asked one by one."""

COLUMNS = (
    ("start s", "start_s", 9), ("build s", "build_s", 9), ("cpu s", "build_cpu", 8), ("batch s", "batch_s", 9),
    ("cpu s", "batch_cpu", 8), ("query ms", "query_ms", 10), ("round ms", "round_ms", 10),
    ("worker MB", "worker_mb", 11),
)  # fmt: skip
"""Heads, names and widths of what is printed."""

OPTIONS: dict[str, Any] = {"context": "root+tower"}


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench dask", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collections", nargs="*", default=[str(COLLECTION)])
    parser.add_argument("--queries", default=str(QUERIES))
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--top", type=int, default=1500)
    parser.add_argument("--profile", default="jats")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if missing("bench --dask", asked.queries, *asked.collections):
        return 2
    topics = read_topics(Path(asked.queries))
    counts = [int(each) for each in asked.workers.split(",")]
    found = []
    for collection in asked.collections:
        with tempfile.TemporaryDirectory(prefix="trix-bench-") as scratch:
            place = unpacked(Path(collection), Path(scratch))
            found.append({"collection": Path(collection).name, **measure(place, Path(scratch), topics, counts, asked)})
    print(json.dumps(found, indent=1) if asked.json else "\n\n".join(map(table, found)))
    return 0


def read_topics(path: Path) -> dict[str, str]:
    """Return the queries of words in a file of kind, number and words."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return {f"{kind}{number}": words for kind, number, words in rows if kind != "meta" and not words.startswith("/")}


def measure(
    collection: Path, scratch: Path, topics: dict[str, str], counts: list[int], asked: argparse.Namespace
) -> dict[str, Any]:
    """Measure one collection."""
    index, rows = scratch / "bench.index", list[dict[str, Any]]()
    expected: list[Any] = []
    for count in counts:
        row: dict[str, Any] = measured("build", partial(built, collection, index, asked.profile, jobs=count))
        with trix.open(index) as opened:
            rows.append({"with": f"--jobs {count}", **row, **answered(opened, topics, asked.top, count)})
            expected = expected or facts(opened, topics, asked.top)
            totals, size = opened.info(), folder_size(index)
    for count in counts:
        began = time.perf_counter()
        with connected(f"local:{count}") as client:
            start = time.perf_counter() - began
            build = measured("build", partial(built, collection, index, asked.profile, client=client), client)
            memory = max(client.run(peak_mb).values())
            with trix.open(index, client=client) as opened:
                assert facts(opened, topics, asked.top) == expected, "a cluster answers as one machine does"
                row = {"with": f"--dask local:{count}", "start_s": start, **build, "worker_mb": memory}
                row |= answered(opened, topics, asked.top, None, client)
                row["segments"] = len(opened.files.live)
            row["round_ms"] = 1000 * statistics.median(timed(partial(client.run, os.getpid)) for _ in range(SINGLE))
            rows.append(row)
    return {
        "xml_mb": sum(each.stat().st_size for each in collection.rglob("*.xml")) / 1e6,
        "index_mb": size / 1e6, "documents": totals["documents"], "postings": totals["postings"],
        "topics": len(topics), "top": asked.top, "load": os.getloadavg()[0], "rows": rows,
    }  # fmt: skip


def built(collection: Path, index: Path, profile: str, **how: Any) -> None:
    """Build the index anew."""
    trix.build(collection, index, profile=profile, overwrite=True, **how)


def answered(
    index: trix.Index, topics: dict[str, str], top: int, jobs: int | None, client: Any = None
) -> dict[str, float]:
    """Measure a batch, twice so that everything is loaded, and queries one by one."""
    for _ in range(2):
        batch = measured("batch", lambda: index.run(topics, top=top, jobs=jobs, **OPTIONS), client)
    some = list(topics.values())[:SINGLE]
    ten = partial(index.search, top=10, preset="study", **OPTIONS)
    single = [timed(partial(ten, query)) for query in (*some, *some)]
    return {**batch, "query_ms": 1000 * statistics.median(single)}


def measured(name: str, work: Callable[[], object], client: Any = None) -> dict[str, float]:
    """Return the seconds that some work takes, and those of all processors, of ended children and of workers too."""
    before = processor_seconds(client)
    seconds = timed(work)
    return {f"{name}_s": seconds, f"{name}_cpu": processor_seconds(client) - before}


def processor_seconds(client: Any) -> float:
    """Return the seconds that processors have spent so far."""
    own = [resource.getrusage(each) for each in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    here = sum(each.ru_utime + each.ru_stime for each in own)
    return here + (sum(client.run(time.process_time).values()) if client is not None else 0.0)


def facts(index: trix.Index, topics: dict[str, str], top: int) -> list[Any]:
    """Return what must be equal."""
    run = index.run(topics, top=top, jobs=1, **OPTIONS)
    return [(each.elements.tolist(), each.scores.tolist()) for each in run.values()]


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that some work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def peak_mb() -> float:
    """Return the largest memory of a process so far; run by workers."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def folder_size(folder: Path) -> int:
    """Return the bytes of a folder's files."""
    return sum(path.stat().st_size for path in folder.iterdir())


def table(found: dict[str, Any]) -> str:
    """Return what was found as text."""
    lines = [
        f"{found['collection']}: {found['documents']:,} documents, {found['xml_mb']:.1f} MB of XML, index "
        f"{found['index_mb']:.1f} MB, {found['postings'] / 1e6:.1f} million postings; load {found['load']:.1f}",
        f"{'with':16}" + "".join(f"{head:>{width}}" for head, _, width in COLUMNS),
    ]
    for row in found["rows"]:
        cells = (f"{row[name]:.2f}" if name in row else "" for _, name, _ in COLUMNS)
        widths = (width for _, _, width in COLUMNS)
        lines.append(f"{row['with']:16}" + "".join(f"{c:>{w}}" for c, w in zip(cells, widths, strict=True)))
    return "\n".join([*lines, f"batch: {found['topics']} topics, top {found['top']}; query: top 10"])


if __name__ == "__main__":
    sys.exit(main())
