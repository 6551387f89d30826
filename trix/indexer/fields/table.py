"""The fields of all that lives in an index: the columns of its segments as one, by the index's document numbers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from trix.indexer.fields.builtin import BUILTIN, StatesOf, builtin_column, states_beside
from trix.indexer.fields.columns import Column, read_column
from trix.indexer.fields.ranges import ValueRange, ranges_of
from trix.indexer.profile.fields import FieldRule
from trix.indexer.store.elements import distinct
from trix.indexer.store.live import LiveSegment
from trix.indexer.store.numbering import cut, ragged
from trix.indexer.store.segment import Segment
from trix.support.arrays import Ints, Mask

Plain = str | int | float
ColumnReader = Callable[[Segment, str], Column]
LanguageRuns = Callable[[], tuple[list[str], Ints, Ints]]

LANGUAGE = "lang"
"""The field of elements that every collection has: the language of the element."""


class FieldColumn:
    """What the documents of an index say in one field.

    Attributes
    ----------
    name, rule
        The field.
    values : list of str
        The distinct values in order, see `FieldRule.order`.
    counts : (n_documents,) ndarray
        How many values each document has.
    codes : ndarray
        The values of one document after another, by their places in `values`.
    starts : (n_documents,) ndarray
        Where the values of each document begin in `codes`.
    """

    def __init__(self, name: str, rule: FieldRule, values: list[str], counts: Ints, codes: Ints) -> None:
        self.name, self.rule, self.values, self.counts, self.codes = name, rule, values, counts, codes
        self.starts = np.cumsum(counts) - counts

    @classmethod
    def over(
        cls, name: str, rule: FieldRule, live: Iterable[LiveSegment], read: ColumnReader = read_column
    ) -> FieldColumn:
        """Bring the columns of some segments together, of each what lives."""
        known: dict[str, int] = {}
        counts, numbers = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for each in live:
            column = read(each.segment, name)
            runs = each.documents.runs
            own = cut(column.counts, runs)
            living = column.numbers
            if not each.is_whole:
                living = living[ragged(cut(np.cumsum(column.counts) - column.counts, runs), own)]
            renumber = np.zeros(len(column.values), np.int64)
            for number in distinct(living).tolist():
                renumber[number] = known.setdefault(column.values[number], len(known))
            counts.append(own)
            numbers.append(renumber[living])
        return cls.of_numbers(name, rule, list(known), np.concatenate(counts), np.concatenate(numbers))

    @classmethod
    def of_numbers(cls, name: str, rule: FieldRule, values: list[str], counts: Ints, numbers: Ints) -> FieldColumn:
        """Return a column of values in any order; `numbers` are their places in it, of one document after another."""
        keys = [rule.order(value) for value in values]
        order = sorted(range(len(values)), key=keys.__getitem__)
        places = np.zeros(len(values), np.int64)
        places[order] = np.arange(len(values))
        return cls(name, rule, [values[number] for number in order], counts, places[numbers])

    def with_names(self, names: Mapping[int, str]) -> FieldColumn:
        """Return the column of a field with one value a document, in which some documents have another value."""
        values = [self.values[code] for code in self.codes.tolist()]
        for document, value in names.items():
            values[document] = value
        known = {value: number for number, value in enumerate(dict.fromkeys(values))}
        numbers = np.array([known[value] for value in values], np.int64)
        return self.of_numbers(self.name, self.rule, list(known), self.counts, numbers)

    def says_as(self, other: FieldColumn) -> bool:
        """Return whether each document says the same in another field."""
        return (
            self.values == other.values
            and np.array_equal(self.counts, other.counts)
            and np.array_equal(self.codes, other.codes)
        )

    @cached_property
    def documents(self) -> Ints:
        """The document of each of `codes`."""
        return np.repeat(np.arange(self.counts.size), self.counts)

    @cached_property
    def ranges(self) -> list[ValueRange]:
        """The ranges in which its values are offered; none where they are texts, or few."""
        times = np.bincount(self.codes, minlength=len(self.values))
        return ranges_of(self.rule, self.values, times)

    @cached_property
    def folded(self) -> list[Any]:
        """The values as they are compared, ascending: numbers, or texts without upper case."""
        if self.rule.type == "string":
            return [value.casefold() for value in self.values]
        return [self.rule.order(value) for value in self.values]

    @cached_property
    def _words(self) -> dict[str | None, list[frozenset[str]]]:
        return {}

    def words(self, way: str | None, words_of: Callable[[str], frozenset[str]]) -> list[frozenset[str]]:
        """Return the words of each value, worked out once for each `way` of comparing them."""
        if way not in self._words:
            self._words[way] = [words_of(value) for value in self.values]
        return self._words[way]

    def between(self, low: Any, high: Any) -> tuple[int, int]:
        """Return the places of the values from `low` to `high`, both included, as they are compared."""
        return bisect_left(self.folded, low), bisect_right(self.folded, high)

    @property
    def said_by(self) -> int:
        """How many documents say something."""
        return int(np.count_nonzero(self.counts))

    def holding(self, wanted: Mask) -> Mask:
        """Return which documents have a value of those that are wanted."""
        found = np.zeros(self.counts.size, bool)
        if self.values:
            found[self.documents[wanted[self.codes]]] = True
        return found


class ElementColumn(FieldColumn):
    """What the elements of an index say in one field: the entries are runs of elements in place of documents.

    Attributes
    ----------
    firsts : (n_runs,) ndarray
        The element at which each run begins, the first of all at 0.
    of_documents : (n_runs,) ndarray
        The document that each run is in.
    """

    def __init__(self, field: FieldColumn, firsts: Ints, documents: Ints) -> None:
        super().__init__(field.name, field.rule, field.values, field.counts, field.codes)
        self.firsts, self.of_documents = firsts, places_in(documents, firsts)

    @classmethod
    def over_segments(cls, name: str, rule: FieldRule, live: Iterable[LiveSegment], documents: Ints) -> ElementColumn:
        """Bring the columns of some segments together, of each what lives.

        Parameters
        ----------
        name, rule, live
            The field and the segments.
        documents
            The first element of each document of the index.
        """
        from trix.indexer.fields.said import read_said  # which few searches need

        known: dict[str, int] = {}
        counts, numbers, firsts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for each in live:
            begins, column = read_said(each.segment, name)
            kept, places = each.elements.kept(begins)
            own = column.counts[kept]
            living = column.numbers[ragged((np.cumsum(column.counts) - column.counts)[kept], own)]
            renumber = np.zeros(len(column.values), np.int64)
            for number in distinct(living).tolist():
                renumber[number] = known.setdefault(column.values[number], len(known))
            if not places.size and each.elements.size:  # what an earlier segment says does not hold here
                own, places = np.zeros(1, np.int64), np.array([each.elements.first])
            counts.append(own)
            numbers.append(renumber[living])
            firsts.append(places)
        field = FieldColumn.of_numbers(name, rule, [*known], np.concatenate(counts), np.concatenate(numbers))
        return cls(field, np.concatenate(firsts), documents)

    @property
    def said_by(self) -> int:
        return int(np.unique(self.of_documents[self.counts > 0]).size)

    def places_of(self, elements: Ints) -> Ints:
        """Return the run that each of some elements is in."""
        return places_in(self.firsts, elements)

    def of(self, element: int) -> list[Plain]:
        """Return what an element says."""
        run = int(self.places_of(np.array([element]))[0])
        begin = int(self.starts[run])
        codes = self.codes[begin : begin + int(self.counts[run])].tolist()
        return [self.rule.plain(self.values[code]) for code in codes]


def places_in(firsts: Ints, elements: Ints) -> Ints:
    """Return in which of some runs each element is; `firsts` ascend from 0."""
    found: Ints = np.searchsorted(firsts, elements, side="right") - 1
    return found


class SegmentColumn:
    """What the documents of one segment say in one field, by the segment's own numbers.

    What some documents say needs no more: the values of all, in order, are for filters and facets.
    """

    def __init__(self, column: Column, rule: FieldRule) -> None:
        self._column, self._rule = column, rule
        self._ends = np.cumsum(self._column.counts)

    def of(self, document: int) -> list[Plain]:
        """Return the values of a document."""
        end = int(self._ends[document])
        numbers = self._column.numbers[end - int(self._column.counts[document]) : end]
        return [self._rule.plain(self._column.values[number]) for number in numbers.tolist()]


class Fields(Mapping[str, FieldColumn]):
    """The fields of an index by name, those of its profile first; each is read when it is first asked for.

    Parameters
    ----------
    own
        The fields of its profile.
    live
        Its segments.
    ids
        The ids of those documents that have another one than in their segment.
    states
        Returns the states of the sources of a segment.
    of_elements
        The fields of elements of its profile.
    languages
        Returns the languages of the elements, and where elements of another one begin, see
        `trix.indexer.languages.of_index.WithLanguages.language_runs`; None where they are not asked for.

    Attributes
    ----------
    own, own_of_elements
        The fields of its profile: of documents, of elements.
    of_elements
        All fields of elements: those of the profile and `LANGUAGE`.
    rules
        All fields: its own, those of elements, and `BUILTIN`.
    """

    def __init__(
        self,
        own: Mapping[str, FieldRule],
        live: Sequence[LiveSegment],
        ids: Callable[[], Mapping[int, str]] = dict,
        states: StatesOf = states_beside,
        of_elements: Mapping[str, FieldRule] = MappingProxyType({}),
        languages: LanguageRuns | None = None,
    ) -> None:
        self.own, self.own_of_elements = own, of_elements
        self.of_elements = dict(of_elements)
        if languages is not None and LANGUAGE not in (*own, *of_elements):
            self.of_elements[LANGUAGE] = FieldRule(())
        every = {**own, **of_elements}
        builtin = {name: rule for name, rule in BUILTIN.items() if name not in every}
        self.rules = {**every, **builtin, **self.of_elements}
        self._live, self._ids, self._states, self._languages = live, ids, states, languages
        self._columns: dict[str, FieldColumn] = {}
        self._of_elements: dict[str, ElementColumn] = {}
        self._firsts = [each.documents.first for each in live]
        self._segments: dict[tuple[int, str], SegmentColumn] = {}

    def __getitem__(self, name: str) -> FieldColumn:
        if name in self.of_elements:
            return self.of_element(name)
        if name not in self._columns:
            column = FieldColumn.over(name, self.rules[name], self._live, self._read)
            if name == "id" and name not in self.own and (ids := self._ids()):
                column = column.with_names(ids)
            self._columns[name] = column
        return self._columns[name]

    def of_element(self, name: str) -> ElementColumn:
        """Return a field of elements."""
        if name not in self._of_elements:
            rule = self.of_elements[name]
            if name in self.own_of_elements or self._languages is None:
                made = ElementColumn.over_segments(name, rule, self._live, self.documents)
            else:
                languages, firsts, of = self._languages()
                begins = np.union1d(self.documents[self.documents < self._elements], firsts)
                numbers = of[places_in(firsts, begins)]
                field = FieldColumn.of_numbers(name, rule, languages, np.minimum(numbers + 1, 1), numbers[numbers >= 0])
                made = ElementColumn(field, begins, self.documents)
            self._of_elements[name] = made
        return self._of_elements[name]

    @cached_property
    def documents(self) -> Ints:
        """The first element of each document."""
        return np.concatenate([np.zeros(0, np.int64), *(each.firsts(0) for each in self._live)])

    @property
    def _elements(self) -> int:
        return sum(each.elements.size for each in self._live)

    def _read(self, segment: Segment, name: str) -> Column:
        return read_column(segment, name) if name in self.own else builtin_column(segment, name, self._states)

    def __contains__(self, name: object) -> bool:
        return name in self.rules

    def __iter__(self) -> Iterator[str]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def of(
        self, document: int, names: Iterable[str] | None = None, element: int | None = None
    ) -> dict[str, Plain | list[Plain]]:
        """Return what a document says, and an element of it: a value for each field, a list where it can have many.

        Parameters
        ----------
        document
            Its number.
        names
            The fields; by default those of the profile.
        element
            Its number; None where the document alone is asked for.
        """
        found: dict[str, Plain | list[Plain]] = {}
        asked = list((*self.own, *self.own_of_elements) if names is None else names)
        if element is None:
            asked = [name for name in asked if name not in self.of_elements]
        if not asked:
            return found
        at = bisect_right(self._firsts, document) - 1
        own = int(self._live[at].documents.back(np.array([document]))[0])
        for name in asked:
            rule = self.rules[name]
            if name in self.of_elements:
                said = self.of_element(name).of(element) if element is not None else []
                found.update({name: said if rule.many else said[0]} if said else {})
                continue
            if (at, name) not in self._segments:
                self._segments[at, name] = SegmentColumn(self._read(self._live[at].segment, name), rule)
            if values := self._segments[at, name].of(own):
                found[name] = values if rule.many else values[0]
        if "id" in found and "id" not in self.own:
            found["id"] = self._ids().get(document, found["id"])
        return found

    def facts(self, examples: int = 3) -> dict[str, dict[str, Any]]:
        """Return of each field its type, how many documents have it, how many values there are, and frequent ones.

        Of the sizes and dates that every collection has, the least and the greatest stand for the frequent ones.
        """
        found = {}
        for name, column in self.items():
            times = np.bincount(column.codes, minlength=len(column.values))
            frequent = np.argsort(-times, kind="stable")[:examples].tolist()
            if name in BUILTIN and name not in self.own and column.rule.type != "string":
                frequent = sorted({0, len(column.values) - 1}) if column.values else []
            found[name] = {
                "type": column.rule.type,
                "many": column.rule.many,
                "builtin": name not in self.own and name not in self.own_of_elements,
                "elements": isinstance(column, ElementColumn),
                "documents": column.said_by,
                "of": self.documents.size,
                "values": len(column.values),
                "examples": [column.rule.plain(column.values[code]) for code in frequent],
            }
        return found
