#!/usr/bin/env python3
"""Time the evaluator on made-up runs: 38 runs of 70 topics with 1500 results against 5,000 judged documents.

Makes the files (seeded) in a folder, evaluates all runs by all in-context and focused measures in worker processes,
and one flat run by AP and nDCG beside pytrec_eval. Prints machine, versions, times and peak memory.

    python scripts/bench_eval.py [--runs 38] [--folder DIR] [--jobs 2] [--json]
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import trix
from trix.eval.evaluate import evaluate
from trix.eval.formats.read import read_qrels

GROUPS = [
    "focused",
    "thorough",
    "ric",
    "reading",
    "gP[F]",
    "gR",
    "igP[F]",
    "iP",
    "NCE[LE(300)]",
    "NCE[LE(2000)]",
    "AgP[T2I(2000)]",
    "AgP[T2Irec(300)]",
    "AgP[ChP@500]",
    "AgP[aveChP(reading=worst)]",
    "AgP[aveChP(reading=best)]",
    "AgP[aveChP(reading=doc)]",
    "HiXEval",
]


def make(folder: Path, runs: int, topics: int = 70, results: int = 1500, documents: int = 5000) -> None:
    """Write qrels and runs: documents of up to 100,000 characters, fetch-and-browse passages of 20 to 4,000."""
    generator = np.random.default_rng(7)
    lengths = np.minimum(100_000, generator.lognormal(8.5, 1.1, documents).astype(int) + 200)
    per = documents // topics
    qrels = []
    for topic in range(topics):
        for doc in range(topic * per, (topic + 1) * per):
            length = int(lengths[doc])
            line = f"{topic} Q0 d{doc} "
            spans = []
            if generator.random() < 0.4:
                at = 0
                for _ in range(int(generator.integers(1, 8))):
                    start = at + int(generator.integers(1, length // 8 + 2))
                    size = int(generator.integers(20, length // 6 + 22))
                    if start + size >= length:
                        break
                    spans.append((start, size))
                    at = start + size
            total = sum(size for _, size in spans)
            tail = f" {spans[0][0]} " + " ".join(f"{a}:{n}" for a, n in spans) if spans else ""
            qrels.append(f"{line}{total} {length}{tail}")
    (folder / "qrels").write_text("\n".join(qrels) + "\n")
    for run in range(runs):
        lines = []
        for topic in range(topics):
            judged = generator.permutation(np.arange(topic * per, (topic + 1) * per)) if per else np.empty(0, int)
            other = generator.choice(documents, 900, replace=False)
            docs = list(dict.fromkeys(np.concatenate((judged, other)).tolist()))
            keys = generator.random(len(docs)) - 0.3 * np.isin(docs, judged)
            rank = 0
            for i in np.argsort(keys).tolist():
                doc, at = docs[i], 0
                for _ in range(int(generator.integers(1, 4))):
                    start, size = at + int(generator.integers(0, 900)), int(generator.integers(20, 4000))
                    if start + size > lengths[doc] or rank >= results:
                        break
                    rank += 1
                    lines.append(f"{topic} Q0 d{doc} {rank} {1 / rank:.6f} run{run} {start} {size}")
                    at = start + size
        (folder / f"run{run}").write_text("\n".join(lines) + "\n")


def one(task: tuple[str, str]) -> tuple[float, int]:
    """Evaluate a run; return seconds and peak memory in MB of the worker."""
    qrels, run = task
    begin = time.perf_counter()
    evaluate(read_qrels(qrels), run, GROUPS)
    return time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def flat(repeats: int = 5) -> tuple[float, float]:
    """Return median seconds of AP and nDCG of one run (70 topics, 1500 results), ours and pytrec_eval's."""
    generator = np.random.default_rng(3)
    qrels = {str(t): {f"d{d}": int(g) for d, g in enumerate(generator.integers(0, 3, 500).tolist())} for t in range(70)}
    run = {
        str(t): {
            f"d{d}": float(s)
            for d, s in zip(generator.permutation(5000)[:1500].tolist(), generator.random(1500).tolist(), strict=True)
        }
        for t in range(70)
    }
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        begin = time.perf_counter()
        ours = evaluate(qrels, run, ["AP", "nDCG(trec)"])
        times[0].append(time.perf_counter() - begin)
        try:
            import pytrec_eval
        except ImportError:
            times[1].append(float("nan"))
            continue
        begin = time.perf_counter()
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg"}).evaluate(run)
        times[1].append(time.perf_counter() - begin)
        assert abs(ours["AP"].topics["0"] - theirs["0"]["map"]) < 1e-9
    return median(times[0]), median(times[1])


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=38)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "qrels").exists() or not (folder / f"run{options.runs - 1}").exists():
            make(folder, options.runs)
        tasks = [(str(folder / "qrels"), str(folder / f"run{k}")) for k in range(options.runs)]
        begin = time.perf_counter()
        with ProcessPoolExecutor(options.jobs) as pool:
            found = list(pool.map(one, tasks))
        wall = time.perf_counter() - begin
    ours, theirs = flat()
    report = {
        "machine": f"{platform.machine()}, {platform.system()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "trix": trix.__version__,
        "runs": options.runs,
        "jobs": options.jobs,
        "wall_s": round(wall, 2),
        "run_s_median": round(median(s for s, _ in found), 3),
        "worker_peak_mb": max(m for _, m in found),
        "flat_ms": round(1000 * ours, 1),
        "pytrec_eval_ms": round(1000 * theirs, 1),
        "flat_ratio": round(ours / theirs, 2),
    }
    if options.json:
        print(json.dumps(report, indent=1))
    else:
        for key, value in report.items():
            print(f"{key:16} {value}")


if __name__ == "__main__":
    main()
