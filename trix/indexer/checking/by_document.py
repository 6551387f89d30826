"""Checks of lists by document for `trix check`: what each says has to follow from the postings beside it.

Postings come in slices, so that no list has to be in memory: what is there of the last document waits for the next.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from trix.errors import IndexError_
from trix.indexer.store.inverted.by_document import EVERY, MANY, DocumentList, by_document, coded_sizes
from trix.indexer.store.segment import Segment
from trix.support.arrays import Ints


class ListsByDocument:
    """Compares the lists by document of a segment with its postings.

    Parameters
    ----------
    segment
        The segment.
    """

    def __init__(self, segment: Segment) -> None:
        self._segment, self._lists = segment, segment.by_document
        self._open: _Watched | None = None
        self._key = -1

    def faults(self) -> Iterator[str]:
        """Look at the table of the lists alone."""
        keys, size = np.array(self._lists.keys, np.int64), len(self._segment.keys)
        if (np.diff(keys) <= 0).any() or (keys >= size).any() or not self._lists.in_order:
            yield "lists by document: their table is out of order"

    def take(self, key: int, contents: Ints, tf: Ints, *, last: bool) -> str | None:
        """Take postings of a key, the last ones or not; return what is wrong with its list, None for nothing."""
        try:
            if key != self._key:
                of, self._key = self._lists.of(key), key
                if of is None:
                    missing = contents.size >= MANY
                    return "no list by document" if missing else None
                self._open = _Watched(of, self._segment.first_contents)
            sound = self._open is None or self._open.take(contents, tf, last)
        except IndexError_:
            sound = False
        if not sound or last:
            self._open = None
        return None if sound else "its list by document is another"


class _Watched:
    """A list by document that is compared piece by piece."""

    def __init__(self, of: DocumentList, first_contents: Ints) -> None:
        self._of, self._first_contents = of, first_contents
        self._waiting = np.zeros((2, 0), np.int64)
        self._place = self._bytes = self._before = 0

    def take(self, contents: Ints, tf: Ints, last: bool) -> bool:
        """Compare what more postings say; return whether all is right so far."""
        both = np.concatenate([self._waiting, np.stack([contents, tf]).astype(np.int64)], axis=1)
        documents = np.searchsorted(self._first_contents, both[0], side="right") - 1
        whole = documents.size if last else int(np.searchsorted(documents, documents[-1]))
        self._waiting = both[:, whole:]
        sound = self._compare(both[0, :whole], both[1, :whole], documents[:whole])
        return sound and (not last or self._place == self._of.documents.size)

    def _compare(self, contents: Ints, tf: Ints, documents: Ints) -> bool:
        if not contents.size:
            return True
        columns = by_document(contents, tf, documents)
        here = slice(self._place, self._place + columns[0].size)
        same = all(np.array_equal(own, said[here]) for own, said in zip(columns, self._of, strict=False))
        begins = np.cumsum(columns[2]) - columns[2]
        entered = np.flatnonzero((np.arange(here.start, here.stop) % EVERY) == 0)
        ends = self._bytes + np.concatenate(([0], np.cumsum(coded_sizes(contents, tf, self._before))))
        before = np.concatenate(([self._before], contents))[begins[entered]]
        rows = slice(-(-here.start // EVERY), -(-here.stop // EVERY))
        same = same and np.array_equal(ends[begins[entered]], self._of.byte[rows])
        same = same and np.array_equal(before, self._of.before[rows])
        self._place, self._bytes, self._before = here.stop, int(ends[-1]), int(contents[-1])
        return same
