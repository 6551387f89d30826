"""Ad hoc context by relative paths, alone or with absolute ones [IV, section 2.1; III].

An absolute path selects the same elements for a whole document (`trix.query.context.adhoc`); ``../sec`` depends on the
element. Such a context is computed as pairs of an element and a member, a few documents at a time. If all paths lead
over one ancestor, as with ``../sec``, the elements below that ancestor share the pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from trix.query.context.adhoc import adhoc_text, matched_terms
from trix.query.context.form import ContextTerm, MeanForm, Surroundings, of_index
from trix.query.context.sums import DocumentSums
from trix.query.language.path_tree import Path, PathStep, RelativePath, StepAxis
from trix.query.matching.candidates import Candidates
from trix.query.matching.joins import paired, spread
from trix.support.arrays import Floats, Int32s, Ints
from trix.support.deadline import check

_PAIRS = 1 << 22
"""Largest number of pairs of elements of one document in memory at a time."""

_FEWEST = 256
"""Smallest number of elements processed together, whatever the size of their document."""


@dataclass(frozen=True, slots=True)
class LevelMembers:
    """The members of a granularity level as a part of a context."""

    name: str

    def __str__(self) -> str:
        return f"level={self.name}"


@dataclass(frozen=True, slots=True)
class Links:
    """Linked elements as a context: link targets of x's subtree (``out``), sources of links to it (``in``), or both."""

    direction: str = "out"


ContextPart = Path | RelativePath | LevelMembers | Links


def climbs(way: tuple[PathStep, ...]) -> int:
    """Return the number of leading steps ``..`` of a path.

    >>> from trix.query.language.paths import parse_relative
    >>> [climbs(parse_relative(text).ways[0]) for text in ("../../sec", "./title", "ancestor::sec")]
    [2, 0, 0]
    """
    count = 0
    while count < len(way) and way[count] == PathStep(StepAxis.PARENT):
        count += 1
    return count


def inward(way: tuple[PathStep, ...]) -> bool:
    """Whether a path stays inside the element where it begins.

    >>> from trix.query.language.paths import parse_relative
    >>> [inward(parse_relative(text).ways[0]) for text in (".//title", "..//title", "ancestor::sec")]
    [True, False, False]
    """
    return all(
        step.axis in (StepAxis.SELF, StepAxis.CHILD, StepAxis.DESCENDANT, StepAxis.DESCENDANT_OR_SELF) for step in way
    )


@dataclass(frozen=True, slots=True)
class Around(MeanForm):
    """RS(x) = s(x) + f·Σ g s / Σ g over the elements that paths select, some of them relative to x.

    x is never in its own context. Its descendants are only if a path leads down from x itself.

    Parameters
    ----------
    parts
        Paths, and their weights g; an element selected by several has the weight of the first.
    f
        Factor of the context.
    all
        Score elements that do not match, too.
    text
        The form as written, if it is not ``adhoc:``.
    surroundings, selected
        The index, and the elements that parts independent of x select in it; see `bind`.
    """

    parts: tuple[tuple[ContextPart, float], ...]
    f: float = 1.0
    all: bool = False
    text: str = ""
    surroundings: Surroundings | None = field(default=None, compare=False, repr=False)
    selected: tuple[Int32s | None, ...] = field(default=(), compare=False, repr=False)

    @property
    def level(self) -> str | None:
        """The granularity level among the parts."""
        return next((part.name for part, _ in self.parts if isinstance(part, LevelMembers)), None)

    @property
    def leaves_document(self) -> bool:
        """Whether scores of other documents count."""
        return any(isinstance(part, Links) for part, _ in self.parts)

    def bind(self, surroundings: Surroundings) -> Around:
        """Bind the form to an index: resolve its absolute paths."""
        found: list[Int32s | None] = []
        for part, _ in self.parts:
            if isinstance(part, RelativePath | Links):
                found.append(None)
                if isinstance(part, Links):
                    surroundings.linked("out")  # an index without links is refused before it is searched
            else:
                found.append(
                    surroundings.selected(part) if isinstance(part, Path) else surroundings.at_level(part.name)
                )
        return replace(self, surroundings=surroundings, selected=tuple(found))

    def context(self, candidates: Candidates, s: Floats, place: int) -> tuple[ContextTerm, ...]:
        """Return the terms of one candidate's sums: matching members, then one term for the others."""
        one = slice(place, place + 1)
        ends = of_index(self.surroundings).ends(candidates)[one]
        _, elements, g = self._context(candidates.element[one], ends)
        return matched_terms(candidates, s, elements, g)

    def sums(self, candidates: Candidates, s: Floats) -> tuple[Floats, Floats]:
        """Return Σ g s and Σ g of every candidate."""
        numerator, denominator = np.zeros(len(s)), np.zeros(len(s))
        if not len(s):
            return numerator, denominator
        ends = of_index(self.surroundings).ends(candidates)
        shared = self._shared()
        # The candidates by where their ways begin: at an ancestor that they share, or at themselves.
        origin = np.arange(len(s))
        for _ in range(shared):
            origin = np.where(origin >= 0, candidates.parent[origin], -1)
        order = np.argsort(origin, kind="stable")
        order = order[origin[order] >= 0]
        for begin, end in _portions(candidates, origin[order]):
            check()
            some = order[begin:end]
            origins, group = np.unique(origin[some], return_inverse=True)
            owner, elements, g = self._context(candidates.element[origins], ends[origins], apart=not shared)
            # Members that are candidates have a score; the others count in the denominator alone.
            places = np.minimum(np.searchsorted(candidates.element, elements), len(s) - 1)
            matched = np.flatnonzero(candidates.element[places] == elements)
            values = g[matched] * s[places[matched]]
            # A shared context holds the elements' own subtrees: each leaves out its own range of rows. Else it is left
            # out already, and the range is empty.
            hole = (candidates.element[some], ends[some]) if shared else (np.zeros(some.size, np.int64),) * 2
            for sums, weights, rows in ((numerator, values, matched), (denominator, g, slice(None))):
                of, row = owner[rows], paired(owner[rows], elements[rows])
                low, high = (np.searchsorted(row, paired(group, each)) for each in hole)
                sums[some] = DocumentSums(weights, of).outside(low, high, group)
        return numerator, denominator

    def _shared(self) -> int:
        """Return how many ancestors up elements share their context, except for own subtrees; 0 if they do not."""
        ways = [way for part, _ in self.parts if isinstance(part, RelativePath) for way in part.ways]
        return climbs(ways[0]) if len(ways) == len(self.parts) == 1 else 0

    def _context(self, of: Ints, ends: Ints, *, apart: bool = True) -> tuple[Ints, Ints, Floats]:
        """Return the members of some elements' contexts: indices of the elements, members, and weights.

        Parameters
        ----------
        of, ends
            Ascending elements, and the numbers after their last descendants.
        apart
            Leave out the elements and their descendants. Otherwise they are the shared ancestors, and the steps up to
            them are done.
        """
        found: list[tuple[Ints, Ints, Floats]] = []
        for (part, weight), selected in zip(self.parts, self.selected, strict=True):
            for owner, elements, own in self._reached(part, selected, of, ends, climbed=not apart):
                if apart:
                    outside = (elements < of[owner]) | (elements >= (of[owner] + 1 if own else ends[owner]))
                    owner, elements = owner[outside], elements[outside]
                found.append((owner, elements, np.full(owner.size, weight)))
        owner, elements, g = (np.concatenate(columns) for columns in zip(*found, strict=True))
        # Sorted by owner, then element: contexts are ranges of rows.
        pairs, first = np.unique(paired(owner, elements), return_index=True)  # of equal ones the first, so its weight
        return pairs >> 32, pairs & 0x7FFF_FFFF, g[first]

    def _reached(
        self, part: ContextPart, selected: Int32s | None, of: Ints, ends: Ints, *, climbed: bool
    ) -> Iterator[tuple[Ints, Ints, bool]]:
        """Yield pairs of an element's index and a selected element, and whether descendants may stay."""
        surroundings = of_index(self.surroundings)
        if isinstance(part, RelativePath):
            for way in part.ways:
                yield *surroundings.reached(way[climbs(way) :] if climbed else way, of), inward(way)
        elif isinstance(part, Links):
            for direction in ("out", "in") if part.direction == "both" else (part.direction,):
                begins, others = surroundings.linked(direction)
                # Links that begin in the subtree: sources are sorted, and the subtree is a range.
                first = np.searchsorted(begins, of)
                owner, places = spread(first, np.searchsorted(begins, ends) - first)
                yield owner, others[places], False
        elif selected is not None:
            # Absolute paths select the same elements for a whole document.
            first, last = (np.searchsorted(selected, ends) for ends in surroundings.extent(of))
            owner, places = spread(first, last - first)
            yield owner, selected[places], False

    def __str__(self) -> str:
        return self.text or adhoc_text(self.parts, self)


def _portions(candidates: Candidates, origins: Ints) -> Iterator[tuple[int, int]]:
    """Split candidates by the origin of their paths into portions with few pairs; equal origins stay together."""
    if not origins.size:
        return
    # The candidates of its document stand for the cost of an element's pairs.
    sizes = np.diff(np.append(np.flatnonzero(candidates.depth == 0), len(candidates)))
    document = np.cumsum(candidates.depth == 0) - 1
    cost = sizes[document[origins]].astype(np.int64)
    cost[1:][origins[1:] == origins[:-1]] = 0  # they share their pairs
    before = np.cumsum(cost) - cost
    begin = 0
    while begin < origins.size:
        end = int(np.searchsorted(before, before[begin] + _PAIRS))
        end = min(max(end, begin + _FEWEST), origins.size)
        while end < origins.size and origins[end] == origins[end - 1]:
            end += 1
        yield begin, end
        begin = end
