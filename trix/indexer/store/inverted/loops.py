"""The compiled loops of posting lists; each names its plain twin."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import inner_kernel, kernel
from trix.support.seeking import seek


@inner_kernel
def read_varint(data: Any, at: Any) -> Any:
    """Return the variable-byte integer at a place, and the place behind it."""
    value = np.int64(0)
    shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= np.int64(byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


@kernel
def read_posting(data: Any, at: Any) -> Any:
    """Return the gap to the content element of the posting at a place, how often it holds the key, the place behind.

    The loops of a search do the same in place: they lose 3 % by a call.
    """
    value, at = read_varint(data, at)
    tf = np.int64(1)
    if value & 1:  # the count follows
        more, at = read_varint(data, at)
        tf = np.int64(more) + 2
    return value >> 1, tf, at


@kernel
def decode_list(data: Any) -> Any:
    """Decode one posting list; twin: `trix.indexer.store.inverted.postings.decode_postings_plainly`."""
    count = 0
    following = False
    begins = True
    for byte in data:
        if begins:
            if following:
                following = False
            else:
                count += 1
                following = (byte & 1) == 1
        begins = byte < 128
    contents = np.empty(count, np.int32)
    tf = np.empty(count, np.int32)
    at = 0
    last = np.int64(0)
    for i in range(count):
        value, at = read_varint(data, at)
        last += value >> 1
        contents[i] = last
        if value & 1:
            more, at = read_varint(data, at)
            tf[i] = more + 2
        else:
            tf[i] = 1
    return contents, tf


@kernel
def encode_position_lists(positions: Any, posting_starts: Any, key_starts: Any) -> Any:
    """Code position lists; twin: `trix.indexer.store.inverted.postings.encode_positions_plainly`."""
    data = np.empty(5 * positions.size, np.uint8)  # positions have 31 bits
    sizes = np.zeros(key_starts.size, np.int64)
    posting = key = at = 0
    last = np.int64(0)
    for place in range(positions.size):
        value = np.int64(positions[place])
        gap = value - last - 1
        last = value
        if posting < posting_starts.size and posting_starts[posting] == place:
            posting += 1
            gap = value
        if key < key_starts.size and key_starts[key] == place:
            key += 1
        begin = at
        while gap > 127:
            data[at] = gap & 127 | 128
            gap >>= 7
            at += 1
        data[at] = gap
        at += 1
        sizes[key - 1] += at - begin
    return data[:at], sizes


@kernel
def decode_position_list(data: Any, tf: Any) -> Any:
    """Decode the positions of one key; twin: `trix.indexer.store.inverted.postings.decode_positions_plainly`."""
    positions = np.empty(tf.sum(), np.int64)
    at = place = 0
    for count in tf:
        last = np.int64(-1)
        for _ in range(count):
            gap, at = read_varint(data, at)
            last += np.int64(gap) + 1
            positions[place] = last
            place += 1
    return positions


@kernel
def write_varint(data: Any, at: Any, value: Any) -> Any:
    """Write a variable-byte integer to a place; return the place behind it."""
    while value >= 128:
        data[at] = (value & 127) | 128
        value >>= 7
        at += 1
    data[at] = value
    return at + 1


@kernel
def encode_lists(contents: Any, tf: Any, starts: Any) -> Any:
    """Code posting lists; twin: `trix.indexer.store.inverted.postings.encode_postings_plainly`."""
    data = np.empty(10 * contents.size, np.uint8)  # numbers of 32 bits, one of them doubled: five bytes each at most
    sizes = np.empty(starts.size, np.int64)
    at = 0
    for key in range(starts.size):
        begin = at
        last = np.int64(0)
        for i in range(starts[key], starts[key + 1] if key + 1 < starts.size else contents.size):
            value = 2 * (contents[i] - last)
            last = contents[i]
            if tf[i] > 1:
                at = write_varint(data, at, value + 1)
                at = write_varint(data, at, tf[i] - 2)
            else:
                at = write_varint(data, at, value)
        sizes[key] = at - begin
    return data[:at], sizes


@kernel
def count_documents(data: Any, ends: Any, document_of: Any, chosen: Any) -> Any:
    """Count the documents of each key; twin: `trix.indexer.store.inverted.document_counts.count_documents_plainly`."""
    keys = ends.size
    n = np.zeros(keys, np.int32)
    r = np.zeros(keys, np.int32)
    at = np.int64(0)
    for key in range(keys):
        stop = np.int64(ends[key])
        content = np.int64(0)
        last = np.int64(-1)
        while at < stop:
            gap, _, at = read_posting(data, at)
            content += gap
            document = np.int64(document_of[content])
            if document != last:
                last = document
                n[key] += 1
                if chosen[document]:
                    r[key] += 1
    return n, r


@kernel
def held_by(data: Any, ends: Any, chosen: Any) -> Any:
    """List the postings of content elements; twin: `trix.indexer.store.inverted.document_counts.held_by_plainly`."""
    size = 1024
    found = np.empty((3, size), np.int32)
    count = 0
    at = np.int64(0)
    for key in range(ends.size):
        stop = np.int64(ends[key])
        content = np.int64(0)
        while at < stop:
            gap, tf, at = read_posting(data, at)
            content += gap
            if chosen[content]:
                if count == size:
                    grown = np.empty((3, 2 * size), np.int32)
                    grown[:, :size] = found
                    found = grown
                    size *= 2
                found[0, count], found[1, count], found[2, count] = key, content, tf
                count += 1
    return found[0, :count].copy(), found[1, :count].copy(), found[2, :count].copy()


@kernel
def keys_by_document(data: Any, ends: Any, document_of: Any, documents: int) -> Any:
    """List the keys of each document; twin: `trix.indexer.store.inverted.document_counts.keys_by_document_plainly`."""
    begins = np.zeros(documents + 1, np.int64)
    keys = np.zeros(0, np.int32)
    for filling in (False, True):
        if filling:
            begins = np.cumsum(begins)
            keys = np.empty(begins[-1], np.int32)
            free = begins.copy()
        at = np.int64(0)
        for key in range(ends.size):
            stop = np.int64(ends[key])
            content = np.int64(0)
            last = np.int64(-1)
            while at < stop:
                gap, _, at = read_posting(data, at)
                content += gap
                document = np.int64(document_of[content])
                if document != last:
                    last = document
                    if filling:
                        keys[free[document]] = key
                        free[document] += 1
                    else:
                        begins[document + 1] += 1
    return begins, keys


@kernel
def decode_by_document(data: Any, every: int, steps: int) -> Any:
    """Decode a list by document; twin: `trix.indexer.store.inverted.by_document.decode_by_document_plainly`."""
    left = np.int64(0)  # integers that are there; none is read beyond them
    for byte in data:
        left += byte < 128
    n = np.int64(0)
    at = np.int64(0)
    if left:
        n, at = read_varint(data, at)
        left -= 1
    sound: Any = 0 < n <= left
    n = n if sound else np.int64(0)
    skips = (n - 1) // every if n else np.int64(0)
    documents, kf = np.empty(n, np.int32), np.ones(n, np.int64)
    xi_k, reach = np.ones(n, np.int32), np.full(n, np.int32(steps))
    byte_of, before = np.zeros(skips + 1, np.int64), np.zeros(skips + 1, np.int64)
    last = np.int64(0)
    some = 0
    for i in range(n):
        value, at = read_varint(data, at)
        last += value >> 1
        documents[i] = last
        if value & 1:
            kf[i] = 2
            some += 1
    left -= n
    sound = sound and left >= 2 * some + 2 * skips
    if sound:
        for turn in range(2):
            for i in range(n):
                if kf[i] > 1:
                    value, at = read_varint(data, at)
                    if turn:
                        xi_k[i] = kf[i] - value
                    else:
                        kf[i] = value + 2
        wide = 0
        for i in range(n):
            wide += xi_k[i] > 1
        sound = left == 2 * some + wide + 2 * skips
        if sound:
            for i in range(n):
                if xi_k[i] > 1:
                    reach[i], at = read_varint(data, at)
            for i in range(skips):
                value, at = read_varint(data, at)
                byte_of[i + 1] = byte_of[i] + value
                value, at = read_varint(data, at)
                before[i + 1] = before[i] + value
    return sound, documents, kf, xi_k, reach, byte_of, before


@kernel
def by_document(contents: Any, tf: Any, document_of: Any, most: int, b: float, steps: int) -> Any:
    """Sum up postings by document; twin: `trix.indexer.store.inverted.by_document.by_document_plainly`."""
    n = 0
    for i in range(contents.size):
        n += i == 0 or document_of[i] != document_of[i - 1]
    documents, kf = np.empty(n, np.int32), np.empty(n, np.int64)
    xi_k, reach = np.empty(n, np.int32), np.empty(n, np.int32)
    total = np.empty(contents.size + 1, np.int64)
    total[0] = 0
    for i in range(contents.size):
        total[i + 1] = total[i] + tf[i]
    first = 0
    for d in range(n):
        stop = first + 1
        while stop < contents.size and document_of[stop] == document_of[first]:
            stop += 1
        size = stop - first
        groups = min(size, most)
        best = 0.0
        for p in range(groups):
            begin = first + p * size // groups
            last = first + (p + 1) * size // groups - 1
            for q in range(p, groups):
                entered = first + q * size // groups
                end = first + (q + 1) * size // groups
                apart = (contents[entered] - contents[last] + 1) / (end - begin)
                counted = (total[end] - total[begin]) / ((1.0 - b) + b * max(apart, 1.0))
                best = max(best, counted)
        documents[d] = document_of[first]
        kf[d] = total[stop] - total[first]
        xi_k[d] = size
        reach[d] = min(np.ceil(best * steps / kf[d]), float(steps))
        first = stop
    return documents, kf, xi_k, reach


@kernel
def encode_by_document(contents: Any, tf: Any, document_of: Any, every: int, most: int, b: float, steps: int) -> Any:
    """Code a list by document; twin: `trix.indexer.store.inverted.by_document.encode_by_document_plainly`."""
    documents, kf, xi_k, reach = by_document(contents, tf, document_of, most, b, steps)
    n = documents.size
    data = np.empty(10 * (5 * n + 1), np.uint8)
    at = write_varint(data, 0, np.int64(n))
    last = np.int64(0)
    for i in range(n):
        at = write_varint(data, at, 2 * (documents[i] - last) + (kf[i] > 1))
        last = np.int64(documents[i])
    for i in range(n):
        if kf[i] > 1:
            at = write_varint(data, at, kf[i] - 2)
    for i in range(n):
        if kf[i] > 1:
            at = write_varint(data, at, kf[i] - xi_k[i])
    for i in range(n):
        if xi_k[i] > 1:
            at = write_varint(data, at, np.int64(reach[i]))
    posting = 0
    content, entered = np.int64(0), np.int64(0)
    size = np.int64(0)  # of the postings since the last place that was entered
    for i in range(n):
        if i and i % every == 0:
            at = write_varint(data, at, size)
            at = write_varint(data, at, content - entered)
            entered = content
            size = np.int64(0)
        for _ in range(xi_k[i]):
            size += _varint_size(2 * (contents[posting] - content))
            if tf[posting] > 1:
                size += _varint_size(np.int64(tf[posting]) - 2)
            content = np.int64(contents[posting])
            posting += 1
    return data[:at].copy()


@kernel
def _varint_size(value: Any) -> Any:
    """Return the bytes of a variable-byte integer."""
    size = 1
    while value >= 128:
        value >>= 7
        size += 1
    return size


@kernel
def postings_of(data: Any, documents: Any, xi_k: Any, byte: Any, before: Any, wanted: Any, every: int) -> Any:
    """Decode the postings of documents; twin: `trix.indexer.store.inverted.by_document.postings_of_plainly`."""
    places = np.empty(min(wanted.size, documents.size), np.int64)
    held = 0
    count = np.int64(0)
    low = 0
    for number in wanted:
        low = seek(documents, low, number)
        if low == documents.size:
            break
        if documents[low] == number:
            places[held] = low
            held += 1
            count += xi_k[low]
    contents, tf = np.empty(count, np.int32), np.empty(count, np.int32)
    filled = 0
    here = -1  # the document whose postings come next
    at = np.int64(0)
    last = np.int64(0)
    for place in places[:held]:
        group = place // every
        if here < 0 or here // every != group:
            here, at, last = group * every, byte[group], before[group]
        while here <= place:
            for _ in range(xi_k[here]):
                value, at = read_varint(data, at)
                last += value >> 1
                tf_here = np.int64(1)
                if value & 1:
                    more, at = read_varint(data, at)
                    tf_here = more + 2
                if here == place:
                    contents[filled], tf[filled] = last, tf_here
                    filled += 1
            here += 1
    return contents, tf
