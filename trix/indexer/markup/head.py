"""Heads of documents: the shortest prefix that a tree must be built from.

A head ends where a child of the root element begins, so every element in it but the root is complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from trix.core.markup import place_children
from trix.indexer.profile.reach import Reach


class RootChildren:
    """Children of the root element, as prefixes of the document.

    Parameters
    ----------
    tags, heads
        Tag and head of each event (see `trix.core.markup.scan_markup`).
    levels
        Depth of the tree.
    names
        Local names of tags, by number.
    markup
        Markup of the root element.
    """

    def __init__(
        self, tags: NDArray[np.int32], heads: NDArray[np.int32], levels: int, names: Sequence[str], markup: bytes
    ) -> None:
        self._tags, self._heads, self._levels = tags, heads, levels
        self._names, self._markup = names, markup

    @cached_property
    def _found(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
        """Arrays that `trix.core.markup.place_children` fills: begins, last child per tag, pairs of parent and
        child.
        """
        known = len(self._names)
        begins, last, inside = (
            np.empty(self._tags.size, np.int32),
            np.zeros(known, np.int32),
            np.zeros((known, known), bool),
        )
        return begins[: place_children(self._tags, self._levels, begins, last, inside)], last, inside

    @property
    def begins(self) -> NDArray[np.int32]:
        """Events at which the children begin."""
        return self._found[0]

    def count_through(self, event: int) -> int:
        """Return the number of children up to and with the one at an event; 0 for the root."""
        return int(np.searchsorted(self.begins, event, "right"))

    def byte(self, children: int) -> int:
        """Return the byte offset after the first `children` children: the next one's begin, or the end."""
        if children >= self.begins.size:
            return len(self._markup)
        # Heads point after the tag name; search back to its angle bracket.
        return self._markup.rindex(b"<", 0, int(self._heads[self.begins[children]])) if children else 0

    def event(self, children: int) -> int:
        """Return the event after the first `children` children."""
        return int(self.begins[children]) if children < self.begins.size else self._tags.size

    def reached(self, reaches: Iterable[Reach]) -> int:
        """Return the number of children needed to include all matches of some paths."""
        needed = 0
        for reach in reaches:
            # Skip paths whose last possible child is included already.
            if not reach.child or self._most(self._last_of_children, reach.child) > needed:
                needed = max(needed, self._reached(reach))
        return needed

    def _reached(self, reach: Reach) -> int:
        # A path without some required pair of parent and child matches nothing.
        if not all(self._is_inside(*pair) for pair in reach.pairs):
            return 0
        # A match ends before the last occurrence of each name in the path, so the minimum is a safe bound.
        found = [self._most(self._last, name) for name in reach.names if name != self._names[0]]
        if reach.child:
            found.append(self._most(self._last_of_children, reach.child))
        return min(found, default=self.begins.size)

    def _is_inside(self, outer: str, inner: str) -> bool:
        """Whether some element named `inner` is a child of one named `outer`."""
        # A local name may have several tags.
        numbers = self._numbers
        return any(self._found[2][a, b] for a in numbers.get(outer, ()) for b in numbers.get(inner, ()))

    def _most(self, of_tags: Sequence[int], name: str) -> int:
        return max((of_tags[number] for number in self._numbers.get(name, ())), default=0)

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """Tag numbers by local name."""
        numbers: dict[str, list[int]] = {}
        for number, name in enumerate(self._names):
            numbers.setdefault(name, []).append(number)
        return numbers

    @cached_property
    def _last(self) -> Sequence[int]:
        """For each tag, the number of children needed to include all its elements."""
        last: list[int] = self._found[1].tolist()
        return last

    @cached_property
    def _last_of_children(self) -> Sequence[int]:
        """For each tag, the number of children up to the last child with that tag."""
        last = np.zeros(len(self._names), np.int32)
        last[self._tags[self.begins]] = np.arange(1, self.begins.size + 1)
        found: list[int] = last.tolist()
        return found
