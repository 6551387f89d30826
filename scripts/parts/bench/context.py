"""Measure queries in contexts of words and with weighted places, beside the preset `reading`; ratios within one run.

    scripts/bench context COLLECTION [--index INDEX] [--queries N] [--repeat N] [--json]

COLLECTION is a folder; its index is built first, by the profile that fits, unless one is given. Queries are
neighbouring words of random places in its documents, drawn with a fixed seed. Each is searched for the
first ten results with every set of options: first all queries by an index just opened (cold), then each with all
sets in turns (warm, the fastest of N); and once with pruning switched off (all). Times are CPU time of the process.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import trix

BM25: dict[str, Any] = {"model": "bm25", "k1": 0.6, "B": 0.2}
CHAIN = "root:0.5>sentence:f=8>pairs:f=0.1"
PARAGRAPHS: dict[str, Any] = {"level": "minor:p", "statistics": "level"}

SETS: dict[str, dict[str, Any]] = {
    "reading": {},
    "reading, title=3": {"weights": "title=3"},
    "reading, sentence": {"context": "sentence:f=8"},
    "reading, titles": {"context": "titles:f=3"},
    "reading, pairs": {"context": "pairs:f=0.5"},
    "bm25": {**BM25, "context": "root:0.5"},
    "bm25, title=3": {**BM25, "context": "root:0.5", "weights": "title=3"},
    "bm25, chain": {**BM25, "context": CHAIN},
    "bm25, chain, titles": {**BM25, "context": f"{CHAIN}>titles:f=2"},
    "bm25, level": {**BM25, **PARAGRAPHS, "context": "root:0.5"},
    "bm25, chain, level": {**BM25, **PARAGRAPHS, "context": CHAIN},
    "bm25, chain, titles, title=3, level": {
        **BM25, **PARAGRAPHS, "context": f"{CHAIN}>titles:f=2", "weights": "title=3",
    },
}  # fmt: skip
"""Options by their names; the first is that which others are held against."""


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench context", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collection", type=Path)
    parser.add_argument("--index")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trix-bench-") as scratch:
        index = asked.index or f"{scratch}/bench.index"
        if not asked.index:
            trix.build(asked.collection, index)
        found = measure(index, queries(asked.collection, asked.queries), asked.repeat)
    found["collection"] = asked.collection.name
    print(json.dumps(found, indent=1) if asked.json else table(found))
    return 0


def queries(collection: Path, count: int) -> list[str]:
    """Return neighbouring words of random places in the documents of a collection."""
    draw, found = random.Random(7), list[str]()
    files = sorted(collection.rglob("*.xml"))
    while len(found) < count:
        text = draw.choice(files).read_text(encoding="utf-8", errors="replace")
        at, size = draw.randrange(max(len(text) - 400, 1)), draw.choice((1, 2, 2, 3, 3, 4))
        words = re.findall(r"[^\W\d_]{4,}", re.sub(r"<[^>]*(>|$)|^[^<]*>|&\w+;", " ", text[at : at + 400]))[1:-1]
        if len(words) >= size:
            found.append(" ".join(words[:size]).lower())
    return found


def measure(path: str, asked: list[str], repeat: int) -> dict[str, Any]:
    """Ask all queries with each set of options in turns."""
    times: dict[str, dict[str, list[float]]] = {name: {"cold": [], "warm": [], "all": []} for name in SETS}
    plans: dict[str, dict[str, int]] = {name: {} for name in SETS}
    for name, options in SETS.items():
        with trix.open(path) as index:
            times[name]["cold"] = [search(index, query, options) for query in asked]
    with trix.open(path) as index:
        for query in asked:
            for name, options in SETS.items():
                plan = index.search(query, top=10, **options).plan
                chosen = "" if plan is None else plan.strategy.value
                plans[name][chosen] = plans[name].get(chosen, 0) + 1
                fastest = min(search(index, query, options) for _ in range(repeat))
                times[name]["warm"].append(fastest)
        index.now.strategies.scores_all = True
        for query in asked:
            for name, options in SETS.items():
                times[name]["all"].append(search(index, query, options))
    found: dict[str, Any] = {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "date": time.strftime("%Y-%m-%d")},
        "queries": len(asked),
        "sets": {},
    }
    first = times[next(iter(SETS))]
    for name, of in times.items():
        row: dict[str, Any] = {"plans": plans[name]}
        for how, values in of.items():
            row[f"{how}_ms"] = {
                "mean": round(1e3 * statistics.mean(values), 3),
                "median": round(1e3 * statistics.median(values), 3),
                "p95": round(1e3 * statistics.quantiles(values, n=20)[-1], 3),
            }
            row[f"{how}_by_reading"] = round(sum(values) / sum(first[how]), 2)
        found["sets"][name] = row
    return found


def search(index: trix.Index, query: str, options: dict[str, Any]) -> float:
    """Return the CPU seconds of a search."""
    began = time.process_time()
    index.search(query, top=10, **options)
    return time.process_time() - began


def table(found: dict[str, Any]) -> str:
    """Return what was found as text."""
    lines = [f"{found['collection']}: {found['queries']} queries, CPU ms (mean, median; by reading)"]
    for name, row in found["sets"].items():
        cells = [
            f"{how} {row[f'{how}_ms']['mean']:8.2f} {row[f'{how}_ms']['median']:7.2f} x{row[f'{how}_by_reading']:<6.2f}"
            for how in ("cold", "warm", "all")
        ]
        lines.append(f"{name:38} {'  '.join(cells)}  {row['plans']}")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
