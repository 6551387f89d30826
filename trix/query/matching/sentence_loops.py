"""Compiled twins of what `trix.query.matching.query_words` says of sentences; imported where numba is used.

A content element of several sentences that holds several words has a slot for each of its sentences, in which the
weights of words are added up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel
from trix.support.seeking import seek


@kernel
def slots(contents: Any, masks: Any, rows: Any) -> Any:
    """Return the first slot of each content element, -1 for those without, and how many slots there are."""
    first = np.full(contents.size, -1, np.int64)
    count = np.int64(0)
    for i in range(contents.size):
        if masks[i] & (masks[i] - np.uint64(1)):
            begin, end = rows[contents[i], 0], rows[contents[i], 1]
            if begin < end:
                first[i] = count
                count += end - begin
    return first, count


@kernel
def add_word(
    contents: Any, first: Any, rows: Any, starts: Any, held: Any, tf: Any, positions: Any, weight: float, sums: Any
) -> None:
    """Add the weight of a word to the slots of the sentences that hold it."""
    at = place = 0
    for i in range(held.size):
        count = tf[i]
        place = seek(contents, place, held[i])
        if place == contents.size:
            break
        if contents[place] == held[i] and first[place] >= 0:
            base = np.int64(held[i]) << 32
            begin, end = rows[held[i], 0], rows[held[i], 1]
            sentence, last = begin, np.int64(-1)
            for j in range(at, at + count):
                while sentence < end and starts[sentence] <= base + positions[j]:
                    sentence += 1
                if sentence != last:
                    sums[first[place] + sentence - 1 - begin] += weight
                    last = sentence
        at += count


@kernel
def best(contents: Any, masks: Any, weights: Any, first: Any, rows: Any, sums: Any) -> Any:
    """Return the largest sum of a sentence of each content element."""
    largest = np.zeros(contents.size)
    one = np.uint64(1)
    for i in range(contents.size):
        if first[i] < 0:  # one sentence, or one word
            mask, word = masks[i], 0
            while mask:
                if mask & one:
                    largest[i] += weights[word]
                mask >>= one
                word += 1
            continue
        value = sums[first[i]]
        for j in range(first[i] + 1, first[i] + rows[contents[i], 1] - rows[contents[i], 0]):
            value = max(value, sums[j])
        largest[i] = value
    return largest
