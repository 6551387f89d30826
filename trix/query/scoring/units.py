"""What counts as a text in the statistics of a collection: content elements, the members of a level, or documents.

N, m and the mean length of BM25 are those of texts. Content elements are the papers' texts; many of them are names,
numbers and headings. Whoever searches paragraphs may want those of paragraphs, and an article as context has those of
articles. Here the members of a level are taken for the collection: N of them, m that hold a key, C keys in them, and
cf occurrences of a key in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from trix.core.match import count_texts
from trix.indexer.store.files import IndexFiles
from trix.indexer.store.held import Held
from trix.query.matching.matching import TermList
from trix.query.matching.part import content_ranges
from trix.support.arrays import Int32s


@dataclass(frozen=True, slots=True)
class Units:
    """The texts of a collection.

    Attributes
    ----------
    N
        How many there are.
    C
        Keys in them.
    begin, end : (N,) ndarrays, or None
        The content elements of each as a range, ascending and apart; None where the texts are the content elements.
    documents
        Whether the texts are the documents.
    """

    N: int
    C: int
    begin: Int32s | None = None
    end: Int32s | None = None
    documents: bool = False

    def counts(self, of: TermList) -> tuple[int, Any]:
        """Return m and cf of a term."""
        if of.whole is not None:
            return self.counts_of_whole(of.whole)
        if self.begin is None or self.end is None:
            return of.m, of.cf
        return count_texts(of.content_numbers, of.tf, self.begin, self.end)

    def counts_of_whole(self, of: Held) -> tuple[int, Any]:
        """Return the same of a term by the documents that hold it."""
        if self.begin is None:
            return of.m, of.cf
        return (of.documents.size, of.cf) if self.documents else self.counts(TermList(*of.everything()))


def content_units(index: IndexFiles) -> Units:
    """Return the content elements."""
    return Units(index.totals["content_elements"], index.totals["tokens"])


def document_units(index: IndexFiles) -> Units:
    """Return the documents, also those without text."""
    begin = index.first_contents.astype(np.int32)
    end = np.append(begin[1:], np.int32(index.totals["content_elements"]))
    return Units(index.totals["documents"], index.totals["tokens"], begin, end, documents=True)


def member_units(index: IndexFiles, members: Int32s) -> Units:
    """Return the members of a level, which lie apart."""
    begin, end, keys = content_ranges(index, members, lengths=True)
    return Units(int(members.size), int(keys.sum()), begin, end)
