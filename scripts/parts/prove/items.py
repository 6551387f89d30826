"""Ask for what is known to be there: titles of sections that occur once, numbers, ids and values of fields.

Of each collection so many titles are drawn, and asked as they are, with one typo in one word of at least 5 letters, and
with half of the words. Printed is MRR@10 of the section that has the title, by the default search and by plain BM25 (k1
0.9, B 0.4, no context, the same filters), and as a share of the ceiling: how many of the sections can be returned at
all, that is, are among all results of the default search without a limit. The goals are 90 % of the ceiling, 85 % with
a typo and 60 % with half of the words.

The second table asks for numbers of sections, ids of elements, ids of documents, and values of fields that one document
has. The answer is the element; of a document and of a value any result in the document.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import trix
from scripts.parts.bench.common import DATA, missing
from scripts.parts.prove.makers import unpacked_once
from scripts.parts.prove.measure import kept
from scripts.parts.prove.titles import ids, numbers, single, titles
from scripts.parts.prove.typos import with_half, with_typo
from trix.datasets.silver.words import SilverTopic, drawn, normal
from trix.errors import QueryError
from trix.lab.run.units import UnitNumbers
from trix.query.display.results import Results

FIRST = 10
GOALS = {"as it is": 0.90, "one typo": 0.85, "half": 0.60}
WAYS: Mapping[str, Callable[[str], str]] = {"as it is": lambda title: title, "one typo": with_typo, "half": with_half}
PLAIN: Mapping[str, Any] = {
    "model": "bm25", "k1": 0.9, "B": 0.4, "statistics": "content", "context": "none",
    "known_items": False, "spelling": "keep",
}  # fmt: skip
WITHOUT_LIMIT: Mapping[str, Any] = {"top": None, "strategy": "thorough", "per_document": "all", "spread": "all"}


@dataclass(frozen=True)
class Known:
    """What is measured on a collection.

    Parameters
    ----------
    collection, titles, ceiling
        The name, how many titles were asked, and the share of sections that can be returned.
    by_default, by_bm25
        Way of asking -> MRR@10.
    others
        What is asked for -> queries and MRR@10.
    """

    collection: str
    titles: int
    ceiling: float
    by_default: Mapping[str, float]
    by_bm25: Mapping[str, float]
    others: Mapping[str, tuple[int, float]]


def main() -> int:
    """Read the command line, measure, and print; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="scripts/prove items", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collections", nargs="*", help="folders or tar archives [default: all of the shared ones]")
    parser.add_argument("--only", default="", help="parts of names of collections, with commas between")
    parser.add_argument("--queries", type=int, default=100, help="titles a collection [default: 100]")
    parser.add_argument("--seed", type=int, default=1, help="of the draw [default: 1]")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "trix-prove", help="for indexes")
    parser.add_argument("--show", action="store_true", help="the titles that were missed, too")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    shared = [each for each in sorted((DATA / "collections").glob("*.tar.xz")) if "-raw-" not in each.name]
    collections = [Path(name) for name in given.collections] or shared
    if missing("items", *(collections or [DATA / "collections"])):
        return 2
    parts = given.only.split(",")
    chosen = [each for each in collections if any(part in each.name for part in parts)]
    rows = []
    for each in chosen:
        rows.append(known(each, given.cache, given.queries, given.seed, given.show))
        print(f"items: {table(rows[-1:]).splitlines()[-1]}", file=sys.stderr, flush=True)
    print(json.dumps([asdict(row) for row in rows], indent=1) if given.json else f"{table(rows)}\n\n{others(rows)}")
    return 0


def known(collection: Path, cache: Path, count: int, seed: int, show: bool) -> Known:
    """Measure a collection."""
    name = collection.name.partition(".")[0]
    folder = collection if collection.is_dir() else unpacked_once(collection, cache / "collections")
    with kept(name, folder, cache / "indexes") as index:
        topics = drawn(titles(folder), count, seed)
        ceiling = [topic for topic in topics if returnable(index, topic)]
        asked = {
            way: [SilverTopic(change(topic.words), topic.units) for topic in topics] for way, change in WAYS.items()
        }
        by_default = {way: mrr(index, queries, show=show and way) for way, queries in asked.items()}
        by_bm25 = {way: mrr(index, queries, PLAIN) for way, queries in asked.items()}
        few = max(1, count // 4)
        rest: dict[str, tuple[int, float]] = {}
        for kind, wanted in wanted_of(index, folder):
            some = drawn(wanted, few, seed)
            if some:
                rest[kind] = len(some), mrr(index, some, show=show and kind)
    share = len(ceiling) / len(topics) if topics else 0.0
    return Known(name, len(topics), share, by_default, by_bm25, rest)


def wanted_of(index: trix.Index, folder: Path) -> Iterator[tuple[str, list[SilverTopic]]]:
    """Yield what else is asked for: numbers, ids, documents, and values that one document has, by field."""
    yield "numbers", numbers(folder)
    yield "ids", ids(folder)
    names = [index.files.ids[number] for number in range(len(index.files.ids))]
    yield "documents", [SilverTopic(name, (name,)) for name in names]
    values: dict[str, list[tuple[str, str]]] = {}
    for number, name in enumerate(names):
        for field, value in index.fields.of(number).items():
            for one in value if isinstance(value, list) else [value]:
                values.setdefault(field, []).append((str(one), name))
    for field, pairs in values.items():
        if Counter(len(normal(words).split()) > 1 for words, _ in pairs)[True] > len(pairs) / 2:
            yield f"field {field}", single(pairs)


def mrr(
    index: trix.Index, topics: Sequence[SilverTopic], options: Mapping[str, Any] | None = None, show: str | bool = ""
) -> float:
    """Return MRR@10; a unit without a path stands for all of its document."""
    total = 0.0
    for topic in topics:
        results = found(index, topic.words, {"top": FIRST, **(options or {})})
        rank = next((place for place, each in enumerate(results, 1) if answers(topic, each.doc, each.path)), 0)
        total += 1 / rank if rank else 0
        if show and rank != 1:
            first = f"{results[0].doc}{results[0].path}" if len(results) else "nothing"
            print(
                f"-- {show}: {topic.words}\n   rank {rank}, first {first}\n   wanted {topic.units[0]}", file=sys.stderr
            )
    return total / len(topics) if topics else 0.0


def answers(topic: SilverTopic, doc: str, path: str) -> bool:
    """Whether a result answers a topic."""
    return doc + path in topic.units or doc in topic.units


def returnable(index: trix.Index, topic: SilverTopic) -> bool:
    """Whether the answer is among all results of the default search without a limit."""
    wanted = list(UnitNumbers(index.files).numbers(topic.units).values())
    return bool(wanted) and bool(np.isin(wanted, found(index, topic.words, WITHOUT_LIMIT).elements).any())


def found(index: trix.Index, words: str, options: Mapping[str, Any]) -> Results:
    """Return the results of a query; none where it does not parse, which counts as a miss."""
    try:
        return index.search(words, **options)
    except QueryError as error:
        print(f"items: {error}", file=sys.stderr)
        return Results()


def table(rows: Sequence[Known]) -> str:
    """Return MRR@10 by way of asking, with the shares of the ceiling, in Markdown."""
    ways = list(WAYS)
    lines = [
        "| collection | titles | ceiling | " + " | ".join(f"{way} | BM25" for way in ways) + " |",
        "|---|---:|---:|" + "---:|---:|" * len(ways),
    ]
    for row in rows:
        cells = " | ".join(
            f"{row.by_default[way]:.3f} {goal(row.by_default[way], row.ceiling, GOALS[way])} | {row.by_bm25[way]:.3f}"
            for way in ways
        )
        lines.append(f"| {row.collection} | {row.titles} | {row.ceiling:.2f} | {cells} |")
    return "\n".join(lines)


def goal(value: float, ceiling: float, wanted: float) -> str:
    """Return the share of the ceiling, in bold where it reaches the goal.

    >>> goal(0.45, 0.5, 0.9), goal(0.4, 0.5, 0.9)
    ('**90 %**', '80 %')
    """
    share = value / ceiling if ceiling else 0.0
    return f"**{100 * share:.0f} %**" if share >= wanted else f"{100 * share:.0f} %"


def others(rows: Sequence[Known]) -> str:
    """Return MRR@10 of numbers, ids, documents and fields in Markdown, a line each."""
    lines = ["| collection | asked for | queries | MRR@10 |", "|---|---|---:|---:|"]
    for row in rows:
        lines += [f"| {row.collection} | {kind} | {n} | {value:.3f} |" for kind, (n, value) in row.others.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
