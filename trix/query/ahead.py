"""What results show, read ahead of who asks: for a stretch of the ranking, document by document in reading order.

A text is in its source, and to open one takes a thousand times as long as to cut a line out of it. In order of rank
each result may lie in another document than the one before. So whoever asks for one result's line after the other gets
them read for a stretch of results together, in which each document is opened once. The stretch grows with what has been
asked: who looks at one result waits for one.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from trix.query.highlight import Range
    from trix.query.results import Result, Results
    from trix.query.view import View

LONGEST = 1 << 16
"""Results of a stretch at the most; their lines are some 15 MB."""

_LONGEST_MATCHES = 1 << 12
"""The same for matches, of which a large element has thousands."""

_GROWTH = 8
"""By which a stretch is longer than the one before."""

T = TypeVar("T")

_reading_order = attrgetter("document", "element")


class Ahead:
    """Reads the texts of a ranking.

    Parameters
    ----------
    results
        The ranking.
    view
        Reads one result.
    """

    def __init__(self, results: Results, view: View) -> None:
        self._view = view
        self._snippets: Stretch[str] = Stretch(results, view, view.snippet, LONGEST)
        self._matches: Stretch[list[Range]] = Stretch(results, view, view.matches, _LONGEST_MATCHES)

    def snippet(self, result: Result) -> str:
        """Return a line of a result's text."""
        return self._snippets(result)

    def matches(self, result: Result) -> list[Range]:
        """Return which characters of a result's text matched."""
        return self._matches(result)


class Stretch(Generic[T]):
    """One kind of thing that results show.

    Parameters
    ----------
    results
        The ranking.
    view
        Knows of the documents.
    read
        Reads it of one result.
    longest
        Results of a stretch at the most.
    """

    def __init__(self, results: Results, view: View, read: Callable[[Result], T], longest: int) -> None:
        self._results, self._view, self._read, self._longest = results, view, read, longest
        self._known: tuple[int, list[T]] = 0, []

    def __call__(self, result: Result) -> T:
        """Return it of a result."""
        place = result.rank - 1
        begin, known = self._known
        if begin <= place < begin + len(known):
            return known[place - begin]
        following = place == begin + len(known)
        size = min(max(1, _GROWTH * len(known)), self._longest) if following else 1
        if size == 1:
            read = [self._read(result)]
        else:
            stretch = list(self._results.between(place, min(place + size, len(self._results))))
            read = self._read_all(stretch)
        self._known = place, read
        return read[0]

    def _read_all(self, stretch: list[Result]) -> list[T]:
        """Read a stretch by document; it ends before a result that cannot be read, unless that is the first."""
        found: dict[int, T] = {}
        failed = len(stretch)
        ordered = sorted(stretch, key=_reading_order)
        first = stretch[0].rank
        at = 0
        while at < len(ordered):
            end = at
            while end < len(ordered) and ordered[end].document == ordered[at].document:
                end += 1
            self._view.expect(ordered[at:end])
            for result in ordered[at:end]:
                try:
                    found[result.rank - first] = self._read(result)
                except Exception:  # raised again when it is this one that is asked for
                    if result.rank == first:
                        raise
                    failed = min(failed, result.rank - first)
            at = end
        return [found[place] for place in range(failed)]
