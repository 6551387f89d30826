"""The result of scoring, before ranking: the candidates of a query, their scores, and all numbers behind these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.query.language.terms import Keys, Query
from trix.query.matching.candidates import Candidates
from trix.query.matching.matching import TermList
from trix.query.options import Options
from trix.query.scoring.models import Extent, Statistics
from trix.support.arrays import Floats, Mask


class Counts(NamedTuple):
    """How often a term occurs in the candidates, and in how many content elements of each, ``(n,)``."""

    kf: NDArray[Any]
    xi_k: NDArray[Any]


class TermWeights(NamedTuple):
    """The numbers of all terms in one candidate, as arrays of length one, and their signed weights as a column."""

    statistics: dict[Keys, Statistics]
    extent: Extent
    weights: Floats


@dataclass(frozen=True)
class CandidateScores:
    """A query's candidates and all that their scores are made of.

    Attributes
    ----------
    query
        The terms that were weighed.
    statistics
        By term, its sign apart.
    extent
        How large the candidates are.
    weights : (T, n) ndarray
        Signed weights in written order.
    s : (n,) ndarray
        Combined basic weights.
    scores : (n,) ndarray
        Contextualised.
    matching : (n,) ndarray of bool, or None
        Which candidates match; None where all do.
    returned : (n,) ndarray of bool, or None
        Which candidates may be returned: they have a score, answer a structured query, and belong to the level that
        is asked; None where all do.
    restricted : (n,) ndarray of bool, or None
        Which candidates are in documents that a filter lets through; None where there is none, or not yet.
    structured
        Whether a structured query was asked.
    chosen
        Whether signs or operators restrict what may be returned.
    lists
        By term, what the inverted file says of it.
    counts
        By term, what was counted before any model; like `statistics` and `weights` empty for a query of many terms,
        for which they would be too large, see `BasicScorer.weighed`.
    """

    query: Query
    options: Options
    candidates: Candidates
    statistics: dict[Keys, Statistics]
    extent: Extent
    weights: Floats
    s: Floats
    scores: Floats
    matching: Mask | None
    returned: Mask | None
    structured: bool = False
    chosen: bool = False
    lists: Mapping[Keys, TermList] = field(default_factory=dict)
    counts: dict[Keys, Counts] = field(default_factory=dict)
    restricted: Mask | None = None

    @property
    def crowded(self) -> bool:
        """Whether the query has so many terms that the numbers of each are not kept."""
        return bool(self.lists) and not self.counts

    @property
    def counted(self) -> Mask | None:
        """Which candidates match, satisfy the structure of a structured query, and belong to the level; None for all.

        Those that are returned for their context alone are not among them.
        """
        limited = self.options.level is not None or self.options.language is not None
        mask = self.returned if self.structured or self.chosen or limited else self.matching
        if self.restricted is None:
            return mask
        return self.restricted if mask is None else mask & self.restricted

    @property
    def found(self) -> int:
        """Number of elements that match, satisfy the structure of a structured query, and belong to the level."""
        mask = self.counted
        return len(self.candidates) if mask is None else int(np.count_nonzero(mask))
