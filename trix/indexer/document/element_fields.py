"""Reader of element fields, and of the mentions that registers count, by events [QUERY, sections 1 and 20].

A value holds from the start tag of its element to the end tag, except in descendants with a value of their own. Between
two changes all elements have the same value, so a field of a document is a list of runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.document.kinds import GONE, MENTIONS, ElementKind
from trix.indexer.document.record import BELOW, MENTION, OWN, Attribute, ElementRows, FieldRuns, Row
from trix.indexer.profile.fields import FieldRule, Way

Given = Iterable[tuple[int, str, str]]
"""Event, name and value of attributes."""


class ElementFieldReader:
    """Reads the values of element fields.

    Parameters
    ----------
    rules, ways
        Fields by name, and their paths.
    """

    def __init__(self, rules: Mapping[str, FieldRule], ways: Sequence[Way]) -> None:
        self._rules, self._ways = rules, ways

    def read(
        self,
        kinds: NDArray[Any],
        all_kinds: Sequence[ElementKind],
        attributes: Given,
        values: Callable[[NDArray[np.int32], NDArray[np.int32]], list[str]],
        rows: NDArray[Any],
    ) -> dict[str, FieldRuns]:
        """Return the runs of each field over the indexed elements of a document.

        Parameters
        ----------
        kinds, all_kinds
            Number of the kind of each event, -1 at end tags; all kinds by number.
        attributes
            Attributes at which paths end.
        values
            Function from start and end events of elements to their texts.
        rows
            Event of each indexed element.
        """
        if not rows.size:
            return {}
        of_fields: list[list[tuple[int, int, int, str]]] = [[] for _ in self._rules]
        for each in self._of_attributes(kinds, all_kinds, attributes):
            of_fields[self._ways[each[1]].field].append(each)
        for each in self._of_texts(kinds, all_kinds, values):
            of_fields[self._ways[each[1]].field].append(each)
        ends = ends_of(kinds) if any(of_fields) else kinds
        found: dict[str, FieldRuns] = {}
        for (name, rule), given in zip(self._rules.items(), of_fields, strict=True):
            first_values: dict[int, tuple[int, dict[str, None]]] = {}
            for event, way, _, text in sorted(given):
                value = rule.canonical(text)
                if value is not None and first_values.setdefault(event, (way, {}))[0] == way:  # first path wins
                    first_values[event][1][value] = None
            values_of_events = [tuple(each) if rule.many else (next(iter(each)),) for _, each in first_values.values()]
            found[name] = _runs([*first_values], values_of_events, ends, rows)
        return found

    def _of_attributes(
        self, kinds: NDArray[Any], all_kinds: Sequence[ElementKind], attributes: Given
    ) -> Iterable[tuple[int, int, int, str]]:
        """Yield (event, path, event, value) of attributes with a value."""
        for event, name, value in attributes:
            for way in all_kinds[kinds[event]].gives:
                if self._ways[way].attribute == name:
                    yield event, way, event, value

    def _of_texts(
        self, kinds: NDArray[Any], all_kinds: Sequence[ElementKind], values: Callable[..., list[str]]
    ) -> Iterable[tuple[int, int, int, str]]:
        """Yield (event of the parent, path, own event, text) of elements whose text is a value of their parent."""
        gives = [
            [] if each.actions & GONE else [way for way in each.gives if self._ways[way].attribute is None]
            for each in all_kinds
        ]
        is_giving = np.array([*map(bool, gives), False])  # kind -1 indexes the last entry
        events = np.flatnonzero(is_giving[kinds])
        if not events.size:
            return
        parents = parents_of(kinds, events)
        texts = values(events.astype(np.int32), ends_of(kinds)[events].astype(np.int32))
        for event, parent, text in zip(events.tolist(), parents.tolist(), texts, strict=True):
            for way in gives[kinds[event]] if parent >= 0 else ():
                yield parent, way, event, text


class Mentions:
    """Elements of a document that registers count.

    Parameters
    ----------
    found
        The document.
    given
        The attributes that are kept of its elements.
    all_kinds
        ElementKinds by number.
    """

    def __init__(self, found: ElementRows, given: Sequence[Attribute], all_kinds: Sequence[ElementKind]) -> None:
        self._found, self._kinds = found, all_kinds
        candidates: dict[int, dict[str, str]] = {}
        of_events = found.events[0]
        may_mention = [bool(kind.mentions) for kind in all_kinds]
        for event, name, value in (*found.attributes, *given):
            if may_mention[of_events[event]]:
                candidates.setdefault(event, {})[name] = value
        self._attributes = {
            event: attributes
            for event, attributes in sorted(candidates.items())
            if any(path.finds(attributes) for path in self._kind(event).mentions)
        }

    def _kind(self, event: int) -> ElementKind:
        kind: int = self._found.events[0][event]
        return self._kinds[kind]

    def texts(self) -> list[Attribute]:
        """Return the texts of mentions as attributes of the name `MENTION`, of those with text."""
        if not self._attributes:
            return []
        begins = np.array([*self._attributes], np.int32)
        begins = begins[np.isin(begins, self._found.rows[6])]
        if not begins.size:
            return []
        texts = self._found.values(begins, ends_of(np.asarray(self._found.events[0]))[begins].astype(np.int32))
        pairs = zip(begins.tolist(), texts, strict=True)
        return [Attribute(event, MENTION, line) for event, text in pairs if (line := " ".join(text.split()))]

    def below(self, rows: Sequence[Row], names: Mapping[str, str]) -> list[Row]:
        """Return the rows of compared elements with the attributes of mentions, without elements that mention nothing.

        Parameters
        ----------
        rows
            A row for each column of `ElementRows.compared`.
        names
            Names of attributes in the index.
        """
        kinds = np.asarray(self._found.events[0])[self._found.compared[2]]
        may_mention = np.array([bool(kind.mentions) for kind in self._kinds])
        if not may_mention[kinds].any():
            return [*rows]
        made: list[Row] = []
        places: list[int] = []  # per row: its place in `made`, or -1 if left out
        numbers = zip(rows, self._found.compared[2].tolist(), self._found.compared[4].tolist(), strict=True)
        for number, ((owner, kind, name, value, above), event, attribute) in enumerate(numbers):
            around = -1
            if above:
                around = places[number - above]
                if around < 0:  # what it was in is left out: then it is in what that was in
                    kind, around = BELOW, -2 - around
            of_kind, attributes = self._kind(event), self._attributes.get(event)
            if attribute < 0 and of_kind.actions & MENTIONS and attributes is None:
                places.append(-2 - around)
                continue
            places.append(len(made))
            made.append((owner, kind, name, value, len(made) - around if around >= 0 else 0))
            if attribute < 0 and attributes is not None:
                kept = dict.fromkeys(each for path in of_kind.mentions for each in path.tested)
                for each in kept:
                    if each in attributes and each not in of_kind.attributes:
                        made.append((owner, OWN, names[each], attributes[each], len(made) - places[-1]))
        return made


def _runs(events: list[int], values: list[tuple[str, ...]], ends: NDArray[Any], rows: NDArray[Any]) -> FieldRuns:
    """Return the runs of a field.

    Parameters
    ----------
    events, values
        Elements with a value, ascending, and the values.
    ends, rows
        End of each event; event of each indexed element.
    """
    if not events:
        return FieldRuns(np.zeros(1, np.int64), [()])
    holding = np.zeros(ends.size, np.int32)
    for number, (event, end) in enumerate(zip(events, ends[np.array(events)].tolist(), strict=True), 1):
        holding[event:end] = number  # descendants come later and overwrite
    of_rows = holding[rows]
    places = np.flatnonzero(np.diff(of_rows, prepend=-1))
    every = [(), *values]
    return FieldRuns(places, [every[number] for number in of_rows[places].tolist()])


def _depths(kinds: NDArray[Any]) -> NDArray[np.int16]:
    """Return the depth of each tag, equal for both tags of an element."""
    begins = kinds >= 0
    return (np.cumsum(np.where(begins, 1, -1)) + ~begins).astype(np.int16)


def ends_of(kinds: NDArray[Any]) -> NDArray[np.int64]:
    """Return the end tag of each start tag; 0 for end tags.

    >>> ends_of(np.array([0, 1, -1, 1, -1, -1])).tolist()
    [5, 2, 0, 4, 0, 0]
    """
    order = np.argsort(_depths(kinds), kind="stable")  # at one depth, each end tag follows its start tag
    ends = np.zeros(kinds.size, np.int64)
    ends[order[::2]] = order[1::2]
    return ends


def parents_of(kinds: NDArray[Any], events: NDArray[Any]) -> NDArray[np.int64]:
    """Return the start tag of each element's parent; -1 for the root.

    >>> parents_of(np.array([0, 1, -1, 1, 2, -1, -1, -1]), np.array([0, 3, 4])).tolist()
    [-1, 0, 3]
    """
    depths, found = _depths(kinds), np.full(events.size, -1, np.int64)
    own = depths[events]
    # The parent is the last start tag before the element, one level up: a binary search per level.
    for depth in np.unique(own[own > 1]).tolist():
        above = np.flatnonzero((depths == depth - 1) & (kinds >= 0))
        chosen = own == depth
        found[chosen] = above[np.searchsorted(above, events[chosen]) - 1]
    return found
