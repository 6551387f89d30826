"""In how many documents is each key, and in how many of some?

The inverted file is by key, so a pass over all of it tells. Who asks again, as a batch of topics does, has the keys of
each document listed once; then only the lists of the documents in question are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.inverted.postings import decode_lists
from trix.support.backend import use_numba

Counts = NDArray[np.int32]

LISTED = 1 << 26
"""Keys of documents, four bytes each, that are listed at the most; beyond, every question is a pass."""

_RANGE_BYTES = 1 << 21
"""Bytes of posting lists that the plain twin decodes at a time."""


class DocumentCounts:
    """Answers how many documents hold each key.

    Parameters
    ----------
    data, ends
        The coded posting lists one behind the other, and where each ends.
    document_of : (n_content_elements,) ndarray
        The document of each content element.
    documents
        Documents of the collection.
    """

    def __init__(
        self, data: NDArray[np.uint8], ends: NDArray[Any], document_of: NDArray[np.int32], documents: int
    ) -> None:
        self._lists, self._documents = (data, ends, document_of), documents
        self._n: Counts | None = None
        self._keys: tuple[NDArray[np.int64], Counts] | None = None
        self._listing = Lock()

    def __call__(self, chosen: NDArray[np.int64]) -> tuple[Counts, Counts]:
        """Return, of every key by number, how many documents hold it, and how many of the chosen ones."""
        n = self._n
        listed = None if n is None else self._listed(n)
        if n is None or listed is None:
            among = np.zeros(self._documents, bool)
            among[chosen] = True
            self._n, r = n, _ = count_documents(*self._lists, among)
            return n, r
        begins, keys = listed
        held = [keys[begins[document] : begins[document + 1]] for document in chosen.tolist()]
        r = np.bincount(np.concatenate([np.zeros(0, np.int32), *held]), minlength=n.size).astype(np.int32)
        return n, r

    def _listed(self, n: Counts) -> tuple[NDArray[np.int64], Counts] | None:
        """Return the keys of each document, listed at the first time; None where there are too many."""
        if self._keys is None and int(n.sum(dtype=np.int64)) <= LISTED:
            with self._listing:
                if self._keys is None:
                    self._keys = keys_by_document(*self._lists, self._documents)
        return self._keys


def count_documents(
    data: NDArray[np.uint8], ends: NDArray[Any], document_of: NDArray[np.int32], chosen: NDArray[np.bool_]
) -> tuple[Counts, Counts]:
    """Count the documents of each key.

    Parameters
    ----------
    data, ends
        The coded posting lists one behind the other, and where each ends.
    document_of : (n_content_elements,) ndarray
        The document of each content element.
    chosen : (n_documents,) ndarray of bool
        Some documents.

    Returns
    -------
    n, r : (n_keys,) ndarrays of int32
        Documents that hold the key, and chosen documents that do.
    """
    if use_numba():
        from trix.indexer.store.inverted.loops import count_documents as compiled

        counted: tuple[Counts, Counts] = compiled(data, ends, document_of, chosen)
        return counted
    return count_documents_plainly(data, ends, document_of, chosen)


def keys_by_document(
    data: NDArray[np.uint8], ends: NDArray[Any], document_of: NDArray[np.int32], documents: int
) -> tuple[NDArray[np.int64], Counts]:
    """Return where the keys of each document begin, ``(n_documents + 1,)``, and their numbers, ascending in each."""
    if use_numba():
        from trix.indexer.store.inverted.loops import keys_by_document as compiled

        listed: tuple[NDArray[np.int64], Counts] = compiled(data, ends, document_of, documents)
        return listed
    return keys_by_document_plainly(data, ends, document_of, documents)


def keys_by_document_plainly(
    data: NDArray[np.uint8], ends: NDArray[Any], document_of: NDArray[np.int32], documents: int
) -> tuple[NDArray[np.int64], Counts]:
    """Return what `keys_by_document` does: the numpy twin of `trix.indexer.store.inverted.loops.keys_by_document`."""
    pairs = [np.stack((key, document)) for _, key, document in _pairs(data, ends, document_of)]
    keys, found = np.concatenate([np.zeros((2, 0), np.int64), *pairs], axis=1)
    order = np.argsort(found, kind="stable")
    begins = np.concatenate(([0], np.cumsum(np.bincount(found, minlength=documents))))
    return begins, keys[order].astype(np.int32)


def count_documents_plainly(
    data: NDArray[np.uint8], ends: NDArray[Any], document_of: NDArray[np.int32], chosen: NDArray[np.bool_]
) -> tuple[Counts, Counts]:
    """Return what `count_documents` does: the numpy twin of `trix.indexer.store.inverted.loops.count_documents`."""
    n, r = np.zeros(ends.size, np.int32), np.zeros(ends.size, np.int32)
    for keys, key, document in _pairs(data, ends, document_of):
        n[keys] = np.bincount(key - keys.start, minlength=keys.stop - keys.start)
        r[keys] = np.bincount(key[chosen[document]] - keys.start, minlength=keys.stop - keys.start)
    return n, r


def _pairs(
    data: NDArray[np.uint8], ends: NDArray[Any], document_of: NDArray[np.int32]
) -> Iterator[tuple[slice, NDArray[np.int64], NDArray[np.int32]]]:
    """Yield, range by range of keys, the range, and the pairs of a key and a document that holds it, each once."""
    stops = np.asarray(ends, np.int64)
    low = 0
    while low < stops.size:
        begin = int(stops[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(stops, begin + _RANGE_BYTES, side="right")))
        part = data[begin : int(stops[high - 1])]
        starts = np.concatenate(([0], stops[low : high - 1] - begin))
        key, document = _documents_of_lists(part, starts, document_of)
        first = np.ones(key.size, bool)
        first[1:] = (key[1:] != key[:-1]) | (document[1:] != document[:-1])
        yield slice(low, high), key[first] + low, document[first]
        low = high


def _documents_of_lists(
    data: NDArray[np.uint8], starts: NDArray[np.int64], document_of: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the list and the document of each posting of some lists; each list begins at one of the byte starts."""
    contents, _, first = decode_lists(data, starts)
    sizes = np.diff(first, append=contents.size)
    return np.repeat(np.arange(starts.size), sizes), document_of[contents]
