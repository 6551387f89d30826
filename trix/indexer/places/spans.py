"""Places of a document as stretches of its text, by name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from trix.indexer.places.numbers import Key, Number, Numbers, number_of
from trix.indexer.places.rows import DocumentPlaces
from trix.indexer.profile.milestones import MilestoneRule
from trix.support.arrays import Ints


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
    numbers: list[Number]

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
        wanted = [names.index(each) for each in chain]
        at = np.flatnonzero(np.isin(rows.names, wanted))
        written = dict.fromkeys(wanted, "")
        own, numbers = list[int](), list[Number]()
        for place, (row, kind) in enumerate(zip(at.tolist(), rows.names[at].tolist(), strict=True)):
            depth = wanted.index(kind)
            written[kind] = rows.numbers[row]
            for inner in wanted[depth + 1 :]:
                written[inner] = ""
            if kind == wanted[-1] and rows.numbers[row]:
                said = [written[each] for each in wanted]
                parts = [number_of(each, [outer for outer in said[:of] if outer]) for of, each in enumerate(said)]
                own.append(place)
                numbers.append(tuple(part for part in parts if part))
        begin = rows.behind[at]
        end = np.append(rows.before[at], rows.before[-1:])[1:]  # the last row is an end: all places end in the document
        return Spans(begin[own], np.maximum(end[own], begin[own]), numbers)

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
