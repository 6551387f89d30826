"""Result of scoring, before ranking: candidates of a query, their scores, and the numbers of each score."""

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
    """Frequency of a term in the candidates, and the number of content elements of each that hold it, ``(n,)``."""

    kf: NDArray[Any]
    xi_k: NDArray[Any]


class TermWeights(NamedTuple):
    """Statistics of all terms in one candidate, as arrays of length one, and their signed weights as a column."""

    statistics: dict[Keys, Statistics]
    extent: Extent
    weights: Floats


@dataclass(frozen=True)
class CandidateScores:
    """Candidates of a query with their scores and statistics.

    Attributes
    ----------
    query
        The scored terms.
    statistics
        By term, without its sign.
    extent
        Sizes of the candidates.
    weights : (T, n) ndarray
        Signed weights, terms in written order.
    s : (n,) ndarray
        Combined basic weights.
    scores : (n,) ndarray
        Contextualised scores.
    matching : (n,) ndarray of bool, or None
        Candidates that match; None for all.
    returned : (n,) ndarray of bool, or None
        Candidates that may be returned: with a score, in the answer of the structured query, and in the level; None
        for all.
    restricted : (n,) ndarray of bool, or None
        Candidates in documents that pass the filter; None without a filter, or before it is applied.
    structured
        Whether the query is structured.
    chosen
        Whether signs or operators restrict the results.
    lists
        Posting list by term.
    counts
        Counts by term, before any model. Like `statistics` and `weights`, empty for a query with many terms, which
        would take too much memory; see `BasicScorer.weighed`.
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
        """Whether the query has too many terms to keep counts by term."""
        return bool(self.lists) and not self.counts

    @property
    def counted(self) -> Mask | None:
        """Candidates that match, satisfy the structure of a structured query, and belong to the level; None for all.

        Candidates that are returned for their context alone are excluded.
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
