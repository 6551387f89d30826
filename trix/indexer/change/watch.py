"""`trix update --watch`: update whenever files change."""

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
"""Milliseconds without a change before an update: editors write a file in several steps."""


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
    """Keep an index up to date until `stop` is set or an interrupt arrives.

    The index is locked only during updates. Errors of the first update are raised. Later errors, such as a folder that
    is missing for a moment, are reported, and the next change triggers another attempt.

    Parameters
    ----------
    path
        Path of the index.
    collections, glob, allow_empty
        As for `trix.indexer.change.update.update`.
    tell
        Callback for changes after an update, and for errors.
    stop
        Event that ends the watch.
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
        return not changed.startswith(own + os.sep)  # the index may be inside a watched folder

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
            break  # collections may have changed


def _place(origin: str) -> str:
    """Return the folder to watch for a collection: itself, or that of the file; empty if it does not exist."""
    path = Path(origin.removeprefix("@"))
    place = path if path.is_dir() else path.parent
    return str(place) if place.is_dir() else ""
