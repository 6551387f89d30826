"""How far work is: one bar on standard error for all that takes long, in the same dress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

Progress = Callable[..., None]
"""Called with what is done, what there is in all, and if need be with a few words beside the bar."""


def progress_bar(what: str, *, shown: bool = True, bytes: bool = False) -> AbstractContextManager[Progress | None]:
    """Return a bar with the time that is left, which vanishes at its end; nothing where standard error is no terminal.

    Parameters
    ----------
    what
        What is being done, in a word.
    shown
        Whether it is wanted at all.
    bytes
        Whether bytes are counted, and shown with their rate.
    """
    return _Shown(what, bytes) if shown and on_a_terminal() else nullcontext()


def on_a_terminal() -> bool:
    """Tell whether somebody can see what moves on standard error."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def steps() -> Iterator[Callable[[str], None] | None]:
    """Give what says in a few words what is being done, on a line that vanishes; None where nobody could see it."""
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
        auto_refresh=False,  # no thread of its own: worker processes are forked below the bar
    )
