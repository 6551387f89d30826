"""Sets of elements by kind and name: namespaces, languages, borders of non-returnable parts.

Sets of tags follow from path steps (see `trix.indexer.write.segment_writer`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from trix.indexer.document.kinds import NON_RETURNABLE, RETURNABLE
from trix.indexer.document.record import DocumentRecord
from trix.indexer.languages.index_languages import INNER_LANGUAGES
from trix.indexer.languages.index_languages import KIND as LANGUAGES
from trix.indexer.store.files import MARKS
from trix.indexer.store.live import LiveSegment
from trix.support.arrays import Ints

NAMESPACES = "namespaces"
"""Kind of namespace sets; all namespaces of the profile are written, even empty ones."""

KINDS = (NAMESPACES, LANGUAGES, INNER_LANGUAGES, MARKS)
"""Kinds of sets; empty sets of kinds other than namespaces are not written."""

Sets = Mapping[str, Mapping[str, BitMap]]
"""Kind -> name -> elements."""


def sets_of_records(
    records: Sequence[DocumentRecord], steps: Ints, namespace_of: Sequence[str], declared: Iterable[str]
) -> Sets:
    """Build the sets of some documents; elements are numbered through all of them.

    Parameters
    ----------
    records
        Documents.
    steps
        ``(n_elements,)`` path step of each element.
    namespace_of
        Namespace of each path step.
    declared
        Namespaces in the profile.
    """
    found: dict[str, dict[str, BitMap]] = {kind: {} for kind in KINDS}
    for namespace in declared:
        own = [number for number, of_step in enumerate(namespace_of) if of_step == namespace]
        found[NAMESPACES][namespace] = BitMap(np.flatnonzero(np.isin(steps, own)).astype(np.uint32))
    first = 0
    for record in records:
        for kind, name, members in _sets_of(record):
            if members.size:
                found[kind].setdefault(name, BitMap()).update((members + first).astype(np.uint32))
        first += len(record.depth)
    return found


def _sets_of(record: DocumentRecord) -> Iterator[tuple[str, str, NDArray[Any]]]:
    if record.languages is not None:
        for number, name in enumerate(record.languages.names):
            yield LANGUAGES, name, np.flatnonzero(record.languages.of == number)
        inner = record.languages.inner
        for name in sorted({language for _, language in inner}):
            yield INNER_LANGUAGES, name, np.unique([place for place, language in inner if language == name])
    if record.marks is not None:
        for name, mark in (("quiet", NON_RETURNABLE), ("loud", RETURNABLE)):
            yield MARKS, name, np.flatnonzero(record.marks & mark)


def sets_of_segment(live: LiveSegment) -> Sets:
    """Return the live sets of a segment, in its numbers in the index."""
    return {kind: {name: live.set_of(kind, name) for name in live.segment.facts.get(kind, ())} for kind in KINDS}


def shifted(sets: Sets, by: int) -> Sets:
    """Add a number to each element of the sets."""
    return {kind: {name: members.shift(by) for name, members in named.items()} for kind, named in sets.items()}
