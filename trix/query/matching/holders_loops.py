"""Compiled twins of `trix.query.matching.holders`; imported only where `trix.support.backend.use_numba` says so."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel
from trix.support.seeking import seek


@kernel
def merged(content_numbers: Any, offsets: Any) -> Any:
    """Merge ascending lists; list w is ``content_numbers[offsets[w]:offsets[w+1]]``. Twin: `holders`."""
    lists = offsets.size - 1
    numbers = np.empty(content_numbers.size, np.int32)
    masks = np.empty(content_numbers.size, np.uint64)
    largest = np.int32(2147483647)
    at = offsets[:-1].copy()
    head = np.full(lists, largest, np.int32)
    for t in range(lists):
        if at[t] < offsets[t + 1]:
            head[t] = content_numbers[at[t]]
    count = 0
    while True:
        content = largest
        for t in range(lists):
            content = min(content, head[t])
        if content == largest:
            break
        mask = np.uint64(0)
        for t in range(lists):
            if head[t] == content:
                mask |= np.uint64(1) << np.uint64(t)
                at[t] += 1
                head[t] = content_numbers[at[t]] if at[t] < offsets[t + 1] else largest
        numbers[count] = content
        masks[count] = mask
        count += 1
    return numbers[:count], masks[:count]


@kernel
def within(contents: Any, masks: Any, begin: Any, end: Any) -> Any:
    """Return what ranges hold; twin: `Holders.within`."""
    found = np.zeros(begin.size, np.uint64)
    at = 0
    for i in range(begin.size):
        at = seek(contents, at, begin[i])
        mask, j = np.uint64(0), at
        while j < contents.size and contents[j] < end[i]:
            mask |= masks[j]
            j += 1
        found[i] = mask
    return found


@kernel
def by_range(contents: Any, masks: Any, begin: Any, end: Any) -> Any:
    """Return the ranges that hold anything; twin: `Holders.by_range`."""
    rows = np.empty(contents.size, np.int64)
    found = np.empty(contents.size, np.uint64)
    count = place = 0
    for i in range(contents.size):
        place = seek(end, place, contents[i] + 1)  # the first range that ends behind it
        if place == end.size:
            break
        if contents[i] < begin[place]:
            continue
        if count and rows[count - 1] == place:
            found[count - 1] |= masks[i]
        else:
            rows[count], found[count] = place, masks[i]
            count += 1
    return rows[:count], found[:count]


@kernel
def add_weights(sums: Any, masks: Any, weights: Any) -> Any:
    """Add the weights of words that are held; twin: `trix.query.matching.holders.add_weights`."""
    added = np.empty(sums.size)
    one = np.uint64(1)
    for i in range(sums.size):
        total, mask, word = sums[i], masks[i], 0
        while mask:
            if mask & one:
                total += weights[word]
            mask >>= one
            word += 1
        added[i] = total
    return added


@kernel
def largest_within(contents: Any, values: Any, begin: Any, end: Any) -> Any:
    """Return the largest value in each range; twin: `trix.query.matching.holders.largest_within`."""
    largest = np.zeros(begin.size)
    at = 0
    for i in range(begin.size):
        at = seek(contents, at, begin[i])
        j = at
        if j < contents.size and contents[j] < end[i]:
            best = values[j]
            while j < contents.size and contents[j] < end[i]:
                best = max(best, values[j])
                j += 1
            largest[i] = best
    return largest


@kernel
def titles_above(element: Any, parent: Any, child: Any, above: Any, masks: Any) -> Any:
    """Return what the titles above each candidate hold; twin: `trix.query.context.words.Titles.masks`.

    See `trix.query.matching.section_titles.SectionTitles` for `child` and `above`; `masks` are what each title holds. A
    title is above all children but that which leads to it: that has what the titles in the other children hold, so what
    two of them hold is noted apart.
    """
    n = element.size
    own, once, twice = np.zeros(n, np.uint64), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    found = np.zeros(n, np.uint64)
    at = i = 0
    while i < child.size:
        inside, below, mask = child[i], above[i], masks[i]
        i += 1
        while inside >= 0 and i < child.size and child[i] == inside:
            mask |= masks[i]
            i += 1
        at = seek(element, at, inside)
        if at < n and element[at] == inside:
            own[at] = mask
        place = seek(element, at, below)
        if place < n and element[place] == below:
            twice[place] |= mask if inside < 0 else once[place] & mask
            once[place] |= mask
    for i in range(n):
        up = parent[i]
        if up >= 0:
            found[i] = found[up] | twice[up] | (once[up] & ~own[i])
    return found


@kernel
def places(numbers: Any, asked: Any) -> Any:
    """Return the places of the first of ascending numbers that are not below others; twin: ``np.searchsorted``."""
    found = np.empty(asked.size, np.int32)
    at = 0
    for i in range(asked.size):
        at = seek(numbers, at, asked[i])
        found[i] = at
    return found
