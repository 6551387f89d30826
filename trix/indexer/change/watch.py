"""`trix update --watch`: update again whenever files change."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from threading import Event

from trix.errors import TrixError, UsageError
from trix.indexer.change.update import update
from trix.indexer.change.writer import Changes, Writer
from trix.support.extras import install_hint
from trix.support.urls import is_url

QUIET = 400
"""Milliseconds without a change after which what has changed is read: an editor writes a file in several steps."""


def watch(
    path: str | PathLike[str],
    collections: Sequence[str | PathLike[str]] = (),
    *,
    tell: Callable[[Changes | TrixError], None],
    stop: Event | None = None,
    wait: float = 0.0,
    merge: bool = True,
    jobs: int | None = None,
    glob: Sequence[str] = (),
    allow_empty: bool = False,
    max_elements: int | None = None,
    max_bytes: int | None = None,
) -> None:
    """Keep an index up to date until `stop` is set or an interrupt comes.

    The index is locked only while it is updated. An error of one update, such as a folder that is not there at the
    moment, is told, and the next change is tried again; one of the first update is raised.

    Parameters
    ----------
    path
        The index.
    collections, glob, allow_empty
        As for `trix.indexer.change.update.update`.
    tell
        Told after each update that changed anything, and of errors.
    stop
        Ends the watch when it is set.
    wait, merge, jobs, max_elements, max_bytes
        As for `trix.indexer.change.writer.Writer`.

    Raises
    ------
    UsageError
        The library watchfiles is not installed.
    """
    try:
        from watchfiles import watch as changes_in
    except ImportError:
        raise UsageError(f"watching needs the library watchfiles: {install_hint('watch')}") from None

    def once() -> list[str]:
        with Writer(path, wait=wait, merge=merge, jobs=jobs, max_elements=max_elements, max_bytes=max_bytes) as writer:
            before = writer.number
            plan = update(writer, collections, glob=glob, allow_empty=allow_empty)
        if writer.changes.commit != before:
            tell(writer.changes)
        return list(plan.origins.collections)

    own = os.fspath(path) if is_url(path) else os.path.abspath(path)

    def matters(_: object, changed: str) -> bool:
        return not changed.startswith(own + os.sep)  # the index may lie among its sources

    origins = once()
    while not (stop and stop.is_set()):
        places = {place for origin in origins if (place := _place(origin))}
        found = changes_in(
            *places, watch_filter=matters, step=QUIET // 4, debounce=4 * QUIET, stop_event=stop, raise_interrupt=True,
            yield_on_timeout=True, rust_timeout=2000, recursive=True,
        )  # fmt: skip
        for changed in found:
            if stop and stop.is_set():
                return
            if not changed:
                continue
            try:
                origins = once()
            except TrixError as error:
                tell(error)
            break  # collections may be others now


def _place(origin: str) -> str:
    """Return what is watched for a collection: its folder, or that of the file; nothing where there is none now."""
    path = Path(origin.removeprefix("@"))
    place = path if path.is_dir() else path.parent
    return str(place) if place.is_dir() else ""
