"""The lists of a query's keys, opened together: which documents hold each, and where its postings in these begin.

The postings themselves stay coded until a document is looked into. A key with few postings has no list by document;
its postings are gone over once to make one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.errors import IndexError_
from trix.indexer.store.files import IndexFiles
from trix.indexer.store.inverted.by_document import EVERY, STEPS

Ints = NDArray[Any]


@dataclass(frozen=True, slots=True)
class KeyCounts:
    """How often keys are held.

    Attributes
    ----------
    m, documents, cf : lists of int
        Content elements and documents that hold each key, and its occurrences.
    most : (T,) ndarray
        No element holds a key more often.
    """

    m: list[int]
    documents: list[int]
    cf: list[int]
    most: Ints


@dataclass(frozen=True, slots=True)
class OpenLists:
    """The lists of some keys, one behind the other.

    Attributes
    ----------
    postings
        The coded posting lists of all keys.
    ends : (T,) ndarray
        Where the coded posting list of each key ends in them.
    rows : (T + 1,) ndarray
        The rows of each key in `held`.
    held : tuple of ndarrays
        Documents, kf, ξ_k and reach, see `trix.indexer.store.inverted.by_document.DocumentList`.
    entries : (T + 1,) ndarray
        The rows of each key in `entered`.
    entered : tuple of ndarrays
        Where the postings of some documents begin in `postings`, and the content element of the posting before them.
    every : (T,) ndarray
        Documents of a key from one that is entered to the next.
    counts
        How often the keys are held.
    """

    postings: NDArray[np.uint8]
    ends: Ints
    rows: Ints
    held: tuple[Ints, Ints, Ints, Ints]
    entries: Ints
    entered: tuple[Ints, Ints]
    every: Ints
    counts: KeyCounts


@dataclass(frozen=True, slots=True)
class FewPostings:
    """All postings of some keys, one list behind the other.

    Attributes
    ----------
    contents, tf : ndarrays
        Content elements, and how often each holds the key.
    starts : (T + 1,) ndarray
        Where the list of each key begins.
    counts
        How often the keys are held.
    """

    contents: Ints
    tf: Ints
    starts: Ints
    counts: KeyCounts


def open_lists(index: IndexFiles, keys: Sequence[str], few: int, counted: bool) -> OpenLists | FewPostings | None:
    """Return the lists of keys; None where the index is not one segment with lists by document.

    Parameters
    ----------
    index
        The index.
    keys
        The keys, each once.
    few
        Bytes of postings up to which they are all read at once.
    counted
        Whether it matters how often documents hold the keys; else the counts may say 0.

    Raises
    ------
    IndexError_
        A list is damaged.
    """
    from trix.query.document_at_a_time.lists_loops import open_all, read_all

    mapped = index.live[0].mapped_lists if index.is_one else None
    if mapped is None:
        return None
    told = list(map(index.live[0].spans, keys))
    spans, contents = np.array(told), index.totals["content_elements"]
    found: OpenLists | FewPostings
    if sum(end - begin for begin, end, _, _ in told) <= few:
        sound, (numbers, tf, starts), counts = read_all(mapped[0], spans, index.first_contents, contents)
        found = FewPostings(numbers, tf, starts, _key_counts(counts))
    else:
        sound, rows, held, entries, entered, every, counts = open_all(
            *mapped, spans, index.first_contents, contents, EVERY, STEPS, counted
        )
        found = OpenLists(mapped[0], spans[:, 1].copy(), rows, held, entries, entered, every, _key_counts(counts))
    if not sound:
        raise IndexError_(f"{index.path}: a posting list is damaged")
    return found


def _key_counts(numbers: Ints) -> KeyCounts:
    m, documents, cf, _ = numbers.tolist()
    return KeyCounts(m, documents, cf, numbers[3])
