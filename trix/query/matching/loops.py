"""Compiled twins of `matching.matching`; imported only where :func:`backend.use_numba` says so."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel
from trix.support.seeking import seek

HALF = 32
ONE_ELEMENT = 1 << HALF
"""What a content element adds to counts of kf, the lower half of a number, and ξ_k, the upper one."""


@kernel
def lift(content_numbers: Any, offsets: Any, content_rows: Any, rows: Any) -> Any:
    """Merge posting lists in content order and open each element on the way down from its root once.

    ``content_numbers[offsets[t]:offsets[t+1]]`` is list t; `content_rows` and `rows` are those of
    `elements.Elements`. Returns the first six columns of `candidates.Candidates` as rows of
    one array, the seventh, and for each posting the place of its content element. Linear in postings plus candidates.
    """
    lists = offsets.size - 1
    merged = np.empty(content_numbers.size, np.int32)
    place = np.empty(content_numbers.size, np.int32)
    largest = np.int32(2147483647)
    at = offsets[:-1].copy()
    head = np.full(lists, largest, np.int32)
    for t in range(lists):
        if at[t] < offsets[t + 1]:
            head[t] = content_numbers[at[t]]
    held = 0
    while True:
        content = largest
        for t in range(lists):
            content = min(content, head[t])
        if content == largest:
            break
        for t in range(lists):
            if head[t] == content:
                place[at[t]] = held
                at[t] += 1
                head[t] = content_numbers[at[t]] if at[t] < offsets[t + 1] else largest
        merged[held] = content
        held += 1
    element, parent, depth, xi_c, final, above = _opened(merged[:held], content_rows, rows)
    n = element.size
    columns, is_content = np.empty((6, n), np.int32), np.zeros(n, np.bool_)
    for i in range(n):
        columns[0, i], columns[1, i], columns[3, i] = element[i], parent[i], depth[i]
        columns[2, i] = i if parent[i] < 0 else columns[2, parent[i]]
    for i in range(held):
        is_content[final[i]], columns[4, final[i]] = True, merged[i]
    for i in range(n):
        if not is_content[i]:
            columns[4, i] = rows[element[i], 2]
        columns[5, i] = columns[4, i] + xi_c[i]
    for p in range(place.size):
        place[p] = final[place[p]]
    return columns, is_content, place, above


@kernel
def count_upwards(place: Any, tf: Any, offsets: Any, above: Any) -> Any:
    """Return kf and ξ_k, (T, n) each: what the postings say of content elements, summed over their ancestors."""
    lists, n = offsets.size - 1, above.size
    kf = np.zeros((lists, n), tf.dtype)
    xi_k = np.zeros((lists, n), np.int32)
    for t in range(lists):
        for i in range(offsets[t], offsets[t + 1]):
            kf[t, place[i]] += tf[i]
            xi_k[t, place[i]] += 1
        for i in range(n - 1, 0, -1):
            if above[i] >= 0:
                kf[t, above[i]] += kf[t, i]
                xi_k[t, above[i]] += xi_k[t, i]
    return kf, xi_k


@kernel
def lift_documents(contents: Any, tf: Any, starts: Any, order: Any, content_rows: Any, rows: Any, running: Any) -> Any:
    """Do what `lift` and `count_upwards` do, for the postings of some documents that were read one after another.

    ``contents[starts[d, t]:starts[d, t + 1]]`` is what document d has of list t; `order` are the documents, ascending.
    Returns of each element, in document order, its number, the place of its parent, its depth, its content elements and
    its keys (none where there are no `running` sums of keys); and its counts, (n, T), see `ONE_ELEMENT`.
    """
    terms = starts.shape[1] - 1
    size = np.int64(0)
    for d in order:
        size += starts[d, terms] - starts[d, 0]
    merged, place = np.empty(size, np.int32), np.empty(contents.size, np.int32)
    at, head = np.empty(terms, np.int64), np.empty(terms, np.int32)
    largest = np.int32(2147483647)
    held = 0
    for d in order:
        content = largest
        for t in range(terms):
            at[t] = starts[d, t]
            head[t] = contents[at[t]] if at[t] < starts[d, t + 1] else largest
            content = min(content, head[t])
        while content != largest:
            following = largest
            for t in range(terms):
                if head[t] == content:
                    place[at[t]] = held
                    at[t] += 1
                    head[t] = contents[at[t]] if at[t] < starts[d, t + 1] else largest
                following = min(following, head[t])
            merged[held] = content
            held += 1
            content = following
    element, parent, depth, xi_c, final, _ = _opened(merged[:held], content_rows, rows)
    n = element.size
    counts, dl = np.zeros((n, terms), np.int64), np.empty(n if running.size else 0, np.int64)
    for d in order:
        for t in range(terms):
            for p in range(starts[d, t], starts[d, t + 1]):
                counts[final[place[p]], t] = tf[p] + ONE_ELEMENT
    for i in range(n - 1, -1, -1):
        if parent[i] >= 0:
            for t in range(terms):
                counts[parent[i], t] += counts[i, t]
    if running.size:
        for i in range(n):
            begin = rows[element[i], 2]
            dl[i] = running[begin + xi_c[i] - 1, 1] - running[begin, 0]
    return element, parent, depth, xi_c, dl, counts


@kernel
def _opened(contents: Any, content_rows: Any, rows: Any) -> Any:
    """Open each element on the way down from its root to some content elements once, in document order.

    Returns of each its number, the place of its parent, its depth and its content elements; the place of each of the
    given ones; and what `_rows_of` says.
    """
    own, above = _rows_of(contents, content_rows, rows)
    held = contents.size
    room = held
    for i in range(held):
        room += own[i, 2]
    element, parent, depth = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    xi_c, final = np.empty(room, np.int32), np.empty(held, np.int32)
    open_element, open_place = np.full(256, np.int32(-1)), np.empty(256, np.int32)
    path = np.empty(256, np.int32)
    n = 0
    for i in range(held):
        x, level = own[i, 1], own[i, 2] - 1
        steps = 0
        while x >= 0 and open_element[level] != x:
            path[steps] = x
            steps += 1
            x = rows[x, 0]
            level -= 1
        up = open_place[level] if x >= 0 else np.int32(-1)
        for step in range(steps - 1, -1, -1):
            x = path[step]
            level += 1
            open_element[level], open_place[level] = x, n
            element[n], parent[n], depth[n], xi_c[n] = x, up, level, rows[x, 3]
            up = np.int32(n)
            n += 1
        element[n], parent[n], depth[n], xi_c[n] = own[i, 0], up, own[i, 2], 1
        final[i] = n
        n += 1
    return element[:n], parent[:n], depth[:n], xi_c[:n], final, above


@kernel
def _rows_of(contents: Any, content_rows: Any, rows: Any) -> Any:
    """Return the rows of content elements, and what nobody needs: something from the rows of those above.

    The rows lie far apart. Loads that do not wait for each other overlap, so each level is fetched for all before the
    tree is walked: a walk alone would wait for memory at every step.
    """
    held = contents.size
    own = np.empty((held, 3), np.int32)
    for i in range(held):
        own[i, 0] = content_rows[contents[i], 0]
        own[i, 1] = content_rows[contents[i], 1]
        own[i, 2] = content_rows[contents[i], 2]
    above = np.full(held, -1, np.int32)  # only rows of these documents: others may not have been read from disk yet
    for i in range(held):
        if own[i, 1] >= 0:
            above[i] = rows[own[i, 1], 0]
    for i in range(held):
        if above[i] >= 0:
            above[i] = rows[above[i], 0]
    return own, above


@kernel
def followed(
    contents: Any, tf: Any, positions: Any, others: Any, other_tf: Any, other_positions: Any, distance: int
) -> Any:
    """Return of a key's postings with positions those occurrences from which another key is at a distance.

    Twin: `trix.query.matching.matching.exact_phrase_plainly`, which does so for all keys of a phrase.
    """
    held = np.empty(contents.size, np.int32)
    counts = np.empty(contents.size, np.int32)
    kept = np.empty(positions.size, positions.dtype)
    found = total = 0
    j = end = other_end = 0
    for i in range(contents.size):
        begin, end = end, end + tf[i]
        while j < others.size and others[j] < contents[i]:
            other_end += other_tf[j]
            j += 1
        if j == others.size:
            break
        if others[j] != contents[i]:
            continue
        before, place, at, stop = total, begin, other_end, other_end + other_tf[j]
        while place < end and at < stop:  # sums for branches: nobody can guess which of two words comes next
            ahead = other_positions[at] - positions[place] - distance
            kept[total] = positions[place]
            total += ahead == 0
            place += ahead >= 0
            at += ahead <= 0
        if total > before:
            held[found], counts[found] = contents[i], total - before
            found += 1
    return held[:found], counts[:found], kept[:total]


@kernel
def frequencies(content_numbers: Any, tf: Any, begin: Any, end: Any, kf: Any, xi_k: Any) -> None:
    """Fill in how often ranges of content elements hold a term; twin: `trix.query.matching.matching.frequencies`."""
    total = np.zeros(content_numbers.size + 1, kf.dtype)
    for i in range(content_numbers.size):
        total[i + 1] = total[i] + tf[i]
    low = 0
    for i in range(begin.size):
        low = seek(content_numbers, low, begin[i])
        high = seek(content_numbers, low, end[i])
        kf[i], xi_k[i] = total[high] - total[low], high - low
