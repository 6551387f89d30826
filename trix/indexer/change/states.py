"""Rows of a commit for sources: states as found, and sources that could not be read."""

from __future__ import annotations

from trix.indexer.collection.source import Source
from trix.indexer.commit.states import State
from trix.indexer.write.batch import SourceEntry


def state_of(source: Source | SourceEntry) -> State:
    """Return the state of a source as found."""
    return source.mtime_ns, source.stored_size


def skipped_row(source: Source, reason: str) -> tuple[str, str, str, str, int, int]:
    """Return the row of a source that could not be read."""
    return source.path, reason, source.location, source.member or "", *state_of(source)
