"""The inverted files of a segment: keys with their postings, words with their documents.

Lists wait until all keys are known; then ranges of keys are gathered from all parts, coded and appended, so that memory
is bounded by `RANGE_POSTINGS`.
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
from trix.indexer.write.inverted.lists import Lists, PartKeys, gather, ranges
from trix.indexer.write.inverted.postings import in_order
from trix.support.arrays import Ints

T = TypeVar("T")
R = TypeVar("R")

RANGE_POSTINGS = 1 << 21
"""Postings gathered at a time, some 120 MB a thread; of every batch a little is read for each range."""

ToLists = Callable[[Ints], Lists]
"""Makes the posting lists of a part from the ranks of its keys among all keys."""

Parts = list[tuple[PartKeys, ToLists]]
"""The keys of each part, and what makes its lists."""


def write_lists(
    sections: SectionWriter,
    parts: Parts,
    names: tuple[str, ...],
    jobs: int,
    ranking: Ranking,
    document_of: Ints | None = None,
) -> tuple[list[str], int]:
    """Write the lists of all keys that have any posting; return these keys, sorted, and how many postings there are.

    Parameters
    ----------
    sections
        Of the segment.
    parts
        The keys of each, and what makes its lists; cleared.
    names
        The section of the postings, and that of the positions where they are wanted.
    jobs
        Threads that code.
    ranking
        Of the segment.
    document_of
        The document of each content element, for lists by document of the keys with many postings; None for lists of
        documents.
    """
    keys, lists = ranking.of(parts)
    parts.clear()
    counts = np.zeros(len(keys), np.int64)
    for part in lists:
        counts[part.ranks] += part.counts
    sizes: dict[str, list[Ints]] = {name: [] for name in names}
    files = {name: sections.file(name) for name in names}
    held: list[Ints] = [np.zeros(0, np.int64)]
    of_documents = None if document_of is None else _ByDocument(sections, document_of)

    def code(of: tuple[int, int]) -> tuple[Ints, list[tuple[Ints, Ints]], list[Ints]]:
        number, contents, tf, positions = gather(lists, *of)
        starts = (np.cumsum(number) - number)[number > 0]  # a key may have been in deleted documents alone
        if not contents.size:
            return number, [], []
        coded = [encode_postings(contents, tf, starts)]
        if positions is not None:
            begin = np.cumsum(tf) - tf
            coded.append(encode_positions(positions, begin, begin[starts]))
        return number, coded, [] if of_documents is None else of_documents.coded(contents, tf, starts)

    with ThreadPoolExecutor(jobs) as pool:  # numpy works without the interpreter's lock
        for number, coded, listed in _ahead(pool, code, ranges(counts, RANGE_POSTINGS), jobs):
            held.append(number)
            if of_documents is not None:
                of_documents.write(number[number > 0], listed)
            for name, (data, size) in zip(names, coded, strict=False):
                files[name].write(data.data)
                sizes[name].append(size)
    for name in files:
        written = np.concatenate([np.zeros(0, np.int64), *sizes[name]])
        sections.file(f"{name}.widths").write(encode_widths(written))
    if of_documents is not None:
        of_documents.finish()
    postings = np.concatenate(held)
    return [keys[number] for number in np.flatnonzero(postings).tolist()], int(postings.sum())


class _ByDocument:
    """Writes the lists by document of the keys with many postings."""

    def __init__(self, sections: SectionWriter, document_of: Ints) -> None:
        self._sections, self._document_of = sections, document_of
        self._file = sections.file(SECTION)
        self._keys, self._sizes, self._seen = list[int](), list[int](), 0

    def coded(self, contents: Ints, tf: Ints, starts: Ints) -> list[Ints]:
        """Return the lists of those keys of a range that have many postings."""
        stops = np.append(starts[1:], contents.size)
        found = []
        for key in np.flatnonzero(stops - starts >= MANY).tolist():
            span = slice(starts[key], stops[key])
            found.append(encode_by_document(contents[span], tf[span], self._document_of[contents[span]]))
        return found

    def write(self, counts: Ints, lists: list[Ints]) -> None:
        """Write the lists of the next keys, of which each has so many postings."""
        for key, data in zip(np.flatnonzero(counts >= MANY).tolist(), lists, strict=True):
            self._file.write(data.data)
            self._keys.append(self._seen + key)
            self._sizes.append(data.size)
        self._seen += counts.size

    def finish(self) -> None:
        """Write which keys have a list, and how many bytes each takes."""
        self._sections.array(f"{SECTION}.keys", np.array(self._keys, "<u4"))
        self._sections.file(f"{SECTION}.widths").write(encode_widths(np.array(self._sizes, np.int64)))


class Ranking:
    """Ranks the keys of parts among those of all parts; the same keys as before only once."""

    def __init__(self) -> None:
        self._last: list[PartKeys] = []
        self._keys: list[str] = []
        self._ranks: list[Ints] = []

    def of(self, parts: Parts) -> tuple[list[str], list[Lists]]:
        """Return all keys in order, and the lists of each part that has any, with the ranks of its keys.

        Among the keys may be some that no part has: those of a table that nothing was left of.
        """
        parts = [part for part in parts if part[0].strings or part[0].numbers]
        if [own for own, _ in parts] != self._last:
            self._last = [own for own, _ in parts]
            self._rank()
        return self._keys, [make(ranks) for ranks, (_, make) in zip(self._ranks, parts, strict=True)]

    def _rank(self) -> None:
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
        self._ranks = [
            ranked[own.vocabulary][own.numbers.read()] if own.numbers else ranks[numbers]
            for own, numbers in zip(self._last, numbered, strict=True)
        ]


def _ahead(pool: ThreadPoolExecutor, function: Callable[[T], R], of: Iterable[T], count: int) -> Iterator[R]:
    """Yield what a function makes of each, in order, with no more than `count` under way."""
    waiting: deque[Future[R]] = deque()
    for each in of:
        waiting.append(pool.submit(function, each))
        if len(waiting) > count:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
