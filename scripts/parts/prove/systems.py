"""What is compared on each set: a grid of plain BM25, the presets, and the chain that is recommended."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trix.presets import PRESETS

K1, B = (0.6, 0.9, 1.2, 1.5), (0.2, 0.4, 0.75)

PLAIN: Mapping[str, Any] = {
    "preset": "study", "model": "bm25", "statistics": "level", "open_phrases": False, "context": "none",
}  # fmt: skip
"""BM25 whose statistics are those of what is searched, without context."""

RECOMMENDED: Mapping[str, Any] = {
    **PLAIN, "k1": 0.6, "B": 0.2, "idf_power": 1.5,
    "context": "cscore(k1=0.3,B=0,statistics=document):root,w=1.25>sentence:f=8",
}  # fmt: skip
"""What docs/effectiveness.md recommends."""

USUAL = "BM25 1.2/0.75"


@dataclass(frozen=True)
class System:
    """Options with a name.

    Parameters
    ----------
    name
        As it is called in tables.
    options
        Options of `Index.run`.
    plain
        Whether topics are asked as plain words, without phrases and signs.
    """

    name: str
    options: Mapping[str, Any] = field(hash=False)
    plain: bool = False

    @property
    def contextual(self) -> bool:
        """Whether context is asked for, or may be by the preset."""
        return (self.options["preset"], self.options.get("context", "none")) != ("study", "none")

    @property
    def alone(self) -> System:
        """The same model with the same parameters, without context."""
        return System(f"{self.name} without context", {**self.options, "context": "none"}, self.plain)

    def topics(self, topics: Mapping[str, str]) -> dict[str, str]:
        """Return the topics as they are asked."""
        return {key: plain(words) for key, words in topics.items()} if self.plain else dict(topics)


def grid() -> list[System]:
    """Return the plain BM25s."""
    return [System(f"BM25 {k1:g}/{b:g}", {**PLAIN, "k1": k1, "B": b}, True) for k1 in K1 for b in B]


def contextual() -> list[System]:
    """Return the systems with context: presets but for ``study``, and the recommended chain."""
    presets = [System(name, {"preset": name}) for name in PRESETS if name != "study"]
    return [*presets, System("recommended", RECOMMENDED, True)]


def systems() -> list[System]:
    """Return all systems, those without their context included."""
    return [*grid(), System("study", {"preset": "study"}), *contextual(), *(each.alone for each in contextual())]


def plain(words: str) -> str:
    """Return the words of a text, without what means something in a query.

    >>> plain('ChIP-Seq of "Drosophila", what\\'s new? +more')
    "ChIP Seq of Drosophila what's new more"
    """
    return " ".join(re.findall(r"\w+(?:['’]\w+)*", words))
