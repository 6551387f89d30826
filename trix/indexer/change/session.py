"""Write session: holds the lock of an index, collects changes, and commits them.

If anything fails before the commit, even by a kill, the index is unchanged: new segments are in a subfolder, and
deletions are in memory only [LIVING, section 6].
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from trix.errors import IndexError_, UsageError
from trix.indexer.change.origins import Origins
from trix.indexer.change.policy import to_merge
from trix.indexer.change.segment_builder import SegmentBuilder
from trix.indexer.change.staged import WriterSegment
from trix.indexer.change.states import skipped_row, state_of
from trix.indexer.collection.source import Source
from trix.indexer.commit.commit import (
    Commit,
    SegmentEntry,
    commit_numbers,
    is_index,
    mend_commit,
    newest_commit,
    write_commit,
)
from trix.indexer.commit.disk import disk_errors, sync
from trix.indexer.commit.folder import OURS, WRITING, clear, clear_abandoned
from trix.indexer.commit.locks import lock_index
from trix.indexer.commit.states import UNKNOWN, State, read_states, write_states
from trix.indexer.store.live import OpenCommit, open_commit, open_segment
from trix.indexer.store.segment import Segment
from trix.indexer.write.from_sources import NewSegment, Progress
from trix.support.pool import interrupts_deferred

Kept = Callable[[], list[tuple[Segment, SegmentEntry]]]
"""Function, called under the lock, that returns the segments to keep."""


class WriteSession:
    """Write session on an index.

    Parameters
    ----------
    folder
        Folder of the index; a missing or empty folder becomes an index with the first commit.
    wait
        Seconds to wait for another writer.
    segments
        Function that returns the segments to keep, for repairs; called under the lock.
    workshop
        Builder of segments; processes of this machine by default.

    Attributes
    ----------
    commit : Commit or None
        Last commit; None before the first.
    staged : list of WriterSegment
        Segments in order.
    settings : dict
        Settings of the index; before the first commit the caller sets them.
    origins : Origins
        Remembered collections.
    changed : bool
        Whether there are uncommitted changes.
    touched : set of str
        Segments with sources whose time changed, but not their content.
    skipped : list of tuple
        Sources that could not be read (see `trix.indexer.change.states.skipped_row`).
    limits_changed : bool
        Whether the size limits changed, so that skipped documents may fit now.

    Raises
    ------
    IndexError_
        Another process has the lock, or the folder is not writable, not an index, or of another format.
    """

    def __init__(
        self, folder: Path, wait: float = 0.0, segments: Kept | None = None, workshop: SegmentBuilder | None = None
    ) -> None:
        self.folder, self._workshop = folder, workshop or SegmentBuilder()
        self._made = not folder.exists()
        self._lock = -1
        self.changed = False
        with disk_errors(folder):
            if not self._made and not is_index(folder) and not set(os.listdir(folder)) <= OURS:
                raise IndexError_(f"{folder}: not a Trix index; choose another name for a new one")
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = lock_index(folder, wait)
        try:
            self._open(segments)
        except BaseException:
            self.close()
            raise

    def _open(self, segments: Kept | None) -> None:
        self.commit: Commit | None = None
        self.settings: dict[str, Any] = {}
        self.staged: list[WriterSegment] = []
        self.origins, self.skipped = Origins(), list[tuple[Any, ...]]()
        if is_index(self.folder):
            opened = (
                open_commit(self.folder) if segments is None else OpenCommit(newest_commit(self.folder), segments())
            )
            self._take(opened)
        with disk_errors(self.folder):
            # Leftovers of killed writers; the lock guarantees that they are dead.
            clear(self.folder, self.commit)
            clear_abandoned(self.folder)
            if self.commit is not None:
                mend_commit(self.folder, self.commit)
            (self.folder / WRITING).mkdir(mode=0o700, exist_ok=True)
        self._states: dict[str, list[State]] = {}
        self.touched: set[str] = set()
        self.changed = self.limits_changed = False

    def _take(self, opened: OpenCommit) -> None:
        commit = self.commit = opened.commit
        self.settings = dict(commit.settings)
        self.origins, self.skipped = Origins.read(commit.origins), list(commit.skipped)
        self.staged = [WriterSegment.of(entry, segment) for segment, entry in opened.segments]

    def limit(self, max_elements: int | None, max_bytes: int | None) -> None:
        """Change the size limits of later documents; None keeps a limit."""
        for name, value in (("max_elements", max_elements), ("max_bytes", max_bytes)):
            if value is not None and value != self.settings[name]:
                self.settings[name] = value
                self.changed = self.limits_changed = True

    def close(self) -> None:
        """Release the lock; uncommitted changes are lost."""
        if self._lock < 0:
            return
        with interrupts_deferred():
            self._close()

    def _close(self) -> None:
        # Segments of uncommitted changes.
        shutil.rmtree(self.folder / WRITING, ignore_errors=True)
        if self.changed:  # a commit failed: drop its files, unless it became the newest after all
            with suppress(OSError, IndexError_):
                clear(self.folder, newest_commit(self.folder) if is_index(self.folder) else None)
        os.close(self._lock)
        self._lock = -1
        if self._made and not commit_numbers(self.folder):
            shutil.rmtree(self.folder, ignore_errors=True)

    # -- documents --------------------------------------------------------------------------------------------------

    def find(self, document_id: str) -> tuple[WriterSegment, int] | None:
        """Find a live document: its segment, and its number there; None if there is none."""
        wanted = document_id.encode("utf-8", "surrogateescape")
        # Ids are unique among live documents, so the order of segments does not matter.
        found = ((staged, staged.document(wanted)) for staged in reversed(self.staged))
        return next(((staged, number) for staged, number in found if number >= 0), None)

    def delete(self, document_id: str) -> bool:
        """Mark a document as deleted; return whether it existed."""
        found = self.find(document_id)
        if found is None:
            return False
        found[0].deleted.add(found[1])
        self.changed = True
        return True

    def states(self, staged: WriterSegment) -> list[State]:
        """Return the states of a segment's sources; the list may be changed."""
        if staged.entry.name not in self._states:
            count = staged.segment.n_sources
            self._states[staged.entry.name], fault = read_states(self.folder / staged.entry.states, count)
            if fault:  # even for sources from memory, which have no state
                self.touched.add(staged.entry.name)
        return self._states[staged.entry.name]

    def write_touched(self) -> list[str]:
        """Rewrite the states of segments with touched sources; return the names of the files.

        This is not a change of the index.
        """
        written = [staged.entry for staged in self.staged if staged.entry.name in self.touched]
        with disk_errors(self.folder):
            for staged in self.staged:
                if staged.entry in written:
                    write_states(self.folder, staged.entry, self.states(staged))
        self.touched.clear()
        return [entry.states for entry in written]

    def forget_skipped(self, gone: set[tuple[str, str]]) -> None:
        """Forget skipped sources, given by location and member."""
        kept = [row for row in self.skipped if (row[2], row[3]) not in gone]
        self.changed = self.changed or len(kept) < len(self.skipped)
        self.skipped = kept

    def remember(self, origins: Origins) -> None:
        """Set the remembered collections."""
        self.changed = self.changed or origins != self.origins
        self.origins = origins

    def add(
        self,
        sources: Sequence[Source],
        *,
        replace: bool = False,
        strict: bool = False,
        progress: Progress | None = None,
    ) -> tuple[list[NewSegment], int]:
        """Add documents; return the new segments, and the number of replaced documents.

        Raises
        ------
        IndexError_
            A document id exists and `replace` is false; nothing is added.
        """
        with disk_errors(self.folder):
            made = self._workshop.new(
                sources, self._waiting, self.settings, str(self.folder), strict=strict, progress=progress
            )
            skipped = [skipped_row(source, reason) for each in made for source, reason in each.skipped]
            self.forget_skipped({(source.location, source.member or "") for source in sources})
            self.skipped += skipped
            self.changed = self.changed or bool(skipped)
            staged = [(each, self._staged(each)) for each in made if each.name]
        # Check all ids before anything is deleted: the call adds everything or nothing.
        replaced = list[tuple[WriterSegment, int]]()
        for new in (new for _, new in staged):
            for number in range(len(new.segment)):
                found = self.find(new.segment.ids[number])
                if found is None:
                    continue
                if not replace:
                    for _, each in staged:
                        (self._waiting / each.entry.file).unlink(missing_ok=True)
                    raise IndexError_(_clash(new.segment, number, *found))
                replaced.append(found)
        # Old versions are deleted only now, when nothing can fail any more.
        for other, number in replaced:
            other.deleted.add(number)
        for segment, new in staged:
            self._states[segment.name] = [*map(state_of, segment.sources)]
            self.staged.append(new)
            self.changed = True
        return made, len(replaced)

    @property
    def _waiting(self) -> Path:
        """Folder of files before their commit."""
        return self.folder / WRITING

    def _staged(self, made: NewSegment) -> WriterSegment:
        return WriterSegment.of(made.entry, open_segment(self._waiting, made.entry))

    # -- commits ----------------------------------------------------------------------------------------------------

    def publish(self) -> bool:
        """Commit the changes; return whether there were any."""
        if not self.changed and self.commit is not None:
            return False
        with disk_errors(self.folder):
            # Segments without live documents are dropped.
            self.staged = [staged for staged in self.staged if staged.documents]
            for staged in self.staged:
                waiting = self._waiting / staged.entry.file
                if waiting.exists():  # else it was moved by this or an earlier commit
                    write_states(self.folder, staged.entry, self.states(staged))
                    waiting.rename(self.folder / staged.entry.file)
            entries = tuple(staged.settled() for staged in self.staged)
            written = {"segments": entries, "origins": self.origins.to_dict(), "skipped": tuple(self.skipped)}
            if self.commit is None:
                commit = Commit(1, self.settings, **written)  # type: ignore[arg-type]
            else:
                commit = self.commit.followed_by(settings=self.settings, **written)
            # Names of segments must be durable before a commit refers to them.
            sync(self.folder)
            write_commit(self.folder, commit)
            self.commit = commit
            for staged, entry in zip(self.staged, entries, strict=True):
                staged.entry = entry
            clear(self.folder, commit, writing=False)
            self.changed = False  # set last: if clearing is interrupted, closing clears
        return True

    def merge(self) -> int:
        """Merge by the policy, with a commit per merge; return the number of merges."""
        count = 0
        while True:
            sizes = [
                (staged.entry.totals["tokens"], len(staged.deleted) / max(1, len(staged.segment)))
                for staged in self.staged
            ]
            # A merge may complete a higher tier: repeat until nothing is left.
            found = to_merge(sizes)
            if found is None:
                return count
            self.merge_range(*found)
            count += 1

    def merge_range(self, low: int, high: int) -> None:
        """Merge the neighbours ``[low, high)`` into one segment, and commit."""
        merged, states = self.staged[low:high], list[State]()
        with disk_errors(self.folder):
            for staged in merged:
                # States of sources that still have documents, in order, as the merged segment has them.
                kept = {int(staged.segment.documents[number, 3]) for number in staged.alive()}
                own = self.states(staged)
                states += [own[number] if number < len(own) else UNKNOWN for number in sorted(kept)]
            rows = [(staged.segment, staged.entry, staged.deleted) for staged in merged]
            made = self._workshop.merged(rows, self._waiting, self.settings, str(self.folder))
            if [staged.entry.name for staged in merged] == [made.name]:
                (self._waiting / made.entry.file).unlink()  # a single segment without deletions
                return
            self._states[made.name] = states
            self.staged[low:high] = [self._staged(made)]
        self.changed = True
        self.publish()


def _clash(segment: Segment, number: int, other: WriterSegment, there: int) -> str:
    return (
        f"the document id {segment.ids[number]!r} of {_where(segment, number)} is in the index already, from "
        f"{_where(other.segment, there)}; pass `replace` to replace it"
    )


def _where(segment: Segment, document: int) -> str:
    source = segment.source(int(segment.documents[document, 3]))
    return source.location + (f":{source.member}" if source.member else "") or "a document given from memory"


def check_wait(wait: float) -> float:
    """Validate the seconds to wait for another writer."""
    if wait < 0:
        raise UsageError("expected a number of seconds, 0 or more", field="wait", got=wait)
    return wait
