"""The documents that hold a term, how often, and its postings in some of them: a list is not decoded to look into few.

What is said of the whole collection, m and cf, are sums over the documents that live.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from trix.indexer.store.inverted.by_document import DocumentList, by_document, postings_of
from trix.indexer.store.inverted.postings import Lists
from trix.indexer.store.live import LiveSegment
from trix.indexer.store.numbering import among
from trix.support.arrays import Ints


class Part(Protocol):
    """Postings of some documents that follow one another in the index."""

    def read(self, documents: Ints) -> Lists:
        """Return the postings in documents, by their ascending numbers in the index."""


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
        if len(self.parts) == 1:
            return self.parts[0].part.read(documents)
        nothing = np.zeros(0, np.int32)
        contents, tf = zip((nothing, nothing), *(part.part.read(documents) for part in self.parts), strict=True)
        return np.concatenate(contents), np.concatenate(tf)

    def everything(self) -> Lists:
        """Return all postings."""
        return self.postings(self.documents)


class _Decoded:
    """Postings that are there already."""

    def __init__(self, contents: Ints, tf: Ints, documents: Ints, xi_k: Ints) -> None:
        self._contents, self._tf, self._documents, self._sizes = contents, tf, documents, xi_k

    def read(self, documents: Ints) -> Lists:
        """Return the postings in documents, by their ascending numbers in the index."""
        if documents is self._documents:
            return self._contents, self._tf
        inside = np.repeat(among(self._documents, documents), self._sizes)
        return self._contents[inside], self._tf[inside]


class _Coded:
    """Postings of a segment that are decoded where they are asked for."""

    def __init__(self, live: LiveSegment, number: int, of: DocumentList) -> None:
        self._live, self._of = live, of
        self._data = live.segment.coded(number, number + 1)

    def read(self, documents: Ints) -> Lists:
        """Return the postings in documents, by their ascending numbers in the index."""
        numbering = self._live.documents
        low, high = np.searchsorted(documents, (numbering.first, numbering.first + numbering.size))
        contents, tf = postings_of(self._data, self._of, numbering.back(documents[low:high]))
        return self._live.contents.kept(contents)[1], tf


def held_in_list(contents: Ints, tf: Ints, first_contents: Ints) -> Held:
    """Return the documents of postings that are there already; `first_contents` is that of each document."""
    document_of = np.searchsorted(first_contents, contents, side="right") - 1
    documents, kf, xi_k, reach = by_document(contents, tf, document_of)
    return Held([HeldPart(documents, kf, xi_k, reach, _Decoded(contents, tf, documents, xi_k))])


def held_in_segments(segments: Iterable[LiveSegment], key: bytes, first_contents: Ints) -> Held:
    """Return the documents of an index that hold a key."""
    parts = []
    for live in segments:
        number, lists = live.segment.key_number(key), live.segment.by_document
        of = lists.of(number)
        if of is not None:
            kept, documents = live.documents.kept(of.documents)
            columns = (of.kf[kept], of.xi_k[kept], of.reach[kept])
            parts.append(HeldPart(documents, *columns, _Coded(live, number, of)))
        elif number >= 0:
            contents, tf = live.postings_at(number)
            parts += held_in_list(contents, tf, first_contents).parts
    return Held([part for part in parts if part.documents.size])
