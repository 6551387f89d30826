"""In how many documents is each key, and in how many of some? And which keys do some content elements hold?

The inverted file is by key, so a pass over all of it tells. Who asks again, as a batch of topics does, has the keys of
each document listed once; then only the lists of the documents in question are read.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.core import damage_in
from trix.core.postings import count_documents, keys_by_document

Counts = NDArray[np.int32]

LISTED = 1 << 26
"""Keys of documents, four bytes each, that are listed at the most; beyond, every question is a pass."""


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
            with damage_in("a posting list"):
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
                    with damage_in("a posting list"):
                        self._keys = keys_by_document(*self._lists, self._documents)
        return self._keys
