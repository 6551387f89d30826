"""How well answers can be read: their sizes, what they are, how many of one document; with each preset of options.

For each collection an index is built, with the profile that is picked by itself and with the generic one, and 24
queries are asked: two to four words that stand together in a passage, drawn by rule with a fixed seed, in turn from
the rarer half of its words and from the others. Of the first ten results are printed the median number of characters,
the share above 12,000 and below 80, the share of headers, references and navigation (what the profile that was picked
calls quiet), and the greatest number of results of one document.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import trix
from scripts.parts.bench.common import DATA, missing, unpacked
from trix.indexer.profile.profile import Profile
from trix.support.element_path import read_step, steps

LARGE, SMALL, TOP = 12_000, 80, 10
PASSAGE = range(100, 3000)
"""How many characters a passage has that gives a query."""


def main() -> int:
    """Read the command line, measure, and print; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="scripts/prove readable", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collections", nargs="*", help="folders or tar archives [default: all of the shared ones]")
    parser.add_argument("--queries", type=int, default=24, help="queries a collection [default: 24]")
    parser.add_argument("--seed", type=int, default=1, help="of the draw [default: 1]")
    parser.add_argument("--profile", choices=("auto", "generic", "both"), default="both", help="[default: both]")
    parser.add_argument("--show", action="store_true", help="the queries and their first results, too")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    collections = [Path(name) for name in given.collections] or sorted((DATA / "collections").glob("*.tar.xz"))
    if missing("readable", *(collections or [DATA / "collections"])):
        return 2
    profiles = ("auto", "generic") if given.profile == "both" else (given.profile,)
    found: list[dict[str, Any]] = []
    if not given.json:
        print(HEAD)
    for collection in collections:
        for row in measured(collection, profiles, given.queries, given.seed, given.show):
            found.append(row)
            if not given.json:
                print(line(row), flush=True)
    if given.json:
        print(json.dumps(found, indent=1))
    return 0


def measured(
    collection: Path, profiles: Sequence[str], count: int, seed: int, show: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield what is measured on a collection: a row a profile and preset."""
    with tempfile.TemporaryDirectory(prefix="trix-readable-") as scratch:
        folder = unpacked(collection, Path(scratch))
        judge: Profile | None = None
        asked: list[str] = []
        for profile in dict.fromkeys(("auto", *profiles)):
            path = Path(scratch) / f"{profile}.index"
            trix.build(folder, path, profile=profile)
            with trix.open(path) as index:
                judge = judge or index.files.profile
                asked = asked or queries(index, judge, count, random.Random(seed))
                for preset in ("study", "reading") if profile in profiles else ():
                    name = collection.name.partition(".")[0]
                    profile_name = index.files.profile.name
                    row = {"collection": name, "profile": profile_name, "preset": preset}
                    yield {**row, **figures(index, asked, preset, judge, show)}


def queries(index: trix.Index, judge: Profile, count: int, draw: random.Random) -> list[str]:
    """Return words that stand together in passages, which are neither the most frequent nor alone."""
    table = index.files.elements
    table.everything()
    made: dict[str, None] = {}
    for _ in range(200 * count):
        if len(made) == count:
            break
        number = draw.randrange(table.length.size)
        if int(table.length[number]) not in PASSAGE:
            continue
        passage = index.now.named(np.array([number], np.int32), np.zeros(1), 1)[0]
        words = [word for word in passage.text.split() if word.isalpha() and word.islower() and len(word) > 4]
        often = {word: held(index, word) for word in dict.fromkeys(words)}
        known = sorted((word for word in often if often[word] >= 5), key=lambda word: (often[word], word))
        size = draw.randint(2, 4)
        if len(known) < 2 * size or is_quiet(passage.path, judge):
            continue
        half = len(known) // 2
        chosen = set(draw.sample(known[half:] if len(made) % 2 else known[:half], size))
        made[" ".join(word for word in often if word in chosen)] = None
    return list(made)


def held(index: trix.Index, word: str) -> int:
    """Return how many content elements hold a word; 0 for a stop word."""
    return max((index.files.postings(key)[0].size for key in index.files.analyzer.keys(word)), default=0)


def is_quiet(path: str, judge: Profile) -> bool:
    """Return whether the nearest tag of a path that a profile names so is quiet; a path has no attributes."""
    quiet, loud = ({selector.tag for selector in marks if selector.is_tag} for marks in (judge.quiet, judge.loud))
    for name in (read_step(step)[0] for step in reversed(steps(path))):
        if name in quiet or name in loud:
            return name in quiet
    return False


def figures(index: trix.Index, asked: Sequence[str], preset: str, judge: Profile, show: bool) -> dict[str, Any]:
    """Return the figures of the first results of some queries."""
    lengths: list[int] = []
    quiet = most = 0
    for query in asked:
        results = index.search(query, preset=preset, top=TOP)
        lengths += [result.length for result in results]
        quiet += sum(is_quiet(result.path, judge) for result in results)
        most = max([most, *Counter(result.doc for result in results).values()])
        if show:
            print(f"-- {query} ({preset})", file=sys.stderr)
            for result in results:
                print(f"{result.length:9,} {result.doc}{result.path}", file=sys.stderr)
    share = 100 / max(len(lengths), 1)
    return {
        "queries": len(asked),
        "results": len(lengths),
        "median": median(lengths) if lengths else 0,
        "large": round(share * sum(length > LARGE for length in lengths), 1),
        "small": round(share * sum(length < SMALL for length in lengths), 1),
        "quiet": round(share * quiet, 1),
        "of one document": most,
    }


HEAD = """\
| collection | profile | preset | results | median | > 12,000 | < 80 | quiet | of one document |
|---|---|---|---:|---:|---:|---:|---:|---:|"""


def line(row: dict[str, Any]) -> str:
    """Return a row as a line of the table."""
    shares = " | ".join(f"{row[name]:.1f} %" for name in ("large", "small", "quiet"))
    names = f"{row['collection']} | {row['profile']} | {row['preset']}"
    return f"| {names} | {row['results']} | {row['median']:,.0f} | {shares} | {row['of one document']} |"


if __name__ == "__main__":
    sys.exit(main())
