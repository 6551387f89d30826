"""Inverted-file writer: keys with postings, words with documents.

Lists are written once all keys are known. Ranges of keys are then gathered from all parts, encoded and appended, so
memory is bounded by `RANGE_POSTINGS`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from trix.indexer.commit.sections import SectionWriter
from trix.indexer.store.inverted.by_document import MANY, SECTION, encode_by_document
from trix.indexer.store.inverted.postings import encode_positions, encode_postings
from trix.indexer.store.strings import encode_widths
from trix.indexer.words.interner import line_interner
from trix.indexer.write.inverted.lists import PartKeys, PartLists, gather, ranges
from trix.indexer.write.inverted.postings import in_order
from trix.support.arrays import Ints

T = TypeVar("T")
R = TypeVar("R")

RANGE_POSTINGS = 1 << 21
"""Postings gathered at a time, some 120 MB per thread; every range reads a little of every batch."""

ToLists = Callable[[Ints], PartLists]
"""Function from the ranks of a part's keys to its posting lists."""

Parts = list[tuple[PartKeys, ToLists]]
"""Keys of each part, and the function that makes its lists."""


def write_lists(
    sections: SectionWriter,
    parts: Parts,
    names: tuple[str, ...],
    jobs: int,
    ranking: KeyRanking,
    document_of: Ints | None = None,
) -> tuple[list[str], int]:
    """Write the lists of all keys with postings; return these keys, sorted, and the number of postings.

    Parameters
    ----------
    sections
        Writer of the segment.
    parts
        Keys of each part, and the function that makes its lists; cleared.
    names
        Section of the postings, and of the positions if wanted.
    jobs
        Threads that encode.
    ranking
        Key ranking of the segment.
    document_of
        Document of each content element, to write lists by document of frequent keys; None for lists of documents.
    """
    keys, lists = ranking.of(parts)
    parts.clear()
    counts = np.zeros(len(keys), np.int64)
    # Upper bounds of postings per key, to cut the keys into ranges.
    for part in lists:
        counts[part.ranks] += part.counts
    sizes: dict[str, list[Ints]] = {name: [] for name in names}
    files = {name: sections.file(name) for name in names}
    numbers_of_postings: list[Ints] = [np.zeros(0, np.int64)]
    of_documents = None if document_of is None else _ByDocument(sections, document_of)

    def code(of: tuple[int, int]) -> tuple[Ints, list[tuple[Ints, Ints]], list[Ints]]:
        number, contents, tf, positions = gather(lists, *of)
        starts = (np.cumsum(number) - number)[number > 0]  # keys only in deleted documents have no postings
        if not contents.size:
            return number, [], []
        coded = [encode_postings(contents, tf, starts)]
        if positions is not None:
            begin = np.cumsum(tf) - tf
            coded.append(encode_positions(positions, begin, begin[starts]))
        return number, coded, [] if of_documents is None else of_documents.coded(contents, tf, starts)

    with ThreadPoolExecutor(jobs) as pool:  # kernels release the interpreter's lock
        for number, coded, listed in _ahead(pool, code, ranges(counts, RANGE_POSTINGS), jobs):
            numbers_of_postings.append(number)
            if of_documents is not None:
                of_documents.write(number[number > 0], listed)
            # Results arrive in key order, so appending keeps the lists sorted.
            for name, (data, size) in zip(names, coded, strict=False):
                files[name].write(data.data)
                sizes[name].append(size)
    for name in files:
        written = np.concatenate([np.zeros(0, np.int64), *sizes[name]])
        sections.file(f"{name}.widths").write(encode_widths(written))
    if of_documents is not None:
        of_documents.finish()
    postings = np.concatenate(numbers_of_postings)
    return [keys[number] for number in np.flatnonzero(postings).tolist()], int(postings.sum())


class _ByDocument:
    """Writes the lists by document of frequent keys."""

    def __init__(self, sections: SectionWriter, document_of: Ints) -> None:
        self._sections, self._document_of = sections, document_of
        self._file = sections.file(SECTION)
        self._keys, self._sizes, self._seen = list[int](), list[int](), 0

    def coded(self, contents: Ints, tf: Ints, starts: Ints) -> list[Ints]:
        """Encode the lists of the frequent keys in a range."""
        stops = np.append(starts[1:], contents.size)
        found = []
        for key in np.flatnonzero(stops - starts >= MANY).tolist():
            span = slice(starts[key], stops[key])
            found.append(encode_by_document(contents[span], tf[span], self._document_of[contents[span]]))
        return found

    def write(self, counts: Ints, lists: list[Ints]) -> None:
        """Write the lists of the next keys, given the number of postings of each."""
        for key, data in zip(np.flatnonzero(counts >= MANY).tolist(), lists, strict=True):
            self._file.write(data.data)
            self._keys.append(self._seen + key)
            self._sizes.append(data.size)
        # Keys are numbered among those with postings, as in the segment.
        self._seen += counts.size

    def finish(self) -> None:
        """Write which keys have a list, and the bytes of each."""
        self._sections.array(f"{SECTION}.keys", np.array(self._keys, "<u4"))
        self._sections.file(f"{SECTION}.widths").write(encode_widths(np.array(self._sizes, np.int64)))


class KeyRanking:
    """Ranks the keys of all parts; repeated calls with the same keys reuse the result."""

    def __init__(self) -> None:
        self._last: list[PartKeys] = []
        self._keys: list[str] = []
        self._ranks: list[Ints] = []

    def of(self, parts: Parts) -> tuple[list[str], list[PartLists]]:
        """Return all keys in order, and the lists of each non-empty part with the ranks of its keys.

        Some keys may belong to no part, if a table of strings has unused ones.
        """
        parts = [part for part in parts if part[0].strings or part[0].numbers]
        if [own for own, _ in parts] != self._last:
            self._last = [own for own, _ in parts]
            self._rank()
        return self._keys, [make(ranks) for ranks, (_, make) in zip(self._ranks, parts, strict=True)]

    def _rank(self) -> None:
        # Number all strings once, sort the distinct ones, then map numbers to ranks.
        interner, keys = line_interner(), list[str]()
        numbered, tables = list[Ints](), dict[str, list[Ints]]()
        for own in self._last:
            numbers, new = interner.intern(own.text())
            numbered.append(numbers)
            if own.numbers:
                tables.setdefault(own.vocabulary, []).append(numbers)
            keys += new
        self._keys, order = in_order(keys)
        ranks = np.empty(len(keys), np.int32)
        ranks[order] = np.arange(len(keys), dtype=np.int32)
        ranked = {name: ranks[np.concatenate(numbers)] for name, numbers in tables.items()}
        # A part with a table: its keys are numbers in the worker's table, whose strings earlier parts brought.
        self._ranks = [
            ranked[own.vocabulary][own.numbers.read()] if own.numbers else ranks[numbers]
            for own, numbers in zip(self._last, numbered, strict=True)
        ]


def _ahead(pool: ThreadPoolExecutor, function: Callable[[T], R], of: Iterable[T], count: int) -> Iterator[R]:
    """Yield the results of a function in order, with at most `count` calls in progress."""
    waiting: deque[Future[R]] = deque()
    for each in of:
        waiting.append(pool.submit(function, each))
        # Wait for the oldest call: results keep their order, and memory is bounded.
        if len(waiting) > count:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
