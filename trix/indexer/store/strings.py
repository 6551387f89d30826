"""String tables on disk: concatenated bytes, and the end of each string.

They are read in place from mapped memory. Opening is free, reading a string is a slice, and a sorted table is searched
without loading.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from trix.errors import IndexError_
from trix.indexer.commit.sections import SectionFile, SectionWriter
from trix.indexer.store.inverted.postings import decode_lists, decode_postings, encode_postings
from trix.indexer.store.numbering import ragged
from trix.support.lru_cache import LruFunction


def encode_strings(strings: Iterable[str]) -> tuple[bytes, NDArray[Any]]:
    """Encode strings as UTF-8; also return the ends, as ``u4`` if that suffices, else ``u8``."""
    parts = [s.encode("utf-8", "surrogateescape") for s in strings]
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    large = bool(parts) and int(ends[-1]) > np.iinfo(np.uint32).max
    return b"".join(parts), ends.astype("<u8" if large else "<u4")


_OFTEN = 256
"""Number of reads after which a table is verified as a whole, to make later reads plain slices."""

_STEP = 256
"""For a frequently read sorted table, every `_STEP`-th string stays in memory."""


class StringTable:
    """Table of strings by number; `find` requires it to be sorted by UTF-8 bytes.

    >>> table = StringTable(*encode_strings(["ape", "bee", "çedille"]))
    >>> len(table), table[2], table.find("bee"), table.find("cat")
    (3, 'çedille', 1, -1)
    """

    def __init__(self, data: Any, ends: NDArray[Any]) -> None:
        self._data, self._ends = data, ends
        self._end_of = memoryview(np.ascontiguousarray(ends).data)  # twice as fast as indexing numpy
        self._reads = 0
        self._some: list[bytes] = []

    def __len__(self) -> int:
        return int(self._ends.size)

    def raw(self, number: int) -> bytes:
        """Return the bytes of one string."""
        self._reads += 1
        # Each slice verifies pages; a whole section is verified once and then sliced freely.
        if self._reads == _OFTEN and hasattr(self._data, "whole"):
            self._data = self._data.whole()
        ends = self._end_of
        return bytes(self._data[ends[number - 1] if number else 0 : ends[number]])

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self.raw(number).decode("utf-8", "surrogateescape")

    def find(self, string: str | bytes) -> int:
        """Look up the number of a string or its bytes; -1 if it is missing."""
        wanted = string.encode("utf-8", "surrogateescape") if isinstance(string, str) else string
        low = self.first(wanted)
        return low if low < len(self) and self.raw(low) == wanted else -1

    def beginning(self, text: str) -> tuple[int, int]:
        """Return the range of strings with a prefix.

        >>> StringTable(*encode_strings(["ape", "bee", "beetle", "cat"])).beginning("bee")
        (1, 3)
        """
        wanted = text.encode("utf-8", "surrogateescape")
        return self.first(wanted), self.first(wanted + b"\xff")  # 0xff is greater than any byte of UTF-8

    def first(self, wanted: bytes) -> int:
        """Return the number of the first string that is not less than `wanted`, by bytes."""
        low, high = 0, len(self)
        # A sample in memory narrows the binary search to one step.
        if self._reads > _OFTEN and high > _STEP:
            # Two threads may both take the sample; it is the same.
            if not self._some:
                self._some = [self.raw(number) for number in range(0, high, _STEP)]
            # The string lies after the last sample below it, and not after the next sample.
            at = bisect_left(self._some, wanted)
            low, high = max((at - 1) * _STEP + 1, 0), min(at * _STEP, high)
        return bisect_left(range(high), wanted, low, key=self.raw)

    def all(self) -> list[bytes]:
        """Return the bytes of all strings."""
        data = bytes(self._data[0 : int(self._ends[-1])]) if len(self) else b""
        ends = self._ends.tolist()
        return [data[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]

    def columns(self) -> tuple[NDArray[np.uint8], NDArray[Any]]:
        """Return the concatenated bytes of all strings, and the end of each."""
        ends = self._ends.astype(np.int64)
        return np.frombuffer(self._data[0 : int(ends[-1]) if ends.size else 0], np.uint8), ends


PACKED = 256
"""Strings per frame."""

KEPT_NUMBERS = 1 << 18
"""Numbers of strings that a table caches in decoded form."""


class PackedStrings(StringTable):
    """Sorted table of strings without line breaks, compressed in frames.

    >>> packed = PackedStrings(*encode_packed(["ape", "bee", "beetle"]), 3)
    >>> len(packed), packed[2], packed.find("bee"), packed.beginning("bee")
    (3, 'beetle', 1, (1, 3))
    """

    def __init__(self, data: Any, ends: NDArray[Any], size: int) -> None:
        super().__init__(data, ends)
        self._size = size
        self._frames: LruFunction[int, list[bytes]] = LruFunction(self._frame, 64)
        self._heads: dict[int, bytes] = {}

    def __len__(self) -> int:
        return self._size

    def _frame(self, number: int) -> list[bytes]:
        try:
            return zstandard.ZstdDecompressor().decompress(super().raw(number)).split(b"\n")
        except zstandard.ZstdError:
            raise IndexError_("a table of strings is damaged") from None

    def raw(self, number: int) -> bytes:
        """Return the bytes of one string."""
        frame, place = divmod(number, PACKED)
        return self._frames(frame)[place]

    def _head(self, number: int) -> bytes:
        """Return the first string of a frame; cached."""
        if number not in self._heads:
            self._heads[number] = self._frames(number)[0]
        return self._heads[number]

    def first(self, wanted: bytes) -> int:
        """Return the number of the first string that is not less than `wanted`: search the frames, then the frame."""
        # The frame whose first string is not greater; then within the frame.
        frame = bisect_right(range(self._ends.size), wanted, key=self._head) - 1
        return frame * PACKED + bisect_left(self._frames(frame), wanted) if frame >= 0 else 0

    def all(self) -> list[bytes]:
        """Return the bytes of all strings."""
        return [string for number in range(self._ends.size) for string in self._frame(number)]

    def columns(self) -> tuple[NDArray[np.uint8], NDArray[Any]]:
        """Return the concatenated bytes of all strings, and the end of each."""
        strings = self.all()
        return np.frombuffer(b"".join(strings), np.uint8), np.cumsum([*map(len, strings)], dtype=np.int64)


def encode_packed(strings: Sequence[str]) -> tuple[bytes, NDArray[Any]]:
    """Compress sorted strings without line breaks into frames; also return the ends of the frames."""
    frames, compress = list[bytes](), zstandard.ZstdCompressor(level=12).compress
    for low in range(0, len(strings), PACKED):
        frames.append(compress("\n".join(strings[low : low + PACKED]).encode("utf-8", "surrogateescape")))
    return b"".join(frames), np.cumsum([len(frame) for frame in frames], dtype=np.uint32)


class ListedStrings:
    """Sorted table of strings with a list of numbers each, such as words with their documents.

    Parameters
    ----------
    table
        Strings, sorted by their UTF-8 bytes.
    data, ends
        Numbers of each string, encoded like a posting list without frequencies, and the end of each list.
    """

    def __init__(self, table: StringTable, data: Any, ends: NDArray[Any]) -> None:
        self.table, self.data, self.ends = table, data, ends
        self._named: LruFunction[str, NDArray[Any]] = LruFunction(
            self._look_up, KEPT_NUMBERS, lambda found: found.size + 8
        )

    def of(self, string: str) -> NDArray[Any]:
        """Return the numbers of a string, empty if it is missing; recent results are cached."""
        return self._named(string)

    def _look_up(self, string: str) -> NDArray[Any]:
        place = self.table.find(string)
        return self.numbers(place) if place >= 0 else np.zeros(0, np.int32)

    def coded(self, low: int, high: int) -> NDArray[np.uint8]:
        """Return the encoded lists of the strings ``[low, high)``, concatenated."""
        begin, end = int(self.ends[low - 1]) if low else 0, int(self.ends[high - 1]) if high else 0
        return np.frombuffer(self.data[begin:end], np.uint8)

    def numbers(self, string: int) -> NDArray[Any]:
        """Return the numbers of a string, ascending."""
        return decode_postings(self.coded(string, string + 1))[0]

    def numbers_of(self, low: int, high: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the concatenated numbers of the strings ``[low, high)``, and how many each has."""
        begin = int(self.ends[low - 1]) if low else 0
        starts = np.concatenate([[0], self.ends[low : max(high - 1, low)].astype(np.int64) - begin])[: high - low]
        found, _, first = decode_lists(self.coded(low, high), starts)
        return found, np.diff(first, append=found.size)

    def counts_of(self, strings: NDArray[Any]) -> NDArray[Any]:
        """Return the length of each list, deleted documents included; strings ascend."""
        if not strings.size:
            return np.zeros(0, np.int64)
        low, high = int(strings[0]), int(strings[-1]) + 1
        begins = np.where(strings > 0, self.ends[strings - 1], 0).astype(np.int64)
        sizes, coded = self.ends[strings] - begins, self.coded(low, high)
        # Gather only the chosen lists; a contiguous range needs no copy.
        if strings.size < high - low:
            coded = coded[ragged(begins - begins[0], sizes)]
        last = coded < 128  # the last byte of a number has its high bit clear
        return np.add.reduceat(last, np.cumsum(sizes) - sizes, dtype=np.int64)


def encode_numbers(numbers: Iterable[Sequence[int]]) -> tuple[bytes, NDArray[Any]]:
    """Encode a list of ascending numbers per string; also return the bytes of each list.

    >>> coded, sizes = encode_numbers([[3], [0, 4]])
    >>> listed = ListedStrings(StringTable(*encode_strings(["a", "b"])), coded, np.cumsum(sizes))
    >>> listed.table[1], listed.numbers(1).tolist(), listed.counts_of(np.arange(2)).tolist()
    ('b', [0, 4], [1, 2])
    """
    lists = list(map(list, numbers))
    sizes = np.array(list(map(len, lists)), np.int64)
    every = np.array([number for own in lists for number in own], np.int64)
    if not every.size:
        return b"", sizes
    # Frequencies of 1 take no space in the encoding.
    # Lists are coded one after another, each from its own start, so any of them can be read alone.
    coded, lengths = encode_postings(every, np.ones_like(every), np.cumsum(sizes) - sizes)
    return coded.tobytes(), lengths


def packed_listed(sections: SectionFile, name: str, lists: str) -> ListedStrings:
    """Open a packed table with lists, stored in two sections of a segment."""
    ends = read_ends(sections, lists).astype(np.int64)
    table = PackedStrings(sections.section(name), sections.array(f"{name}.ends"), ends.size)
    return ListedStrings(table, sections.section(lists), ends)


def encode_widths(widths: NDArray[Any]) -> bytes:
    """Compress byte lengths of strings or lists: all low bytes first, then the next bytes.

    Most lengths are small, so the other planes are mostly zeros.

    >>> decode_widths(encode_widths(np.array([3, 300, 70_000]))).tolist()
    [3, 300, 70000]
    """
    planes = widths.astype("<u4").view(np.uint8).reshape(-1, 4).T
    return zstandard.ZstdCompressor(level=3, write_checksum=True).compress(planes.tobytes())


def decode_widths(data: Any) -> NDArray[Any]:
    """Decompress byte lengths; inverse of `encode_widths`."""
    # Transpose the four byte planes back into integers.
    return np.ascontiguousarray(np.frombuffer(_unpacked(data), np.uint8).reshape(4, -1).T).view("<u4").reshape(-1)


def read_ends(sections: SectionFile, name: str) -> NDArray[Any]:
    """Read the ends of the strings or lists in a section."""
    widths = decode_widths(sections.section(f"{name}.widths")[:])
    # Ends fit into 32 bits unless the section is larger than 4 GB.
    return np.cumsum(widths, dtype=np.uint32 if len(sections.section(name)) < 1 << 32 else np.uint64)


def _unpacked(data: Any) -> bytes:
    try:
        return zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError:
        raise IndexError_("the widths of strings or lists are damaged") from None


def most_frequent(
    parts: Sequence[tuple[StringTable, NDArray[Any], NDArray[Any]]], count: Callable[[str], int], most: int
) -> dict[str, int]:
    """Return the most frequent strings with their counts, ties in order of letters; strings without count are dropped.

    Threshold algorithm: take the top strings of each part, and more of them until no unseen string can enter the
    result.

    Parameters
    ----------
    parts
        For each segment: the table, the numbers of the strings, ascending, and upper bounds of their counts.
    count
        Function from a string to its exact count.
    most
        Number of strings wanted.
    """
    size = most
    while True:
        found: set[str] = set()
        rest, whole = 0, True
        for table, numbers, counts in parts:
            chosen = np.argsort(-counts, kind="stable")[:size]
            found.update(table[int(number)] for number in numbers[chosen])
            # An unseen string has at most the last chosen bound in each part; `rest` is their sum.
            if chosen.size < counts.size:
                whole, rest = False, rest + int(counts[chosen[-1]])
        counted = {string: own for string in found if (own := count(string))}
        best = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:most]
        # In a single part whose bounds are exact, ties cannot be overtaken.
        exact = len(parts) == 1 and sum(counted.values()) == int(counts[chosen].sum())
        if whole or (len(best) == most and (exact or best[-1][1] > rest)):
            return dict(best)
        size *= 4


def write_packed(sections: SectionWriter, name: str, strings: Sequence[str]) -> None:
    """Write a packed table of sorted strings without line breaks."""
    data, ends = encode_packed(strings)
    sections.file(name).write(data)
    sections.array(f"{name}.ends", ends)


def write_listed(sections: SectionWriter, name: str, listed: Mapping[str, Sequence[int]]) -> None:
    """Write a packed table of strings, and their lists of ascending numbers in a section beside it."""
    write_packed(sections, name, [*listed])
    coded, sizes = encode_numbers(listed.values())
    sections.file(f"{name}.of").write(coded)
    sections.file(f"{name}.of.widths").write(encode_widths(sizes))
