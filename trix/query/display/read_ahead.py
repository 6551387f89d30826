"""Reads the texts of results ahead: of a stretch of the ranking together, so that each document is opened once.

A text is in its source, and to open one takes a thousand times as long as to cut a line out of it. In order of rank
each result may lie in another document than the one before. So whoever asks for one result's line after the other gets
them read for a stretch of results together, in which each document is opened once. The stretch grows with what has been
asked: who looks at one result waits for one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import groupby
from operator import attrgetter
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trix.query.display.result import Range, Result, ResultView

LONGEST = 1 << 16
"""Results of a stretch at the most; their lines are some 15 MB."""

_LONGEST_MATCHES = 1 << 12
"""The same for matches, of which a large element has thousands."""

_GROWTH = 8
"""By which a stretch is longer than the one before."""

_UNKNOWN = object()
_reading_order = attrgetter("document", "element")


class ReadAhead:
    """Reads the lines, breadcrumbs and matches of a ranking, a stretch of results at a time.

    Parameters
    ----------
    between
        Gives the results at some places ``[begin, end)``.
    size
        How many results there are.
    view
        Reads one result.
    before
        How many ranks there are before the first of them.
    """

    def __init__(
        self, between: Callable[[int, int], Iterable[Result]], size: int, view: ResultView, before: int = 0
    ) -> None:
        self._before = before
        self._between, self._size, self._view = between, size, view
        self._begin = self._end = 0
        self._reading = Lock()  # what one thread reads ahead is there for the others
        self._known: dict[str, dict[int, Any]] = {}
        """What of each kind is known of the results of the stretch, by place; the kinds are those that were asked."""

    def snippet(self, result: Result) -> str:
        """Return a line of a result's text."""
        found: str = self._shown("snippet", result)
        return found

    def matches(self, result: Result) -> list[Range]:
        """Return which characters of a result's text matched."""
        found: list[Range] = self._shown("matches", result)
        return found

    def breadcrumb(self, result: Result) -> tuple[str, ...]:
        """Return the titles of the sections that a result is in."""
        found: tuple[str, ...] = self._shown("breadcrumb", result)
        return found

    def _shown(self, kind: str, result: Result) -> Any:
        with self._reading:
            return self._shown_alone(kind, result)

    def _shown_alone(self, kind: str, result: Result) -> Any:
        place, known = result.rank - 1 - self._before, self._known.setdefault(kind, {})
        value = known.get(place, _UNKNOWN)
        if value is not _UNKNOWN:
            return value
        longest = _LONGEST_MATCHES if "matches" in self._known else LONGEST
        size = min(_GROWTH * (self._end - self._begin), longest)
        if place == self._end and size > 1:
            self._read(place, min(place + size, self._size))
            value = known.get(place, _UNKNOWN)
            if value is not _UNKNOWN:
                return value
        value = getattr(self._view, kind)(result)
        if not self._begin <= place < self._end:
            self._forget(place, place + 1)
        known[place] = value
        return value

    def _forget(self, begin: int, end: int) -> None:
        """Forget what is known and begin another stretch."""
        self._begin, self._end = begin, end
        for known in list(self._known.values()):
            known.clear()

    def _read(self, begin: int, end: int) -> None:
        """Read a stretch by document; what cannot be read is left to whoever asks for it."""
        self._forget(begin, end)
        ordered = sorted(self._between(begin, end), key=_reading_order)
        for _, some in groupby(ordered, key=attrgetter("document")):
            together = list(some)
            self._view.expect(together)
            for result in together:
                for kind, known in list(self._known.items()):
                    with suppress(Exception):
                        known[result.rank - 1 - self._before] = getattr(self._view, kind)(result)
