"""Parts of an index: ranges of adjacent documents, each opened by a worker as an index.

A part has whole segments if they can be balanced. Otherwise it has a range of a segment, with all other documents
marked as deleted. Numbers of a part begin at 0; `IndexPart.first_element` is the offset in the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pyroaring import BitMap

from trix.indexer.change.staged import WriterSegment
from trix.indexer.commit.commit import Commit, SegmentEntry
from trix.indexer.commit.remote import fetch_segment, origin_of
from trix.indexer.store.files import IndexFiles
from trix.indexer.store.live import LiveSegment, OpenCommit, open_segment
from trix.query.search import Searcher
from trix.support.lru_cache import LruFunction
from trix.support.urls import is_url

SLACK = 0.1
"""Relative deviation of a part's size that is accepted to keep a segment whole."""

KEPT = 4
"""Number of parts that a worker keeps open."""


@dataclass(frozen=True)
class Piece:
    """A segment of a part: its folder or URL, and its entry in the part's commit."""

    folder: str
    entry: SegmentEntry


@dataclass(frozen=True)
class IndexPart:
    """Range of adjacent documents of an index.

    Attributes
    ----------
    key
        Unique key, for caches.
    commit
        Commit of the index, without its segments.
    pieces
        Segments of the part.
    first_element, elements
        Number of its first element in the index, and number of its elements.
    """

    key: str
    commit: Commit
    pieces: tuple[Piece, ...]
    first_element: int
    elements: int


def parts_of(files: IndexFiles, count: int) -> list[IndexPart]:
    """Cut an index into at most `count` parts of similar size.

    Parameters
    ----------
    files
        The index.
    count
        Largest number of parts.
    """
    entries = [entry for opened in files.opened for _, entry in opened.segments]
    plain = replace(files.commit, segments=(), origins={}, skipped=())
    found: list[IndexPart] = []
    for stretches in _distribute(entries, count):
        pieces = [_piece(files.live[number], entries[number], low, high) for number, low, high in stretches]
        number, low, _ = stretches[0]
        live = files.live[number]
        first = int(files.first_elements[live.documents.first + low])
        elements = sum(piece.entry.totals["elements"] for piece in pieces)
        key = "|".join(f"{piece.folder}/{piece.entry.file}" for piece in pieces)
        found.append(IndexPart(f"{files.commit.number} {low} {key} {elements}", plain, tuple(pieces), first, elements))
    return found


def _distribute(entries: Sequence[SegmentEntry], count: int) -> list[list[tuple[int, int, int]]]:
    """Distribute the documents of segments among parts, as (segment, low, high) ranges of live documents."""
    total = sum(entry.totals["tokens"] for entry in entries)
    found: list[list[tuple[int, int, int]]] = [[]]
    share = max(1.0, total / count)
    room = share
    for number, entry in enumerate(entries):
        documents, tokens = entry.totals["documents"], entry.totals["tokens"]
        low = 0
        while low < documents:
            left = tokens * (documents - low) / documents
            last = len(found) == count
            if last or left <= room + SLACK * share:
                found[-1].append((number, low, documents))
                room -= left
                low = documents
            else:
                taken = int((documents - low) * max(0.0, room) / left)
                if taken:
                    found[-1].append((number, low, low + taken))
                low, room = low + taken, 0.0
            if room <= SLACK * share and not last and found[-1]:
                found.append([])
                room = share
    return [each for each in found if each]


def _piece(live: LiveSegment, entry: SegmentEntry, low: int, high: int) -> Piece:
    """Return the live documents ``[low, high)`` of a segment as a segment of a part."""
    segment, alive = live.segment, live.documents.alive()
    if (low, high) != (0, len(alive)):
        others = entry.deleted | BitMap(alive[:low]) | BitMap(alive[high:])
        entry = WriterSegment(entry, segment, others).settled()
    folder = segment.sections.path.parent
    return Piece(origin_of(folder) or str(folder), entry)


def open_part(part: IndexPart) -> Searcher:
    """Open a part, or return it from the cache of this process.

    Raises
    ------
    FileNotFoundError
        A newer commit has removed its files.
    """
    return _opened(_KeyedPart(part))


class _KeyedPart:
    """A part with its key, for the cache."""

    def __init__(self, part: IndexPart) -> None:
        self.part = part

    def __hash__(self) -> int:
        return hash(self.part.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _KeyedPart) and self.part.key == other.part.key


def _open(keyed: _KeyedPart) -> Searcher:
    part = keyed.part
    commit = replace(part.commit, segments=tuple(piece.entry for piece in part.pieces))
    folders = [
        fetch_segment(each.folder, each.entry) if is_url(each.folder) else Path(each.folder) for each in part.pieces
    ]
    pairs = zip(folders, part.pieces, strict=True)
    segments = [(open_segment(folder, piece.entry), piece.entry) for folder, piece in pairs]
    files = IndexFiles([folders[0]], [OpenCommit(commit, segments)])
    return Searcher(files)


_opened: LruFunction[_KeyedPart, Searcher] = LruFunction(_open, KEPT)
