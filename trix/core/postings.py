"""Posting lists: encode and decode, aggregate by document, sort and concatenate.

The codes are those of `trix.indexer.store.inverted.postings` and `trix.indexer.store.inverted.by_document`:
variable-byte integers, 7 bits a byte, low bits first; the top bit says that more bytes follow. The bytes come from a
file, so every read is checked.
"""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.libc.math import ceil
    from cython.cimports.trix.core.steps import damaged, in_time
else:
    from math import ceil

    from trix.core.steps import damaged, in_time

_LOOK = cython.declare(cython.Py_ssize_t, (1 << 20) - 1)
"""Mask of steps: a loop checks the deadline when all these bits of its counter are 1."""
_FEW = cython.declare(cython.Py_ssize_t, (1 << 12) - 1)
"""The same for an outer loop, whose steps take longer."""

Number = cython.fused_type(cython.int, cython.longlong)
"""32 or 64 bits."""


@cython.final
@cython.cclass
class _Reader:
    """Reader of variable-byte integers. The hottest loops here and in `topk` inline it."""

    data: cython.const[cython.uchar][::1]
    at: cython.Py_ssize_t

    def __init__(self, data: cython.const[cython.uchar][::1]):
        self.data = data
        self.at = 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(-1)
    def next(self) -> cython.longlong:
        """Return the next integer, 0 or more."""
        byte: cython.longlong = cython.cast(cython.longlong, self.data[self.at])
        value: cython.longlong = byte & 127
        shift: cython.int = 0
        self.at += 1
        while byte > 127:
            shift += 7
            if shift > 56:
                return damaged()
            byte = cython.cast(cython.longlong, self.data[self.at])
            self.at += 1
            value |= (byte & 127) << shift
        return value


@cython.final
@cython.cclass
class _Writer:
    """Writer of variable-byte integers into a buffer that is large enough for all."""

    data: cython.uchar[::1]
    at: cython.Py_ssize_t

    def __init__(self, integers: cython.Py_ssize_t, most: cython.Py_ssize_t):
        self.data = np.empty(integers * most, np.uint8)
        self.at = 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(-1)
    def put(self, value: cython.longlong) -> cython.int:
        while value >= 128:
            self.data[self.at] = cython.cast(cython.uchar, (value & 127) | 128)
            value >>= 7
            self.at += 1
        self.data[self.at] = cython.cast(cython.uchar, value)
        self.at += 1
        return 0

    def written(self):
        return np.asarray(self.data)[: self.at]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)  # arithmetic alone
def _varint_size(value: cython.longlong) -> cython.longlong:
    size: cython.longlong = 1
    while value >= 128:
        value >>= 7
        size += 1
    return size


# -- posting lists ----------------------------------------------------------------------------------------------------


def decode_list(data: cython.const[cython.uchar][::1]):
    """Decode a posting list into contents, ascending, and tf, int32 each."""
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    byte: cython.int
    following: cython.bint = False
    begins: cython.bint = True
    # First pass: count the postings, to allocate once. A posting is one integer, or two if its lowest bit is set.
    with cython.nogil:
        for i in range(data.shape[0]):
            if i & _LOOK == _LOOK:
                in_time()
            byte = data[i]
            if begins:
                if following:
                    following = False
                else:
                    count += 1
                    following = byte & 1
            begins = byte < 128
    numbers, counts = np.empty(count, np.int32), np.empty(count, np.int32)
    _decode(data, numbers, counts)
    return numbers, counts


@cython.cfunc
@cython.exceptval(-1)
def _decode(data: cython.const[cython.uchar][::1], contents: cython.int[::1], tf: cython.int[::1]) -> cython.int:
    at: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    byte: cython.longlong
    value: cython.longlong
    last: cython.longlong = 0
    wrong: cython.longlong = 0  # bits after the 31 of a number; a gap of 0 after the first posting
    shift: cython.int
    # `_Reader.next` written out. Faults are collected in `wrong` and reported once at the end: a branch for each
    # posting would double the time.
    with cython.nogil:
        for i in range(contents.shape[0]):
            if i & _LOOK == _LOOK:
                in_time()
            byte = cython.cast(cython.longlong, data[at])
            value = byte & 127
            at += 1
            shift = 0
            while byte > 127:
                shift += 7
                if shift > 56:
                    return damaged()
                byte = cython.cast(cython.longlong, data[at])
                at += 1
                value |= (byte & 127) << shift
            last += value >> 1
            wrong |= last >> 31
            wrong |= (value >> 1 == 0) & (i > 0)
            contents[i] = cython.cast(cython.int, last)
            if value & 1:  # the count follows
                byte = cython.cast(cython.longlong, data[at])
                value = byte & 127
                at += 1
                shift = 0
                while byte > 127:
                    shift += 7
                    if shift > 56:
                        return damaged()
                    byte = cython.cast(cython.longlong, data[at])
                    at += 1
                    value |= (byte & 127) << shift
                wrong |= (value + 2) >> 31
                tf[i] = cython.cast(cython.int, value + 2)
            else:
                tf[i] = 1
        if wrong:
            return damaged()
        return 0


def encode_lists(contents, tf, starts):
    """Encode concatenated posting lists; return the bytes, and the number of bytes of each list.

    Parameters
    ----------
    contents, tf : (n,) ndarrays
        Content element numbers, ascending within a list, and occurrences.
    starts : (k,) ndarray
        First posting of each list.
    """
    contents = np.ascontiguousarray(contents, np.int64)
    tf = np.ascontiguousarray(tf, np.int64)
    starts = np.ascontiguousarray(starts, np.int64)
    # 32-bit numbers, one of them doubled: five bytes each at most.
    writer = _Writer(contents.size, 10)
    sizes = np.empty(starts.size, np.int64)
    _encode(contents, tf, starts, writer, sizes)
    return writer.written(), sizes


@cython.cfunc
@cython.exceptval(-1)
def _encode(
    contents: cython.const[cython.longlong][::1],
    tf: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    writer: _Writer,
    sizes: cython.longlong[::1],
) -> cython.int:
    key: cython.Py_ssize_t
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    value: cython.longlong
    last: cython.longlong
    with cython.nogil:
        for key in range(starts.shape[0]):
            # A posting is 2 * gap, plus 1 if it has several occurrences; then their number less 2 follows.
            begin = writer.at
            last = 0
            end = starts[key + 1] if key + 1 < starts.shape[0] else contents.shape[0]
            for i in range(starts[key], end):
                value = 2 * (contents[i] - last)
                last = contents[i]
                if tf[i] > 1:
                    writer.put(value + 1)
                    writer.put(tf[i] - 2)
                else:
                    writer.put(value)
            sizes[key] = writer.at - begin
        return 0


def encode_position_lists(positions, posting_starts, key_starts):
    """Encode concatenated position lists; return the bytes, and the number of bytes of each list.

    Parameters
    ----------
    positions : (n,) ndarray
        Positions of occurrences in their content elements, ascending within a posting.
    posting_starts, key_starts : ndarrays
        First position of each posting, and of each key.
    """
    positions = np.ascontiguousarray(positions, np.int64)
    posting_starts = np.ascontiguousarray(posting_starts, np.int64)
    key_starts = np.ascontiguousarray(key_starts, np.int64)
    writer = _Writer(positions.size, 5)  # positions have 31 bits
    sizes = np.zeros(key_starts.size, np.int64)
    _encode_positions(positions, posting_starts, key_starts, writer, sizes)
    return writer.written(), sizes


@cython.cfunc
@cython.exceptval(-1)
def _encode_positions(
    positions: cython.const[cython.longlong][::1],
    posting_starts: cython.const[cython.longlong][::1],
    key_starts: cython.const[cython.longlong][::1],
    writer: _Writer,
    sizes: cython.longlong[::1],
) -> cython.int:
    place: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    posting: cython.Py_ssize_t = 0
    key: cython.Py_ssize_t = 0
    gap: cython.longlong
    last: cython.longlong = 0
    with cython.nogil:
        for place in range(positions.shape[0]):
            gap = positions[place] - last - 1
            last = positions[place]
            if posting < posting_starts.shape[0] and posting_starts[posting] == place:
                posting += 1
                gap = last
            if key < key_starts.shape[0] and key_starts[key] == place:
                key += 1
            begin = writer.at
            writer.put(gap)
            sizes[key - 1] += writer.at - begin
        return 0


def decode_position_list(data: cython.const[cython.uchar][::1], tf):
    """Decode the positions of one key, posting after posting; `tf` gives their numbers."""
    counts: cython.const[cython.longlong][::1] = np.ascontiguousarray(tf, np.int64)
    total: cython.longlong = 0
    i: cython.Py_ssize_t
    for i in range(counts.shape[0]):
        total += counts[i]
    if total > data.shape[0]:  # a byte each, at the least: damaged counts would ask for any room
        raise IndexError("damaged")
    found = np.empty(total, np.int64)
    reader = _Reader(data)
    _decode_positions(reader, counts, found)
    return found


@cython.cfunc
@cython.exceptval(-1)
def _decode_positions(
    reader: _Reader, tf: cython.const[cython.longlong][::1], positions: cython.longlong[::1]
) -> cython.int:
    i: cython.Py_ssize_t
    k: cython.longlong
    place: cython.Py_ssize_t = 0
    last: cython.longlong
    with cython.nogil:
        for i in range(tf.shape[0]):
            last = -1
            for k in range(tf[i]):
                if place & _LOOK == _LOOK:
                    in_time()
                last += reader.next() + 1
                positions[place] = last
                place += 1
        return 0


# -- passes over all lists --------------------------------------------------------------------------------------------


def count_documents(data, ends, document_of, chosen):
    """Return the document frequency of each key, in all documents and in chosen ones.

    Parameters
    ----------
    data : ndarray of uint8
        The coded posting lists, concatenated.
    ends : (k,) ndarray
        End of each list.
    document_of : (n_content_elements,) ndarray of int32
        Document of each content element.
    chosen : (n_documents,) ndarray of bool
        The chosen documents.
    """
    n, r = np.zeros(ends.size, np.int32), np.zeros(ends.size, np.int32)
    stops, owners = np.ascontiguousarray(ends, np.int64), np.ascontiguousarray(document_of, np.int32)
    some, reader = np.ascontiguousarray(chosen).view(np.uint8), _Reader(data)
    _count_documents(reader, stops, owners, some, n, r)
    return n, r


@cython.cfunc
@cython.exceptval(-1)
def _count_documents(
    reader: _Reader,
    ends: cython.const[cython.longlong][::1],
    document_of: cython.const[cython.int][::1],
    chosen: cython.const[cython.uchar][::1],
    n: cython.int[::1],
    r: cython.int[::1],
) -> cython.int:
    key: cython.Py_ssize_t
    value: cython.longlong
    content: cython.longlong
    document: cython.longlong
    last: cython.longlong
    looked: cython.Py_ssize_t = 0  # at the deadline, by bytes
    with cython.nogil:
        for key in range(ends.shape[0]):
            if reader.at - looked > _LOOK:
                looked = reader.at
                in_time()
            content = 0
            last = -1
            while reader.at < ends[key]:
                value = reader.next()
                if value & 1:
                    reader.next()
                content += value >> 1
                # Contents ascend and documents are ranges of them, so a document's postings are adjacent.
                document = document_of[content]
                if document != last:
                    last = document
                    n[key] += 1
                    r[key] += chosen[document] != 0
        return 0


def held_by(data, ends, chosen):
    """Return the postings of chosen content elements, by key and content element: keys, contents, tf.

    Parameters
    ----------
    data, ends
        As in `count_documents`.
    chosen : (n_content_elements,) ndarray of bool
        The chosen content elements.
    """
    stops: cython.const[cython.longlong][::1] = np.ascontiguousarray(ends, np.int64)
    some: cython.const[cython.uchar][::1] = np.ascontiguousarray(chosen).view(np.uint8)
    reader: _Reader = _Reader(data)
    rows = np.empty((1024, 3), np.int32)
    found: cython.int[:, ::1] = rows
    count: cython.Py_ssize_t = 0
    key: cython.Py_ssize_t
    value: cython.longlong
    content: cython.longlong
    tf: cython.longlong
    looked: cython.Py_ssize_t = 0  # at the deadline, by bytes
    with cython.nogil:
        for key in range(stops.shape[0]):
            if reader.at - looked > _LOOK:
                looked = reader.at
                in_time()
            content = 0
            while reader.at < stops[key]:
                value = reader.next()
                tf = reader.next() + 2 if value & 1 else 1
                content += value >> 1
                if some[content]:
                    if count == found.shape[0]:
                        # Double the room: appending is linear in all.
                        with cython.gil:
                            rows = np.resize(rows, (2 * count, 3))
                            found = rows
                    found[count, 0] = cython.cast(cython.int, key)
                    found[count, 1] = cython.cast(cython.int, content)
                    found[count, 2] = cython.cast(cython.int, tf)
                    count += 1
    return tuple(np.ascontiguousarray(column) for column in rows[:count].T)


def keys_by_document(data, ends, document_of, documents: cython.Py_ssize_t):
    """Return the forward index of documents: where the keys of each begin, (n_documents + 1,), and its ascending keys.

    Parameters
    ----------
    data, ends, document_of
        As in `count_documents`.
    documents
        Number of documents.
    """
    stops = np.ascontiguousarray(ends, np.int64)
    owners = np.ascontiguousarray(document_of, np.int32)
    counts = np.zeros(documents + 1, np.int64)
    nothing = np.zeros(0, np.int32)
    # One pass counts the keys of each document, a second enters them where those of the documents before end.
    reader: _Reader = _Reader(data)
    _list_keys(reader, stops, owners, counts, nothing, nothing, False)
    begins = np.cumsum(counts)
    keys = np.empty(begins[documents], np.int32)
    free = begins.copy()
    reader = _Reader(data)
    _list_keys(reader, stops, owners, free, keys, nothing, True)
    return begins, keys


def postings_by_content(data, ends, contents: cython.Py_ssize_t):
    """Return the forward index of content elements: where each begins, (contents + 1,), its ascending keys, and tf.

    Parameters
    ----------
    data, ends
        As in `count_documents`.
    contents
        Number of content elements.
    """
    stops, owners = np.ascontiguousarray(ends, np.int64), np.arange(contents, dtype=np.int32)
    counts, nothing = np.zeros(contents + 1, np.int64), np.zeros(0, np.int32)
    reader: _Reader = _Reader(data)
    _list_keys(reader, stops, owners, counts, nothing, nothing, False)
    begins = np.cumsum(counts)
    keys, tf = np.empty((2, begins[contents]), np.int32)
    free = begins.copy()
    reader = _Reader(data)
    _list_keys(reader, stops, owners, free, keys, tf, True)
    return begins, keys, tf


@cython.cfunc
@cython.exceptval(-1)
def _list_keys(
    reader: _Reader,
    ends: cython.const[cython.longlong][::1],
    document_of: cython.const[cython.int][::1],
    places: cython.longlong[::1],
    keys: cython.int[::1],
    tf: cython.int[::1],
    filling: cython.bint,
) -> cython.int:
    """Count the keys of each document, or enter them from its place on; with tf if there is room for it."""
    key: cython.Py_ssize_t
    value: cython.longlong
    content: cython.longlong
    document: cython.longlong
    last: cython.longlong
    count: cython.longlong
    looked: cython.Py_ssize_t = 0  # at the deadline, by bytes
    with cython.nogil:
        for key in range(ends.shape[0]):
            if reader.at - looked > _LOOK:
                looked = reader.at
                in_time()
            content = 0
            last = -1
            while reader.at < ends[key]:
                value = reader.next()
                count = reader.next() + 2 if value & 1 else 1
                content += value >> 1
                document = document_of[content]
                # When filling, places[d] is the next free entry of document d; else places[d + 1] counts its keys, so
                # that a cumulative sum gives the beginnings.
                if document != last:
                    last = document
                    if filling:
                        keys[places[document]] = cython.cast(cython.int, key)
                        if tf.shape[0]:
                            tf[places[document]] = cython.cast(cython.int, count)
                        places[document] += 1
                    else:
                        places[document + 1] += 1
        return 0


# -- lists by document ------------------------------------------------------------------------------------------------


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(-1)
def seek(numbers: cython.const[Number][::1], at: cython.Py_ssize_t, least: cython.longlong) -> cython.Py_ssize_t:
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


def decode_by_document(data: cython.const[cython.uchar][::1], every: cython.Py_ssize_t, steps: cython.int):
    """Decode a document list, see `trix.indexer.store.inverted.by_document.DocumentList`.

    Parameters
    ----------
    data
        The coded list.
    every
        Documents between two entry points into the postings.
    steps
        The reach of a document whose content elements all hold the key.

    Returns
    -------
    tuple or None
        Documents, kf, xi_k, reach, byte, before; None if the list is damaged.
    """
    if every < 1:
        raise ValueError("every: expected 1 or more")
    # The list has columns, one after the other: documents, kf, xi_k, reach, entry points. Each omits trivial values.
    # The number of integers is checked against the columns as they become known, so no read passes the end.
    left: cython.Py_ssize_t = 0  # integers that are there; none is read after them
    i: cython.Py_ssize_t
    for i in range(data.shape[0]):
        left += data[i] < 128
    reader: _Reader = _Reader(data)
    n: cython.Py_ssize_t = 0
    if left:
        n = reader.next()
        left -= 1
    if not 0 < n <= left:
        return None
    skips: cython.Py_ssize_t = (n - 1) // every
    documents, kf = np.empty(n, np.int32), np.empty(n, np.int64)
    xi_k, reach = np.ones(n, np.int32), np.full(n, steps, np.int32)
    byte, before = np.zeros(skips + 1, np.int64), np.zeros(skips + 1, np.int64)
    sound = _decode_by_document(reader, left, documents, kf, xi_k, reach, byte, before)
    return (documents, kf, xi_k, reach, byte, before) if sound else None


@cython.cfunc
@cython.exceptval(-1)
def _decode_by_document(
    reader: _Reader,
    left: cython.Py_ssize_t,
    documents: cython.int[::1],
    kf: cython.longlong[::1],
    xi_k: cython.int[::1],
    reach: cython.int[::1],
    byte: cython.longlong[::1],
    before: cython.longlong[::1],
) -> cython.int:
    """Fill in the columns; return whether the list has the expected number of integers."""
    n: cython.Py_ssize_t = documents.shape[0]
    skips: cython.Py_ssize_t = byte.shape[0] - 1
    i: cython.Py_ssize_t
    value: cython.longlong
    last: cython.longlong = 0
    some: cython.Py_ssize_t = 0
    wide: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(n):
            if i & _LOOK == _LOOK:
                in_time()
            value = reader.next()
            last += value >> 1
            documents[i] = cython.cast(cython.int, last)
            kf[i] = 1 + (value & 1)
            some += value & 1
        # Documents with several occurrences have two more integers, entry points two each.
        left -= n
        if left < 2 * some + 2 * skips:
            return 0
        for i in range(n):
            if kf[i] > 1:
                kf[i] = reader.next() + 2
        for i in range(n):
            if kf[i] > 1:
                xi_k[i] = cython.cast(cython.int, kf[i] - reader.next())
                wide += xi_k[i] > 1
        if left != 2 * some + wide + 2 * skips:
            return 0
        # One holder alone has the whole reach, which is not written.
        for i in range(n):
            if xi_k[i] > 1:
                reach[i] = cython.cast(cython.int, reader.next())
        for i in range(skips):
            byte[i + 1] = byte[i] + reader.next()
            before[i + 1] = before[i] + reader.next()
        return 1


def by_document(contents, tf, document_of, most: cython.Py_ssize_t, b: cython.double, steps: cython.int):
    """Aggregate postings by document; return documents, kf, xi_k and reach.

    Parameters
    ----------
    contents, tf, document_of : (n,) ndarrays
        The postings, and the document of each.
    most
        Largest number of groups of a document's postings; the reach is computed between group borders.
    b
        The parameter b of trix2005 for which the reach holds.
    steps
        The reach is a multiple of kf divided by this.
    """
    contents = np.ascontiguousarray(contents, np.int64)
    tf = np.ascontiguousarray(tf, np.int64)
    owners: cython.const[cython.longlong][::1] = np.ascontiguousarray(document_of, np.int64)
    n: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    for i in range(owners.shape[0]):
        n += i == 0 or owners[i] != owners[i - 1]
    documents, kf = np.empty(n, np.int32), np.empty(n, np.int64)
    xi_k, reach = np.empty(n, np.int32), np.empty(n, np.int32)
    total = np.zeros(owners.shape[0] + 1, np.int64)
    np.cumsum(tf, out=total[1:])
    _sum_up(contents, total, owners, most, b, steps, documents, kf, xi_k, reach)
    return documents, kf, xi_k, reach


@cython.cfunc
@cython.exceptval(-1)
def _sum_up(
    contents: cython.const[cython.longlong][::1],
    total: cython.const[cython.longlong][::1],
    owners: cython.const[cython.longlong][::1],
    most: cython.Py_ssize_t,
    b: cython.double,
    steps: cython.int,
    documents: cython.int[::1],
    kf: cython.longlong[::1],
    xi_k: cython.int[::1],
    reach: cython.int[::1],
) -> cython.int:
    d: cython.Py_ssize_t
    p: cython.Py_ssize_t
    q: cython.Py_ssize_t
    first: cython.Py_ssize_t = 0
    stop: cython.Py_ssize_t
    size: cython.Py_ssize_t
    groups: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    last: cython.Py_ssize_t
    entered: cython.Py_ssize_t
    best: cython.double
    apart: cython.double
    counted: cython.double
    with cython.nogil:
        for d in range(documents.shape[0]):
            if d & _FEW == _FEW:
                in_time()
            # The reach bounds kf / ((1-b) + b xi_c/xi_k) over all elements below the root: how much of a document's
            # occurrences one element can have, given how far apart they lie. It is rounded up, so it stays a bound.
            stop = first + 1
            while stop < contents.shape[0] and owners[stop] == owners[first]:
                stop += 1
            size = stop - first
            groups = min(size, most)
            best = 0.0
            # Occurrences from stretch p to stretch q, in an element with no more text than lies between the two.
            for p in range(groups):
                begin = first + p * size // groups
                last = first + (p + 1) * size // groups - 1
                for q in range(p, groups):
                    entered = first + q * size // groups
                    end = first + (q + 1) * size // groups
                    apart = cython.cast(cython.double, contents[entered] - contents[last] + 1) / (end - begin)
                    counted = cython.cast(cython.double, total[end] - total[begin])
                    counted = counted / ((1.0 - b) + b * max(apart, 1.0))
                    best = max(best, counted)
            documents[d] = cython.cast(cython.int, owners[first])
            kf[d] = total[stop] - total[first]
            xi_k[d] = cython.cast(cython.int, size)
            reach[d] = cython.cast(cython.int, min(ceil(best * steps / kf[d]), cython.cast(cython.double, steps)))
            first = stop
        return 0


def encode_by_document(
    contents, tf, document_of, every: cython.Py_ssize_t, most: cython.Py_ssize_t, b: cython.double, steps: cython.int
):
    """Encode the document list of a key from its postings; the parameters are those of `by_document`."""
    if every < 1:
        raise ValueError("every: expected 1 or more")
    documents, kf, xi_k, reach = by_document(contents, tf, document_of, most, b, steps)
    contents, tf = np.ascontiguousarray(contents, np.int64), np.ascontiguousarray(tf, np.int64)
    writer: _Writer = _Writer(5 * documents.size + 1, 10)
    _encode_by_document(writer, documents, kf, xi_k, reach, contents, tf, every)
    return writer.written().copy()


@cython.cfunc
@cython.exceptval(-1)
def _encode_by_document(
    writer: _Writer,
    documents: cython.const[cython.int][::1],
    kf: cython.const[cython.longlong][::1],
    xi_k: cython.const[cython.int][::1],
    reach: cython.const[cython.int][::1],
    contents: cython.const[cython.longlong][::1],
    tf: cython.const[cython.longlong][::1],
    every: cython.Py_ssize_t,
) -> cython.int:
    n: cython.Py_ssize_t = documents.shape[0]
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    posting: cython.Py_ssize_t = 0
    last: cython.longlong = 0
    content: cython.longlong = 0
    entered: cython.longlong = 0
    size: cython.longlong = 0  # bytes of the postings since the last place that was entered
    with cython.nogil:
        writer.put(n)
        for i in range(n):
            writer.put(2 * (documents[i] - last) + (kf[i] > 1))
            last = documents[i]
        for i in range(n):
            if kf[i] > 1:
                writer.put(kf[i] - 2)
        for i in range(n):
            if kf[i] > 1:
                writer.put(kf[i] - xi_k[i])
        for i in range(n):
            if xi_k[i] > 1:
                writer.put(reach[i])
        # Skip data: after every `every` documents an entry point, with the bytes since the last one and the content
        # element reached.
        for i in range(n):
            if i and i % every == 0:
                writer.put(size)
                writer.put(content - entered)
                entered = content
                size = 0
            for k in range(xi_k[i]):
                size += _varint_size(2 * (contents[posting] - content))
                if tf[posting] > 1:
                    size += _varint_size(tf[posting] - 2)
                content = contents[posting]
                posting += 1
        return 0


def postings_of(data, documents, xi_k, byte, before, wanted, every: cython.Py_ssize_t):
    """Decode the postings of a list in some documents alone: contents and tf.

    Parameters
    ----------
    data
        The coded posting list.
    documents, xi_k, byte, before
        The document list of the same key.
    wanted : ndarray
        Ascending document numbers; one that does not hold the key has no postings.
    every
        As in `decode_by_document`.
    """
    if every < 1:
        raise ValueError("every: expected 1 or more")
    listed: cython.const[cython.int][::1] = np.ascontiguousarray(documents, np.int32)
    asked: cython.const[cython.longlong][::1] = np.ascontiguousarray(wanted, np.int64)
    sizes: cython.const[cython.int][::1] = np.ascontiguousarray(xi_k, np.int32)
    found = np.empty(min(asked.shape[0], listed.shape[0]), np.int64)
    places: cython.longlong[::1] = found
    held: cython.Py_ssize_t = 0
    count: cython.longlong = 0
    low: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(asked.shape[0]):
            # Both columns ascend: one galloping pass finds the rows of the wanted documents.
            low = seek(listed, low, asked[i])
            if low == listed.shape[0]:
                break
            if listed[low] == asked[i]:
                places[held] = low
                held += 1
                count += sizes[low]
    reader: _Reader = _Reader(data)
    if not 0 <= count <= reader.data.shape[0]:  # a byte each, at the least
        raise IndexError("damaged")
    contents, tf = np.empty(count, np.int32), np.empty(count, np.int32)
    _read_places(reader, places[:held], sizes, byte, before, every, contents, tf)
    return contents, tf


@cython.cfunc
@cython.exceptval(-1)
def _read_places(
    reader: _Reader,
    places: cython.const[cython.longlong][::1],
    xi_k: cython.const[cython.int][::1],
    byte: cython.const[cython.longlong][::1],
    before: cython.const[cython.longlong][::1],
    every: cython.Py_ssize_t,
    contents: cython.int[::1],
    tf: cython.int[::1],
) -> cython.int:
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    place: cython.Py_ssize_t
    group: cython.Py_ssize_t
    here: cython.Py_ssize_t = -1  # the document whose postings come next
    filled: cython.Py_ssize_t = 0
    value: cython.longlong
    count: cython.longlong
    last: cython.longlong = 0
    with cython.nogil:
        for i in range(places.shape[0]):
            if i & _FEW == _FEW:
                in_time()
            place = places[i]
            group = place // every
            # Jump to the entry point of the row's group; inside a group, decode and skip to the row.
            if here < 0 or here // every != group:
                here, reader.at, last = group * every, byte[group], before[group]
            while here <= place:
                for k in range(xi_k[here]):
                    value = reader.next()
                    last += value >> 1
                    count = reader.next() + 2 if value & 1 else 1
                    if here == place:
                        contents[filled] = cython.cast(cython.int, last)
                        tf[filled] = cython.cast(cython.int, count)
                        filled += 1
                here += 1
        return 0


# -- lists of a chunk -------------------------------------------------------------------------------------------------


def inverted(ranks, counts, keys: cython.Py_ssize_t):
    """Invert texts: sort their keys into posting lists (counting sort).

    Parameters
    ----------
    ranks : (n,) ndarray of int32
        Keys of all content elements, in text order, each by its rank in the order of keys.
    counts : (n_content_elements,) ndarray of int64
        Number of keys of each content element.
    keys
        Number of distinct keys.

    Returns
    -------
    starts, begins : (keys + 1,) ndarrays of int64
        First posting, and first position, of each key.
    contents, tf, places : ndarrays of int32
        The postings, and the positions.
    """
    ranks = np.ascontiguousarray(ranks, np.int32)
    counts = np.ascontiguousarray(counts, np.int64)
    starts, begins = np.zeros(keys + 1, np.int64), np.zeros(keys + 1, np.int64)
    _count_lists(ranks, counts, starts, begins)
    contents, tf, places = (np.empty(size, np.int32) for size in (starts[keys], starts[keys], ranks.size))
    _fill_lists(ranks, counts, starts, begins, contents, tf, places)
    return starts, begins, contents, tf, places


@cython.cfunc
@cython.exceptval(-1)
def _count_lists(
    ranks: cython.const[cython.int][::1],
    counts: cython.const[cython.longlong][::1],
    starts: cython.longlong[::1],
    begins: cython.longlong[::1],
) -> cython.int:
    # First pass: the sizes of all lists. The three counters of a key share a cache line, since keys are visited in text
    # order, which is random over keys.
    known: cython.int[:, ::1]  # of each key its last owner plus one, postings, positions; in one cache line
    owner: cython.int
    k: cython.longlong
    key: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    known = np.zeros((starts.shape[0], 4), np.int32)
    with cython.nogil:
        for owner in range(counts.shape[0]):
            for k in range(counts[owner]):
                key = ranks[at]
                at += 1
                known[key, 1] += known[key, 0] != owner + 1
                known[key, 0] = owner + 1
                known[key, 2] += 1
        for key in range(1, starts.shape[0]):
            starts[key] = starts[key - 1] + known[key - 1, 1]
            begins[key] = begins[key - 1] + known[key - 1, 2]
        return 0


@cython.cfunc
@cython.exceptval(-1)
def _fill_lists(
    ranks: cython.const[cython.int][::1],
    counts: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    begins: cython.const[cython.longlong][::1],
    contents: cython.int[::1],
    tf: cython.int[::1],
    places: cython.int[::1],
) -> cython.int:
    # Second pass: append to each list at its end. Owners and places ascend in the text, so all lists come out sorted.
    known: cython.int[:, ::1]  # of each key its last owner, and where its lists end
    owner: cython.int
    place: cython.longlong
    key: cython.Py_ssize_t
    end: cython.int
    at: cython.Py_ssize_t = 0
    known = np.empty((starts.shape[0], 4), np.int32)
    with cython.nogil:
        for key in range(starts.shape[0]):
            known[key, 0] = -1
            known[key, 1] = cython.cast(cython.int, starts[key])
            known[key, 2] = cython.cast(cython.int, begins[key])
        for owner in range(counts.shape[0]):
            for place in range(counts[owner]):
                key = ranks[at]
                at += 1
                end = known[key, 1]
                if known[key, 0] != owner:
                    known[key, 0] = owner
                    contents[end] = owner
                    tf[end] = 1
                    known[key, 1] = end + 1
                else:
                    tf[end - 1] += 1
                end = known[key, 2]
                places[end] = cython.cast(cython.int, place)
                known[key, 2] = end + 1
        return 0


def add_sizes(ranks, low: cython.longlong, sizes, tf, counts: cython.longlong[::1], tokens: cython.longlong[::1]):
    """Add a part's numbers of postings and positions to those of each key, counted from `low`."""
    keys: cython.const[cython.longlong][::1] = np.ascontiguousarray(ranks, np.int64)
    own: cython.const[cython.longlong][::1] = np.ascontiguousarray(sizes, np.int64)
    held: cython.const[cython.longlong][::1] = np.ascontiguousarray(tf, np.int64)
    i: cython.Py_ssize_t
    place: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    key: cython.Py_ssize_t
    with cython.nogil:
        for i in range(keys.shape[0]):
            key = keys[i] - low
            counts[key] += own[i]
            for place in range(at, at + own[i]):
                tokens[key] += held[place]
            at += own[i]


def append_lists(ranks, low: cython.longlong, sizes, contents, tf, positions, ends, filled, lists):
    """Append the lists of a part to those of all parts.

    Parameters
    ----------
    ranks, low, sizes, contents, tf, positions
        The part: keys, counted from `low`; number of postings of each, the postings, and the positions, if any.
    ends, filled
        Ends of the postings and positions of each key so far, which are moved.
    lists
        Contents, tf and positions of all parts.
    """
    keys: cython.const[cython.longlong][::1] = np.ascontiguousarray(ranks, np.int64)
    own: cython.const[cython.longlong][::1] = np.ascontiguousarray(sizes, np.int64)
    numbers: cython.const[cython.longlong][::1] = np.ascontiguousarray(contents, np.int64)
    held: cython.const[cython.longlong][::1] = np.ascontiguousarray(tf, np.int64)
    stand: cython.const[cython.longlong][::1] = np.ascontiguousarray(positions, np.int64)
    own_ends: cython.longlong[::1] = ends
    own_filled: cython.longlong[::1] = filled
    all_contents: cython.longlong[::1] = lists[0]
    all_tf: cython.longlong[::1] = lists[1]
    all_positions: cython.longlong[::1] = lists[2]
    i: cython.Py_ssize_t
    j: cython.longlong
    k: cython.longlong
    at: cython.Py_ssize_t = 0
    token: cython.Py_ssize_t = 0
    key: cython.Py_ssize_t
    end: cython.Py_ssize_t
    with cython.nogil:
        for i in range(keys.shape[0]):
            key = keys[i] - low
            for j in range(own[i]):
                end = own_ends[key]
                all_contents[end] = numbers[at]
                all_tf[end] = held[at]
                own_ends[key] = end + 1
                if stand.shape[0]:
                    for k in range(held[at]):
                        all_positions[own_filled[key]] = stand[token]
                        own_filled[key] += 1
                        token += 1
                at += 1


# -- the cache of terms -----------------------------------------------------------------------------------------------


def keep_coded(
    postings: cython.const[cython.uchar][::1],
    listed,
    columns,
    row: cython.Py_ssize_t,
    at: cython.Py_ssize_t,
    every: cython.Py_ssize_t,
    steps: cython.int,
    documents: cython.Py_ssize_t,
):
    """Copy a coded posting list and its document list into the term cache.

    Parameters
    ----------
    postings, listed
        Both lists, coded.
    columns, row, at
        Columns of the cache, see `trix.query.term_cache.lists.ListColumns`; first row and first byte to write.
    every, steps
        As in `decode_by_document`.
    documents
        Number of documents of the index.

    Returns
    -------
    tuple of int or None
        Rows, m, cf and the largest kf; None if a list is damaged. Cached lists are sound: documents ascend and exist,
        each has postings, and these begin inside the list.
    """
    found = decode_by_document(listed, every, steps)
    if found is None:
        return None
    byte: cython.const[cython.longlong][::1] = found[4]
    before: cython.const[cython.longlong][::1] = found[5]
    entries: cython.longlong[:, ::1] = columns[2]
    group: cython.Py_ssize_t = row // every
    i: cython.Py_ssize_t
    for i in range(byte.shape[0]):
        if not 0 <= byte[i] < postings.shape[0] or before[i] < 0:
            return None
        entries[group + i, 0], entries[group + i, 1] = byte[i] + at, before[i]
    columns[0][at : at + postings.shape[0]] = postings
    kept = _keep_rows(columns[1], row, found[0], found[1], found[2], found[3], steps, documents)
    # A posting takes a byte at the least; more would ask for any room when they are decoded.
    return None if kept is None or kept[1] > postings.shape[0] else kept


def keep_postings(
    contents, tf, counted, first_contents, content_elements: cython.Py_ssize_t, columns, row: cython.Py_ssize_t,
    at: cython.Py_ssize_t, every: cython.Py_ssize_t, groups: cython.Py_ssize_t, b: cython.double, steps: cython.int,
):  # fmt: skip
    """Encode postings, aggregate them by document, and write both into the term cache.

    Parameters
    ----------
    contents, tf, counted
        The postings, and their weighted occurrences, 1 or more: `tf` if all occurrences weigh the same.
    first_contents, content_elements
        First content element of each document, and their number.
    columns, row, at
        As in `keep_coded`.
    every, groups, b, steps
        As in `encode_by_document`.

    Returns
    -------
    tuple
        Bytes; and rows, m, cf and the largest kf, or None if the postings are damaged.
    """
    if every < 1:
        raise ValueError("every: expected 1 or more")
    numbers: cython.const[cython.longlong][::1] = np.ascontiguousarray(contents, np.int64)
    counts: cython.const[cython.longlong][::1] = np.ascontiguousarray(tf, np.int64)
    firsts: cython.const[cython.longlong][::1] = np.ascontiguousarray(first_contents, np.int64)
    size: cython.Py_ssize_t = numbers.shape[0]
    i: cython.Py_ssize_t
    place: cython.Py_ssize_t = 0
    for i in range(size):
        if not 0 <= numbers[i] < content_elements or counts[i] < 1 or (i and numbers[i] <= numbers[i - 1]):
            return 0, None
    owners = np.empty(size, np.int64)
    document_of: cython.longlong[::1] = owners
    with cython.nogil:
        for i in range(size):
            place = seek(firsts, place, numbers[i] + 1)
            # `seek` finds the first document that begins after the content element.
            document_of[i] = place - 1
    documents, kf, xi_k, reach = by_document(numbers, counted, owners, groups, b, steps)
    data, _ = encode_lists(numbers, counts, np.zeros(1, np.int64))
    entries: cython.longlong[:, ::1] = columns[2]
    columns[0][at : at + data.size] = data
    reader: _Reader = _Reader(data)
    sizes: cython.const[cython.int][::1] = xi_k
    d: cython.Py_ssize_t
    k: cython.Py_ssize_t
    value: cython.longlong
    last: cython.longlong = 0
    with cython.nogil:
        for d in range(sizes.shape[0]):
            if d % every == 0:
                entries[(row + d) // every, 0], entries[(row + d) // every, 1] = at + reader.at, last
            for k in range(sizes[d]):
                value = reader.next()
                last += value >> 1
                if value & 1:
                    reader.next()
    kept = _keep_rows(columns[1], row, documents, kf, xi_k, reach, steps, firsts.shape[0])
    return data.size, kept


@cython.cfunc
def _keep_rows(
    rows: cython.int[:, ::1],
    row: cython.Py_ssize_t,
    documents: cython.const[cython.int][::1],
    kf: cython.const[cython.longlong][::1],
    xi_k: cython.const[cython.int][::1],
    reach: cython.const[cython.int][::1],
    steps: cython.int,
    all_documents: cython.Py_ssize_t,
):
    """Write the rows of a sound list; return their number, m, cf, and the largest kf."""
    i: cython.Py_ssize_t
    m: cython.longlong = 0
    cf: cython.longlong = 0
    most: cython.longlong = 0
    last: cython.longlong = -1
    for i in range(documents.shape[0]):
        if not last < documents[i] < all_documents or not 1 <= xi_k[i] <= kf[i] <= 2147483647:
            return None
        if not 1 <= reach[i] <= steps:
            return None
        last = documents[i]
        rows[row + i, 0], rows[row + i, 1], rows[row + i, 2] = documents[i], xi_k[i], reach[i]
        rows[row + i, 3] = cython.cast(cython.int, kf[i])
        m += xi_k[i]
        cf += kf[i]
        most = max(most, kf[i])
    return documents.shape[0], m, cf, most


def shape(
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    content_rows: cython.const[cython.int][:, ::1],
    rows: cython.const[cython.int][:, ::1],
    above: cython.uchar[::1],
    shared: cython.uchar[::1],
):
    """Fill in, for a range of content elements, the number of ancestors, and how many of these begin earlier.

    The latter are shared with the content element before.
    """
    content: cython.Py_ssize_t
    x: cython.Py_ssize_t
    depth: cython.int
    with cython.nogil:
        for content in range(begin, end):
            if content & _FEW == _FEW:
                in_time()
            x = content_rows[content, 1]
            depth = content_rows[content, 2]
            if not 0 <= depth <= 255:
                damaged()
            above[content] = cython.cast(cython.uchar, depth)
            # Ancestors that begin with this content element are new; the first that begins earlier, and all above it,
            # are shared.
            while x >= 0 and rows[x, 2] == content:
                x = rows[x, 0]
                depth -= 1
                if depth < 0:
                    damaged()
            shared[content] = cython.cast(cython.uchar, depth)


def holders(postings: cython.const[cython.uchar][::1], spans: cython.const[cython.longlong][:, :]):
    """Return the content elements that hold any of some keys, whose coded lists lie in spans of bytes."""
    each = [decode_list(postings[spans[t, 0] : spans[t, 1]])[0] for t in range(spans.shape[0])]
    if len(each) == 1:
        return each[0]
    found = np.sort(np.concatenate(each))
    first = np.ones(found.size, np.bool_)
    first[1:] = found[1:] != found[: found.size - 1]
    return found[first]


def count_elements(
    contents: cython.const[cython.int][::1],
    first_contents,
    above: cython.const[cython.uchar][::1],
    shared: cython.const[cython.uchar][::1],
):
    """Count, for each document, the ascending content elements that are given and all their ancestors, each once.

    An ancestor is new unless the given content element before shares it. Shared are as many as the least of `shared`
    over all content elements between the two.
    """
    firsts: cython.const[cython.longlong][::1] = np.ascontiguousarray(first_contents, np.int64)
    found = np.zeros(firsts.shape[0], np.int64)
    counts: cython.longlong[::1] = found
    i: cython.Py_ssize_t
    other: cython.Py_ssize_t
    content: cython.Py_ssize_t
    document: cython.Py_ssize_t = 0
    before: cython.Py_ssize_t = -1
    least: cython.longlong
    with cython.nogil:
        for i in range(contents.shape[0]):
            if i & _FEW == _FEW:
                in_time()
            content = contents[i]
            document = seek(firsts, document, content + 1)
            least = shared[content]
            if before < firsts[document - 1]:
                least = 0
            else:
                # The path shared with an earlier content element is the shortest one shared between neighbours on the
                # way.
                for other in range(before + 1, content):
                    least = min(least, shared[other])
            counts[document - 1] += above[content] + 1 - least
            before = content
    return found
