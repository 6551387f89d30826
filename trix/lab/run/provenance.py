"""Provenance of results: index, topics, assessments, versions and settings, without dates."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import trix
from trix.indexer.commit.commit import FORMAT
from trix.indexer.store.files import IndexFiles
from trix.lab.plan.experiment import JudgedCollection
from trix.support.output import usable

PACKAGES = ("numpy", "scipy", "lxml", "PyStemmer")


def versions() -> dict[str, str]:
    """Return the versions of Trix, Python and the packages that affect scores."""
    found = {"trix": trix.__version__, "python": ".".join(map(str, sys.version_info[:3]))}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def digest(path: Path) -> str:
    """Return the checksum of a file or a folder (BLAKE2b, 16 bytes, hexadecimal).

    Raises
    ------
    UsageError
        The file cannot be read.
    """
    state = hashlib.blake2b(digest_size=16)
    with usable(path):
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            if path.is_dir():
                state.update(str(file.relative_to(path)).encode() + b"\0")
            state.update(file.read_bytes())
    return state.hexdigest()


def of_collection(collection: JudgedCollection, index: IndexFiles) -> dict[str, Any]:
    """Return the provenance of a collection's results."""
    settings = index.settings
    keys, postings = index.vocabulary()
    return {
        "index": {
            **index.totals,
            "keys": keys,
            "postings": postings,
            "profile": settings["profile"]["name"],
            "stem": settings["stem"],
            "stop": settings["stop"],
            "stopwords": len(settings["stopwords"]),
            "format": FORMAT,
        },
        "topics": {
            "file": collection.topics.name,
            "checksum": digest(collection.topics),
            "field": collection.field,
            "query_type": collection.query_type or None,
        },
        "qrels": [{"file": path.name, "checksum": digest(path)} for path in collection.qrels],
        "granulate": collection.granulate or None,
        "graded": collection.graded,
        "level": collection.level or None,
    }


def owner(facts: Mapping[str, Any], index: IndexFiles) -> dict[str, Any]:
    """Return the identity of a collection for a journal: its provenance, and the segments of the index."""
    segments = [
        [entry.name, hashlib.blake2b(np.array(entry.deleted, "<u4").tobytes(), digest_size=16).hexdigest()]
        for entry in index.commit.segments
    ]
    return {"segments": segments, **facts}
