"""Interning: strings and raw tokens as consecutive numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from trix.core.words import TokenTable

Text = str | NDArray[np.uint32]
"""A text, or its code points."""


def text_codes(text: Text) -> NDArray[np.uint32]:
    """Return the code points of a text as an array."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32) if isinstance(text, str) else text


def text_string(text: Text) -> str:
    """Return a text as a string."""
    return text if isinstance(text, str) else text.tobytes().decode("utf-32-le", "surrogatepass")


class StringInterner(dict[str, int]):
    """Dictionary that numbers strings from 0; looking up a new string adds it.

    `strings` lists them by number.

    >>> numbers = StringInterner()
    >>> [numbers[word] for word in ("to", "be", "to")], numbers.strings
    ([0, 1, 0], ['to', 'be'])
    """

    def __init__(self) -> None:
        super().__init__()
        self.strings: list[str] = []

    def __missing__(self, string: str) -> int:
        # Called by dict only for unknown strings.
        number = self[string] = len(self.strings)
        self.strings.append(string)
        return number

    def of(self, strings: Sequence[str]) -> list[int]:
        """Number several strings at once.

        >>> numbers = StringInterner()
        >>> numbers.of(["to", "be", "to"]), numbers.strings
        ([0, 1, 0], ['to', 'be'])
        """
        # setdefault is called with the next free number; new strings are the last entries of the dictionary.
        number_of, known = self.setdefault, len(self)
        found = [number_of(string, len(self)) for string in strings]
        self.strings += list(islice(reversed(self), len(self) - known))[::-1]
        return found


class Interner:
    r"""Numbers raw tokens from 0, in order of first occurrence.

    Parameters
    ----------
    classes : (65536,) ndarray of uint8
        ``(65536,)`` uint8, by code point: 1 for characters of raw tokens, 2 for characters that are tokens by
        themselves, 0 for separators. Characters beyond the Basic Multilingual Plane always belong to tokens.

    Examples
    --------
    >>> numbers, new = line_interner().intern("to be\nor not\nto be")
    >>> numbers.tolist(), new
    ([0, 1, 0], ['to be', 'or not'])
    """

    def __init__(self, classes: NDArray[np.uint8]) -> None:
        self._table = TokenTable(classes)

    def intern(self, text: Text) -> tuple[NDArray[np.int32], Sequence[str]]:
        """Number the raw tokens of a text, in order. Also return the new tokens, in order."""
        known = self._table.count
        numbers = self._table.intern(text_codes(text))
        return numbers, self._table.strings(known) if self._table.count > known else []


def line_interner() -> Interner:
    """Return an interner whose tokens are the non-empty lines of a text."""
    classes = np.ones(0x10000, np.uint8)
    classes[ord("\n")] = 0
    return Interner(classes)
