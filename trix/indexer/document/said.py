"""What the elements of a document say in the fields of elements, by its events [QUERY, section 1].

An event is a start tag or an end tag, see `trix.indexer.document.outline`. What an element says holds from its start
tag to its end tag, but for elements in it that say something in the same field. Elements between two changes say the
same, so a field of a document is a row of runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.document.kinds import GONE, Kind
from trix.indexer.document.record import Said
from trix.indexer.profile.fields import FieldRule, Way

Given = Iterable[tuple[int, str, str]]
"""Event, name and value of attributes."""


class SaidReader:
    """Finds what elements say in the fields of elements.

    Parameters
    ----------
    rules, ways
        The fields by name, and their paths.
    """

    def __init__(self, rules: Mapping[str, FieldRule], ways: Sequence[Way]) -> None:
        self._rules, self._ways = rules, ways

    def read(
        self,
        kinds: NDArray[Any],
        all_kinds: Sequence[Kind],
        attributes: Given,
        values: Callable[[NDArray[np.int32], NDArray[np.int32]], list[str]],
        rows: NDArray[Any],
    ) -> dict[str, Said]:
        """Return what each field says of the indexed elements of a document.

        Parameters
        ----------
        kinds, all_kinds
            The kind of each event by number, -1 at end tags; all kinds.
        attributes
            The attributes that paths end in.
        values
            Gives the texts of elements by their start and end events.
        rows
            The event of each indexed element.
        """
        if not rows.size:
            return {}
        of_fields: list[list[tuple[int, int, int, str]]] = [[] for _ in self._rules]
        for each in self._of_attributes(kinds, all_kinds, attributes):
            of_fields[self._ways[each[1]].field].append(each)
        for each in self._of_texts(kinds, all_kinds, values):
            of_fields[self._ways[each[1]].field].append(each)
        ends = ends_of(kinds) if any(of_fields) else kinds
        found: dict[str, Said] = {}
        for (name, rule), given in zip(self._rules.items(), of_fields, strict=True):
            said: dict[int, tuple[int, dict[str, None]]] = {}
            for event, way, _, text in sorted(given):
                value = rule.canonical(text)
                if value is not None and said.setdefault(event, (way, {}))[0] == way:  # the first path that gives one
                    said[event][1][value] = None
            held = [tuple(each) if rule.many else (next(iter(each)),) for _, each in said.values()]
            found[name] = _runs([*said], held, ends, rows)
        return found

    def _of_attributes(
        self, kinds: NDArray[Any], all_kinds: Sequence[Kind], attributes: Given
    ) -> Iterable[tuple[int, int, int, str]]:
        """Yield of each attribute that says something its event, its path, its event again, and its value."""
        for event, name, value in attributes:
            for way in all_kinds[kinds[event]].gives:
                if self._ways[way].attribute == name:
                    yield event, way, event, value

    def _of_texts(
        self, kinds: NDArray[Any], all_kinds: Sequence[Kind], values: Callable[..., list[str]]
    ) -> Iterable[tuple[int, int, int, str]]:
        """Yield of elements that give their texts to their parents: event of the parent, path, own event, text."""
        gives = [
            [] if each.actions & GONE else [way for way in each.gives if self._ways[way].attribute is None]
            for each in all_kinds
        ]
        is_giving = np.array([*map(bool, gives), False])  # the last is that of the kind -1
        events = np.flatnonzero(is_giving[kinds])
        if not events.size:
            return
        parents = parents_of(kinds, events)
        texts = values(events.astype(np.int32), ends_of(kinds)[events].astype(np.int32))
        for event, parent, text in zip(events.tolist(), parents.tolist(), texts, strict=True):
            for way in gives[kinds[event]] if parent >= 0 else ():
                yield parent, way, event, text


def _runs(events: list[int], values: list[tuple[str, ...]], ends: NDArray[Any], rows: NDArray[Any]) -> Said:
    """Return the runs of a field.

    Parameters
    ----------
    events, values
        The elements that say something, ascending, and what.
    ends, rows
        The end of each event; the event of each indexed element.
    """
    if not events:
        return Said(np.zeros(1, np.int64), [()])
    holding = np.zeros(ends.size, np.int32)
    for number, (event, end) in enumerate(zip(events, ends[np.array(events)].tolist(), strict=True), 1):
        holding[event:end] = number  # inner ones later
    of_rows = holding[rows]
    places = np.flatnonzero(np.diff(of_rows, prepend=-1))
    every = [(), *values]
    return Said(places, [every[number] for number in of_rows[places].tolist()])


def _depths(kinds: NDArray[Any]) -> NDArray[np.int16]:
    """Return how deep each tag stands, the same for both tags of an element."""
    begins = kinds >= 0
    return (np.cumsum(np.where(begins, 1, -1)) + ~begins).astype(np.int16)


def ends_of(kinds: NDArray[Any]) -> NDArray[np.int64]:
    """Return where the element of each start tag ends; of end tags 0.

    >>> ends_of(np.array([0, 1, -1, 1, -1, -1])).tolist()
    [5, 2, 0, 4, 0, 0]
    """
    order = np.argsort(_depths(kinds), kind="stable")  # at one depth ends follow their begins
    ends = np.zeros(kinds.size, np.int64)
    ends[order[::2]] = order[1::2]
    return ends


def parents_of(kinds: NDArray[Any], events: NDArray[Any]) -> NDArray[np.int64]:
    """Return the start tags of the parents of some elements; -1 for that of the document's.

    >>> parents_of(np.array([0, 1, -1, 1, 2, -1, -1, -1]), np.array([0, 3, 4])).tolist()
    [-1, 0, 3]
    """
    depths, found = _depths(kinds), np.full(events.size, -1, np.int64)
    own = depths[events]
    for depth in np.unique(own[own > 1]).tolist():
        above = np.flatnonzero((depths == depth - 1) & (kinds >= 0))
        chosen = own == depth
        found[chosen] = above[np.searchsorted(above, events[chosen]) - 1]
    return found
