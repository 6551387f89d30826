"""Inverted file of a static site: words by range of letters, postings of units by range of keys [SITE, section 3]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from trix.indexer.store.files import IndexFiles
from trix.publish.pack import SearchFiles, cut, varints
from trix.publish.units import TitleRows, Units
from trix.query.matching.joins import spread
from trix.support.arrays import Int64s, Ints

WORDS = 8_000
"""Bytes of a file of words before compression, about."""

POSTINGS = 4_000
"""Postings of a file, about; a longer list has a file of its own."""

_BATCH = 1 << 20
"""Postings that are grouped by unit at once."""


class Inverted(NamedTuple):
    """The files of words and postings.

    Attributes
    ----------
    words
        First word and name of each file of words.
    postings
        First key and name of each file of postings.
    """

    words: list[tuple[str, str]]
    postings: list[tuple[int, str]]


class _Word(NamedTuple):
    word: str
    documents: int
    keys: tuple[str, ...]


def inverted(files: IndexFiles, units: Units, titles: TitleRows, out: SearchFiles) -> Inverted:
    """Write words and postings, and return their tables."""
    words = _words(files)
    numbers: dict[str, int] = {}  # by first word, so that the keys of neighbours are near
    forms: dict[str, list[str]] = {}
    for word in words:
        for key in word.keys:
            numbers.setdefault(key, len(numbers))
            forms.setdefault(key, []).append(word.word)
    return Inverted(
        list(_word_files(words, numbers, out)),
        list(_posting_files(_lists(files, units, titles, list(numbers), forms), out)),
    )


def _words(files: IndexFiles) -> list[_Word]:
    """Return the words of the index in the order of JavaScript, by UTF-16 units."""
    counts = files.words.fitting("*")
    every = list(counts)
    keys = [analyzer.keys_of(every) for analyzer in files.analyzers]
    found = []
    for number, word in enumerate(every):
        own = dict.fromkeys(key for of in keys if (key := of[number]) is not None)
        found.append(_Word(word, counts[word], tuple(own)))
    return sorted(found, key=lambda each: each.word.encode("utf-16-be", "surrogatepass"))


def _word_files(words: Sequence[_Word], numbers: dict[str, int], out: SearchFiles) -> Iterator[tuple[str, str]]:
    """Write lines of a word, its documents, and its keys as steps from the last key."""
    lines, size, last, first = list[str](), 0, 0, ""
    for word in words:
        if not lines:
            first, last = word.word, 0
        steps = []
        for key in word.keys:
            steps.append(str(numbers[key] - last))
            last = numbers[key]
        lines.append(f"{word.word} {word.documents} {','.join(steps)}")
        size += len(lines[-1])
        if size > WORDS:
            yield first, out.put("\n".join(lines).encode("utf-8", "replace"))
            lines, size = [], 0
    if lines:
        yield first, out.put("\n".join(lines).encode("utf-8", "replace"))


def _posting_files(lists: Iterator[_List], out: SearchFiles) -> Iterator[tuple[int, str]]:
    """Write files of posting lists, column by column, since equal numbers compress well."""
    for first, run in cut(lists, lambda each: each.gaps.size + each.titled.size, POSTINGS):
        yield first, out.put(_posting_file(run))


def _posting_file(lists: Sequence[_List]) -> bytes:
    """Return the bytes of a file of posting lists.

    Numbers are varints. First the number of lists; then of each list its rows, its titled rows, m less its rows, and
    cf less m. Then the gaps of all lists, their frequencies less 1, and the gaps of their titled rows. The rest is
    text: a line for each list, with its words if it has several.
    """
    units, titled = [each.gaps.size for each in lists], [each.titled.size for each in lists]
    more, occurrences = [each.m - each.gaps.size for each in lists], [each.cf - each.m for each in lists]
    columns = (
        *(np.array(column, np.int64) for column in ([len(lists)], units, titled, more, occurrences)),
        *(np.concatenate([getattr(each, name) for each in lists]) for name in ("gaps", "tf", "titled")),
    )
    numbers = varints(np.concatenate(columns).astype(np.int64))
    return numbers + "\n".join(each.forms for each in lists).encode("utf-8", "replace")


class _List(NamedTuple):
    """The postings of a key: gaps between units, frequencies less 1, gaps between titled rows, and its words."""

    m: int
    cf: int
    gaps: Int64s
    tf: Int64s
    titled: Int64s
    forms: str


def _lists(
    files: IndexFiles, units: Units, titles: TitleRows, keys: Sequence[str], forms: dict[str, list[str]]
) -> Iterator[_List]:
    """Yield the postings of each key by unit."""
    for batch, contents, tf, sizes in _batches(files, keys):
        number = np.repeat(np.arange(len(batch)), sizes)
        rows, sums, counts = _grouped(number, units.row_of[contents], tf, len(batch))
        titled, titled_counts = _titled(number, contents, titles, len(batch))
        cf = np.bincount(number, weights=tf, minlength=len(batch)).astype(np.int64)
        parts = np.split(_gaps(rows, counts), np.cumsum(counts)[:-1])
        frequencies = np.split(sums - 1, np.cumsum(counts)[:-1])
        in_titles = np.split(_gaps(titled, titled_counts), np.cumsum(titled_counts)[:-1])
        for at, key in enumerate(batch):
            words = " ".join(forms[key]) if len(forms[key]) > 1 else ""
            yield _List(int(sizes[at]), int(cf[at]), parts[at], frequencies[at], in_titles[at], words)


def _batches(files: IndexFiles, keys: Sequence[str]) -> Iterator[tuple[list[str], Ints, Ints, Ints]]:
    """Yield keys with their postings, concatenated, and the number of postings of each."""
    batch, lists, size = list[str](), list[tuple[Ints, Ints]](), 0
    for key in keys:
        lists.append(files.postings(key))
        batch.append(key)
        size += lists[-1][0].size
        if size > _BATCH:
            yield batch, *_joined(lists)
            batch, lists, size = [], [], 0
    if batch:
        yield batch, *_joined(lists)


def _joined(lists: Sequence[tuple[Ints, Ints]]) -> tuple[Ints, Ints, Ints]:
    contents, tf = (np.concatenate(column) for column in zip(*lists, strict=True))
    return contents, tf, np.array([each.size for each, _ in lists], np.int64)


def _grouped(number: Ints, row: Ints, tf: Ints, many: int) -> tuple[Int64s, Int64s, Int64s]:
    """Add up frequencies by key and row: return rows and sums in this order, and the number of rows of each key."""
    pairs = (number.astype(np.int64) << 32) + row
    order = np.argsort(pairs, kind="stable")
    distinct, first = np.unique(pairs[order], return_index=True)
    sums = np.add.reduceat(tf[order].astype(np.int64), first) if first.size else np.zeros(0, np.int64)
    return distinct & 0xFFFFFFFF, sums, np.bincount(distinct >> 32, minlength=many).astype(np.int64)


def _titled(number: Ints, contents: Ints, titles: TitleRows, many: int) -> tuple[Int64s, Int64s]:
    """Return the rows that have each key in a title, ascending by key."""
    if not titles.begin.size:
        return np.zeros(0, np.int64), np.zeros(many, np.int64)
    title = np.searchsorted(titles.begin, contents, side="right") - 1
    inside = (title >= 0) & (contents < titles.end[title])
    title, number = title[inside], number[inside]
    first = titles.first[title]
    of, place = spread(first, titles.first[title + 1] - first)
    pairs = np.unique((number[of].astype(np.int64) << 32) + titles.row[place])
    return pairs & 0xFFFFFFFF, np.bincount(pairs >> 32, minlength=many).astype(np.int64)


def _gaps(rows: Int64s, counts: Int64s) -> Int64s:
    """Return the first row of each list, and the steps to the others."""
    gaps = np.diff(rows, prepend=0)
    first = np.cumsum(counts) - counts
    there = first[counts > 0]
    gaps[there] = rows[there]
    return gaps
