"""Cached posting lists of query terms: which documents hold each, and where its postings in these begin.

Lists are concatenated in a few arrays. So a repeated word is not read again, and the compiled search gets all terms of
a query at once. Postings stay coded until a document is scored. The list of a key in one whole segment is copied as it
is in the file; a list made of several segments, or of the words of a phrase, is coded in the same way.
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
"""Largest number of occurrences in a row."""

LARGEST = 1 << 21
"""Number of rows at which the cache is cleared before the next query; for bytes sixteen times as many."""

MODELS = 4
"""Number of models with cached impacts."""

WEIGHTS = 4
"""Number of sets of weighted places with cached lists, besides the lists without weights."""

_FIRST = 1 << 12


class LargeCounts(Exception):
    """Raised when the weighted occurrences of a term in a document exceed the range of a row."""


class CountedPlaces(NamedTuple):
    """Weighted places as the cache needs them.

    Attributes
    ----------
    weights
        The places as written; lists are cached by them.
    weighted
        Weighs the occurrences of a list.
    values, heaviest
        Weight of an occurrence by content element, in thousandths; and the largest.
    """

    weights: ElementWeights
    weighted: Callable[[TermList], TermList]
    values: NDArray[np.int32]
    heaviest: int


class KeyCounts(NamedTuple):
    """Frequencies of keys.

    Attributes
    ----------
    m, documents, cf : tuples of int
        Content elements and documents that hold each key, and its occurrences; in thousandths with weighted places.
    most : tuple of int
        Upper bound of a key's frequency in any element.
    sought : sequence of (Keys, str)
        The keys, and the kind of phrase.
    """

    m: tuple[int, ...]
    documents: tuple[int, ...]
    cf: tuple[int, ...]
    most: tuple[int, ...]
    sought: Sequence[tuple[Keys, str]] = ()


class ListColumns(NamedTuple):
    """Columns of concatenated lists.

    Attributes
    ----------
    postings
        The coded posting lists.
    rows : (n, 4) ndarray of int32
        A row a document that holds a term: its number, xi_k, reach and kf, which are read together; see
        `trix.indexer.store.inverted.by_document.DocumentList`. The rows of a list begin at a multiple of `EVERY`.
    entries : (n / EVERY, 2) ndarray of int64
        For each `EVERY` rows, where the postings of the first begin, and the content element of the posting before.
    inside
        By row, how many bytes after these its postings begin, and how many content elements, packed into one number so
        that threads see both or neither; 0 if not known yet.
    """

    postings: NDArray[np.uint8]
    rows: NDArray[np.int32]
    entries: NDArray[np.int64]
    inside: NDArray[np.int64]

    @classmethod
    def room(cls, rows: int, size: int) -> ListColumns:
        """Allocate columns for some rows and bytes."""
        entries = np.empty((-(-rows // EVERY), 2), np.int64)
        return cls(np.empty(size, np.uint8), np.empty((rows, 4), np.int32), entries, np.zeros(rows, np.int64))


class CachedList(NamedTuple):
    """Position of one list in the columns, and the frequencies of its term."""

    spans: tuple[int, int, int, int]
    counts: tuple[int, int, int, int]


class QueryLists(NamedTuple):
    """The lists of one query's terms.

    Attributes
    ----------
    columns, postings
        The columns, and the same for the kernels.
    kept
        The cached lists.
    counts
        Frequencies of the terms.
    impacts
        Values of `trix.query.term_cache.impacts.Impacts`; empty if they were not requested.
    """

    columns: ListColumns
    postings: CachedPostings
    kept: list[CachedList]
    counts: KeyCounts
    impacts: NDArray[np.float32] = NO_IMPACTS

    @property
    def spans(self) -> Ints:
        """By list, the first row and the row after its last, the first byte and the byte after its last."""
        return np.array([each.spans for each in self.kept])


class _ListStore:
    """Columns for lists whose occurrences are weighted by the same places, or not at all."""

    def __init__(self, places: CountedPlaces | None) -> None:
        self.places = places
        self.columns = ListColumns.room(_FIRST, 16 * _FIRST)
        self.postings = CachedPostings(*self.columns)
        self.kept: dict[Hashable, CachedList] = {}
        self.impacts: dict[ImpactLetters, Impacts] = {}
        self.rows = self.bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether later queries should use another store."""
        return self.rows > LARGEST or self.bytes > 16 * LARGEST

    def prepare(self, rows: int, size: int) -> None:
        """Grow the columns. Readers of the old columns keep them unchanged, so no lock is needed to read."""
        old, (has_rows, has_bytes) = self.columns, (self.columns.inside.size, self.columns.postings.size)
        rows, size = self.rows + rows, self.bytes + size
        if rows <= has_rows and size <= has_bytes:
            return
        # Double and copy, then publish both references. A search that runs meanwhile keeps the columns it was given:
        # they are never written where it reads, since lists are only appended.
        larger = ListColumns.room(max(has_rows, 2 * rows), max(has_bytes, 2 * size))
        columns: Iterable[tuple[Ints, Ints]] = zip(larger, old, strict=True)
        for column, before in columns:
            column[: len(before)] = before
        self.columns, self.postings = larger, CachedPostings(*larger)

    def put(self, rows: int, size: int, counts: tuple[int, int, int, int]) -> CachedList:
        """Register the list that was written at the end: its rows, bytes and frequencies."""
        written = CachedList((self.rows, self.rows + rows, self.bytes, self.bytes + size), counts)
        # The next list begins at a multiple of `EVERY`: entries are one for `EVERY` rows, and lists must not share one.
        self.rows += -(-rows // EVERY) * EVERY
        self.bytes += size
        return written


class TermCache:
    """LRU-like cache of the posting lists of one index; safe for several threads.

    Parameters
    ----------
    index
        The index.
    reader
        Source of the postings of phrases and alternatives.
    """

    def __init__(self, index: IndexFiles, reader: ListReader) -> None:
        self._index, self._reader = index, reader
        self._stores, self._lock = dict[ElementWeights | None, _ListStore](), Lock()

    @cached_property
    def contents(self) -> Ints:
        """Number of content elements by document."""
        return np.diff(self._index.first_contents, append=self._index.totals["content_elements"])

    def open(
        self,
        terms: Collection[Keys],
        phrases: str | Sequence[str],
        letters: ImpactLetters | None = None,
        places: CountedPlaces | None = None,
    ) -> QueryLists:
        """Return the lists of terms, cached or read.

        Parameters
        ----------
        terms
            The terms' keys, each once.
        phrases
            Kind of phrases, as in the options of a search; or one for each term.
        letters
            Model parameters for impacts; None for no impacts.
        places
            Weighted places: counts are then in thousandths; None for none.

        Raises
        ------
        IndexError_
            A list is damaged.
        LargeCounts
            Weighted occurrences exceed the range of a row.
        """
        each = [phrases] * len(terms) if isinstance(phrases, str) else phrases
        sought = [*zip(terms, each, strict=True)]
        weights = None if places is None else places.weights
        # Lock-free path: a dictionary look-up for each term. A list enters the dictionary after its rows are written,
        # so a reader that finds it finds it whole.
        store = self._stores.get(weights)
        found: list[CachedList | None] = [None]
        if store is not None:
            known = store.kept.get
            found = [known(keys) or known((how, keys)) for keys, how in sought]
        # Slow path: some list is missing. The lock serialises writers; each looks again, since another may have been
        # first.
        if store is None or None in found:
            with self._lock:
                store = self._store_of(places)
                found = [self._kept(store, keys, how) for keys, how in sought]
        kept = cast(list[CachedList], found)
        impacts = NO_IMPACTS if letters is None else self._impacts(store, kept, letters)
        # The columns are read after the places in them: they are never older.
        m, documents, cf, most = zip(*[each.counts for each in kept], strict=True)
        counts = KeyCounts(m, documents, cf, most, sought)
        return QueryLists(store.columns, store.postings, kept, counts, impacts)

    def _store_of(self, places: CountedPlaces | None) -> _ListStore:
        """Return the store for new lists."""
        weights = None if places is None else places.weights
        found = self._stores.get(weights)
        if found is None or found.is_full:
            found = self._stores[weights] = _ListStore(places)
            weighted = [each for each in self._stores if each is not None]
            # The oldest go. Searches that still use them hold them; their memory is freed after the last.
            for each in weighted[:-WEIGHTS]:
                del self._stores[each]
        return found

    def _impacts(self, store: _ListStore, kept: list[CachedList], letters: ImpactLetters) -> NDArray[np.float32]:
        """Return the impacts of lists under a model, for the rows of a store."""
        found = store.impacts.get(letters)
        # Impacts grow with the rows. Those before `end` are final, so no lock is needed to read them.
        if found is None or found.end < max([each.spans[1] for each in kept]):
            with self._lock:
                found = store.impacts.get(letters)
                if found is None:
                    # Dicts keep the order of insertion: the first model is the oldest.
                    if len(store.impacts) == MODELS:
                        del store.impacts[next(iter(store.impacts))]
                    found = store.impacts[letters] = Impacts(letters, 1 if store.places is None else UNIT)
                found.fill([each.spans[:2] for each in store.kept.values()], store.columns.rows, self.contents)
        return found.values

    def _kept(self, store: _ListStore, keys: Keys, phrases: str) -> CachedList:
        """Return a term's list from a store, writing it first if it is missing."""
        name = keys if is_key(keys) else (phrases, keys)
        if name not in store.kept:
            store.kept[name] = self._put(store, keys, phrases)
        return store.kept[name]

    def _put(self, store: _ListStore, keys: Keys, phrases: str) -> CachedList:
        """Write the list of a term at the end of a store."""
        index, places = self._index, store.places
        one = places is None and index.is_one and is_key(keys)
        begin, end, low, high = index.live[0].spans(str(keys[0])) if one else (0, 0, 0, 0)
        # A key of a single whole segment: copy its coded list and document list as they are in the file.
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
            # A phrase, alternatives, several segments or weighted places: encode the merged list in the same form.
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
        """Return the largest weighted frequency in any document."""
        if not contents.size or not 0 <= contents[0] <= contents[-1] < self._index.totals["content_elements"]:
            return 0  # damaged, which is found later
        documents = np.searchsorted(self._index.first_contents, contents, side="right") - 1
        return int(np.bincount(documents, counted).max())
