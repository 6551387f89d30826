#!/usr/bin/env python3
"""Measure how much of the answers to doctors' questions fits into passages, beside retrievers of other tools.

    scripts/bench passages [FOLDER] [--index INDEX] [--characters 1000,2000,4000,16000] [--topics all|odd|even]
                           [--set NAME=VALUE]... [--without-rivals] [--json]

FOLDER has articles/, topics.tsv and qrels.txt, which names the relevant paragraphs: Evidence Inference, half of it. An
index of the articles is built with the preset jats unless one is given. Each row is a retriever. For each number of
characters it has three figures, means over the relevant paragraphs:

- whole: the share of paragraphs of which every character is in the passages;
- stretch: the chance that a stretch of 200 characters at a random place of the paragraph is in the passages whole. It
  stands for the spans that doctors marked, which lie in these paragraphs and are not given;
- share: the share of the paragraphs' characters that is in the passages.

White space does not count, nor do the headings of passages. Rivals get titles, abstracts and bodies without references,
the words and stems of the index, and fill the same number of characters: the last text is cut. LangChain's
ParentDocumentRetriever and LlamaIndex's AutoMergingRetriever find their children by the same BM25 plus document score
as the flat windows. They are left out where they are not installed: pip install langchain-classic llama-index-core.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import trix
from scripts.parts.bench.common import DATA, missing, unpacked
from scripts.parts.bench.rivals import Article, Range, rivals

FOLDER = DATA / "human" / "evidence-inference.tar.xz"

STRETCH = 200
"""Characters of a stretch that stands for a span."""


class Relevant(NamedTuple):
    """A relevant paragraph of a topic."""

    topic: str
    doc: str
    path: str


class Figures(NamedTuple):
    """How much of relevant paragraphs is in passages."""

    whole: float
    stretch: float
    share: float


Retriever = Callable[[str, int], Mapping[str, Sequence[Range]]]
"""Gives for a query and a number of characters the ranges of each document that are in the passages."""


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench passages", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--index", type=Path, help="an index of the articles; none is built")
    parser.add_argument("--characters", default="1000,2000,4000,16000")
    parser.add_argument("--topics", choices=("all", "odd", "even"), default="all", help="places in topics.tsv, from 1")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of index.passages")
    parser.add_argument("--without-rivals", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if missing("scripts/bench passages", asked.index or asked.folder, asked.folder):
        return 2
    with tempfile.TemporaryDirectory(prefix="trix-bench-") as scratch:
        folder = _folder(unpacked(asked.folder, Path(scratch)))
        index = asked.index or Path(scratch) / "bench.index"
        if not asked.index:
            trix.build(folder / "articles", index, profile="jats")
        with trix.open(index) as opened:
            found = measure(opened, folder, asked)
    print(json.dumps(found, indent=1) if asked.json else table(found))
    return 0


def _folder(unpacked: Path) -> Path:
    """Return the folder that has the topics: the one that was unpacked, or the only one in it."""
    return unpacked if (unpacked / "topics.tsv").exists() else next(unpacked.glob("*/topics.tsv")).parent


def measure(opened: trix.Index, folder: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of all retrievers."""
    topics, relevant = read_topics(folder, asked.topics), read_relevant(folder)
    relevant = [each for each in relevant if each.topic in topics]
    sizes = [int(size) for size in asked.characters.split(",")]
    texts: dict[str, str] = {}
    settings = {name: _value(text) for name, text in (each.split("=", 1) for each in asked.set)}
    rows: dict[str, dict[int, Figures]] = {}
    own = {each: _own_place(opened, texts, each) for each in relevant}
    rows["index.passages"] = _figures(_passages(opened, settings), topics, sizes, relevant, own, texts)
    if not asked.without_rivals:
        articles = [Article.read(path) for path in sorted((folder / "articles").glob("*.xml"))]
        flat = {each.doc: each for each in articles}
        theirs = {each: flat[each.doc].paragraphs[each.path] for each in relevant}
        flat_texts = {each.doc: each.text for each in articles}
        for name, retriever in rivals(articles, opened.files.analyzer.keys):
            rows[name] = _figures(retriever, topics, sizes, relevant, theirs, flat_texts)
    return {"topics": len(topics), "paragraphs": len(relevant), "characters": sizes, "settings": settings, "rows": {
        name: {size: each._asdict() for size, each in of.items()} for name, of in rows.items()
    }}  # fmt: skip


def read_topics(folder: Path, which: str) -> dict[str, str]:
    """Return the questions by topic: all of them, or those at odd or even places."""
    lines = (folder / "topics.tsv").read_text(encoding="utf-8").splitlines()
    rows = [(topic, question) for topic, question in (line.split("\t", 1) for line in lines if line.strip())]
    begin, step = {"all": (0, 1), "odd": (0, 2), "even": (1, 2)}[which]
    return dict(rows[begin::step])


def read_relevant(folder: Path) -> list[Relevant]:
    """Return the relevant paragraphs."""
    found = []
    for line in (folder / "qrels.txt").read_text(encoding="utf-8").splitlines():
        topic, _, unit, _ = line.split()
        doc, _, path = unit.partition("/")
        found.append(Relevant(topic, doc, f"/{path}"))
    return found


def _own_place(opened: trix.Index, texts: dict[str, str], relevant: Relevant) -> Range:
    """Return where a paragraph is in its document's text as the index counts it."""
    if relevant.doc not in texts:
        texts[relevant.doc] = opened.show(relevant.doc, raw=True)
    element = opened.now.viewer.element(relevant.doc + relevant.path)
    opened.files.elements.printed_of(np.array([element]))
    begin = int(opened.files.elements.start[element])
    return begin, begin + int(opened.files.elements.length[element])


def _passages(opened: trix.Index, settings: dict[str, Any]) -> Retriever:
    def retrieve(query: str, characters: int) -> dict[str, list[Range]]:
        found: dict[str, list[Range]] = defaultdict(list)
        for each in opened.passages(_plain(query), characters, **settings):
            found[each.doc].append((each.offset, each.offset + each.length))
        return found

    return retrieve


def _value(text: str) -> str | float:
    """Return a number, or the text that is none."""
    try:
        return float(text)
    except ValueError:
        return text


def _plain(query: str) -> str:
    """Return a query without signs and operators: a question is words alone."""
    return " ".join(word.lower() for word in "".join(c if c.isalnum() else " " for c in query).split())


def _figures(
    retriever: Retriever, topics: Mapping[str, str], sizes: Iterable[int], relevant: Iterable[Relevant],
    places: Mapping[Relevant, Range], texts: Mapping[str, str],
) -> dict[int, Figures]:  # fmt: skip
    """Return the figures of a retriever for each number of characters."""
    of_topic: dict[str, list[Relevant]] = defaultdict(list)
    for each in relevant:
        of_topic[each.topic].append(each)
    made = {}
    for size in sizes:
        rows = []
        for topic, some in of_topic.items():
            found = retriever(_plain(topics[topic]), size)
            rows += [figures(texts[each.doc], places[each], found.get(each.doc, ())) for each in some]
        made[size] = Figures(*(sum(column) / len(column) for column in zip(*rows, strict=True)))
    return made


def figures(text: str, paragraph: Range, told: Iterable[Range], stretch: int = STRETCH) -> Figures:
    """Return how much of a paragraph is told, given the ranges of its document that are; white space does not count.

    >>> figures("one two", (0, 7), [(0, 3)], 2)
    Figures(whole=0.0, stretch=0.4, share=0.5)
    >>> figures("one two", (0, 7), [(4, 7), (0, 3)], 2)
    Figures(whole=1.0, stretch=1.0, share=1.0)
    """
    begin, end = paragraph
    known = bytearray(end - begin)
    for low, high in told:
        low, high = max(low, begin), min(high, end)
        if low < high:
            known[low - begin : high - begin] = b"\1" * (high - low)
    flags = bytes(flag for flag, letter in zip(known, text[begin:end], strict=True) if not letter.isspace())
    stretch = min(stretch, len(flags))
    places = sum(max(0, len(run) - stretch + 1) for run in flags.split(b"\0"))
    return Figures(float(all(flags)), places / (len(flags) - stretch + 1), sum(flags) / len(flags))


def table(found: dict[str, Any]) -> str:
    """Return the figures as lines."""
    sizes = found["characters"]
    head = f"{found['topics']} questions, {found['paragraphs']} relevant paragraphs; {found['settings'] or 'defaults'}"
    lines = [head, f"{'whole / stretch / share':40}" + "".join(f"{size:>20,}" for size in sizes)]
    for name, of in found["rows"].items():
        cells = (" ".join(f"{of[size][kind]:.3f}" for kind in Figures._fields) for size in sizes)
        lines.append(f"{name:40}" + "".join(f"{cell:>20}" for cell in cells))
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
