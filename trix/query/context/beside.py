"""Siblings, and the preceding and following axes, as context [III, section 5; D, section 2.3].

``siblings`` are the indexed children of x's parent. ``preceding`` and ``following`` are the XPath axes among the
members of one granularity level: all that end before x begins, and all that begin after x ends. Members of a level do
not overlap, so "the two before" is well defined [IV, section 2.1]. x itself need not be a member.

In both, a context is one or two windows of a row, and its sum a difference of running sums with double precision.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from trix.query.context.form import ContextTerm, LevelNumbering, MeanForm, Surroundings, of_index, parameters
from trix.query.context.horizontal import ContentLevel
from trix.query.context.sums import window_sums
from trix.query.matching.candidates import Candidates
from trix.support.arrays import Floats, Ints

SIBLINGS, PRECEDING, FOLLOWING = "siblings", "preceding", "following"


class _Rows(NamedTuple):
    """Rows of siblings or of members of a level, with each context as two windows of a row.

    Attributes
    ----------
    places, numbers : (k,) ndarrays
        Candidates, sorted by row, and their ordinals, which ascend. Ordinals count all elements of a row, also those
        that do not match.
    group : (k,) ndarray
        Row of each candidate, by an ascending number.
    windows : (n, 4) ndarray
        Context of every candidate as two ranges of ordinals: [a, b) and [c, d).
    """

    places: Ints
    numbers: Ints
    group: Ints
    windows: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside(MeanForm):
    """RS(x) = s(x) + f·mean of s over the elements beside x.

    Parameters
    ----------
    axis
        ``siblings``, ``preceding`` or ``following``.
    before, after
        Largest number of elements before and after x, nearest first; None for all.
    f
        Factor of the context.
    all
        Score elements that do not match, too.
    level
        Granularity level of ``preceding`` and ``following``.
    surroundings, numbering
        The index, and the level in it; see `bind`.

    Examples
    --------
    >>> [str(Beside(axis=axis, before=2, f=0.5)) for axis in ("siblings", "preceding")]
    ['siblings:preceding=2,f=0.5', 'preceding:2,f=0.5']
    """

    axis: str
    before: int | None = None
    after: int | None = None
    f: float = 1.0
    all: bool = False
    level: str = "content"
    surroundings: Surroundings | None = field(default=None, compare=False, repr=False)
    numbering: LevelNumbering = field(default=ContentLevel(), compare=False, repr=False)

    def bind(self, surroundings: Surroundings) -> Beside:
        """Bind the form and its level to an index."""
        if self.level == "content":
            return replace(self, surroundings=surroundings)
        return replace(self, surroundings=surroundings, numbering=surroundings.apart(self.level))

    def context(self, candidates: Candidates, s: Floats, place: int) -> tuple[ContextTerm, ...]:
        """Return the terms of one candidate's sum, in document order; a last term stands for members without score."""
        rows = self._rows(candidates)
        a, b, c, d = rows.windows[place].tolist()
        here = ((rows.numbers >= a) & (rows.numbers < b)) | ((rows.numbers >= c) & (rows.numbers < d))
        terms = [ContextTerm(y, 1.0, float(s[y])) for y in rows.places[here].tolist()]
        silent = (b - a) + (d - c) - len(terms)
        if silent:
            terms.append(ContextTerm(None, float(silent), 0.0, silent))
        return tuple(terms)

    def sums(self, candidates: Candidates, s: Floats) -> tuple[Floats, Floats]:
        """Return Σ s and the size of every candidate's context."""
        if not len(candidates):
            return s.copy(), s.copy()
        rows = self._rows(candidates)
        # The size counts elements that do not match, too: ordinals number all of them.
        a, b, c, d = rows.windows.T
        denominator = ((b - a) + (d - c)).astype(np.float64)
        # From ordinals to places among the candidates of the rows.
        at = [np.searchsorted(rows.numbers, ends) for ends in (a, b, c, d)]
        return window_sums(s[rows.places], rows.group, at), denominator

    def _rows(self, candidates: Candidates) -> _Rows:
        return self._siblings(candidates) if self.axis == SIBLINGS else self._axis(candidates)

    def _siblings(self, candidates: Candidates) -> _Rows:
        places = np.argsort(candidates.parent, kind="stable")
        places = places[candidates.parent[places] >= 0]  # document by document, and row by row within them
        numbers, first, last = of_index(self.surroundings).siblings(candidates, places)
        # Two windows beside the element, cut at the ends of its row and at the number of neighbours.
        low = first if self.before is None else np.maximum(first, numbers - self.before)
        high = last if self.after is None else np.minimum(last, numbers + 1 + self.after)
        windows = np.zeros((len(candidates), 4), np.int64)
        windows[places] = np.stack([low, numbers, numbers + 1, high], axis=1)
        return _Rows(places, numbers, candidates.parent[places], windows)

    def _axis(self, candidates: Candidates) -> _Rows:
        first, before, after, last = self.numbering.sides(candidates, np.arange(len(candidates)))
        if self.axis == PRECEDING:
            low = first if self.before is None else np.maximum(first, before - self.before)
            # The second window is empty.
            ends = (low, before, before, before)
        else:
            high = last if self.after is None else np.minimum(last, after + self.after)
            ends = (after, high, high, high)
        # The row of a document are the members of the level; the element itself need not be one.
        places = np.flatnonzero(self.numbering.among(candidates))
        numbers = self.numbering.ordinals(candidates, places).own
        return _Rows(places, numbers, candidates.root[places], np.stack(ends, axis=1).astype(np.int64))

    def __str__(self) -> str:
        if self.axis == SIBLINGS:
            counts = [("preceding", self.before), ("following", self.after)]
            parts = [f"{key}={count}" for key, count in counts if count is not None]
        else:
            count = self.before if self.axis == PRECEDING else self.after
            parts = [] if count is None else [str(count)]
        parts += parameters(self, f=1.0)
        if self.level != "content":
            parts.append(f"level={self.level}")
        return f"{self.axis}:{','.join(parts)}" if parts else self.axis
