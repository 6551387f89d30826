"""The documents that hold a term, how often, and its postings in some of them: a list is not decoded to look into few.

What is said of the whole collection, m and cf, are sums over the documents that live.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.inverted.by_document import DocumentList, by_document
from trix.indexer.store.inverted.postings import Lists
from trix.indexer.store.live import LiveSegment
from trix.indexer.store.numbering import ragged

Ints = NDArray[Any]


class Part(Protocol):
    """Postings of some documents that follow one another in the index."""

    def read(self, places: Ints) -> Lists:
        """Return the postings in documents by their ascending places among those of the part."""


class HeldPart(NamedTuple):
    """The documents of a part: their numbers in the index, kf, ξ_k and reach, and what reads their postings."""

    documents: Ints
    kf: Ints
    xi_k: Ints
    reach: Ints
    part: Part


class Held:
    """The documents that hold a term.

    Parameters
    ----------
    parts
        In order; no document is in two.

    Attributes
    ----------
    parts : sequence of HeldPart
    documents, kf, xi_k, reach : (n,) ndarrays
        See `trix.indexer.store.inverted.by_document.DocumentList`; documents by their numbers in the index.
    m, cf : int
        Content elements of the collection that hold the term, and its occurrences there.
    """

    def __init__(self, parts: Sequence[HeldPart]) -> None:
        self.parts = parts
        if len(parts) == 1:
            self.documents, self.kf, self.xi_k, self.reach = parts[0][:4]
        else:
            nothing = np.zeros((4, 0), np.int32)
            self.documents, self.kf, self.xi_k, self.reach = (
                np.concatenate([nothing[column], *(part[column] for part in parts)]) for column in range(4)
            )
        self.m, self.cf = int(self.xi_k.sum(dtype=np.int64)), self.kf.sum(dtype=np.int64).item()

    def postings(self, documents: Ints) -> Lists:
        """Return (contents, tf) in some documents alone, by their ascending numbers in the index."""
        found = [part.part.read(places) for part in self.parts if (places := _among(part.documents, documents)).size]
        if len(found) == 1:
            return found[0]
        nothing = np.zeros(0, np.int32)
        contents, tf = zip((nothing, nothing), *found, strict=True)
        return np.concatenate(contents), np.concatenate(tf)

    def everything(self) -> Lists:
        """Return all postings."""
        return self.postings(self.documents)


def _among(held: Ints, wanted: Ints) -> Ints:
    """Return the places of some ascending numbers among others, of those that are there."""
    if not held.size:
        return np.zeros(0, np.intp)
    places = np.searchsorted(held, wanted)
    places[places == held.size] = 0
    found: Ints = places[held[places] == wanted]
    return found


class _Decoded:
    """Postings that are there already."""

    def __init__(self, contents: Ints, tf: Ints, xi_k: Ints) -> None:
        self._contents, self._tf, self._sizes = contents, tf, xi_k
        self._begins = np.cumsum(xi_k, dtype=np.int64) - xi_k

    def read(self, places: Ints) -> Lists:
        """Return the postings in documents by their places."""
        if places.size == self._sizes.size:
            return self._contents, self._tf
        chosen = ragged(self._begins[places], self._sizes[places])
        return self._contents[chosen], self._tf[chosen]


class _Coded:
    """Postings of a segment that are decoded where they are asked for."""

    def __init__(self, live: LiveSegment, number: int, of: DocumentList, kept: Ints | slice) -> None:
        self._live, self._number, self._of = live, number, of
        self._kept = None if isinstance(kept, slice) else kept

    def read(self, places: Ints) -> Lists:
        """Return the postings in documents by their places among those that live."""
        places = places if self._kept is None else self._kept[places]
        contents, tf = self._live.segment.postings_of(self._number, self._of, places)
        return self._live.contents.kept(contents)[1], tf


def held_in_list(contents: Ints, tf: Ints, first_contents: Ints) -> Held:
    """Return the documents of postings that are there already; `first_contents` is that of each document."""
    document_of = np.searchsorted(first_contents, contents, side="right") - 1
    documents, kf, xi_k, reach = by_document(contents, tf, document_of)
    return Held([HeldPart(documents, kf, xi_k, reach, _Decoded(contents, tf, xi_k))])


def held_in_segments(segments: Iterable[LiveSegment], key: bytes, first_contents: Ints) -> Held:
    """Return the documents of an index that hold a key."""
    parts = []
    for live in segments:
        number, lists = live.segment.keys.find(key), live.segment.by_document
        of = None if lists is None else lists.of(number)
        if of is not None:
            kept, documents = live.documents.kept(of.documents)
            columns = (of.kf[kept], of.xi_k[kept], of.reach[kept])
            parts.append(HeldPart(documents, *columns, _Coded(live, number, of, kept)))
        elif number >= 0:
            contents, tf = live.postings_at(number)
            parts += held_in_list(contents, tf, first_contents).parts
    return Held([part for part in parts if part.documents.size])
