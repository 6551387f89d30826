"""Evaluation of filters over documents and elements."""

from __future__ import annotations

import operator as op
import re
from collections.abc import Callable, Iterable, Iterator, Set
from functools import reduce
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from trix.errors import QueryError, did_you_mean, nearest, offer
from trix.indexer.fields.filter_tree import (
    Condition,
    Filter,
    FilterAll,
    FilterAny,
    FilterComparison,
    FilterExists,
    FilterNot,
    FilterValue,
    Leaf,
    leaves,
)
from trix.indexer.fields.ranges import span_of
from trix.indexer.fields.table import ElementColumn, FieldColumn, Fields, places_in
from trix.indexer.profile.fields import FieldRule
from trix.indexer.words.analyzer import Analyzer
from trix.indexer.words.spelling import plain_spellings
from trix.support.arrays import Ints, Mask

_NEAR = 20_000
"""Largest number of values searched for spelling suggestions."""

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {"<": op.lt, "<=": op.le, ">": op.gt, ">=": op.ge, "=": op.eq}


class ElementRuns(NamedTuple):
    """Runs of elements that match, or do not match, a filter.

    Attributes
    ----------
    firsts
        First element of each run; the first run begins at 0.
    wanted
        Whether the elements of each run match.
    """

    firsts: Ints
    wanted: Mask

    def holds(self, elements: Ints) -> Mask:
        """Flag the matching ones of some elements, in any order.

        >>> ElementRuns(np.array([0, 3, 7]), np.array([True, False, True])).holds(np.array([2, 3, 9])).tolist()
        [True, False, True]
        """
        found: Mask = self.wanted[places_in(self.firsts, elements)]
        return found


class FilterMatcher:
    """Evaluates filters over the fields of an index.

    Parameters
    ----------
    fields
        Fields of the index.
    analyzer
        Analyzer that splits texts into words for ``~``.
    documents
        Number of documents.
    accents
        Accent mode of `plain_spellings` for words; None compares words as written.
    """

    def __init__(self, fields: Fields, analyzer: Analyzer, documents: int, accents: str | None = None) -> None:
        self.fields, self.analyzer, self.documents, self.accents = fields, analyzer, documents, accents

    def check(self, where: Filter) -> None:
        """Validate the names and values in a filter.

        Raises
        ------
        QueryError
            A field does not exist, or a value has the wrong type.
        """
        for leaf in leaves(where.condition):
            if leaf.name not in self.fields:
                raise QueryError(
                    f"there is no field {leaf.name}{did_you_mean(leaf.name, self.fields)}; {known(self.fields)}",
                    where.text, leaf.column, what="where", example=self._example(leaf.name),
                )  # fmt: skip
            rule = self.fields.rules[leaf.name]
            for value in values_of(leaf):
                if isinstance(leaf, FilterComparison) and leaf.operator == "~":
                    wrong = "expected a word" if not self.analyzer.words(value.text) else ""
                else:
                    takes_ranges = not isinstance(leaf, FilterComparison) or leaf.operator in ("=", "!=")
                    wrong = _fault(rule, value.text, takes_ranges)
                if wrong:
                    fault, example = f"{leaf.name}: {wrong}; got {value.text}", self._example(leaf.name)
                    raise QueryError(fault, where.text, value.column, what="where", example=example)

    def _example(self, name: str) -> str:
        """Return a filter that matches some documents, on the field with the most similar name."""
        chosen = next(iter([*([name] if name in self.fields else []), *nearest(name, self.fields), *self.fields]), "")
        column = self.fields[chosen] if chosen else None
        if column is None or not len(column.values):
            return ""
        value = str(column.rule.plain(column.values[len(column.values) // 2]))
        if column.rule.type != "string":
            return f"{chosen} >= {value}"
        word = next((word for word in re.findall(r"\w+", value) if self.analyzer.words(word)), "")
        return f"{chosen} ~ {word}" if word else f"{chosen} exists"

    def by_elements(self, where: Filter) -> bool:
        """Whether a filter has conditions on elements."""
        return any(leaf.name in self.fields.of_elements for leaf in leaves(where.condition))

    def documents_of(self, where: Filter) -> Mask:
        """Return a mask of the documents that match, or have a matching element; the filter must be checked."""
        if not self.by_elements(where):
            return self._of(where.condition, lambda column: slice(None))
        firsts, wanted = self.stretches_of(where)
        found = np.zeros(self.documents, bool)
        # A document matches if one of its runs does.
        found[places_in(self.fields.documents, firsts[wanted])] = True
        return found

    def stretches_of(self, where: Filter) -> ElementRuns:
        """Return the runs of matching elements; the filter must be checked."""
        columns = {leaf.name: self.fields[leaf.name] for leaf in leaves(where.condition)}
        runs = [column.firsts for column in columns.values() if isinstance(column, ElementColumn)]
        # Cut at every border of every field: within a run no value changes, so one evaluation per run suffices.
        begins = np.unique(np.concatenate([*runs, self.fields.documents]))
        of_documents = places_in(self.fields.documents, begins)
        places = {
            name: column.places_of(begins) if isinstance(column, ElementColumn) else of_documents
            for name, column in columns.items()
        }
        return ElementRuns(begins, self._of(where.condition, lambda column: places[column.name]))

    def _of(self, condition: Condition, places: Callable[[FieldColumn], Ints | slice]) -> Mask:
        """Evaluate a condition over entries; `places` maps a column to the entries."""
        if isinstance(condition, FilterNot):
            return ~self._of(condition.part, places)
        if isinstance(condition, FilterAll):
            return reduce(np.logical_and, [self._of(part, places) for part in condition.parts])
        if isinstance(condition, FilterAny):
            return reduce(np.logical_or, [self._of(part, places) for part in condition.parts])
        column = self.fields[condition.name]
        if isinstance(condition, FilterExists):
            found = column.counts > 0
        elif isinstance(condition, FilterComparison):
            found = column.holding(self._wanted(column, condition.operator.removeprefix("!"), condition.value))
            found = ~found if condition.operator == "!=" else found
        else:
            wanted = [self._wanted(column, "=", value) for value in condition.values]
            found = column.holding(reduce(np.logical_or, wanted))
        entries: Mask = found[places(column)]
        return entries

    def _wanted(self, column: FieldColumn, operator: str, value: FilterValue) -> Mask:
        """Flag the values of a field that satisfy an operator and a value."""
        wanted = np.zeros(len(column.values), bool)
        if operator == "~":
            words = self._words_with_forms(value.text)
            wanted[[place for place, of_value in enumerate(self._words_of(column)) if _holds(of_value, words)]] = True
            return wanted
        # A range is the intersection of two comparisons.
        if span := span_of(column.rule, value.text):
            wanted[:] = True
            if span.low:
                wanted &= self._wanted(column, ">=", FilterValue(span.low))
            if span.high:
                wanted &= self._wanted(column, span.operator, FilterValue(span.high))
            return wanted
        bound = compared(column.rule, value.text)
        if column.rule.type == "date":  # compared up to the shorter precision
            holds = _ORDERS[operator]
            pairs = ((each[: len(bound)], bound[: len(each)]) for each in column.values)
            return np.fromiter((holds(*pair) for pair in pairs), bool, len(column.values))
        # Sorted values: every operator selects a contiguous range.
        low, high = column.between(bound, bound)
        begin, end = {"=": (low, high), "<": (0, low), "<=": (0, high), ">": (high, None), ">=": (low, None)}[operator]
        wanted[begin:end] = True
        return wanted

    def containing(self, name: str, text: str) -> Mask:
        """Flag the values that contain, for each word of a text, a word with this prefix."""
        prefixes = self._words_with_forms(text)
        of_values = self._words_of(self.fields[name])
        return np.fromiter((_begins(words, prefixes) for words in of_values), bool, len(of_values))

    def chosen(self, where: Filter) -> dict[str, set[Any]]:
        """Return the values that a filter requires outside of *not*, for fields with several values."""
        found: dict[str, set[Any]] = {}
        for leaf in leaves(where.condition, negated=False):
            column, operator = self.fields[leaf.name], leaf.operator if isinstance(leaf, FilterComparison) else "="
            if leaf.name in self.fields.of_elements:
                continue  # only fields of documents are shown as chosen
            if column.rule.many and operator != "!=":
                wanted = [np.flatnonzero(self._wanted(column, operator, each)).tolist() for each in values_of(leaf)]
                values = (column.rule.plain(column.values[place]) for place in chain.from_iterable(wanted))
                found.setdefault(leaf.name, set()).update(values)
        return found

    def _words_with_forms(self, text: str) -> set[tuple[str, ...]]:
        """Return the words of a text, each with all its compared forms."""
        words = self.analyzer.words(text)
        return {plain_spellings(word, self.accents) if self.accents else (word,) for word in words}

    def _words(self, text: str) -> frozenset[str]:
        """Return the compared forms of all words of a text."""
        return frozenset(chain.from_iterable(self._words_with_forms(text)))

    def _words_of(self, column: FieldColumn) -> list[frozenset[str]]:
        """Return the compared words of each value of a field."""
        return column.words(self.accents, self._words)

    def notices(self, where: Filter) -> Iterator[str]:
        """Yield notices about values that no document has, one line each."""
        for leaf in dict.fromkeys(leaves(where.condition)):
            if isinstance(leaf, FilterComparison) and leaf.operator not in ("=", "!=", "~"):
                continue
            column = self.fields[leaf.name]
            operator = leaf.operator.removeprefix("!") if isinstance(leaf, FilterComparison) else "="
            for value in values_of(leaf):
                if not self._wanted(column, operator, value).any():
                    who = "element" if leaf.name in self.fields.of_elements else "document"
                    yield f"where: no {who} has {leaf.name} {operator} {value}{self._near(column, operator, value)}"

    def _near(self, column: FieldColumn, operator: str, value: FilterValue) -> str:
        if len(column.values) > _NEAR or span_of(column.rule, value.text):
            return ""
        if operator == "~":
            return did_you_mean(value.text, sorted(set().union(*self._words_of(column))))
        words = self._words_with_forms(value.text)
        if column.rule.type == "string" and words and any(_holds(own, words) for own in self._words_of(column)):
            return offer(f"{column.name} ~ {value}")
        return did_you_mean(value.text, column.values)


def _holds(of_value: Set[str], words: Iterable[tuple[str, ...]]) -> bool:
    """Whether a value's words include each of some words, in any of its forms."""
    return all(not of_value.isdisjoint(spellings) for spellings in words)


def _begins(of_value: Set[str], words: Iterable[tuple[str, ...]]) -> bool:
    """Whether a value's words include, for each of some words, one with this prefix."""
    return all(any(word.startswith(spellings) for word in of_value) for spellings in words)


def _fault(rule: FieldRule, text: str, takes_ranges: bool) -> str:
    """Describe the fault of a filter value; empty if it has the type of the field, or is a range."""
    span = span_of(rule, text) if takes_ranges else None
    ends = [compared(rule, end) for end in (span.low, span.high) if end] if span else [compared(rule, text)]
    if None in ends:
        hint = f", or a range, such as {_RANGE[rule.type]}" if takes_ranges and ".." in text else ""
        return f"expected {_a(rule.type)}{hint}"
    if len(ends) == 2 and (ends[0][: len(ends[1])] > ends[1] if rule.type == "date" else ends[0] > ends[1]):
        return "the end of the range is before its beginning"
    return ""


_RANGE = {"integer": "1990..1999", "year": "1990..1999", "number": "0.5..2", "date": "2015-03..2016", "string": ""}


def values_of(leaf: Leaf) -> tuple[FilterValue, ...]:
    """Return the values in a comparison."""
    if isinstance(leaf, FilterExists):
        return ()
    return (leaf.value,) if isinstance(leaf, FilterComparison) else leaf.values


def compared(rule: FieldRule, text: str) -> Any:
    """Convert a filter value to the compared form of its field; None if it has the wrong type.

    >>> compared(FieldRule((), "integer"), "2015.5"), compared(FieldRule((), "date"), "2015-3")
    (2015.5, '2015-03')
    >>> compared(FieldRule((), "date"), "20150309"), compared(FieldRule((), "date"), "2015-13")
    ('2015-03-09', None)
    >>> compared(FieldRule((), "integer"), "about 2015") is None, compared(FieldRule(()), "The  Lancet")
    (True, 'the lancet')
    """
    value = " ".join(text.split())
    if rule.type == "string":
        return value.casefold()
    if rule.type == "date":
        found = rule.canonical(value)
        whole = found is not None and value.replace("-", "").isdigit()
        parts = {4: 0, 8: 2}.get(len(value), -1) if value.isdigit() else value.count("-")
        return found if whole and found is not None and found.count("-") == parts else None
    try:
        number = float(value) if "_" not in value else None
    except ValueError:
        return None
    return number if number is not None and abs(number) < float("inf") else None


def known(fields: Fields) -> str:
    """List the fields for messages."""
    hint = "" if fields.own or fields.own_of_elements else "; a profile can add others under [fields], see trix profile"
    return f"fields are {', '.join(fields)}{hint}"


def _a(kind: str) -> str:
    descriptions = {"integer": "a whole number", "year": "a year, such as 2015", "number": "a number"}
    return descriptions.get(kind, "a date, such as 2015, 2015-03 or 2015-03-01")
