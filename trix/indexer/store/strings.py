"""Tables of strings on disk: the bytes one behind the other, and where each ends.

Read in place from mapped memory: opening costs nothing, one string costs one slice, and a sorted table is searched
without being loaded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


def encode_strings(strings: Iterable[str]) -> tuple[bytes, NDArray[Any]]:
    """Return the UTF-8 bytes of strings and where each ends, as ``u4`` where that suffices, else ``u8``."""
    parts = [s.encode("utf-8", "surrogateescape") for s in strings]
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    large = bool(parts) and int(ends[-1]) > np.iinfo(np.uint32).max
    return b"".join(parts), ends.astype("<u8" if large else "<u4")


_OFTEN = 256
"""Reads after which a table is verified as a whole, so that the next ones cost a slice and no more."""


_APART = 64
"""Strings from one that is kept in memory to the next, once a table is searched often."""


class StringTable:
    """Read a table of strings by number; `find` needs it sorted by UTF-8 bytes.

    >>> table = StringTable(*encode_strings(["ape", "bee", "çedille"]))
    >>> len(table), table[2], table.find("bee"), table.find("cat")
    (3, 'çedille', 1, -1)
    """

    def __init__(self, data: Any, ends: NDArray[Any]) -> None:
        self._data, self._ends = data, ends
        self._reads = 0

    def __len__(self) -> int:
        return int(self._ends.size)

    def raw(self, number: int) -> bytes:
        """Return the bytes of one string."""
        self._reads += 1
        if self._reads == _OFTEN and hasattr(self._data, "whole"):
            self._data = self._data.whole()
        begin = int(self._ends[number - 1]) if number else 0
        return bytes(self._data[begin : int(self._ends[number])])

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
        if self._reads > _OFTEN:
            place = bisect_left(self._signposts, wanted)
            low, high = max(place - 1, 0) * _APART, min(place * _APART, high)
        while low < high:
            middle = (low + high) // 2
            if self.raw(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    @cached_property
    def _signposts(self) -> list[bytes]:
        """Some of the strings, between which a search begins."""
        return [self.raw(number) for number in range(0, len(self), _APART)]

    def all(self) -> list[bytes]:
        """Return the bytes of all strings."""
        data = bytes(self._data[0 : int(self._ends[-1])]) if len(self) else b""
        ends = self._ends.tolist()
        return [data[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]

    def columns(self) -> tuple[NDArray[np.uint8], NDArray[Any]]:
        """Return the bytes of all strings one behind the other, and where each ends."""
        ends = self._ends.astype(np.int64)
        return np.frombuffer(self._data[0 : int(ends[-1]) if ends.size else 0], np.uint8), ends
