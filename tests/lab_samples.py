"""A small collection with topics and assessments for the tests of the laboratory."""

from __future__ import annotations

import random
from pathlib import Path

import trix

WORDS = (
    "tree", "edit", "distance", "xml", "retrieval", "context", "element", "passage", "query", "index", "label", "path",
    "score", "weight",
)  # fmt: skip


def article(number: int, seed: int = 0) -> str:
    """Return an article about two of the words, and a little of all."""
    generator = random.Random(number + 1000 * seed)
    theme = [WORDS[number % len(WORDS)], WORDS[(number * 5 + 3) % len(WORDS)]]
    sections = []
    for s in range(3):
        paragraphs = [
            " ".join(generator.choice(theme if generator.random() < 0.45 - 0.1 * s else WORDS) for _ in range(count))
            for count in (9, 13, 17, 21)
        ]
        sections.append(f"<sec><title>{theme[s % 2]}</title>{''.join(f'<p>{text}.</p>' for text in paragraphs)}</sec>")
    return f"<article><title>{' '.join(theme)}</title><body>{''.join(sections)}</body></article>"


def make(folder: Path, seed: int = 0) -> Path:
    """Write an index, topics and judgements into a folder: relevant are the paragraphs of articles on the word."""
    docs = folder / "docs"
    docs.mkdir()
    for number in range(28):
        (docs / f"a{number:02d}.xml").write_text(article(number, seed))
    trix.build(docs, folder / "a.index", profile="generic", stem="none", stop="none", jobs=1)
    topics, qrels = [], []
    for t, word in enumerate(WORDS):
        topics.append(f"{t + 1}\t{word} {WORDS[(t * 5 + 3) % len(WORDS)]}\n")
        for number in range(28):
            if number % len(WORDS) == t:
                qrels += [
                    f"{t + 1} 0 a{number:02d}/article[1]/body[1]/sec[{s}]/p[{p}] {1 + (s == 1)}\n"
                    for s in (1, 2)
                    for p in (1, 2, 3)
                ]
    qrels.append("2 0 a99/article[1]/p[1] 1\n")
    (folder / "topics.tsv").write_text("".join(topics) + "15\tnothing judged\n")
    (folder / "qrels").write_text("".join(qrels))
    return folder


EXPERIMENT = """
title = "A small experiment"
measures = ["AP", "nDCG@10", "P@5"]
sizes = 20

[collection]
name = "small"
index = "a.index"
topics = "topics.tsv"
qrels = "qrels"

[options]
level = "content"

[[family]]
name = "vertical"
context = "hierarchy:x={x},f={f}"
grid.x = [-1, 0, 1]
grid.f = { from = 0.5, to = 1.5, by = 0.5 }

[[family]]
name = "root"
context = "root:{w}"
grid.w = [0.5, 1, 2]

[[family]]
name = "b"
grid.b = [0.1, 0.4, 0.9]

[split]
kind = "halves"
"""
