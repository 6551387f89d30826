"""Lists by document: per-document frequencies of a key, for bounds before a document is scored.

A key in many content elements has such a list beside its posting list. For each document with the key it stores kf, the
frequency; ξ_k, the number of content elements with the key; and the *reach*. The reach is an upper bound of the
frequency that any part of the document gets under length normalisation.

For trix2005 an element counts for kf / (1-b + b ξ_c/ξ_k). That is kf if each of its content elements contains the key,
and less if they are spread out. The reach is the maximum for b = 0.1 over all runs of content elements in the document,
rounded up to 127ths of kf.

Skip data: the list also has the begin of the postings of every eighth document, to decode those of selected documents
only.

Encoding: variable-byte integers. First the number of documents. For each, the gap to the one before (for the first, its
number), doubled, plus 1 if kf > 1. For each with kf > 1, kf - 2; then, for each of these, kf - ξ_k. For each with ξ_k >
1, the reach in 127ths of kf. For every eighth document but the first, the bytes since the last skip, and the distance
of the last content element before it from that of the last skip.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.core import damage_in, postings
from trix.core.postings import count_documents, keys_by_document
from trix.errors import IndexError_
from trix.indexer.store.inverted.postings import Lists
from trix.support.arrays import Int32s, Ints

LISTED = 1 << 26
"""Upper bound of the entries (document, key) in memory, four bytes each; above it, each request scans all lists."""

SECTION = "by_document"
"""Section of the lists; `.keys` has the numbers of keys with a list, `.ends` the end of each."""

MANY = 512
"""Postings from which a key has a list by document; shorter lists are decoded faster than looked up."""

EVERY = 8
"""Documents between two skips."""

STEPS = 127
"""The reach is a multiple of kf / STEPS."""

GROUPS = 8
"""Groups of postings in a document, between whose ends the reach is computed."""

B = 0.1
"""Parameter b of trix2005 for which the reach is exact."""


class DocumentList(NamedTuple):
    """Documents with a key.

    Attributes
    ----------
    documents : (n,) ndarray of int32
        ``(n,)`` int32, ascending.
    kf : (n,) ndarray of int64
        ``(n,)`` int64, frequency in the document.
    xi_k : (n,) ndarray of int32
        ``(n,)`` int32, content elements with the key.
    reach : (n,) ndarray of int32
        ``(n,)`` int32, in 127ths of kf.
    byte, before : ndarrays of int64
        For every eighth document: first byte of its postings, and content element of the posting before; 0 and 0 for
        the first.
    """

    documents: Int32s
    kf: Ints
    xi_k: Int32s
    reach: Int32s
    byte: Ints
    before: Ints


def by_document(contents: Ints, tf: Ints, document_of: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Group a posting list: documents, kf, ξ_k and reach; `document_of` is the document of each posting.

    >>> contents, tf = np.array([0, 1, 9, 20]), np.array([1, 2, 1, 5])
    >>> [each.tolist() for each in by_document(contents, tf, np.array([0, 0, 0, 1]))]
    [[0, 1], [4, 5], [3, 1], [103, 127]]
    """
    return postings.by_document(contents, tf, document_of, GROUPS, B, STEPS)


def encode_by_document(contents: Ints, tf: Ints, document_of: Ints) -> NDArray[np.uint8]:
    """Encode the list by document of a posting list."""
    return postings.encode_by_document(contents, tf, document_of, EVERY, GROUPS, B, STEPS)


def coded_sizes(contents: Ints, tf: Ints, before: int = 0) -> Ints:
    """Return the encoded bytes of each posting, as in `trix.indexer.store.inverted.postings`.

    `before` is the content element of the posting before the first, 0 for none.

    >>> coded_sizes(np.array([1, 90, 91]), np.array([1, 1, 3])).tolist()
    [1, 2, 2]
    """
    sizes = _varint_sizes(2 * np.diff(contents.astype(np.int64), prepend=before) + (tf > 1))
    return sizes + np.where(tf > 1, _varint_sizes(np.maximum(tf.astype(np.int64) - 2, 0)), 0)


def _varint_sizes(values: Ints) -> Ints:
    sizes: Ints = np.ones(values.size, np.int64)
    limit = 1 << 7
    while values.size and limit <= values.max():
        # Seven bits per byte: one more byte for each limit reached.
        sizes += values >= limit
        limit <<= 7
    return sizes


def decode_by_document(data: NDArray[np.uint8]) -> DocumentList:
    """Decode a list by document.

    Raises
    ------
    IndexError_
        The list is damaged.
    """
    with damage_in("a list by document"):
        found = postings.decode_by_document(data, EVERY, STEPS)
    if found is None:
        raise IndexError_("a list by document is damaged")
    return DocumentList(*found)


def postings_of(data: NDArray[np.uint8], of: DocumentList, wanted: Ints) -> Lists:
    """Decode the postings in selected documents only.

    Parameters
    ----------
    data
        Encoded posting list.
    of
        List by document of the same key.
    wanted
        Documents, ascending; those without the key have no postings.
    """
    with damage_in("a list by document"):
        return postings.postings_of(data, of.documents, of.xi_k, of.byte, of.before, wanted, EVERY)


def share_for(b: float) -> float:
    """Return the weight of the reach in the upper bound of a key's frequency in any part, for a parameter b.

    The reciprocal of an element's length-normalised frequency is linear in b, so its minimum over elements is concave.
    Between 0, where it is 1/kf, and `B`, it lies above the chord, and beyond it grows. Therefore kf / ((1 - share) +
    share·`STEPS`/reach) is an upper bound for any part.

    >>> [share_for(b) for b in (0.0, 0.05, 0.1, 1.0)]
    [0.0, 0.5, 1.0, 1.0]
    """
    # Beyond `B` the share stays at 1: the bound by the reach alone holds there.
    return min(b / B, 1.0)


class DocumentLists:
    """Lists by document of a segment.

    Parameters
    ----------
    data
        Encoded lists.
    keys, ends
        Numbers of the keys with a list, ascending, and the end of each list.
    """

    def __init__(self, data: Any, keys: Ints, ends: Ints) -> None:
        self._data = data
        self._places = {key: place for place, key in enumerate(keys.tolist())}
        # Lists in Python, not arrays: a query looks up single keys.
        self._begins = [0, *ends.tolist()]

    @property
    def keys(self) -> list[int]:
        """Numbers of the keys with a list."""
        return list(self._places)

    @property
    def in_order(self) -> bool:
        """Whether each key has a list, and the lists are contiguous."""
        # Contiguous lists of positive size cover the section exactly.
        sizes = np.diff(self._begins)
        return len(self._places) == sizes.size and bool((sizes > 0).all()) and self._begins[-1] == len(self._data)

    def coded(self, key: int) -> NDArray[np.uint8] | None:
        """Return the encoded list of a key, or None."""
        if key not in self._places:
            return None
        begin, end = self.span(key)
        return np.frombuffer(self._data[begin:end], np.uint8)

    def span(self, key: int) -> tuple[int, int]:
        """Return the verified range of a key's list in its section; 0 and 0 if there is none."""
        # Rare keys have no list: their postings are few enough to be decoded whole.
        place = self._places.get(key)
        if place is None:
            return 0, 0
        begin, end = self._begins[place], self._begins[place + 1]
        self._data[begin:end]  # reading verifies the pages
        return begin, end

    def of(self, key: int) -> DocumentList | None:
        """Decode the list of a key, or return None."""
        data = self.coded(key)
        return None if data is None else decode_by_document(data)


class DocumentCounts:
    """Counts the documents with each key, among all or selected documents.

    The inverted file is sorted by key, so a request scans all of it. For many requests, such as a batch of topics, the
    keys of each document are listed once; later requests read only the lists of their documents.

    Parameters
    ----------
    data, ends
        Encoded posting lists, concatenated, and the end of each.
    document_of : (n_content_elements,) ndarray
        ``(n_content_elements,)`` document of each content element.
    documents
        Number of documents.
    """

    def __init__(
        self, data: NDArray[np.uint8], ends: NDArray[Any], document_of: NDArray[np.int32], documents: int
    ) -> None:
        self._lists, self._documents = (data, ends, document_of), documents
        self._n: Int32s | None = None
        self._keys: tuple[NDArray[np.int64], Int32s] | None = None
        self._listing = Lock()

    def __call__(self, chosen: NDArray[np.int64]) -> tuple[Int32s, Int32s]:
        """Return, for every key by number, the documents with it, and the chosen documents with it."""
        # The first request scans and remembers n, which also tells the size of the lists.
        n = self._n
        listed = None if n is None else self._listed(n)
        if n is None or listed is None:
            among = np.zeros(self._documents, bool)
            among[chosen] = True
            with damage_in("a posting list"):
                # Threads may both scan; they find the same n, and one reference replaces the other.
                self._n, r = n, _ = count_documents(*self._lists, among)
            return n, r
        # The lists of the chosen documents, concatenated and counted per key.
        # A document has each of its keys once, so counting keys counts documents.
        begins, keys = listed
        keys_of_documents = [keys[begins[document] : begins[document + 1]] for document in chosen.tolist()]
        r = np.bincount(np.concatenate([np.zeros(0, np.int32), *keys_of_documents]), minlength=n.size).astype(np.int32)
        return n, r

    def _listed(self, n: Int32s) -> tuple[NDArray[np.int64], Int32s] | None:
        """Return the keys of each document, computed once; None if there are too many."""
        if self._keys is None and int(n.sum(dtype=np.int64)) <= LISTED:
            # Double-checked: only one thread computes the lists.
            with self._listing:
                if self._keys is None:
                    with damage_in("a posting list"):
                        self._keys = keys_by_document(*self._lists, self._documents)
        return self._keys
