#!/usr/bin/env python3
"""Time the evaluator on made-up runs: 38 runs of 70 topics with 1500 results against 5,000 judged documents.

Makes the files (seeded) in a folder, evaluates all runs by all in-context and focused measures in worker processes,
and one flat run by AP and nDCG beside pytrec_eval. Then the command itself, in processes of their own: a run of
passages, a flat run beside a script that does the same by pytrec_eval, and PRUM, EPRUM and GR of a run of elements
against hundreds to thousands of ideal ones. Of the commands the CPU time is taken, the median of rounds in which each
has its turn; the floor reads and cuts the lines of the files in plain Python. `--base` takes an older checkout, whose
commands have their turns, too. Prints machine, versions, times and peak memory.

    scripts/bench eval [--runs 38] [--folder DIR] [--jobs 2] [--json]
    scripts/bench eval --only-commands [--rounds 5] [--base DIR] [--folder DIR] [--json]
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

import numpy as np

import trix
from trix.eval.evaluate import evaluate
from trix.eval.formats.read import read_qrels

ROOT = Path(__file__).resolve().parents[3]
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


def article(generator: np.random.Generator) -> dict[str, int]:
    """Return the elements of an article of sections, subsections and paragraphs, with their words."""
    found: dict[str, int] = {}
    root, body = "/article[1]", "/article[1]/bdy[1]"
    for s in range(1, int(generator.integers(4, 10))):
        for k in range(1, int(generator.integers(3, 7))):
            for p in range(1, int(generator.integers(3, 9))):
                words = int(generator.integers(20, 200))
                section = f"{body}/sec[{s}]"
                for path in (root, body, section, f"{section}/ss1[{k}]"):
                    found[path] = found.get(path, 5) + words
                found[f"{section}/ss1[{k}]/p[{p}]"] = words
    return found


def make_elements(folder: Path, topics: int = 50, results: int = 1500, documents: tuple[int, int] = (6, 30)) -> None:
    """Write XML assessments (a topic a file), sizes, and a run of elements that knows them with some noise."""
    generator = np.random.default_rng(5)
    (folder / "assessments").mkdir(parents=True, exist_ok=True)
    rows, sizes = [], []
    for topic in range(topics):
        lines = ['<?xml version="1.0"?>', f'<assessments pool="{topic}" topic="{topic}">']
        pool: list[tuple[str, str]] = []
        share: list[float] = []
        for number in range(int(generator.integers(*documents))):
            doc, tree = f"t{topic}d{number}", article(generator)
            relevant: dict[str, float] = {}
            for path, words in tree.items():
                if "/p[" in path and generator.random() < 0.45:
                    part, at = words * float(generator.choice([0.6, 1.0, 1.0, 1.0])), path
                    while at:
                        relevant[at] = relevant.get(at, 0.0) + part
                        at = at[: at.rfind("/")]
            lines.append(f'<file file="{doc}">')
            for path, marked in relevant.items():
                s = 3 if marked > 0.6 * tree[path] else 2 if marked > 0.35 * tree[path] else 1
                e = min(3, 1 + int(marked) // 120)
                lines.append(f'<path path="{path}" exhaustiveness="{e}" specificity="{s}"/>')
            lines.append("</file>")
            sizes += [f"{doc}{path} {words}" for path, words in tree.items()]
            pool += [(doc, path) for path in tree]
            share += [relevant.get(path, 0.0) / words for path, words in tree.items()]
        (folder / "assessments" / f"{topic}.xml").write_text("\n".join([*lines, "</assessments>"]) + "\n")
        scores = np.array(share) + generator.random(len(share)) * 1.2
        for rank, k in enumerate(np.argsort(-scores)[:results].tolist(), 1):
            rows.append(f"{topic} Q0 {pool[k][0]} {rank} {scores[k]:.6f} elements {pool[k][1]}")
    (folder / "elements").write_text("\n".join(rows) + "\n")
    (folder / "sizes").write_text("\n".join(sizes) + "\n")


def make_flat(folder: Path, topics: int = 70, results: int = 1500) -> None:
    """Write TREC qrels of 500 documents a topic, and a run."""
    generator = np.random.default_rng(3)
    qrels, rows = [], []
    for topic in range(topics):
        judged = generator.choice(5000, 500, replace=False).tolist()
        grades = generator.integers(0, 3, 500).tolist()
        qrels += [f"{topic} 0 doc{d} {g}" for d, g in zip(judged, grades, strict=True)]
        scores = np.sort(generator.random(results))[::-1].tolist()
        docs = generator.permutation(5000)[:results].tolist()
        rows += [f"{topic} Q0 doc{d} {r} {s:.6f} flat" for r, (d, s) in enumerate(zip(docs, scores, strict=True), 1)]
    (folder / "flat.qrels").write_text("\n".join(qrels) + "\n")
    (folder / "flat").write_text("\n".join(rows) + "\n")


PYTREC = """
import sys, pytrec_eval
qrels, run = (read(open(name)) for read, name in zip((pytrec_eval.parse_qrel, pytrec_eval.parse_run), sys.argv[1:]))
found = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg"}).evaluate(run)
for name in ("map", "ndcg"):
    print(name, pytrec_eval.compute_aggregated_measure(name, [topic[name] for topic in found.values()]))
"""
FLOOR = """
import sys
for name in sys.argv[1:]:
    for line in open(name):
        line.split()
"""


def commands(folder: Path, rounds: int, base: Path | None) -> dict[str, float]:
    """Return the median CPU seconds of each command, and their ratios."""
    make_flat(folder)
    if not (folder / "elements").exists():
        make_elements(folder)
    trix = [sys.executable, "-m", "trix", "eval"]
    passages, flat = [str(folder / "qrels"), str(folder / "run0")], [str(folder / "flat.qrels"), str(folder / "flat")]
    elements = [str(folder / "assessments"), str(folder / "elements"), "--sizes", str(folder / "sizes")]
    ours = {
        "passages": [*trix, *passages, "-m", "AgP[F] iP@0.01 AiP"],
        "passages_all": [*trix, *passages],
        "flat": [*trix, *flat, "-m", "AP nDCG(trec)"],
        "prum": [*trix, *elements, "-m", "PRUM(N=1000000) EPRUM GR@100"],
    }
    tasks = {name: (command, ROOT) for name, command in ours.items()}
    tasks["passages_floor"] = [sys.executable, "-c", FLOOR, *passages], ROOT
    tasks["flat_pytrec_eval"] = [sys.executable, "-c", PYTREC, *flat], ROOT
    if base is not None:
        tasks |= {f"{name}_base": (command, base) for name, command in ours.items()}
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(rounds + 1):
        for name, (command, place) in tasks.items():
            if name == "prum_base" and turn != 1:  # a minute each
                continue
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if turn:  # the first turn compiles
                times[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    found = {f"{name}_cpu_s": round(median(of), 3) for name, of in times.items()}
    pairs = [("passages", "passages_floor"), ("flat", "flat_pytrec_eval"), *((n, f"{n}_base") for n in ours)]
    for name, other in pairs:
        if other in times:
            found[f"{name}/{other}"] = round(median(times[name]) / median(times[other]), 2)
    return found


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench eval", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=38)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only-commands", action="store_true", help="leave out the runs in worker processes")
    parser.add_argument("--rounds", type=int, default=5, help="of the commands; 0 leaves them out")
    parser.add_argument("--base", type=Path, help="another checkout, for comparison")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.only_commands:
        options.runs = 1
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
        timed = commands(folder.resolve(), options.rounds, options.base) if options.rounds else {}
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
        **timed,
    }
    if options.json:
        print(json.dumps(report, indent=1))
    else:
        for key, value in report.items():
            print(f"{key:28} {value}")


if __name__ == "__main__":
    main()
