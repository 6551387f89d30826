"""Places of a document as ranges of characters, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np

from trix.indexer.places.numbers import Key, Number, PlaceNumbers, number_of
from trix.indexer.places.rows import DocumentMilestones
from trix.indexer.profile.milestones import MilestoneRule
from trix.support.arrays import Ints


class RowNumbers(Sequence[Number]):
    """Lazy sequence of the numbers of places.

    Parameters
    ----------
    written
        Written numbers of all milestones.
    rows
        For each place, the milestones in effect, outermost first; -1 for none. The last one is its own.
    """

    def __init__(self, written: Sequence[str], rows: Ints) -> None:
        self._written, self._rows = written, rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Number: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Number]: ...
    def __getitem__(self, place: int | slice) -> Number | Sequence[Number]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        written = [self._written[row] for row in self._rows[place].tolist() if row >= 0 and self._written[row]]
        return tuple(number_of(each, written[:at]) for at, each in enumerate(written))


class Spans(NamedTuple):
    """Places of one name in a document, in order.

    Attributes
    ----------
    begin, end
        Character range in the document's text, without white space at its ends; empty if the place has no text.
    numbers
        Number of each place.
    """

    begin: Ints
    end: Ints
    numbers: Sequence[Number]

    def with_text(self) -> list[int]:
        """Return the indices of places that have text."""
        return np.flatnonzero(self.begin < self.end).tolist()

    def overlapping(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return the first and last place with text in a range of characters, or None."""
        # Places ascend, so those that may overlap are a range; places without text are skipped.
        low = int(np.searchsorted(self.end, begin, "right"))
        high = int(np.searchsorted(self.begin, end, "left"))
        inside = low + np.flatnonzero(self.begin[low:high] < self.end[low:high])
        return (int(inside[0]), int(inside[-1])) if inside.size else None


class PlaceRange(NamedTuple):
    """Place of a passage in a document.

    Attributes
    ----------
    name
        Name of the milestones, such as ``page``.
    first, last
        Numbers at the beginning and the end.
    text
        Text for people, such as ``pp. 214–215``.
    """

    name: str
    first: Number
    last: Number
    text: str


class DocumentPlaces:
    """Places of one document.

    Parameters
    ----------
    rules
        Rules of the profile.
    rows
        Milestones of the document.
    """

    def __init__(self, rules: Mapping[str, MilestoneRule], rows: DocumentMilestones) -> None:
        self._rules, self._rows = rules, rows
        self._of: dict[str, Spans] = {}

    def __bool__(self) -> bool:
        return bool(self._rows.numbers)

    @cached_property
    def _known(self) -> dict[str, PlaceNumbers]:
        return {name: PlaceNumbers(self._rules, name) for name in self._rules}

    def spans(self, name: str) -> Spans:
        """Return the places with one name."""
        if name not in self._of:
            self._of[name] = self._spans(name)
        return self._of[name]

    def _spans(self, name: str) -> Spans:
        rows, names, chain = self._rows, [*self._rules], self._known[name].chain
        depths = np.full(len(names) or 1, -1)
        depths[[names.index(each) for each in chain]] = np.arange(len(chain))
        at = np.flatnonzero(depths[rows.names] >= 0)
        depth, order = depths[rows.names[at]], np.arange(at.size)
        own = np.flatnonzero(depth == len(chain) - 1)
        own = own[[bool(rows.numbers[row]) for row in at[own].tolist()]]
        outer, reset = list[Ints](), np.full(own.size, -1)  # row in effect at each level; last row of the levels above
        # A running maximum finds the last milestone of each level. It is in effect only if no outer milestone came
        # after it: a new chapter resets the verse.
        for level in range(len(chain) - 1):
            last = np.maximum.accumulate(np.where(depth == level, order, -1))[own]
            outer.append(np.where(last > reset, at[last], -1))
            reset = np.maximum(reset, last)
        begin = rows.after[at[own]]
        end = np.append(rows.before[at], rows.before[-1:])[1:]  # every document ends with an end row
        numbers = RowNumbers(rows.numbers, np.stack([*outer, at[own]], axis=1))
        return Spans(begin, np.maximum(end[own], begin), numbers)

    def among(self, begin: int, end: int) -> list[PlaceRange]:
        """Return the places of a range of characters, in the order of the profile.

        Of nested places only the innermost is returned; its number includes the others.
        """
        found: dict[str, PlaceRange] = {}
        for name, numbers in self._known.items() if self else ():
            spans = self.spans(name)
            if both := spans.overlapping(begin, end):
                first, last = (spans.numbers[at] for at in both)
                found[name] = PlaceRange(name, first, last, numbers.text(first, last))
        outer_names = {outer for name in found for outer in self._known[name].chain[:-1]}
        return [place for name, place in found.items() if name not in outer_names]

    def stretch(self, name: str, low: str, high: str) -> tuple[int, int] | None:
        """Return the characters of a range of places that a user wrote; see `stretch_of`."""
        return self.stretch_of(name, *self._known[name].bounds(low, high))

    def stretch_of(self, name: str, low: Key | None, high: Key | None) -> tuple[int, int] | None:
        """Return the characters of the first run of consecutive places in a range of numbers."""
        numbers, spans = self._known[name], self.spans(name)
        wanted = np.flatnonzero([numbers.fits(number, low, high) for number in spans.numbers])
        if not wanted.size:
            return None
        gaps = np.flatnonzero(np.diff(wanted) > 1)
        last = wanted[gaps[0]] if gaps.size else wanted[-1]
        return int(spans.begin[wanted[0]]), int(spans.end[last])
