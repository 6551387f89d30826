"""Facets and sort orders of results by field values [QUERY, sections 3 and 4]."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np

from trix.indexer.fields.table import ElementColumn, FieldColumn, Fields, Plain
from trix.support.arrays import Floats, Ints, Mask

_NONE = np.zeros(0, np.int64)

SHOWN = 20
"""Values shown in a notebook."""


class FacetCount(NamedTuple):
    """Value of a field, with its counts in the results.

    Attributes
    ----------
    value
        The value.
    documents, elements
        Matching documents with the value, and matching elements in them.
    """

    value: Plain
    documents: int
    elements: int


class Facet(Sequence[FacetCount]):
    """Values of a field in the results: by documents, then elements, then value.

    For a field of elements, elements decide before documents. Entries are created lazily, since there may be many.

    Parameters
    ----------
    column
        Field to count.
    documents
        Distinct matching entries: documents, or runs of elements.
    elements
        Number of matching elements in each.
    wanted
        Mask of the values to count; all by default.

    Attributes
    ----------
    name : str
        Name of the field.
    of_elements : bool
        Whether it is a field of elements.
    """

    def __init__(
        self,
        column: FieldColumn | None = None,
        documents: Ints = _NONE,
        elements: Ints = _NONE,
        wanted: Mask | None = None,
    ) -> None:
        self._column, self._found_codes, self._is_part = column, _NONE, wanted is not None
        self._kept: tuple[list[FacetCount], list[FacetCount]] | None = None  # values and ranges, once pickled
        self.name = "" if column is None else column.name
        self.of_elements = isinstance(column, ElementColumn)
        if column is None:
            return
        self._matching = np.zeros(column.counts.size, np.int64)
        self._matching[documents] = elements
        # Number of matching elements in the entry of each value.
        of = self._matching[column.documents]
        self._documents = self._counted(column.codes[of > 0], column.documents[of > 0], len(column.values))
        self._elements = np.bincount(column.codes, weights=of, minlength=len(column.values)).astype(np.int64)
        self._found_codes = np.flatnonzero(self._documents if wanted is None else wanted & (self._documents > 0))

    def _counted(self, numbers: Ints, entries: Ints, many: int) -> Ints:
        """Count the distinct documents per number; `entries` has the entry of each number."""
        if not isinstance(self._column, ElementColumn):
            return np.bincount(numbers, minlength=many)
        documents = self._column.of_documents[entries]  # several runs may lie in one document
        pairs = np.unique(documents * many + numbers) if many else numbers
        return np.bincount(pairs % max(many, 1), minlength=many)

    def ranges(self) -> list[FacetCount]:
        """Return counts of value ranges, ascending.

        Empty for texts, for fields with few values, and if `wanted` restricts the values. Each range can be used in a
        filter: ``year = 1990..1999``. Ranges are computed over all documents of the index, so they stay the same for
        all queries. Ranges without matches are omitted.
        """
        column = self._column
        if self._kept is not None:
            return self._kept[1]
        if column is None or self._is_part or not column.ranges:
            return []
        range_of = np.zeros(len(column.values), np.int64)
        for number, each in enumerate(column.ranges):
            range_of[each.begin : each.end] = number
        matching = self._matching[column.documents] > 0
        # Encode (entry, range) as one integer, to count distinct pairs.
        pairs = column.documents[matching] * len(column.ranges) + range_of[column.codes[matching]]
        entries, numbers = np.divmod(np.unique(pairs), len(column.ranges))  # each entry counts once per range
        many = len(column.ranges)
        counts = self._counted(numbers, entries, many).tolist()
        elements = np.bincount(numbers, weights=self._matching[entries], minlength=many).astype(np.int64).tolist()
        rows = zip(column.ranges, counts, elements, strict=True)
        return [FacetCount(each.text, count, own) for each, count, own in rows if count]

    @cached_property
    def _codes(self) -> Ints:
        """Codes of the values in the results, in the order of the facet."""
        codes = self._found_codes
        if not codes.size:
            return codes
        orders = [-self._elements[codes], -self._documents[codes]]
        if self.of_elements:
            orders.reverse()
        return codes[np.lexsort(orders)]

    def __len__(self) -> int:
        return int(self._found_codes.size) if self._kept is None else len(self._kept[0])

    @overload
    def __getitem__(self, index: int) -> FacetCount: ...
    @overload
    def __getitem__(self, index: slice) -> list[FacetCount]: ...
    def __getitem__(self, index: int | slice) -> FacetCount | list[FacetCount]:
        if self._kept is not None:
            return self._kept[0][index]
        if isinstance(index, slice):
            return [self._made(int(code)) for code in self._codes[index]]
        return self._made(int(self._codes[index]))

    def _made(self, code: int) -> FacetCount:
        assert self._column is not None  # an empty facet has no codes
        value = self._column.rule.plain(self._column.values[code])
        return FacetCount(value, int(self._documents[code]), int(self._elements[code]))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the counts without the column."""
        return _of_counts, (self.name, (list(self), self.ranges()), self.of_elements)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{count.value!r}: {count.documents}" for count in self[:5])
        return f"<Facet {len(self)} values: {shown}{', ...' if len(self) > 5 else ''}>"

    def _repr_html_(self) -> str:
        """Format the first values as a table for notebooks."""
        from trix.support.notebook import never_raising

        return never_raising(self._table, self)

    def _table(self) -> str:
        from trix.support.notebook import cell, table

        rows = ((cell(str(each.value)), f"{each.documents:,}", f"{each.elements:,}") for each in self[:SHOWN])
        note = f"{len(self):,} values" + (f"; the first {SHOWN} of them" if len(self) > SHOWN else "")
        return table(self.name, note, (("x", "value"), ("n", "documents"), ("n", "elements")), rows)


def _of_counts(name: str, kept: tuple[list[FacetCount], list[FacetCount]], of_elements: bool) -> Facet:
    facet = Facet()
    facet.name, facet._kept, facet.of_elements = name, kept, of_elements
    return facet


class FacetAsked(NamedTuple):
    """Facet request: a field, and words that its values must contain (empty for all values).

    >>> FacetAsked.of("author ~ jane smi"), FacetAsked.of("year")
    (FacetAsked(name='author', words='jane smi'), FacetAsked(name='year', words=''))
    """

    name: str
    words: str

    @classmethod
    def of(cls, text: str) -> FacetAsked:
        """Parse ``name`` or ``name~words``."""
        name, _, words = text.partition("~")
        return cls(name.strip(), words.strip())


class SortKey(NamedTuple):
    """Sort key: a field or the score, and a direction.

    >>> SortKey.of("-year"), str(SortKey.of("-year"))
    (SortKey(name='year', descending=True), '-year')
    """

    name: str
    descending: bool

    @classmethod
    def of(cls, text: str) -> SortKey:
        """Parse ``name`` or ``-name``."""
        return cls(text.removeprefix("-").strip(), text.startswith("-"))

    def __str__(self) -> str:
        return f"{'-' if self.descending else ''}{self.name}"


def sorted_places(fields: Fields, keys: Sequence[SortKey], documents: Ints, elements: Ints, scores: Floats) -> Ints:
    """Return the permutation that sorts ranked elements by some keys; ties keep their rank.

    For a field with several values the smallest counts, or the greatest in descending order. Documents without a value
    come last in both directions.

    Parameters
    ----------
    fields
        Fields of the index.
    keys
        Keys; later ones break ties.
    documents, elements, scores
        Columns of the elements, by rank.
    """
    columns: list[Ints] = []
    for key in keys:
        if key.name == "score":
            columns.append(-scores if key.descending else scores)
            continue
        column = fields[key.name]
        missing = len(column.values) + 1
        best = np.full(column.counts.size, missing)
        codes = -column.codes if key.descending else column.codes
        # The best value of each entry in the direction of the sort.
        np.minimum.at(best, column.documents, codes)
        columns.append(best[column.places_of(elements) if isinstance(column, ElementColumn) else documents])
    return np.lexsort(columns[::-1]) if columns else np.arange(documents.size)
