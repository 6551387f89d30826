"""Comparisons of structured queries: numbers, dates, strings [RETRIEVAL, section 7].

Both sides decimals: they compare as numbers. Else ``=`` and ``!=`` compare strings, and the others hold only between
two ISO dates.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.indexer.document.parts import Opaque, Value
from trix.indexer.store.files import IndexFiles
from trix.query.language.nexi_tree import NUMBER, Operator

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
    """The right side of a comparison: its text, and the number and the date that it can be read as."""

    text: str
    number: Decimal | None
    day: date | None

    def holds(self, operator: Operator, value: Value) -> bool:
        """Return whether the comparison holds for a value, a text without white space around it.

        >>> literal("1999").holds(">=", "1999.0"), literal("b").holds(">", "c"), literal("b").holds("!=", "c")
        (True, False, True)
        >>> literal("2001-05-03").holds("<", "2001-04-30"), literal("2001-02-30").holds("<", "2001-01-01")
        (True, False)
        """
        if isinstance(value, Opaque):  # too long, or with a space too many, for a number or a date
            return operator in ("=", "!=") and value.equals(self.text) == (operator == "=")
        compare = _OPERATORS[operator]
        if self.number is not None and (number := _number(value)) is not None:
            return compare(number, self.number)
        if operator in ("=", "!="):
            return compare(value, self.text)
        return self.day is not None and (day := _day(value)) is not None and compare(day, self.day)


def literal(text: str) -> Literal:
    """Return the right side of a comparison from its text without quotes."""
    bare = text.strip()
    return Literal(text, _number(bare), _day(bare))


def holds_for(index: IndexFiles, elements: NDArray[Any], operator: Operator, wanted: Literal) -> NDArray[np.bool_]:
    """Return for each element whether the comparison holds for its text, without white space around it."""
    values = index.values_of(elements)
    verdicts = {value: wanted.holds(operator, value) for value in set(values)}
    return np.fromiter((verdicts[value] for value in values), np.bool_, len(values))


def _number(text: str) -> Decimal | None:
    return Decimal(text) if NUMBER.fullmatch(text) else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None
