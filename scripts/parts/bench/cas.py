#!/usr/bin/env python3
"""Time structured queries on a real collection, in one open process.

    scripts/bench cas [COLLECTION] [--queries FILE] [--index INDEX] [--top 1500] [--repeat 5] [--json]

The lines ``struct<TAB>number<TAB>A | B`` of FILE are asked as ``//sec[about(., A)]//p[about(., B)]`` (the tags of its
lines ``meta``), ranked, with labels and paths. COLLECTION, a folder, and FILE default to the shared data beside the
checkout (or under ``TRIX_DATA``); its index is built first (generic, no stemming, no stop list) unless one is given.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import trix
from scripts.parts.bench.common import ask_queries


def main() -> int:
    """Run the benchmark."""
    return ask_queries("scripts/bench cas", __doc__, 1500, build, measure, table)


def build(collection: Path, index: Path) -> None:
    """Build the index."""
    trix.build(collection, index, profile="generic", stem="none", stop="none")


def pairs(path: str) -> list[str]:
    """Return the structured queries of a file."""
    rows = [line.split("\t") for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]
    names = {row[1]: row[2] for row in rows if row[0] == "meta"}
    outer, inner = names.get("sectag", "sec"), names.get("ptag", "p")
    asked = [row[2].split(" | ") for row in rows if row[0] == "struct"]
    return [f"//{outer}[about(., {a})]//{inner}[about(., {b})]" for a, b in asked]


def measure(index: str, asked: argparse.Namespace) -> dict[str, Any]:
    """Ask all queries in several rounds; the first warms up."""
    queries = pairs(asked.queries)
    found: dict[str, Any] = {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "date": time.strftime("%Y-%m-%d")},
        "queries": len(queries),
        "top": asked.top,
    }
    with trix.open(index) as opened:
        for mode in ("SSCAS", "SVCAS", "VSCAS", "VVCAS"):
            found[f"{mode}_ms"] = rounds(opened, queries, asked.repeat, top=asked.top, cas=mode)
        found["root+tower_ms"] = rounds(opened, queries, asked.repeat, top=asked.top, context="root+tower")
        found["matching"] = median(opened.search(query, preset="study", top=1).matched for query in queries)
    return found


def rounds(opened: Any, queries: Sequence[str], repeat: int, **options: Any) -> dict[str, float]:
    """Return the median and the greatest of the queries' median times, in milliseconds."""
    times: list[list[float]] = []
    for _ in range(repeat + 1):
        times.append([])
        for query in queries:
            began = time.perf_counter()
            results = opened.search(query, preset="study", **options)
            len(results.paths)
            times[-1].append(time.perf_counter() - began)
    middle = [1000 * median(each) for each in zip(*times[1:], strict=True)]
    return {"median": median(middle), "greatest": max(middle)}


def table(found: dict[str, Any]) -> str:
    """Return what was measured as lines."""
    lines = [f"{found['queries']} queries, top {found['top']}; {found['matching']:.0f} elements found at the median"]
    lines += [
        f"{name.removesuffix('_ms'):12} {of['median']:7.2f} ms median {of['greatest']:7.2f} ms greatest"
        for name, of in found.items()
        if name.endswith("_ms")
    ]
    return "\n".join([*lines, ", ".join(f"{key} {value}" for key, value in found["machine"].items())])


if __name__ == "__main__":
    sys.exit(main())
