#!/usr/bin/env python3
"""Time searches beside tantivy's, over the same units with the same words, in one open process.

    pip install tantivy
    scripts/bench tantivy [COLLECTION] [--queries FOLDER] [--index INDEX] [--repeat 5] [--json]

The units are the content elements of a Trix index (generic, no stemming, no stop list), which is built first unless one
is given; tantivy gets the words of each, as Trix folds them, with their positions, in one segment. Both are asked the
topics ``co`` of the files ``*.tsv`` of FOLDER for the first 10 and the first 1500, in turns, by one thread each: Trix
ranks all elements, in their context (root+tower) and without context; tantivy ranks the units by BM25. Both end with
lists of scores, document ids and paths. Trix makes its paths as they are asked for; tantivy reads a number from a fast
field, by which a list in memory has the rest, and a second time a stored text. COLLECTION and FOLDER default to the
shared data beside the checkout (or under ``TRIX_DATA``).
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import trix
from scripts.parts.bench.common import QUERIES, ask_queries

TOPS = (10, 1500)
MEMORY = 1 << 30
"""Bytes that tantivy may hold while it indexes: enough for one segment."""

Ask = Callable[[str, int], object]


def main() -> int:
    """Run the benchmark."""
    try:
        import tantivy  # noqa: F401
    except ImportError:
        print("scripts/bench tantivy: skipped, since tantivy is not there: pip install tantivy", file=sys.stderr)
        return 0
    return ask_queries("scripts/bench tantivy", __doc__, 0, build, measure, table, queries=QUERIES.parent)


def build(collection: Path, index: Path) -> None:
    """Build the index of Trix."""
    trix.build(collection, index, profile="generic", stem="none", stop="none")


def measure(index: str, asked: argparse.Namespace) -> dict[str, Any]:
    """Ask all topics in several rounds, of which the first warms up."""
    from importlib.metadata import version

    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "date": time.strftime("%Y-%m-%d")}
    found: dict[str, Any] = {"machine": machine | {name: version(name) for name in ("tantivy",)}}
    with trix.open(index) as opened, tempfile.TemporaryDirectory(prefix="trix-bench-") as scratch:
        other, addresses = tantivy_of(opened, scratch)
        found["units"], found["queries"] = len(addresses), {}
        ways = {**by_trix(opened), **by_tantivy(other, opened.files.analyzer.words, addresses)}
        for file in sorted(Path(asked.queries).glob("*.tsv")):
            rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
            topics = [row[2] for row in rows if row[0] == "co"]
            for top in TOPS:
                found["queries"][f"{file.stem} top {top}"] = in_turn(ways, topics, top, asked.repeat)
    return found


def tantivy_of(opened: Any, folder: str) -> tuple[Any, list[tuple[str, str]]]:
    """Return an index of tantivy over the content elements of an index, and the id and the path of each of them."""
    import tantivy

    schema = tantivy.SchemaBuilder()
    schema.add_text_field("words", tokenizer_name="white", index_option="position")
    schema.add_integer_field("number", fast=True)
    schema.add_bytes_field("address", stored=True)
    index = tantivy.Index(schema.build(), path=folder)
    index.register_tokenizer("white", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    writer = index.writer(MEMORY, 1)
    files, addresses = opened.files, list[tuple[str, str]]()
    elements = np.arange(files.totals["elements"])
    files.elements.structure_of_elements(elements)
    elements = elements[files.elements.is_content[elements]]
    for document, first in enumerate(files.first_contents.tolist()):
        read = opened.now.viewer.texts.document(document)
        names = opened.now.namer.all_names(elements[first : first + read.contents])
        for content, (doc, path) in enumerate(zip(names.docs, names.paths, strict=True)):
            words = " ".join(files.analyzer.words(read.stretch(content)[0]))
            address = f"{doc}\t{path}".encode()
            writer.add_document(tantivy.Document(words=words, number=len(addresses), address=address))
            addresses.append((doc, path))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    check(opened, index)
    return index, addresses


def check(opened: Any, index: Any) -> None:
    """Refuse to measure unless both hold some words in the same numbers of units."""
    for word in ("of", "cell", "protein", "brain"):
        ours, theirs = opened.files.postings(word)[0].size, index.searcher().doc_freq("words", word)
        if ours != theirs:
            raise SystemExit(f"scripts/bench tantivy: {word} is in {ours:,} units of trix and in {theirs:,} of tantivy")


def by_trix(opened: Any) -> dict[str, Ask]:
    """Searches of Trix by their names: in context, and without."""

    def ask(query: str, top: int, context: str = "root+tower") -> object:
        found = opened.search(query, preset="study", context=context, strategy="thorough", top=top)
        return found.scores.tolist(), found.docs, found.paths

    return {"trix": ask, "trix, no context": partial(ask, context="none")}


def by_tantivy(index: Any, words: Callable[[str], list[str]], addresses: list[tuple[str, str]]) -> dict[str, Ask]:
    """Return what asks tantivy for numbers, and for stored texts."""
    searcher = index.searcher()
    if searcher.num_segments != 1:
        raise SystemExit(f"scripts/bench tantivy: tantivy made {searcher.num_segments} segments where one was expected")

    def hits(query: str, top: int) -> Any:
        return searcher.search(index.parse_query(" ".join(words(query)), ["words"]), top, count=False).hits

    def numbers(query: str, top: int) -> object:
        found = hits(query, top)
        read = searcher.fast_field_values("number", [address for _, address in found])
        return [score for score, _ in found], [addresses[number] for number in read]

    def stored(query: str, top: int) -> object:
        found = hits(query, top)
        return [score for score, _ in found], [searcher.doc(address)["address"][0] for _, address in found]

    return {"tantivy": numbers, "tantivy, stored": stored}


def in_turn(ways: dict[str, Ask], topics: list[str], top: int, repeat: int) -> dict[str, float]:
    """Return the median milliseconds of each way, and the ratios of Trix to tantivy."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(repeat + 1):
        for name, ask in ways.items():  # query by query the second would find in the cache what the first has read
            for query in topics:
                began = time.perf_counter()
                ask(query, top)
                took = time.perf_counter() - began
                if turn:
                    times[name].append(1000 * took)
    found = {name: median(each) for name, each in times.items()}
    ours = [name for name in ways if name.startswith("trix")]
    return found | {
        f"{our} by {other}": found[our] / found[other] for our in ours for other in ways if other not in ours
    }


def table(found: dict[str, Any]) -> str:
    """Return the figures for people."""
    lines = [", ".join(f"{key} {value}" for key, value in found["machine"].items()), f"{found['units']:,} units"]
    for name, figures in found["queries"].items():
        lines.append(name)
        lines += [f"  {key:<28} {value:10.3f}" for key, value in figures.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
