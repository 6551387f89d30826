"""Matching elements: merges of posting lists, lifts to ancestors, sums over ranges, overlap.

Numbers of content elements and of elements ascend in all arrays unless stated otherwise.
"""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.trix.core.steps import damaged, in_time
else:
    from trix.core.steps import damaged, in_time

_LOOK = cython.declare(cython.Py_ssize_t, (1 << 20) - 1)
"""Mask of steps: a loop checks the deadline when all these bits of its counter are 1."""
_FEW = cython.declare(cython.Py_ssize_t, (1 << 12) - 1)
"""The same for an outer loop, whose steps take longer."""
_LAST = cython.declare(cython.int, 2147483647)
"""More than any number of a content element."""

Number = cython.fused_type(cython.int, cython.longlong)
"""32 or 64 bits."""
Count = cython.fused_type(cython.int, cython.longlong, cython.double)
"""How often: a whole number, or weighted."""


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(-1)
def _seek(numbers: cython.const[Number][::1], at: cython.Py_ssize_t, least: cython.longlong) -> cython.Py_ssize_t:
    """Index of the first of ascending numbers that is at least `least`, by galloping from `at` (Bentley & Yao 1976)."""
    size: cython.Py_ssize_t = numbers.shape[0]
    low: cython.Py_ssize_t = at
    high: cython.Py_ssize_t = at
    step: cython.Py_ssize_t = 1
    middle: cython.Py_ssize_t
    if at > 0 and numbers[at - 1] >= least:  # it lies before
        while low > 0 and numbers[low - 1] >= least:
            high = low - 1
            low = max(low - step, 0)
            step *= 2
    else:
        while high < size and numbers[high] < least:
            low = high + 1
            high = min(high + step, size)
            step *= 2
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


# -- from postings to elements ----------------------------------------------------------------------------------------


@cython.cfunc
@cython.exceptval(-1)
def _merge(
    contents: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    merged: cython.int[::1],
    place: cython.int[::1],
    masks: cython.ulonglong[::1],
) -> cython.Py_ssize_t:
    """Merge ascending lists and return the number of distinct values.

    List t is ``contents[offsets[t]:offsets[t + 1]]``. Fills in the distinct values, and one of two columns. `place`:
    for each posting, the index of its value. `masks`, if not empty: for each distinct value, a bit for each list that
    holds it.
    """
    lists: cython.Py_ssize_t = offsets.shape[0] - 1
    at: cython.longlong[::1] = np.array(offsets[:lists])
    head: cython.int[::1] = np.full(lists, _LAST, np.int32)
    held: cython.Py_ssize_t = 0
    t: cython.Py_ssize_t
    content: cython.int
    with cython.nogil:
        # Each list has a head, its next number; _LAST once it is exhausted. Queries have few lists, so a scan of all
        # heads is faster than a heap.
        for t in range(lists):
            if at[t] < offsets[t + 1]:
                head[t] = contents[at[t]]
        while True:
            content = _LAST
            if held & _LOOK == _LOOK:
                in_time()
            for t in range(lists):
                content = min(content, head[t])
            if content == _LAST:
                break
            # All lists with this head hold the number: advance them together.
            if masks.shape[0]:
                masks[held] = 0
            for t in range(lists):
                if head[t] == content:
                    if masks.shape[0]:
                        masks[held] |= cython.cast(cython.ulonglong, 1) << t
                    else:
                        place[at[t]] = cython.cast(cython.int, held)
                    at[t] += 1
                    head[t] = contents[at[t]] if at[t] < offsets[t + 1] else _LAST
            merged[held] = content
            held += 1
        for t in range(lists):
            if at[t] < offsets[t + 1]:  # a number that is no content element's ended the merge: places are missing
                return damaged()
    return held


def lift(content_numbers, offsets, content_rows, rows):
    """Merge posting lists in content order and list each element on the paths to the root once.

    Parameters
    ----------
    content_numbers, offsets
        The lists, concatenated; list t is ``content_numbers[offsets[t]:offsets[t + 1]]``.
    content_rows, rows
        The tables of `trix.indexer.store.elements.Elements`.

    Returns
    -------
    columns : (6, n) ndarray
        The first six columns of `trix.query.matching.candidates.Candidates`.
    content : (n,) ndarray of bool
        The seventh: whether a candidate is a content element.
    place : ndarray
        For each posting, the index of its content element.
    """
    contents = np.ascontiguousarray(content_numbers, np.int32)
    merged, place = np.empty(contents.size, np.int32), np.empty(contents.size, np.int32)
    held = _merge(contents, np.ascontiguousarray(offsets, np.int64), merged, place, np.zeros(0, np.uint64))
    return _opened(merged[:held], place, content_rows, rows)


# Safe without checks: content elements and elements are compared with the sizes of their tables before they are looked
# up, levels with 0 and 255; there is room for as many elements as the depths of all content elements say; places of
# postings are those that `_merge` made.
@cython.cfunc
@cython.boundscheck(False)
def _opened(
    contents: cython.const[cython.int][::1],
    place: cython.int[::1],
    content_rows: cython.const[cython.int][:, ::1],
    rows: cython.const[cython.int][:, ::1],
):
    held: cython.Py_ssize_t = contents.shape[0]
    own: cython.int[:, ::1] = np.empty((held, 4), np.int32)
    final: cython.int[::1] = np.empty(held, np.int32)
    open_element: cython.int[::1] = np.full(257, -1, np.int32)
    open_place: cython.int[::1] = np.empty(257, np.int32)
    path: cython.int[::1] = np.empty(257, np.int32)
    room: cython.Py_ssize_t = held
    i: cython.Py_ssize_t
    x: cython.Py_ssize_t
    level: cython.Py_ssize_t
    steps: cython.Py_ssize_t
    step: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    up: cython.int
    touched: cython.int = 0
    # The rows lie far apart. Loads that do not wait for each other overlap, so each level is fetched for all before the
    # tree is walked: a walk alone would wait for memory at every step.
    with cython.nogil:
        for i in range(held):
            if not 0 <= contents[i] < content_rows.shape[0]:
                damaged()
            own[i, 0], own[i, 1] = content_rows[contents[i], 0], content_rows[contents[i], 1]
            own[i, 2] = content_rows[contents[i], 2]
            if not (0 <= own[i, 0] < rows.shape[0] and own[i, 1] < rows.shape[0] and 0 <= own[i, 2] <= 255):
                damaged()
            room += own[i, 2]
        for i in range(held):
            own[i, 3] = rows[own[i, 1], 0] if own[i, 1] >= 0 else -1
        for i in range(held):
            if 0 <= own[i, 3] < rows.shape[0]:
                touched |= rows[own[i, 3], 0]
    made = np.empty((6, room + (touched & 0)), np.int32)
    columns: cython.int[:, ::1] = made
    contained = np.zeros(room, np.bool_)
    is_content: cython.uchar[::1] = contained.view(np.uint8)
    with cython.nogil:
        for i in range(held):
            # Invariant: open_element[0..level] is the path of the candidate that was listed last, so an ancestor is
            # listed already exactly if it is open at its level. Up from the content element to the first ancestor that
            # is open; then down again.
            if i & _FEW == _FEW:
                in_time()
            x, level = own[i, 1], own[i, 2] - 1
            steps = 0
            while x >= 0:
                if level < 0 or x >= rows.shape[0]:
                    damaged()
                if open_element[level] == x:
                    break
                path[steps] = cython.cast(cython.int, x)
                steps += 1
                x = rows[x, 0]
                level -= 1
            if x < 0 and level != -1:
                damaged()
            up = open_place[level] if x >= 0 else -1
            for step in range(steps - 1, -1, -1):
                x = path[step]
                level += 1
                open_element[level], open_place[level] = cython.cast(cython.int, x), cython.cast(cython.int, n)
                columns[0, n], columns[1, n] = cython.cast(cython.int, x), up
                columns[2, n] = columns[2, up] if up >= 0 else cython.cast(cython.int, n)
                columns[3, n], columns[4, n] = cython.cast(cython.int, level), rows[x, 2]
                columns[5, n] = rows[x, 2] + rows[x, 3]
                up = cython.cast(cython.int, n)
                n += 1
            columns[0, n], columns[1, n] = own[i, 0], up
            columns[2, n] = columns[2, up] if up >= 0 else cython.cast(cython.int, n)
            columns[3, n], columns[4, n], columns[5, n] = own[i, 2], contents[i], contents[i] + 1
            is_content[n] = 1
            final[i] = cython.cast(cython.int, n)
            n += 1
        for i in range(place.shape[0]):
            place[i] = final[place[i]]
    return made[:, :n], contained[:n], np.asarray(place)


def count_upwards(place, tf, offsets, above):
    """Sum the postings of content elements over their ancestors; return kf and xi_k, (T, n) each.

    Parameters
    ----------
    place, offsets
        For each posting, the index of its content element among the candidates; where each list begins. See `lift`.
    tf
        Occurrences of each posting.
    above : (n,) ndarray
        Index of each candidate's parent.
    """
    places: cython.const[cython.int][::1] = place
    starts: cython.const[cython.longlong][::1] = np.ascontiguousarray(offsets, np.int64)
    parents: cython.const[cython.int][::1] = np.ascontiguousarray(above, np.int32)
    lists = starts.shape[0] - 1
    kf = np.zeros((lists, above.size), tf.dtype)
    contents = np.zeros((lists, above.size), np.int32)
    xi_k: cython.int[:, ::1] = contents
    ints: cython.const[cython.int][::1]
    longs: cython.const[cython.longlong][::1]
    doubles: cython.const[cython.double][::1]
    int_sums: cython.int[:, ::1]
    long_sums: cython.longlong[:, ::1]
    double_sums: cython.double[:, ::1]
    if tf.dtype == np.int32:
        ints, int_sums = tf, kf
        _count_upwards(places, ints, starts, parents, int_sums, xi_k)
    elif tf.dtype == np.int64:
        longs, long_sums = tf, kf
        _count_upwards(places, longs, starts, parents, long_sums, xi_k)
    else:
        doubles, double_sums = tf, kf
        _count_upwards(places, doubles, starts, parents, double_sums, xi_k)
    return kf, contents


@cython.cfunc
@cython.exceptval(-1)
def _count_upwards(
    place: cython.const[cython.int][::1],
    tf: cython.const[Count][::1],
    offsets: cython.const[cython.longlong][::1],
    above: cython.const[cython.int][::1],
    kf: Count[:, ::1],
    xi_k: cython.int[:, ::1],
) -> cython.int:
    t: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for t in range(kf.shape[0]):
            in_time()
            # Postings first; then children are added to their parents. Parents come before children in document order,
            # so one pass from the end suffices.
            for i in range(offsets[t], offsets[t + 1]):
                kf[t, place[i]] += tf[i]
                xi_k[t, place[i]] += 1
            for i in range(above.shape[0] - 1, 0, -1):
                if above[i] >= 0:
                    kf[t, above[i]] += kf[t, i]
                    xi_k[t, above[i]] += xi_k[t, i]
    return 0


def frequencies(content_numbers, tf, begin, end, kf, xi_k):
    """Fill in the frequencies of a term in ranges of content elements.

    Parameters
    ----------
    content_numbers, tf
        The postings of the term.
    begin, end
        The ranges; ascending beginnings are fastest.
    kf, xi_k
        Output: occurrences, and content elements that hold the term.
    """
    contents: cython.const[cython.int][::1] = np.ascontiguousarray(content_numbers, np.int32)
    begins: cython.const[cython.int][::1] = np.ascontiguousarray(begin, np.int32)
    ends: cython.const[cython.int][::1] = np.ascontiguousarray(end, np.int32)
    totals = np.zeros(contents.shape[0] + 1, kf.dtype)  # where sums overflow, differences are right all the same
    np.cumsum(tf, dtype=kf.dtype, out=totals[1:])
    low, high = np.empty(begins.shape[0], np.int64), np.empty(begins.shape[0], np.int64)
    lows: cython.longlong[::1] = low
    highs: cython.longlong[::1] = high
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(begins.shape[0]):
            # Postings of the range are at[low:high]: their sum is the difference of two running totals.
            at = _seek(contents, at, begins[i])
            if i & _LOOK == _LOOK:
                in_time()
            lows[i] = at
            highs[i] = _seek(contents, at, ends[i])
    np.subtract(totals[high], totals[low], out=kf)
    np.subtract(high, low, out=xi_k, casting="same_kind")


def followed(contents, tf, positions, others, other_tf, other_positions, distance: cython.longlong):
    """Keep the occurrences of a key that have another key at a distance; return contents, tf and positions.

    Parameters
    ----------
    contents, tf, positions, others, other_tf, other_positions
        The postings with positions of both keys.
    distance
        From the key to the other.
    """
    one: cython.const[cython.int][::1] = np.ascontiguousarray(contents, np.int32)
    counts: cython.const[cython.longlong][::1] = np.ascontiguousarray(tf, np.int64)
    stand: cython.const[cython.longlong][::1] = np.ascontiguousarray(positions, np.int64)
    other: cython.const[cython.int][::1] = np.ascontiguousarray(others, np.int32)
    other_counts: cython.const[cython.longlong][::1] = np.ascontiguousarray(other_tf, np.int64)
    other_stand: cython.const[cython.longlong][::1] = np.ascontiguousarray(other_positions, np.int64)
    held, held_tf = np.empty(one.shape[0], np.int32), np.empty(one.shape[0], np.int32)
    # One more: a place is written before it is known whether it counts.
    kept = np.empty(stand.shape[0] + 1, np.int64)
    own_held: cython.int[::1] = held
    own_tf: cython.int[::1] = held_tf
    own_kept: cython.longlong[::1] = kept
    found: cython.Py_ssize_t = 0
    total: cython.Py_ssize_t = 0
    before: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    place: cython.Py_ssize_t
    other_end: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t = 0
    ahead: cython.longlong
    with cython.nogil:
        for i in range(one.shape[0]):
            begin, end = end, end + counts[i]
            if i & _FEW == _FEW:
                in_time()
            while j < other.shape[0] and other[j] < one[i]:
                other_end += other_counts[j]
                j += 1
            if j == other.shape[0]:
                break
            if other[j] != one[i]:
                continue
            before, place, at, stop = total, begin, other_end, other_end + other_counts[j]
            # Two ascending lists are walked in parallel: the smaller position advances, equal ones match and both
            # advance. Sums in place of branches: no processor can guess which of two words comes next.
            while place < end and at < stop:
                ahead = other_stand[at] - stand[place] - distance
                own_kept[total] = stand[place]
                total += ahead == 0
                place += ahead >= 0
                at += ahead <= 0
            if total > before:
                own_held[found], own_tf[found] = one[i], cython.cast(cython.int, total - before)
                found += 1
    return held[:found], held_tf[:found], kept[:total]


def lift_each(place, tf, offsets, parent, room: cython.Py_ssize_t):
    """Lift the postings of each term to the elements above them, term by term.

    Parameters
    ----------
    place, tf, offsets
        Postings ``offsets[t]`` to ``offsets[t + 1]`` belong to term t: indices of elements, and occurrences.
    parent
        Index of each element's parent.
    room
        Upper bound of the number of elements above all postings.

    Returns
    -------
    cut, places, kf, xi_k
        Where the elements of each term begin, their indices, and their counts.
    """
    where: cython.const[cython.int][::1] = np.ascontiguousarray(place, np.int32)
    starts: cython.const[cython.longlong][::1] = np.ascontiguousarray(offsets, np.int64)
    above: cython.const[cython.int][::1] = np.ascontiguousarray(parent, np.int32)
    cut = np.zeros(starts.shape[0], np.int64)
    places, xi_k = np.empty(room, np.int32), np.empty(room, np.int32)
    cuts: cython.longlong[::1] = cut
    found: cython.int[::1] = places
    contents: cython.int[::1] = xi_k
    counts: cython.double[::1] = np.empty(room)
    times: cython.const[cython.double][::1] = np.ascontiguousarray(tf, np.float64)  # exact up to 2^53
    at: cython.longlong[::1] = np.full(above.shape[0], -1, np.int64)
    held: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    t: cython.Py_ssize_t
    i: cython.Py_ssize_t
    x: cython.Py_ssize_t
    with cython.nogil:
        for t in range(starts.shape[0] - 1):
            begin = held
            for i in range(starts[t], starts[t + 1]):
                x = where[i]
                if i & _FEW == _FEW:
                    in_time()
                # Walk to the root. at[x] below `begin` is left over from an earlier term: x is new for this one.
                while x >= 0:
                    if at[x] < begin:
                        at[x] = held
                        found[held], counts[held], contents[held] = cython.cast(cython.int, x), 0.0, 0
                        held += 1
                    counts[at[x]] += times[i]
                    contents[at[x]] += 1
                    x = above[x]
            cuts[t + 1] = held
    return cut, places[:held], np.asarray(counts)[:held].astype(tf.dtype), xi_k[:held]


def count_texts(content_numbers, tf, begin, end):
    """Return the number of texts that hold a term, and its occurrences; texts are disjoint content ranges."""
    contents: cython.const[cython.int][::1] = np.ascontiguousarray(content_numbers, np.int32)
    counts: cython.const[cython.longlong][::1] = np.ascontiguousarray(tf, np.int64)
    begins: cython.const[cython.int][::1] = np.ascontiguousarray(begin, np.int32)
    ends: cython.const[cython.int][::1] = np.ascontiguousarray(end, np.int32)
    texts: cython.longlong = 0
    occurrences: cython.longlong = 0
    place: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = -1
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(contents.shape[0]):
            place = _seek(ends, place, cython.cast(cython.longlong, contents[i]) + 1)  # the first that ends after it
            if i & _LOOK == _LOOK:
                in_time()
            if place == ends.shape[0]:
                break
            if contents[i] < begins[place]:
                continue
            occurrences += counts[i]
            if place != last:
                texts += 1
                last = place
    return texts, occurrences


# -- words as bits ----------------------------------------------------------------------------------------------------


def merged_masks(content_numbers, offsets):
    """Merge ascending lists; list w is ``content_numbers[offsets[w]:offsets[w + 1]]``.

    Returns the distinct numbers, and for each a bit mask of the lists that hold it.
    """
    contents = np.ascontiguousarray(content_numbers, np.int32)
    numbers, masks = np.empty(contents.size, np.int32), np.empty(contents.size, np.uint64)
    nowhere = np.zeros(0, np.int32)
    count = _merge(contents, np.ascontiguousarray(offsets, np.int64), numbers, nowhere, masks) if contents.size else 0
    return numbers[:count], masks[:count]


def masks_within(contents, masks: cython.const[cython.ulonglong][::1], begin, end):
    """Return the union of the masks of all content elements in each range."""
    numbers: cython.const[cython.int][::1] = np.ascontiguousarray(contents, np.int32)
    begins: cython.const[cython.longlong][::1] = np.ascontiguousarray(begin, np.int64)
    ends: cython.const[cython.longlong][::1] = np.ascontiguousarray(end, np.int64)
    out = np.zeros(begins.shape[0], np.uint64)
    found: cython.ulonglong[::1] = out
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    steps: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(begins.shape[0]):
            at = _seek(numbers, at, begins[i])
            j = at
            if steps > _LOOK:
                steps = 0
                in_time()
            while j < numbers.shape[0] and numbers[j] < ends[i]:
                found[i] |= masks[j]
                j += 1
            steps += j - at + 1
    return out


def masks_by_range(contents, masks: cython.const[cython.ulonglong][::1], begin, end):
    """Return the non-empty ranges and their masks; ranges are ascending and disjoint."""
    numbers: cython.const[cython.int][::1] = np.ascontiguousarray(contents, np.int32)
    begins: cython.const[cython.longlong][::1] = np.ascontiguousarray(begin, np.int64)
    ends: cython.const[cython.longlong][::1] = np.ascontiguousarray(end, np.int64)
    rows, out = np.empty(numbers.shape[0], np.int64), np.empty(numbers.shape[0], np.uint64)
    places: cython.longlong[::1] = rows
    found: cython.ulonglong[::1] = out
    i: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(numbers.shape[0]):
            place = _seek(ends, place, cython.cast(cython.longlong, numbers[i]) + 1)  # the first that ends after it
            if i & _LOOK == _LOOK:
                in_time()
            if place == ends.shape[0]:
                break
            if numbers[i] < begins[place]:
                continue
            if count and places[count - 1] == place:
                found[count - 1] |= masks[i]
            else:
                places[count], found[count] = place, masks[i]
                count += 1
    return rows[:count], out[:count]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(-1.0, check=True)
def _weight_of(
    mask: cython.ulonglong, weights: cython.const[cython.double][::1], total: cython.double
) -> cython.double:
    """Add the weights of the words in a bit mask to a sum, in word order."""
    word: cython.Py_ssize_t = 0
    while mask:
        if mask & 1:
            total += weights[word]
        mask >>= 1
        word += 1
    return total


def add_weights(
    sums: cython.const[cython.double][::1],
    masks: cython.const[cython.ulonglong][::1],
    weights: cython.const[cython.double][::1],
):
    """Add the weights of the words in each mask to each sum, in word order."""
    out = np.empty(sums.shape[0])
    added: cython.double[::1] = out
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(sums.shape[0]):
            if i & _LOOK == _LOOK:
                in_time()
            added[i] = _weight_of(cython.cast(cython.ulonglong, masks[i]), weights, sums[i])
    return out


def largest_within(contents, values: cython.const[cython.double][::1], begin, end):
    """Return the largest value in each range of content elements, 0 for a range without one."""
    numbers: cython.const[cython.int][::1] = np.ascontiguousarray(contents, np.int32)
    begins: cython.const[cython.longlong][::1] = np.ascontiguousarray(begin, np.int64)
    ends: cython.const[cython.longlong][::1] = np.ascontiguousarray(end, np.int64)
    out = np.zeros(begins.shape[0])
    largest: cython.double[::1] = out
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    steps: cython.Py_ssize_t = 0
    best: cython.double
    with cython.nogil:
        for i in range(begins.shape[0]):
            at = _seek(numbers, at, begins[i])
            j = at
            if steps > _LOOK:
                steps = 0
                in_time()
            if j < numbers.shape[0] and numbers[j] < ends[i]:
                best = values[j]
                while j < numbers.shape[0] and numbers[j] < ends[i]:
                    best = max(best, values[j])
                    j += 1
                largest[i] = best
            steps += j - at + 1
    return out


def titles_above(element, parent, child, above, masks, with_own=False):
    """Return a bit mask of the words in the titles above each candidate.

    A title that is a child of its section is above all children. Any other title is above the children that do not
    contain it. So three masks are kept: words of the own titles, of the titles in any child, and of the titles that
    are children or in at least two children. A word of the last mask is above every child.

    Parameters
    ----------
    element, parent : (n,) ndarrays
        Candidates: their numbers, and the indices of their parents.
    child, above, masks : (m,) ndarrays
        See `trix.query.matching.section_titles.SectionTitles`; `masks` are the words of each title.
    with_own
        Whether a candidate's own titles count, too: those above its children.
    """
    numbers: cython.const[cython.int][::1] = np.ascontiguousarray(element, np.int32)
    parents: cython.const[cython.int][::1] = np.ascontiguousarray(parent, np.int32)
    children: cython.const[cython.int][::1] = np.ascontiguousarray(child, np.int32)
    held: cython.const[cython.ulonglong][::1] = np.ascontiguousarray(masks, np.uint64)
    of: cython.const[cython.int][::1] = np.ascontiguousarray(above, np.int32)
    n: cython.Py_ssize_t = numbers.shape[0]
    out = np.zeros(n, np.uint64)
    found: cython.ulonglong[::1] = out
    own: cython.ulonglong[::1] = np.zeros(n, np.uint64)
    once: cython.ulonglong[::1] = np.zeros(n, np.uint64)
    twice: cython.ulonglong[::1] = np.zeros(n, np.uint64)
    i: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    up: cython.Py_ssize_t
    inside: cython.int
    below: cython.int
    mask: cython.ulonglong
    owned: cython.bint = with_own
    with cython.nogil:
        while i < children.shape[0]:
            # One step for each pair of a title's section (`below`) and the child on the way to the title (`inside`, -1:
            # the title is a child itself).
            if i & _LOOK == _LOOK:
                in_time()
            inside, below, mask = children[i], of[i], held[i]
            i += 1
            # What several titles in one child hold, that child holds.
            while inside >= 0 and i < children.shape[0] and children[i] == inside:
                mask |= held[i]
                i += 1
            # The child knows what it holds; the section knows what one child holds, and what at least two hold. A title
            # that is itself a child stands beside every candidate below the section.
            at = _seek(numbers, at, inside)
            if at < n and numbers[at] == inside:
                own[at] = mask
            place = _seek(numbers, at, below)
            if place < n and numbers[place] == below:
                twice[place] |= mask if inside < 0 else once[place] & mask
                once[place] |= mask
        for i in range(n):
            up = parents[i]
            if i & _LOOK == _LOOK:
                in_time()
            # Parents come first, so their masks are final. A word of one child counts unless this is that child.
            if up >= 0:
                found[i] = found[up] | twice[up] | (once[up] & ~own[i])
        if owned:
            for i in range(n):
                found[i] |= once[i]
    return out


def places_of(numbers, asked):
    """Return the index of the first of ascending numbers that is at least each of others, fastest if these ascend."""
    known: cython.const[cython.int][::1] = np.ascontiguousarray(numbers, np.int32)
    others: cython.const[cython.int][::1] = np.ascontiguousarray(asked, np.int32)
    out = np.empty(others.shape[0], np.int32)
    found: cython.int[::1] = out
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(others.shape[0]):
            at = _seek(known, at, others[i])
            if i & _LOOK == _LOOK:
                in_time()
            found[i] = cython.cast(cython.int, at)
    return out


# -- words in sentences -----------------------------------------------------------------------------------------------
# A content element of several sentences that holds several words has a slot for each of its sentences, in which the
# weights of words are added up.


def sentence_slots(contents, masks: cython.const[cython.ulonglong][::1], rows):
    """Return the first slot of each content element, -1 for one without, and the number of slots."""
    numbers: cython.const[cython.int][::1] = np.ascontiguousarray(contents, np.int32)
    spans: cython.const[cython.longlong][:, ::1] = np.ascontiguousarray(rows, np.int64)
    out = np.full(numbers.shape[0], -1, np.int64)
    first: cython.longlong[::1] = out
    count: cython.longlong = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(numbers.shape[0]):
            if masks[i] & (masks[i] - 1) and spans[numbers[i], 0] < spans[numbers[i], 1]:
                first[i] = count
                count += spans[numbers[i], 1] - spans[numbers[i], 0]
    return out, count


def add_word(
    contents, first: cython.const[cython.longlong][::1], rows, starts, held, tf, positions, weight: cython.double,
    sums: cython.double[::1],
):  # fmt: skip
    """Add the weight of a word to the slots of the sentences that hold it.

    Parameters
    ----------
    contents, first
        Content elements, and the first slot of each.
    rows, starts
        For each content element, its range of sentences; for each sentence, its content element in the upper half of a
        number and its first position in the lower half.
    held, tf, positions
        The postings of the word.
    weight
        The word's weight.
    sums
        The slots, which are changed.
    """
    numbers: cython.const[cython.int][::1] = np.ascontiguousarray(contents, np.int32)
    spans: cython.const[cython.longlong][:, ::1] = np.ascontiguousarray(rows, np.int64)
    begins: cython.const[cython.longlong][::1] = np.ascontiguousarray(starts, np.int64)
    holders: cython.const[cython.int][::1] = np.ascontiguousarray(held, np.int32)
    counts: cython.const[cython.longlong][::1] = np.ascontiguousarray(tf, np.int64)
    stand: cython.const[cython.longlong][::1] = np.ascontiguousarray(positions, np.int64)
    at: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    base: cython.longlong
    sentence: cython.longlong
    last: cython.longlong
    with cython.nogil:
        for i in range(holders.shape[0]):
            if i & _FEW == _FEW:
                in_time()
            place = _seek(numbers, place, holders[i])
            if place == numbers.shape[0]:
                break
            if numbers[place] == holders[i] and first[place] >= 0:
                base = cython.cast(cython.longlong, holders[i]) << 32
                # Positions and sentences ascend: advance to the sentence after the position, and count each sentence
                # once.
                sentence, last = spans[holders[i], 0], -1
                for j in range(at, at + counts[i]):
                    while sentence < spans[holders[i], 1] and begins[sentence] <= base + stand[j]:
                        sentence += 1
                    if sentence != last:
                        sums[first[place] + sentence - 1 - spans[holders[i], 0]] += weight
                        last = sentence
            at += counts[i]


def word_sentences(held, tf, positions, rows, starts):
    """Return the sentences that hold a word, ascending, in content elements with several sentences.

    Parameters
    ----------
    held, tf, positions, rows, starts
        As in `add_word`.

    Returns
    -------
    ndarray of int64
        The content element in the upper half of a number, the sentence's number in it in the lower half.
    """
    spans: cython.const[cython.longlong][:, ::1] = np.ascontiguousarray(rows, np.int64)
    begins: cython.const[cython.longlong][::1] = np.ascontiguousarray(starts, np.int64)
    holders: cython.const[cython.int][::1] = np.ascontiguousarray(held, np.int32)
    counts: cython.const[cython.longlong][::1] = np.ascontiguousarray(tf, np.int64)
    stand: cython.const[cython.longlong][::1] = np.ascontiguousarray(positions, np.int64)
    out = np.empty(stand.shape[0], np.int64)
    found: cython.longlong[::1] = out
    size: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    base: cython.longlong
    sentence: cython.longlong
    last: cython.longlong
    with cython.nogil:
        for i in range(holders.shape[0]):
            sentence, last = spans[holders[i], 0], -1
            if sentence < spans[holders[i], 1]:
                base = cython.cast(cython.longlong, holders[i]) << 32
                # As in `add_word`: the sentence before the first one that begins after the position.
                for j in range(at, at + counts[i]):
                    while sentence < spans[holders[i], 1] and begins[sentence] <= base + stand[j]:
                        sentence += 1
                    if sentence != last:
                        found[size] = base + sentence - 1 - spans[holders[i], 0]
                        size += 1
                        last = sentence
            at += counts[i]
    return out[:size].copy()


def best_sentences(
    contents, masks: cython.const[cython.ulonglong][::1], weights: cython.const[cython.double][::1],
    first: cython.const[cython.longlong][::1], rows, sums: cython.const[cython.double][::1],
):  # fmt: skip
    """Return the largest sum of a sentence of each content element; the parameters are those of `add_word`."""
    numbers: cython.const[cython.int][::1] = np.ascontiguousarray(contents, np.int32)
    spans: cython.const[cython.longlong][:, ::1] = np.ascontiguousarray(rows, np.int64)
    out = np.zeros(numbers.shape[0])
    largest: cython.double[::1] = out
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    value: cython.double
    with cython.nogil:
        for i in range(numbers.shape[0]):
            if i & _FEW == _FEW:
                in_time()
            if first[i] < 0:  # one sentence, or one word
                largest[i] = _weight_of(cython.cast(cython.ulonglong, masks[i]), weights, 0.0)
                continue
            value = sums[first[i]]
            for j in range(first[i] + 1, first[i] + spans[numbers[i], 1] - spans[numbers[i], 0]):
                value = max(value, sums[j])
            largest[i] = value
    return out


# -- overlap, and windows of a level ----------------------------------------------------------------------------------


def filter_overlap(
    ranking: cython.const[cython.int][::1],
    parent: cython.const[cython.int][::1],
    depth: cython.const[cython.int][::1],
    marks: cython.uchar[::1],
    limit: cython.Py_ssize_t,
):
    """Return the first elements of a ranking that have no kept ancestor or descendant; these are marked.

    Marks are closed upwards, and the subtrees of kept elements are disjoint: the work is linear over all calls.
    """
    out = np.empty(min(limit, ranking.shape[0]), np.int32)
    kept: cython.int[::1] = out
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    x: cython.Py_ssize_t
    other: cython.Py_ssize_t
    with cython.nogil:
        for i in range(ranking.shape[0]):
            if count == limit:
                break
            x = ranking[i]
            if marks[x]:
                continue
            if count & _FEW == _FEW:
                in_time()
            kept[count] = cython.cast(cython.int, x)
            count += 1
            # Mark the path to the root, up to the first marked ancestor: all above it are marked already.
            other = x
            while other >= 0 and not marks[other]:
                marks[other] = 1
                other = parent[other]
            # Mark the subtree, which follows in document order while the depth is greater.
            other = x + 1
            while other < depth.shape[0] and depth[other] > depth[x]:
                marks[other] = 1
                other += 1
    return out[:count]


def filter_nesting(
    ranking: cython.const[cython.int][::1],
    parent: cython.const[cython.int][::1],
    marks: cython.uchar[::1],
    limit: cython.Py_ssize_t,
):
    """Return the first elements of a ranking that have no kept parent or child.

    Marks hold 1 for the kept and 2 for their parents.
    """
    out = np.empty(min(limit, ranking.shape[0]), np.int32)
    kept: cython.int[::1] = out
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    x: cython.Py_ssize_t
    up: cython.Py_ssize_t
    with cython.nogil:
        for i in range(ranking.shape[0]):
            if count == limit:
                break
            x = ranking[i]
            up = parent[x]
            if i & _LOOK == _LOOK:
                in_time()
            # A kept child has marked x, or its parent is kept.
            if marks[x] & 2 or (up >= 0 and marks[up] & 1):
                continue
            kept[count] = cython.cast(cython.int, x)
            count += 1
            marks[x] |= 1
            if up >= 0:
                marks[up] |= 2
    return out[:count]


def window_sums(
    ordinal: cython.const[cython.int][::1],
    first: cython.const[cython.int][::1],
    last: cython.const[cython.int][::1],
    s: cython.const[cython.double][::1],
    g: cython.const[cython.double][::1],
):
    """Sum g(distance) s over the other members in the window, each side from near to far."""
    n: cython.Py_ssize_t = s.shape[0]
    width: cython.longlong = g.shape[0] - 1
    out = np.empty(n)
    sums: cython.double[::1] = out
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    here: cython.longlong
    low: cython.longlong
    high: cython.longlong
    steps: cython.longlong = 0
    left: cython.double
    right: cython.double
    with cython.nogil:
        for i in range(n):
            if steps > _LOOK:
                steps = 0
                in_time()
            here = ordinal[i]
            low = max(cython.cast(cython.longlong, first[i]), here - width)
            high = min(cython.cast(cython.longlong, last[i]), here + width)
            # Sum from near to far on each side, so that rounding does not depend on the length of the text.
            left = right = 0.0
            j = i - 1
            while j >= 0 and ordinal[j] >= low:
                left += g[here - ordinal[j]] * s[j]
                j -= 1
            steps += i - j
            j = i + 1
            while j < n and ordinal[j] <= high:
                right += g[ordinal[j] - here] * s[j]
                j += 1
            steps += j - i
            sums[i] = left + right
    return out
