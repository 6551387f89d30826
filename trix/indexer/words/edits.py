"""How many edits lie between two words: a letter put in, left out or replaced, or two neighbours that changed places.

This is the optimal string alignment distance, in which no stretch of letters is edited twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST = 2
"""Edits that can be asked for."""


def edits_between(a: str, b: str) -> int:
    """Return how many edits lie between two words, literally by the definition.

    >>> edits_between("recieve", "receive"), edits_between("slavry", "slavery"), edits_between("ca", "abc")
    (1, 1, 3)
    """
    rows = [list(range(len(b) + 1))]
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            least = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                least = min(least, rows[i - 2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]


def edits_to_each(word: str, letters: NDArray[Any], most: int) -> NDArray[np.uint8]:
    """Return how many edits lie between a word and each of many words of one length; more than `most` is `most` + 1.

    Parameters
    ----------
    word
        The word.
    letters : (length, n_words) ndarray
        Code points: the first letters of all words, then the second ones.
    most
        How many are of interest.

    Examples
    --------
    >>> words = ["receive", "relieve", "deceive", "seventy"]
    >>> edits_to_each("recieve", np.array([[ord(c) for c in word] for word in words]).T, 2).tolist()
    [1, 1, 2, 3]
    """
    length, count = letters.shape
    too_many = np.full(count, most + 1, np.uint8)
    if abs(len(word) - length) > most:
        return too_many
    codes, left = [ord(character) for character in word], np.arange(count)
    one = np.uint8(1)
    # Rows are letters of the words, columns those of the word; farther from the diagonal than `most` nothing counts.
    before: list[NDArray[np.uint8]] = []
    last = [np.full(count, min(i, most + 1), np.uint8) for i in range(len(word) + 1)]
    for j in range(1, length + 1):
        row = [np.full(count, min(j, most + 1), np.uint8)] + [too_many] * len(word)
        for i in range(max(1, j - most), min(len(word), j + most) + 1):
            other = letters[j - 1] != codes[i - 1]
            least = np.minimum(last[i], row[i - 1]) + one
            np.minimum(least, last[i - 1] + other, out=least)
            if i > 1 and j > 1 and codes[i - 1] != codes[i - 2]:
                swapped = (letters[j - 2] == codes[i - 1]) & (letters[j - 1] == codes[i - 2])
                np.minimum(least, np.where(swapped, before[i - 2] + one, too_many), out=least)
            row[i] = np.minimum(least, too_many)
        before, last = last, row
        if j == most + 2:  # most words are too far away by now, and stay so
            close = np.minimum.reduce(row) <= most
            left, letters, too_many = left[close], letters[:, close], too_many[close]
            before, last = [each[close] for each in before], [each[close] for each in last]
    found = np.full(count, most + 1, np.uint8)
    found[left] = last[len(word)]
    return found
