"""Checks of values from dicts, frames and other libraries' objects, with one-line errors."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError
from trix.eval.formats.reading.lines import in_range

_REFUSED = (TypeError, ValueError, ArithmeticError)
_PLAIN = {int, float, bool}


def short_repr(value: object) -> str:
    """Return the repr of a value for a message, in one short line.

    >>> short_repr("a\\nb"), short_repr([1] * 99), short_repr(10**9999)
    ("'a\\\\nb'", '[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ..', 'a number of many digits')
    """
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python does not write whole numbers of thousands of digits
        return "a number of many digits"
    return text if len(text) <= 42 else f"{text[:40]}.."


def as_id(value: Any) -> str:
    """Return the id of a topic or a unit as str.

    >>> as_id("a"), as_id(7)
    ('a', '7')
    """
    try:
        return str(value)
    except ValueError:
        raise UsageError(f"{short_repr(value)} is not an id of a topic or a unit") from None


def missing(value: Any) -> bool:
    """Return whether a value is missing: None, NaN, or a missing value of pandas.

    >>> missing(None), missing(float("nan")), missing(0)
    (True, True, False)
    """
    if value is None:
        return True
    if isinstance(value, str | int):
        return False
    try:
        return bool(value != value)
    except (TypeError, ArithmeticError):
        return True
    except ValueError:  # an array
        return False


def number(value: Any, what: str) -> float:
    """Convert a value to float; raise UsageError for anything else, including NaN.

    `what` names the value in the error.

    >>> number(3, "the score of a")
    3.0
    """
    try:
        found = float("nan") if isinstance(value, str | bytes) else float(value)
    except OverflowError:
        raise UsageError(f"{what} is too large: {short_repr(value)}") from None
    except _REFUSED:
        found = float("nan")
    if found != found:
        raise UsageError(f"{what} is not a number: {short_repr(value)}")
    return found


def whole(value: Any, what: str, low: int | None = None) -> int:
    """Convert a value to a whole number of at least ``low``; raise UsageError if it is not one, or too large.

    >>> whole(3.0, "the rank of a")
    3
    """
    if type(value) is int and in_range(value) and (low is None or value >= low):
        return value
    found = number(value, what)
    if not (in_range(found) and found == int(found) and (low is None or found >= low)):
        raise UsageError(f"{what} is not a whole number{'' if low is None else f' from {low} on'}: {short_repr(value)}")
    return int(found)


def numbers(values: Collection[Any], what: Callable[[int], str]) -> NDArray[np.float64]:
    """Convert values to float64; raise UsageError for the first that is not a number.

    ``what`` returns the name of the value at a position, for the error.

    >>> numbers([1, 2.5], "grade {}".format).tolist()
    [1.0, 2.5]
    """
    kinds = set(map(type, values))
    if kinds <= _PLAIN:
        try:
            found = np.fromiter(values, np.float64, len(values))
            if not bool(np.isnan(found).any()):
                return found
        except OverflowError:
            pass
    return np.array([number(value, what(i)) for i, value in enumerate(values)], np.float64)
