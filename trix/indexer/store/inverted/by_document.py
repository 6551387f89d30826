"""Which documents hold a key, and how often: what a search needs to know of a document before it looks into it.

A list by document stands beside the posting list of each key that is held by many content elements. It says of each
document that holds the key kf, how often; ξ_k, in how many of its content elements; and the *reach*, more than which
the occurrences of no part of the document count for. For trix2005 an element counts for kf / (1-b + b ξ_c/ξ_k), which
is kf where each of its content elements holds the key and less where they lie apart; so the reach is the greatest of
these for b = 0.1 in any stretch of content elements of the document, rounded up to 127ths of kf.

Where the postings of each eighth document begin is said, too, so that those of some documents are read alone.

The list is a row of variable-byte integers: how many documents; for each the gap to the one before (the first: its
number), doubled, plus 1 where kf > 1; for each of the latter kf - 2, then for each kf - ξ_k; for each document with
ξ_k > 1 its reach in 127ths of kf; for each eighth document but the first the bytes of the posting list from the last
such place, and how far its last content element before is behind that of the last such place.
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
"""Keys of documents, four bytes each, that are listed at the most; beyond, every question is a pass."""

SECTION = "by_document"
"""Where the lists are in a segment; `.keys` has the numbers of the keys that have one, `.ends` where each ends."""

MANY = 512
"""Postings from which on a key has a list by document; a shorter one is decoded sooner than looked up."""

EVERY = 8
"""Documents from one place where the postings are entered to the next."""

STEPS = 127
"""The reach is a multiple of kf divided by this."""

GROUPS = 8
"""Stretches of postings in a document between whose ends the reach is looked for."""

B = 0.1
"""The letter b of trix2005 for which the reach holds."""


class DocumentList(NamedTuple):
    """Which documents hold a key.

    Attributes
    ----------
    documents : (n,) ndarray of int32
        Ascending.
    kf : (n,) ndarray of int64
        Occurrences.
    xi_k : (n,) ndarray of int32
        Content elements that hold them.
    reach : (n,) ndarray of int32
        In 127ths of kf.
    byte, before : ndarrays of int64
        Of each eighth document: where its postings begin, and the content element of the posting before them; 0 and 0
        for the first.
    """

    documents: Int32s
    kf: Ints
    xi_k: Int32s
    reach: Int32s
    byte: Ints
    before: Ints


def by_document(contents: Ints, tf: Ints, document_of: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return documents, kf, ξ_k and reach of one posting list; `document_of` is the document of each posting.

    >>> contents, tf = np.array([0, 1, 9, 20]), np.array([1, 2, 1, 5])
    >>> [each.tolist() for each in by_document(contents, tf, np.array([0, 0, 0, 1]))]
    [[0, 1], [4, 5], [3, 1], [103, 127]]
    """
    return postings.by_document(contents, tf, document_of, GROUPS, B, STEPS)


def encode_by_document(contents: Ints, tf: Ints, document_of: Ints) -> NDArray[np.uint8]:
    """Code the list by document of a key by its postings."""
    return postings.encode_by_document(contents, tf, document_of, EVERY, GROUPS, B, STEPS)


def coded_sizes(contents: Ints, tf: Ints, before: int = 0) -> Ints:
    """Return the bytes of each posting of a list as `trix.indexer.store.inverted.postings` codes it.

    `before` is the content element of the posting before, 0 for none.

    >>> coded_sizes(np.array([1, 90, 91]), np.array([1, 1, 3])).tolist()
    [1, 2, 2]
    """
    sizes = _varint_sizes(2 * np.diff(contents.astype(np.int64), prepend=before) + (tf > 1))
    return sizes + np.where(tf > 1, _varint_sizes(np.maximum(tf.astype(np.int64) - 2, 0)), 0)


def _varint_sizes(values: Ints) -> Ints:
    sizes: Ints = np.ones(values.size, np.int64)
    limit = 1 << 7
    while values.size and limit <= values.max():
        sizes += values >= limit
        limit <<= 7
    return sizes


def decode_by_document(data: NDArray[np.uint8]) -> DocumentList:
    """Return a list by document.

    Raises
    ------
    IndexError_
        It is damaged.
    """
    with damage_in("a list by document"):
        found = postings.decode_by_document(data, EVERY, STEPS)
    if found is None:
        raise IndexError_("a list by document is damaged")
    return DocumentList(*found)


def postings_of(data: NDArray[np.uint8], of: DocumentList, wanted: Ints) -> Lists:
    """Return the postings in some documents alone.

    Parameters
    ----------
    data
        The coded posting list.
    of
        The list by document that stands beside it.
    wanted
        Ascending numbers of documents; those that do not hold the key have no postings.
    """
    with damage_in("a list by document"):
        return postings.postings_of(data, of.documents, of.xi_k, of.byte, of.before, wanted, EVERY)


def share_for(b: float) -> float:
    """Return the share of a reach in what the occurrences of a key in any part of a document count for, for any b.

    1 / (what an element counts for) is linear in b, so its least value over the elements is concave: between 0, where
    it is 1/kf, and `B` it is above the chord, and further on it grows. So kf / ((1 - share) + share·`STEPS`/reach)
    bounds what any part counts for.

    >>> [share_for(b) for b in (0.0, 0.05, 0.1, 1.0)]
    [0.0, 0.5, 1.0, 1.0]
    """
    return min(b / B, 1.0)


class ListsByDocument:
    """The lists by document of a segment.

    Parameters
    ----------
    data
        The coded lists.
    keys, ends
        The numbers of the keys that have one, ascending, and where the list of each ends.
    """

    def __init__(self, data: Any, keys: Ints, ends: Ints) -> None:
        self._data = data
        self._places = {key: place for place, key in enumerate(keys.tolist())}
        self._begins = [0, *ends.tolist()]

    @property
    def keys(self) -> list[int]:
        """The numbers of the keys that have a list."""
        return list(self._places)

    @property
    def in_order(self) -> bool:
        """Whether every key has a list, and the lists lie one behind the other."""
        sizes = np.diff(self._begins)
        return len(self._places) == sizes.size and bool((sizes > 0).all()) and self._begins[-1] == len(self._data)

    def coded(self, key: int) -> NDArray[np.uint8] | None:
        """Return the coded list of a key by its number; None where it has none."""
        if key not in self._places:
            return None
        begin, end = self.span(key)
        return np.frombuffer(self._data[begin:end], np.uint8)

    def span(self, key: int) -> tuple[int, int]:
        """Return where the list of a key lies in its section, after it was verified; 0 and 0 where it has none."""
        place = self._places.get(key)
        if place is None:
            return 0, 0
        begin, end = self._begins[place], self._begins[place + 1]
        self._data[begin:end]
        return begin, end

    def of(self, key: int) -> DocumentList | None:
        """Return which documents hold a key by its number; None where it has no list."""
        data = self.coded(key)
        return None if data is None else decode_by_document(data)


class DocumentCounts:
    """Answers how many documents hold each key, also of some documents, and which keys some content elements hold.

    The inverted file is by key, so a pass over all of it tells. A caller with many questions, as a batch of topics,
    has the keys of each document listed once; then only the lists of the documents in question are read.

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
        self._n: Int32s | None = None
        self._keys: tuple[NDArray[np.int64], Int32s] | None = None
        self._listing = Lock()

    def __call__(self, chosen: NDArray[np.int64]) -> tuple[Int32s, Int32s]:
        """Return, of every key by number, how many documents hold it, and how many of the chosen ones."""
        n = self._n
        listed = None if n is None else self._listed(n)
        if n is None or listed is None:
            among = np.zeros(self._documents, bool)
            among[chosen] = True
            with damage_in("a posting list"):
                self._n, r = n, _ = count_documents(*self._lists, among)
            return n, r
        begins, keys = listed
        held = [keys[begins[document] : begins[document + 1]] for document in chosen.tolist()]
        r = np.bincount(np.concatenate([np.zeros(0, np.int32), *held]), minlength=n.size).astype(np.int32)
        return n, r

    def _listed(self, n: Int32s) -> tuple[NDArray[np.int64], Int32s] | None:
        """Return the keys of each document, listed at the first time; None where there are too many."""
        if self._keys is None and int(n.sum(dtype=np.int64)) <= LISTED:
            with self._listing:
                if self._keys is None:
                    with damage_in("a posting list"):
                        self._keys = keys_by_document(*self._lists, self._documents)
        return self._keys
