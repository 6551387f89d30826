"""`trix check --repair`: a new commit of the readable segments."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from pyroaring import BitMap

from trix.errors import IndexError_
from trix.indexer.change.session import WriteSession
from trix.indexer.checking.files import commit_faults, openable
from trix.indexer.checking.index import segment_faults
from trix.indexer.commit.commit import SegmentEntry, newest_commit
from trix.indexer.store.segment import Segment
from trix.support.urls import is_url


@dataclass
class Repair:
    """Result of a repair.

    Attributes
    ----------
    dropped
        Names of damaged segments.
    lost
        Ids of their documents, as far as they are readable.
    documents
        Number of lost documents.
    kept
        Number of documents that remain.
    states
        Names of damaged state files that were rewritten.
    """

    dropped: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    documents: int = 0
    kept: int = 0
    states: list[str] = field(default_factory=list)


def repair(path: str | PathLike[str], wait: float = 0.0) -> Repair:
    """Drop the damaged segments of an index in a new commit; `trix update` restores their documents.

    Raises
    ------
    IndexError_
        There is no index, its commit is unreadable, it has another format, or another process writes to it.
    TrixError
        The URL cannot be read or written.
    """
    if not isinstance(path, str) or not is_url(path):
        return _repair(Path(path).absolute(), wait)
    from trix.indexer.commit.checkout import Checkout

    with Checkout(path, as_it_is=True) as there:
        try:
            done = _repair(there.folder, wait)
        except IndexError_ as error:
            raise IndexError_(there.named(str(error))) from None
        if newest_commit(there.folder).number > there.number:
            there.publish()
        else:
            there.put_states(done.states)
        return done


def _repair(folder: Path, wait: float) -> Repair:
    settings = newest_commit(folder).settings  # raises if it cannot be read
    done = Repair()

    def sound() -> list[tuple[Segment, SegmentEntry]]:
        kept = []
        for entry, segment, _ in openable(folder):
            if segment is not None and not segment_faults(segment, entry.deleted, settings):
                kept.append((segment, entry))
                done.kept += entry.totals["documents"]
                continue
            done.dropped.append(entry.file)
            done.documents += entry.totals["documents"]
            done.lost += _ids(segment, entry.deleted)
        return kept

    session = WriteSession(folder, wait, segments=sound)
    try:
        session.changed = bool(done.dropped or commit_faults(folder))
        session.publish()
        for staged in session.staged:
            session.states(staged)  # damaged states become unknown
        done.states = session.write_touched()
    finally:
        session.close()
    return done


def _ids(segment: Segment | None, deleted: BitMap) -> list[str]:
    """Return the ids of a damaged segment's live documents, if readable."""
    try:
        return [] if segment is None else [segment.ids[n] for n in range(len(segment)) if n not in deleted]
    except IndexError_:
        return []
