"""Parts of an index: neighbouring documents, which a worker holds open as an index of their own.

A part is made of whole segments as far as these can be shared out evenly; else of a stretch of a segment, whose other
documents count as deleted. Numbers of a part begin at 0; `firsts` says where they begin in the index.
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
from trix.support.recent import Recent
from trix.support.urls import is_url

SLACK = 0.1
"""By which share of itself a part may be larger or smaller, so that a segment stays whole."""

KEPT = 4
"""Parts that a worker holds open, the most recent ones."""


@dataclass(frozen=True)
class Piece:
    """A segment of a part: its folder, or the URL of that, and what the part's commit says of it."""

    folder: str
    entry: SegmentEntry


@dataclass(frozen=True)
class Part:
    """Some neighbouring documents of an index.

    Attributes
    ----------
    key
        Tells it from all others.
    commit
        Of the index, without its segments.
    pieces
        Its segments.
    first_element, elements
        The number in the index of its first element, and how many it has.
    """

    key: str
    commit: Commit
    pieces: tuple[Piece, ...]
    first_element: int
    elements: int


def parts_of(files: IndexFiles, count: int) -> list[Part]:
    """Cut an index into parts, at most so many, of about the same size.

    Parameters
    ----------
    files
        The index.
    count
        How many parts are wanted.
    """
    entries = [entry for opened in files.opened for _, entry in opened.segments]
    plain = replace(files.commit, segments=(), origins={}, skipped=())
    found: list[Part] = []
    for stretches in _shared_out(entries, count):
        pieces = [_piece(files.live[number], entries[number], low, high) for number, low, high in stretches]
        number, low, _ = stretches[0]
        live = files.live[number]
        first = int(files.first_elements[live.documents.first + low])
        elements = sum(piece.entry.totals["elements"] for piece in pieces)
        key = "|".join(f"{piece.folder}/{piece.entry.file}" for piece in pieces)
        found.append(Part(f"{files.commit.number} {low} {key} {elements}", plain, tuple(pieces), first, elements))
    return found


def _shared_out(entries: Sequence[SegmentEntry], count: int) -> list[list[tuple[int, int, int]]]:
    """Share the documents of segments out among parts; each gets stretches of live documents of some segments."""
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


def open_part(part: Part) -> Searcher:
    """Open a part, or return it if this process has it open.

    Raises
    ------
    FileNotFoundError
        A newer commit has taken its files away.
    """
    return _opened(_Keyed(part))


class _Keyed:
    """A part that is found by its key."""

    def __init__(self, part: Part) -> None:
        self.part = part

    def __hash__(self) -> int:
        return hash(self.part.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and self.part.key == other.part.key


def _open(keyed: _Keyed) -> Searcher:
    part = keyed.part
    commit = replace(part.commit, segments=tuple(piece.entry for piece in part.pieces))
    folders = [
        fetch_segment(each.folder, each.entry) if is_url(each.folder) else Path(each.folder) for each in part.pieces
    ]
    pairs = zip(folders, part.pieces, strict=True)
    segments = [(open_segment(folder, piece.entry), piece.entry) for folder, piece in pairs]
    files = IndexFiles([folders[0]], [OpenCommit(commit, segments)])
    return Searcher(files)


_opened: Recent[_Keyed, Searcher] = Recent(_open, KEPT)
