"""What the benchmarks share: where the data are, an archive unpacked, the arguments of those that ask queries."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("TRIX_DATA", ROOT.parent / "shared" / "data"))
COLLECTION = DATA / "collections" / "medium-jats-elife.tar.xz"
QUERIES = DATA / "queries" / "elife-mixed.tsv"


def unpacked(collection: Path, scratch: Path) -> Path:
    """Return the folder of a collection; a tar archive is unpacked into a scratch folder first."""
    if not collection.name.endswith((".tar", ".tar.gz", ".tar.xz")):
        return collection
    with tarfile.open(collection) as archive:
        archive.extractall(scratch / "xml", filter="data")
    return scratch / "xml"


def missing(name: str, *needed: str | Path) -> bool:
    """Say what is not there; return whether anything is not."""
    for path in needed:
        if not Path(path).exists():
            print(f"{name}: {path}: not there; give another, or set TRIX_DATA", file=sys.stderr)
            return True
    return False


def ask_queries(
    name: str,
    about: str | None,
    top: int,
    build: Callable[[Path, Path], object],
    measure: Callable[[str, argparse.Namespace], dict[str, Any]],
    table: Callable[[dict[str, Any]], str],
    queries: Path = QUERIES,
) -> int:
    """Run a benchmark of queries over one index; return the exit code.

    Parameters
    ----------
    name, about, top
        Its name, its help, and how many results it asks for unless told otherwise.
    build
        Builds an index of a collection in a folder, where none is given.
    measure, table
        Measures with an index and the arguments; prints what was found.
    queries
        The file, or the folder, of the queries that are asked unless told otherwise.
    """
    parser = argparse.ArgumentParser(prog=name, description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", nargs="?", default=str(COLLECTION))
    parser.add_argument("--queries", default=str(queries))
    parser.add_argument("--index", help="an index of the collection; none is built")
    parser.add_argument("--top", type=int, default=top)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if missing(name, asked.queries, asked.index or asked.collection):
        return 2
    with tempfile.TemporaryDirectory(prefix="trix-bench-") as scratch:
        index = Path(asked.index or Path(scratch) / "bench.index")
        if not asked.index:
            build(unpacked(Path(asked.collection), Path(scratch)), index)
        found = measure(str(index), asked)
    print(json.dumps(found, indent=1) if asked.json else table(found))
    return 0
