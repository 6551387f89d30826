"""What the documents of an answer say, counted; and answers in the order of what their documents say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.indexer.fields.table import FieldColumn, Fields, Plain

Ints = NDArray[Any]


class FacetCount(NamedTuple):
    """A value of a field in an answer.

    Attributes
    ----------
    value
        The value.
    documents, elements
        How many documents with it match, and how many elements of theirs.
    """

    value: Plain
    documents: int
    elements: int


def facet_counts(column: FieldColumn, documents: Ints, elements: Ints) -> list[FacetCount]:
    """Count the values of some documents, most documents first, then most elements, then in order of the values.

    Parameters
    ----------
    column
        The field.
    documents
        Those that match, each once.
    elements
        How many elements of each match.
    """
    held = np.zeros(column.counts.size, np.int64)
    held[documents] = elements
    of = held[column.documents]
    many = np.bincount(column.codes[of > 0], minlength=len(column.values))
    inside = np.bincount(column.codes, weights=of, minlength=len(column.values)).astype(np.int64)
    order = np.lexsort((np.arange(many.size), -inside, -many))
    return [
        FacetCount(column.rule.plain(column.values[code]), int(many[code]), int(inside[code]))
        for code in order[: np.count_nonzero(many)].tolist()
    ]


class SortKey(NamedTuple):
    """A field, or the score, and which way it sorts.

    >>> SortKey.of("-year"), str(SortKey.of("-year"))
    (SortKey(name='year', descending=True), '-year')
    """

    name: str
    descending: bool

    @classmethod
    def of(cls, text: str) -> SortKey:
        """Read ``name`` or ``-name``."""
        return cls(text.removeprefix("-").strip(), text.startswith("-"))

    def __str__(self) -> str:
        return f"{'-' if self.descending else ''}{self.name}"


def sorted_places(fields: Fields, keys: Sequence[SortKey], documents: Ints, scores: NDArray[np.float64]) -> Ints:
    """Return the places of ranked elements in the order of some keys; equal ones stay as they were ranked.

    Of a field with many values the smallest counts, and the greatest where it descends; documents without a value come
    last either way.

    Parameters
    ----------
    fields
        The fields.
    keys
        The first decides, the next among equals.
    documents, scores
        Of the elements in order of rank.
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
        np.minimum.at(best, column.documents, codes)
        columns.append(best[documents])
    return np.lexsort(columns[::-1]) if columns else np.arange(documents.size)
