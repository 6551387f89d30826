"""Documents with a term: frequencies per document, and postings decoded for selected documents only.

The collection statistics m and cf are sums over the live documents.
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


class PostingsReader(Protocol):
    """Postings of consecutive documents."""

    def read(self, documents: Ints) -> Lists:
        """Return the postings in some documents, given by ascending numbers in the index."""


class DocPostingsPart(NamedTuple):
    """Documents of a part: numbers in the index, kf, ξ_k, reach, and the reader of their postings."""

    documents: Ints
    kf: Ints
    xi_k: Ints
    reach: Ints
    part: PostingsReader


class DocPostings:
    """Documents with a term.

    Parameters
    ----------
    parts
        Parts in order; they share no document.

    Attributes
    ----------
    parts : sequence of DocPostingsPart
    documents, kf, xi_k, reach : (n,) ndarrays
        As in `trix.indexer.store.inverted.by_document.DocumentList`; documents are numbered in the index.
    m, cf : int
        Content elements with the term, and its occurrences, in the collection.
    """

    def __init__(self, parts: Sequence[DocPostingsPart]) -> None:
        self.parts = parts
        if len(parts) == 1:
            self.documents, self.kf, self.xi_k, self.reach = parts[0][:4]
        else:
            nothing = np.zeros((4, 0), np.int32)
            self.documents, self.kf, self.xi_k, self.reach = (
                np.concatenate([nothing[column], *(part[column] for part in parts)]) for column in range(4)
            )
        # Sums over live documents. They may exceed 32 bits, although each number fits.
        self.m, self.cf = int(self.xi_k.sum(dtype=np.int64)), self.kf.sum(dtype=np.int64).item()

    def postings(self, documents: Ints) -> Lists:
        """Return (contents, tf) in some documents, given by ascending numbers in the index."""
        if len(self.parts) == 1:
            return self.parts[0].part.read(documents)
        nothing = np.zeros(0, np.int32)
        contents, tf = zip((nothing, nothing), *(part.part.read(documents) for part in self.parts), strict=True)
        return np.concatenate(contents), np.concatenate(tf)

    def everything(self) -> Lists:
        return self.postings(self.documents)


class _DecodedPostings:
    """Part whose postings are in memory."""

    def __init__(self, contents: Ints, tf: Ints, documents: Ints, xi_k: Ints) -> None:
        self._contents, self._tf, self._documents, self._sizes = contents, tf, documents, xi_k

    def read(self, documents: Ints) -> Lists:
        if documents is self._documents:
            return self._contents, self._tf
        # Postings are grouped by document: repeat each document's flag for its ξ_k postings.
        inside = np.repeat(among(self._documents, documents), self._sizes)
        return self._contents[inside], self._tf[inside]


class _EncodedPostings:
    """Part that decodes postings of a segment on demand."""

    def __init__(self, live: LiveSegment, number: int, of: DocumentList) -> None:
        self._live, self._of = live, of
        self._data = live.segment.coded(number, number + 1)

    def read(self, documents: Ints) -> Lists:
        numbering = self._live.documents
        # Only the documents of this segment, in its own numbers; the result is renumbered again.
        low, high = np.searchsorted(documents, (numbering.first, numbering.first + numbering.size))
        contents, tf = postings_of(self._data, self._of, numbering.back(documents[low:high]))
        return self._live.contents.kept(contents)[1], tf


def doc_postings_of_list(contents: Ints, tf: Ints, first_contents: Ints) -> DocPostings:
    """Group decoded postings by document; `first_contents` has the first content element of each document."""
    # The last document that begins at or before the content element.
    document_of = np.searchsorted(first_contents, contents, side="right") - 1
    documents, kf, xi_k, reach = by_document(contents, tf, document_of)
    return DocPostings([DocPostingsPart(documents, kf, xi_k, reach, _DecodedPostings(contents, tf, documents, xi_k))])


def doc_postings_of_segments(segments: Iterable[LiveSegment], key: bytes, first_contents: Ints) -> DocPostings:
    """Find the documents of an index with a key."""
    parts = []
    for live in segments:
        number, lists = live.segment.key_number(key), live.segment.by_document
        of = lists.of(number)
        # Frequent keys have lists by document; the lists of rare keys are decoded at once.
        if of is not None:
            # Deleted documents leave all columns alike. Their postings stay in the code; reading skips them.
            kept, documents = live.documents.kept(of.documents)
            columns = (of.kf[kept], of.xi_k[kept], of.reach[kept])
            parts.append(DocPostingsPart(documents, *columns, _EncodedPostings(live, number, of)))
        elif number >= 0:
            contents, tf = live.postings_at(number)
            parts += doc_postings_of_list(contents, tf, first_contents).parts
    return DocPostings([part for part in parts if part.documents.size])
