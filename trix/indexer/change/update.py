"""`trix update`: synchronise an index with its sources.

Sources are compared with the index by time and size first, and by content only if these differ. An update of thousands
of unchanged files therefore reads none of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from trix.errors import SourceError, UsageError
from trix.indexer.change.arguments import ids_inside
from trix.indexer.change.origins import Origins
from trix.indexer.change.session import WriteSession
from trix.indexer.change.staged import WriterSegment
from trix.indexer.change.states import state_of
from trix.indexer.change.writer import Writer
from trix.indexer.collection.find import Source, find_sources, refuse_duplicates
from trix.indexer.commit.states import State
from trix.indexer.store.segment import SourceRow
from trix.indexer.write.from_sources import Progress

Key = tuple[str, str, str]
"""Location, member and path of a source."""


@dataclass
class KnownSource:
    """Indexed source: segment, row in it, state, and documents."""

    staged: WriterSegment
    row: SourceRow
    state: State
    documents: list[int] = field(default_factory=list)

    def ids(self) -> list[str]:
        """Return the ids of its documents."""
        return [self.staged.segment.ids[number] for number in self.documents]


@dataclass
class UpdatePlan:
    """Steps of an update.

    Attributes
    ----------
    added, changed
        Sources that are new, or have other content.
    gone
        Sources that no longer exist.
    unchanged
        Number of unchanged documents.
    origins
        Collections to remember.
    notices
        Messages for the user.
    """

    added: list[Source] = field(default_factory=list)
    changed: list[tuple[Source, KnownSource]] = field(default_factory=list)
    gone: list[KnownSource] = field(default_factory=list)
    unchanged: int = 0
    origins: Origins = field(default_factory=Origins)
    notices: list[str] = field(default_factory=list)
    order: list[Source] = field(default_factory=list)
    """All sources to read, in the order of the collections."""
    gone_skipped: set[tuple[str, str]] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.gone)

    def to_json(self) -> dict[str, Any]:
        """Convert to plain data."""
        return {
            "add": [source.where for source in self.added],
            "replace": [source.where for source, _ in self.changed],
            "delete": [document_id for known in self.gone for document_id in known.ids()],
            "unchanged": self.unchanged,
            "notices": self.notices,
        }


def plan_update(
    session: WriteSession,
    collections: Sequence[str | PathLike[str]] = (),
    *,
    glob: Sequence[str] = (),
    allow_empty: bool = False,
) -> UpdatePlan:
    """Compare an index with its sources.

    Parameters
    ----------
    session
        Session on the index.
    collections
        Remembered collections to compare; all by default.
    glob
        File patterns in place of those of the index.
    allow_empty
        Treat a missing or empty collection as empty instead of raising.

    Raises
    ------
    SourceError, UsageError
        A collection has vanished, or none is remembered or given.
    """
    origins = session.origins.with_more(collections)
    if glob:
        origins = Origins(origins.collections, tuple(glob))
    compared = [
        origin for origin in origins.collections if not collections or origin in Origins.of(collections).collections
    ]
    # A path inside a remembered folder stands for that folder.
    compared += [home for each in collections if (home := session.origins.home_of(str(each))) and home not in compared]
    if not compared:
        raise UsageError("the index remembers no collection; name one")
    plan = UpdatePlan(origins=origins)
    found = list[Source]()
    for collection in compared:
        found += _found(collection, origins.glob, session, allow_empty, plan.notices.append)
    if not ids_inside(session):
        refuse_duplicates(found)
    known: dict[Key, KnownSource] = {}
    for key, each in _known(session):
        if _is_of(each, compared, origins):
            if key in known:  # indexed twice: documents left from the first time were missing the second time
                plan.gone.append(known[key])
            known[key] = each
    # Skipped sources with their state at that time.
    failed = {(row[2], row[3]): (row[4], row[5]) for row in session.skipped}
    for source in found:
        key = (source.location, source.member or "", source.path)
        before = known.pop(key, None)
        if before is None:
            # An unreadable source is not tried again while unchanged, unless the size limits changed.
            if failed.pop(key[:2], None) != state_of(source) or session.limits_changed:
                plan.added.append(source)
                plan.order.append(source)
        elif before.state == state_of(source) or _is_same(source, before):
            _note_state(session, before, source)
            plan.unchanged += len(before.documents)
        else:
            plan.changed.append((source, before))
            plan.order.append(source)
    # Sources that were not found again.
    plan.gone += known.values()
    here = {(source.location, source.member or "") for source in found}
    plan.gone_skipped = {key for key in failed if key[0] and key not in here}
    return plan


def _found(
    collection: str, glob: Sequence[str], session: WriteSession, allow_empty: bool, warn: Callable[[str], None]
) -> list[Source]:
    try:
        return find_sources([collection], glob, warn=warn, unique=not ids_inside(session))
    except SourceError as error:
        if allow_empty:
            return []
        raise SourceError(
            f"{error.reason}; nothing was changed (pass `allow_empty` to treat it as empty)", error.path
        ) from None


def _known(session: WriteSession) -> Iterator[tuple[Key, KnownSource]]:
    """Yield the indexed sources with live documents, except those from memory."""
    for staged in session.staged:
        states = session.states(staged)
        sources: dict[int, KnownSource] = {}
        homes = staged.segment.documents[:, 3].tolist()
        for number in staged.alive():
            home = homes[number]
            if home not in sources:
                sources[home] = KnownSource(staged, staged.segment.source(home), states[home])
            sources[home].documents.append(number)
        for of in sources.values():
            if of.row.location:
                yield (of.row.location, of.row.member, of.row.path), of


def _is_of(known: KnownSource, compared: Sequence[str], origins: Origins) -> bool:
    """Whether a source belongs to one of the compared collections."""
    if len(compared) == len(origins.collections):
        return True
    location = known.row.location
    return location in compared or Origins(tuple(compared)).home_of(location) is not None


def _is_same(source: Source, known: KnownSource) -> bool:
    """Whether a source has the indexed content."""
    row = known.row
    # A member that moved inside its archive must be read again, as offsets are stored.
    if (source.offset is None) != (row.offset < 0) or (source.offset or 0) != max(row.offset, 0):
        return False
    try:
        data = source.read()
    except SourceError:
        return False
    return (len(data), zlib.crc32(data)) == (row.size, row.crc)


def _note_state(session: WriteSession, known: KnownSource, source: Source) -> None:
    if known.state != state_of(source):
        session.states(known.staged)[known.row.number] = state_of(source)
        session.touched.add(known.staged.entry.name)


def update(
    writer: Writer,
    collections: Sequence[str | PathLike[str]] = (),
    *,
    glob: Sequence[str] = (),
    allow_empty: bool = False,
    strict: bool = False,
    progress: Progress | None = None,
) -> UpdatePlan:
    """Add new sources, replace changed ones, delete missing ones, and commit.

    Parameters
    ----------
    writer
        Writer of the index.
    collections, glob, allow_empty
        As for `plan_update`.
    strict
        Raise at the first unreadable source.
    progress
        Callback with (bytes done, bytes in all, files done, files in all).

    Raises
    ------
    TrixError
        As for `plan_update`, or a document id exists already.
    """
    session = writer.session
    plan = plan_update(session, collections, glob=glob, allow_empty=allow_empty)
    writer.changes.notices += plan.notices
    writer.changes.unchanged += plan.unchanged
    # Old documents are deleted before new ones are added, so that ids may move between files.
    for known in plan.gone:
        known.staged.deleted.update(known.documents)
        writer.changes.deleted += len(known.documents)
    taken = 0
    for _, known in plan.changed:
        known.staged.deleted.update(known.documents)
        taken += len(known.documents)
    session.remember(plan.origins)
    session.forget_skipped(plan.gone_skipped)
    # Deletions alone are a change too.
    session.changed = session.changed or bool(plan)
    if plan.order:
        made, _ = session.add(plan.order, strict=strict, progress=progress)
        read = writer.changes.take_note(made)
        writer.changes.replaced += min(taken, read)
        writer.changes.added += max(0, read - taken)
        writer.changes.deleted += max(0, taken - read)
    writer.commit()
    return plan
