"""Tables of strings on disk: the bytes one behind the other, and where each ends.

Read in place from mapped memory: opening costs nothing, one string costs one slice, and a sorted table is searched
without being loaded.
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
from trix.support.recent import Recent


def encode_strings(strings: Iterable[str]) -> tuple[bytes, NDArray[Any]]:
    """Return the UTF-8 bytes of strings and where each ends, as ``u4`` where that suffices, else ``u8``."""
    parts = [s.encode("utf-8", "surrogateescape") for s in strings]
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    large = bool(parts) and int(ends[-1]) > np.iinfo(np.uint32).max
    return b"".join(parts), ends.astype("<u8" if large else "<u4")


_OFTEN = 256
"""Reads after which a table is verified as a whole, so that the next ones cost a slice and no more."""

_STEP = 256
"""Of a sorted table that is read often, every so many strings stay in memory."""


class StringTable:
    """Read a table of strings by number; `find` needs it sorted by UTF-8 bytes.

    >>> table = StringTable(*encode_strings(["ape", "bee", "çedille"]))
    >>> len(table), table[2], table.find("bee"), table.find("cat")
    (3, 'çedille', 1, -1)
    """

    def __init__(self, data: Any, ends: NDArray[Any]) -> None:
        self._data, self._ends = data, ends
        self._end_of = memoryview(np.ascontiguousarray(ends).data)  # gives Python's numbers in half the time
        self._reads = 0
        self._some: list[bytes] = []

    def __len__(self) -> int:
        return int(self._ends.size)

    def raw(self, number: int) -> bytes:
        """Return the bytes of one string."""
        self._reads += 1
        if self._reads == _OFTEN and hasattr(self._data, "whole"):
            self._data = self._data.whole()
        ends = self._end_of
        return bytes(self._data[ends[number - 1] if number else 0 : ends[number]])

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self.raw(number).decode("utf-8", "surrogateescape")

    def find(self, string: str | bytes) -> int:
        """Return the number of a string, or of one given by its bytes; -1 when it is not there."""
        wanted = string.encode("utf-8", "surrogateescape") if isinstance(string, str) else string
        low = self.first(wanted)
        return low if low < len(self) and self.raw(low) == wanted else -1

    def beginning(self, text: str) -> tuple[int, int]:
        """Return the numbers of the strings that begin with a text, from and to.

        >>> StringTable(*encode_strings(["ape", "bee", "beetle", "cat"])).beginning("bee")
        (1, 3)
        """
        wanted = text.encode("utf-8", "surrogateescape")
        return self.first(wanted), self.first(wanted + b"\xff")  # which no UTF-8 has

    def first(self, wanted: bytes) -> int:
        """Return the number of the first string whose bytes are not below some."""
        low, high = 0, len(self)
        if self._reads > _OFTEN and high > _STEP:
            if not self._some:
                self._some = [self.raw(number) for number in range(0, high, _STEP)]
            at = bisect_left(self._some, wanted)
            low, high = max((at - 1) * _STEP + 1, 0), min(at * _STEP, high)
        return bisect_left(range(high), wanted, low, key=self.raw)

    def all(self) -> list[bytes]:
        """Return the bytes of all strings."""
        data = bytes(self._data[0 : int(self._ends[-1])]) if len(self) else b""
        ends = self._ends.tolist()
        return [data[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]

    def columns(self) -> tuple[NDArray[np.uint8], NDArray[Any]]:
        """Return the bytes of all strings one behind the other, and where each ends."""
        ends = self._ends.astype(np.int64)
        return np.frombuffer(self._data[0 : int(ends[-1]) if ends.size else 0], np.uint8), ends


PACKED = 256
"""Strings in a frame."""

KEPT_NUMBERS = 1 << 18
"""Numbers of strings that a table keeps decoded."""


class PackedStrings(StringTable):
    """The same of a sorted table without line breaks that is compressed, some strings at a time.

    >>> packed = PackedStrings(*encode_packed(["ape", "bee", "beetle"]), 3)
    >>> len(packed), packed[2], packed.find("bee"), packed.beginning("bee")
    (3, 'beetle', 1, (1, 3))
    """

    def __init__(self, data: Any, ends: NDArray[Any], size: int) -> None:
        super().__init__(data, ends)
        self._size = size
        self._frames: Recent[int, list[bytes]] = Recent(self._frame, 64)
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
        """Return the first string of a frame; it is kept."""
        if number not in self._heads:
            self._heads[number] = self._frames(number)[0]
        return self._heads[number]

    def first(self, wanted: bytes) -> int:
        """Return the number of the first string whose bytes are not below some: of its frame, then in its frame."""
        frame = bisect_right(range(self._ends.size), wanted, key=self._head) - 1
        return frame * PACKED + bisect_left(self._frames(frame), wanted) if frame >= 0 else 0

    def all(self) -> list[bytes]:
        """Return the bytes of all strings."""
        return [string for number in range(self._ends.size) for string in self._frame(number)]

    def columns(self) -> tuple[NDArray[np.uint8], NDArray[Any]]:
        """Return the bytes of all strings one behind the other, and where each ends."""
        strings = self.all()
        return np.frombuffer(b"".join(strings), np.uint8), np.cumsum([*map(len, strings)], dtype=np.int64)


def encode_packed(strings: Sequence[str]) -> tuple[bytes, NDArray[Any]]:
    """Return the frames of sorted strings without line breaks, and where each ends."""
    frames, compress = list[bytes](), zstandard.ZstdCompressor(level=12).compress
    for low in range(0, len(strings), PACKED):
        frames.append(compress("\n".join(strings[low : low + PACKED]).encode("utf-8", "surrogateescape")))
    return b"".join(frames), np.cumsum([len(frame) for frame in frames], dtype=np.uint32)


class ListedStrings:
    """A sorted table of strings that have numbers each, such as words and the documents that hold them.

    Parameters
    ----------
    table
        The strings, sorted by their UTF-8 bytes.
    data, ends
        For each its numbers, coded as a posting list without occurrences, and where they end.
    """

    def __init__(self, table: StringTable, data: Any, ends: NDArray[Any]) -> None:
        self.table, self.data, self.ends = table, data, ends
        self._named: Recent[str, NDArray[Any]] = Recent(self._look_up, KEPT_NUMBERS, lambda found: found.size + 8)

    def of(self, string: str) -> NDArray[Any]:
        """Return the numbers of a string by itself, none where it is not there; those asked for last are kept."""
        return self._named(string)

    def _look_up(self, string: str) -> NDArray[Any]:
        place = self.table.find(string)
        return self.numbers(place) if place >= 0 else np.zeros(0, np.int32)

    def coded(self, low: int, high: int) -> NDArray[np.uint8]:
        """Return the coded numbers of the strings ``[low, high)`` one after another."""
        begin, end = int(self.ends[low - 1]) if low else 0, int(self.ends[high - 1]) if high else 0
        return np.frombuffer(self.data[begin:end], np.uint8)

    def numbers(self, string: int) -> NDArray[Any]:
        """Return the numbers of a string, ascending."""
        return decode_postings(self.coded(string, string + 1))[0]

    def numbers_of(self, low: int, high: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the numbers of the strings ``[low, high)``, string after string, and how many each has."""
        begin = int(self.ends[low - 1]) if low else 0
        starts = np.concatenate([[0], self.ends[low : max(high - 1, low)].astype(np.int64) - begin])[: high - low]
        found, _, first = decode_lists(self.coded(low, high), starts)
        return found, np.diff(first, append=found.size)

    def counts_of(self, strings: NDArray[Any]) -> NDArray[Any]:
        """How many numbers each of some strings (ascending) has, also those of deleted documents."""
        if not strings.size:
            return np.zeros(0, np.int64)
        low, high = int(strings[0]), int(strings[-1]) + 1
        begins = np.where(strings > 0, self.ends[strings - 1], 0).astype(np.int64)
        sizes, coded = self.ends[strings] - begins, self.coded(low, high)
        if strings.size < high - low:
            coded = coded[ragged(begins - begins[0], sizes)]
        last = coded < 128  # a number is some bytes, of which this is the last
        return np.add.reduceat(last, np.cumsum(sizes) - sizes, dtype=np.int64)


def encode_numbers(numbers: Iterable[Sequence[int]]) -> tuple[bytes, NDArray[Any]]:
    """Return ascending numbers of some strings, coded, and how many bytes those of each string take.

    >>> coded, sizes = encode_numbers([[3], [0, 4]])
    >>> listed = ListedStrings(StringTable(*encode_strings(["a", "b"])), coded, np.cumsum(sizes))
    >>> listed.table[1], listed.numbers(1).tolist(), listed.counts_of(np.arange(2)).tolist()
    ('b', [0, 4], [1, 2])
    """
    held = list(map(list, numbers))
    sizes = np.array(list(map(len, held)), np.int64)
    every = np.array([number for own in held for number in own], np.int64)
    if not every.size:
        return b"", sizes
    coded, lengths = encode_postings(every, np.ones_like(every), np.cumsum(sizes) - sizes)
    return coded.tobytes(), lengths


def packed_listed(sections: SectionFile, name: str, lists: str) -> ListedStrings:
    """Return strings with numbers, as a segment has them in its sections under two names."""
    ends = read_ends(sections, lists).astype(np.int64)
    table = PackedStrings(sections.section(name), sections.array(f"{name}.ends"), ends.size)
    return ListedStrings(table, sections.section(lists), ends)


def encode_widths(widths: NDArray[Any]) -> bytes:
    """Return how many bytes each of some strings or lists takes, compressed: all low bytes first, and so on.

    Most are small, so that most bytes of the others are 0.

    >>> decode_widths(encode_widths(np.array([3, 300, 70_000]))).tolist()
    [3, 300, 70000]
    """
    planes = widths.astype("<u4").view(np.uint8).reshape(-1, 4).T
    return zstandard.ZstdCompressor(level=3, write_checksum=True).compress(planes.tobytes())


def decode_widths(data: Any) -> NDArray[Any]:
    """Return what was encoded."""
    return np.ascontiguousarray(np.frombuffer(_unpacked(data), np.uint8).reshape(4, -1).T).view("<u4").reshape(-1)


def read_ends(sections: SectionFile, name: str) -> NDArray[Any]:
    """Return where each of some strings or lists of a segment ends."""
    widths = decode_widths(sections.section(f"{name}.widths")[:])
    return np.cumsum(widths, dtype=np.uint32 if len(sections.section(name)) < 1 << 32 else np.uint64)


def _unpacked(data: Any) -> bytes:
    try:
        return zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError:
        raise IndexError_("the widths of strings or lists are damaged") from None


def most_frequent(
    parts: Sequence[tuple[StringTable, NDArray[Any], NDArray[Any]]], count: Callable[[str], int], most: int
) -> dict[str, int]:
    """Return the most frequent of some strings with their counts, equal ones by their letters; none that has none.

    Of each part the most frequent are looked at, more of them until no other string can be among the first.

    Parameters
    ----------
    parts
        Of each segment the table, the numbers of the strings in it, ascending, and at most how often each occurs there.
    count
        Gives how often a string occurs in all of them.
    most
        How many are wanted.
    """
    size = most
    while True:
        found: set[str] = set()
        rest, whole = 0, True
        for table, numbers, counts in parts:
            chosen = np.argsort(-counts, kind="stable")[:size]
            found.update(table[int(number)] for number in numbers[chosen])
            if chosen.size < counts.size:
                whole, rest = False, rest + int(counts[chosen[-1]])
        counted = {string: own for string in found if (own := count(string))}
        best = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:most]
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
    """Write a packed table of the same with ascending numbers for each, which stand in a section beside it."""
    write_packed(sections, name, [*listed])
    coded, sizes = encode_numbers(listed.values())
    sections.file(f"{name}.of").write(coded)
    sections.file(f"{name}.of.widths").write(encode_widths(sizes))
