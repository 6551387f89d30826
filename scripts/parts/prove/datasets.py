"""Measure prepared data sets with the commands of their README.txt, and write the figures into docs/datasets.md.

Each folder is one that `trix datasets prepare` made. Its part of the page stands between two comments with its name, so
other data sets keep theirs. With --check nothing is written: the exit code is 1 if a figure on the page differs.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trix.datasets.catalogue.prepare import commands, read_description
from trix.errors import TrixError

PAGE = Path(__file__).parents[3] / "docs" / "datasets.md"
MEASURES, SYSTEMS = ("AP", "RR", "P@10"), ("bm25", "standard")


def main(words: Sequence[str] | None = None) -> int:
    """Read the command line, measure the folders, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="scripts/prove datasets", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="+", help="a prepared data set")
    parser.add_argument("--check", action="store_true", help="compare with the page instead of writing it")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page [default: docs/datasets.md]")
    given = parser.parse_args(words)
    page, different = given.page.read_text(encoding="utf-8"), []
    try:
        for folder in given.folder:
            described = read_description(folder)
            name, block = described["name"], section(folder, described)
            there = between(page, name)
            if there is None:
                raise TrixError(f"{given.page}: no comments <!-- {name} --> and <!-- end of {name} --> are there")
            print(f"{name}: {'the same' if there == block else 'different'}")
            different += [name] if there != block else []
            page = page.replace(marked(name, there), marked(name, block))
    except TrixError as error:
        print(f"datasets: {error}", file=sys.stderr)
        return 2
    if given.check:
        return 1 if different else 0
    given.page.write_text(page, encoding="utf-8")
    return 0


def marked(name: str, block: str) -> str:
    """Return a block between its comments."""
    return f"<!-- {name} -->\n{block}<!-- end of {name} -->"


def between(page: str, name: str) -> str | None:
    """Return what stands between the comments of a data set; None without them."""
    found = re.search(f"<!-- {re.escape(name)} -->\n(.*?)<!-- end of {re.escape(name)} -->", page, re.DOTALL)
    return found[1] if found else None


def section(folder: Path, described: dict[str, Any]) -> str:
    """Return the commands of a data set, and a table with a row for each part."""
    rows = []
    for part in described["parts"]:
        values = measured(folder, described, part)
        counts = part["counts"]
        cells = [f"{counts[key]:,}" if key in counts else "" for key in ("documents", "topics", "elements", "passages")]
        cells += [f"{values[system][measure]:.4f}" for measure in MEASURES for system in SYSTEMS]
        rows.append(f"| {part['name'] or 'all'} | {' | '.join(cells)} |\n")
        print(f"{described['name']} {part['name']}: {values}", file=sys.stderr)
    lines = "".join(f"$ {line}\n" for line in commands(described, described["parts"][0]))
    heads = " | ".join(f"{measure} {system}" for measure in MEASURES for system in ("BM25", "`standard`"))
    table = f"| part | documents | topics | elements | passages | {heads} |\n|---|{'---:|' * 10}\n{''.join(rows)}"
    digests = "".join(f"{digest}  {name}\n" for name, digest in described["sha256"].items())
    return f"\n```text\n{lines}```\n\n{table}\n```text\n{digests}```\n\n"


def measured(folder: Path, described: dict[str, Any], part: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Give the commands of a part and return system -> measure -> mean over topics."""
    with tempfile.TemporaryDirectory(prefix="trix-datasets-") as scratch:
        out = ""
        for line in commands(described, part, f"{scratch}/"):
            words = [sys.executable, "-m", "trix", *shlex.split(line)[1:]]
            words += ["--format", "json"] if words[3] == "eval" else []
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
            if done.returncode not in (0, 3):
                raise TrixError(f"{folder}: {line}: {done.stderr.strip()}")
            out = done.stdout
    found: dict[str, dict[str, float]] = {}
    for run in json.loads(out)["runs"]:
        found[run["run"]] = {name: value["mean"] for name, value in run["measures"].items()}
    return found


if __name__ == "__main__":
    sys.exit(main())
