"""An index of format 2 becomes one of today's, without its sources."""

from __future__ import annotations

import os
from pathlib import Path

from trix.errors import IndexError_
from trix.indexer.change.states import UNKNOWN, write_states
from trix.indexer.commit.commit import Commit, SegmentEntry, is_old, newest_commit, write_commit
from trix.indexer.commit.folder import building, publish
from trix.indexer.commit.holding import replacing
from trix.indexer.store.live import open_commit, open_segment
from trix.indexer.write.from_sources import making_of
from trix.indexer.write.merge import merged_segment


def upgrade(folder: Path) -> Commit:
    """Write an index of format 2 anew, in its place, all at once; return its commit.

    Links stay as they were resolved when it was built. It remembers no collections: name them to `trix update` once.

    Raises
    ------
    IndexError_
        It is damaged, or was built before values were kept.
    """
    target = Path(os.path.abspath(folder))
    with replacing(target) as replaces, building(target) as scratch:
        if not is_old(folder):
            return newest_commit(folder)  # somebody else was quicker
        commit = _written(folder, scratch)
        publish(scratch / "index", target, replaces)
    return commit


def _written(folder: Path, scratch: Path) -> Commit:
    """Write an index of format 2 as one of today's into a folder, with what waits on the way beside it."""
    opened = open_commit(folder)
    for segment, _ in opened.segments:
        if not segment.has_values:
            raise IndexError_(
                f"{folder}: an older Trix built it without the values that comparisons need; build it anew"
            )
    ready, waiting = scratch / "index", scratch / "scratch"
    ready.mkdir()
    waiting.mkdir()
    entries: tuple[SegmentEntry, ...] = ()
    if opened.segments:
        pairs = [(segment, entry.deleted) for segment, entry in opened.segments]
        making = making_of(opened.commit.settings, str(folder))
        name, size, totals = merged_segment(pairs, ready / "new", waiting, making)
        entries = (SegmentEntry.of_new(name, size, totals),)
        (ready / "new").rename(ready / entries[0].file)
        write_states(ready, entries[0], [UNKNOWN] * open_segment(ready, entries[0]).n_sources)
    commit = Commit(1, opened.commit.settings, entries, {}, opened.commit.skipped)
    write_commit(ready, commit)
    return commit
