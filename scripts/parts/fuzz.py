#!/usr/bin/env python3
"""Ask an index random queries: each gives a result or a QueryError, within two seconds, or the script fails.

scripts/fuzz my.index --queries 100000 --seed 1
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import trix
from trix.errors import QueryError
from trix.indexer.store.files import IndexFiles

SIGNS = [
    "+",
    "-",
    "*",
    "?",
    "~",
    "~2",
    "^2",
    "^0.5",
    "(",
    ")",
    "|",
    '"',
    '"~8',
    " ",
    " ",
    " ",
    "AND ",
    "NOT ",
    "^",
    ".",
]
STRUCTURE = ["//*[about(., ", "//p[about(.//*, ", ")]", "] or [", " and about(., "]
SLOWEST = 2.0


def queries(words: list[str], seed: int) -> Iterator[str]:
    """Yield queries: words of the index, some of them mistyped, among signs."""
    chance = random.Random(seed)
    while True:
        parts = [chance.choice(STRUCTURE[:2])] if chance.random() < 0.2 else [""]
        for _ in range(chance.randint(1, 6)):
            word = chance.choice(words)
            if chance.random() < 0.3:
                at = chance.randrange(len(word))
                word = word[:at] + chance.choice(["", "*", "?", "x", "~"]) + word[at + chance.randint(0, 1) :]
            before, after = (chance.choice(SIGNS) if chance.random() < 0.2 else "" for _ in range(2))
            parts += [before, word, after, " "]
        if parts[0] in STRUCTURE and chance.random() < 0.9:
            parts.append(STRUCTURE[2])
        yield "".join(parts)


def main() -> int:
    """Ask, count, and print what was against the rules."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__)
    parser.add_argument("index")
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    slowest, bad = (0.0, ""), 0
    options: list[dict[str, Any]] = [{}, {"operators": "boolean", "signs": "must"}, {"phrases": "exact"}]
    with trix.open(asked.index) as index:
        words = list(IndexFiles(asked.index).words.fitting("*"))
        for number, query in zip(range(asked.queries), queries(words, asked.seed), strict=False):
            began = time.perf_counter()
            try:
                counts["results" if len(index.search(query, **options[number % len(options)])) else "no results"] += 1
            except QueryError:
                counts["query errors"] += 1
            except Exception as error:
                bad += 1
                print(f"{query!r}: {type(error).__name__}: {error}", file=sys.stderr)
            seconds = time.perf_counter() - began
            slowest = max(slowest, (seconds, query))
            if seconds > SLOWEST and number:  # the first one opens files
                bad += 1
                print(f"{query!r}: {seconds:.1f} s", file=sys.stderr)
    print(
        ", ".join(f"{count:,} {what}" for what, count in counts.items()),
        f"; slowest {slowest[0]:.2f} s: {slowest[1]!r}",
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
