"""Conditions on values: comparisons of numbers, dates and strings, and terms in values [RETRIEVAL, section 7].

Two decimals compare as numbers. Otherwise ``=`` and ``!=`` compare strings, and the other operators hold only
between two ISO dates.

The keys of all values under one name are computed once and cached with the index (`RowKeys`). A term without order
is then a few joins of arrays. Phrases and terms with a distance look at the keys of single values, and only of
values that have all of their keys.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.indexer.document.partial_text import Opaque, Value
from trix.indexer.store.attributes import RowKeys
from trix.indexer.store.files import IndexFiles
from trix.indexer.words.analyzer import Analyzer
from trix.query.language.nexi_tree import NUMBER, Operator
from trix.query.language.occurrence import occurs
from trix.query.language.terms import And, Condition, Keys, Not, Query, Term, nears, plain
from trix.support.arrays import Mask

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_OPERATORS: dict[Operator, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Literal(NamedTuple):
    """The right side of a comparison: its text, and its value as a number or date."""

    text: str
    number: Decimal | None
    day: date | None

    def holds(self, operator: Operator, value: Value) -> bool:
        """Whether the comparison holds for a value, a text without white space around it.

        >>> literal("1999").holds(">=", "1999.0"), literal("b").holds(">", "c"), literal("b").holds("!=", "c")
        (True, False, True)
        >>> literal("2001-05-03").holds("<", "2001-04-30"), literal("2001-02-30").holds("<", "2001-01-01")
        (True, False)
        """
        if isinstance(value, Opaque):  # too long, or with a space too many, for a number or a date
            return operator in ("=", "!=") and value.equals(self.text) == (operator == "=")
        compare = _OPERATORS[operator]
        # Numbers first: 1999 equals 1999.0, which strings do not.
        if self.number is not None and (number := _number(value)) is not None:
            return compare(number, self.number)
        if operator in ("=", "!="):
            return compare(value, self.text)
        return self.day is not None and (day := _day(value)) is not None and compare(day, self.day)


def literal(text: str) -> Literal:
    """Parse the right side of a comparison from its text without quotes."""
    bare = text.strip()
    return Literal(text, _number(bare), _day(bare))


def holds_for(index: IndexFiles, elements: NDArray[Any], operator: Operator, wanted: Literal) -> NDArray[np.bool_]:
    """Return for which elements the comparison holds, by their stripped text."""
    values = index.values_of(elements)
    # Values repeat, such as years: each is compared once.
    verdicts = {value: wanted.holds(operator, value) for value in set(values)}
    return np.fromiter((verdicts[value] for value in values), np.bool_, len(values))


def _number(text: str) -> Decimal | None:
    return Decimal(text) if NUMBER.fullmatch(text) else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


class Occurrence:
    """Test of values against the words of an about().

    Parameters
    ----------
    query
        The query of an about().
    exact
        Whether the keys of a phrase must be adjacent.
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
        """Return which values match under the chain of any language, or of all if the terms have a minus.

        Compared values lie below content elements, so their language is unknown.

        Parameters
        ----------
        keys
            Returns the keys of the values under a chain.
        analyzers
            The chains.
        """
        # A term occurs if it does in any language; that it does not occur must hold in all.
        join = np.logical_and if self._only_minus else np.logical_or
        return np.asarray(join.reduce([self._under(keys(analyzer)) for analyzer in analyzers]))

    def _under(self, rows: RowKeys) -> Mask:
        join = np.logical_and if self._every else np.logical_or
        # True is neutral for and, false for or.
        found = np.full(rows.ends.size, self._every)
        for term in self._terms:
            found = join(found, self._occurs(term.keys, rows))
        if self._only_minus:
            found = ~found
        return found if self._demanded is None else found & self._satisfied(self._demanded, rows)

    def _satisfied(self, condition: Condition, rows: RowKeys) -> Mask:
        if isinstance(condition, Term):
            return self._occurs(condition.keys, rows)
        if isinstance(condition, Not):
            return ~self._satisfied(condition.condition, rows)
        join = np.logical_and if isinstance(condition, And) else np.logical_or
        return np.asarray(join.reduce([self._satisfied(part, rows) for part in condition.parts]))

    def _occurs(self, keys: Keys, rows: RowKeys) -> Mask:
        """Return which values match keys, see `occurs`."""
        found = np.zeros(rows.ends.size, np.bool_)
        # Arrays first: all keys in any order. Only values that have them are read one by one, for their order.
        ordered = bool(nears(keys))
        for one in plain(keys):
            found |= _holding_all(one, rows)
            ordered = ordered or (self._exact and len(one) > 1)
        if ordered:
            values = np.flatnonzero(found)
            found[values] = [occurs(keys, rows.of(value), self._exact) for value in values.tolist()]
        return found


def _holding_all(keys: Sequence[str], rows: RowKeys) -> Mask:
    """Return which values hold all of some keys."""
    found = rows.having(keys[0])
    # A key that a phrase repeats is looked up once.
    for key in dict.fromkeys(keys[1:]):
        found = found & rows.having(key)
    return found
