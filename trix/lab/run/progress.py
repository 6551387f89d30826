"""A progress bar over (topic, variant) pairs."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from trix.lab.run.workers import Progress


def progress_bar(shown: bool, what: str) -> AbstractContextManager[Progress | None]:
    """Return a bar with rate and time left on stderr, or nothing."""
    return _Bar(what) if shown else nullcontext()


class _Bar(AbstractContextManager[Progress]):
    def __init__(self, what: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
            console=Console(stderr=True), transient=True,
            auto_refresh=False,  # no thread of its own: worker processes are forked below the bar
        )  # fmt: skip
        self._task = self._bar.add_task("", total=None)

    def __enter__(self) -> Progress:
        self._bar.start()
        return self._update

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def _update(self, done: int, total: int) -> None:
        self._bar.update(self._task, completed=done, total=total, refresh=True)
