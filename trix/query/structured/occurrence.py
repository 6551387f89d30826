"""Which attributes and compared elements hold the terms of a query, by sets of their keys.

The keys of what stands under one name are cut and stemmed once, and kept with the index (`RowKeys`). A term without
order is then a few joins of arrays; the keys of a value are looked at one after another only for phrases and for terms
that are to be near, and only where the value has all of their keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from trix.indexer.store.attributes import RowKeys
from trix.indexer.words.analyzer import Analyzer
from trix.query.language.logic import And
from trix.query.language.terms import Condition, Keys, Near, Not, Query, Term, occurs, plain
from trix.support.arrays import Mask


class Occurrence:
    """Tells which values hold what a query asks for.

    Parameters
    ----------
    query
        The query of an about().
    exact
        Whether the keys of a phrase must stand side by side.
    every
        Whether all terms must occur.
    signs
        See `Query.demands`.
    """

    def __init__(self, query: Query, *, exact: bool, every: bool, signs: str) -> None:
        self._only_minus = all(term.sign == "-" for term in query.terms)
        self._terms = [term for term in query.terms if term.sign != "-" or self._only_minus]
        self._every = every and not self._only_minus
        self._exact, self._demanded = exact, query.demands(signs)

    def of(self, keys: Callable[[Analyzer], RowKeys], analyzers: Iterable[Analyzer]) -> Mask:
        """Return which values hold it under the chain of any language; under all, where the terms have a minus.

        What is compared is below content elements, so that its language is not known.

        Parameters
        ----------
        keys
            Returns the keys of the values under a chain.
        analyzers
            The chains.
        """
        join = np.logical_and if self._only_minus else np.logical_or
        return np.asarray(join.reduce([self._under(keys(analyzer)) for analyzer in analyzers]))

    def _under(self, held: RowKeys) -> Mask:
        join = np.logical_and if self._every else np.logical_or
        found = np.full(held.ends.size, self._every)
        for term in self._terms:
            found = join(found, self._occurs(term.keys, held))
        if self._only_minus:
            found = ~found
        return found if self._demanded is None else found & self._satisfied(self._demanded, held)

    def _satisfied(self, condition: Condition, held: RowKeys) -> Mask:
        if isinstance(condition, Term):
            return self._occurs(condition.keys, held)
        if isinstance(condition, Not):
            return ~self._satisfied(condition.condition, held)
        join = np.logical_and if isinstance(condition, And) else np.logical_or
        return np.asarray(join.reduce([self._satisfied(part, held) for part in condition.parts]))

    def _occurs(self, keys: Keys, held: RowKeys) -> Mask:
        """Return which values hold any of what keys stand for, see `occurs`."""
        found = np.zeros(held.ends.size, np.bool_)
        ordered = isinstance(keys[0], Near)
        for one in plain(keys):
            found |= _holding_all(one, held)
            ordered = ordered or (self._exact and len(one) > 1)
        if ordered:
            values = np.flatnonzero(found)
            found[values] = [occurs(keys, held.of(value), self._exact) for value in values.tolist()]
        return found


def _holding_all(keys: Sequence[str], held: RowKeys) -> Mask:
    """Return which values hold all of some keys."""
    found = held.having(keys[0])
    for key in dict.fromkeys(keys[1:]):
        found = found & held.having(key)
    return found
