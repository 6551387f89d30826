"""The documents that hold the terms of a query, and the lists of these terms in some documents alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

import numpy as np

from trix.indexer.store.files import IndexFiles
from trix.indexer.store.held import Held, held_in_list
from trix.query.language.terms import And, Condition, Keys, Or, Term
from trix.query.matching.matching import ListReader, TermList
from trix.support.arrays import Ints, Mask


class HeldTerms:
    """The documents that hold the terms of a query.

    Parameters
    ----------
    index
        The index.
    list_of
        Gives the lists of its terms.
    terms
        The keys of the terms, each once.
    phrases
        What phrases are, as in the options of a search.

    Attributes
    ----------
    of : mapping
        The documents of each term.
    """

    def __init__(self, index: IndexFiles, list_of: ListReader, terms: Iterable[Keys], phrases: str) -> None:
        self._index, self._list_of = index, list_of
        self.of: Mapping[Keys, Held] = {keys: self._held(keys, phrases) for keys in terms}

    def _held(self, keys: Keys, phrases: str) -> Held:
        if len(keys) == 1 and isinstance(keys[0], str):
            return self._index.held(keys[0])
        found = self._list_of(keys, phrases)
        return held_in_list(found.content_numbers, found.tf, self._index.first_contents)

    def lists(self, documents: Ints) -> dict[Keys, TermList]:
        """Return the lists of the terms in some documents, by their ascending numbers."""
        return {keys: TermList(*held.postings(documents), whole=held) for keys, held in self.of.items()}

    def total(self) -> int:
        """Return how many postings the terms have."""
        return sum(held.m for held in self.of.values())

    def postings(self) -> Ints:
        """Return how many postings of the terms each document of the index has."""
        total = np.zeros(len(self._index), np.int64)
        for held in self.of.values():
            total[held.documents] += held.xi_k
        return total

    def holding(self, keys: Keys) -> Mask:
        """Return which documents of the index hold a term."""
        mask = np.zeros(len(self._index), np.bool_)
        mask[self.of[keys].documents] = True
        return mask

    def holding_any(self, terms: Iterable[Keys]) -> Mask:
        """Return which documents hold one of some terms."""
        mask = np.zeros(len(self._index), np.bool_)
        for keys in terms:
            mask[self.of[keys].documents] = True
        return mask

    def holding_all(self, terms: Iterable[Keys]) -> Mask:
        """Return which documents hold all of some terms."""
        return reduce(np.logical_and, map(self.holding, terms))

    def may_satisfy(self, condition: Condition) -> Mask | None:
        """Return which documents may have an element for which a condition holds; None where any may."""
        if isinstance(condition, Term):
            return self.holding(condition.keys) if condition.keys in self.of else None
        if not isinstance(condition, And | Or):
            return None
        parts = [self.may_satisfy(part) for part in condition.parts]
        known = [part for part in parts if part is not None]
        if isinstance(condition, And):
            return reduce(np.logical_and, known) if known else None
        return reduce(np.logical_or, known) if len(known) == len(parts) else None
