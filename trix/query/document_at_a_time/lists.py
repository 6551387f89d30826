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
class OpenLists:
    """The lists of some keys, one behind the other.

    Attributes
    ----------
    postings
        The coded posting lists of the segment, from `trix.indexer.commit.sections.SectionFile.mapped`.
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
    m : list of int
        Content elements that hold each key.
    """

    postings: NDArray[np.uint8]
    ends: Ints
    rows: Ints
    held: tuple[Ints, Ints, Ints, Ints]
    entries: Ints
    entered: tuple[Ints, Ints]
    every: Ints
    m: list[int]


def open_lists(index: IndexFiles, keys: Sequence[str]) -> OpenLists | None:
    """Return the lists of keys; None where the index is not one segment with lists by document.

    Raises
    ------
    IndexError_
        A list is damaged.
    """
    from trix.query.document_at_a_time.lists_loops import open_all

    if not index.is_one:
        return None
    live, segment = index.live[0], index.live[0].segment
    mapped, listed = live.mapped_lists, segment.by_document
    if mapped is None or listed is None:
        return None
    spans = np.zeros((len(keys), 4), np.int64)
    for row, key in enumerate(keys):
        number = segment.key_number(key.encode("utf-8", "surrogateescape"))
        if number >= 0:
            spans[row, :2] = live.coded_span(number)
            spans[row, 2:] = listed.span(number)
    sound, rows, held, entries, entered, every, m = open_all(
        *mapped, spans, index.first_contents, index.totals["content_elements"], EVERY, STEPS
    )
    if not sound:
        raise IndexError_(f"{segment.sections.path}: a posting list is damaged")
    return OpenLists(mapped[0], spans[:, 1].copy(), rows, held, entries, entered, every, m.tolist())
