"""Trix: ranked elements of any size from a folder of XML of any schema, scored with their context."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from trix.api.batch import Run
    from trix.api.document import Document
    from trix.api.index import Index
    from trix.api.index import open_index as open
    from trix.api.resolver import Resolver
    from trix.errors import TrixError
    from trix.eval.data.qrels import Qrels
    from trix.eval.evaluate import evaluate
    from trix.eval.formats.read import read_qrels, read_run
    from trix.eval.formats.topics.read import read_topics
    from trix.eval.studies.fusion import fuse
    from trix.indexer.build import build
    from trix.indexer.change.writer import Changes, Writer
    from trix.indexer.change.writer import Writer as write
    from trix.indexer.checking.index import check
    from trix.query.display.results import Result, Results

__all__ = [
    "Changes", "Document", "Index", "Qrels", "Resolver", "Result", "Results", "Run", "TrixError", "Writer",
    "__version__", "build", "check", "evaluate",
    "fuse", "open", "read_qrels", "read_run", "read_topics", "write",
]  # fmt: skip

_PLACES = {
    "Changes": ("trix.indexer.change.writer", "Changes"),
    "Document": ("trix.api.document", "Document"),
    "Index": ("trix.api.index", "Index"),
    "Qrels": ("trix.eval.data.qrels", "Qrels"),
    "Resolver": ("trix.api.resolver", "Resolver"),
    "Result": ("trix.query.display.results", "Result"),
    "Results": ("trix.query.display.results", "Results"),
    "Run": ("trix.api.batch", "Run"),
    "Writer": ("trix.indexer.change.writer", "Writer"),
    "write": ("trix.indexer.change.writer", "Writer"),
    "TrixError": ("trix.errors", "TrixError"),
    "build": ("trix.indexer.build", "build"),
    "check": ("trix.indexer.checking.index", "check"),
    "evaluate": ("trix.eval.evaluate", "evaluate"),
    "fuse": ("trix.eval.studies.fusion", "fuse"),
    "open": ("trix.api.index", "open_index"),
    "read_qrels": ("trix.eval.formats.read", "read_qrels"),
    "read_run": ("trix.eval.formats.read", "read_run"),
    "read_topics": ("trix.eval.formats.topics.read", "read_topics"),
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, so that each command loads only what it needs."""
    if name not in _PLACES:
        raise AttributeError(f"module 'trix' has no attribute {name!r}")
    module, attribute = _PLACES[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
