"""Live part of each segment, and opening a commit while writers continue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pyroaring import BitMap

from trix.errors import IndexError_
from trix.indexer.commit.commit import REPAIR, Commit, SegmentEntry, newest_commit
from trix.indexer.commit.remote import mend_copy
from trix.indexer.commit.sections import SectionFile
from trix.indexer.store.elements import Block
from trix.indexer.store.inverted.by_document import SECTION as BY_DOCUMENT
from trix.indexer.store.inverted.postings import Lists
from trix.indexer.store.numbering import LiveNumbering, Runs, live_runs
from trix.indexer.store.segment import Segment
from trix.indexer.store.titles import SegmentTitles
from trix.indexer.store.words import SegmentWords
from trix.support.arrays import Ints

_NONE = np.zeros(0, np.int64)

_TRIES = 100
"""Number of attempts to open a commit before newer ones replace its files."""


class LiveSegment:
    """Segment as part of an index: its live documents, and their numbers there.

    Attributes
    ----------
    segment
        The segment.
    documents, elements, contents
        Numberings from the segment to the index, and back.
    steps : ndarray or None
        Number in the index of each of its path steps; None for the same numbers.
    is_whole : bool
        Whether it has no deletions.

    Parameters
    ----------
    segment
        The segment.
    deleted
        Deleted documents.
    firsts
        Numbers in the index of its first live document, element and content element.
    """

    def __init__(self, segment: Segment, deleted: BitMap, firsts: tuple[int, int, int]) -> None:
        self.segment, self._deleted = segment, deleted
        runs = live_runs(len(segment), deleted)
        ends = [segment.ends(column) for column in (0, 1)]
        begins = [segment.first_elements, segment.first_contents]
        self.documents = LiveNumbering(runs, firsts[0])
        # Documents are contiguous, so a run of documents is a run of elements and of content elements.
        first, last = runs[:, 0], runs[:, 1] - 1
        self.elements, self.contents = (
            LiveNumbering(np.stack([begin[first], end[last]], axis=1), number)
            for begin, end, number in zip(begins, ends, firsts[1:], strict=True)
        )
        self.steps: Ints | None = None
        self.is_whole = self.documents.size == len(segment)

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks with live documents, numbered as in the index."""
        element, content, document = self.elements.first, self.contents.first, self.documents.first
        if self.is_whole and not document:  # the first segment: its numbers are those of the index
            for block in self.segment.blocks[:-1]:
                yield block if self.steps is None else block._replace(steps=self.steps)
            return
        # Blocks without live documents vanish; the others are renumbered.
        for block, following in pairwise(self.segment.blocks):
            elements = _runs_in(self.elements, block.element, following.element)
            contents = _runs_in(self.contents, block.content, following.content)
            documents = _size(_runs_in(self.documents, block.document, following.document))
            if documents:
                whole = documents == following.document - block.document
                yield Block(
                    element, content, document, block.spans, block.sections,
                    None if whole else elements, None if whole else contents, self.steps,
                )  # fmt: skip
            element, content, document = element + _size(elements), content + _size(contents), document + documents

    @property
    def following(self) -> tuple[int, int, int]:
        """Numbers in the index of the document, element and content element after the segment."""
        documents, elements, contents = (of.first + of.size for of in (self.documents, self.elements, self.contents))
        return documents, elements, contents

    def firsts(self, column: int) -> Ints:
        """Return the first element (0) or content element (1) of each live document, numbered as in the index."""
        begins, ends = self.segment.documents[:, column], self.segment.ends(column)
        numbering = self.contents if column else self.elements
        sizes = [(ends - begins)[low:high] for low, high in self.documents.runs.tolist()]
        # Sizes of live documents; their running sum gives the first numbers in the index.
        counts = np.concatenate([np.zeros(0, np.int64), *sizes])
        found: Ints = numbering.first + np.cumsum(counts) - counts
        return found

    def set_of(self, kind: str, name: str) -> BitMap:
        """Return the live elements of a set, numbered as in the index."""
        return self.elements.bitmap(self.segment.read_set(kind, name))

    @property
    def words(self) -> SegmentWords:
        return self.segment.words

    @property
    def titled(self) -> dict[str, SegmentTitles]:
        """Titles of the segment, by kind."""
        return self.segment.titled

    def has(self, key: bytes) -> bool:
        """Whether a live document has a key."""
        number = self.segment.key_number(key)
        if number < 0 or self.is_whole:
            # Without deletions a key in the table has a posting.
            return number >= 0
        return bool(self.contents.kept(self.segment.postings(number)[0])[1].size)

    def postings(self, key: bytes) -> Lists | None:
        """Return (contents, tf) of a key, numbered as in the index; None if the segment lacks it."""
        number = self.segment.key_number(key)
        return None if number < 0 else self.postings_at(number)

    def postings_at(self, number: int) -> Lists:
        """Return (contents, tf) of a key, given by its number in the segment, numbered as in the index."""
        contents, tf = self.segment.postings(number)
        kept, contents = self.contents.kept(contents)
        return contents, tf[kept]

    @cached_property
    def mapped_lists(self) -> tuple[Ints, Ints]:
        """Mapped posting lists of all keys, and lists by document; only ranges returned by `spans` are verified."""
        sections = self.segment.sections
        return sections.mapped("postings"), sections.mapped(BY_DOCUMENT)

    @cached_property
    def spans(self) -> Callable[[str], tuple[int, int, int, int]]:
        """Function that returns the ranges of a key's posting list and list by document, verified; zeros if absent."""
        return lru_cache(maxsize=4096)(self._spans)

    def _spans(self, key: str) -> tuple[int, int, int, int]:
        number, lists = self.segment.key_number(key.encode("utf-8", "surrogateescape")), self.segment.by_document
        if number < 0:
            return 0, 0, 0, 0
        end = int(self.segment.posting_ends[number])
        # Reading the list verifies its pages, so kernels may read the mapped bytes.
        return end - self.segment.coded(number, number + 1).size, end, *lists.span(number)

    def positions(self, key: bytes) -> tuple[Ints, Ints, Ints] | None:
        """Return (contents, tf, positions) of a key, numbered as in the index; None if the segment lacks it."""
        number = self.segment.key_number(key)
        if number < 0:
            return None
        contents, tf = self.segment.postings(number)
        positions = self.segment.positions(number, tf)
        kept, contents = self.contents.kept(contents)
        if not isinstance(kept, slice):
            # Drop the positions of deleted postings: a posting has tf positions.
            is_kept = np.zeros(tf.size, bool)
            is_kept[kept] = True
            positions = positions[np.repeat(is_kept, tf)]
        return contents, tf[kept], positions

    def document_counts(self) -> Ints:
        """Count the live documents with each key of the segment."""
        n, deleted = self.segment.document_counts(np.array(self._deleted, np.int64))
        return n - deleted


def _runs_in(numbering: LiveNumbering, low: int, high: int) -> Runs:
    """Return the live runs in a range of numbers, counted from its begin."""
    # Runs outside of the range become empty, and drop out.
    runs = np.clip(numbering.runs, low, high) - low
    return runs[runs[:, 0] < runs[:, 1]]


def _size(runs: Runs) -> int:
    return int((runs[:, 1] - runs[:, 0]).sum())


def live_segments(segments: Iterable[tuple[Segment, BitMap]]) -> list[LiveSegment]:
    """Number segments, each with its deleted documents, one after another."""
    found: list[LiveSegment] = []
    firsts = (0, 0, 0)
    for segment, deleted in segments:
        found.append(LiveSegment(segment, deleted, firsts))
        firsts = found[-1].following
    return found


class OpenCommit(NamedTuple):
    """Commit whose files are open, so that they stay readable after deletion.

    Attributes
    ----------
    commit
        The commit.
    segments
        Segments, each with its entry in the commit.
    """

    commit: Commit
    segments: list[tuple[Segment, SegmentEntry]]


def open_commit(folder: Path, known: OpenCommit | None = None) -> OpenCommit:
    """Open the newest commit of an index; segments that are open already are taken from `known`.

    Raises
    ------
    IndexError_
        There is no index, it is damaged, or it has another format.
    """
    # Segments never change, so one that is open serves as long as a commit has its name.
    opened = {entry.name: segment for segment, entry in known.segments} if known else {}
    for _ in range(_TRIES):
        # An open file stays readable after deletion, so the loop ends once all files are open.
        commit = newest_commit(folder)
        try:
            return OpenCommit(commit, [(opened.get(e.name) or open_segment(folder, e), e) for e in commit.segments])
        # A writer may have replaced the commit and deleted its files: then open the newer one.
        except FileNotFoundError as error:
            if newest_commit(folder) == commit:
                raise IndexError_(f"{error.filename}: the file is missing; the index is damaged; {REPAIR}") from None
    raise IndexError_(f"{folder}: commits follow one another too quickly to be read; try again")


def open_segment(folder: Path, entry: SegmentEntry) -> Segment:
    """Open a segment in a folder.

    Raises
    ------
    FileNotFoundError
        Its file is missing.
    IndexError_
        It is damaged.
    """
    return Segment(SectionFile(folder / entry.file, entry.name, entry.size, mend_copy))


def postings_inside(segments: Iterable[LiveSegment], contents: Ints) -> tuple[list[str], Ints, Ints, Ints]:
    """Return the postings in some content elements.

    Parameters
    ----------
    segments
        Segments of an index, in order.
    contents
        Content elements, ascending.

    Returns
    -------
    keys, number, content, tf
        The keys, sorted by their bytes; then of each posting the number of its key among them, its content element and
        its tf, by key and content element.
    """
    raw, number, content, tf = list[bytes](), [_NONE], [_NONE], [_NONE]
    for live in segments:
        first = live.contents.first
        here = contents[(contents >= first) & (contents < first + live.contents.size)]
        if here.size:
            inside = live.contents.back(here)
            own, of_postings, counts = live.segment.postings_by_content(inside)
            # Keys of this segment, numbered after those of earlier segments; equal keys are joined below.
            numbers, place = np.unique(own, return_inverse=True)
            number.append(len(raw) + place)
            content.append(here[np.searchsorted(inside, of_postings)])
            tf.append(counts)
            raw += map(live.segment.keys.raw, numbers.tolist())
    keys = sorted(set(raw))
    place_of = {key: place for place, key in enumerate(keys)}
    numbers = np.array([place_of[key] for key in raw], np.int64)[np.concatenate(number)]
    order = np.argsort(numbers, kind="stable")  # stable: within a key, content elements stay ascending
    of_postings, counts = (np.concatenate(each).astype(np.int64)[order] for each in (content, tf))
    return [key.decode("utf-8", "surrogateescape") for key in keys], numbers[order], of_postings, counts
