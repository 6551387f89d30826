"""An index of format 2 becomes one of today's, without its sources."""

from __future__ import annotations

import os
from pathlib import Path

from trix.errors import IndexError_
from trix.indexer.change.recipe import making_of
from trix.indexer.change.session import lock_index
from trix.indexer.change.staged import living_totals
from trix.indexer.commit.commit import Commit, SegmentEntry, is_old, newest_commit, write_commit
from trix.indexer.commit.disk import disk_errors
from trix.indexer.commit.folder import building, publish
from trix.indexer.store.live import open_commit
from trix.indexer.write.merge import merged_segment


def upgrade(folder: Path) -> Commit:
    """Write an index of format 2 anew, in its place, all at once; return its commit.

    Links stay as they were resolved when it was built. It remembers no collections: name them to `trix update` once.

    Raises
    ------
    IndexError_
        It is damaged, or was built before values were kept.
    """
    with disk_errors(folder):
        lock = lock_index(folder)
    try:
        return _upgrade(folder) if is_old(folder) else newest_commit(folder)
    finally:
        os.close(lock)


def _upgrade(folder: Path) -> Commit:
    opened = open_commit(folder)
    for segment, _ in opened.segments:
        if not segment.has_values:
            raise IndexError_(
                f"{folder}: an older Trix built it without the values that comparisons need; build it anew"
            )
    target = Path(os.path.abspath(folder))
    with building(target) as scratch:
        ready, waiting = scratch / "index", scratch / "scratch"
        ready.mkdir()
        waiting.mkdir()
        entries: tuple[SegmentEntry, ...] = ()
        if opened.segments:
            pairs = [(segment, entry.deleted) for segment, entry in opened.segments]
            making = making_of(opened.commit.settings, str(folder))
            name, size, totals = merged_segment(pairs, ready / "new", waiting, making)
            entries = (SegmentEntry(name, size, living_totals(totals)),)
            (ready / "new").rename(ready / entries[0].file)
        commit = Commit(1, opened.commit.settings, entries, {}, opened.commit.skipped)
        write_commit(ready, commit)
        publish(ready, target)
    return commit
