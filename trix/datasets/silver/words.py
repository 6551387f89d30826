"""Topics derived from the structure of documents: titles that tell enough, that occur once, and draws of them."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from trix.indexer.words.analyzer import read_stopwords

Item = TypeVar("Item")

SEED, MOST, FEWEST, WORDS = 1, 500, 40, 3
"""Seed of draws, topics of a collection at most and at least, and telling words of a topic."""


@dataclass(frozen=True)
class SilverTopic:
    """A query and the units, document id and path, that answer it."""

    words: str
    units: tuple[str, ...]


def drawn(items: Sequence[Item], most: int = MOST, seed: int = SEED) -> list[Item]:
    """Return at most `most` items, drawn by a seed, in their order."""
    if len(items) <= most:
        return list(items)
    return [items[place] for place in sorted(random.Random(seed).sample(range(len(items)), most))]


STOPPED = frozenset(read_stopwords("default"))
_NUMBER = re.compile(r"[ivxlcdm]+|\w*\d\w*")
_NUMBERED = frozenset(
    (
        "act", "appendix", "article", "book", "canto", "chap", "chapter", "div", "fig", "figure", "letter", "lib",
        "number", "numb", "part", "psalm", "scene", "sect", "section", "table", "vol", "volume",
    )
)  # fmt: skip


def telling(words: str) -> list[str]:
    """Return the telling words of a text: no stop words, numbers, single letters or names of divisions.

    >>> telling("CHAPTER XIV. Of the jealousy of Trade, 1751")
    ['jealousy', 'trade']
    """
    return [word for word in normal(words).split() if tells(word)]


def tells(word: str) -> bool:
    """Return whether a normalised word tells what a text is about."""
    return len(word) > 1 and word not in STOPPED and word not in _NUMBERED and not _NUMBER.fullmatch(word)


def normal(text: str) -> str:
    """Return the words of a text in lower case, without punctuation; spellings of one title have the same.

    >>> normal("UCSF Chimera--a visualization system.")
    'ucsf chimera a visualization system'
    """
    folded = unicodedata.normalize("NFKC", text.replace("\u2223", "")).casefold()
    return " ".join(re.findall(r"\w+", folded))


def once(titled: Iterable[tuple[str, SilverTopic]], words: int = WORDS) -> list[SilverTopic]:
    """Return the topics whose title is there once and has enough telling words.

    Parameters
    ----------
    titled
        All titles of the collection, each with its topic. A topic without units counts, too.
    words
        Telling words, at least.
    """
    found: dict[str, list[SilverTopic]] = {}
    for title, topic in titled:
        found.setdefault(normal(title), []).append(topic)
    return [
        topics[0]
        for topics in found.values()
        if len(topics) == 1 and topics[0].units and len(telling(topics[0].words)) >= words
    ]


def enough(titled: Sequence[tuple[str, SilverTopic]]) -> list[SilverTopic]:
    """Return at most `MOST` topics: with 3 telling words, or with 2 where too few have 3."""
    topics = once(titled)
    return drawn(topics if len(topics) >= FEWEST else once(titled, WORDS - 1))
