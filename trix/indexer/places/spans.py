"""Places of a document as stretches of its text, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np

from trix.indexer.places.numbers import Key, Number, Numbers, number_of
from trix.indexer.places.rows import DocumentPlaces
from trix.indexer.profile.milestones import MilestoneRule
from trix.support.arrays import Ints


class RowNumbers(Sequence[Number]):
    """The numbers of places, made when they are looked at.

    Parameters
    ----------
    written
        The numbers of all milestones as they are written.
    rows
        Of each place the milestones that hold there, the outermost first, -1 for none; the last is its own.
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
        said = [self._written[row] for row in self._rows[place].tolist() if row >= 0 and self._written[row]]
        return tuple(number_of(each, said[:at]) for at, each in enumerate(said))


class Spans(NamedTuple):
    """The places of one name in a document, in order.

    Attributes
    ----------
    begin, end
        Characters of the document's text, without white space at the borders; equal where a place has no text.
    numbers
        The number of each.
    """

    begin: Ints
    end: Ints
    numbers: Sequence[Number]

    def with_text(self) -> list[int]:
        """Return the places that have text."""
        return np.flatnonzero(self.begin < self.end).tolist()

    def overlapping(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return the first and the last place with text among some characters of the document; None without any."""
        low = int(np.searchsorted(self.end, begin, "right"))
        high = int(np.searchsorted(self.begin, end, "left"))
        inside = low + np.flatnonzero(self.begin[low:high] < self.end[low:high])
        return (int(inside[0]), int(inside[-1])) if inside.size else None


class Place(NamedTuple):
    """Where in a document something stands.

    Attributes
    ----------
    name
        Of the milestones, as ``page``.
    first, last
        The numbers at its beginning and at its end.
    text
        For people, as ``pp. 214–215``.
    """

    name: str
    first: Number
    last: Number
    text: str


class Places:
    """The places of one document.

    Parameters
    ----------
    rules
        Of the profile.
    rows
        The milestones.
    """

    def __init__(self, rules: Mapping[str, MilestoneRule], rows: DocumentPlaces) -> None:
        self._rules, self._rows = rules, rows
        self._of: dict[str, Spans] = {}

    def __bool__(self) -> bool:
        return bool(self._rows.numbers)

    @cached_property
    def _known(self) -> dict[str, Numbers]:
        return {name: Numbers(self._rules, name) for name in self._rules}

    def spans(self, name: str) -> Spans:
        """Return the places of a name."""
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
        outer, reset = list[Ints](), np.full(own.size, -1)  # the row of each level, and the last of those above it
        for level in range(len(chain) - 1):
            last = np.maximum.accumulate(np.where(depth == level, order, -1))[own]
            outer.append(np.where(last > reset, at[last], -1))
            reset = np.maximum(reset, last)
        begin = rows.behind[at[own]]
        end = np.append(rows.before[at], rows.before[-1:])[1:]  # the last row is an end: all places end in the document
        numbers = RowNumbers(rows.numbers, np.stack([*outer, at[own]], axis=1))
        return Spans(begin, np.maximum(end[own], begin), numbers)

    def among(self, begin: int, end: int) -> list[Place]:
        """Return where some characters of the document stand, in the order of the profile.

        Of places within each other the innermost is returned, which says the others.
        """
        found: dict[str, Place] = {}
        for name, numbers in self._known.items() if self else ():
            spans = self.spans(name)
            if both := spans.overlapping(begin, end):
                first, last = (spans.numbers[at] for at in both)
                found[name] = Place(name, first, last, numbers.text(first, last))
        said = {outer for name in found for outer in self._known[name].chain[:-1]}
        return [place for name, place in found.items() if name not in said]

    def stretch(self, name: str, low: str, high: str) -> tuple[int, int] | None:
        """Return the characters of places from one number to another as people write them, see `stretch_of`."""
        return self.stretch_of(name, *self._known[name].bounds(low, high))

    def stretch_of(self, name: str, low: Key | None, high: Key | None) -> tuple[int, int] | None:
        """Return the characters of the first place in a range of numbers, up to the last that follows it at once."""
        numbers, spans = self._known[name], self.spans(name)
        wanted = np.flatnonzero([numbers.fits(number, low, high) for number in spans.numbers])
        if not wanted.size:
            return None
        behind = np.flatnonzero(np.diff(wanted) > 1)
        last = wanted[behind[0]] if behind.size else wanted[-1]
        return int(spans.begin[wanted[0]]), int(spans.end[last])
