"""Catalogue of test collections with structure: a declaration of each, and its preparation from the user's files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from trix.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from trix.datasets.catalogue.record import DataSet

MODULES = {
    "evidence-inference": "evidence",
    "obliqa": "obliqa",
    "qmsum": "qmsum",
    "craft": "craft",
    "xquad": "xquad",
    "qrcd": "qrcd",
    "tcp-indexes": "tcp",
    "silver-citations": "silver:CITATIONS",
    "silver-captions": "silver:CAPTIONS",
    "silver-headings": "silver:HEADINGS",
}
"""Name of a data set -> module of its declaration, and its name there unless that is ``RECORD``."""


def data_set(name: str) -> DataSet:
    """Return the declaration of a data set.

    Raises
    ------
    UsageError
        The name is unknown.
    """
    if name not in MODULES:
        known = ", ".join(MODULES)
        raise UsageError(f"{name}: no such data set to prepare; known are {known}{did_you_mean(name, MODULES)}")
    module, _, constant = MODULES[name].partition(":")
    found: DataSet = getattr(import_module(f"{__name__}.{module}"), constant or "RECORD")
    return found


def listing() -> list[dict[str, str]]:
    """Return a row for each data set that can be prepared: name, about, licence, size, needs."""
    columns = ("name", "about", "licence", "size", "needs")
    return [{column: getattr(data_set(name), column) for column in columns} for name in MODULES]


def shown(of: DataSet) -> dict[str, str]:
    """Return the fields of a data set as texts, by label; empty ones are left out."""
    found = {
        "name": of.name,
        "title": of.title,
        "about": of.about,
        "home": of.home,
        "licence": of.licence,
        "citation": of.citation,
        "size": of.size,
        "needs": of.needs,
        "mapping": of.mapping,
        "judged by": of.judges,
        "level": of.level,
        "tried on": of.tried,
        "download": of.download,
        "sha256": "\n".join(f"{each.sha256}  {each.pattern}" for each in of.known),
    }
    return {label: text for label, text in found.items() if text}
