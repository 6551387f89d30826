"""Checks of the inverted file for `trix check`, by ranges of keys.

The number of keys per content element in the element table must equal a sum over all posting lists. Storing that sum
would take eight bytes per content element. Instead both sides are summed with hashes of content numbers as weights;
wrong data passes with probability 2**-64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from trix.errors import IndexError_
from trix.indexer.store.inverted.by_document import EVERY, MANY, DocumentList, by_document, coded_sizes
from trix.indexer.store.inverted.postings import decode_varints, gap_places
from trix.indexer.store.segment import Segment
from trix.indexer.words.sentences import COLUMNS, SECTION
from trix.support.arrays import Ints

RANGE_BYTES = 1 << 20
"""Bytes of encoded lists decoded at a time."""

RANGE_KEYS = 1 << 14
"""Keys whose lists are checked at a time."""

_LONGEST = 8
"""Largest number of bytes of a valid variable-byte integer."""


def postings_faults(index: Segment) -> Iterator[str]:
    """Yield the faults of keys, posting lists and position lists, one line each."""
    faults = 0
    seen = _ListSums()
    for line in _lists_faults(index, seen):
        faults += 1
        yield line
    for line in _sentences_faults(index):
        faults += 1
        yield line
    if (seen.postings, seen.tokens) != (index.totals["postings"], index.totals["tokens"]):
        faults += 1
        yield "postings: not as many as the segment says"
    if not faults and not _same_tokens(index, seen.hashed):
        yield "elements: a number of keys is not that of the postings"


@dataclass
class _ListSums:
    """Sums over all lists; `hashed` is the sum of frequencies weighted by hashes, modulo 2**64."""

    postings: int = 0
    tokens: int = 0
    hashed: np.uint64 = field(default_factory=lambda: np.uint64(0))

    def add(self, contents: Ints, tf: Ints) -> None:
        self.postings += contents.size
        self.tokens += int(tf.sum())
        self.hashed = hashed_sum(contents, tf, self.hashed)


def hashed_sum(contents: Ints, tf: Ints, before: np.uint64) -> np.uint64:
    """Add the weighted frequencies of some content elements to a sum; order and grouping do not matter.

    >>> one = hashed_sum(np.array([3, 5]), np.array([1, 2]), np.uint64(0))
    >>> other = hashed_sum(np.array([5, 3, 5]), np.array([1, 1, 1]), np.uint64(0))
    >>> bool(one == other), bool(one == hashed_sum(np.array([3, 5]), np.array([2, 1]), np.uint64(0)))
    (True, False)
    """
    x = contents.astype(np.uint64)  # hash: the finaliser of splitmix64
    x += np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    x *= tf.astype(np.uint64)
    total: np.uint64 = np.add.reduce(np.append(x, before), dtype=np.uint64)
    return total


def _same_tokens(index: Segment, hashed: np.uint64) -> bool:
    """Whether the numbers of keys in the element table agree with the lists."""
    own = np.uint64(0)
    token = 0
    for block, table in index.elements.parts(1):
        tokens = table.column("tokens").astype(np.int64)
        token += int(tokens.sum())
        own = hashed_sum(np.arange(block.content, block.content + tokens.size), tokens, own)
        index.release()
    return bool(own == hashed) and token == index.totals["tokens"]


def _sentences_faults(index: Segment) -> Iterator[str]:
    """Find sentences without keys, and content elements with fewer keys than their sentences."""
    if not index.has_positions:
        return
    for block, (_, table) in zip(index.blocks, index.elements.parts(1), strict=False):
        more, keys = (block.stream(SECTION, name).astype(np.int64) for name in COLUMNS)
        tokens = table.column("tokens").astype(np.int64)
        if more.size != tokens.size or int(more.sum()) != keys.size:
            yield "sentences: not as many as the content elements say"
        elif (keys < 1).any() or (np.bincount(np.repeat(np.arange(more.size), more), keys, more.size) >= tokens)[
            more > 0
        ].any():
            yield "sentences: a content element has not the keys of its sentences"
        index.release()


def _lists_faults(index: Segment, seen: _ListSums) -> Iterator[str]:
    ends = index.posting_ends
    data = index.coded(0, ends.size)
    n = len(index.keys)
    if ends.size != n:
        yield "postings: not as many lists as keys"
        return
    by_document = DocumentListsCheck(index)
    yield from by_document.faults()
    low = begin = 0
    last = b""
    while low < n:
        window = ends[low : low + RANGE_KEYS].astype(np.int64)
        sizes = np.diff(window, prepend=begin)
        if (sizes <= 0).any() or window[-1] > data.size:
            yield f"postings of {_key(index, low + int((sizes <= 0).argmax()))}: empty or out of order"
            return
        high = low + max(1, int(np.searchsorted(window, begin + RANGE_BYTES, side="right")))
        for number in range(low, high):
            raw = index.keys.raw(number)
            raw.decode("utf-8")
            if raw <= last and number:
                yield f"keys: {raw!r} is out of order"
            last = raw
        tf = np.zeros(high - low, np.int64)
        part = data[begin : int(window[high - low - 1])]
        yield from _range_faults(index, part, sizes[: high - low], low, tf, seen, by_document)
        if index.has_positions:
            counts = _positions(index, low, high)
            for number in np.flatnonzero(counts != tf).tolist():
                yield f"positions of {_key(index, low + number)}: not as many as occurrences"
        begin, low = int(window[high - low - 1]), high
        index.release()


def _range_faults(
    index: Segment, data: Ints, sizes: Ints, low: int, tf: Ints, seen: _ListSums, by_document: DocumentListsCheck
) -> Iterator[str]:
    """Check the lists of a range of keys, adding the frequency of each to `tf`; long lists are read in slices."""
    before = -1  # last content element of a list that continues in the next slice
    at = 0
    while at < data.size:
        part = data[at : at + RANGE_BYTES] if sizes.size == 1 else data
        # Cut a slice of a long list after its last whole posting.
        if at + part.size < data.size:
            part = part[: whole_postings(part)]
        starts = np.cumsum(sizes) - sizes if sizes.size > 1 else np.zeros(1, np.int64)
        found = _read(part, starts, before)
        if isinstance(found, int):
            yield f"postings of {_key(index, low + found)}: empty or out of order"
            return
        contents, counts, first = found
        outside = contents >= index.totals["content_elements"]
        if outside.any():
            number = int(np.searchsorted(first, outside.argmax(), side="right")) - 1
            yield f"postings of {_key(index, low + number)}: a content element does not exist"
            return
        tf += np.add.reduceat(counts, first)
        seen.add(contents, counts)
        before = int(contents[-1])
        at += part.size
        stops = np.append(first[1:], contents.size).tolist()
        for number, (begin, stop) in enumerate(zip(first.tolist(), stops, strict=True), low):
            fault = by_document.take(number, contents[begin:stop], counts[begin:stop], last=at >= data.size)
            if fault is not None:
                yield f"postings of {_key(index, number)}: {fault}"


def _read(data: Ints, starts: Ints, before: int) -> tuple[Ints, Ints, Ints] | int:
    """Decode concatenated lists, with all checks.

    Parameters
    ----------
    data, starts
        Encoded lists, and the first byte of each.
    before
        Last content element before the data; -1 if the first list begins here.

    Returns
    -------
    tuple or int
        Content elements, frequencies, and the begin of each list; or the index of a damaged list.
    """
    # An integer must end at the end of its list, and must not be too long.
    ends = np.flatnonzero(data < 128)
    stops = np.append(starts[1:], data.size) - 1
    cut = data[stops] >= 128
    long = np.diff(ends, prepend=-1) > _LONGEST
    if cut.any() or long.any():
        byte = int(stops[cut.argmax()]) if cut.any() else int(ends[long.argmax()])
        return int(np.searchsorted(starts, byte, side="right")) - 1
    values = decode_varints(data)
    # A list must begin with a gap, and must not end between a gap and its tf.
    first_value = np.searchsorted(ends, starts)
    gaps_at = gap_places(values)
    last_value = np.append(first_value[1:], values.size) - 1
    torn = ~gaps_at[first_value] | (gaps_at[last_value] & (values[last_value] & 1).astype(bool))
    if torn.any():
        return int(torn.argmax())
    places = np.flatnonzero(gaps_at)
    codes = values[places]
    gaps = codes >> 1
    tf = np.ones(places.size, np.int64)
    several = (codes & 1).astype(bool)
    tf[several] = values[places[several] + 1] + 2
    first = np.searchsorted(places, first_value)
    # Gaps are positive, except the first of a list, which may be 0.
    still = gaps <= 0
    still[first[1:]] = still[first[0]] = False
    if before >= 0:
        still[0] = gaps[0] <= 0
    wild = still | (gaps > np.iinfo(np.int32).max) | (tf > np.iinfo(np.int32).max)
    if wild.any():
        return int(np.searchsorted(first, wild.argmax(), side="right")) - 1
    total = np.cumsum(gaps)
    base = np.where(first > 0, total[first - 1], 0)
    base[0] -= max(before, 0)
    return total - np.repeat(base, np.diff(first, append=places.size)), tf, first


def whole_postings(data: Ints) -> int:
    """Return the number of bytes up to the last whole posting of a truncated list.

    >>> data = np.array([2, 5, 0, 5], np.uint8)  # gap 1; gap 2 and its tf; gap 2, whose tf is not there
    >>> whole_postings(data), whole_postings(data[:3]), whole_postings(np.array([2, 5, 128], np.uint8))
    (3, 3, 1)
    """
    ends = np.flatnonzero(data < 128)
    if not ends.size:
        return data.size  # no value ends: decoding reports the damage
    starts = np.concatenate(([0], ends[:-1] + 1))
    even = np.flatnonzero((data[starts] & 1) == 0)
    odd = ends.size - 1 - (int(even[-1]) if even.size else -1)  # odd values after the last even one: gap, tf, gap, ..
    cut = ends.size - odd % 2
    return int(ends[cut - 1]) + 1 if cut else data.size


def _positions(index: Segment, low: int, high: int) -> Ints:
    """Count the positions of each key in a range."""
    ends = index.position_ends
    data = index.coded(0, ends.size, positions=True)
    stops = ends[low:high].astype(np.int64)
    begins = np.concatenate(([int(ends[low - 1]) if low else 0], stops[:-1]))
    counts = np.zeros(high - low, np.int64)
    for number, (begin, stop) in enumerate(zip(begins.tolist(), stops.tolist(), strict=True)):
        for at in range(begin, stop, RANGE_BYTES):
            counts[number] += int(np.count_nonzero(data[at : min(at + RANGE_BYTES, stop)] < 128))
        if stop <= begin or data[min(stop, data.size) - 1] >= 128:
            counts[number] = -1  # the last one is truncated
    return counts


def _key(index: Segment, number: int) -> str:
    return repr(index.keys[number])


class DocumentListsCheck:
    """Compares the lists by document of a segment with its postings.

    Parameters
    ----------
    segment
        Segment to check.
    """

    def __init__(self, segment: Segment) -> None:
        self._segment, self._lists = segment, segment.by_document
        self._open: _DocumentListCheck | None = None
        self._key = -1

    def faults(self) -> Iterator[str]:
        """Check the table of the lists itself."""
        keys, size = np.array(self._lists.keys, np.int64), len(self._segment.keys)
        if (np.diff(keys) <= 0).any() or (keys >= size).any() or not self._lists.in_order:
            yield "lists by document: their table is out of order"

    def take(self, key: int, contents: Ints, tf: Ints, *, last: bool) -> str | None:
        """Compare further postings of a key with its list; return the fault, or None."""
        try:
            if key != self._key:
                of, self._key = self._lists.of(key), key
                if of is None:
                    missing = contents.size >= MANY
                    return "no list by document" if missing else None
                self._open = _DocumentListCheck(of, self._segment.first_contents)
            sound = self._open is None or self._open.take(contents, tf, last)
        except IndexError_:
            sound = False
        if not sound or last:
            self._open = None
        return None if sound else "its list by document differs from its postings"


class _DocumentListCheck:
    """List by document that is compared slice by slice."""

    def __init__(self, of: DocumentList, first_contents: Ints) -> None:
        self._of, self._first_contents = of, first_contents
        self._waiting = np.zeros((2, 0), np.int64)
        self._place = self._bytes = self._before = 0

    def take(self, contents: Ints, tf: Ints, last: bool) -> bool:
        """Compare further postings; return whether all agree so far."""
        both = np.concatenate([self._waiting, np.stack([contents, tf]).astype(np.int64)], axis=1)
        documents = np.searchsorted(self._first_contents, both[0], side="right") - 1
        # The last document may continue in the next slice: keep its postings until then.
        whole = documents.size if last else int(np.searchsorted(documents, documents[-1]))
        self._waiting = both[:, whole:]
        sound = self._compare(both[0, :whole], both[1, :whole], documents[:whole])
        return sound and (not last or self._place == self._of.documents.size)

    def _compare(self, contents: Ints, tf: Ints, documents: Ints) -> bool:
        if not contents.size:
            return True
        columns = by_document(contents, tf, documents)
        here = slice(self._place, self._place + columns[0].size)
        same = all(np.array_equal(own, listed[here]) for own, listed in zip(columns, self._of, strict=False))
        begins = np.cumsum(columns[2]) - columns[2]
        # Every eighth document has a skip: its byte offset and the content element before.
        entered = np.flatnonzero((np.arange(here.start, here.stop) % EVERY) == 0)
        ends = self._bytes + np.concatenate(([0], np.cumsum(coded_sizes(contents, tf, self._before))))
        before = np.concatenate(([self._before], contents))[begins[entered]]
        rows = slice(-(-here.start // EVERY), -(-here.stop // EVERY))
        same = same and np.array_equal(ends[begins[entered]], self._of.byte[rows])
        same = same and np.array_equal(before, self._of.before[rows])
        self._place, self._bytes, self._before = here.stop, int(ends[-1]), int(contents[-1])
        return same
