"""How much of a document has to be a tree, for somebody who asks for little of it.

A head ends where a child of the document's element begins, so that whatever else begins in it is whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from trix.core.markup import place_children
from trix.indexer.profile.reach import Reach


class Children:
    """The children of a document's element, as far as heads need to know them.

    Parameters
    ----------
    tags, heads
        Of each event of the document, see `trix.core.markup.scan_markup`.
    levels
        How many there are.
    names
        The local names of its tags by number.
    markup
        Of its element.
    """

    def __init__(
        self, tags: NDArray[np.int32], heads: NDArray[np.int32], levels: int, names: Sequence[str], markup: bytes
    ) -> None:
        self._tags, self._heads, self._levels = tags, heads, levels
        self._names, self._markup = names, markup

    @cached_property
    def _found(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
        """What `trix.core.markup.place_children` fills."""
        known = len(self._names)
        begins, last, inside = (
            np.empty(self._tags.size, np.int32),
            np.zeros(known, np.int32),
            np.zeros((known, known), bool),
        )
        return begins[: place_children(self._tags, self._levels, begins, last, inside)], last, inside

    @property
    def begins(self) -> NDArray[np.int32]:
        """The events at which they begin."""
        return self._found[0]

    def behind(self, event: int) -> int:
        """Return how many of them it takes to have all of what begins at an event, that of the element itself but 0."""
        return int(np.searchsorted(self.begins, event, "right"))

    def byte(self, children: int) -> int:
        """Return where in the markup so many of them have ended: the begin of the next, or the end of all."""
        if children >= self.begins.size:
            return len(self._markup)
        return self._markup.rindex(b"<", 0, int(self._heads[self.begins[children]])) if children else 0

    def event(self, children: int) -> int:
        """Return the event that is there."""
        return int(self.begins[children]) if children < self.begins.size else self._tags.size

    def reached(self, reaches: Iterable[Reach]) -> int:
        """Return how many of them it takes to have all that some paths lead to."""
        needed = 0
        for reach in reaches:
            if not reach.child or self._most(self._last_of_children, reach.child) > needed:
                needed = max(needed, self._reached(reach))
        return needed

    def _reached(self, reach: Reach) -> int:
        if not all(self._is_inside(*pair) for pair in reach.pairs):
            return 0
        found = [self._most(self._last, name) for name in reach.names if name != self._names[0]]
        if reach.child:
            found.append(self._most(self._last_of_children, reach.child))
        return min(found, default=self.begins.size)

    def _is_inside(self, outer: str, inner: str) -> bool:
        """Tell whether an element of one name is a child of one of another."""
        numbers = self._numbers
        return any(self._found[2][a, b] for a in numbers.get(outer, ()) for b in numbers.get(inner, ()))

    def _most(self, of_tags: Sequence[int], name: str) -> int:
        return max((of_tags[number] for number in self._numbers.get(name, ())), default=0)

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """The tags of each name."""
        numbers: dict[str, list[int]] = {}
        for number, name in enumerate(self._names):
            numbers.setdefault(name, []).append(number)
        return numbers

    @cached_property
    def _last(self) -> Sequence[int]:
        """Of each tag how many children it takes to have all of its elements."""
        last: list[int] = self._found[1].tolist()
        return last

    @cached_property
    def _last_of_children(self) -> Sequence[int]:
        """Of each tag how many children it takes to have all of them that are of it."""
        last = np.zeros(len(self._names), np.int32)
        last[self._tags[self.begins]] = np.arange(1, self.begins.size + 1)
        found: list[int] = last.tolist()
        return found
