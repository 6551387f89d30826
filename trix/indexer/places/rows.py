"""Milestones of documents as rows, and their encoding in a segment."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from trix.support.arrays import Ints

APART = "\x00"
"""Separates numbers; cannot occur in XML."""

SECTION = "places"

STREAMS = tuple(f"{SECTION}.{name}" for name in ("counts", "names", "numbers", "before", "behind"))
"""Columns of a block: the number of milestones per document, then the columns of `DocumentMilestones`."""


@dataclass
class DocumentMilestones:
    """Milestones of one document, in order.

    Attributes
    ----------
    names
        Index of each name in the profile.
    numbers
        Written number of each milestone; empty where a place ends and none starts.
    before, after
        Offsets in the document's text: the end of the last character before the milestone that is not white space, and
        the first such character after it.
    """

    names: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    numbers: list[str] = field(default_factory=list)
    before: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    after: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


def encode_places(documents: Sequence[DocumentMilestones]) -> dict[str, Ints]:
    """Encode the milestones of documents as columns.

    >>> one = DocumentMilestones(np.array([0, 1]), ["12", ""], np.array([5, 8]), np.array([7, 8]))
    >>> none, again = decode_places(encode_places([DocumentMilestones(), one]))
    >>> none.numbers, again.names.tolist(), again.numbers, again.before.tolist(), again.after.tolist()
    ([], [0, 1], ['12', ''], [5, 8], [7, 8])
    """
    nothing = np.zeros(0, np.int64)
    numbers = APART.join(number for of in documents for number in of.numbers)
    columns = {
        "counts": np.array([len(of.numbers) for of in documents], np.int64),
        "names": np.concatenate([nothing, *(of.names for of in documents)]),
        "numbers": np.frombuffer(numbers.encode("utf-8", "surrogateescape"), np.uint8),
        # Differences are small numbers, which compress well.
        "before": np.concatenate([nothing, *(np.diff(of.before, prepend=0) for of in documents)]),
        "behind": np.concatenate([nothing, *(of.after - of.before for of in documents)]),
    }
    return {f"{SECTION}.{name}": column for name, column in columns.items()}


def decode_places(columns: dict[str, Ints]) -> list[DocumentMilestones]:
    """Decode the milestones of each document."""
    counts, names, raw, steps, ways = (columns[name] for name in STREAMS)
    numbers = raw.tobytes().decode("utf-8", "surrogateescape").split(APART)
    found = list[DocumentMilestones]()
    for low, high in pairwise([0, *np.cumsum(counts, dtype=np.int64).tolist()]):
        before = np.cumsum(steps[low:high], dtype=np.int64)
        found.append(
            DocumentMilestones(names[low:high].astype(np.int64), numbers[low:high], before, before + ways[low:high])
        )
    return found


class BlockOfDocuments(Protocol):
    """Block of a segment."""

    @property
    def document(self) -> int:
        """First document of the block."""

    @property
    def spans(self) -> Mapping[str, Any]:
        """Ranges of its columns, by name."""

    def stream(self, section: str, name: str, /) -> Ints:
        """Return a column of the block."""


def places_of_blocks(blocks: Sequence[BlockOfDocuments]) -> SegmentMilestones | None:
    """Return the milestones of a segment, or None if the index has none."""
    if not blocks or STREAMS[0] not in blocks[0].spans:
        return None
    return SegmentMilestones([block.document for block in blocks], lambda at, name: blocks[at].stream(SECTION, name))


class SegmentMilestones:
    """Milestones of the documents of a segment, decoded by block.

    Parameters
    ----------
    firsts
        First document of each block.
    stream
        Function that returns a column of a block.
    """

    def __init__(self, firsts: Sequence[int], stream: Callable[[int, str], Ints]) -> None:
        self._firsts = firsts
        self._block = lru_cache(maxsize=2)(lambda at: decode_places({name: stream(at, name) for name in STREAMS}))

    def of(self, document: int) -> DocumentMilestones:
        """Return the milestones of a document."""
        at = bisect_right(self._firsts, document) - 1
        return self._block(at)[document - self._firsts[at]]
