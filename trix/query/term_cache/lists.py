"""The lists of a query's terms: which documents hold each, and where its postings in these begin.

They are kept one behind the other in a few arrays, so that a word that is asked again is not looked up again, and the
compiled loops get all terms of a query at once. The postings themselves stay coded until a document is looked into. A
key of one whole segment is taken as it lies in its file; what is put together, of several segments or of the words of
a phrase, is coded in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import cached_property
from threading import Lock
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from trix.core import damage_in
from trix.core.postings import keep_coded, keep_postings
from trix.core.topk import CachedPostings
from trix.errors import IndexError_
from trix.indexer.store.files import IndexFiles
from trix.indexer.store.inverted.by_document import EVERY, GROUPS, STEPS, B
from trix.query.language.element_weights import UNIT, ElementWeights
from trix.query.language.terms import Keys, is_key
from trix.query.matching.matching import ListReader, TermList
from trix.query.term_cache.impacts import NO_IMPACTS, ImpactLetters, Impacts
from trix.support.arrays import Ints

LARGEST_COUNT = (1 << 31) - 1
"""The greatest number of occurrences of a row."""

LARGEST = 1 << 21
"""Rows from which on the lists of a next query begin anew; of bytes sixteen times as many."""

MODELS = 4
"""Models whose impacts are kept beside the lists."""

WEIGHTS = 4
"""Sets of weighted places whose lists are kept beside those without."""

_FIRST = 1 << 12


class LargeCounts(Exception):
    """Occurrences of a term in a document count for more than a row can say."""


class Places(NamedTuple):
    """Places where occurrences count by weights.

    Attributes
    ----------
    weights
        The places as they are written, by which lists are kept apart.
    weighted
        Weighs the occurrences of a list.
    values, heaviest
        What an occurrence in each content element counts for, in thousandths; and the most.
    """

    weights: ElementWeights
    weighted: Callable[[TermList], TermList]
    values: NDArray[np.int32]
    heaviest: int


class KeyCounts(NamedTuple):
    """How often keys are held.

    Attributes
    ----------
    m, documents, cf : tuples of int
        Content elements and documents that hold each key, and its occurrences; in thousandths where places have
        weights.
    most : tuple of int
        No element holds a key more often.
    sought : sequence of (Keys, str)
        The keys, and what phrases are.
    """

    m: tuple[int, ...]
    documents: tuple[int, ...]
    cf: tuple[int, ...]
    most: tuple[int, ...]
    sought: Sequence[tuple[Keys, str]] = ()


class ListColumns(NamedTuple):
    """Lists one behind the other.

    Attributes
    ----------
    postings
        The coded posting lists.
    rows : (n, 4) ndarray of int32
        Of each document that holds a term its number, xi_k, reach and kf side by side, since they are read together;
        see `trix.indexer.store.inverted.by_document.DocumentList`. The rows of a list begin at a multiple of `EVERY`.
    entries : (n / EVERY, 2) ndarray of int64
        Of each `EVERY` rows where the postings of the first begin, and the content element of the posting before them.
    inside
        Of each row how many bytes behind these its postings begin, and how many content elements, in the two halves of
        one number, so that threads see both or none; 0 where nobody has read so far yet.
    """

    postings: NDArray[np.uint8]
    rows: NDArray[np.int32]
    entries: NDArray[np.int64]
    inside: NDArray[np.int64]

    @classmethod
    def room(cls, rows: int, size: int) -> ListColumns:
        """Return room for so many rows and bytes."""
        entries = np.empty((-(-rows // EVERY), 2), np.int64)
        return cls(np.empty(size, np.uint8), np.empty((rows, 4), np.int32), entries, np.zeros(rows, np.int64))


class KeptList(NamedTuple):
    """One list: where its rows and its bytes lie, and how often the term is held."""

    spans: tuple[int, int, int, int]
    counts: tuple[int, int, int, int]


class OpenLists(NamedTuple):
    """The lists of the terms of one query.

    Attributes
    ----------
    columns, postings
        Where they are, and the same for the kernels.
    kept
        What is known of each.
    counts
        How often the terms are held.
    impacts
        The values of `trix.query.term_cache.impacts.Impacts`; empty where they were not asked for.
    """

    columns: ListColumns
    postings: CachedPostings
    kept: list[KeptList]
    counts: KeyCounts
    impacts: NDArray[np.float32] = NO_IMPACTS

    @property
    def spans(self) -> Ints:
        """Of each list the first row and the one behind the last, the first byte and the one behind the last."""
        return np.array([each.spans for each in self.kept])


class _Store:
    """Lists that are kept together, whose occurrences count alike or by the same places."""

    def __init__(self, places: Places | None) -> None:
        self.places = places
        self.columns = ListColumns.room(_FIRST, 16 * _FIRST)
        self.postings = CachedPostings(*self.columns)
        self.kept: dict[Hashable, KeptList] = {}
        self.impacts: dict[ImpactLetters, Impacts] = {}
        self.rows = self.bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether no more queries should put their lists here."""
        return self.rows > LARGEST or self.bytes > 16 * LARGEST

    def prepare(self, rows: int, size: int) -> None:
        """Make room for so many rows and bytes more. Who reads the columns that were goes on with these."""
        old, (has_rows, has_bytes) = self.columns, (self.columns.inside.size, self.columns.postings.size)
        rows, size = self.rows + rows, self.bytes + size
        if rows <= has_rows and size <= has_bytes:
            return
        larger = ListColumns.room(max(has_rows, 2 * rows), max(has_bytes, 2 * size))
        columns: Iterable[tuple[Ints, Ints]] = zip(larger, old, strict=True)
        for column, before in columns:
            column[: len(before)] = before
        self.columns, self.postings = larger, CachedPostings(*larger)

    def put(self, rows: int, size: int, counts: tuple[int, int, int, int]) -> KeptList:
        """Return the list that was written behind the others: rows and bytes, and how often the term is held."""
        written = KeptList((self.rows, self.rows + rows, self.bytes, self.bytes + size), counts)
        self.rows += -(-rows // EVERY) * EVERY
        self.bytes += size
        return written


class KeptLists:
    """Gives the lists of terms of one index; several threads may ask.

    Parameters
    ----------
    index
        The index.
    reader
        Gives the postings of a term that is more than a key.
    """

    def __init__(self, index: IndexFiles, reader: ListReader) -> None:
        self._index, self._reader = index, reader
        self._stores, self._lock = dict[ElementWeights | None, _Store](), Lock()

    @cached_property
    def contents(self) -> Ints:
        """How many content elements each document has."""
        return np.diff(self._index.first_contents, append=self._index.totals["content_elements"])

    def open(
        self,
        terms: Collection[Keys],
        phrases: str | Sequence[str],
        letters: ImpactLetters | None = None,
        places: Places | None = None,
    ) -> OpenLists:
        """Return the lists of terms.

        Parameters
        ----------
        terms
            What they look for, each once.
        phrases
            What phrases are, as in the options of a search; or of each term.
        letters
            Those of the model whose impacts are wanted; None for none.
        places
            Where occurrences count by weights: then counts are in thousandths; None for nowhere.

        Raises
        ------
        IndexError_
            A list is damaged.
        LargeCounts
            Weighted occurrences are too many for a row.
        """
        each = [phrases] * len(terms) if isinstance(phrases, str) else phrases
        sought = [*zip(terms, each, strict=True)]
        weights = None if places is None else places.weights
        store = self._stores.get(weights)
        found: list[KeptList | None] = [None]
        if store is not None:
            known = store.kept.get
            found = [known(keys) or known((how, keys)) for keys, how in sought]
        if store is None or None in found:
            with self._lock:
                store = self._store_of(places)
                found = [self._kept(store, keys, how) for keys, how in sought]
        kept = cast(list[KeptList], found)
        impacts = NO_IMPACTS if letters is None else self._impacts(store, kept, letters)
        # The columns are read after the places in them: they are never older.
        m, documents, cf, most = zip(*[each.counts for each in kept], strict=True)
        counts = KeyCounts(m, documents, cf, most, sought)
        return OpenLists(store.columns, store.postings, kept, counts, impacts)

    def _store_of(self, places: Places | None) -> _Store:
        """Return the store that lists are written to."""
        weights = None if places is None else places.weights
        found = self._stores.get(weights)
        if found is None or found.is_full:
            found = self._stores[weights] = _Store(places)
            weighted = [each for each in self._stores if each is not None]
            for each in weighted[:-WEIGHTS]:
                del self._stores[each]
        return found

    def _impacts(self, store: _Store, kept: list[KeptList], letters: ImpactLetters) -> NDArray[np.float32]:
        """Return the impacts of lists under a model, for the rows of a store."""
        found = store.impacts.get(letters)
        if found is None or found.end < max([each.spans[1] for each in kept]):
            with self._lock:
                found = store.impacts.get(letters)
                if found is None:
                    if len(store.impacts) == MODELS:
                        del store.impacts[next(iter(store.impacts))]
                    found = store.impacts[letters] = Impacts(letters, 1 if store.places is None else UNIT)
                found.fill([each.spans[:2] for each in store.kept.values()], store.columns.rows, self.contents)
        return found.values

    def _kept(self, store: _Store, keys: Keys, phrases: str) -> KeptList:
        """Return the list of a term in a store, into which it is written if it is not there."""
        name = keys if is_key(keys) else (phrases, keys)
        if name not in store.kept:
            store.kept[name] = self._put(store, keys, phrases)
        return store.kept[name]

    def _put(self, store: _Store, keys: Keys, phrases: str) -> KeptList:
        """Write the list of a term behind the others."""
        index, places = self._index, store.places
        one = places is None and index.is_one and is_key(keys)
        begin, end, low, high = index.live[0].spans(str(keys[0])) if one else (0, 0, 0, 0)
        if high > low:
            mapped = index.live[0].mapped_lists
            store.prepare(high - low, end - begin)
            size = end - begin
            with damage_in(f"{index.path}: a posting list"):
                kept = keep_coded(
                    mapped[0][begin:end], mapped[1][low:high], store.columns, store.rows, store.bytes, EVERY, STEPS,
                    len(index),
                )  # fmt: skip
        else:
            found = self._reader(keys, phrases)
            contents, tf = found.content_numbers, found.tf
            counted = tf if places is None else places.weighted(found).tf
            occurrences = int(counted.sum())
            if occurrences > LARGEST_COUNT and self._most_of_document(contents, counted) > LARGEST_COUNT:
                raise LargeCounts
            if places is not None:  # rows bound what elements hold: what counts for nothing is a thousandth there
                counted = np.maximum(counted, 1)
            store.prepare(contents.size, 10 * contents.size)
            size, kept = keep_postings(
                contents, tf, counted, index.first_contents, index.totals["content_elements"],
                store.columns, store.rows, store.bytes, EVERY, GROUPS, B, STEPS,
            )  # fmt: skip
        if kept is None:
            raise IndexError_(f"{index.path}: a posting list is damaged")
        rows, m, cf, most = kept
        if places is not None:
            cf = occurrences
        return store.put(rows, size, (m, rows, cf, most))

    def _most_of_document(self, contents: Ints, counted: Ints) -> int:
        """Return what the occurrences in any document count for at most."""
        if not contents.size or not 0 <= contents[0] <= contents[-1] < self._index.totals["content_elements"]:
            return 0  # damaged, which is found later
        documents = np.searchsorted(self._index.first_contents, contents, side="right") - 1
        return int(np.bincount(documents, counted).max())
