"""Measure the CPU seconds of a command as a process of its own, beside those of an earlier commit.

    scripts/bench process [COLLECTION] [--index INDEX] [--against COMMIT] [--repeat N] [--json]

Each command runs N times, in turns with the same command of the commit, after one run that is not counted. Seconds
are those of the processor, of user and system, so that other work on the machine counts little.

median, least   milliseconds of CPU
modules         modules that were imported
ratio           the median by that of the commit
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import trix
from scripts.parts.bench.common import COLLECTION, ROOT, missing, unpacked

QUERY = "cell division"


def commands(index: Path) -> dict[str, list[str]]:
    """Return the commands that are measured, by their names."""
    with trix.open(index) as opened:
        unit = next(iter(opened.search(QUERY, top=1)), None)
    document = [] if unit is None else ["show", str(index), f"{unit.doc}{unit.path}"]
    found = {
        "search": ["search", str(index), QUERY],
        "search, table": ["search", str(index), QUERY, "--format", "table"],
        "search, NEXI": ["search", str(index), f"//*[about(., {QUERY})]"],
        "show": document,
        "help": ["--help"],
    }
    return {name: words for name, words in found.items() if words}


def _is_commit(name: str) -> bool:
    command = ["git", "rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}"]
    return subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL).returncode == 0


def checked_out(commit: str, folder: Path) -> Path:
    """Write the files of a commit into a folder, with their kernels, and return the folder.

    Raises
    ------
    subprocess.CalledProcessError
        Its kernels do not compile.
    """
    folder.mkdir()
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    same = subprocess.run(["git", "diff", "--quiet", commit, "--", "trix/core"], cwd=ROOT, check=False)
    if same.returncode == 0:
        for kernel in (ROOT / "trix" / "core").glob("*.so"):
            shutil.copy(kernel, folder / "trix" / "core")
    else:
        subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, check=True)
    return folder


def run(root: Path, words: list[str], scratch: Path, *flags: str) -> tuple[float, str]:
    """Run a command of a checkout; return its CPU seconds and what it said on standard error."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = str(root)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *flags, "-m", "trix", *words], cwd=scratch, env=environment, check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stderr


def measure(roots: dict[str, Path], words: list[str], repeat: int, scratch: Path) -> dict[str, Any]:
    """Return what a command costs in each checkout."""
    modules = {}
    for name, root in roots.items():
        run(root, words, scratch)  # writes the bytecode
        said = run(root, words, scratch, "-X", "importtime")[1]
        modules[name] = sum(line.startswith("import time:") for line in said.splitlines()) - 1
    seconds: dict[str, list[float]] = {name: [] for name in roots}
    for _ in range(repeat):
        for name, root in roots.items():
            seconds[name].append(run(root, words, scratch)[0])
    return {
        name: {
            "median": round(1000 * statistics.median(each), 1),
            "least": round(1000 * min(each), 1),
            "modules": modules[name],
        }
        for name, each in seconds.items()
    }


def table(found: dict[str, dict[str, Any]]) -> str:
    """Return the figures as lines."""
    lines = [f"{'command':<16}{'checkout':<12}{'median':>8}{'least':>8}{'modules':>9}{'ratio':>7}"]
    for command, by_name in found.items():
        base = list(by_name.values())[-1]["median"]
        for name, one in by_name.items():
            ratio = one["median"] / base
            figures = f"{one['median']:8.1f}{one['least']:8.1f}{one['modules']:9d}{ratio:7.2f}"
            lines.append(f"{command:<16}{name:<12}{figures}")
    return "\n".join(lines)


def main() -> int:
    """Measure all commands and print the figures."""
    parser = argparse.ArgumentParser(
        prog="process", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collection", nargs="?", default=str(COLLECTION))
    parser.add_argument("--index", help="an index of the collection; none is built")
    parser.add_argument("--against", metavar="COMMIT", help="measure this commit too, in turns")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if missing("process", asked.index or asked.collection):
        return 2
    if asked.against and not _is_commit(asked.against):
        print(f"process: --against {asked.against}: no commit of this repository", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="trix-bench-") as folder:
        scratch = Path(folder)
        index = Path(asked.index or scratch / "bench.index").resolve()
        if not asked.index:
            trix.build(unpacked(Path(asked.collection), scratch), index)
        roots = {"here": ROOT}
        try:
            if asked.against:
                roots[asked.against] = checked_out(asked.against, scratch / "against")
            found = {name: measure(roots, words, asked.repeat, scratch) for name, words in commands(index).items()}
        except subprocess.CalledProcessError as error:  # as that of a commit that reads another format of the index
            print(f"{error.stderr or ''}process: {shlex.join(error.cmd)}: code {error.returncode}", file=sys.stderr)
            return 1
    print(json.dumps(found, indent=1) if asked.json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
