"""Filters on places, such as ``page = 210..220`` or ``verse = 3:16``: elements whose text overlaps a place."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import numpy as np

from trix.errors import QueryError
from trix.indexer.fields.filter_tree import (
    Condition,
    Filter,
    FilterAll,
    FilterAny,
    FilterComparison,
    FilterExists,
    FilterNot,
    FilterValue,
    Leaf,
)
from trix.indexer.places.numbers import PlaceNumbers
from trix.indexer.store.files import IndexFiles
from trix.support.arrays import Ints, Mask
from trix.support.lru_cache import LruFunction

BETWEEN = ".."
"""Separates the first and last number of a range; ``..<`` excludes the last."""

_KEPT = 1 << 14
"""LRU cache size: wanted places per document and condition."""

_LOOKED_AT = 5000
"""Documents of an index in which a place is looked for to say that there is none; a larger index says nothing."""

_Bounds = tuple[str, str, tuple[bool, bool]]
"""First and last wanted number, empty for no bound, and whether each is included."""


class PlaceConditions:
    """Evaluates conditions on the places of an index.

    Parameters
    ----------
    index
        Opened index.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index = index
        self._wanted: LruFunction[tuple[str, tuple[_Bounds, ...] | None, int], tuple[Ints, Ints]] = LruFunction(
            self._stretches, _KEPT
        )

    def check(self, leaf: Leaf, where: Filter) -> None:
        """Raise if a condition is not possible for places.

        Raises
        ------
        QueryError
            The condition is on words.
        """
        if isinstance(leaf, FilterComparison) and leaf.operator == "~":
            raise QueryError(
                f"{leaf.name}: places have numbers, not words; use = instead of ~, such as {leaf.name} = 3..7",
                where.text, leaf.column, what="where",
            )  # fmt: skip

    def notices(self, leaf: Leaf) -> Iterator[str]:
        """Yield which places of a condition no document has, and which there are, one line each."""
        documents, bounds = range(len(self._index)), _bounds_of(leaf)
        if len(documents) > _LOOKED_AT:
            return
        values: tuple[FilterValue, ...] = ()
        if not isinstance(leaf, FilterExists):
            values = (leaf.value,) if isinstance(leaf, FilterComparison) else leaf.values
        for value, one in zip(values or (None,), bounds or (None,), strict=True):
            limits = None if one is None else (one,)
            if any(self._wanted((leaf.name, limits, document))[0].size for document in documents):
                continue
            operator = leaf.operator.removeprefix("!") if isinstance(leaf, FilterComparison) else "="
            condition = leaf.name if value is None else f"{leaf.name} {operator} {value}"
            yield f"where: no text has {condition}; {self._there(leaf.name)}"

    def _there(self, name: str) -> str:
        """Return which places of a name the documents have, for a notice."""
        rules = self._index.profile.milestones
        numbers, found = PlaceNumbers(rules, name), list[tuple[str, ...]]()
        for document in range(len(self._index)):
            spans = self._index.places(document).spans(name)
            found += [spans.numbers[at] for at in spans.with_text()]
        if not found:
            return f"no document has any {name}"
        if len(numbers.chain) == 1:
            found.sort(key=lambda number: numbers.keys(number)[0])  # else as they follow each other
        first, last = (numbers.text(number, number) for number in (found[0], found[-1]))
        return f"there is {first}" if first == last else f"there are {first} to {last}"

    def holds(self, leaf: Leaf, elements: Ints) -> Mask:
        """Flag the elements whose text overlaps a wanted place."""
        if isinstance(leaf, FilterComparison) and leaf.operator == "!=":
            return ~self.holds(FilterComparison(leaf.name, "=", leaf.value), elements)
        found = np.zeros(elements.size, np.bool_)
        if not elements.size:
            return found
        table, bounds = self._index.elements, _bounds_of(leaf)
        table.printed_of(elements)
        begins, ends = table.start[elements].astype(np.int64), table.start[elements] + table.length[elements]
        documents = self._index.documents_of(elements)
        for document in np.unique(documents).tolist():
            first, last = self._wanted((leaf.name, bounds, document))
            if first.size:
                own = np.flatnonzero(documents == document)
                # The first place that ends after the element begins overlaps it if it begins before the element ends.
                at = np.searchsorted(last, begins[own], "right")
                found[own] = (at < first.size) & (first[np.minimum(at, first.size - 1)] < ends[own])
        return found

    def _stretches(self, bounds_in_document: tuple[str, tuple[_Bounds, ...] | None, int]) -> tuple[Ints, Ints]:
        """Return the begins and ends of wanted places with text in a document."""
        name, bounds, document = bounds_in_document
        spans = self._index.places(document).spans(name)
        wanted = spans.begin < spans.end
        if bounds is not None:
            numbers = PlaceNumbers(self._index.profile.milestones, name)
            limits = [(*numbers.bounds(low, high), closed) for low, high, closed in bounds]
            fits = [
                any(numbers.fits(number, low, high, closed) for low, high, closed in limits) for number in spans.numbers
            ]
            wanted &= np.array(fits, np.bool_)
        return spans.begin[wanted], spans.end[wanted]


def _bounds_of(leaf: Leaf) -> tuple[_Bounds, ...] | None:
    """Return the wanted ranges of a condition; None for any number.

    >>> _bounds_of(FilterComparison("page", "=", FilterValue("210..<220")))
    (('210', '220', (True, False)),)
    >>> _bounds_of(FilterComparison("page", ">", FilterValue("7")))
    (('7', '', (False, True)),)
    """
    if isinstance(leaf, FilterExists):
        return None
    if isinstance(leaf, FilterComparison) and leaf.operator != "=":
        text, closed = leaf.value.text.strip(), leaf.operator.endswith("=")
        return ((text, "", (closed, True)),) if ">" in leaf.operator else (("", text, (True, closed)),)
    return tuple(map(_range, (leaf.value,) if isinstance(leaf, FilterComparison) else leaf.values))


def _range(value: FilterValue) -> _Bounds:
    low, between, high = (part.strip() for part in value.text.partition(BETWEEN))
    if not between:
        return low, low, (True, True)
    return low, high.removeprefix("<").strip(), (True, not high.startswith("<"))


def names_place(condition: Condition, places: frozenset[str]) -> bool:
    """Whether a condition includes one on a place."""
    if isinstance(condition, FilterAll | FilterAny):
        return any(names_place(part, places) for part in condition.parts)
    return names_place(condition.part, places) if isinstance(condition, FilterNot) else condition.name in places


def without_places(condition: Condition, places: frozenset[str]) -> Condition | None:
    """Weaken a condition to one on documents alone; None if any document may match.

    >>> page, year = FilterExists("page"), FilterExists("year")
    >>> print(without_places(FilterAll((page, year)), frozenset(["page"])))
    year exists
    >>> without_places(FilterAny((page, year)), frozenset(["page"])) is None
    True
    """
    if isinstance(condition, FilterAll):
        parts = [kept for part in condition.parts if (kept := without_places(part, places)) is not None]
        return None if not parts else parts[0] if len(parts) == 1 else FilterAll(tuple(parts))
    return None if names_place(condition, places) else condition


def joined_masks(condition: FilterAll | FilterAny, masks: list[Mask]) -> Mask:
    """Combine masks by the operator of a condition."""
    found: Mask = reduce(np.logical_and if isinstance(condition, FilterAll) else np.logical_or, masks)
    return found
