#!/usr/bin/env python3
"""Time what filters, facets and sort orders add to a query on a real collection, in one open process.

    scripts/bench fields [COLLECTION] [--queries FILE] [--index INDEX] [--top 10] [--repeat 5] [--json]

The lines ``co<TAB>number<TAB>words`` of FILE are asked with and without each of them, round by round in turn, with
paths; what is printed is the median time, and the median over the queries of the ratio to the plain query. COLLECTION,
an archive or a folder, and FILE default to the shared data beside the checkout (or under ``TRIX_DATA``); its index is
built first with the preset jats unless one is given. The first use in a process, which reads columns, is told apart.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from pathlib import Path
from statistics import median
from typing import Any

import trix
from scripts.parts.bench.common import ask_queries

ASKED: dict[str, dict[str, Any]] = {
    "plain": {},
    "year >= 2014": {"where": "year >= 2014"},
    "words and not": {"where": "subject ~ biology and not (author ~ smith or keyword = mouse)"},
    "facet year": {"facet": "year"},
    "facet author,keyword": {"facet": "author,keyword"},
    "both": {"where": "date >= 2014-03 and type = research-article", "facet": "subject,year"},
    "sort": {"sort": "-date,-score"},
}


def main() -> int:
    """Run the benchmark."""
    return ask_queries("scripts/bench fields", __doc__, 10, build, measure, table)


def build(collection: Path, index: Path) -> None:
    """Build the index."""
    trix.build(collection, index, profile="jats")


def measure(index: str, asked: argparse.Namespace) -> dict[str, Any]:
    """Ask all queries in all ways in several rounds; the first warms up, and says what a first use costs."""
    rows = [line.split("\t") for line in Path(asked.queries).read_text(encoding="utf-8").splitlines() if line.strip()]
    queries = [row[2] for row in rows if row[0] == "co"]
    times: dict[str, list[list[float]]] = {name: [[] for _ in queries] for name in ASKED}
    first: dict[str, float] = {}
    with trix.open(index) as opened:
        sizes = opened.files.section_sizes()
        for query in queries[:3]:
            ask(opened, query, asked.top, {})
        for name, options in ASKED.items():
            first[name] = 1000 * ask(opened, queries[0], asked.top, options)
        for _ in range(asked.repeat + 1):
            for number, query in enumerate(queries):
                for name, options in ASKED.items():
                    times[name][number].append(ask(opened, query, asked.top, options))
    middle = {name: [1000 * median(each[1:]) for each in of] for name, of in times.items()}
    return {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "date": time.strftime("%Y-%m-%d")},
        "queries": len(queries),
        "top": asked.top,
        "fields_bytes": sizes["fields"],
        "index_bytes": sum(sizes.values()),
        "asked": {
            name: {
                "median_ms": median(of),
                "ratio": median(one / plain for one, plain in zip(of, middle["plain"], strict=True)),
                "greatest_ratio": max(one / plain for one, plain in zip(of, middle["plain"], strict=True)),
                "first_ms": first[name],
            }
            for name, of in middle.items()
        },
    }


def ask(opened: Any, query: str, top: int, options: dict[str, Any]) -> float:
    """Return the seconds of a query, of naming its results, and of the ten most frequent values of each facet."""
    began = time.perf_counter()
    results = opened.search(query, preset="study", top=top, **options)
    len(results.paths)
    for facet in results.facets.values():
        facet[:10]
    return time.perf_counter() - began


def table(found: dict[str, Any]) -> str:
    """Return what was measured as lines."""
    lines = [
        f"{found['queries']} queries, top {found['top']}; fields take {found['fields_bytes']:,} of "
        f"{found['index_bytes']:,} bytes of the index"
    ]
    lines += [
        f"{name:22} {of['median_ms']:7.2f} ms median  {of['ratio']:5.2f} times the plain query (at most "
        f"{of['greatest_ratio']:.2f})  {of['first_ms']:7.2f} ms at first"
        for name, of in found["asked"].items()
    ]
    return "\n".join([*lines, ", ".join(f"{key} {value}" for key, value in found["machine"].items())])


if __name__ == "__main__":
    raise SystemExit(main())
