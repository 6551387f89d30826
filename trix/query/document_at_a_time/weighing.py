"""How words are weighed, made ready for the compiled loops: a number for the model, its letters, and logarithms.

Compiled logarithms may differ in the last bit from those of numpy, which the formula of lm-dirichlet is written in. Of
whole numbers there are few, so numpy makes tables of them, and the loops look them up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.inverted.by_document import share_for
from trix.query.bounds.documents import SIGNS
from trix.query.document_at_a_time.lists import KeyCounts
from trix.query.language.terms import Term
from trix.query.scoring.models import MODELS, Letters
from trix.query.scoring.units import Units
from trix.query.scoring.weights import bm25_idf_of_one, idf_of_one

Ints = NDArray[Any]
Floats = NDArray[np.float64]

KINDS = {"trix2005": 0, "bm25": 1, "lm-dirichlet": 2}
"""The models that the loops know, with the numbers of `trix.query.document_at_a_time.weighing_loops`."""

NO_TABLE = np.zeros(0), np.zeros(1, np.int64), np.zeros(0)


@dataclass(frozen=True)
class Weighing:
    """A model with its letters and the texts whose statistics count.

    Attributes
    ----------
    model
        A key of `KINDS`.
    letters
        Those of the formula.
    units
        The texts: content elements or documents.
    average
        Whether a score is the mean of the weights, else their sum.
    """

    model: str
    letters: Letters
    units: Units
    average: bool

    @property
    def reads_keys(self) -> bool:
        """Whether a weight depends on how many keys an element has."""
        return not MODELS[self.model].bounded

    def numbers(self, terms: Sequence[Term], held: KeyCounts, longest: int) -> tuple[Any, ...]:
        """Return what the loops want to know: the kind, idf by key, letters, logarithms, and what a sum is divided by.

        Parameters
        ----------
        terms
            Of the query.
        held
            How often each key is held.
        longest
            No element that is looked at has more keys.
        """
        o, units = self.letters, self.units
        m = held.documents if units.documents else held.m
        table, idf = NO_TABLE, np.zeros(len(m))
        if self.model == "trix2005":
            idf = np.array([idf_of_one(each, units.N, o.idf_power) for each in m])
        elif self.model == "bm25":
            idf = np.array([bm25_idf_of_one(each, units.N, o.idf_power) for each in m])
        else:
            table = (*self._logs(held), _lengths(o.mu, longest))
        average_length = units.C / units.N if units.N else 0.0
        letters = float(o.v), float(o.b), share_for(o.b), float(o.k1), float(o.B), average_length
        return KINDS[self.model], idf, letters, table, self._divisor(terms)

    def _logs(self, held: KeyCounts) -> tuple[Floats, Ints]:
        """Return the first part of the weight for each number of occurrences, and where that of each key begins."""
        starts = np.zeros(held.most.size + 1, np.int64)
        np.cumsum(held.most + 1, out=starts[1:])
        logs = np.zeros(int(starts[-1]))
        for t, cf in enumerate(held.cf):
            if cf:
                kf = np.arange(1.0, held.most[t] + 1.0)
                np.log1p(kf * self.units.C / (self.letters.mu * cf), out=logs[starts[t] + 1 : starts[t + 1]])
        return logs, starts

    def greatest(self, terms: Sequence[Term], held: KeyCounts) -> float:
        """Return more than any element scores by itself."""
        m = [each for each in (held.documents if self.units.documents else held.m) if each]
        if self.model == "trix2005":
            of_one = 1.0  # as kf is divided by more than itself, and inverse frequencies lie between 0 and 1
        elif self.model == "bm25":
            rarest = bm25_idf_of_one(min(m, default=1), self.units.N, self.letters.idf_power)
            of_one = (self.letters.k1 + 1.0) * rarest
        else:
            of_one = math.log1p(float(held.most.max()) * self.units.C / (self.letters.mu * max(min(held.cf), 1)))
        total = sum(term.weight for term in terms)
        return of_one * (2.0 * total if self.reads_keys else total / self._divisor(terms))

    def _divisor(self, terms: Sequence[Term]) -> float:
        return float(sum(term.weight for term in terms)) if self.average else 1.0


@lru_cache(maxsize=8)
def _lengths(mu: float, longest: int) -> Floats:
    """Return the second part of the weight of lm-dirichlet for elements of each length."""
    return np.log(mu / (mu + np.arange(float(longest + 1))))


def term_numbers(terms: Sequence[Term], rows: dict[Any, int]) -> tuple[Ints, Ints, Floats]:
    """Return of each term its key, its sign and its weight."""
    key_of, sign = (np.array(of) for of in zip(*((rows[t.keys], SIGNS[t.sign]) for t in terms), strict=True))
    return key_of, sign, np.array([term.weight for term in terms], np.float64)
