"""Presets of settings: what people who search, and experiments, do not want to say each time [QUERY, section 13]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "study": {},
    "reading": {
        "model": "lm-dirichlet",
        "mu": 1000.0,
        "context": "root(bm25, k1=0.3, B=0, statistics=document):0.5",
        "size": "150:6000",
        "per_document": 3,
        "spread": 10,
        "quiet_parts": False,
        "accents": "fold",
        "phrases": "exact",
        "signs": "must",
        "operators": "boolean",
    },
}
"""What each preset says of settings; all others have their defaults. ``study`` is the papers; how ``reading``, which is
for people, was chosen is told in ``docs/reading.md``, and ``scripts/readable`` measures it anew."""

USUAL: Mapping[str, str] = {"search": "reading", "run": "study", "rescore": "study", "experiment": "study"}
"""The preset on each occasion: people search to read, all else is study."""


class Preset(NamedTuple):
    """A preset, and the settings that have the values it says because nothing else was asked for."""

    name: str
    decides: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return self.name
