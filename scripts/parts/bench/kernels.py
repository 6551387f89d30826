#!/usr/bin/env python
"""Time contextualisation and organisation on made-up candidates.

    scripts/bench kernels [--json] [--size N ...] [--repeat R]

Prints the median and the interquartile range of R calls in milliseconds. The candidates are random trees like those of
a query on journal articles: depths up to 10, scores in a few hundred distinct values.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable

import numpy as np

from trix.query.context.chain import parse_context
from trix.query.matching.candidates import Candidates
from trix.query.ranking.organise import organise

FORMS = (
    "root:1.5",
    "parent",
    "tower",
    "root+tower",
    "vertical:f=1.75,p=0,a=0.25,r=0.75",
    "cscore:tower",
    "horizontal",
    "horizontal:alpha=0",
)
STRATEGIES = (
    ("thorough", 10),
    ("focused", 10),
    ("thorough", 1500),
    ("focused", 1500),
    ("fetch-browse", 10),
    ("fetch-browse", 1500),
    ("relevant-in-context", 1500),
    ("best-in-context", 10),
)


def make_candidates(size: int, seed: int = 2005) -> Candidates:
    """Grow ``size`` elements in documents of some 40 candidates each."""
    rng = np.random.default_rng(seed)
    parent: list[int] = []
    path: list[int] = []
    for place in range(size):
        if not path or rng.random() < 0.025:
            path = []
        else:
            keep = max(1, len(path) - int(rng.choice((0, 0, 1, 1, 1, 2, 3))))
            path = path[: min(keep, 9)]
        parent.append(path[-1] if path else -1)
        path.append(place)
    leaf = np.ones(size, dtype=bool)
    leaf[[above for above in parent if above >= 0]] = False
    # Some content elements do not match: the numbers of the others have gaps.
    number = np.where(leaf, np.cumsum(leaf * rng.integers(1, 6, size)), -1)
    return Candidates.of_tree(parent, number.tolist())


def median_ms(call: Callable[[], object], repeat: int) -> dict[str, float]:
    """Return median and interquartile range of the time of a call, after one call to warm up."""
    call()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    low, middle, high = statistics.quantiles(times, n=4) if len(times) > 1 else times * 3
    return {"median_ms": round(middle, 4), "iqr_ms": round(high - low, 4)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench kernels", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--size", type=int, nargs="+", default=[10_000, 200_000], help="numbers of candidates")
    parser.add_argument("--repeat", type=int, default=51, help="calls per number")
    options = parser.parse_args()
    report: dict[str, object] = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
    }
    rows = []
    for size in options.size:
        candidates = make_candidates(size)
        scores = np.random.default_rng(7).integers(1, 400, size) / 400.0
        for form in FORMS:
            chain = parse_context(form)
            took = median_ms(lambda c=candidates, s=scores, chain=chain: chain.apply(c, s), options.repeat)  # type: ignore[misc]
            rows.append({"n": size, "what": form, **took})
        new = parse_context("root+tower").apply(candidates, scores)
        for strategy, top in STRATEGIES:

            def call(
                c: Candidates = candidates,
                strategy: str = strategy,
                top: int = top,
                new: object = new,
                s: object = scores,
            ) -> object:
                return organise(c, new, strategy=strategy, top=top, root_scores=s)  # type: ignore[arg-type]

            rows.append({"n": size, "what": f"{strategy} {top}", **median_ms(call, options.repeat)})
    report["rows"] = rows
    if options.json:
        print(json.dumps(report, indent=1))
        return
    print(", ".join(f"{key} {value}" for key, value in report.items() if key != "rows"))
    for row in rows:
        print(f"{row['n']:>8,} {row['what']:36} {row['median_ms']:>9.3f} ms  ± {row['iqr_ms']:.3f}")


if __name__ == "__main__":
    main()
