"""Ranges of numbers and dates: in filters, and as facets [QUERY, sections 2 and 3].

A range is a text, ``1990..1999``, with both ends included. Either end may be empty, and ``..<`` excludes the last
value. Facets use ranges with round borders: of equal width, or in steps 1, 2, 5, 10 if small values are far more
frequent than large ones.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from trix.indexer.profile.fields import FieldRule
from trix.support.arrays import Ints

MANY = 12
"""Up to this number, values are offered one by one; also the largest number of inner ranges."""

_SPAN = re.compile(r"(?P<low>.*?)\.\.(?P<open><?)(?P<high>.*)")
_OUTLIERS = 0.03
"""Share of values at each end that do not widen the ranges; the first and last range are open there."""

_WIDEST = 1e15
"""Largest spread of values for which borders are exact as doubles."""

_SKEW = 100
"""Least ratio of the greatest to the least value for ranges in steps 1, 2, 5, 10."""


class Span(NamedTuple):
    """Ends of a range, possibly empty, and the operator of the last one."""

    low: str
    operator: str
    high: str


def span_of(rule: FieldRule, text: str) -> Span | None:
    """Parse a range; None if the text is not a range.

    >>> span_of(FieldRule((), "integer"), "1990..1999"), span_of(FieldRule((), "number"), "..<0.5")
    (Span(low='1990', operator='<=', high='1999'), Span(low='', operator='<', high='0.5'))
    >>> span_of(FieldRule((), "integer"), "1990"), span_of(FieldRule(()), "1990..1999")
    (None, None)
    """
    found = _SPAN.fullmatch("".join(text.split())) if rule.type != "string" else None
    if found is None or not (found["low"] or found["high"]):
        return None
    return Span(found["low"], "<" if found["open"] else "<=", found["high"])


class ValueRange(NamedTuple):
    """Range in the notation of filters, and its values as indices [begin, end) of the sorted values."""

    text: str
    begin: int
    end: int


def ranges_of(rule: FieldRule, values: Sequence[str], times: Ints) -> list[ValueRange]:
    """Return the facet ranges of a field; empty if it has few values.

    Parameters
    ----------
    rule
        Rule of the field.
    values
        Distinct values, ascending.
    times
        Frequency of each.

    Examples
    --------
    >>> years = [str(year) for year in range(1953, 2016)]
    >>> [each.text for each in ranges_of(FieldRule((), "integer"), years, np.ones(63))][:3]
    ['1950..1959', '1960..1969', '1970..1979']
    """
    if rule.type == "string" or len(values) <= MANY:
        return []
    if rule.type == "date":
        return _date_ranges(values, times)
    numbers = [rule.order(value) for value in values]
    return _number_ranges(numbers, times, whole=rule.type in ("integer", "year"))


def _date_ranges(values: Sequence[str], times: Ints) -> list[ValueRange]:
    """Return ranges of years, or the months of a single year. Filters compare dates up to the shorter precision."""
    years = [int(value[:4]) for value in values]
    if len(set(years)) == 1:
        known = all(len(value) >= len("2015-03") for value in values)
        return _parts([value[:7] for value in values]) if known else []
    if len(set(years)) <= MANY:
        return _parts([value[:4] for value in values])
    return _number_ranges(years, times, whole=True, digits=4)


def _parts(texts: Sequence[str]) -> list[ValueRange]:
    """Return a range per distinct prefix of a date, such as ``2015``; empty for a single one."""
    found = dict.fromkeys(texts)
    ranges = [ValueRange(text, bisect_left(texts, text), bisect_left(texts, f"{text}~")) for text in found]
    return ranges if len(ranges) > 1 else []


def _number_ranges(numbers: Sequence[float], times: Ints, whole: bool, digits: int = 1) -> list[ValueRange]:
    """Return ranges with round borders over ascending numbers."""
    share = np.cumsum(times) / np.sum(times)
    low, middle, high = (numbers[int(share.searchsorted(at))] for at in (_OUTLIERS, 0.5, 1 - _OUTLIERS))
    if not 1e-9 * max(abs(low), abs(high), 1e-6) < high - low < _WIDEST:
        return []
    # Skewed: spread over two orders of magnitude, with the median in the lowest quarter.
    skewed = low >= 0 and high >= _SKEW * max(low, 1) and middle < high / 4
    borders = _powers(max(low, 1), high) if skewed else _steps(low, high, whole)
    if not skewed:  # values just outside get a closed range, which is more precise than an open one
        step = borders[1] - borders[0]
        if borders[0] - step <= numbers[0] < borders[0]:
            borders.insert(0, borders[0] - step if whole else round(borders[0] - step, 12))
        if borders[-1] <= numbers[-1] < borders[-1] + step:
            borders.append(borders[-1] + step if whole else round(borders[-1] + step, 12))
    ends = [bisect_left(numbers, border) for border in borders]
    found = [
        ValueRange(_text(first, last, whole, digits), begin, end)
        for first, last, begin, end in zip(borders, borders[1:], ends, ends[1:], strict=False)
    ]
    if ends[0]:
        found.insert(0, ValueRange(_text(None, borders[0], whole, digits), 0, ends[0]))
    if ends[-1] < len(numbers):
        found.append(ValueRange(_text(borders[-1], None, whole, digits), ends[-1], len(numbers)))
    found = [each for each in found if each.begin < each.end]
    return found if len(found) > 1 else []


def _text(low: float | None, high: float | None, whole: bool, digits: int) -> str:
    """Write the range from `low` up to, excluding, `high`.

    >>> _text(1990, 2000, True, 4), _text(7, 8, True, 1), _text(None, 100, True, 1), _text(0.5, 1.0, False, 1)
    ('1990..1999', '7', '..99', '0.5..<1')
    """
    if not whole:
        first, last = ("" if each is None else f"{each:.12g}" for each in (low, high))
        return f"{first}..<{last}" if last else f"{first}.."
    if low is not None and high is not None and high - low == 1:
        return f"{low:0{digits}}"
    first = "" if low is None else f"{low:0{digits}}"
    return first + ".." + ("" if high is None else f"{high - 1:0{digits}}")


def _steps(low: float, high: float, whole: bool) -> list[float]:
    """Return equidistant round borders around two numbers, for at most `MANY` ranges.

    >>> _steps(1953, 1989, True), _steps(0.2, 1.1, False)
    ([1950, 1955, 1960, 1965, 1970, 1975, 1980, 1985, 1990], [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2])
    """
    power = math.floor(math.log10((high - low) / MANY))
    power = max(power, 0) if whole else power
    while True:
        for digit in (1, 2, 5):
            step = digit * 10**power if power >= 0 else digit / 10**-power
            first, last = math.floor(low / step), math.floor(high / step)
            if last - first < MANY:
                return [at * step if whole else round(at * step, 12 - min(power, 0)) for at in range(first, last + 2)]
        power += 1


def _powers(low: float, high: float) -> list[float]:
    """Return borders 1, 2, 5, 10, .. around two numbers from 1; powers of ten if these are too many.

    >>> _powers(130, 4000), _powers(3, 2_000_000)
    ([100, 200, 500, 1000, 2000, 5000], [1, 10, 100, 1000, 10000, 100000, 1000000, 10000000])
    """
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 2)
    for digits in ((1, 2, 5), (1,)):
        borders = [digit * 10**power for power in powers for digit in digits]
        first = max(place for place, border in enumerate(borders) if border <= low)
        last = min(place for place, border in enumerate(borders) if border > high)
        if last - first <= MANY:
            break
    return borders[first : last + 1]
