"""Progress bars on standard error, in one style for all long tasks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

Progress = Callable[..., None]
"""Called with the finished amount, the total, and optionally a text beside the bar."""


def progress_bar(what: str, *, shown: bool = True, bytes: bool = False) -> AbstractContextManager[Progress | None]:
    """Return a transient bar with the remaining time; a null context if standard error is not a terminal.

    Parameters
    ----------
    what
        Name of the task, one word.
    shown
        Whether to show the bar.
    bytes
        Whether the unit is bytes, shown with their rate.
    """
    return _Shown(what, bytes) if shown and on_a_terminal() else nullcontext()


def on_a_terminal() -> bool:
    """Return whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def steps() -> Iterator[Callable[[str], None] | None]:
    """Context manager with a function that shows the current step on a transient line; None without a terminal."""
    if not on_a_terminal():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(text)


class _Shown(AbstractContextManager[Progress]):
    def __init__(self, what: str, bytes: bool) -> None:
        self._bar = _bar(what, bytes)
        self._task = self._bar.add_task("", total=None, beside="")

    def __enter__(self) -> Progress:
        self._bar.start()
        return self._update

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def _update(self, done: int, total: int, beside: str = "") -> None:
        self._bar.update(self._task, completed=done, total=total or None, beside=beside, refresh=True)


def _bar(what: str, bytes: bool) -> Bar:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    counted = (DownloadColumn(), TransferSpeedColumn()) if bytes else (MofNCompleteColumn(),)
    return Progress(
        TextColumn(what),
        BarColumn(20),  # words beside it fit into 80 columns
        *counted,
        TextColumn("{task.fields[beside]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,  # no refresh thread, since worker processes are forked while the bar is shown
    )
