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
}
"""Name of a data set -> module of its declaration."""


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
    found: DataSet = import_module(f"{__name__}.{MODULES[name]}").RECORD
    return found
