"""Sets of elements, by kind and name: the elements in each language, and what begins or ends quiet parts.

Those of tags and namespaces are told by path steps, see `trix.indexer.write.segment_writer`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from trix.indexer.document.kinds import LOUD, QUIET
from trix.indexer.document.record import DocumentRecord
from trix.indexer.languages.of_index import KIND as LANGUAGES
from trix.indexer.languages.of_index import SPOKEN
from trix.indexer.store.files import MARKS
from trix.indexer.store.live import LiveSegment

KINDS = (LANGUAGES, SPOKEN, MARKS)
"""The kinds of sets; one without members is not written."""

Sets = dict[str, dict[str, BitMap]]
"""Kind -> name -> elements."""


def sets_of_records(records: Sequence[DocumentRecord]) -> Sets:
    """Return the sets of some documents, elements numbered through them."""
    found: Sets = {kind: {} for kind in KINDS}
    first = 0
    for record in records:
        for kind, name, members in _said(record):
            if members.size:
                found[kind].setdefault(name, BitMap()).update((members + first).astype(np.uint32))
        first += len(record.depth)
    return found


def _said(record: DocumentRecord) -> Iterator[tuple[str, str, NDArray[Any]]]:
    if record.languages is not None:
        for number, name in enumerate(record.languages.names):
            yield LANGUAGES, name, np.flatnonzero(record.languages.of == number)
        for name in sorted({said for _, said in record.languages.inner}):
            yield SPOKEN, name, np.unique([place for place, said in record.languages.inner if said == name])
    if record.marks is not None:
        for name, mark in (("quiet", QUIET), ("loud", LOUD)):
            yield MARKS, name, np.flatnonzero(record.marks & mark)


def sets_of_segment(live: LiveSegment) -> Sets:
    """Return the sets of what lives of a segment, in the numbers that it has there."""
    return {kind: {name: live.set_of(kind, name) for name in live.segment.facts.get(kind, ())} for kind in KINDS}


def shifted(sets: Mapping[str, Mapping[str, BitMap]], by: int) -> Sets:
    """Return sets whose elements are counted from another one on."""
    return {kind: {name: members.shift(by) for name, members in named.items()} for kind, named in sets.items()}
