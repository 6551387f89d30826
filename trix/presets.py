"""Presets: named sets of defaults for readers, runs and experiments [QUERY, section 13]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

SEARCHED = "searched"
"""Statistics over the searched texts: the level, or else the content elements; see `SHORTEST_MEAN`."""

SHORTEST_MEAN = 30
"""Smallest mean length of the searched texts, in keys.

If most texts are headings, numbers and list items, their own mean would rank longer texts too low.
"""

CHAIN: Mapping[str, Any] = {
    "model": "bm25",
    "k1": 1.0,
    "B": 0.4,
    "statistics": SEARCHED,
    "context": "root(k1=0.3, B=0, statistics=document):0.75 > sentence:f=2.5 > pairs:f=0.1",
}
"""The scoring of the presets for people and for runs. ``docs/reading.md`` tells how it was chosen; ``scripts/prove``
measures it anew."""

OF_MODEL = frozenset({"k1", "B", "mu", "context"})
"""Settings that belong to the model of a preset. A search that names a model takes none of them from its preset."""

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "study": {},
    "standard": CHAIN,
    "reading": {
        **CHAIN,
        "size": "150:6000",
        "per_document": 3,
        "spread": 10,
        "quiet_parts": False,
        "known_items": True,
        "copies": "fold",
        "forms": "typed",
        "accents": "fold",
        "spelling": "correct",
        "phrases": "exact",
        "signs": "must",
        "operators": "boolean",
    },
    "static": {
        "model": "lm-dirichlet",
        "mu": 250.0,
        "context": "titles:own=1,f=8",
        "size": "300:",
        "per_document": 3,
        "quiet_parts": False,
        "strategy": "fetch-browse",
        "fetch": "best",
        "phrases": "words",
        "signs": "must",
    },
}
"""Settings of each preset; all others have their defaults. ``study`` has the papers' defaults. ``standard``
scores as ``reading`` does and limits nothing. ``reading`` is for people. ``static`` is the chain that a published site
computes in the browser [SITE, section 1]."""

USUAL: Mapping[str, str] = {"search": "reading", "run": "standard", "rescore": "study", "experiment": "study"}
"""The preset on each occasion."""


class Preset(NamedTuple):
    """A preset: values of settings that were not given."""

    name: str
    decides: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.name
