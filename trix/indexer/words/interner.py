"""Raw tokens to numbers, the hottest loop of a build.

`DictInterner` is the plain reading: one regular expression, one dictionary. `HashInterner` does the same over the
text's code points in a compiled loop with an open hash table of its own, which holds what fits a processor's cache
instead of Python objects. Both number raw tokens in order of first occurrence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from trix.support.backend import use_numba

Text = str | NDArray[np.uint32]
"""A text, or its code points."""


def text_codes(text: Text) -> NDArray[np.uint32]:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32) if isinstance(text, str) else text


def text_string(text: Text) -> str:
    """Return a text as a string."""
    return text if isinstance(text, str) else text.tobytes().decode("utf-32-le", "surrogatepass")


class Numbers(dict[str, int]):
    """Strings numbered from 0: one that is asked for and not there has the next number.

    >>> numbers = Numbers()
    >>> [numbers[word] for word in ("to", "be", "to")], numbers.strings
    ([0, 1, 0], ['to', 'be'])
    """

    def __init__(self) -> None:
        super().__init__()
        self.strings: list[str] = []

    def __missing__(self, string: str) -> int:
        number = self[string] = len(self.strings)
        self.strings.append(string)
        return number

    def of(self, strings: Sequence[str]) -> list[int]:
        """Return the numbers of some strings.

        >>> numbers = Numbers()
        >>> numbers.of(["to", "be", "to"]), numbers.strings
        ([0, 1, 0], ['to', 'be'])
        """
        number_of, known = self.setdefault, len(self)
        found = [number_of(string, len(self)) for string in strings]
        self.strings += list(islice(reversed(self), len(self) - known))[::-1]
        return found


class Interner(Protocol):
    """Numbers raw tokens from 0 in order of first occurrence."""

    def intern(self, text: Text) -> tuple[NDArray[np.int32], Sequence[str]]:
        """Return the numbers of a text's raw tokens in order, and the tokens that were new, in order."""


def line_interner() -> Interner:
    """Return an interner whose tokens are the lines of a text, without empty ones."""
    if use_numba():
        classes = np.ones(0x10000, np.uint8)
        classes[ord("\n")] = 0
        return HashInterner(classes)
    return DictInterner(re.compile(r"[^\n]+"))


class DictInterner:
    """The plain twin.

    >>> interner = DictInterner(re.compile("[a-z]+"))
    >>> numbers, new = interner.intern("to be or not to be")
    >>> numbers.tolist(), new
    ([0, 1, 2, 3, 0, 1], ['to', 'be', 'or', 'not'])
    """

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._findall = pattern.findall
        self._numbers: dict[str, int] = {}

    def intern(self, text: Text) -> tuple[NDArray[np.int32], Sequence[str]]:
        tokens = self._findall(text_string(text))
        numbers, known = self._numbers, len(self._numbers)
        new: list[str] = []
        for token in set(tokens).difference(numbers):
            numbers[token] = -1
        if len(numbers) > known:
            for token in tokens:
                if numbers[token] < 0:
                    numbers[token] = known + len(new)
                    new.append(token)
        return np.fromiter(map(numbers.__getitem__, tokens), np.int32, len(tokens)), new


class HashInterner:
    """The compiled twin.

    Parameters
    ----------
    classes : (65536,) ndarray of uint8
        1 for the characters of the Basic Multilingual Plane that raw tokens are made of, 2 for those that are tokens
        by themselves, 0 for all others. Beyond the plane every character belongs to tokens.
    """

    def __init__(self, classes: NDArray[np.uint8]) -> None:
        from trix.indexer.words.loops import intern_tokens, number_keys

        self._kernel: Any = intern_tokens
        self.number_keys: Any = number_keys
        self._classes = classes
        self._count = 0
        self._slots = np.zeros(1 << 16, np.uint64)
        self._prints = np.empty((1 << 15, 2), np.uint64)
        self._ends = np.zeros((1 << 15) + 1, np.int64)
        self._arena = np.empty(1 << 18, np.uint32)
        self.intern("")  # load the compiled loops here, before worker processes are forked
        nothing = np.zeros(0, np.int32)
        self.number_keys(nothing, nothing.reshape(0, 4), 0)

    def intern(self, text: Text) -> tuple[NDArray[np.int32], Sequence[str]]:
        codes = text_codes(text)
        numbers = np.empty(codes.size, np.int32)
        known, read, written = self._count, 0, 0
        used = int(self._ends[self._count])
        if used + codes.size > self._arena.size:
            self._arena = np.resize(self._arena, 2 * (used + codes.size))
        while True:
            read, written, self._count = self._kernel(
                codes,
                read,
                numbers,
                written,
                self._classes,
                self._slots,
                self._prints,
                self._ends,
                self._arena,
                self._count,
            )
            if read >= codes.size:
                break
            self._grow()
        return numbers[:written], self._decode(known)

    def _grow(self) -> None:
        """Double the table; every token keeps its number."""
        from trix.indexer.words.loops import fill_slots

        capacity = 2 * len(self._prints)
        prints, ends = np.empty((capacity, 2), np.uint64), np.zeros(capacity + 1, np.int64)
        prints[: self._count], ends[: self._count + 1] = self._prints[: self._count], self._ends[: self._count + 1]
        self._prints, self._ends, self._slots = prints, ends, np.zeros(2 * capacity, np.uint64)
        fill_slots(self._slots, self._prints, self._count)

    def _decode(self, known: int) -> list[str]:
        ends = self._ends[known : self._count + 1]
        text = self._arena[ends[0] : ends[-1]].tobytes().decode("utf-32-le")
        borders = (ends - ends[0]).tolist()
        return [text[a:b] for a, b in pairwise(borders)]
