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

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.errors import IndexError_
from trix.indexer.store.inverted.postings import (
    Lists,
    decode_postings,
    decode_varints,
    encode_varints,
)
from trix.support.arrays import Floats, Int32s, Ints
from trix.support.backend import use_numba

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
    """Return documents, kf, ξ_k and reach of one posting list; `document_of` is the document of each posting."""
    if use_numba():
        from trix.indexer.store.inverted.loops import by_document as compiled

        found: tuple[Ints, Ints, Ints, Ints] = compiled(contents, tf, document_of, GROUPS, B, STEPS)
        return found
    return by_document_plainly(contents, tf, document_of)


def by_document_plainly(contents: Ints, tf: Ints, document_of: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return what `by_document` does: the numpy twin of `trix.indexer.store.inverted.loops.by_document`.

    >>> contents, tf = np.array([0, 1, 9, 20]), np.array([1, 2, 1, 5])
    >>> [each.tolist() for each in by_document_plainly(contents, tf, np.array([0, 0, 0, 1]))]
    [[0, 1], [4, 5], [3, 1], [103, 127]]
    """
    if not contents.size:
        empty = np.zeros(0, np.int32)
        return empty, np.zeros(0, np.int64), empty, empty
    first = np.flatnonzero(np.diff(document_of, prepend=-1))
    sizes = np.diff(first, append=contents.size)
    total = np.concatenate(([0], np.cumsum(tf, dtype=np.int64)))
    kf = total[first + sizes] - total[first]
    groups = np.minimum(sizes, GROUPS)
    best = np.zeros(first.size)
    for p in range(GROUPS):
        of = np.flatnonzero(groups > p)
        begin = first[of] + p * sizes[of] // groups[of]
        last = first[of] + (p + 1) * sizes[of] // groups[of] - 1
        for q in range(p, GROUPS):
            inside = groups[of] > q
            of, begin, last = of[inside], begin[inside], last[inside]
            if not of.size:
                break
            entered = first[of] + q * sizes[of] // groups[of]
            end = first[of] + (q + 1) * sizes[of] // groups[of]
            apart = (contents[entered] - contents[last] + 1) / (end - begin)
            counted = (total[end] - total[begin]) / ((1.0 - B) + B * np.maximum(apart, 1.0))
            best[of] = np.maximum(best[of], counted)
    reach = np.minimum(np.ceil(best * STEPS / kf), STEPS)
    return document_of[first].astype(np.int32), kf, sizes.astype(np.int32), reach.astype(np.int32)


def encode_by_document(contents: Ints, tf: Ints, document_of: Ints) -> NDArray[np.uint8]:
    """Code the list by document of a key by its postings."""
    if use_numba():
        from trix.indexer.store.inverted.loops import encode_by_document as compiled

        coded: NDArray[np.uint8] = compiled(contents, tf, document_of, EVERY, GROUPS, B, STEPS)
        return coded
    return encode_by_document_plainly(contents, tf, document_of)


def encode_by_document_plainly(contents: Ints, tf: Ints, document_of: Ints) -> NDArray[np.uint8]:
    """Return what `encode_by_document` does: the twin of `trix.indexer.store.inverted.loops.encode_by_document`."""
    documents, kf, xi_k, reach = (each.astype(np.int64) for each in by_document_plainly(contents, tf, document_of))
    sizes = coded_sizes(contents, tf)
    ends = np.cumsum(sizes)
    posting = np.cumsum(xi_k)[EVERY - 1 : -1 : EVERY] if documents.size else documents
    byte, before = ends[posting - 1], contents[posting - 1].astype(np.int64)
    several = kf > 1
    places = np.stack([np.diff(byte, prepend=0), np.diff(before, prepend=0)], axis=1)
    columns = (
        [documents.size],
        2 * np.diff(documents, prepend=0) + several,
        kf[several] - 2,
        (kf - xi_k)[several],
        reach[xi_k > 1],
        places.reshape(-1),
    )
    return encode_varints(np.concatenate(columns).astype(np.int64))[0]


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
    if use_numba():
        from trix.indexer.store.inverted.loops import decode_by_document as compiled

        sound, *columns = compiled(data, EVERY, STEPS)
        found = DocumentList(*columns)
    else:
        sound, found = decode_by_document_plainly(data)
    if not sound:
        raise IndexError_("a list by document is damaged")
    return found


def decode_by_document_plainly(data: NDArray[np.uint8]) -> tuple[bool, DocumentList]:
    """Return whether a list is sound, and the list: the twin of `trix.indexer.store.inverted.loops.decode_by_document`.

    >>> data = encode_by_document(np.array([0, 1, 9, 20]), np.array([1, 2, 1, 5]), np.array([0, 0, 0, 1]))
    >>> [each.tolist() for each in decode_by_document_plainly(data)[1][:4]]
    [[0, 1], [4, 5], [3, 1], [103, 127]]
    """
    values = decode_varints(data)
    n = int(values[0]) if values.size else 0
    codes, rest = values[1 : n + 1], values[n + 1 :]
    several = (codes & 1) == 1
    some, skips = int(np.count_nonzero(several)), max(n - 1, 0) // EVERY
    kf, xi_k, reach = np.ones(n, np.int64), np.ones(n, np.int32), np.full(n, STEPS, np.int32)
    places = np.zeros((skips + 1, 2), np.int64)
    sound = n > 0 and codes.size == n and rest.size >= 2 * some + 2 * skips
    if sound:
        kf[several] = rest[:some] + 2
        xi_k[several] = kf[several] - rest[some : 2 * some]
        wide = xi_k > 1
        apart = rest.size - 2 * some - 2 * skips
        sound = apart == np.count_nonzero(wide)
        if sound:
            reach[wide] = rest[2 * some : 2 * some + apart]
            places[1:] = rest[2 * some + apart :].reshape(-1, 2)
            np.cumsum(places, axis=0, out=places)
    documents = np.cumsum(codes >> 1).astype(np.int32)
    return bool(sound), DocumentList(documents, kf, xi_k, reach, places[:, 0], places[:, 1])


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
    if use_numba():
        from trix.indexer.store.inverted.loops import postings_of as compiled

        found: Lists = compiled(data, of.documents, of.xi_k, of.byte, of.before, wanted, EVERY)
        return found
    return postings_of_plainly(data, of, wanted)


def postings_of_plainly(data: NDArray[np.uint8], of: DocumentList, wanted: Ints) -> Lists:
    """Return what `postings_of` does: the numpy twin of `trix.indexer.store.inverted.loops.postings_of`."""
    contents, tf = decode_postings(data)
    if int(of.xi_k.sum(dtype=np.int64)) != contents.size:
        raise IndexError_("a list by document is damaged")
    inside = np.repeat(np.isin(of.documents, wanted, assume_unique=True), of.xi_k)
    return contents[inside], tf[inside]


def reach_for(b: float, kf: Ints, reach: Ints) -> Floats:
    """Return how much the occurrences of a key in any part of a document count for at most, for any b.

    1 / (what an element counts for) is linear in b, so its least value over the elements is concave: between 0, where
    it is 1/kf, and `B` it is above the chord, and further on it grows.

    >>> kf, reach = np.array([1, 10]), np.array([127, 64])
    >>> [reach_for(b, kf, reach).round(2).tolist() for b in (0.0, 0.05, 0.1, 1.0)]
    [[1.0, 10.0], [1.0, 6.7], [1.0, 5.04], [1.0, 5.04]]
    """
    share = share_for(b)
    return kf / ((1.0 - share) + share * (STEPS / reach))


def share_for(b: float) -> float:
    """Return where on the chord of `reach_for` a letter b lies."""
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
