"""Captions of figures as topics: the words of a caption ask for the paragraphs that refer to its figure.

Captions are not searched. A figure without a title is asked for by the first sentence of its caption.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from trix.datasets.silver.citations import referring
from trix.datasets.silver.words import SilverTopic, enough, telling
from trix.datasets.sources.trees import Element, children, documents, named, path, text

PROFILE = """\
# The text of articles without captions and references.
name = "captions"
extends = "generic"
drop = ["...", "ref-list", "caption"]
"""

_SENTENCE = re.compile(r"(?<=[.?!])\s")


def topics(folder: Path) -> list[SilverTopic]:
    """Return the captions of a JATS collection that are there once, as topics."""
    return enough([pair for doc, root in documents(folder) for pair in titled(doc, root)])


def titled(doc: str, root: Element) -> Iterator[tuple[str, SilverTopic]]:
    """Yield each figure's title with the paragraphs that refer to it."""
    paragraphs: dict[str, dict[str, None]] = defaultdict(dict)
    for paragraph, targets in referring(root, "fig"):
        for target in targets:
            paragraphs[target][doc + path(paragraph)] = None
    for figure in named(root, ["fig"]):
        title = caption_title(figure)
        if telling(title):
            yield title, SilverTopic(title, tuple(paragraphs.get(figure.get("id", ""), ())))


def caption_title(figure: Element) -> str:
    """Return the title of a figure's caption, or the first sentence of its text."""
    for caption in children(figure, "caption"):
        for title in children(caption, "title"):
            if telling(text(title)):
                return text(title)
        for paragraph in children(caption, "p"):
            return _SENTENCE.split(text(paragraph))[0]
    return ""
