"""Count how far one search walks through the modules of the package.

    scripts/bench walks [--query QUERY]... [--preset NAME] [--path] [--json]

Forty tiny documents are indexed in memory of this process. Each query is asked seven times. During the seventh search
`sys.setprofile` records every call of a Python function of ``trix``; compiled functions do not count.

calls     Python functions of trix that were entered
modules   modules that these functions are defined in
moves     calls whose module is not that of the call before
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import trix

QUERIES = {
    "plain": "tree image",
    "one minus": "tree -image",
    "structured": "//sec[about(., tree edit)]//p[about(., distance)]",
}
WORDS = ["tree", "image", "edit", "distance", "graph", "query", "index", "term", "score", "path", "node", "label"]


class Walk(NamedTuple):
    """What was counted during one search."""

    calls: int
    modules: int
    moves: int
    path: list[str]


def collection(folder: Path, seed: int = 1) -> None:
    """Write forty small articles with sections and paragraphs into a folder."""
    chance = random.Random(seed)
    for number in range(40):
        sections = []
        for _ in range(3):
            paragraphs = "".join(f"<p>{' '.join(chance.choices(WORDS, k=12))}</p>" for _ in range(3))
            sections.append(f"<sec><title>{' '.join(chance.choices(WORDS, k=2))}</title>{paragraphs}</sec>")
        (folder / f"{number:02}.xml").write_text(f"<article>{''.join(sections)}</article>", encoding="utf-8")


def walk(index: trix.Index, query: str, preset: str) -> Walk:
    """Return the counts of the seventh search for a query."""
    for _ in range(6):
        list(index.search(query, preset=preset))
    calls, path = 0, list[str]()

    def profile(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        module = frame.f_globals.get("__name__", "")
        if event != "call" or module.partition(".")[0] != "trix":
            return
        calls += 1
        if not path or path[-1] != module:
            path.append(module)

    sys.setprofile(profile)
    try:
        index.search(query, preset=preset)
    finally:
        sys.setprofile(None)
    return Walk(calls, len(set(path)), len(path) - 1, path)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench walks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--query", action="append", help="a query [default: plain words, a minus sign, structured]")
    parser.add_argument("--preset", default="study")
    parser.add_argument("--path", action="store_true", help="print the modules in the order of the walk")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    queries = {query: query for query in asked.query} if asked.query else QUERIES
    with tempfile.TemporaryDirectory(prefix="trix-walks-") as scratch:
        (Path(scratch) / "xml").mkdir()
        collection(Path(scratch) / "xml")
        trix.build(Path(scratch) / "xml", Path(scratch) / "index", positions=True)
        with trix.open(Path(scratch) / "index") as index:
            found = {name: walk(index, query, asked.preset) for name, query in queries.items()}
    if asked.json:
        print(json.dumps({name: each._asdict() for name, each in found.items()}, indent=1))
        return 0
    print(f"{'query':<12}{'moves':>8}{'modules':>9}{'calls':>8}")
    for name, each in found.items():
        print(f"{name:<12}{each.moves:>8}{each.modules:>9}{each.calls:>8}")
        if asked.path:
            print(*(f"    {module}" for module in each.path), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
