"""Fields of an opened index: the columns of all segments as one, over live documents."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from trix.indexer.fields.builtin import BUILTIN, StatesOf, builtin_column, states_beside
from trix.indexer.fields.columns import ValueColumn, read_column
from trix.indexer.fields.ranges import ValueRange, ranges_of
from trix.indexer.profile.fields import FieldRule
from trix.indexer.store.elements import distinct
from trix.indexer.store.live import LiveSegment
from trix.indexer.store.numbering import cut, ragged
from trix.indexer.store.segment import Segment
from trix.support.arrays import Ints, Mask

Plain = str | int | float
ColumnReader = Callable[[Segment, str], ValueColumn]
LanguageRuns = Callable[[], tuple[list[str], Ints, Ints]]

LANGUAGE = "lang"
"""Element field of every index: the language of the element."""


class FieldColumn:
    """Values of one field over the documents of an index.

    Attributes
    ----------
    name, rule
        Name and rule of the field.
    values : list of str
        Distinct values, sorted (see `FieldRule.order`).
    counts : (n_documents,) ndarray
        ``(n_documents,)`` number of values per document.
    codes : ndarray
        Values of all documents, as indices into `values`.
    starts : (n_documents,) ndarray
        ``(n_documents,)`` start of each document's values in `codes`.
    """

    def __init__(self, name: str, rule: FieldRule, values: list[str], counts: Ints, codes: Ints) -> None:
        self.name, self.rule, self.values, self.counts, self.codes = name, rule, values, counts, codes
        self.starts = np.cumsum(counts) - counts

    @classmethod
    def over(
        cls, name: str, rule: FieldRule, live: Iterable[LiveSegment], read: ColumnReader = read_column
    ) -> FieldColumn:
        """Merge the columns of segments, live documents only."""
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
            # Only values that live documents have get a number.
            for number in distinct(living).tolist():
                renumber[number] = known.setdefault(column.values[number], len(known))
            counts.append(own)
            numbers.append(renumber[living])
        return cls.of_numbers(name, rule, list(known), np.concatenate(counts), np.concatenate(numbers))

    @classmethod
    def of_numbers(cls, name: str, rule: FieldRule, values: list[str], counts: Ints, numbers: Ints) -> FieldColumn:
        """Build a column from values in any order; `numbers` are indices into them, for all documents."""
        keys = [rule.order(value) for value in values]
        order = sorted(range(len(values)), key=keys.__getitem__)
        places = np.zeros(len(values), np.int64)
        places[order] = np.arange(len(values))
        return cls(name, rule, [values[number] for number in order], counts, places[numbers])

    def with_names(self, names: Mapping[int, str]) -> FieldColumn:
        """Replace the value of some documents, in a field with one value per document."""
        values = [self.values[code] for code in self.codes.tolist()]
        for document, value in names.items():
            values[document] = value
        known = {value: number for number, value in enumerate(dict.fromkeys(values))}
        numbers = np.array([known[value] for value in values], np.int64)
        return self.of_numbers(self.name, self.rule, list(known), self.counts, numbers)

    def equals(self, other: FieldColumn) -> bool:
        """Whether two fields have equal values in all documents."""
        return (
            self.values == other.values
            and np.array_equal(self.counts, other.counts)
            and np.array_equal(self.codes, other.codes)
        )

    @cached_property
    def documents(self) -> Ints:
        """Document of each entry of `codes`."""
        return np.repeat(np.arange(self.counts.size), self.counts)

    @cached_property
    def ranges(self) -> list[ValueRange]:
        """Facet ranges; empty for texts and for few values."""
        times = np.bincount(self.codes, minlength=len(self.values))
        return ranges_of(self.rule, self.values, times)

    @cached_property
    def folded(self) -> list[Any]:
        """Compared forms of the values, ascending: numbers, or case-folded texts."""
        if self.rule.type == "string":
            return [value.casefold() for value in self.values]
        return [self.rule.order(value) for value in self.values]

    @cached_property
    def _words(self) -> dict[str | None, list[frozenset[str]]]:
        return {}

    def words(self, way: str | None, words_of: Callable[[str], frozenset[str]]) -> list[frozenset[str]]:
        """Return the words of each value, computed once per way of comparing."""
        if way not in self._words:
            self._words[way] = [words_of(value) for value in self.values]
        return self._words[way]

    def between(self, low: Any, high: Any) -> tuple[int, int]:
        """Return the range of values from `low` to `high`, both included, in compared form."""
        return bisect_left(self.folded, low), bisect_right(self.folded, high)

    @property
    def documents_with_value(self) -> int:
        """Number of documents with a value."""
        return int(np.count_nonzero(self.counts))

    def holding(self, wanted: Mask) -> Mask:
        """Flag the entries with one of the wanted values."""
        found = np.zeros(self.counts.size, bool)
        if self.values:
            found[self.documents[wanted[self.codes]]] = True
        return found


class ElementColumn(FieldColumn):
    """Values of one field over elements; entries are runs of elements.

    Attributes
    ----------
    firsts : (n_runs,) ndarray
        ``(n_runs,)`` first element of each run; the first run begins at 0.
    of_documents : (n_runs,) ndarray
        ``(n_runs,)`` document of each run.
    """

    def __init__(self, field: FieldColumn, firsts: Ints, documents: Ints) -> None:
        super().__init__(field.name, field.rule, field.values, field.counts, field.codes)
        self.firsts, self.of_documents = firsts, places_in(documents, firsts)

    @classmethod
    def over_segments(cls, name: str, rule: FieldRule, live: Iterable[LiveSegment], documents: Ints) -> ElementColumn:
        """Merge the columns of segments, live elements only.

        Parameters
        ----------
        name, rule, live
            Name and rule of the field, and the segments.
        documents
            First element of each document of the index.
        """
        from trix.indexer.fields.element_columns import read_runs  # few searches need it

        known: dict[str, int] = {}
        counts, numbers, firsts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for each in live:
            begins, column = read_runs(each.segment, name)
            # Runs never cross documents, so deleting documents deletes whole runs.
            kept, places = each.elements.kept(begins)
            own = column.counts[kept]
            living = column.numbers[ragged((np.cumsum(column.counts) - column.counts)[kept], own)]
            renumber = np.zeros(len(column.values), np.int64)
            for number in distinct(living).tolist():
                renumber[number] = known.setdefault(column.values[number], len(known))
            if not places.size and each.elements.size:  # ends the last run of the segment before
                own, places = np.zeros(1, np.int64), np.array([each.elements.first])
            counts.append(own)
            numbers.append(renumber[living])
            firsts.append(places)
        field = FieldColumn.of_numbers(name, rule, [*known], np.concatenate(counts), np.concatenate(numbers))
        return cls(field, np.concatenate(firsts), documents)

    @property
    def documents_with_value(self) -> int:
        return int(np.unique(self.of_documents[self.counts > 0]).size)

    def places_of(self, elements: Ints) -> Ints:
        """Return the run of each element."""
        return places_in(self.firsts, elements)

    def of(self, element: int) -> list[Plain]:
        """Return the values of an element."""
        run = int(self.places_of(np.array([element]))[0])
        begin = int(self.starts[run])
        codes = self.codes[begin : begin + int(self.counts[run])].tolist()
        return [self.rule.plain(self.values[code]) for code in codes]


def places_in(firsts: Ints, elements: Ints) -> Ints:
    """Return the run of each element; `firsts` ascend from 0."""
    found: Ints = np.searchsorted(firsts, elements, side="right") - 1
    return found


class SegmentColumn:
    """Values of one field in one segment, to look up single documents.

    It avoids merging and sorting the values of the whole index, which only filters and facets need.
    """

    def __init__(self, column: ValueColumn, rule: FieldRule) -> None:
        self._column, self._rule = column, rule
        self._ends = np.cumsum(self._column.counts)

    def of(self, document: int) -> list[Plain]:
        """Return the values of a document."""
        end = int(self._ends[document])
        numbers = self._column.numbers[end - int(self._column.counts[document]) : end]
        return [self._rule.plain(self._column.values[number]) for number in numbers.tolist()]


class Fields(Mapping[str, FieldColumn]):
    """Fields of an index by name, those of the profile first; each is loaded at first use.

    Parameters
    ----------
    own
        Fields of the profile.
    live
        Segments of the index.
    ids
        Function that returns the ids of documents whose id differs from that in their segment.
    states
        Function that returns the states of a segment's sources.
    of_elements
        Element fields of the profile.
    languages
        Function that returns the languages, and the runs of elements by language (see
        `trix.indexer.languages.index_languages.LanguagesMixin.language_runs`); None without them.

    Attributes
    ----------
    own, own_of_elements
        Fields of the profile, for documents and for elements.
    of_elements
        All element fields: those of the profile, and `LANGUAGE`.
    rules
        All fields: of documents, of elements, and `BUILTIN`.
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
        """Return an element field."""
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
        """First element of each document."""
        return np.concatenate([np.zeros(0, np.int64), *(each.firsts(0) for each in self._live)])

    @property
    def _elements(self) -> int:
        return sum(each.elements.size for each in self._live)

    def _read(self, segment: Segment, name: str) -> ValueColumn:
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
        """Return the values of a document, and of an element in it; a list for fields with several values.

        Parameters
        ----------
        document
            Number of the document.
        names
            Names of fields; those of the profile by default.
        element
            Number of the element; None for the document alone.
        """
        found: dict[str, Plain | list[Plain]] = {}
        wanted = list((*self.own, *self.own_of_elements) if names is None else names)
        if element is None:
            wanted = [name for name in wanted if name not in self.of_elements]
        if not wanted:
            return found
        at = bisect_right(self._firsts, document) - 1
        own = int(self._live[at].documents.back(np.array([document]))[0])
        for name in wanted:
            rule = self.rules[name]
            if name in self.of_elements:
                own_values = self.of_element(name).of(element) if element is not None else []
                found.update({name: own_values if rule.many else own_values[0]} if own_values else {})
                continue
            if (at, name) not in self._segments:
                self._segments[at, name] = SegmentColumn(self._read(self._live[at].segment, name), rule)
            if values := self._segments[at, name].of(own):
                found[name] = values if rule.many else values[0]
        if "id" in found and "id" not in self.own:
            found["id"] = self._ids().get(document, found["id"])
        return found

    def facts(self, examples: int = 3) -> dict[str, dict[str, Any]]:
        """Summarise each field: type, number of documents and values, frequent values.

        For built-in sizes and dates, the least and the greatest value replace the frequent ones.
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
                "documents": column.documents_with_value,
                "of": self.documents.size,
                "values": len(column.values),
                "examples": [column.rule.plain(column.values[code]) for code in frequent],
            }
        return found
