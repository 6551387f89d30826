"""Scoring models, prepared for the compiled loops: model number, parameters, tables of logarithms.

Compiled logarithms may differ in the last bit from those of numpy, which the formula of lm-dirichlet is written in.
The loops need them for few integers, so numpy computes tables that the loops look up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from trix.indexer.store.inverted.by_document import share_for
from trix.query.language.terms import Keys, Term
from trix.query.scoring.models import MODELS, Letters
from trix.query.scoring.statistics import StatisticsScope
from trix.query.scoring.weights import bm25_idf_of_one, idf_of_one
from trix.query.term_cache.impacts import ImpactLetters
from trix.query.term_cache.lists import KeyCounts, QueryLists
from trix.support.arrays import Floats, Ints

KINDS = {"trix2005": 0, "bm25": 1, "lm-dirichlet": 2}
"""Compiled models, with their numbers in `trix.core.topk`."""

SIGNS = {"": 0, "+": 1, "-": -1}
"""The prefixes of terms as numbers, which compiled loops compare."""

NO_TABLE = np.zeros(0), np.zeros(1, np.int64), np.zeros(0)


@dataclass(frozen=True)
class Weighing:
    """A model with its parameters and its statistics scope.

    Attributes
    ----------
    model
        A key of `KINDS`.
    letters
        Parameters of the formula.
    units
        The statistics scope: content elements or documents.
    average
        Whether a score is the mean of the weights; otherwise their sum.
    unit
        Units in which an occurrence is counted: thousandths with weighted places.
    counts
        Source of m and cf of keys for other scopes; the second argument is the kind of phrases.
    """

    model: str
    letters: Letters
    units: StatisticsScope
    average: bool
    unit: int = 1
    counts: Callable[[Keys, str], tuple[int, int]] | None = None

    @cached_property
    def reads_keys(self) -> bool:
        """Whether weights depend on the number of keys of an element."""
        return not MODELS[self.model].bounded

    @cached_property
    def _kind_and_letters(self) -> tuple[int, tuple[float, ...]]:
        o, units = self.letters, self.units
        average_length = units.mean_length or 1.0  # without texts nothing has a weight
        return KINDS[self.model], (*self._of_trix2005, float(o.k1), float(o.B), average_length)

    @cached_property
    def _of_trix2005(self) -> ImpactLetters:
        return ImpactLetters(float(self.letters.v), float(self.letters.b), share_for(self.letters.b))

    @property
    def impact_letters(self) -> ImpactLetters | None:
        """Parameters that maximum impacts depend on; None for models that read keys, whose impacts are not cached."""
        return self._of_trix2005 if self.model == "trix2005" else None

    def in_texts(self, key_counts: KeyCounts) -> tuple[Sequence[int], Sequence[int]]:
        """Return m and cf of each key in the statistics scope."""
        if self.counts is None:
            return key_counts.documents if self.units.documents else key_counts.m, key_counts.cf
        # Members of a level: counted from the postings, since lists by document only know documents.
        found = [self.counts(keys, phrases) for keys, phrases in key_counts.sought]
        return [m for m, _ in found], [cf for _, cf in found]

    def numbers(self, total: float, key_counts: KeyCounts, longest: int) -> tuple[Any, ...]:
        """Return the numbers of the compiled model beside idf.

        These are kind, parameters, logarithms, divisor of a sum, and units of an occurrence. The last one is the
        source of logarithms of counts, if these exceed a table, else None.

        Parameters
        ----------
        total
            Sum of the weights of the terms.
        key_counts
            Frequency of each key.
        longest
            Upper bound of the keys of an element.
        """
        tables, logs_of = NO_TABLE, None
        if self.model == "lm-dirichlet":
            cf = self.in_texts(key_counts)[1]
            lengths = _lengths(self.letters.mu, longest)
            tables = *self._logs(key_counts.most, cf), lengths
            if self.unit > 1:
                # Counts in thousandths have too many values for a table, so only the factor of kf is tabulated, and the
                # logarithm is taken where it is needed.
                occurrences = np.array(cf, np.float64) / self.unit
                logs_of = partial(self._logs_of_counts, occurrences)
                scaled = self.letters.mu * occurrences
                factors = np.divide(self.units.C, scaled, out=np.zeros(len(cf)), where=scaled > 0)
                tables = factors, NO_TABLE[1], lengths
        return *self._kind_and_letters, tables, total if self.average else 1.0, float(self.unit), logs_of

    def idf(self, key_counts: KeyCounts) -> list[float]:
        """Return the idf of each key; 0 if the model has none."""
        if self.model == "lm-dirichlet":
            return [0.0] * len(key_counts.m)
        of_one = idf_of_one if self.model == "trix2005" else bm25_idf_of_one
        N, power = self.units.N, self.letters.idf_power
        return [of_one(each, N, power) if each else 0.0 for each in self.in_texts(key_counts)[0]]

    def _logs_of_counts(self, cf: Floats, t: int, kf: Ints) -> Floats:
        """Compute the first part of the weight for fractional counts with numpy, equal to the last bit."""
        found = np.zeros(kf.size)
        if cf[t]:
            np.log1p(kf / self.unit * self.units.C / (self.letters.mu * cf[t]), out=found)
        return found

    def _logs(self, most: Sequence[int], cfs: Sequence[int]) -> tuple[Floats, Ints]:
        """Tabulate the first part of the weight by frequency; return the table and where each key begins."""
        if self.unit > 1:
            return NO_TABLE[0], NO_TABLE[1]
        # One array for all keys: entry starts[t] + kf. No element holds a key more often than its bound says.
        starts = np.cumsum([0, *(each + 1 for each in most)])
        logs = np.zeros(int(starts[-1]))
        for t, cf in enumerate(cfs):
            if cf:
                kf = np.arange(1.0, most[t] + 1.0)
                np.log1p(kf * self.units.C / (self.letters.mu * cf), out=logs[starts[t] + 1 : starts[t + 1]])
        return logs, starts

    def greatest(self, total: float, key_counts: KeyCounts) -> float:
        """Upper bound of any basic score; the parameters are those of `numbers`."""
        if self.model == "trix2005":  # kf is divided by more than itself, and inverse frequencies are at most 1
            return 1.0 if self.average else total
        o, (m, cf) = self.letters, self.in_texts(key_counts)
        if self.model == "bm25":
            # The saturated part of BM25 stays below k1 + 1, and the rarest key has the largest idf.
            most = (o.k1 + 1.0) * bm25_idf_of_one(min(filter(None, m), default=1), self.units.N, o.idf_power)
        else:
            # The second logarithm is never positive, so the first one alone is a bound: most occurrences, rarest key.
            most = math.log1p(float(max(key_counts.most)) * self.units.C / (o.mu * max(min(cf), 1)))
        # A plus sign doubles a weight, and each term may have one.
        return most * 2.0 * total


@lru_cache(maxsize=8)
def _lengths(mu: float, longest: int) -> Floats:
    """Tabulate the second part of lm-dirichlet's weight by length."""
    return np.log(mu / (mu + np.arange(float(longest + 1))))


NOT_PREFERRED = -1, 0.0, 0.0
"""Values for a word without a preferred spelling: no key, and r = 0."""


def query_numbers(
    terms: Sequence[Term], rows: dict[Keys, int], lists: QueryLists, weighings: tuple[Weighing, Weighing],
    preferred: dict[Keys, tuple[int, float, float]],
) -> tuple[Ints, Floats]:  # fmt: skip
    """Pack the numbers of a query into two arrays, since each array passed to the loops costs time.

    `trix.core.topk.CompiledQuery` unpacks them.

    Parameters
    ----------
    terms, rows
        The terms, and the row of each term's keys.
    lists
        Lists of the keys in row order, and possibly more.
    weighings
        The model, and that of the context.
    preferred
        For words with several spellings: the row of the exact one, and r under both models, see
        `trix.query.term_weights`.

    Returns
    -------
    whole : ndarray
        Number of keys; spans of their lists; by term its row, its sign, and the row of its exact spelling (-1: none).
    real : ndarray
        By term its weight, and r under both models; idf of each key under both models.
    """
    model, around = weighings
    own, r, r_around = zip(*[preferred.get(term.keys, NOT_PREFERRED) for term in terms], strict=True)
    # In the order in which the kernel unpacks them: number of keys, spans, rows, signs, exact spellings.
    whole = [len(lists.kept)]
    for kept in lists.kept:
        whole += kept.spans
    whole += [rows[term.keys] for term in terms]
    whole += [SIGNS[term.sign] for term in terms]
    idf = model.idf(lists.counts)
    idf_around = idf if around is model else around.idf(lists.counts)
    real = [*[term.weight for term in terms], *r, *r_around, *idf, *idf_around]
    return np.array([*whole, *own]), np.array(real, np.float64)
