"""Read-ahead of result texts: a block of the ranking at a time, so that each document is opened once per block.

Opening a source takes a thousand times as long as cutting a line from it, and neighbours in a ranking may lie in
different documents. So a request for one result's line reads the lines of a block of results. Blocks grow with the
number of requests: a caller that needs one result waits for one.
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
"""Largest number of results read ahead together; their lines take some 15 MB."""

_LONGEST_MATCHES = 1 << 12
"""The same for results with matches, of which a large element has thousands."""

_GROWTH = 8
"""Factor by which each stretch is longer than the one before."""

_UNKNOWN = object()
_reading_order = attrgetter("document", "element")


class ReadAhead:
    """Reader of the snippets, breadcrumbs and matches of a ranking, block by block.

    Parameters
    ----------
    between
        Returns the results at places ``[begin, end)``.
    size
        Number of results.
    view
        Reads one result.
    before
        Number of ranks before the first result.
    """

    def __init__(
        self, between: Callable[[int, int], Iterable[Result]], size: int, view: ResultView, before: int = 0
    ) -> None:
        self._before = before
        self._between, self._size, self._view = between, size, view
        self._begin = self._end = 0
        self._reading = Lock()  # what one thread reads ahead is there for the others
        self._known: dict[str, dict[int, Any]] = {}
        """Kind of data -> index of a result in the stretch -> its data, for the requested kinds."""

    def snippet(self, result: Result) -> str:
        """Return a result's snippet."""
        found: str = self._shown("snippet", result)
        return found

    def matches(self, result: Result) -> list[Range]:
        """Return the ranges of a result's text that match."""
        found: list[Range] = self._shown("matches", result)
        return found

    def breadcrumb(self, result: Result) -> tuple[str, ...]:
        """Return the titles of a result's enclosing sections."""
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
        """Discard the current block and begin another."""
        self._begin, self._end = begin, end
        for known in list(self._known.values()):
            known.clear()

    def _read(self, begin: int, end: int) -> None:
        """Read a block by document; errors are left to the requests for single results."""
        self._forget(begin, end)
        ordered = sorted(self._between(begin, end), key=_reading_order)
        for _, some in groupby(ordered, key=attrgetter("document")):
            together = list(some)
            self._view.expect(together)
            for result in together:
                for kind, known in list(self._known.items()):
                    with suppress(Exception):
                        known[result.rank - 1 - self._before] = getattr(self._view, kind)(result)
